package oracle

import (
	"context"
	"database/sql"
	"slices"

	"grantgraph/internal/serve/graph"
)

// scanSummary reads totals by year; the row of year 0 is the whole.
func scanSummary(ctx context.Context, db *sql.DB, partial []int, query string, args ...any) (graph.Totals, []graph.YearTotals, error) {
	rows, err := db.QueryContext(ctx, query, args...)
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
