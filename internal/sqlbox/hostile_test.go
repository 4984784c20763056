package sqlbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/warehouse"
)

// refused are statements that the gate must turn away, by what they try.
var refused = map[string][]string{
	"read a file": {
		"SELECT * FROM read_csv('/etc/passwd')",
		"SELECT * FROM read_csv_auto('/etc/passwd')",
		"SELECT * FROM READ_CSV('/etc/passwd')",
		`SELECT * FROM "read_csv"('/etc/passwd')`,
		`SELECT * FROM "READ_CSV"('/etc/passwd')`,
		"SELECT * FROM main.read_csv('/etc/passwd')",
		"SELECT * FROM system.main.read_csv('/etc/passwd')",
		"SELECT * FROM read_csv(['/etc/passwd', '/etc/group'])",
		"SELECT * FROM read_text('/etc/passwd')",
		"SELECT * FROM read_text('/etc/*')",
		"SELECT * FROM read_blob('/proc/self/environ')",
		"SELECT * FROM read_blob('/proc/self/fd/3')",
		"SELECT * FROM read_parquet('x.parquet')",
		"SELECT * FROM parquet_scan('x.parquet')",
		"SELECT * FROM parquet_metadata('x.parquet')",
		"SELECT * FROM parquet_schema('x.parquet')",
		"SELECT * FROM parquet_file_metadata('x.parquet')",
		"SELECT * FROM parquet_kv_metadata('x.parquet')",
		"SELECT * FROM parquet_bloom_probe('x.parquet', 'a', 1)",
		"SELECT * FROM parquet_full_metadata('x.parquet')",
		"SELECT * FROM read_json('x.json')",
		"SELECT * FROM read_json_auto('x.json')",
		"SELECT * FROM read_json_objects('x.json')",
		"SELECT * FROM read_json_objects_auto('x.json')",
		"SELECT * FROM read_ndjson('x.json')",
		"SELECT * FROM read_ndjson_auto('x.json')",
		"SELECT * FROM read_ndjson_objects('x.json')",
		"SELECT * FROM read_duckdb('warehouse_pro.duckdb')",
		"SELECT * FROM sniff_csv('/etc/passwd')",
		"SELECT * FROM glob('/etc/*')",
		"SELECT * FROM glob('**')",
		"SELECT * FROM sqlite_scan('x.db', 't')",
		"SELECT * FROM postgres_scan('host=x', 'public', 't')",
		"SELECT * FROM delta_scan('x')",
		"SELECT * FROM iceberg_scan('x')",
		"SELECT * FROM st_read('x.shp')",
		"SELECT * FROM read_xlsx('x.xlsx')",
		"SELECT * FROM arrow_scan(1, 2, 3)",
		"SELECT * FROM arrow_scan_dumb(1, 2, 3)",
		"SELECT (SELECT content FROM read_text('/etc/passwd'))",
		"WITH a AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM a",
		"WITH a AS MATERIALIZED (SELECT * FROM read_text('/etc/passwd')) SELECT 1",
		"SELECT * FROM grants WHERE funder_ein IN (SELECT content FROM read_text('/etc/passwd'))",
		"SELECT * FROM grants, LATERAL (SELECT * FROM read_text(recipient_raw))",
		"SELECT * FROM grants ORDER BY (SELECT count(*) FROM read_text('/etc/passwd'))",
		"SELECT 1 LIMIT (SELECT count(*) FROM read_text('/etc/passwd'))",
		"SELECT 1 UNION ALL SELECT content FROM read_text('/etc/passwd')",
		"SELECT EXISTS (FROM read_text('/etc/passwd'))",
		"SELECT list_transform([1], lambda x: (SELECT content FROM read_text('/etc/passwd')))",
		"SELECT CASE WHEN (SELECT true FROM read_text('/etc/passwd')) THEN 1 END",
		"SELECT sum(1) FILTER (WHERE EXISTS (SELECT 1 FROM read_text('/etc/passwd')))",
		"SELECT sum(1) OVER (ORDER BY (SELECT size FROM read_text('/etc/passwd')))",
		"SELECT 1 GROUP BY (SELECT size FROM read_text('/etc/passwd'))",
		"SELECT 1 HAVING (SELECT true FROM read_text('/etc/passwd'))",
		"SELECT 1 QUALIFY (SELECT true FROM read_text('/etc/passwd'))",
		"DESCRIBE SELECT * FROM read_csv('/etc/passwd')",
		"SELECT * FROM grants g JOIN read_text('/etc/passwd') r ON true",
		"SELECT * FROM (SELECT * FROM (SELECT * FROM read_text('/etc/passwd')))",
		"SELECT DISTINCT ON ((SELECT size FROM read_text('/etc/passwd'))) 1",
		"SELECT * REPLACE ((SELECT content FROM read_text('/etc/passwd')) AS ein) FROM pub78",
		"SELECT * FROM grants PIVOT (sum((SELECT size FROM read_text('/etc/passwd'))) FOR tax_year IN (2020))",
		"SELECT * FROM repeat_row(1, num_rows := 5)",
		"SELECT * FROM repeat('x', 5)",
		"SELECT * FROM seq_scan('grants')",
	},
	"read a file by its name": {
		"SELECT * FROM '/etc/passwd'",
		"SELECT * FROM 'x.csv'",
		"SELECT * FROM 'x.parquet'",
		"SELECT * FROM 'x.json'",
		`SELECT * FROM "x.csv"`,
		`SELECT * FROM "/etc/passwd"`,
		"SELECT * FROM 'https://example.org/x.csv'",
		"SELECT * FROM 's3://bucket/x.parquet'",
		"SELECT * FROM '*.csv'",
		"SELECT * FROM 'warehouse_pro.duckdb'",
		"SELECT * FROM '../warehouse_pro.duckdb'",
		"SELECT * FROM 'file:///etc/passwd'",
		"SELECT * FROM '/dev/stdin'",
		"SELECT * FROM '/dev/fd/3'",
		`SELECT * FROM "x.csv" AS grants`,
		"SELECT * FROM grants, 'x.csv'",
		`WITH "x.csv" AS (SELECT 1) SELECT * FROM "x.csv"`,
		"WITH a AS (SELECT * FROM 'x.csv') SELECT * FROM a",
		"DESCRIBE 'x.csv'",
		"SELECT (SELECT 1 FROM 'x.csv')",
		"SELECT * FROM 'grants.csv'",
		"SELECT * FROM 'tables/grants.parquet'",
	},
	"run text as SQL": {
		"SELECT * FROM query('SELECT 1')",
		"SELECT * FROM query('SELECT * FROM board_link')",
		"SELECT * FROM QUERY('SELECT 1')",
		"SELECT * FROM query_table('grants')",
		"SELECT * FROM query_table(['grants', 'board_link'])",
		"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
		"SELECT json_serialize_sql('SELECT 1')",
		"SELECT json_deserialize_sql('{}')",
		"SELECT json_serialize_plan('SELECT 1')",
		"SELECT * FROM sql_auto_complete('SEL')",
		"SELECT * FROM check_peg_parser('SELECT 1')",
		"SELECT * FROM enable_peg_parser()",
		"SELECT * FROM duckdb_table_sample('grants')",
		"SELECT * FROM pragma_table_info('grants')",
		"SELECT * FROM pragma_show('grants')",
		"SELECT * FROM histogram('grants', amount)",
		"SELECT * FROM histogram_values('grants', amount)",
		"SELECT getvariable('x')",
		"SELECT from_substrait('x')",
		"SELECT finalize(1)",
		"SELECT combine(1, 2)",
		"SELECT sum(amount) EXPORT_STATE FROM grants",
	},
	"look into the catalog": {
		"SELECT * FROM duckdb_databases()",
		"SELECT * FROM duckdb_databases",
		"SELECT path FROM duckdb_databases()",
		"SELECT * FROM duckdb_tables()",
		"SELECT * FROM duckdb_tables",
		"SELECT * FROM duckdb_views()",
		"SELECT * FROM duckdb_columns()",
		"SELECT * FROM duckdb_settings()",
		"SELECT * FROM duckdb_secrets()",
		"SELECT * FROM duckdb_functions()",
		"SELECT * FROM duckdb_extensions()",
		"SELECT * FROM duckdb_memory()",
		"SELECT * FROM duckdb_temporary_files()",
		"SELECT * FROM duckdb_logs()",
		"SELECT * FROM duckdb_logs",
		"SELECT * FROM duckdb_variables()",
		"SELECT * FROM duckdb_prepared_statements()",
		"SELECT * FROM duckdb_external_file_cache()",
		"SELECT * FROM duckdb_optimizers()",
		"SELECT * FROM duckdb_schemas()",
		"SELECT * FROM duckdb_types()",
		"SELECT * FROM duckdb_indexes()",
		"SELECT * FROM duckdb_constraints()",
		"SELECT * FROM duckdb_dependencies()",
		"SELECT * FROM duckdb_sequences()",
		"SELECT * FROM duckdb_keywords()",
		"SELECT * FROM pragma_database_list",
		"SELECT * FROM pragma_database_list()",
		"SELECT * FROM pragma_database_size()",
		"SELECT * FROM pragma_storage_info('grants')",
		"SELECT * FROM pragma_version()",
		"SELECT * FROM pragma_user_agent()",
		"SELECT * FROM pragma_platform()",
		"SELECT * FROM pragma_metadata_info()",
		"SELECT * FROM information_schema.tables",
		"SELECT * FROM information_schema.columns",
		"SELECT * FROM pg_catalog.pg_class",
		"SELECT * FROM pg_catalog.pg_settings",
		"SELECT * FROM pg_tables",
		"SELECT * FROM sqlite_master",
		"SELECT * FROM main.sqlite_master",
		"SELECT * FROM sqlite_schema",
		"SELECT * FROM temp.sqlite_temp_master",
		"SELECT * FROM find_org_columns",
		"SELECT * FROM which_secret('x', 's3')",
		"SELECT * FROM summary(1)",
		"SELECT * FROM test_all_types()",
		"SELECT * FROM test_vector_types(1)",
		"SELECT current_setting('memory_limit')",
		"SELECT current_setting('secret_directory')",
		"SELECT current_database()",
		"SELECT current_schema()",
		"SELECT current_schemas(true)",
		"SELECT current_query()",
		"SELECT version()",
		"SELECT in_search_path('a', 'b')",
		"SELECT txid_current()",
		"SELECT current_connection_id()",
		"SELECT get_block_size('warehouse')",
		"SELECT stats(amount) FROM grants",
		"SELECT vector_type(amount) FROM grants",
		"SELECT obj_description(1)",
		"SELECT pg_get_viewdef(1)",
		"SELECT has_table_privilege('grants', 'select')",
		"SELECT inet_server_addr()",
		"SELECT getenv('HOME')",
		"SELECT nextval('s')",
		"SELECT currval('s')",
		"SELECT write_log('x')",
		"SELECT parse_duckdb_log_message('x', 'y')",
		"WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings",
		"WITH a AS (WITH sqlite_master AS (SELECT 1) SELECT 1) SELECT * FROM sqlite_master",
		"WITH a AS (WITH inner_one AS (SELECT 1 AS x) SELECT * FROM inner_one) SELECT * FROM inner_one",
		"SELECT * FROM (WITH hidden AS (SELECT 1) SELECT * FROM hidden) t, hidden",
		"WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
		"WITH a AS (SELECT * FROM a) SELECT * FROM a",
	},
	"another catalog": {
		"SELECT * FROM warehouse.main.grants",
		"SELECT * FROM warehouse.grants",
		"SELECT * FROM warehouse_pro.main.board_link",
		"SELECT * FROM memory.main.grants",
		"SELECT * FROM system.main.duckdb_tables",
		"SELECT * FROM temp.grants",
		`SELECT * FROM "warehouse"."main"."grants"`,
		"SELECT * FROM nowhere.grants",
		"SELECT warehouse.main.find_org('x')",
		"SELECT system.main.abs(1)",
		"SELECT pg_catalog.abs(1)",
	},
	"change something": {
		"INSERT INTO grants VALUES (1)",
		"UPDATE grants SET amount = 0",
		"DELETE FROM grants",
		"TRUNCATE grants",
		"MERGE INTO grants USING orgs ON true WHEN MATCHED THEN DELETE",
		"CREATE TABLE t (a INT)",
		"CREATE TEMP TABLE t AS SELECT 1",
		"CREATE VIEW v AS SELECT 1",
		"CREATE MACRO m(a) AS a",
		"CREATE FUNCTION f(a) AS a",
		"CREATE SCHEMA s",
		"CREATE SEQUENCE s",
		"CREATE TYPE e AS ENUM ('a')",
		"CREATE SECRET s (TYPE s3)",
		"CREATE INDEX i ON grants (amount)",
		"DROP TABLE grants",
		"ALTER TABLE grants ADD COLUMN x INT",
		"COMMENT ON TABLE grants IS 'x'",
		"WITH a AS (INSERT INTO pub78 VALUES ('1', 'PC') RETURNING *) SELECT * FROM a",
		"WITH a AS (DELETE FROM pub78 RETURNING *) SELECT * FROM a",
		"WITH a AS (UPDATE pub78 SET ein = '' RETURNING *) SELECT * FROM a",
		"WITH a AS (SELECT 1) INSERT INTO pub78 SELECT '1', 'PC'",
		"WITH a AS (SELECT 1) DELETE FROM pub78",
		"WITH a AS (SELECT 1) UPDATE pub78 SET ein = ''",
		"SELECT * INTO t FROM grants",
		"SELECT * FROM (INSERT INTO pub78 VALUES ('1', 'PC') RETURNING *)",
		"SELECT setseed(0.5)",
	},
	"speak to the engine": {
		"ATTACH 'x.duckdb'",
		"ATTACH 'warehouse_pro.duckdb' AS p (READ_ONLY)",
		"DETACH warehouse",
		"USE warehouse_pro",
		"COPY grants TO '/tmp/x.csv'",
		"COPY (SELECT 1) TO '/tmp/x.csv'",
		"COPY grants FROM '/etc/passwd'",
		"COPY FROM DATABASE warehouse TO memory",
		"EXPORT DATABASE '/tmp/x'",
		"IMPORT DATABASE '/tmp/x'",
		"INSTALL httpfs",
		"LOAD httpfs",
		"LOAD '/tmp/x.duckdb_extension'",
		"FORCE INSTALL httpfs FROM 'http://example.org'",
		"PRAGMA database_list",
		"PRAGMA show_tables",
		"PRAGMA table_info('grants')",
		"PRAGMA enable_profiling",
		"PRAGMA memory_limit='100GB'",
		"SET memory_limit = '100GB'",
		"SET enable_external_access = true",
		"SET lock_configuration = false",
		"SET VARIABLE x = 1",
		"RESET memory_limit",
		"CALL pragma_version()",
		"CALL duckdb_settings()",
		"PREPARE p AS SELECT 1",
		"EXECUTE p",
		"DEALLOCATE p",
		"BEGIN",
		"COMMIT",
		"ROLLBACK",
		"CHECKPOINT",
		"FORCE CHECKPOINT",
		"VACUUM",
		"ANALYZE",
		"EXPLAIN SELECT 1",
		"EXPLAIN ANALYZE SELECT * FROM grants",
		"SHOW TABLES",
		"SHOW ALL TABLES",
		"SHOW DATABASES",
		"SUMMARIZE grants",
		"DESCRIBE",
		"DESCRIBE TABLES",
		"SELECT * FROM (SHOW TABLES)",
		"SELECT * FROM (SHOW ALL TABLES)",
		"SELECT * FROM (DESCRIBE grants)",
		"SELECT * FROM (SUMMARIZE grants)",
		"WITH a AS (SHOW DATABASES) SELECT * FROM a",
		"FROM grants",
		"FROM grants SELECT *",
		"TABLE grants",
		"VALUES (1)",
		"PIVOT grants ON tax_year USING sum(amount)",
		"UNPIVOT pub78 ON ein",
		"SELECT * FROM (PIVOT grants ON tax_year USING sum(amount))",
		"(SELECT 1)",
		"((SELECT 1))",
		"EXECUTE IMMEDIATE 'SELECT 1'",
		"DO $$ BEGIN END $$",
		"KILL 1",
		"LISTEN x",
		".open x",
		".shell ls",
		"\\copy grants to x",
	},
	"more than one statement": {
		"SELECT 1; SELECT 2",
		"SELECT 1;SELECT 2;",
		"SELECT 1; DROP TABLE grants",
		"SELECT 1; ATTACH 'x.duckdb'",
		"SELECT 1;;SELECT 2",
		"SELECT 1; -- x\nSELECT 2",
		"SELECT 1; /* x */ SELECT 2",
		"SELECT ';'; SELECT 2",
		"SELECT $$;$$; SELECT 2",
		"SELECT 1;\u00a0SELECT 2",
		"WITH a AS (SELECT 1) SELECT * FROM a; SELECT 2",
		"SELECT 1); SELECT (2",
		"SELECT 1) UNION SELECT (2",
		"SELECT 1 \n;\n SET memory_limit='1TB'",
		"DESCRIBE grants; SELECT 1",
	},
	"disguise": {
		"",
		"   ",
		";",
		"--",
		"-- SELECT 1",
		"/* SELECT 1 */",
		"/* SELECT 1",
		"/**/DROP TABLE grants",
		"/* SELECT */ INSERT INTO grants VALUES (1)",
		"-- SELECT\nDELETE FROM grants",
		"/*/**/*/DROP TABLE grants",
		"/* /* */ SELECT 1 */ DROP TABLE grants",
		"SELECTED 1",
		"SELECT\x00 1",
		"SELECT 1\x00; DROP TABLE grants",
		"\ufeffSELECT 1",
		"\u200bSELECT 1",
		"\u00a0DROP TABLE grants",
		"ＳＥＬＥＣＴ 1",
		"ſelect 1",
		"SELECT \xff",
		"SELECT * FROM grаnts", // a Cyrillic a
		"SELECT * FROM gr\u200bants",
		"SELECT * FROM \u202estnarg",
		`SELECT * FROM U&"\0067rants"`,
		"SELECT * FROM GRANTS",
		"SELECT * FROM Grants",
		`SELECT * FROM "GRANTS"`,
		"SELECT * FROM BOARD_LINK",
		"SELECT * FROM grants AT (VERSION => 1)",
		"SELECT * FROM grants AT (TIMESTAMP => now())",
		"SELECT 1 FROM",
		"SELECT * FROM grants WHERE",
		"SELECT (",
		"SELECT )",
		"SELECT '",
		"SELECT \"",
		"SELECT $$",
		"SELECT $a$ x $b$",
		"SELECT 1 /*",
		"WITH",
		"WITH a",
		"WITH RECURSIVE",
		"DESCRIBE nothing",
		"DESCRIBE duckdb_settings",
		"DESCRIBE information_schema.tables",
		"DESCRIBE read_csv('/etc/passwd')",
		"SELECT nosuchcolumn FROM grants",
		"SELECT nosuchfunction(1)",
		"SELECT * FROM nosuchtable",
		"SELECT amount::nosuchtype FROM grants",
		"SELECT ein COLLATE nosuch FROM pub78",
		"SELECT sleep_ms(60000)",
		"SELECT pg_sleep(60)",
		"SELECT sleep(60)",
		"SELECT load_extension('x')",
		"SELECT shell('ls')",
		"SELECT system('ls')",
		"SELECT http_get('http://example.org')",
		"SELECT * FROM http_get('http://example.org')",
		"SELECT icu_sort_key('a', 'b')",
		"SELECT __internal_decompress_string(1)",
		"SELECT create_sort_key(1, 'ASC')",
		"SELECT make_type('x')",
		"SELECT cast_to_type(1, 2)",
		"SELECT parse_path('/etc/passwd')",
		"SELECT * FROM json_each('[1]')",
		"SELECT * FROM unnest([1]), pg_timezone_names()",
		"SELECT * FROM icu_calendar_names()",
	},
}

// proTries reach for a Pro table in as many ways as there are.
var proTries = []string{
	"SELECT * FROM %s",
	"SELECT * FROM main.%s",
	`SELECT * FROM "%s"`,
	"SELECT count(*) FROM %s",
	"DESCRIBE %s",
	"DESCRIBE SELECT * FROM %s",
	"WITH a AS (SELECT * FROM %s) SELECT 1",
	"WITH a AS (WITH b AS (SELECT * FROM %s) SELECT * FROM b) SELECT * FROM a",
	"SELECT (SELECT count(*) FROM %s)",
	"SELECT 1 WHERE EXISTS (SELECT 1 FROM %s)",
	"SELECT * FROM grants, %s",
	"SELECT * FROM grants LEFT JOIN %s ON false",
	"SELECT 1 UNION ALL SELECT 2 FROM %s",
	"SELECT * FROM (SELECT * FROM (SELECT * FROM %s))",
	"SELECT * FROM grants ORDER BY (SELECT count(*) FROM %s)",
	"SELECT [(SELECT count(*) FROM %s)]",
	"SELECT list_transform([1], lambda x: (SELECT count(*) FROM %s))",
	"SELECT * FROM %s TABLESAMPLE 1%%",
	"SELECT * FROM range((SELECT count(*) FROM %s))",
	"WITH a AS (WITH %[1]s AS (SELECT 1) SELECT * FROM %[1]s) SELECT * FROM %[1]s",
	"SELECT /* x */ * FROM /* y */ %s -- z",
}

func TestRefused(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	n := 0
	for kind, list := range refused {
		n += len(list)
		for _, sql := range list {
			err := b.Check(t.Context(), Request{SQL: sql, Pro: true})
			if slug(err) != Rejected {
				t.Errorf("%s: %q: %v", kind, sql, err)
				continue
			}
			f, _ := fault.Of(err)
			if f.Message == "" || strings.Contains(f.Message, world(t).Dir) || strings.Contains(f.Message, ".duckdb") && !strings.Contains(sql, ".duckdb") {
				t.Errorf("%s: %q is refused with %q", kind, sql, f.Message)
			}
		}
	}
	for _, v := range warehouse.Views() {
		if !v.Pro {
			continue
		}
		for _, try := range proTries {
			n++
			sql := fmt.Sprintf(try, v.Name)
			err := b.Check(t.Context(), Request{SQL: sql})
			if slug(err) != ProTable || !strings.Contains(err.Error(), v.Name) {
				t.Errorf("%s on a lesser plan: %v", sql, err)
			}
			// The engine itself has no queries in lambdas.
			if err := b.Check(t.Context(), Request{SQL: sql, Pro: true}); err != nil && !strings.Contains(sql, "lambda") {
				t.Errorf("%s on the Pro plan: %v", sql, err)
			}
		}
	}
	for _, sql := range oversized() {
		n++
		start := time.Now()
		if err := b.Check(t.Context(), Request{SQL: sql}); slug(err) != Rejected {
			t.Errorf("%.60q…: %v", sql, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.60q… took %v to refuse", sql, took)
		}
	}
	if n < 300 {
		t.Errorf("the corpus has only %d statements", n)
	}
	t.Logf("%d statements refused", n)
	if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1"}); err != nil {
		t.Errorf("after all of it: %v", err)
	}
}

// oversized are statements that are too long or too deep.
func oversized() []string {
	rep := strings.Repeat
	return []string{
		"SELECT " + rep("1", 1<<20),
		"SELECT '" + rep("x", 1<<20) + "'",
		"SELECT 1" + rep(" ", 1<<20),
		"SELECT 1 --" + rep("x", 1<<20),
		"SELECT " + rep("(", 65) + "1" + rep(")", 65),
		"SELECT " + rep("(", 30000) + "1" + rep(")", 30000),
		"SELECT " + rep("(", 60000),
		"SELECT " + rep("[", 20000) + rep("]", 20000),
		"SELECT " + rep("{'a':", 10000) + "1" + rep("}", 10000),
		"SELECT * FROM " + rep("(SELECT * FROM ", 3000) + "grants" + rep(")", 3000),
		"SELECT " + rep("abs(", 10000) + "1" + rep(")", 10000),
		"SELECT " + rep("NOT ", 15000) + "true",
		"SELECT " + rep("- ", 30000) + "1",
		"SELECT " + rep("~ ", 30000) + "1",
		"SELECT 1" + rep("+1", 30000),
		"SELECT 1" + rep("::INT", 10000),
		"SELECT x" + rep("[1]", 20000),
		"SELECT " + rep("CASE WHEN true THEN ", 2000) + "1" + rep(" END", 2000),
		"WITH " + rep("a AS (WITH ", 3000) + "b AS (SELECT 1) SELECT 1" + rep(") SELECT 1", 3000),
		"SELECT a" + rep(".a", 30000),
		"SELECT NULL::" + rep("STRUCT(a ", 5000) + "INT" + rep(")", 5000),
		"SELECT NULL::INT" + rep("[]", 30000) + " FROM nowhere",
		"SELECT 1 " + rep("UNION SELECT 1 ", 4000) + "FROM nowhere",
		"SELECT * FROM nowhere " + rep("JOIN grants ON true ", 3000),
		"SELECT * FROM nowhere" + rep(", grants", 8000),
		"SELECT 1 WHERE nowhere" + rep(" OR true", 8000),
		rep("/*", 30000) + " SELECT 1",
	}
}

// heavy are statements that the gate lets pass and that try to use up the
// machine. Each must end in its time, one way or the other.
var heavy = []string{
	"SELECT count(*) FROM range(100000000000)",
	"SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
	"SELECT count(*) FROM grants a, grants b, grants c, grants d",
	"SELECT * FROM grants a, grants b, grants c ORDER BY a.amount * b.amount * c.amount",
	"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
	"WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT n + 1 FROM r) SELECT max(n) FROM r",
	"WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM r) SELECT max(length(s)) FROM r",
	"WITH RECURSIVE r AS (SELECT [1] AS l UNION ALL SELECT l || l FROM r) SELECT max(len(l)) FROM r",
	"SELECT repeat('x', 2000000000)",
	"SELECT length(repeat('x', 4000000000))",
	"SELECT length(repeat(repeat('x', 100000), 100000))",
	"SELECT max(length(repeat(recipient_raw, 1000000))) FROM grants",
	"SELECT lpad('x', 2000000000, 'y')",
	"SELECT rpad('x', 2000000000, 'y')",
	"SELECT string_agg(repeat('x', 100000), '') FROM range(100000)",
	"SELECT list(repeat('x', 1000)) FROM range(10000000)",
	"SELECT list(n) FROM range(1000000000) t(n)",
	"SELECT range(1000000000)",
	"SELECT generate_series(1, 10000000000)",
	"SELECT len(range(10000000000))",
	"SELECT list_transform(range(100000000), lambda x: range(1000))",
	"SELECT list_resize([1], 4000000000)",
	"SELECT unnest(range(1000000000)) AS n ORDER BY n DESC",
	"SELECT flatten(list_transform(range(100000), lambda x: range(100000)))",
	"SELECT count(DISTINCT a.range * 1000003 + b.range) FROM range(100000) a, range(100000) b",
	"SELECT a.range FROM range(100000) a, range(100000) b ORDER BY md5((a.range + b.range)::VARCHAR)",
	"SELECT row_number() OVER (ORDER BY random()) FROM range(100000000)",
	"SELECT sum(n) OVER (ORDER BY n ROWS BETWEEN 1000000 PRECEDING AND 1000000 FOLLOWING) FROM range(10000000) t(n)",
	"SELECT median(n) OVER (ORDER BY n ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) FROM range(1000000) t(n)",
	"SELECT regexp_replace(repeat('a', 10000000), '(a*)*b', '', 'g')",
	"SELECT count(*) FROM range(1000000) WHERE regexp_matches(repeat('a', 1000), '(a|aa|aaa)*(b|c|d)*$x')",
	"SELECT regexp_extract_all(repeat('ab', 10000000), '.')",
	"SELECT regexp_matches('x', '((a{1,100}){1,100}){1,100}')",
	"SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))",
	"SELECT damerau_levenshtein(repeat('a', 20000), repeat('b', 20000))",
	"SELECT jaccard(repeat('ab', 50000000), repeat('bc', 50000000))",
	"SELECT sha256(repeat('a', 1000000000))",
	"SELECT 9::HUGEINT ** 1000000, factorial(33), power(10, 308) * 10",
	"SELECT printf('%2000000000d', 1)",
	"SELECT format('{:>2000000000}', 'x')",
	"SELECT bar(1, 0, 1, 2000000000)",
	"SELECT json_array(range(10000000))::VARCHAR",
	"SELECT histogram(n) FROM range(100000000) t(n)",
	"SELECT count(*) FROM grants a JOIN grants b ON a.recipient_raw ILIKE '%' || b.recipient_raw || '%' JOIN grants c ON a.purpose_raw ILIKE b.purpose_raw",
	"SELECT find_org(recipient_raw || n::VARCHAR) FROM grants, range(1000) t(n)",
	"SELECT max(find_org(repeat('a', 1000000))) FROM range(100000)",
	"SELECT * FROM grants PIVOT (sum(amount) FOR tax_year IN (2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023))",
	"SELECT " + strings.Repeat("(SELECT count(*) FROM grants) + ", 300) + "1",
	"SELECT * FROM " + strings.Repeat("grants CROSS JOIN ", 12) + "grants",
	"SELECT 1 WHERE 1 IN (" + strings.Repeat("1,", 20000) + "1)",
	"SELECT 1 " + strings.Repeat("UNION ALL SELECT 1 ", 1000),
	"SELECT approx_quantile(n, " + "[" + strings.Repeat("0.5,", 5000) + "0.5]) FROM range(10000000) t(n)",
	"SELECT reservoir_quantile(n, 0.5, 100000000) FROM range(10000000) t(n)",
	"SELECT error(repeat('x', 10000000))",
	"SELECT string_split(repeat('a,', 100000000), ',')",
	"SELECT translate(repeat('a', 500000000), 'a', 'b')",
	"SELECT replace(repeat('a', 10000000), 'a', repeat('b', 1000))",
	"SELECT url_encode(repeat('/', 500000000))",
	"SELECT hex(repeat('a', 500000000))",
	"SELECT strftime(DATE '2020-01-01', repeat('%Y', 10000000))",
	"SELECT list_sort(list_transform(range(50000000), lambda x: hash(x)))",
	"SELECT map_from_entries(list_transform(range(10000000), lambda x: {'k': x, 'v': x}))",
	"SELECT list_distinct(range(100000000))",
	"SELECT list_aggregate(range(100000000), 'sum')",
	"SELECT list_reduce(range(100000000), lambda a, b: a + b)",
	"SELECT equi_width_bins(0, 1000000000, 100000000, true)",
}

func TestHeavy(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes most of a minute; run without -short")
	}
	const limit = 500 * time.Millisecond
	b := box(t, Options{Workers: 2, Threads: 2, Timeout: limit, Memory: 128 << 20, Wait: time.Minute, Queue: 1000})
	var wg sync.WaitGroup
	list := make(chan string)
	for range 2 {
		wg.Go(func() {
			for sql := range list {
				start := time.Now()
				_, err := b.Query(t.Context(), Request{SQL: sql})
				took := time.Since(start)
				switch s := slug(err); s {
				case "", Rejected, TimedOut, OutOfMemory, TooLarge, Failed:
					t.Logf("%7s %-14s %.70s", took.Round(time.Millisecond), s, sql)
				default:
					t.Errorf("%.80s: %v", sql, err)
				}
				// The machine is shared: starting a worker can take its time.
				if took > limit+10*time.Second {
					t.Errorf("%.80s took %v", sql, took)
				}
				if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1"}); err != nil {
					t.Errorf("after %.80s: %v", sql, err)
				}
			}
		})
	}
	for _, sql := range heavy {
		list <- sql
	}
	close(list)
	wg.Wait()
}

// TestWithoutGate gives a worker what the gate would refuse: what the gate
// misses must fail all the same.
func TestWithoutGate(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Timeout: 5 * time.Second})
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("word\nxyzzy\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pro, open := filepath.Join(world(t).Dir, warehouse.ProFile), filepath.Join(world(t).Dir, warehouse.OpenFile)
	for _, sql := range []string{
		"SELECT * FROM read_csv('" + secret + "')",
		"SELECT * FROM read_text('" + secret + "')",
		"SELECT * FROM read_blob('" + secret + "')",
		"SELECT * FROM '" + secret + "'",
		"SELECT * FROM sniff_csv('" + secret + "')",
		"SELECT * FROM glob('" + filepath.Dir(secret) + "/*')",
		"SELECT * FROM read_blob('" + open + "')",
		"SELECT * FROM read_blob('" + pro + "')",
		"SELECT * FROM read_blob('/proc/self/fd/5')",
		"SELECT * FROM read_text('/proc/self/environ')",
		"SELECT * FROM read_text('/proc/self/maps')",
		"SELECT * FROM read_duckdb('" + pro + "', table_name='board_link')",
		"SELECT * FROM board_link",
		"SELECT * FROM warehouse_pro.main.board_link",
		"SELECT * FROM query('SELECT * FROM board_link')",
		"SELECT * FROM query_table('board_link')",
		"SELECT 1); ATTACH '" + pro + "' AS p; SELECT * FROM (SELECT * FROM p.main.board_link",
		"SELECT 1); COPY (SELECT 1) TO '" + secret + "'; SELECT * FROM (SELECT 1",
		"SELECT 1); SET lock_configuration = false; SELECT * FROM (SELECT 1",
		"SELECT 1); SET enable_external_access = true; SELECT * FROM (SELECT 1",
		"SELECT 1); SET memory_limit = '100GB'; SELECT * FROM (SELECT 1",
		"SELECT 1); INSERT INTO pub78 VALUES ('1', 'PC'); SELECT * FROM (SELECT 1",
		"SELECT 1); DROP TABLE grants; SELECT * FROM (SELECT 1",
		"SELECT 1); INSTALL httpfs; SELECT * FROM (SELECT 1",
		"SELECT 1); LOAD '/tmp/x.duckdb_extension'; SELECT * FROM (SELECT 1",
		"SELECT 1); EXPORT DATABASE '" + filepath.Dir(secret) + "/out'; SELECT * FROM (SELECT 1",
		"SELECT * FROM 'http://127.0.0.1:9/x.csv'",
	} {
		r, err := b.Run(t.Context(), Request{SQL: sql})
		if err == nil {
			t.Errorf("%s gave %.200s", sql, rows(r))
		} else if f, ok := fault.Of(err); !ok || strings.Contains(f.Message, world(t).Dir) && !strings.Contains(sql, world(t).Dir) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	body, err := os.ReadFile(secret)
	if err != nil || string(body) != "word\nxyzzy\n" {
		t.Errorf("the file was changed: %q %v", body, err)
	}
	if _, err := os.Stat(filepath.Dir(secret) + "/out"); err == nil {
		t.Error("something was exported")
	}
	for _, sql := range []string{"SELECT path FROM duckdb_databases()", "SELECT * FROM duckdb_settings()"} {
		// These are harmless without the gate, and show that it is needed.
		if _, err := b.Run(t.Context(), Request{SQL: sql}); err != nil {
			t.Logf("%s: %v", sql, err)
		}
	}
	if _, err := b.Query(t.Context(), Request{SQL: "SELECT count(*) FROM grants"}); err != nil {
		t.Errorf("after all of it: %v", err)
	}
}
