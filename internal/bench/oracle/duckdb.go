package oracle

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
)

// database is a DuckDB file in a folder of its own, which Close removes.
type database struct {
	*sql.DB
	dir string
}

// openDuck makes an empty database with the functions that loading needs.
func openDuck(ctx context.Context) (*database, error) {
	dir, err := os.MkdirTemp("", "grantgraph-oracle-")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("duckdb", filepath.Join(dir, "oracle.duckdb"))
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	d := &database{db, dir}
	if err := d.prepare(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *database) prepare(ctx context.Context) error {
	conn, err := d.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// By default each database would take four fifths of the memory; two of them, and
	// others beside them, have to fit.
	if _, err := conn.ExecContext(ctx, "SET memory_limit = '7GB'"); err != nil {
		return err
	}
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return err
	}
	for _, f := range []textFunc{{"words", words, text}, {"city_key", orgname.City, text}, {"zip_at", zipAt, text}} {
		if err := duckdb.RegisterScalarUDF(conn, f.name, &f); err != nil {
			return fmt.Errorf("registering %s: %w", f.name, err)
		}
	}
	return nil
}

// zipAt is the point of a ZIP code, latitude and longitude, or nothing.
func zipAt(zip string) string {
	p, ok := place.Shipped().Point(zip)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(p.Lat, 'g', -1, 64) + " " + strconv.FormatFloat(p.Lon, 'g', -1, 64)
}

func (d *database) Close() error {
	err := d.DB.Close()
	if rerr := os.RemoveAll(d.dir); err == nil {
		err = rerr
	}
	return err
}

// run executes statements one after the other.
func (d *database) run(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := d.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in %s", err, strings.TrimSpace(s))
		}
	}
	return nil
}

// parquet reads a Parquet file in SQL.
func parquet(path string) string { return "read_parquet(" + quote(path) + ")" }

// textFunc makes a Go function of text a function of SQL.
type textFunc struct {
	name string
	call func(string) string
	text duckdb.TypeInfo
}

func (f *textFunc) Config() duckdb.ScalarFuncConfig {
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{f.text}, ResultTypeInfo: f.text}
}

func (f *textFunc) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(args []driver.Value) (any, error) {
		return f.call(args[0].(string)), nil
	}}
}

// loadTables reads the tables of a snapshot: funder and recipient, one row each
// with what is known of them, filed_text and filed_city with what conditions
// on texts and cities compare, and the view filed over the grants. Missing
// texts are empty.
func (d *database) loadTables(ctx context.Context, s *snapshot.Snapshot) error {
	parquet := func(table string) string { return parquet(s.Path(table)) }
	causes := "(SELECT '' AS ein, '' AS letter)" // a snapshot need not have any
	if s.HasTable(snapshot.InferredCauses) {
		causes = parquet(snapshot.InferredCauses)
	}
	return d.run(ctx,
		`CREATE VIEW filed AS SELECT grant_key, funder_ein, recip_id, coalesce(recipient_ein, '') recipient_ein,
			upper(recipient_raw) capitals, coalesce(recipient_filed, recipient_raw) recipient_raw,
			coalesce(recipient_city, '') city, coalesce(recipient_state, '') state, coalesce(recipient_zip, '') zip,
			coalesce(recipient_county, '') county, coalesce(recipient_country, '') country, amount, tax_year,
			coalesce(purpose, '') purpose, coalesce(ein_source, '') ein_source, coalesce(match_prob, 0) match_prob, source_tier,
			is_individual, is_daf, is_related_party, is_unidentified, support, filing, coalesce(object_id, '') object_id, return_type, period_end,
			coalesce(ein_conflict, '') ein_conflict FROM `+parquet(snapshot.Grants),
		`CREATE TABLE funder AS SELECT row_number() OVER (ORDER BY funder_ein) id, funder_ein ein, name, coalesce(city, '') city,
			coalesce(state, '') state, coalesce(zip5, '') zip, coalesce(county, '') county, city_key(coalesce(city, '')) city_key,
			funder_kind kind FROM `+parquet(snapshot.FunderKinds),
		`CREATE TABLE filed_text AS SELECT row_number() OVER (ORDER BY value) id, value, words(value) words FROM
			(SELECT DISTINCT recipient_raw AS value FROM filed UNION SELECT DISTINCT purpose FROM filed)`,
		`CREATE TABLE filed_city AS SELECT row_number() OVER (ORDER BY value) id, value, city_key(value) city_key FROM
			(SELECT DISTINCT city AS value FROM filed)`,
		`CREATE TABLE zip_point AS SELECT zip, split_part(spot, ' ', 1)::DOUBLE lat, split_part(spot, ' ', 2)::DOUBLE lon FROM
			(SELECT zip, zip_at(zip) AS spot FROM (SELECT DISTINCT zip FROM filed UNION SELECT DISTINCT zip FROM funder)) WHERE spot <> ''`,
		recipientSQL(parquet(snapshot.Organizations), causes),
	)
}

// recipientSQL makes the table of recipients. A recipient in the universe has the
// name and place that the universe has. Any other recipient has those that most of its
// lines have, or the first in order if several are as frequent.
func recipientSQL(organizations, causes string) string {
	return `CREATE TABLE recipient AS
		WITH line AS (
			SELECT recip_id, any_value(recipient_ein) ein, (2 * bool_or(is_individual)::INT + 8 * bool_or(is_unidentified)::INT) classes FROM filed GROUP BY recip_id
		), called AS (
			SELECT recip_id, capitals AS name FROM (SELECT recip_id, capitals, count(*) n FROM filed GROUP BY ALL)
			QUALIFY row_number() OVER (PARTITION BY recip_id ORDER BY n DESC, capitals) = 1
		), placed AS (
			SELECT recip_id, city, state, zip, country FROM (SELECT recip_id, city, state, zip, country, count(*) n FROM filed GROUP BY ALL)
			QUALIFY row_number() OVER (PARTITION BY recip_id ORDER BY n DESC, city, state, zip, country) = 1
		), named AS (
			SELECT l.recip_id, l.ein, l.classes, coalesce(o.name, c.name) AS name,
				CASE WHEN o.ein IS NULL THEN p.city ELSE coalesce(o.city, '') END city,
				CASE WHEN o.ein IS NULL THEN p.state ELSE coalesce(o.state, '') END state,
				CASE WHEN o.ein IS NULL THEN p.zip ELSE coalesce(o.zip5, '') END zip,
				CASE WHEN o.ein IS NULL THEN p.country ELSE '' END country,
				CASE WHEN regexp_full_match(trim(o.ntee_cd), '[A-Za-z][A-Za-z0-9]{2,3}') THEN upper(trim(o.ntee_cd)) ELSE '' END ntee,
				i.letter
			FROM line l JOIN called c USING (recip_id) JOIN placed p USING (recip_id)
			LEFT JOIN ` + organizations + ` o ON o.ein = nullif(l.ein, '') LEFT JOIN ` + causes + ` i ON i.ein = nullif(l.ein, '')
		)
		SELECT row_number() OVER (ORDER BY recip_id) id, * EXCLUDE (letter), CASE WHEN ntee = '' THEN coalesce(letter, '') ELSE '' END inferred,
			words(name) AS words FROM named`
}
