package oracle

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Organizations is DuckDB over the organizations as the snapshot has them, with
// what their latest filings and the compliance lists say beside each: what
// somebody would load who wants to filter them. It is the definition of what each
// filter of package directory means.
type Organizations struct{ db *database }

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

// Close removes the database.
func (o *Organizations) Close() error { return o.db.Close() }

// organizationSQL makes the table. A revocation stands unless a reinstatement of
// the same day or later is on the list.
func organizationSQL(s *snapshot.Snapshot, e *lists.Edition) string {
	listed := func(list, table, which string) string {
		if e == nil || !e.Status(list).Loaded {
			return "NULL::BOOLEAN"
		}
		return "o.ein IN (SELECT ein FROM " + fmt.Sprintf(which, parquet(e.Path(table))) + ")"
	}
	return `CREATE TABLE organization AS SELECT o.ein, o.name, translate(o.name, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') sort_name,
			o.city, coalesce(c.city_key, '') city_key, upper(o.state) state, o.zip5, o.county,
			CASE WHEN regexp_full_match(trim(o.ntee_cd), '[A-Za-z][A-Za-z0-9]{2,3}') THEN upper(trim(o.ntee_cd)) END ntee,
			o.subsection, o.foundation, ltrim(o.group_number, '0') group_number,
			CASE WHEN regexp_full_match(o.ruling, '(19|[2-9][0-9])[0-9]{2}..') THEN left(o.ruling, 4)::INTEGER END ruling_year,
			k.funder_kind, f.return_type, f.tax_year, f.total_revenue revenue, f.total_assets assets, f.total_expenses expenses, f.grants_paid,
			` + listed(lists.BMF, lists.Masters, "%s") + ` in_bmf, ` + listed(lists.Pub78, lists.Deductibles, "%s") + ` pub78,
			` + listed(lists.Revocation, lists.Revocations, `(SELECT ein FROM (
				SELECT ein, revocation_date, reinstatement_date, max(coalesce(reinstatement_date, '')) OVER (PARTITION BY ein) latest FROM %s)
				WHERE reinstatement_date IS NULL AND revocation_date > latest)`) + ` revoked
		FROM ` + parquet(s.Path(snapshot.Organizations)) + ` o LEFT JOIN ` + parquet(s.Path(snapshot.Orgs)) + ` f USING (ein)
			LEFT JOIN ` + parquet(s.Path(snapshot.FunderKinds)) + ` k ON k.funder_ein = o.ein
			LEFT JOIN (SELECT city, city_key(city) city_key FROM (
				SELECT DISTINCT city FROM ` + parquet(s.Path(snapshot.Organizations)) + ` WHERE city IS NOT NULL)) c ON c.city = o.city
		ORDER BY hash(o.ein)`
}

// List are the organizations that a filter asks for: a page of them in an order,
// and how many there are.
func (o *Organizations) List(ctx context.Context, f *directory.Filter, s directory.Sort, offset, limit int) (list []directory.Row, hits int, err error) {
	where, args := organizationCondition(f)
	if err := o.db.QueryRowContext(ctx, "SELECT count(*) FROM organization WHERE "+where, args...).Scan(&hits); err != nil {
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
	rows, err := o.db.QueryContext(ctx, `SELECT ein, name, coalesce(city, ''), coalesce(state, ''), coalesce(zip5, ''),
			coalesce(county, ''), coalesce(ntee, ''), coalesce(subsection, ''), coalesce(foundation, ''),
			CASE WHEN group_number <> '' THEN right('0000' || group_number, greatest(4, length(group_number))) ELSE '' END,
			coalesce(ruling_year, 0), coalesce(funder_kind, ''), coalesce(return_type, ''), coalesce(tax_year, 0),
			revenue, expenses, assets, grants_paid, in_bmf, pub78, revoked
		FROM organization WHERE `+where+` ORDER BY `+column+`, ein LIMIT ? OFFSET ?`, append(args, limit, offset)...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var r directory.Row
		var id, code string
		var figures [4]sql.NullInt64
		var truths [3]sql.NullBool
		if err := rows.Scan(&id, &r.Name, &r.City, &r.State, &r.ZIP, &r.County, &code, &r.Subsection, &r.Foundation, &r.Group,
			&r.RulingYear, &r.FunderKind, &r.ReturnType, &r.FiscalYear,
			&figures[0], &figures[1], &figures[2], &figures[3], &truths[0], &truths[1], &truths[2]); err != nil {
			return nil, 0, err
		}
		r.EIN, r.NTEE, r.FoundationType = einOf(id), ntee.Code(code), foundationTypes[r.Foundation]
		for i, to := range []**int64{&r.Revenue, &r.Expenses, &r.Assets, &r.GrantsPaid} {
			if figures[i].Valid {
				*to = &figures[i].Int64
			}
		}
		for i, to := range []**bool{&r.InBMF, &r.Pub78, &r.OnRevoked} {
			if truths[i].Valid {
				*to = &truths[i].Bool
			}
		}
		list = append(list, r)
	}
	return list, hits, rows.Err()
}

// foundationTypes are the types that the codes of the master file stand for.
var foundationTypes = map[string]string{
	"02": "POF", "03": "POF", "04": "PF", "10": "PC", "11": "PC", "12": "PC", "13": "PC", "14": "PC", "15": "PC", "16": "PC", "18": "PC", "25": "PC",
	"17": "SO", "21": "SO", "22": "SO", "23": "SO", "24": "SO",
}

// organizationCondition writes a filter as SQL.
func organizationCondition(f *directory.Filter) (where string, args []any) {
	all := []string{"true"}
	add := func(condition string, values ...any) { all, args = append(all, condition), append(args, values...) }
	anyOf := func(parts []string, values []any) {
		if len(parts) > 0 {
			add("("+strings.Join(parts, " OR ")+")", values...)
		}
	}
	in := func(column string, values []string) {
		if len(values) == 0 {
			return
		}
		var list []any
		for _, v := range values {
			list = append(list, v)
		}
		add(column+" IN (?"+strings.Repeat(", ?", len(list)-1)+")", list...)
	}
	in("state", f.States)
	in("county", f.Counties)
	in("return_type", f.ReturnTypes)
	in("subsection", f.Subsections)
	in("foundation", f.FoundationCodes)
	in("group_number", f.Groups)
	var parts []string
	var values []any
	for _, c := range f.Cities {
		if c.State == "" {
			parts, values = append(parts, "city_key = ?"), append(values, c.Name)
		} else {
			parts, values = append(parts, "city_key = ? AND state = ?"), append(values, c.Name, c.State)
		}
	}
	anyOf(parts, values)
	parts, values = nil, nil
	for _, z := range f.ZIPs {
		if len(z) == 3 {
			parts, values = append(parts, "left(zip5, 3) = ?"), append(values, z)
		} else {
			parts, values = append(parts, "zip5 = ?"), append(values, z)
		}
	}
	anyOf(parts, values)
	for _, subject := range f.Causes {
		parts, values = nil, nil
		for _, it := range subject.Items {
			if it.Kind == ntee.Prefix {
				parts, values = append(parts, "starts_with(ntee, ?)"), append(values, string(it.Prefix))
				continue
			}
			for i := range 26 {
				if it.Majors>>i&1 != 0 {
					parts, values = append(parts, "left(ntee, 1) = ?"), append(values, string(rune('A'+i)))
				}
			}
		}
		anyOf(parts, values)
	}
	for _, r := range []struct {
		column string
		of     directory.Range
	}{{"revenue", f.Revenue}, {"assets", f.Assets}, {"expenses", f.Expenses}, {"grants_paid", f.GrantsPaid}, {"ruling_year", f.RulingYear}} {
		if r.of.Min != nil {
			add(r.column+" >= ?", *r.of.Min)
		}
		if r.of.Max != nil {
			add(r.column+" <= ?", *r.of.Max)
		}
	}
	for _, s := range []struct {
		column string
		is     *bool
	}{{"pub78", f.Pub78}, {"revoked", f.Revoked}, {"in_bmf", f.InBMF}} {
		if s.is != nil {
			add(s.column+" = ?", *s.is)
		}
	}
	return strings.Join(all, " AND "), args
}
