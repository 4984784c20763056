package oracle

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"slices"
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
	db, err := openDuck(ctx, organizationSQL(s, e))
	if err != nil {
		return nil, err
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
	where := organizationCondition(f)
	if err := o.QueryRowContext(ctx, "SELECT count(*) FROM organization WHERE "+where).Scan(&hits); err != nil {
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
		FROM organization WHERE `+where+` ORDER BY `+column+`, ein LIMIT ? OFFSET ?`, limit, offset)
	return list, hits, err
}

func scanOrganization(rows *sql.Rows) (r directory.Row, err error) {
	var id string
	err = rows.Scan(&id, &r.Name, &r.City, &r.State, &r.ZIP, &r.County, &r.NTEE, &r.Subsection, &r.Foundation, &r.Group,
		&r.RulingYear, &r.FunderKind, &r.ReturnType, &r.FiscalYear, &r.Accepts, &r.Revenue, &r.Expenses, &r.Assets, &r.GrantsPaid, &r.InBMF, &r.Pub78, &r.OnRevoked)
	r.EIN, r.FoundationType = einOf(id), foundationTypes[r.Foundation]
	return r, err
}

var foundationTypes = map[string]string{
	"02": "POF", "03": "POF", "04": "PF", "10": "PC", "11": "PC", "12": "PC", "13": "PC", "14": "PC", "15": "PC", "16": "PC", "18": "PC", "25": "PC",
	"17": "SO", "21": "SO", "22": "SO", "23": "SO", "24": "SO",
}

func organizationCondition(f *directory.Filter) string {
	parts := []string{"TRUE"}
	for _, c := range []struct {
		column string
		values []string
	}{{"state", f.States}, {"county", f.Counties}, {"return_type", f.ReturnTypes}, {"subsection", f.Subsections},
		{"foundation", f.FoundationCodes}, {"group_number", f.Groups}, {"accepts", f.Accepts}} {
		if len(c.values) > 0 {
			parts = append(parts, among(c.column, c.values))
		}
	}
	anyOf := func(either []string) {
		if len(either) > 0 {
			parts = append(parts, "("+strings.Join(either, " OR ")+")")
		}
	}
	anyOf(each.Of(f.Cities, func(c directory.City) string {
		if c.State == "" {
			return "city_key = " + quote(c.Name)
		}
		return "city_key = " + quote(c.Name) + " AND state = " + quote(c.State)
	}))
	anyOf(each.Of(f.ZIPs, func(zip string) string { return fmt.Sprintf("left(zip5, %d) = %s", len(zip), quote(zip)) }))
	for _, subject := range f.Causes {
		anyOf(each.Of(subject.Items, func(it ntee.Item) string {
			if it.Kind == ntee.Prefix {
				return "starts_with(ntee, " + quote(string(it.Prefix)) + ")"
			}
			letters := strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "")
			return among("left(ntee, 1)", slices.DeleteFunc(letters, func(s string) bool { return it.Majors>>(s[0]-'A')&1 == 0 }))
		}))
	}
	for _, r := range []struct {
		column string
		of     directory.Range
	}{{"revenue", f.Revenue}, {"assets", f.Assets}, {"expenses", f.Expenses}, {"grants_paid", f.GrantsPaid}, {"ruling_year", f.RulingYear}} {
		if r.of.Min != nil {
			parts = append(parts, fmt.Sprintf("%s >= %d", r.column, *r.of.Min))
		}
		if r.of.Max != nil {
			parts = append(parts, fmt.Sprintf("%s <= %d", r.column, *r.of.Max))
		}
	}
	for _, s := range []struct {
		column string
		is     *bool
	}{{"pub78", f.Pub78}, {"revoked", f.Revoked}, {"in_bmf", f.InBMF}} {
		if s.is != nil {
			parts = append(parts, fmt.Sprintf("%s = %t", s.column, *s.is))
		}
	}
	return strings.Join(parts, " AND ")
}
