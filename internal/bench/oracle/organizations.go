package oracle

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Organizations is DuckDB over the organizations as the snapshot has them, with what their latest filings and
// the compliance lists say beside each: what somebody would load who wants to filter them. It is the
// definition of what each filter of package directory means.
type Organizations struct{ *database }

// OpenOrganizations loads a snapshot and an edition of the lists, which may be nil,
// into a DuckDB file that is gone after Close.
func OpenOrganizations(ctx context.Context, s *snapshot.Snapshot, e *lists.Edition) (*Organizations, error) {
	db, err := openDuck(ctx)
	if err != nil {
		return nil, err
	}
	if err := db.run(ctx, organizationSQL(s, e)); err != nil {
		db.Close()
		return nil, fmt.Errorf("loading the organizations into DuckDB: %w", err)
	}
	return &Organizations{db}, nil
}

//go:embed organizations.sql
var organizationsSQL string

// standingRevocations selects from a list the revocations that stand.
const standingRevocations = `(SELECT ein FROM (
	SELECT ein, revocation_date, reinstatement_date, max(coalesce(reinstatement_date, '')) OVER (PARTITION BY ein) latest FROM %s)
	WHERE reinstatement_date IS NULL AND revocation_date > latest)`

func organizationSQL(s *snapshot.Snapshot, e *lists.Edition) string {
	listed := func(list, table, which string) string {
		if e == nil || !e.Status(list).Loaded {
			return "NULL::BOOLEAN"
		}
		return "o.ein IN (SELECT ein FROM " + fmt.Sprintf(which, parquet(e.Path(table))) + ")"
	}
	return strings.NewReplacer("{organizations}", parquet(s.Path(snapshot.Organizations)), "{filings}", parquet(s.Path(snapshot.Orgs)),
		"{funders}", parquet(s.Path(snapshot.FunderKinds)), "{in_bmf}", listed(lists.BMF, lists.Masters, "%s"),
		"{pub78}", listed(lists.Pub78, lists.Deductibles, "%s"),
		"{revoked}", listed(lists.Revocation, lists.Revocations, standingRevocations)).Replace(organizationsSQL)
}

// List are the organizations that a filter asks for: a page of them in an order, and how many there are.
func (o *Organizations) List(ctx context.Context, f *directory.Filter, s directory.Sort, offset, limit int) (list []directory.Row, hits int, err error) {
	w := organizationCondition(f)
	if err := o.QueryRowContext(ctx, "SELECT count(*) FROM organization WHERE "+w.String(), w.args...).Scan(&hits); err != nil {
		return nil, 0, err
	}
	if offset >= hits {
		return nil, hits, nil
	}
	column := map[directory.Order]string{
		directory.ByName: "sort_name", directory.ByRevenue: "revenue", directory.ByAssets: "assets", directory.ByExpenses: "expenses",
		directory.ByGrantsPaid: "grants_paid",
	}[s.By]
	if s.Asc {
		column += " ASC NULLS LAST"
	} else {
		column += " DESC NULLS LAST"
	}
	list, err = collect(ctx, o.DB, scanOrganization, `SELECT ein, name, coalesce(city, ''), coalesce(state, ''), coalesce(zip5, ''),
			coalesce(county, ''), coalesce(ntee, ''), coalesce(subsection, ''), coalesce(foundation, ''),
			CASE WHEN group_number <> '' THEN right('0000' || group_number, greatest(4, length(group_number))) ELSE '' END,
			coalesce(ruling_year, 0), coalesce(funder_kind, ''), coalesce(return_type, ''), coalesce(tax_year, 0), accepts,
			revenue, expenses, assets, grants_paid, in_bmf, pub78, revoked
		FROM organization WHERE `+w.String()+` ORDER BY `+column+`, ein LIMIT ? OFFSET ?`, append(w.args, limit, offset)...)
	return list, hits, err
}

func scanOrganization(rows *sql.Rows) (r directory.Row, err error) {
	var id string
	err = rows.Scan(&id, &r.Name, &r.City, &r.State, &r.ZIP, &r.County, &r.NTEE, &r.Subsection, &r.Foundation, &r.Group,
		&r.RulingYear, &r.FunderKind, &r.ReturnType, &r.FiscalYear, &r.Accepts, &r.Revenue, &r.Expenses, &r.Assets, &r.GrantsPaid, &r.InBMF, &r.Pub78, &r.OnRevoked)
	r.EIN, r.FoundationType = einOf(id), foundationTypes[r.Foundation]
	return r, err
}

// foundationTypes are the types that the codes of the master file stand for.
var foundationTypes = map[string]string{
	"02": "POF", "03": "POF", "04": "PF", "10": "PC", "11": "PC", "12": "PC", "13": "PC", "14": "PC", "15": "PC", "16": "PC", "18": "PC", "25": "PC",
	"17": "SO", "21": "SO", "22": "SO", "23": "SO", "24": "SO",
}

func organizationCondition(f *directory.Filter) *where {
	w := new(where)
	for _, c := range []struct {
		column string
		values []string
	}{{"state", f.States}, {"county", f.Counties}, {"return_type", f.ReturnTypes}, {"subsection", f.Subsections},
		{"foundation", f.FoundationCodes}, {"group_number", f.Groups}, {"accepts", f.Accepts}} {
		if len(c.values) > 0 {
			w.in(c.column, c.values)
		}
	}
	anyOf := func(n int, condition func(i int, one *where)) {
		alternatives := make([]where, n)
		for i := range alternatives {
			condition(i, &alternatives[i])
		}
		if n > 0 {
			w.or(alternatives)
		}
	}
	anyOf(len(f.Cities), func(i int, one *where) {
		one.and("city_key = ?", f.Cities[i].Name)
		if state := f.Cities[i].State; state != "" {
			one.and("state = ?", state)
		}
	})
	anyOf(len(f.ZIPs), func(i int, one *where) { one.and("left(zip5, ?) = ?", len(f.ZIPs[i]), f.ZIPs[i]) })
	for _, subject := range f.Causes {
		anyOf(len(subject.Items), func(i int, one *where) { one.under("ntee", &subject.Items[i]) })
	}
	for _, r := range []struct {
		column string
		of     directory.Range
	}{{"revenue", f.Revenue}, {"assets", f.Assets}, {"expenses", f.Expenses}, {"grants_paid", f.GrantsPaid}, {"ruling_year", f.RulingYear}} {
		if r.of.Min != nil {
			w.and(r.column+" >= ?", *r.of.Min)
		}
		if r.of.Max != nil {
			w.and(r.column+" <= ?", *r.of.Max)
		}
	}
	for _, s := range []struct {
		column string
		is     *bool
	}{{"pub78", f.Pub78}, {"revoked", f.Revoked}, {"in_bmf", f.InBMF}} {
		if s.is != nil {
			w.and(s.column+" = ?", *s.is)
		}
	}
	return w
}

// where is a condition on organizations with its parameters.
type where struct {
	parts []string
	args  []any
}

func (w *where) and(sql string, args ...any) {
	w.parts = append(w.parts, sql)
	w.args = append(w.args, args...)
}

func (w *where) under(code string, it *ntee.Item) {
	if it.Kind == ntee.Prefix {
		w.and("starts_with("+code+", ?)", string(it.Prefix))
		return
	}
	var letters []string
	for i := range 26 {
		if it.Majors>>i&1 != 0 {
			letters = append(letters, string(rune('A'+i)))
		}
	}
	w.in("left("+code+", 1)", letters)
}

func (w *where) in(expr string, values []string) {
	args := each.Of(values, func(v string) any { return v })
	w.and(expr+" IN ("+strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")+")", args...)
}

// or is true if one of the conditions is, and false without conditions.
func (w *where) or(alternatives []where) {
	parts := make([]string, len(alternatives))
	var args []any
	for i := range alternatives {
		parts[i] = "(" + alternatives[i].String() + ")"
		args = append(args, alternatives[i].args...)
	}
	w.and("("+strings.Join(parts, " OR ")+")", args...)
}

func (w *where) String() string {
	if len(w.parts) == 0 {
		return "TRUE"
	}
	return strings.Join(w.parts, " AND ")
}
