package ask_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/ask"
)

// warehouse is the tables of a world as SQL has them, and beside them where funders
// are, which the tables for customers do not say.
func warehouse(t testing.TB, w world.World) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dir := w.Snapshot(t).Dir
	for _, s := range []string{
		"ATTACH '" + filepath.Join(dir, "warehouse.duckdb") + "' AS w (READ_ONLY)",
		"ATTACH '" + filepath.Join(dir, "warehouse_pro.duckdb") + "' AS x (READ_ONLY)",
		"SET search_path = 'w.main,x.main'",
		"CREATE TEMP VIEW raw AS SELECT * FROM read_parquet('" + filepath.Join(dir, "tables", "grants.parquet") + "')",
		"CREATE TEMP VIEW organization AS SELECT * FROM read_parquet('" + filepath.Join(dir, "tables", "organizations.parquet") + "')",
	} {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%v in %s", err, s)
		}
	}
	return conn
}

// figures are what SQL says of the grants of a plan.
type figures struct {
	dollars, grants, funders, recipients int64
	median                               float64
}

func query(t testing.TB, conn *sql.Conn, where string) (f figures) {
	t.Helper()
	var median sql.NullFloat64
	row := conn.QueryRowContext(t.Context(), "SELECT coalesce(sum(amount), 0)::BIGINT, count(*), count(DISTINCT funder_ein), count(DISTINCT recip_id), median(amount) FROM grants WHERE "+where)
	if err := row.Scan(&f.dollars, &f.grants, &f.funders, &f.recipients, &median); err != nil {
		t.Fatalf("%v in %s", err, where)
	}
	f.median = median.Float64
	return f
}

func list(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return strings.Join(out, ", ")
}

// where is the condition of a plan, written from the plan alone. ok is false for
// what the tables have no column for.
func where(p *ask.Plan) (condition string, ok bool) {
	parts := []string{"true"}
	and := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	eins := func(list []ask.Party) (out []string) {
		for _, o := range list {
			out = append(out, o.EIN)
		}
		return out
	}
	if len(p.Funders) > 0 {
		and("funder_ein IN (%s)", list(eins(p.Funders)))
	}
	if len(p.Recipients) > 0 {
		and("recipient_ein IN (%s)", list(eins(p.Recipients)))
	}
	var years []string
	for _, s := range p.Years {
		if p.Measure == "stopped" || p.Measure == "started" {
			break // the years choose among those who have any grants
		}
		from, to := s.From, s.To
		if to == 0 {
			to = 9999
		}
		years = append(years, fmt.Sprintf("tax_year BETWEEN %d AND %d", from, to))
	}
	if len(years) > 0 {
		and("(%s)", strings.Join(years, " OR "))
	}
	var causes []string
	for _, c := range p.Causes {
		s, err := ntee.ParseSubject(c.Subject)
		if err != nil {
			return "", false
		}
		for _, it := range s.Items {
			if it.Kind == ntee.Prefix {
				causes = append(causes, fmt.Sprintf("starts_with(ntee_cd, '%s')", it.Prefix))
				continue
			}
			for i := range 26 {
				if it.Majors>>i&1 != 0 {
					causes = append(causes, fmt.Sprintf("left(ntee_cd, 1) = '%c'", 'A'+i))
				}
			}
		}
	}
	if len(causes) > 0 {
		and("recipient_ein IN (SELECT ein FROM org_bmf WHERE %s)", strings.Join(causes, " OR "))
	}
	var places []string
	for _, l := range p.Places {
		switch {
		case l.Kind == "state" && l.Of == "recipient":
			places = append(places, "recipient_state = '"+l.Value+"'")
		case l.Kind == "zip" && l.Of == "recipient":
			places = append(places, "left(recipient_zip, 5) = '"+l.Value+"'")
		case l.Kind == "country":
			places = append(places, "coalesce(recipient_country, 'US') = '"+l.Value+"'")
		case l.Kind == "city" && l.Of == "recipient":
			city, state, both := strings.Cut(l.Value, ", ")
			c := "upper(recipient_city) = '" + strings.ToUpper(city) + "'"
			if both {
				c += " AND recipient_state = '" + state + "'"
			}
			places = append(places, "("+c+")")
		case l.Kind == "state" && l.Of == "funder":
			places = append(places, "funder_ein IN (SELECT ein FROM orgs WHERE state = '"+l.Value+"')")
		default:
			return "", false
		}
	}
	if len(places) > 0 {
		join := " OR "
		if len(places) == 2 && p.Places[0].Of != p.Places[1].Of {
			join = " AND "
		}
		and("(%s)", strings.Join(places, join))
	}
	if p.Abroad {
		and("recipient_country IS NOT NULL AND recipient_country <> 'US'")
	}
	if len(p.FunderTypes) > 0 {
		and("funder_ein IN (SELECT funder_ein FROM funder_kind WHERE funder_kind IN (%s))", list(p.FunderTypes))
	}
	for _, e := range p.Exclude {
		and("NOT %s", map[string]string{"daf": "is_daf", "individuals": "is_individual", "related_party": "is_related_party"}[e])
	}
	if p.Only == "individuals" {
		and("is_individual")
	}
	if p.MinAmount != nil && !p.InTotal {
		and("amount >= %d", *p.MinAmount)
	}
	if p.MaxAmount != nil && !p.InTotal {
		and("amount <= %d", *p.MaxAmount)
	}
	return strings.Join(parts, " AND "), p.Words == "" && len(p.Support) == 0
}

// value is a figure by name.
func value(t testing.TB, a *ask.Answer, name string) float64 {
	t.Helper()
	for _, f := range a.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	t.Errorf("%s: no figure %s among %v", a.Question, name, a.Figures)
	return math.NaN()
}

func same(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// checkSQL compares the figures of an answer with SQL. It says whether there was
// anything to compare.
func checkSQL(t *testing.T, conn *sql.Conn, a *ask.Answer) bool {
	t.Helper()
	p := a.Plan
	if p.Of == "awards" || p.Of == "organizations" {
		return checkProfile(t, conn, a)
	}
	condition, ok := where(p)
	if !ok {
		return false
	}
	expect := func(name string, want float64) {
		t.Helper()
		if got := value(t, a, name); !same(got, want) {
			t.Errorf("%s: %s is %v, SQL says %v where %s", a.Question, name, got, want, condition)
		}
	}
	of := func(f figures, figure string) float64 {
		switch figure {
		case "grants":
			return float64(f.grants)
		case "funders":
			return float64(f.funders)
		case "recipients":
			return float64(f.recipients)
		case "average":
			return float64(f.dollars) / float64(max(1, f.grants))
		case "median":
			return f.median
		}
		return float64(f.dollars)
	}
	f := query(t, conn, condition)
	if f.grants == 0 && p.Measure != "share" && p.Measure != "compare" && p.Measure != "change" {
		if !strings.Contains(a.Answer, "in this data") {
			t.Errorf("%s: SQL finds nothing, and the answer is %q", a.Question, a.Answer)
		}
		return true
	}
	one, name, more := "funder_ein", "funder_count", ""
	if p.Of == "recipients" {
		one, name, more = "recip_id", "recipient_count", " AND NOT is_individual AND NOT is_unidentified"
	}
	if p.Both && p.By == "years" {
		years := "(SELECT count(DISTINCT tax_year) FROM grants WHERE " + condition + ")"
		expect(name, scalar(t, conn, "SELECT count(*) FROM (SELECT "+one+" FROM grants WHERE "+condition+more+" GROUP BY 1 HAVING count(DISTINCT tax_year) = "+years+")"))
		return true
	}
	if p.Both {
		other, n := "recipient_ein", len(p.Recipients)
		if p.Of == "recipients" {
			other, n = "funder_ein", len(p.Funders)
		}
		expect(name, scalar(t, conn, fmt.Sprintf("SELECT count(*) FROM (SELECT %s FROM grants WHERE %s%s GROUP BY 1 HAVING count(DISTINCT %s) = %d)", one, condition, more, other, n)))
		return true
	}
	having := ""
	switch {
	case p.InTotal:
		having = fmt.Sprintf("sum(amount) >= %d", *p.MinAmount)
	case p.Measure == "stopped" && len(p.Years) == 1:
		having = fmt.Sprintf("max(tax_year) < %d", p.Years[0].From)
	case p.Measure == "started" && len(p.Years) == 1:
		having = fmt.Sprintf("min(tax_year) BETWEEN %d AND %d", p.Years[0].From, p.Years[0].To)
	}
	if having != "" {
		expect(name, scalar(t, conn, "SELECT count(*) FROM (SELECT "+one+" FROM grants WHERE "+condition+more+" GROUP BY 1 HAVING "+having+")"))
		return true
	}
	grouped := map[string]string{"states": "recipient_state", "years": "tax_year", "causes": "(SELECT left(ntee_cd, 1) FROM org_bmf b WHERE b.ein = recipient_ein)", "funder_types": "(SELECT funder_kind FROM funder_kind k WHERE k.funder_ein = grants.funder_ein)"}
	switch p.Measure {
	case "how_much", "exists":
		expect("total_amount", float64(f.dollars))
		expect("grant_count", float64(f.grants))
	case "how_many":
		switch p.Of {
		case "grants":
			expect("grant_count", float64(f.grants))
		case "funders":
			expect("funder_count", float64(f.funders))
		case "recipients":
			expect("recipient_count", float64(f.recipients))
		default:
			if grouped[p.Of] == "" {
				return false
			}
			expect("group_count", scalar(t, conn, "SELECT count(DISTINCT "+grouped[p.Of]+") FROM grants WHERE "+condition))
		}
	case "first":
		expect("fiscal_year", scalar(t, conn, "SELECT min(tax_year) FROM grants WHERE "+condition))
	case "last":
		expect("fiscal_year", scalar(t, conn, "SELECT max(tax_year) FROM grants WHERE "+condition))
	case "average":
		expect("average_amount", of(f, "average"))
	case "median":
		expect("median_amount", f.median)
	case "largest":
		expect("amount", scalar(t, conn, "SELECT max(amount) FROM grants WHERE "+condition))
	case "smallest":
		expect("amount", scalar(t, conn, "SELECT min(amount) FROM grants WHERE "+condition))
	case "which":
		order := "sum(amount)"
		if p.Order == "grants" {
			order = "count(*)"
		}
		end := " DESC"
		if p.Least {
			end = ""
		}
		by := grouped[p.Of]
		switch p.Of {
		case "funders":
			by = "funder_ein"
			expect("funder_count", float64(f.funders))
		case "recipients":
			by = "recip_id"
			condition += " AND NOT is_individual AND NOT is_unidentified"
		}
		if by == "" {
			return false
		}
		name := "total_amount"
		if p.Order == "grants" {
			name = "grant_count"
		}
		expect(name, scalar(t, conn, "SELECT "+order+"::BIGINT FROM grants WHERE "+condition+" AND "+by+" IS NOT NULL GROUP BY "+by+" ORDER BY 1"+end+" LIMIT 1"))
	case "trend":
		rows, err := conn.QueryContext(t.Context(), "SELECT tax_year, sum(amount)::BIGINT, count(*), count(DISTINCT funder_ein), count(DISTINCT recip_id), median(amount) FROM grants WHERE "+condition+" GROUP BY 1")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var y int
			var f figures
			if err := rows.Scan(&y, &f.dollars, &f.grants, &f.funders, &f.recipients, &f.median); err != nil {
				t.Fatal(err)
			}
			expect(fmt.Sprint(y), of(f, p.Figure))
		}
	case "compare", "change":
		n := 0
		each := func(set func(c *ask.Plan)) {
			c := *p
			set(&c)
			one, ok := where(&c)
			if !ok {
				return
			}
			if got, want := a.Figures[n].Value, of(query(t, conn, one), p.Figure); !same(got, want) {
				t.Errorf("%s: %s is %v, SQL says %v where %s", a.Question, a.Figures[n].Name, got, want, one)
			}
			n++
		}
		by := p.By
		if p.Measure == "change" {
			by = "years"
		}
		switch by {
		case "funders":
			for i := range p.Funders {
				each(func(c *ask.Plan) { c.Funders = p.Funders[i : i+1] })
			}
		case "recipients":
			for i := range p.Recipients {
				each(func(c *ask.Plan) { c.Recipients = p.Recipients[i : i+1] })
			}
		case "places":
			for i := range p.Places {
				each(func(c *ask.Plan) { c.Places = p.Places[i : i+1] })
			}
		case "causes":
			for i := range p.Causes {
				each(func(c *ask.Plan) { c.Causes = p.Causes[i : i+1] })
			}
		case "years":
			for i := range p.Years {
				each(func(c *ask.Plan) { c.Years = p.Years[i : i+1] })
			}
		case "funder_types":
			for i := range p.FunderTypes {
				each(func(c *ask.Plan) { c.FunderTypes = p.FunderTypes[i : i+1] })
			}
		}
		return n > 0
	case "share":
		c := *p
		for _, part := range p.Part {
			switch part {
			case "causes":
				c.Causes = nil
			case "places":
				c.Places = nil
			case "funders":
				c.Funders = nil
			case "recipients":
				c.Recipients = nil
			case "funder_types":
				c.FunderTypes = nil
			case "amounts":
				c.MinAmount, c.MaxAmount = nil, nil
			case "abroad":
				c.Abroad = false
			case "only":
				c.Only = ""
			default:
				return false
			}
		}
		whole, ok := where(&c)
		if !ok {
			return false
		}
		expect("percent", 100*of(f, p.Figure)/of(query(t, conn, whole), p.Figure))
	default:
		return false
	}
	return true
}

func scalar(t testing.TB, conn *sql.Conn, statement string) float64 {
	t.Helper()
	var v sql.NullFloat64
	if err := conn.QueryRowContext(t.Context(), statement).Scan(&v); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	return v.Float64
}

// checkProfile compares what is said of organizations as such.
func checkProfile(t *testing.T, conn *sql.Conn, a *ask.Answer) bool {
	t.Helper()
	p := a.Plan
	column := map[string]string{"revenue": "total_revenue", "expenses": "total_expenses", "net_assets": "net_assets", "grants_paid": "grants_paid"}
	switch {
	case p.Measure == "fact" && column[p.Fact] != "" && len(p.Years) == 0:
		var v sql.NullFloat64
		err := conn.QueryRowContext(t.Context(), "SELECT "+column[p.Fact]+" FROM orgs WHERE ein = '"+p.Organizations[0].EIN+"'").Scan(&v)
		if err == sql.ErrNoRows || err == nil && !v.Valid {
			if !strings.Contains(a.Answer, "We don't know") {
				t.Errorf("%s: SQL knows nothing, and the answer is %q", a.Question, a.Answer)
			}
			return true
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := value(t, a, p.Fact); got != v.Float64 {
			t.Errorf("%s: %v, SQL says %v", a.Question, got, v.Float64)
		}
		return true
	case p.Of == "organizations" && p.Measure == "how_many" && len(p.Causes) == 0 && p.MinAmount == nil && p.MaxAmount == nil && len(p.Places) == 1 && p.Places[0].Kind == "state":
		want := scalar(t, conn, "SELECT count(*) FROM organization WHERE state = '"+p.Places[0].Value+"'")
		if got := value(t, a, "organization_count"); got != want {
			t.Errorf("%s: %v, the table has %v", a.Question, got, want)
		}
		return true
	case p.Of == "awards" && p.Measure == "how_much" && p.Level == "federal" && len(p.Years) == 0:
		want := scalar(t, conn, "SELECT coalesce(sum(amount), 0) FROM gov_award WHERE level = 'federal' AND ein = '"+p.Organizations[0].EIN+"'")
		if got := value(t, a, "total_amount"); got != want {
			t.Errorf("%s: %v, SQL says %v", a.Question, got, want)
		}
		return true
	}
	return false
}
