package oracle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"grantgraph/internal/snapshot"
)

// Postgres is PostgreSQL over the coded tables, with an index for every kind
// of condition and texts indexed by their words.
type Postgres struct {
	*codebook
	pool *pgxpool.Pool
}

// OpenPostgres loads a snapshot into an empty database whose collation is C.
func OpenPostgres(ctx context.Context, s *snapshot.Snapshot, dsn string) (*Postgres, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, err
	}
	p := &Postgres{pool: pool}
	if err := p.load(ctx, s); err != nil {
		pool.Close()
		return nil, fmt.Errorf("loading the snapshot into PostgreSQL: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	if p.codebook, err = readCodebook(ctx, db, s); err != nil {
		db.Close()
		pool.Close()
		return nil, err
	}
	p.contains = func(table, words string, stems []string) string {
		where := "lexemes @@ '" + strings.Join(stems, " & ") + "'::tsquery"
		if len(stems) > 1 {
			where += " AND words LIKE '%" + words + "%'"
		}
		return "SELECT id FROM " + table + " WHERE " + where
	}
	return p, nil
}

// Name is how the engine is called in tables.
func (*Postgres) Name() string { return "PostgreSQL" }

// Close ends the connections; the tables stay.
func (p *Postgres) Close() error {
	var err error
	if p.codebook != nil {
		err = p.codebook.db.Close()
	}
	p.pool.Close()
	return err
}

// postgresTables are the coded tables in PostgreSQL's terms, in the order of
// their columns in DuckDB.
var postgresTables = []struct{ name, columns, from string }{
	{"state", "id int PRIMARY KEY, value text", "state"},
	{"zip", "id int PRIMARY KEY, value text", "zip"},
	{"county", "id int PRIMARY KEY, value text", "county"},
	{"country", "id int PRIMARY KEY, value text", "country"},
	{"ntee", "id int PRIMARY KEY, value text", "ntee"},
	{"inferred", "id int PRIMARY KEY, value text", "inferred"},
	{"kind", "id int PRIMARY KEY, value text", "kind"},
	{"rule", "id int PRIMARY KEY, value text", "rule"},
	{"filed_city", "id int PRIMARY KEY, value text, city_key text", "filed_city"},
	{"filing", "id int PRIMARY KEY, filing text, object_id text, return_type text, period_end text", "filing"},
	{"funder", "id int PRIMARY KEY, ein text, name text, city text, state text, zip text, county text, city_key text, kind text",
		"(SELECT id, ein, name, city, state, zip, county, city_key, kind FROM funder ORDER BY id)"},
	{"filed_text", "id int PRIMARY KEY, value text, words text, " + lexemes, "filed_text"},
	{"recipient", "id int PRIMARY KEY, recip_id text, ein text, name text, city text, state text, zip text, country text, classes int, ntee text, inferred " +
		"text, words text, " + lexemes,
		"(SELECT id, recip_id, ein, name, city, state, zip, country, classes, ntee, inferred, words FROM recipient ORDER BY id)"},
	{"coded", `key text, rank int, funder int, recipient int, linked bool, raw int, city int, state smallint, zip int, county int, country smallint,
		amount bigint, year smallint, purpose int, rule smallint, prob double precision, matched bool, class smallint, support int,
		ntee smallint, inferred smallint, kind smallint, filing int`, "(SELECT * FROM coded ORDER BY funder, recipient, year, amount, rank)"},
}

const lexemes = "lexemes tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(btrim(words, ' '), ' '))) STORED"

var postgresIndexes = []string{
	"CREATE INDEX ON filed_text USING gin (lexemes) WITH (fastupdate = off)",
	"CREATE INDEX ON recipient USING gin (lexemes) WITH (fastupdate = off)",
	"CREATE INDEX ON coded (funder, recipient) INCLUDE (amount, year)",
	"CREATE INDEX ON coded (recipient, funder) INCLUDE (amount, year)",
	"CREATE INDEX ON coded (funder, amount DESC, rank)",
	"CREATE INDEX ON coded (recipient, amount DESC, rank)",
	"CREATE INDEX ON coded (amount DESC, rank)",
	"CREATE INDEX ON coded (state, year, amount DESC, rank)",
	"CREATE INDEX ON coded (ntee, year, amount DESC, rank)",
	"CREATE INDEX ON coded (purpose)",
	"CREATE INDEX ON coded (raw)",
	"CREATE INDEX ON coded (zip)",
	"CREATE INDEX ON coded (county)",
	"CREATE INDEX ON coded (city, state)",
	"CREATE INDEX ON coded (country)",
	"CREATE INDEX ON funder (state)",
	"VACUUM ANALYZE",
}

// load carries the coded tables over as CSV, which both engines write and
// read at speed.
func (p *Postgres) load(ctx context.Context, s *snapshot.Snapshot) error {
	db, err := openDuck(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.loadTables(ctx, s); err != nil {
		return err
	}
	if err := db.run(ctx, codedSQL...); err != nil {
		return err
	}
	for _, t := range postgresTables {
		if _, err := p.pool.Exec(ctx, "CREATE TABLE "+t.name+" ("+t.columns+")"); err != nil {
			return err
		}
		path := filepath.Join(db.dir, t.name+".csv")
		if err := db.run(ctx, "COPY (FROM "+t.from+") TO '"+strings.ReplaceAll(path, "'", "''")+"' (FORMAT csv, HEADER false)"); err != nil {
			return err
		}
		if err := p.copy(ctx, t.name, path); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	for _, statement := range postgresIndexes {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// copy reads a file into a table.
func (p *Postgres) copy(ctx context.Context, table, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := p.pool.Query(ctx, "SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND "+
		"attgenerated = ''", table)
	if err != nil {
		return err
	}
	var columns string
	for rows.Next() {
		if err := rows.Scan(&columns); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	_, err = conn.Conn().PgConn().CopyFrom(ctx, f, `COPY `+table+` (`+columns+`) FROM STDIN (FORMAT csv, NULL '\N')`)
	return err
}

// copyOrganizations fills the table that names are looked up in.
func (p *Postgres) copyOrganizations(ctx context.Context, s *snapshot.Snapshot) error {
	db, err := openDuck(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	path := filepath.Join(db.dir, "organization.csv")
	from := strings.ReplaceAll(s.Path(snapshot.Organizations), "'", "''")
	if err := db.run(ctx, "COPY (SELECT ein, name FROM read_parquet('"+from+"')) TO '"+strings.ReplaceAll(path, "'",
		"''")+"' (FORMAT csv, HEADER false)"); err != nil {
		return err
	}
	return p.copy(ctx, "organization", path)
}
