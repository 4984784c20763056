package oracle

import (
	"context"
	"fmt"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
)

// Coded is DuckDB over integer-coded tables, with the grants sorted both ways.
// Beside the codes that conditions are on, the tables hold every field of an
// answer, so that a page is read without a join.
type Coded struct {
	*codebook
	db *database
}

// OpenCoded loads a snapshot into a DuckDB file that is gone after Close.
func OpenCoded(ctx context.Context, s *snapshot.Snapshot) (*Coded, error) {
	db, err := openDuck(ctx)
	if err != nil {
		return nil, err
	}
	c := &Coded{db: db}
	err = db.loadTables(ctx, s)
	if err == nil {
		err = db.run(ctx, codedSQL...)
	}
	if err == nil {
		err = db.run(ctx,
			"CREATE TABLE by_funder AS "+wideSQL+" ORDER BY g.funder, g.recipient, g.year, g.amount, g.rank",
			"CREATE TABLE by_recipient AS SELECT * FROM by_funder ORDER BY recipient, funder, year, amount, rank")
	}
	if err == nil {
		c.codebook, err = readCodebook(ctx, db.DB, s)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("loading the snapshot into coded DuckDB tables: %w", err)
	}
	c.contains = func(table, words string, _ []string) string {
		return "SELECT id FROM " + table + " WHERE contains(words, '" + words + "')"
	}
	c.wide = true
	return c, nil
}

// Name is how the engine is called in tables.
func (*Coded) Name() string { return "coded DuckDB" }

// Close removes the database.
func (c *Coded) Close() error { return c.db.Close() }

// codedSQL makes the view coded of the staged tables: every condition is on a
// number. The rank of a row is that of its key.
var codedSQL = []string{
	dimension("filed", "state"), dimension("filed", "zip"), dimension("filed", "county"), dimension("filed", "country"),
	dimension("recipient", "ntee"), dimension("recipient", "inferred"), dimension("funder", "kind"),
	"CREATE TABLE rule (id INTEGER, value VARCHAR)", rulesSQL(),
	"CREATE TABLE filing AS SELECT row_number() OVER (ORDER BY filing, object_id, return_type, period_end) - 1 id, * FROM (SELECT DISTINCT filing, " +
		"object_id, return_type, period_end FROM filed)",
	`CREATE VIEW coded AS SELECT f.grant_key AS key, (row_number() OVER (ORDER BY f.grant_key))::INTEGER AS rank, u.id::INTEGER AS funder, r.id::INTEGER AS recipient,
		(f.recipient_ein <> '') AS linked, w.id::INTEGER AS raw, c.id::INTEGER AS city, s.id::SMALLINT AS state, z.id::INTEGER AS zip, n.id::INTEGER AS county,
		o.id::SMALLINT AS country, f.amount, f.tax_year::SMALLINT AS year, p.id::INTEGER AS purpose, l.id::SMALLINT AS rule, f.match_prob AS prob,
		f.source_tier = 'matched' AS matched, (f.is_daf::INT + 2 * f.is_individual::INT + 4 * f.is_related_party::INT + 8 * f.is_unidentified::INT
			+ CASE f.ein_conflict WHEN 'name' THEN 32 WHEN 'group' THEN 64 ELSE 0 END)::SMALLINT AS class,
		f.support::INTEGER AS support, t.id::SMALLINT AS ntee, i.id::SMALLINT AS inferred, k.id::SMALLINT AS kind, x.id::INTEGER AS filing
	FROM filed f JOIN funder u ON u.ein = f.funder_ein JOIN recipient r ON r.recip_id = f.recip_id
		JOIN filed_text w ON w.value = f.recipient_raw JOIN filed_text p ON p.value = f.purpose JOIN filed_city c ON c.value = f.city
		JOIN state s ON s.value = f.state JOIN zip z ON z.value = f.zip JOIN county n ON n.value = f.county JOIN country o ON o.value = f.country
		JOIN rule l ON l.value = f.ein_source JOIN ntee t ON t.value = r.ntee JOIN inferred i ON i.value = r.inferred JOIN kind k ON k.value = u.kind
		JOIN filing x ON x.filing = f.filing AND x.object_id = f.object_id AND x.return_type = f.return_type AND x.period_end = f.period_end`,
}

// dimension numbers the values of a column in their order.
func dimension(table, column string) string {
	return fmt.Sprintf("CREATE TABLE %s AS SELECT row_number() OVER (ORDER BY value) - 1 id, value FROM (SELECT DISTINCT %[1]s AS value FROM %s)", column, table)
}

// resultColumns are the fields of a row of transactions, each with where it
// is found by the joins of resultJoins.
var resultColumns = [...]struct{ name, from string }{
	{"key", "g.key"}, {"funder_ein", "f.ein"}, {"funder_name", "f.name"}, {"funder_city", "f.city"}, {"funder_state", "f.state"}, {"funder_kind", "f.kind"},
	{"recip_id", "r.recip_id"}, {"recip_ein", "r.ein"}, {"recip_name", "r.name"}, {"recip_city", "r.city"}, {"recip_state", "r.state"},
	{"recip_zip", "r.zip"}, {"recip_country", "r.country"}, {"recip_classes", "r.classes"}, {"raw_text", "w.value"}, {"city_text", "c.value"},
	{"state_text", "s.value"},
	{"zip_text", "z.value"}, {"country_text", "o.value"}, {"amount", "g.amount"}, {"year", "g.year"}, {"ntee_text", "r.ntee"},
	{"inferred_text", "r.inferred"}, {"support", "g.support"},
	{"purpose_text", "p.value"}, {"object_id", "x.object_id"}, {"filing_text", "x.filing"}, {"return_type", "x.return_type"}, {"period_end", "x.period_end"},
	{"rule", "g.rule"}, {"prob", "g.prob"}, {"matched", "g.matched"}, {"class", "g.class"},
}

const resultJoins = ` JOIN funder f ON f.id = g.funder JOIN recipient r ON r.id = g.recipient JOIN filed_text w ON w.id = g.raw
	JOIN filed_text p ON p.id = g.purpose JOIN filed_city c ON c.id = g.city JOIN state s ON s.id = g.state
	JOIN zip z ON z.id = g.zip JOIN country o ON o.id = g.country JOIN filing x ON x.id = g.filing`

// resultFields lists the fields of a row, in a wide table or by joins.
func resultFields(wide bool) string {
	list := make([]string, len(resultColumns))
	for i, c := range resultColumns {
		if list[i] = c.from; wide {
			list[i] = "g." + c.name
		}
	}
	return strings.Join(list, ", ")
}

// wideSQL puts the fields of an answer beside the codes.
var wideSQL = func() string {
	list := []string{"g.*"}
	for _, c := range resultColumns {
		if !strings.HasPrefix(c.from, "g.") {
			list = append(list, c.from+" AS "+c.name)
		}
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM coded g" + resultJoins
}()

// rulesSQL numbers the rules as package grant does.
func rulesSQL() string {
	rows := []string{"(0, '')"}
	for _, r := range grant.Rules() {
		rows = append(rows, fmt.Sprintf("(%d, '%s')", r, r))
	}
	return "INSERT INTO rule VALUES " + strings.Join(rows, ", ")
}
