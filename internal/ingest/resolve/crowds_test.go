package resolve

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/typo"
)

// TestCrowds asks for namesakes by place, and looks through all of them for the
// same answer.
func TestCrowds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
		names := []string{"FIRST BAPTIST CHURCH", "LANTERN LEGION", "ELM GARDEN CLUB"}
		at := func() Location {
			return Location{Street: "1 ELM ST", City: pick("", coin(rnd.IntN(200))), State: pick("OH", "OH", "OH", "IN"), ZIP5: fmt.Sprintf("44%03d", 1+rnd.IntN(400))}
		}
		b := NewUniverse()
		for i := range 400 {
			home := at()
			o := Org{EIN: ein.EIN(340000000 + i), Name: names[rnd.IntN(len(names))], Street: home.Street, City: home.City, State: home.State, ZIP5: home.ZIP5,
				Sources: BMF, Active: rnd.IntN(5) > 0, Group: pick("0000", "0000", "1234"), Affiliation: pick("3", "9", "6")}
			for range rnd.IntN(3) {
				o.Others = append(o.Others, at())
			}
			if rnd.IntN(3) == 0 {
				o.Aliases = []string{names[rnd.IntN(len(names))]}
			}
			b.Add(o)
		}
		u := b.Build()
		r := New(u, Options{})
		if len(u.crowds.list) == 0 {
			t.Fatal("there is no crowd")
		}
		found := 0
		for range 600 {
			where := at()
			line := Recipient{Name1: names[rnd.IntN(len(names))], City: where.City, State: where.State, ZIP: pick(where.ZIP5, "")}
			n := line.ParseName()
			q := &query{t: &line, n: &n}
			if rnd.IntN(2) == 0 {
				q.absent = ein.EIN(340000000 + rnd.IntN(400))
			}
			q.prepare()
			entries := inState(u.names.find(n.KX), q.state)
			got, want := r.bearerByPlace(q, entries), scanBearers(r, q, entries)
			if got != want {
				t.Fatalf("seed %d, %+v: found %v, and %v one by one", seed, line, got, want)
			}
			if got != ein.None {
				found++
			}
		}
		if found == 0 {
			t.Error("nobody was found")
		}
	}
}

// scanBearers is bearerByPlace without any index.
func scanBearers(r *Resolver, q *query, entries []nameEntry) ein.EIN {
	only := func(is func(l Location) bool) ein.EIN {
		var p soleOrg
		for _, e := range entries {
			o := &r.u.orgs[e.id]
			all := append([]Location{{o.Street, o.City, o.State, o.ZIP5}}, o.Others...)
			if slices.ContainsFunc(all, is) && !r.excluded(q, e.id) && !(e.alias && (r.isAffiliate(q.n, e.id) || r.attached(q.n, e.id))) {
				p.add(r.u, e.id, e.alias)
			}
		}
		return r.sole(q, &p)
	}
	if q.zip != 0 {
		if e := only(func(l Location) bool { return zipCode(l.ZIP5) == q.zip }); e != ein.None {
			return e
		}
	}
	city := orgname.City(q.t.City)
	if city == "" {
		return ein.None
	}
	return only(func(l Location) bool { return codeOf(l.State) == q.state && orgname.City(l.City) == city })
}

// TestNameSign checks that a sketch passes over no key that it must not.
func TestNameSign(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		words := make([]string, 1+rnd.IntN(5))
		for i := range words {
			words[i] = coin(rnd.IntN(300))
			if rnd.IntN(6) == 0 {
				words[i] = fmt.Sprint(rnd.IntN(2000))
			}
		}
		kx := strings.Join(words, "")
		sign := signOf(kx)
		at, letter := rnd.IntN(len(kx)), string("ABCXYZ0189"[rnd.IntN(10)])
		for _, other := range []string{kx[:at] + kx[at+1:], kx[:at] + letter + kx[at:], kx[:at] + letter + kx[at+1:],
			kx[:at] + string(kx[min(at+1, len(kx)-1)]) + string(kx[at]) + kx[min(at+2, len(kx)):]} {
			if typo.OneSlip(kx, other) && !sign.mayBeOneEdit(signOf(other)) {
				t.Fatalf("%q and %q are one edit apart", kx, other)
			}
		}
		if long := strings.Repeat(kx, 40); !signOf(long).mayBeOneEdit(signOf(long[1:])) {
			t.Fatalf("%q is one edit apart from itself without its first letter", long)
		}
		slices.Sort(words)
		if !sign.mayBeReordered(signOf(strings.Join(words, ""))) {
			t.Fatalf("%q has the words %q", kx, words)
		}
		if begin := kx[:min(3, len(kx))]; len(begin) == 3 && !signOf(begin).mayBegin(sign) {
			t.Fatalf("%q begins with %q", kx, begin)
		}
	}
}

// TestSearchAdds fills one search again and again, beyond its slots, and counts
// along.
func TestSearchAdds(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	var pool searches
	s := pool.get()
	for round := range 40 {
		s.found = s.found[:0]
		want := map[uint32]float32{}
		for range rnd.IntN(3 * fewSlots) {
			name := uint32(rnd.IntN(1 + fewSlots<<(round%3)))
			s.add(name, 1)
			want[name]++
		}
		if len(s.found) != len(want) {
			t.Fatalf("round %d: %d names of %d", round, len(s.found), len(want))
		}
		for _, c := range s.found {
			if want[c.name] != c.rough {
				t.Fatalf("round %d: name %d has %v of %v", round, c.name, c.rough, want[c.name])
			}
		}
	}
}

// TestKeepBest compares the choice of candidates with a sort of all of them.
func TestKeepBest(t *testing.T) {
	t.Parallel()
	u := inventUniverse(2000)
	r, rnd := New(u, Options{}), rand.New(rand.NewPCG(7, 8))
	for range 300 {
		o := &u.orgs[rnd.IntN(len(u.orgs))]
		q := &query{t: &Recipient{City: o.City, State: o.State, ZIP: o.ZIP5}, n: &orgname.Name{}, absent: o.EIN}
		q.prepare()
		s := u.searches.get()
		for range 1 + rnd.IntN(300) {
			s.add(uint32(rnd.IntN(len(u.orgs))), float32(rnd.IntN(40))*step)
		}
		all := slices.DeleteFunc(slices.Clone(s.found), func(c candidate) bool { return u.orgs[c.name].EIN == o.EIN })
		for i := range all {
			c := &all[i]
			if q.zip != 0 && zipCode(u.orgs[c.name].ZIP5) == q.zip {
				c.rough += sameZIP
			}
			if u.orgs[c.name].City == o.City {
				c.rough += sameCity
			}
		}
		slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.rough, a.rough), cmp.Compare(a.name, b.name)) })
		var want, got []uint32
		for _, c := range all[:min(len(all), maxCandidates)] {
			want = append(want, c.name)
		}
		slices.Sort(want)
		r.keepBest(q, s)
		for _, c := range s.found {
			got = append(got, c.name)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v are kept of %v", got, want)
		}
		u.searches.pool.Put(s)
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 300} {
		b := NewUniverse()
		for i := range n {
			b.Add(Org{EIN: ein.EIN(10000000 + i*i*i), Name: "ELM GARDEN CLUB", State: "OH", Sources: BMF})
		}
		u := b.Build()
		for i := range u.orgs {
			if at, ok := u.position(u.orgs[i].EIN); !ok || at != i {
				t.Errorf("of %d, %v stands at %d (%v), not %d", n, u.orgs[i].EIN, at, ok, i)
			}
		}
		for _, e := range []ein.EIN{ein.None, 1, 9999999, 10000002, 999999999} {
			if _, ok := u.position(e); ok {
				t.Errorf("of %d, %v is known", n, e)
			}
		}
	}
}
