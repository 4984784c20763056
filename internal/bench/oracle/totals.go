package oracle

import (
	"context"
	"database/sql"
	"slices"

	"grantgraph/internal/serve/graph"
)

// The columns of the table of each side, called f, in the order in which scanFunder and scanRecipient read them.
const (
	funderColumns    = "f.ein, f.name, f.city, f.state, f.kind"
	recipientColumns = "f.recip_id, f.ein, f.name, f.city, f.state, f.zip, f.country, f.classes"
)

// totalsQuery asks for a page of totals. Each row begins with the number of all
// rows; count asks for that number alone, for a page that has no rows.
type totalsQuery struct{ list, count string }

func scanTotals[T any](ctx context.Context, db *sql.DB, q totalsQuery, scan func(rows *sql.Rows, hits *int64) (T, error)) ([]T, int64, error) {
	var hits int64
	list, err := collect(ctx, db, func(rows *sql.Rows) (T, error) { return scan(rows, &hits) }, q.list)
	if err != nil || len(list) > 0 {
		return list, hits, err
	}
	err = db.QueryRowContext(ctx, q.count).Scan(&hits)
	return list, hits, err
}

func scanFunder(rows *sql.Rows, hits *int64) (t graph.FunderTotal, err error) {
	var id string
	err = rows.Scan(hits, &id, &t.Name, &t.City, &t.State, &t.Kind, &t.Total, &t.Grants, &t.Recipients, &t.FirstYear, &t.LastYear)
	t.EIN = einOf(id)
	return t, err
}

func scanRecipient(rows *sql.Rows, hits *int64) (t graph.RecipientTotal, err error) {
	var id string
	err = rows.Scan(hits, &t.ID, &id, &t.Name, &t.City, &t.State, &t.ZIP, &t.Country, &t.Classes,
		&t.Total, &t.Grants, &t.Funders, &t.FirstYear, &t.LastYear)
	t.EIN = einOf(id)
	return t, err
}

// scanSummary reads totals by year; the row of year 0 is the whole.
func scanSummary(ctx context.Context, db *sql.DB, partial []int, query string) (graph.Totals, []graph.YearTotals, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return graph.Totals{}, nil, err
	}
	defer rows.Close()
	var whole graph.Totals
	list := []graph.YearTotals{}
	for rows.Next() {
		var y graph.YearTotals
		if err := rows.Scan(&y.FiscalYear, &y.Amount, &y.Grants, &y.Funders, &y.Recipients); err != nil {
			return graph.Totals{}, nil, err
		}
		if y.FiscalYear == 0 {
			whole = y.Totals
			continue
		}
		y.Partial = slices.Contains(partial, y.FiscalYear)
		list = append(list, y)
	}
	return whole, list, rows.Err()
}
