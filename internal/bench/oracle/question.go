// Package oracle puts the questions of package graph to SQL engines. It is the reference that the graph is held against, row by
// row, and the competition that it is timed against. It is for tests and `measure bench` only.
//
// There are four engines. Plain is DuckDB over the tables as the snapshot has them: texts, in no order; it is kept simple and not
// fast. Coded is DuckDB over sorted, integer-coded tables, and Postgres and ClickHouse the same tables with indexes and
// projections: what somebody would build who knows those engines. What each filter means is said once for all of them, in
// codebook, as conditions on texts or on their codes.
//
// Nothing here shares code with the graph but the types of a question and its answer. Words, stems and
// recipient identities are stated a second time, so that a mistake in one statement shows as a difference.
package oracle

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"grantgraph/internal/serve/graph"
)

// Engine answers the questions of package graph. Answers are equal to the graph's in every field and in their order.
type Engine interface {
	Name() string
	Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64, error)
	Funders(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error)
	Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error)
	Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error)
	Groups(ctx context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error)
	Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error)
	Close() error
}

type Topic uint8

// The topics, in the order of the methods of Engine.
const (
	Transactions Topic = iota
	Funders
	Recipients
	Summary
	Excluded
	Groups
)

func (t Topic) String() string {
	return [...]string{"transactions", "funders", "recipients", "summary", "excluded", "groups"}[t]
}

type Question struct {
	Topic  Topic
	Filter graph.Filter
	Sort   graph.Sort // of the lists
	Page   graph.Page // of the lists; of groups the limit
	By     graph.Grouping
}

// Result is what an engine said; the fields of other topics are empty.
type Result struct {
	Grants     []graph.Grant
	Funders    []graph.FunderTotal
	Recipients []graph.RecipientTotal
	Hits       int64
	Totals     graph.Totals
	Years      []graph.YearTotals
	Excluded   map[graph.Class]graph.Cost
	Groups     graph.Grouped
}

func (q *Question) Ask(ctx context.Context, e Engine) (a Result, err error) {
	f := q.Filter
	switch q.Topic {
	case Transactions:
		a.Grants, a.Hits, err = e.Transactions(ctx, &f, q.Sort, q.Page)
	case Funders:
		a.Funders, a.Hits, err = e.Funders(ctx, &f, q.Sort, q.Page)
	case Recipients:
		a.Recipients, a.Hits, err = e.Recipients(ctx, &f, q.Sort, q.Page)
	case Summary:
		a.Totals, a.Years, err = e.Summary(ctx, &f)
	case Excluded:
		a.Excluded, err = e.Excluded(ctx, &f)
	case Groups:
		a.Groups, err = e.Groups(ctx, &f, q.By, q.Page.Limit)
	}
	return a, err
}

// String writes a question so that it can be read and typed again.
func (q *Question) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", q.Topic, describe(reflect.ValueOf(q.Filter)))
	if q.Topic <= Recipients {
		fmt.Fprintf(&b, " sort %+v page %+v", q.Sort, q.Page)
	}
	if q.Topic == Groups {
		fmt.Fprintf(&b, " by %s top %d", q.By, q.Page.Limit)
	}
	return b.String()
}

func describe(v reflect.Value) string {
	var parts []string
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		parts = append(parts, fmt.Sprintf("%s:%+v", v.Type().Field(i).Name, f.Interface()))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// Difference says in one line where two results differ, or nothing when they are the same.
func (a *Result) Difference(b *Result) string {
	switch {
	case a.Hits != b.Hits:
		return fmt.Sprintf("%d hits against %d", a.Hits, b.Hits)
	case a.Totals != b.Totals:
		return fmt.Sprintf("totals %+v against %+v", a.Totals, b.Totals)
	case !reflect.DeepEqual(a.Excluded, b.Excluded) && len(a.Excluded)+len(b.Excluded) > 0:
		return fmt.Sprintf("excluded %v against %v", a.Excluded, b.Excluded)
	case a.Groups.Count != b.Groups.Count:
		return fmt.Sprintf("%d groups against %d", a.Groups.Count, b.Groups.Count)
	case !reflect.DeepEqual(a.Groups.Rest, b.Groups.Rest) || !reflect.DeepEqual(a.Groups.None, b.Groups.None):
		return fmt.Sprintf("a rest of %+v and none of %+v against %+v and %+v", a.Groups.Rest, a.Groups.None, b.Groups.Rest, b.Groups.None)
	}
	return cmp.Or(differ(a.Grants, b.Grants), differ(a.Funders, b.Funders), differ(a.Recipients, b.Recipients),
		differ(a.Years, b.Years), differ(a.Groups.Groups, b.Groups.Groups))
}

func differ[T any](a, b []T) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d rows against %d", len(a), len(b))
	}
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) {
			return fmt.Sprintf("row %d is\n    %s against\n    %s", i, show(a[i]), show(b[i]))
		}
	}
	return ""
}

// show follows the pointers of a grant.
func show(v any) string {
	if g, ok := v.(graph.Grant); ok {
		f, r := g.Funder, g.Recipient
		g.Funder, g.Recipient = nil, nil
		return fmt.Sprintf("%+v %+v %+v", g, f, r)
	}
	return fmt.Sprintf("%+v", v)
}
