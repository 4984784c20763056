package oracle

import (
	"context"
	"database/sql"

	"grantgraph/internal/serve/graph"
)

// The columns of the table of each side, called f, in the order in which
// scanFunder and scanRecipient read them.
const (
	funderColumns    = "f.ein, f.name, f.city, f.state, f.kind"
	recipientColumns = "f.recip_id, f.ein, f.name, f.city, f.state, f.zip, f.country, f.classes"
)

// totalsQuery asks for a page of totals. Each row begins with the number of all
// rows; count asks for that number alone, for a page that has no rows.
type totalsQuery struct {
	list, count string
	args        []any
}

func scanTotals[T any](ctx context.Context, db *sql.DB, q totalsQuery, scan func(rows *sql.Rows, hits *int64) (T, error)) ([]T, int64, error) {
	var hits int64
	list, err := collect(ctx, db, func(rows *sql.Rows) (T, error) { return scan(rows, &hits) }, q.list, q.args...)
	if err != nil || len(list) > 0 {
		return list, hits, err
	}
	err = db.QueryRowContext(ctx, q.count, q.args...).Scan(&hits)
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
