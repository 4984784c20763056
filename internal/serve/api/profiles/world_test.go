package profiles_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// tables are the rows of a snapshot by EIN.
type tables struct {
	organizations map[string]*snapshot.Organization
	given         map[string][]*snapshot.Grant
	received      map[string][]*snapshot.Grant
	financials    map[string][]*snapshot.Financial
	returns       map[string]int // that stand
	people        map[string][]*snapshot.Person
	funders       map[string]*snapshot.FunderKind
	awards        map[string][]*snapshot.GovAward
	areas         map[string]int
	unnamed       map[string]bool // recipients that are no organization
}

func rows[T any](t *testing.T, s *snapshot.Snapshot, table string) (list []*T) {
	t.Helper()
	if !s.HasTable(table) {
		t.Logf("there is no table %s", table)
		return nil
	}
	for r, err := range snapshot.Rows[T](s, table) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &r)
	}
	return list
}

func by[T any](list []*T, key func(*T) string) map[string][]*T {
	m := map[string][]*T{}
	for _, r := range list {
		m[key(r)] = append(m[key(r)], r)
	}
	return m
}

func one[T any](list []*T, key func(*T) string) map[string]*T {
	m := map[string]*T{}
	for _, r := range list {
		m[key(r)] = r
	}
	return m
}

func readTables(t *testing.T, s *snapshot.Snapshot) *tables {
	t.Helper()
	x := &tables{returns: map[string]int{}, areas: map[string]int{}, unnamed: map[string]bool{}}
	x.organizations = one(rows[snapshot.Organization](t, s, snapshot.Organizations), func(r *snapshot.Organization) string { return r.EIN })
	grants := rows[snapshot.Grant](t, s, snapshot.Grants)
	for _, g := range grants {
		if g.RecipientEIN == "" && (g.IsIndividual || g.IsUnidentified) {
			x.unnamed[g.RecipID] = true
		}
	}
	x.given = by(grants, func(r *snapshot.Grant) string { return r.FunderEIN })
	x.received = by(grants, func(r *snapshot.Grant) string { return r.RecipientEIN })
	x.financials = by(rows[snapshot.Financial](t, s, snapshot.Financials), func(r *snapshot.Financial) string { return r.EIN })
	latest := one(rows[snapshot.Org](t, s, snapshot.Orgs), func(r *snapshot.Org) string { return r.EIN })
	for _, r := range rows[snapshot.Return](t, s, snapshot.Returns) {
		if r.Fate == "chosen" {
			x.returns[r.EIN]++
		}
	}
	x.people = by(slices.DeleteFunc(rows[snapshot.Person](t, s, snapshot.People), func(p *snapshot.Person) bool {
		return latest[p.EIN] == nil || latest[p.EIN].Filing != p.Filing
	}), func(p *snapshot.Person) string { return p.EIN })
	x.funders = one(rows[snapshot.FunderKind](t, s, snapshot.FunderKinds), func(r *snapshot.FunderKind) string { return r.FunderEIN })
	x.awards = by(rows[snapshot.GovAward](t, s, snapshot.GovAwards), func(r *snapshot.GovAward) string { return r.EIN })
	for _, r := range rows[snapshot.ServiceArea](t, s, snapshot.ServiceAreas) {
		x.areas[r.EIN]++
	}
	return x
}

// sums adds up plainly what a part of a profile says.
type sums struct {
	total, grants, parties int64
}

func add(in map[string]*sums, key string, seen map[string]bool, party string, amount int64) {
	s := in[key]
	if s == nil {
		s = &sums{}
		in[key] = s
	}
	s.total, s.grants = s.total+amount, s.grants+1
	if !seen[key+"\x00"+party] {
		seen[key+"\x00"+party] = true
		s.parties++
	}
}

// side adds up one side of the grants of an organization.
func (x *tables) side(list []*snapshot.Grant, gave bool) (all sums, years map[int]sums, subjects, states, parties map[string]sums) {
	totals, byYear, bySubject, byState, byParty := map[string]*sums{}, map[string]*sums{}, map[string]*sums{}, map[string]*sums{}, map[string]*sums{}
	seen := [5]map[string]bool{{}, {}, {}, {}, {}}
	years = map[int]sums{}
	letter := func(e string) string {
		if o := x.organizations[e]; o != nil {
			if code, ok := ntee.Parse(o.NTEE); ok && code.Major() != 0 {
				return string(rune(code.Major()))
			}
		}
		return ""
	}
	for _, g := range list {
		party, state, subject := g.RecipID, g.RecipientState, letter(g.RecipientEIN)
		if !gave {
			party, state, subject = g.FunderEIN, "", letter(g.FunderEIN)
			if f := x.funders[g.FunderEIN]; f != nil {
				state = f.State
			}
		}
		year := string(rune(g.TaxYear))
		add(totals, "", seen[0], party, g.Amount)
		add(byYear, year, seen[1], party, g.Amount)
		add(bySubject, subject, seen[2], party, g.Amount)
		add(byState, state, seen[3], party, g.Amount)
		add(byParty, party, seen[4], party, g.Amount)
		years[int(g.TaxYear)] = *byYear[year]
	}
	values := func(in map[string]*sums) map[string]sums {
		out := map[string]sums{}
		for k, v := range in {
			out[k] = *v
		}
		return out
	}
	if totals[""] != nil {
		all = *totals[""]
	}
	return all, years, values(bySubject), values(byState), values(byParty)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// check holds a full profile against the tables.
func (x *tables) check(t *testing.T, e string, p *profiles.PremierAnswer) {
	t.Helper()
	o := x.organizations[e]
	if p.Organization.EIN != e || p.Organization.Name != o.Name || deref(p.Organization.State) != o.State || len(p.Organization.KnownFrom) == 0 || p.Organization.Kind == "" || p.Organization.Type == "" {
		t.Errorf("%s is %+v, the table has %+v", e, p.Organization, o)
	}

	all, years, subjects, states, parties := x.side(x.given[e], true)
	if got := (sums{p.Given.TotalAmount, p.Given.GrantCount, p.Given.RecipientCount}); got != all {
		t.Errorf("%s gave %+v, the rows come to %+v", e, got, all)
	}
	if (p.GrantsOut == nil) != (all.grants == 0) || (p.GrantsOut == nil) != absent(p, "grants_out") {
		t.Errorf("%s: grants_out is %v", e, p.GrantsOut)
	}
	if out := p.GrantsOut; out != nil {
		gotYears, gotSubjects, gotStates := map[int]sums{}, map[string]sums{}, map[string]sums{}
		for _, y := range out.ByYear {
			gotYears[y.FiscalYear] = sums{y.TotalAmount, y.GrantCount, y.RecipientCount}
		}
		for _, g := range out.BySubject {
			gotSubjects[deref(g.Subject)] = sums{g.TotalAmount, g.GrantCount, g.RecipientCount}
		}
		for _, g := range out.ByState {
			gotStates[deref(g.State)] = sums{g.TotalAmount, g.GrantCount, g.RecipientCount}
		}
		if !maps.Equal(gotYears, years) || !maps.Equal(gotSubjects, subjects) || !maps.Equal(gotStates, states) || out.RecipientCount != all.parties {
			t.Errorf("%s grants out %+v, want %v %v %v", e, out, years, subjects, states)
		}
		var top []sums
		for _, r := range out.TopRecipients {
			top = append(top, sums{r.TotalAmount, r.GrantCount, 1})
			if parties[r.RecipID] != top[len(top)-1] {
				t.Errorf("%s: top recipient %+v, want %+v", e, r, parties[r.RecipID])
			}
		}
		checkTop(t, e, top, parties, x.unnamed)
	}

	all, years, subjects, states, parties = x.side(x.received[e], false)
	if got := (sums{p.Received.TotalAmount, p.Received.GrantCount, p.Received.FunderCount}); got != all {
		t.Errorf("%s received %+v, the rows come to %+v", e, got, all)
	}
	if (p.FundingIn == nil) != (all.grants == 0) {
		t.Errorf("%s: funding_in is %v", e, p.FundingIn)
	}
	if in := p.FundingIn; in != nil {
		gotYears, gotSubjects, gotStates := map[int]sums{}, map[string]sums{}, map[string]sums{}
		for _, y := range in.ByYear {
			gotYears[y.FiscalYear] = sums{y.TotalAmount, y.GrantCount, y.FunderCount}
		}
		for _, g := range in.BySubject {
			gotSubjects[deref(g.Subject)] = sums{g.TotalAmount, g.GrantCount, g.FunderCount}
		}
		for _, g := range in.ByState {
			gotStates[deref(g.State)] = sums{g.TotalAmount, g.GrantCount, g.FunderCount}
		}
		if !maps.Equal(gotYears, years) || !maps.Equal(gotSubjects, subjects) || !maps.Equal(gotStates, states) || in.FunderCount != all.parties {
			t.Errorf("%s: funding in %+v, want %v %v %v", e, in, years, subjects, states)
		}
		var top []sums
		for _, f := range in.TopFunders {
			top = append(top, sums{f.TotalAmount, f.GrantCount, 1})
			if parties[f.FunderEIN] != top[len(top)-1] {
				t.Errorf("%s: top funder %+v, want %+v", e, f, parties[f.FunderEIN])
			}
		}
		checkTop(t, e, top, parties, x.unnamed)
	}

	if len(p.FinancialsByYear) != len(x.financials[e]) || (p.Financials == nil) != (len(x.financials[e]) == 0) || (p.Financials == nil) != absent(p, "financials") {
		t.Errorf("%s has %d years of figures, the table %d", e, len(p.FinancialsByYear), len(x.financials[e]))
	} else {
		for i, f := range x.financials[e] {
			checkFigures(t, e, &p.FinancialsByYear[i], f)
		}
		if n := len(p.FinancialsByYear); n > 0 && !reflect.DeepEqual(*p.Financials, p.FinancialsByYear[n-1].ProfileFinancials) {
			t.Errorf("%s: its latest figures are %+v", e, p.Financials)
		}
	}
	if len(p.Filings) != x.returns[e] || !slices.IsSortedFunc(p.Filings, func(a, b client.ProfileReturn) int { return strings.Compare(b.TaxPeriodEnd, a.TaxPeriodEnd) }) {
		t.Errorf("%s has filings %+v, the table %d", e, p.Filings, x.returns[e])
	}
	if len(p.ServiceArea) != min(x.areas[e], profile.MaxAreas) {
		t.Errorf("%s serves %d areas, the table has %d", e, len(p.ServiceArea), x.areas[e])
	}
	var names []string
	if p.Governance != nil {
		for _, person := range p.Governance.People {
			names = append(names, person.Name)
		}
	}
	var want []string
	for _, person := range x.people[e] {
		want = append(want, cmp.Or(person.Name, person.Business))
	}
	if p.Governance != nil && p.Governance.PeopleCount != len(want) || !slices.Equal(names, want[:min(len(want), profile.MaxPeople)]) {
		t.Errorf("%s is run by %q, the table has %q", e, names, want)
	}
	var awarded float64
	for _, w := range x.awards[e] {
		awarded += w.Amount
	}
	if g := p.Government; g == nil && len(x.awards[e]) > 0 || g != nil && (g.AwardCount != int64(len(x.awards[e])) || float64(orZero(g.FederalAmount)+orZero(g.StateAmount))-awarded > 1 || awarded-float64(orZero(g.FederalAmount)+orZero(g.StateAmount)) > 1) {
		t.Errorf("%s was awarded %+v, the table has %d for %.0f", e, g, len(x.awards[e]), awarded)
	}
	for i, s := range p.Similar {
		if s.EIN == e || x.organizations[s.EIN] == nil || s.Score <= 0 || s.Score > 1 || i > 0 && s.Score > p.Similar[i-1].Score || s.Reasons == (client.SimilarReasons{}) {
			t.Errorf("%s resembles %+v", e, s)
		}
	}
	for _, c := range p.Cofunders {
		if c.FunderEIN == e || len(x.given[c.FunderEIN]) == 0 || c.SharedRecipients == 0 {
			t.Errorf("%s funds with %+v", e, c)
		}
	}
}

// checkTop checks that the parties shown are the largest there are, those that are no
// organization last.
func checkTop(t *testing.T, e string, top []sums, parties map[string]sums, unnamed map[string]bool) {
	t.Helper()
	var totals, last, got []int64
	for id, s := range parties {
		if unnamed[id] {
			last = append(last, s.total)
		} else {
			totals = append(totals, s.total)
		}
	}
	for _, list := range [][]int64{totals, last} {
		slices.SortFunc(list, func(a, b int64) int { return cmp.Compare(b, a) })
	}
	totals = append(totals, last...)
	for _, s := range top {
		got = append(got, s.total)
	}
	if !slices.Equal(got, totals[:min(len(totals), 25)]) {
		t.Errorf("%s: the largest parties have %v, want %v", e, got, totals[:min(len(totals), 25)])
	}
}

// absent reports whether a profile says that it has no such part.
func absent(p *profiles.PremierAnswer, part string) bool {
	for _, a := range p.Service.NotAvailable {
		if a.Part == part {
			return a.Reason != "" && a.Detail != ""
		}
	}
	return false
}

// columns are the columns of a table that the wire calls otherwise.
var columns = map[string]string{
	"income.other": "other_income", "expenses_by_function.program": "program_expenses", "expenses_by_function.management": "management_expenses",
	"expenses_by_function.fundraising": "fundraising_expenses", "balance_sheet.net_assets_unrestricted": "unrestricted_net", "balance_sheet.net_assets_restricted": "restricted_net",
	"fiscal_year": "tax_year", "tax_period_end": "period_end",
}

// checkFigures holds every figure of a year against its column.
func checkFigures(t *testing.T, e string, got *client.FinancialYear, want *snapshot.Financial) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	wire := map[string]any{}
	for name, v := range doc {
		block, nested := v.(map[string]any)
		if !nested {
			wire[cmp.Or(columns[name], name)] = v
		}
		for inner, v := range block {
			if column := cmp.Or(columns[name+"."+inner], inner); name != "filing" || inner == "object_id" {
				wire[column] = v
			}
		}
	}
	table := map[string]any{}
	v := reflect.ValueOf(want).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
		f := v.Field(i)
		switch name {
		case "ein", "filing", "period_begin":
			continue
		}
		switch {
		case f.Kind() == reflect.Pointer && f.IsNil(), f.Kind() == reflect.String && f.Len() == 0:
			table[name] = nil
		case f.Kind() == reflect.Pointer && f.Elem().Kind() == reflect.Int64:
			table[name] = float64(f.Elem().Int())
		case f.Kind() == reflect.Pointer:
			table[name] = f.Elem().Float()
		case f.Kind() == reflect.Int32:
			table[name] = float64(f.Int())
		default:
			table[name] = f.Interface()
		}
	}
	if !reflect.DeepEqual(wire, table) {
		t.Errorf("%s: the figures of %s are %v, the table has %v", e, want.PeriodEnd, wire, table)
	}
}

// TestWorld asks for the profile of every organization of a built world and holds
// it against sums over the tables.
func TestWorld(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	checkAll(t, w, readTables(t, world.Small.Snapshot(t)), func(string) bool { return true })
}

// checkAll asks for the profiles of organizations, and says of how many of each
// kind.
func checkAll(t *testing.T, w *apitest.World, x *tables, want func(e string) bool) {
	t.Helper()
	kinds, largest, reasons := map[string]int{}, 0, map[string]int{}
	for _, e := range slices.Sorted(maps.Keys(x.organizations)) {
		if !want(e) {
			continue
		}
		rec := w.Get(t, "GET", "/api/v1/premier/"+e, "pro")
		if rec.Code != 200 {
			t.Fatalf("%s: %d %s", e, rec.Code, rec.Body)
		}
		largest = max(largest, rec.Body.Len())
		p := apitest.Unmarshal[profiles.PremierAnswer](t, rec)
		x.check(t, e, &p)
		kinds[strings.Join(p.Organization.KnownFrom, "+")]++
		for _, a := range p.Service.NotAvailable {
			reasons[a.Part+": "+a.Reason]++
		}
		if t.Failed() {
			t.Fatal("no more after that")
		}
	}
	if len(kinds) < 4 {
		t.Errorf("only organizations known from %v", kinds)
	}
	t.Logf("the largest profile has %d bytes; organizations by what they are known from: %v; absent: %v", largest, kinds, reasons)
}

// TestKinds looks at organizations that are known from one thing alone: each has a
// profile on every paid plan, which says what is known.
func TestKinds(t *testing.T) {
	t.Parallel()
	w, x := apitest.Real(t), readTables(t, world.Small.Snapshot(t))
	find := func(is func(o *snapshot.Organization) bool) string {
		for _, e := range slices.Sorted(maps.Keys(x.organizations)) {
			if is(x.organizations[e]) {
				return e
			}
		}
		t.Error("no organization is of this kind")
		return ""
	}
	for name, c := range map[string]struct {
		ein  string
		knew []string
		has  []string
	}{
		"funder": {find(func(o *snapshot.Organization) bool { return len(x.given[o.EIN]) > 0 && len(x.received[o.EIN]) == 0 }), []string{"returns", "grants_given"}, []string{"grants_out"}},
		"recipient that only funders know": {find(func(o *snapshot.Organization) bool {
			return o.Sources&(snapshot.SourceFunders|snapshot.SourceLine) != 0
		}), []string{"grants_received"}, []string{"funding_in"}},
		"in the master file alone": {find(func(o *snapshot.Organization) bool {
			return o.Sources&snapshot.SourceBMF != 0 && x.returns[o.EIN] == 0 && len(x.given[o.EIN]) == 0 && len(x.received[o.EIN]) == 0
		}), []string{"master_file"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"essentials/", "premier/", "similar/"} {
				apitest.Scenario{Path: path + c.ein, Plan: "plus", Costs: 1}.Run(t, apitest.Over(t, w.Data))
			}
			p := apitest.Unmarshal[profiles.PremierAnswer](t, w.Get(t, "GET", "/api/v1/premier/"+c.ein, "pro"))
			for _, word := range c.knew {
				if !slices.Contains(p.Organization.KnownFrom, word) {
					t.Errorf("%s is known from %v", c.ein, p.Organization.KnownFrom)
				}
			}
			for _, part := range []string{"grants_out", "funding_in"} {
				if absent(&p, part) == slices.Contains(c.has, part) {
					t.Errorf("%s: %s is absent: %v", c.ein, part, p.Service.NotAvailable)
				}
			}
		})
	}
}

// TestStanding serves lists that come and go: the standing follows, and so does
// the tag.
func TestStanding(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	with := w.Get(t, "GET", "/api/v1/essentials/000000001", "plus")
	w.Data.Compliance = &lists.Current{}
	w.Data.Screen = screen.New(w.Data.Compliance, &screen.Rows{})
	without := w.Get(t, "GET", "/api/v1/essentials/000000001", "plus", "If-None-Match", with.Header().Get("ETag"))
	if without.Code != 200 || !strings.Contains(without.Body.String(), `"standing":{"in_bmf":null,"pub78_verified":null,"revoked":null,"revocation_date":null,"reinstatement_date":null,"as_of":null}`) {
		t.Errorf("without lists: %d %s", without.Code, without.Body)
	}
}

// TestOutOfService serves a dataset whose profiles are damaged.
func TestOutOfService(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*serve.Dataset){
		"profiles": func(d *serve.Dataset) { d.Profiles = nil },
		"graph":    func(d *serve.Dataset) { d.Graph = nil },
	} {
		t.Run(name, func(t *testing.T) {
			d := *serve.Invented()
			spoil(&d)
			for _, path := range []string{"essentials/", "premier/", "similar/", "gov-funding/"} {
				apitest.Scenario{Path: path + "000000001", Plan: "pro", Status: 503, Heads: map[string]string{"Retry-After": "*"}}.Run(t, apitest.Over(t, &d))
			}
		})
	}
}

// TestRealReturns builds the sample of real returns and asks for the profile of
// everybody who filed one, gave or received.
func TestRealReturns(t *testing.T) {
	t.Parallel()
	root := upstream.Dir(t)
	result, err := ingest.Run(context.Background(), ingest.Options{Sources: root, Data: t.TempDir(), Indexers: []snapshot.Indexer{
		{Name: "graph", Write: graph.Build}, {Name: "profile", Write: profile.Build},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := result.Snapshot
	g, err := graph.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	x, err := profile.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	w := apitest.Over(t, &serve.Dataset{Manifest: s.Manifest, Graph: g, Profiles: x, Compliance: &lists.Current{}, Screen: screen.New(&lists.Current{}, &screen.Rows{})})
	all := readTables(t, s)
	n := 0
	checkAll(t, w, all, func(e string) bool {
		n++
		return all.returns[e] > 0 || len(all.given[e]) > 0 || len(all.received[e]) > 0 && n%8 == 0 || n%2000 == 0
	})
	for _, path := range []string{"essentials/", "similar/", "gov-funding/"} {
		for e := range all.returns {
			rec := w.Get(t, "GET", "/api/v1/"+path+e, "pro")
			if rec.Code != 200 {
				t.Fatalf("%s%s: %d %s", path, e, rec.Code, rec.Body)
			}
		}
	}
}

// TestFunding pages through the government awards of everybody who has any, and
// holds them and their sums against the table.
func TestFunding(t *testing.T) {
	t.Parallel()
	w, x := apitest.Real(t), readTables(t, world.Small.Snapshot(t))
	if len(x.awards) == 0 {
		t.Fatal("nobody in this world was awarded anything")
	}
	covered, err := world.Small.Snapshot(t).Manifest.AwardCoverage()
	if err != nil {
		t.Fatal(err)
	}
	for e, awards := range x.awards {
		if x.organizations[e] == nil {
			continue
		}
		var got []client.GovernmentAward
		var federal, state, paged float64
		years := map[int]int64{}
		for cursor := ""; ; {
			rec := w.Get(t, "GET", fmt.Sprintf("/api/v1/gov-funding/%s?limit=2&cursor=%s", e, cursor), "pro")
			a := apitest.Unmarshal[profiles.FundingAnswer](t, rec)
			if rec.Code != 200 || a.Summary.AwardCount != int64(len(awards)) || a.EIN != e || deref(a.Coverage.FederalThrough) != covered.FederalThrough || !slices.Equal(a.Coverage.StatesRead, covered.StatesRead) {
				t.Fatalf("%s: %d %s", e, rec.Code, rec.Body)
			}
			got = append(got, a.Awards...)
			if a.NextCursor == nil {
				for _, y := range a.ByYear {
					years[y.FiscalYear] = y.AwardCount
					paged += float64(orZero(y.FederalAmount) + orZero(y.StateAmount))
				}
				federal, state = float64(orZero(a.Summary.FederalAmount)), float64(orZero(a.Summary.StateAmount))
				break
			}
			cursor = *a.NextCursor
		}
		var wantFederal, wantState float64
		wantYears := map[int]int64{}
		for i, want := range awards {
			wantYears[int(want.FiscalYear)]++
			if want.Level == "federal" {
				wantFederal += want.Amount
			} else {
				wantState += want.Amount
			}
			if i >= len(got) {
				t.Fatalf("%s has %d awards, the table %d", e, len(got), len(awards))
			}
			g := got[i]
			if g.Level != want.Level || deref(g.State) != want.State || deref(g.Agency) != want.Agency || deref(g.Program) != want.Program || deref(g.AssistanceListing) != want.Listing ||
				deref(g.AwardID) != want.AwardID || g.FiscalYear != int(want.FiscalYear) || math.Abs(float64(g.Amount)-want.Amount) > 0.5 || deref(g.ActionDate) != want.ActionDate ||
				g.Join != (client.GovernmentAwardJoin{Basis: want.Basis, Confidence: want.Confidence}) || deref(g.Kind) != want.Kind {
				t.Errorf("%s: award %+v, the table has %+v", e, g, want)
			}
		}
		if math.Abs(federal-wantFederal) > 0.5 || math.Abs(state-wantState) > 0.5 || !maps.Equal(years, wantYears) || math.Abs(paged-wantFederal-wantState) > float64(2*len(years)) {
			t.Errorf("%s: %v and %v by %v, the table has %v and %v by %v", e, federal, state, years, wantFederal, wantState, wantYears)
		}
	}
}

// orZero is a sum that may be null.
func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
