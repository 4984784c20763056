package oracle

import (
	"context"
	"fmt"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
)

func (b *codebook) Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.Grant, int64, error) {
	table, c := b.table(f, false), b.clause(f, false)
	var hits int64
	// Two statements are faster than one, unless the condition is expensive.
	once := b.wide && c.with != ""
	if !once {
		if err := b.db.QueryRowContext(ctx, c.alone()+"SELECT count(*) FROM "+table+" g WHERE "+c.where).Scan(&hits); err != nil {
			return nil, 0, err
		}
		if int64(page.Offset) >= hits {
			return []graph.Grant{}, hits, nil
		}
	}
	// For few rows, PostgreSQL would still walk all grants in the order asked for; a fence makes it find the rows first.
	fenced := !b.wide && !b.plain && b.holds == nil && hits < fewRows
	rows, err := b.db.QueryContext(ctx, b.pageSQL(table, &c, s, page, once, fenced))
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	list := []graph.Grant{}
	for rows.Next() {
		g := graph.Grant{Funder: new(graph.Funder), Recipient: new(graph.Recipient)}
		var funder, recipient, inferred string
		var n int64
		var class uint8 // with the conflicts of the row above its classes
		if err := rows.Scan(&n, &g.Key, &funder, &g.Funder.Name, &g.Funder.City, &g.Funder.State, &g.Funder.Kind,
			&g.Recipient.ID, &recipient, &g.Recipient.Name, &g.Recipient.City, &g.Recipient.State, &g.Recipient.ZIP, &g.Recipient.Country, &g.Recipient.Classes,
			&g.NameFiled, &g.City, &g.State, &g.ZIP, &g.Country, &g.Amount, &g.FiscalYear, &g.NTEE, &inferred, &g.Support, &g.Purpose,
			&g.ObjectID, &g.Filing, &g.ReturnType, &g.PeriodEnd, &g.Part, &g.Lines, &g.Rule, &g.Prob, &g.Matched, &class); err != nil {
			return nil, 0, err
		}
		g.Funder.EIN, g.Recipient.EIN, g.Inferred = einOf(funder), einOf(recipient), letterOf(inferred)
		g.Classes, g.Conflict = graph.Class(class&15), grant.Conflict(class>>5&3)
		g.Outvoted = class&128 != 0
		hits = max(hits, n)
		list = append(list, g)
	}
	if err := rows.Err(); err != nil || len(list) > 0 || !once {
		return list, hits, err
	}
	err = b.db.QueryRowContext(ctx, c.alone()+"SELECT count(*) FROM "+table+" g WHERE "+c.where).Scan(&hits)
	return list, hits, err
}

// fewRows is the number of rows below which sorting is faster than walking an index.
const fewRows = 10_000

// pageSQL reads a page of rows. Each row begins with the number of all rows if the statement counts them, else with 0.
func (b *codebook) pageSQL(table string, c *clause, s graph.Sort, page graph.Page, counted, fenced bool) string {
	column, from := "g.amount", table+" g"
	join := func(side, by string) {
		column, from = "o."+by, from+" JOIN "+b.named(side)+" o ON o."+b.id(side)+" = g."+side
	}
	switch s.By {
	case graph.ByYear:
		column = "g.year"
	case graph.ByFunderName:
		join("funder", "name")
	case graph.ByFunderState:
		join("funder", "state")
	case graph.ByRecipName:
		join("recipient", "name")
	case graph.ByRecipState:
		column = "g.state" // codes are in the order of the texts
	}
	rank, fields, joins := "rank", resultFields("from"), resultJoins
	switch {
	case b.plain:
		rank, fields, joins = "key", resultFields("plain"), plainJoins
	case b.holds != nil:
		fields, joins = resultFields("clickhouse"), ""
	}
	order := fmt.Sprintf("%s, g.amount DESC, g.%s", direction(s), rank)
	cut := fmt.Sprintf("LIMIT %d OFFSET %d", page.Limit, page.Offset)
	switch {
	case counted:
		return "WITH " + c.with + "m AS MATERIALIZED (SELECT g.rowid AS id, g.amount, g.rank, " + column + " AS sorted FROM " + from + " WHERE " + c.where + "), " +
			"page AS MATERIALIZED (SELECT *, (SELECT count(*) FROM m) AS hits FROM m g ORDER BY g.sorted" + order + " " + cut + ") " +
			"SELECT p.hits, " + resultFields("") + " FROM page p JOIN " + table + " g ON g.rowid = p.id ORDER BY p.sorted" + order
	case b.wide:
		return c.alone() + "SELECT 0, " + resultFields("") + " FROM " + from + " WHERE " + c.where + " ORDER BY " + column + order + " " + cut
	}
	found := "SELECT g.*, " + column + " AS sorted FROM " + from + " WHERE " + c.where
	if fenced {
		found = "SELECT * FROM (" + found + " OFFSET 0) g ORDER BY g.sorted" + order + " " + cut
	} else {
		found += " ORDER BY " + column + order + " " + cut
	}
	return "WITH " + b.page() + found + ") SELECT 0, " + fields + " FROM page g" + joins + " ORDER BY g.sorted" + order
}

// page begins the table with the rows of a page. It is read once: ClickHouse then reads only the columns that are asked of it.
func (b *codebook) page() string {
	if b.holds != nil {
		return "page AS ("
	}
	return "page AS MATERIALIZED ("
}

func (b *codebook) Funders(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.FunderTotal, int64, error) {
	return scanTotals(ctx, b.db, b.totals(f, s, page, "funder", "recipient", funderColumns), scanFunder)
}

func (b *codebook) Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.RecipientTotal, int64, error) {
	return scanTotals(ctx, b.db, b.totals(f, s, page, "recipient", "funder", recipientColumns), scanRecipient)
}

// totals groups the matching rows by one side of the graph. Ids are in the
// order of EINs and identities, so ties are broken by them.
func (b *codebook) totals(f *graph.Filter, s graph.Sort, page graph.Page, side, other, columns string) totalsQuery {
	recipients := side == "recipient"
	table, c := b.table(f, recipients), b.clause(f, recipients)
	column, from := aggregateColumn(s, "f"), "t"
	last, again := lastly(s, side), ""
	if last != "" {
		again = "nameless, "
	}
	if last != "" || strings.HasPrefix(column, "f.") {
		from = "t JOIN " + b.named(side) + " f ON f." + b.id(side) + " = t.id"
	}
	list := "WITH " + c.with + fmt.Sprintf(`t AS (
			SELECT %s AS id, sum(amount)::BIGINT AS total, count(*) AS grants, count(DISTINCT %s) AS others, min(year) AS low, max(year) AS high
			FROM %s g WHERE %s GROUP BY %[1]s), %[16]s
			SELECT t.*, %[11]s %[5]s AS sorted, count(*) OVER () AS hits FROM %[6]s ORDER BY %[12]s %[5]s %[7]s, total DESC, t.id LIMIT %[8]d OFFSET %[9]d)
		SELECT hits, %[10]s, total, grants, others, low, high FROM page t JOIN %[15]s f ON f.%[14]s = t.id ORDER BY %[13]s sorted %[7]s, total DESC, t.id`,
		side, other, table, c.where, column, from, direction(s), page.Limit, page.Offset, columns,
		strings.Replace(last, ",", " AS nameless,", 1), last, again, b.id(side), b.named(side), b.page())
	return totalsQuery{list: list, count: c.alone() + "SELECT count(DISTINCT " + side + ") FROM " + table + " g WHERE " + c.where}
}

// Summary is the sum of the matching rows, as a whole and by fiscal year.
func (b *codebook) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	c := b.clause(f, false)
	return scanSummary(ctx, b.db, b.partial, c.alone()+`SELECT coalesce(year, 0), coalesce(sum(amount), 0)::BIGINT,
		count(*), count(DISTINCT funder), count(DISTINCT recipient)
		FROM `+b.table(f, false)+` g WHERE `+c.where+` GROUP BY ROLLUP (year) ORDER BY 1`)
}

// Excluded is what each class takes away from the rows that match the filter without any exclusion.
func (b *codebook) Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error) {
	all := *f
	all.Exclude = 0
	where := b.clause(&all, false)
	costs := map[graph.Class]graph.Cost{}
	for class := graph.Class(1); class <= f.Exclude; class <<= 1 {
		if f.Exclude&class == 0 {
			continue
		}
		var cost graph.Cost
		err := b.db.QueryRowContext(ctx, where.alone()+fmt.Sprintf("SELECT count(*), coalesce(sum(amount), 0)::BIGINT FROM %s g WHERE %s <> 0 AND %s",
			b.table(f, false), b.masked("g.class", class), where.where)).Scan(&cost.Grants, &cost.Amount)
		if err != nil {
			return nil, err
		}
		costs[class] = cost
	}
	return costs, nil
}

func direction(s graph.Sort) string {
	if s.Asc {
		return " ASC"
	}
	return " DESC"
}

func letterOf(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

func einOf(s string) ein.EIN {
	e, _ := ein.Parse(s)
	return e
}

// lastly puts recipients that are no organization last, in an order by a figure.
func lastly(s graph.Sort, side string) string {
	if side != "recipient" || s.Mixed || s.By != graph.ByAmount && s.By != graph.ByCount {
		return ""
	}
	return "(f.ein = '' AND f.classes <> 0), "
}

// aggregateColumn is what an order of totals sorts by, where of is the table of names.
func aggregateColumn(s graph.Sort, of string) string {
	switch s.By {
	case graph.ByCount:
		return "grants"
	case graph.ByFunderName, graph.ByRecipName:
		return of + ".name"
	case graph.ByFunderState, graph.ByRecipState:
		return of + ".state"
	}
	return "total"
}
