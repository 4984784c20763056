package oracle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// register is organizations with the lists they stand on.
type register struct {
	orgs    []snapshot.Organization
	filings []snapshot.Org
	funders []snapshot.FunderKind
	rows    screen.Rows
}

// inventRegister draws n organizations, in which everything that can be equal,
// missing or odd is so somewhere.
func inventRegister(r *rand.Rand, n int) *register {
	g := &register{}
	dollars := func() *int64 {
		v := pick(r, []int64{0, 0, 1, 50_000, 1_000_000, -7, r.Int64N(20), r.Int64N(1 << uint(1+r.IntN(40))), -r.Int64N(1000)})
		if flag(r, 15) {
			return nil
		}
		return &v
	}
	e := ein.EIN(70_000_000)
	filing := []int{0, 5, 60, 100}[r.IntN(4)]
	for range n {
		e += ein.EIN(1 + r.IntN(3))
		o := snapshot.Organization{
			EIN: e.String(), Name: pick(r, []string{"ACME FUND", "Acme Fund", "acme funds", "BETA TRUST", "ÉCOLE", "école", "ZETA", "A", "a b", fmt.Sprintf("ORG %d", r.IntN(n))}),
			City: pick(r, someCities), State: pick(r, append(someStates, "ca")), ZIP5: pick(r, someZIPs), County: pick(r, someCounty), NTEE: pick(r, someNTEE),
			Subsection: pick(r, []string{"", "03", "03", "03", "04", "92"}), Foundation: pick(r, []string{"", "00", "04", "15", "15", "16", "17", "03"}),
			Group: pick(r, []string{"", "", "0000", "0042", "1234", "42", "12345"}), Ruling: pick(r, []string{"", "000000", "198710", "201903", "189912", "200001", "20000"}),
		}
		g.orgs = append(g.orgs, o)
		if flag(r, filing) {
			g.filings = append(g.filings, snapshot.Org{EIN: o.EIN, Name: o.Name, ReturnType: pick(r, []string{"990", "990EZ", "990PF", "990T"}), TaxYear: int32(2018 + r.IntN(6)), PeriodEnd: "2020-12-31", Filing: o.EIN,
				Accepts:      pick(r, []string{"", grant.Accepts, grant.Preselects}),
				TotalRevenue: dollars(), TotalExpenses: dollars(), TotalAssets: dollars(), GrantsPaid: dollars()})
		}
		if flag(r, 10) {
			g.funders = append(g.funders, snapshot.FunderKind{FunderEIN: o.EIN, Name: o.Name, ReturnType: "990", Kind: pick(r, grant.FunderKinds())})
		}
		// The lists know others, too, and some twice.
		on := (e - ein.EIN(r.IntN(2))).String()
		if flag(r, 70) {
			g.rows.Masters = append(g.rows.Masters, lists.Master{EIN: on, Name: "X"})
		}
		for range pick(r, []int{0, 1, 1, 2}) {
			g.rows.Pub78 = append(g.rows.Pub78, lists.Deductible{EIN: on, Name: "X", Codes: "PC"})
		}
		for range pick(r, []int{0, 0, 0, 1, 1, 2, 3}) {
			g.rows.Revoked = append(g.rows.Revoked, lists.RevocationRow{EIN: on, Revoked: pick(r, []string{"2010-05-15", "2014-05-15", "2014-05-15", "2020-11-15"}), Reinstated: pick(r, []string{"", "", "2010-05-15", "2014-05-15", "2021-01-01"})})
		}
	}
	// A list without rows is out of service.
	g.rows.Masters = append(g.rows.Masters, lists.Master{EIN: "089999999", Name: "X"})
	g.rows.Pub78 = append(g.rows.Pub78, lists.Deductible{EIN: "089999999", Name: "X", Codes: "PC"})
	g.rows.Revoked = append(g.rows.Revoked, lists.RevocationRow{EIN: "089999999", Revoked: "2010-05-15"})
	slices.SortStableFunc(g.rows.Masters, func(a, b lists.Master) int { return strings.Compare(a.EIN, b.EIN) })
	g.rows.Masters = slices.CompactFunc(g.rows.Masters, func(a, b lists.Master) bool { return a.EIN == b.EIN })
	slices.SortStableFunc(g.rows.Pub78, func(a, b lists.Deductible) int { return strings.Compare(a.EIN, b.EIN) })
	slices.SortStableFunc(g.rows.Revoked, func(a, b lists.RevocationRow) int { return strings.Compare(a.EIN, b.EIN) })
	return g
}

// publish writes the register as a snapshot and an edition.
func (g *register) publish(t *testing.T) (*snapshot.Snapshot, *lists.Edition) {
	t.Helper()
	data := t.TempDir()
	w, err := snapshot.Create(data, world.Built)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		snapshot.WriteTable(w, snapshot.Organizations, slices.Values(g.orgs)),
		snapshot.WriteTable(w, snapshot.Orgs, slices.Values(g.filings)),
		snapshot.WriteTable(w, snapshot.FunderKinds, slices.Values(g.funders)),
		directory.Build(t.Context(), w))
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Publish(snapshot.Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	if w, err = snapshot.Create(lists.Dir(data), world.Built); err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		snapshot.WriteTable(w, lists.Masters, slices.Values(g.rows.Masters)),
		snapshot.WriteTable(w, lists.Deductibles, slices.Values(g.rows.Pub78)),
		snapshot.WriteTable(w, lists.Revocations, slices.Values(g.rows.Revoked)))
	for _, x := range indexes.Lists() {
		err = errors.Join(err, x.Write(t.Context(), w))
	}
	if err != nil {
		t.Fatal(err)
	}
	states := []lists.Status{
		{Name: lists.BMF, Loaded: true, Rows: int64(len(g.rows.Masters)), FetchedAt: world.Built},
		{Name: lists.Pub78, Loaded: true, Rows: int64(len(g.rows.Pub78)), FetchedAt: world.Built},
		{Name: lists.Revocation, Loaded: true, Rows: int64(len(g.rows.Revoked)), FetchedAt: world.Built},
	}
	body, err := json.Marshal(lists.Report{Lists: states})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Publish(snapshot.Manifest{Report: body}); err != nil {
		t.Fatal(err)
	}
	e, err := lists.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

// organizationFilter draws a filter whose values stand in the rows more often
// than not.
func organizationFilter(r *rand.Rand, orgs []snapshot.Organization, filings []snapshot.Org) *directory.Filter {
	f := &directory.Filter{}
	truth := func() *bool { b := flag(r, 50); return &b }
	figure := func(of func(*snapshot.Org) *int64) (x directory.Range) {
		value := func() *int64 {
			v := pick(r, []int64{0, 1, 1000, 1_000_000, -5})
			if len(filings) > 0 && flag(r, 80) {
				if filed := of(&filings[r.IntN(len(filings))]); filed != nil {
					v = *filed
				}
			}
			return &v
		}
		if flag(r, 70) {
			x.Min = value()
		}
		if flag(r, 60) {
			x.Max = value()
		}
		return x
	}
	some := func(of func(*snapshot.Organization) string, other string) (list []string) {
		for _, v := range several(r, func() string {
			return pick(r, []string{of(&orgs[r.IntN(len(orgs))]), of(&orgs[r.IntN(len(orgs))]), other})
		}) {
			if v != "" {
				list = append(list, v)
			}
		}
		return list
	}
	for range pick(r, []int{0, 1, 1, 2, 2, 3, 4, 6}) {
		switch r.IntN(16) {
		case 0, 1:
			f.States = some(func(o *snapshot.Organization) string { return strings.ToUpper(o.State) }, "AK")
		case 2:
			for _, name := range some(func(o *snapshot.Organization) string { return orgname.City(o.City) }, "NOWHERE") {
				c := directory.City{Name: name}
				if flag(r, 50) {
					c.State = pick(r, []string{"CA", "NY", "WA", "AK"})
				}
				f.Cities = append(f.Cities, c)
			}
		case 3:
			for _, z := range some(func(o *snapshot.Organization) string { return o.ZIP5 }, "99999") {
				if flag(r, 40) {
					z = z[:3]
				}
				f.ZIPs = append(f.ZIPs, z)
			}
		case 4:
			f.Counties = some(func(o *snapshot.Organization) string { return o.County }, "99999")
		case 5, 6:
			text := strings.Join(several(r, func() string {
				return pick(r, []string{"B", "A", "E", "T", "B2", "B20", "B42", "A6B", "X2", "Health", "Education", "Human Services"})
			}), ",")
			subject, _ := ntee.ParseSubject(text)
			f.Causes = append(f.Causes, subject)
		case 7:
			f.ReturnTypes = several(r, func() string { return pick(r, []string{"990", "990EZ", "990PF", "990T"}) })
		case 8:
			f.Subsections = some(func(o *snapshot.Organization) string { return o.Subsection }, "19")
		case 9:
			f.FoundationCodes = some(func(o *snapshot.Organization) string { return o.Foundation }, "25")
		case 10:
			f.Accepts = several(r, func() string { return pick(r, grant.Applications()) })
			f.Groups = some(func(o *snapshot.Organization) string { return strings.TrimLeft(o.Group, "0") }, "7")
		case 11:
			f.Revenue = figure(func(o *snapshot.Org) *int64 { return o.TotalRevenue })
		case 12:
			f.Assets = figure(func(o *snapshot.Org) *int64 { return o.TotalAssets })
			f.Expenses = figure(func(o *snapshot.Org) *int64 { return o.TotalExpenses })
		case 13:
			f.GrantsPaid = figure(func(o *snapshot.Org) *int64 { return o.GrantsPaid })
		case 14:
			from, to := int64(1980+r.IntN(45)), int64(1980+r.IntN(45))
			f.RulingYear = pick(r, []directory.Range{{Min: &from}, {Max: &to}, {Min: &from, Max: &to}})
		case 15:
			switch r.IntN(3) {
			case 0:
				f.Pub78 = truth()
			case 1:
				f.Revoked = truth()
			case 2:
				f.InBMF = truth()
			}
		}
	}
	return f
}

// TestDirectoryAgainstDuckDB asks the directory and DuckDB the same random
// questions, of registers from one organization to thousands, and expects the
// same rows in the same order and the same count.
func TestDirectoryAgainstDuckDB(t *testing.T) {
	t.Parallel()
	n, seed := cases(t)
	n *= 2
	sizes := []int{1, 7, 63, 64, 65, 400, 3000, 20_000}
	for round := 0; n > 0; round++ {
		asked := min(n, 200)
		n -= asked
		t.Run(fmt.Sprint("register ", round), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(round)))
			g := inventRegister(r, sizes[round%len(sizes)])
			s, e := g.publish(t)
			compareDirectory(t, r, s, e, g.orgs, g.filings, asked)
		})
	}
	t.Run("world", func(t *testing.T) {
		t.Parallel()
		s := world.Medium.Snapshot(t)
		e, err := lists.Open(world.Medium.Data(t))
		if err != nil {
			t.Fatal(err)
		}
		orgs, filings := rowsOf[snapshot.Organization](t, s, snapshot.Organizations), rowsOf[snapshot.Org](t, s, snapshot.Orgs)
		compareDirectory(t, rand.New(rand.NewPCG(seed, 99)), s, e, orgs, filings, 300)
	})
}

func rowsOf[T any](t *testing.T, s *snapshot.Snapshot, table string) (list []T) {
	t.Helper()
	for row, err := range snapshot.Rows[T](s, table) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

func compareDirectory(t *testing.T, r *rand.Rand, s *snapshot.Snapshot, e *lists.Edition, orgs []snapshot.Organization, filings []snapshot.Org, n int) {
	t.Helper()
	x, err := directory.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	screener, err := screen.Open(&lists.Current{Edition: e})
	if err != nil {
		t.Fatal(err)
	}
	defer screener.Close()
	st, err := screen.NewStanding(x.EINs(), screener)
	if err != nil {
		t.Fatal(err)
	}
	duck, err := oracle.OpenOrganizations(t.Context(), s, e)
	if err != nil {
		t.Fatal(err)
	}
	defer duck.Close()
	wrong := 0
	for range n {
		f := organizationFilter(r, orgs, filings)
		order := directory.Sort{By: directory.Order(r.IntN(5)), Asc: flag(r, 50)}
		limit, offset := pick(r, []int{1, 3, 25, 1000}), 0
		_, hits, err := duck.List(context.Background(), f, order, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		// Pages at both ends of the result, in the middle and past it.
		offset = pick(r, []int{0, 0, 1, r.IntN(hits + 1), max(0, hits-limit), max(0, hits-1), hits, hits + 5})
		want, hits, err := duck.List(context.Background(), f, order, offset, limit)
		if err != nil {
			t.Fatal(err)
		}
		got, count, err := listed(x, st, f, order, offset, limit)
		if err != nil {
			t.Fatal(err)
		}
		if count != hits || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nby %v from %d, %d: %d hits, %d rows, and DuckDB has %d, %d\n%v\n%v", f.Canonical(), order, offset, limit, count, len(got), hits, len(want), firstOf(got), firstOf(want))
			if wrong++; wrong == maxDifferences {
				t.FailNow()
			}
		}
	}
}

func firstOf(rows []directory.Row) string {
	if len(rows) == 0 {
		return ""
	}
	b, _ := json.Marshal(rows[0])
	return string(b)
}

func listed(x *directory.Index, st *screen.Standing, f *directory.Filter, order directory.Sort, offset, limit int) ([]directory.Row, int, error) {
	set, n, err := x.Select(f, st)
	if err != nil {
		return nil, 0, err
	}
	defer x.Release(set)
	page, err := x.Page(set, n, order, offset, limit)
	if err != nil {
		return nil, 0, err
	}
	var rows []directory.Row
	for _, org := range page {
		row, _ := x.Row(org, st)
		rows = append(rows, row)
	}
	return rows, n, nil
}
