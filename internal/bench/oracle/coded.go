package oracle

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// duck is DuckDB over a file that is gone after Close.
type duck struct {
	*codebook
	db   *database
	name string
}

func (d *duck) Name() string { return d.name }
func (d *duck) Close() error { return d.db.Close() }

func OpenPlain(ctx context.Context, s *snapshot.Snapshot) (Engine, error) {
	return open(ctx, s, "plain DuckDB", &codebook{plain: true}, append(statements(plainTables), rulesSQL()))
}

// OpenCoded is DuckDB over integer-coded tables, with the grants sorted both ways. Beside the codes that conditions are on,
// the tables hold every field of an answer, so that a page is read without a join.
func OpenCoded(ctx context.Context, s *snapshot.Snapshot) (Engine, error) {
	contains := func(table, words string, _ []string) string {
		return "SELECT id FROM " + table + " WHERE contains(words, '" + words + "')"
	}
	return open(ctx, s, "coded DuckDB", &codebook{wide: true, contains: contains}, slices.Concat(codedSQL, []string{
		"CREATE TABLE by_funder AS " + wideSQL + " ORDER BY g.funder, g.recipient, g.year, g.amount, g.rank",
		"CREATE TABLE by_recipient AS SELECT * FROM by_funder ORDER BY recipient, funder, year, amount, rank",
	}))
}

func open(ctx context.Context, s *snapshot.Snapshot, name string, b *codebook, tables []string) (Engine, error) {
	db, err := openDuck(ctx, slices.Concat(staged(s), tables)...)
	if err != nil {
		return nil, err
	}
	if err := b.read(ctx, db.DB, s); err != nil {
		db.Close()
		return nil, err
	}
	return &duck{b, db, name}, nil
}

//go:embed plain.sql
var plainTables string

//go:embed coded.sql
var codedTables string

var codedSQL = append([]string{
	dimension("filed", "state"), dimension("filed", "zip"), dimension("filed", "county"), dimension("filed", "country"),
	dimension("recipient", "ntee"), dimension("recipient", "inferred"), dimension("funder", "kind"),
	"CREATE TABLE rule (id INTEGER, value VARCHAR)", rulesSQL(),
}, statements(codedTables)...)

// statements are those of a file of SQL, each of which ends with a semicolon at the end of a line.
func statements(file string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(file), ";"), ";\n")
}

// dimension numbers the values of a column in their order.
func dimension(table, column string) string {
	return fmt.Sprintf("CREATE TABLE %s AS SELECT row_number() OVER (ORDER BY value) - 1 id, value FROM (SELECT DISTINCT %[1]s AS value FROM %s)", column, table)
}

//go:embed result_columns.tsv
var resultColumnList string

// resultColumns are the fields of a row of transactions, each with where it is found by resultJoins and by plainJoins.
var resultColumns = table.Read("result_columns.tsv", resultColumnList, "name", "from", "plain")

const (
	resultJoins = ` JOIN funder f ON f.id = g.funder JOIN recipient r ON r.id = g.recipient JOIN filed_text w ON w.id = g.raw
	JOIN filed_text p ON p.id = g.purpose JOIN filed_city c ON c.id = g.city JOIN state s ON s.id = g.state
	JOIN zip z ON z.id = g.zip JOIN country o ON o.id = g.country JOIN filing x ON x.id = g.filing`
	plainJoins = ` JOIN funder f ON f.ein = g.funder JOIN recipient r ON r.recip_id = g.recipient JOIN rule l ON l.value = g.rule`
)

// resultFields lists the fields of a row by a column of resultColumns, or in a wide table.
func resultFields(column string) string {
	return strings.Join(each.Of(resultColumns, func(c table.Row) string {
		if column == "" {
			return "g." + c.Text("name")
		}
		return c.Text(column)
	}), ", ")
}

// wideSQL puts the fields of an answer beside the codes.
var wideSQL = func() string {
	list := []string{"g.*"}
	for _, c := range resultColumns {
		if from := c.Text("from"); !strings.HasPrefix(from, "g.") {
			list = append(list, from+" AS "+c.Text("name"))
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
