package oracle

import (
	"context"
	"database/sql"
	"fmt"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// Plain is DuckDB over the grants as the snapshot has them: texts, in no order.
type Plain struct {
	*database
	partial []int
}

// OpenPlain loads a snapshot into a DuckDB file that is gone after Close.
func OpenPlain(ctx context.Context, s *snapshot.Snapshot) (*Plain, error) {
	db, err := openDuck(ctx)
	if err != nil {
		return nil, err
	}
	err = db.loadTables(ctx, s)
	if err == nil {
		err = db.run(ctx, `CREATE TABLE grants AS SELECT f.*, c.city_key, p.words purpose_words, w.words raw_words
			FROM filed f JOIN filed_city c ON c.value = f.city JOIN filed_text p ON p.value = f.purpose
			JOIN filed_text w ON w.value = f.recipient_raw ORDER BY hash(grant_key)`)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("loading the snapshot into DuckDB: %w", err)
	}
	return &Plain{database: db, partial: s.Manifest.Counts.PartialFiscalYear}, nil
}

func (*Plain) Name() string { return "plain DuckDB" }

// direction completes an order.
func direction(s graph.Sort) string {
	if s.Asc {
		return " ASC"
	}
	return " DESC"
}

func (p *Plain) Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.Grant, int64, error) {
	w := condition(f)
	var hits int64
	if err := p.QueryRowContext(ctx, "SELECT count(*) FROM grants g WHERE "+w.String(), w.args...).Scan(&hits); err != nil {
		return nil, 0, err
	}
	if int64(page.Offset) >= hits {
		return []graph.Grant{}, hits, nil
	}
	column, from := "g.amount", "grants g"
	switch s.By {
	case graph.ByYear:
		column = "g.tax_year"
	case graph.ByFunderName:
		column, from = "f.name", "grants g JOIN funder f ON f.ein = g.funder_ein"
	case graph.ByFunderState:
		column, from = "f.state", "grants g JOIN funder f ON f.ein = g.funder_ein"
	case graph.ByRecipName:
		column, from = "r.name", "grants g JOIN recipient r ON r.recip_id = g.recip_id"
	case graph.ByRecipState:
		column = "g.state"
	}
	rows, err := p.QueryContext(ctx, `WITH page AS MATERIALIZED (
			SELECT g.*, `+column+` AS sorted FROM `+from+` WHERE `+w.String()+`
			ORDER BY `+column+direction(s)+`, g.amount DESC, g.grant_key LIMIT ? OFFSET ?)
		SELECT g.grant_key, f.ein, f.name, f.city, f.state, f.kind, r.recip_id, r.ein, r.name, r.city, r.state, r.zip, r.country, r.classes,
			g.recipient_raw, g.city, g.state, g.zip, g.country, g.amount, g.tax_year, r.ntee, r.inferred, g.support, g.purpose,
			g.object_id, g.filing, g.return_type, g.period_end, g.ein_source, g.match_prob, g.source_tier,
			g.is_daf, g.is_individual, g.is_related_party, g.is_unidentified, g.ein_conflict
		FROM page g JOIN funder f ON f.ein = g.funder_ein JOIN recipient r ON r.recip_id = g.recip_id
		ORDER BY sorted`+direction(s)+`, g.amount DESC, g.grant_key`, append(w.args, page.Limit, page.Offset)...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	list := []graph.Grant{}
	for rows.Next() {
		g := graph.Grant{Funder: new(graph.Funder), Recipient: new(graph.Recipient)}
		var funder, recipient, code, inferred, source, tier, conflict string
		var support int64
		var daf, individual, related, nobody bool
		if err := rows.Scan(&g.Key, &funder, &g.Funder.Name, &g.Funder.City, &g.Funder.State, &g.Funder.Kind,
			&g.Recipient.ID, &recipient, &g.Recipient.Name, &g.Recipient.City, &g.Recipient.State, &g.Recipient.ZIP, &g.Recipient.Country, &g.Recipient.Classes,
			&g.NameFiled, &g.City, &g.State, &g.ZIP, &g.Country, &g.Amount, &g.FiscalYear, &code, &inferred, &support, &g.Purpose,
			&g.ObjectID, &g.Filing, &g.ReturnType, &g.PeriodEnd, &source, &g.Prob, &tier, &daf, &individual, &related, &nobody, &conflict); err != nil {
			return nil, 0, err
		}
		g.Funder.EIN, g.Recipient.EIN, g.NTEE, g.Inferred = einOf(funder), einOf(recipient), ntee.Code(code), letterOf(inferred)
		g.Support, g.Matched = grant.Support(support), tier == grant.Matched
		g.Rule, _ = grant.ParseRule(source)
		g.Conflict, _ = grant.ParseConflict(conflict)
		for i, is := range [...]bool{daf, individual, related, nobody} {
			if is {
				g.Classes |= classColumns[i].class
			}
		}
		list = append(list, g)
	}
	return list, hits, rows.Err()
}

// letterOf returns the letter of a column, or 0 if the column is empty.
func letterOf(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// einOf reads an EIN of a table, which is empty or nine digits.
func einOf(s string) ein.EIN {
	e, _ := ein.Parse(s)
	return e
}

func (p *Plain) Funders(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.FunderTotal, int64, error) {
	return scanTotals(ctx, p.DB, plainTotals(f, s, page, "funder", "funder_ein", "ein", "recip_id", funderColumns), scanFunder)
}

func (p *Plain) Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.RecipientTotal, int64, error) {
	return scanTotals(ctx, p.DB, plainTotals(f, s, page, "recipient", "recip_id", "recip_id", "funder_ein", recipientColumns), scanRecipient)
}

// plainTotals groups the matching rows by the column key of grants, which is called
// id in the table of that side. other is the column of the other side.
func plainTotals(f *graph.Filter, s graph.Sort, page graph.Page, side, key, id, other, columns string) totalsQuery {
	w := condition(f)
	list := fmt.Sprintf(`WITH t AS (
			SELECT %[1]s, sum(amount)::BIGINT AS total, count(*) AS grants, count(DISTINCT %[2]s) AS others, min(tax_year) AS low, max(tax_year) AS high
			FROM grants g WHERE %[3]s GROUP BY %[1]s)
		SELECT count(*) OVER (), %[4]s, total, grants, others, low, high FROM t JOIN %[5]s f ON f.%[6]s = t.%[1]s
		ORDER BY %[11]s%[7]s%[8]s, total DESC, f.%[6]s LIMIT %[9]d OFFSET %[10]d`,
		key, other, w.String(), columns, side, id, aggregateColumn(s, "f"), direction(s), page.Limit, page.Offset, lastly(s, side))
	return totalsQuery{list: list, count: "SELECT count(DISTINCT " + key + ") FROM grants g WHERE " + w.String(), args: w.args}
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

// Summary is the sum of the matching rows, as a whole and by fiscal year.
func (p *Plain) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	w := condition(f)
	return scanSummary(ctx, p.DB, p.partial, `SELECT coalesce(tax_year, 0), coalesce(sum(amount), 0)::BIGINT,
		count(*), count(DISTINCT funder_ein), count(DISTINCT recip_id)
		FROM grants g WHERE `+w.String()+` GROUP BY GROUPING SETS ((), (tax_year)) ORDER BY 1`, w.args...)
}

// Excluded is what each class would take away from the rows that match the filter without any exclusion.
func (p *Plain) Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error) {
	all := *f
	all.Exclude = 0
	w := condition(&all)
	return scanExcluded(ctx, p.DB, f.Exclude, func(class int) string {
		return "SELECT count(*), coalesce(sum(amount), 0)::BIGINT FROM grants g WHERE g." + classColumns[class].column + " AND " + w.String()
	}, w.args...)
}

func scanExcluded(ctx context.Context, db *sql.DB, exclude graph.Class, query func(class int) string, args ...any) (map[graph.Class]graph.Cost, error) {
	costs := map[graph.Class]graph.Cost{}
	for i, c := range classColumns {
		if exclude&c.class == 0 {
			continue
		}
		var cost graph.Cost
		if err := db.QueryRowContext(ctx, query(i), args...).Scan(&cost.Grants, &cost.Amount); err != nil {
			return nil, err
		}
		costs[c.class] = cost
	}
	return costs, nil
}
