package resolve

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// village is a register so crowded that every line meets many organizations: few
// words, few towns, few streets. Facts are drawn from what they are about, so
// that a village can be made again with some of them changed.
type village struct {
	orgs  []Org
	lines []unlistedLine
}

func (v *village) pick(r *rand.Rand) Org {
	kinds := [...]string{"FOUNDATION", "CHURCH", "SCHOOL", "LIBRARY", "CLUB", "SOCIETY", "UNIVERSITY", "FOOD BANK", "POST 7", "POST 8", "NORTH CENTER"}
	name := coin(r.IntN(120))
	for range r.IntN(3) {
		name += " " + coin(r.IntN(120))
	}
	name += " " + kinds[r.IntN(len(kinds))]
	zip := r.IntN(8)
	o := Org{Name: name, Street: fmt.Sprintf("%d %s ST", 1+r.IntN(9), coin(r.IntN(4))), City: coin(900 + zip/2), State: "OH", ZIP5: fmt.Sprintf("44%d01", zip),
		Foundation: []string{"15", "03", "10"}[r.IntN(3)], Subsection: []string{"03", "04", ""}[r.IntN(3)], Revenue: int64(r.IntN(4096)), Sources: BMF, Active: r.IntN(6) > 0}
	// Namesakes, chapters and those who add their place to a name.
	if len(v.orgs) > 0 && r.IntN(8) == 0 {
		if o.Name = v.orgs[r.IntN(len(v.orgs))].Name; r.IntN(3) == 0 {
			o.Name += " " + coin(r.IntN(120))
		}
	}
	if r.IntN(3) > 0 {
		o.Group, o.Affiliation = "0042", []string{"9", "9", "6"}[r.IntN(3)]
	}
	if r.IntN(4) == 0 {
		o.State, o.ZIP5 = "PA", fmt.Sprintf("19%d01", zip)
	}
	if r.IntN(5) == 0 {
		o.Aliases = []string{coin(r.IntN(120)) + " " + coin(r.IntN(120))}
	}
	if r.IntN(8) == 0 {
		o.Others = []Location{{Street: "1 " + coin(1) + " ST", City: coin(900), State: "OH", ZIP5: "44001"}}
	}
	return o
}

func (v *village) universe() *Universe {
	b := NewUniverse()
	for _, o := range v.orgs {
		b.Add(o)
	}
	for _, f := range v.lines {
		b.AddFiled(f.funder, f.filed, orgname.Key(f.spelling), f.spelling, f.at)
	}
	return b.Build()
}

// line names some organization, more or less.
func (v *village) line(r *rand.Rand) Recipient {
	o := v.orgs[r.IntN(len(v.orgs))]
	t := Recipient{Name1: o.Name, Street: o.Street, City: o.City, State: o.State, ZIP: o.ZIP5}
	switch r.IntN(7) {
	case 0:
		t.Name1 = t.Name1[:len(t.Name1)*2/3]
	case 1:
		t.Name1 += " " + coin(r.IntN(140))
	case 2:
		at := 1 + r.IntN(len(t.Name1)-2)
		t.Name1 = t.Name1[:at] + "Q" + t.Name1[at:]
	case 3:
		t.Name1 = coin(r.IntN(120)) + " " + coin(r.IntN(120))
	case 4:
		t.Name1 += " (" + coin(r.IntN(120)) + " " + coin(r.IntN(120)) + ")"
	}
	t.TaxStatus = []TaxStatus{StatusUnsaid, Exempt3, Government, PublicCharity, PrivateFoundation}[r.IntN(5)]
	switch r.IntN(7) {
	case 0:
		t.Street, t.ZIP = "", ""
	case 1:
		t.State, t.City = "", ""
	case 2:
		t.Filed = o.EIN
	case 3:
		t.Filed = o.EIN + 1
	case 4:
		t.Street = "c/o A BANK"
	case 5:
		at := &v.orgs[r.IntN(len(v.orgs))]
		t.Street, t.City, t.ZIP = at.Street, at.City, at.ZIP5
	}
	return t
}

func (v *village) file(r *rand.Rand) unlistedLine {
	o := v.orgs[r.IntN(len(v.orgs))]
	f := unlistedLine{filed: o.EIN, funder: ein.EIN(800000001 + r.IntN(30)), spelling: o.Name, at: Location{o.Street, o.City, o.State, o.ZIP5}}
	switch r.IntN(4) {
	case 0:
		f.spelling = coin(r.IntN(120)) + " " + coin(r.IntN(120))
	case 1:
		f.filed = ein.EIN(770000000 + r.IntN(5))
	}
	return f
}

// change makes one small change of the kinds that a month brings.
func (v *village) change(r *rand.Rand) {
	at := r.IntN(len(v.orgs))
	switch r.IntN(8) {
	case 0:
		o := v.pick(r)
		o.EIN = ein.EIN(340000000 + r.IntN(1_000_000)*7 + 3)
		v.orgs = append(v.orgs, o)
	case 1:
		v.orgs = append(v.orgs[:at], v.orgs[at+1:]...)
	case 2:
		v.orgs[at].Active = !v.orgs[at].Active
	case 3:
		v.orgs[at].Revenue *= 3
	case 4:
		e := v.orgs[at].EIN
		v.orgs[at] = v.pick(r)
		v.orgs[at].EIN = e
	case 5:
		v.lines = append(v.lines, v.file(r))
	case 6:
		v.orgs[at].Street, v.orgs[at].ZIP5 = "3 "+coin(2)+" ST", "44301"
	case 7:
		v.orgs[at].Affiliation = map[string]string{"6": "9"}[v.orgs[at].Affiliation]
	}
}

// TestSameBasis holds what SameBasis promises: an answer that stands after a change is
// the one that would be given now. And most stand, or there would be no point.
func TestSameBasis(t *testing.T) {
	t.Parallel()
	prior := Prior()
	var kept, asked, differ [byAnything + 1]int
	for round := range 60 {
		r := rand.New(rand.NewPCG(uint64(round), 77))
		v := new(village)
		for i := range 400 {
			o := v.pick(r)
			o.EIN = ein.EIN(340000000 + 11*i)
			v.orgs = append(v.orgs, o)
		}
		for range 300 {
			v.lines = append(v.lines, v.file(r))
		}
		lines := make([]Recipient, 300)
		for i := range lines {
			lines[i] = v.line(r)
		}
		before := New(v.universe(), Options{Model: prior})
		for range 1 + r.IntN(4) {
			v.change(r)
		}
		after := New(v.universe(), Options{Model: prior})
		for i := range lines {
			l := &lines[i]
			n := parse(l)
			was, seen := before.ResolveWithBasis(l, n)
			is := after.Resolve(l, n)
			far := before.depthOf(&query{t: l, n: n}, was)
			if !before.SameBasis(l, n, was, seen) {
				t.Fatalf("round %d: the answer to %+v does not stand where it was given", round, *l)
			}
			asked[far]++
			if was != is {
				differ[far]++
			}
			if !after.SameBasis(l, n, was, seen) {
				continue
			}
			kept[far]++
			if was != is {
				t.Fatalf("round %d: %+v was %+v and is %+v, and nothing it rests on seems to have changed", round, *l, was, is)
			}
		}
	}
	for far := range asked {
		t.Logf("depth %d: %d lines, %d answers changed, %d could be kept", far, asked[far], differ[far], kept[far])
		if differ[far] == 0 {
			t.Errorf("at depth %d no answer changed: the changes are too small to test anything", far)
		}
	}
	if kept[byNameAlone]*10 < asked[byNameAlone]*9 || kept[byAnything]*5 < asked[byAnything] {
		t.Error("too few answers could be kept")
	}
}

// TestBasisByName holds for what a name alone rests on, of which a village at
// random has too little: who is central to a group, and who is at the address.
func TestBasisByName(t *testing.T) {
	t.Parallel()
	org := func(e ein.EIN, name, street, zip, affiliation string) Org {
		return Org{EIN: e, Name: name, Street: street, City: "EXAMPLE", State: "OH", ZIP5: zip, Group: "5931", Affiliation: affiliation, Sources: BMF, Active: true}
	}
	for name, c := range map[string]struct {
		line          Recipient
		before, after []Org
	}{
		"the centre becomes a chapter": {
			Recipient{Name1: "OHIO 4-H COUNCIL", State: "OH", ZIP: "44101"},
			[]Org{org(70000001, "OHIO 4-H COUNCIL", "", "", "9"), org(70000002, "OHIO 4-H COUNCIL", "", "44101", "6")},
			[]Org{org(70000001, "OHIO 4-H COUNCIL", "", "", "9"), org(70000002, "OHIO 4-H COUNCIL", "", "44101", "9")},
		},
		"somebody moves in": {
			Recipient{Name1: "HOMES FOR NEIGHBORS", Street: "77 MILL RD", State: "OH", ZIP: "43001"},
			[]Org{org(70000001, "HOMES FOR NEIGHBORS", "1 ELM ST", "44101", "3")},
			[]Org{org(70000001, "HOMES FOR NEIGHBORS", "1 ELM ST", "44101", "3"), org(70000002, "HOMES FOR NEIGHBORS VALLEY", "77 MILL RD", "43001", "3")},
		},
	} {
		before, after := New(build(c.before...), Options{}), New(build(c.after...), Options{})
		n := parse(&c.line)
		was, seen := before.ResolveWithBasis(&c.line, n)
		if was.Rule != Name || !before.SameBasis(&c.line, n, was, seen) {
			t.Errorf("%s: %+v before", name, was)
		}
		if after.SameBasis(&c.line, n, was, seen) {
			t.Errorf("%s: %+v still stands, and is %+v", name, was, after.Resolve(&c.line, n))
		}
	}
}

// TestBasisOfSettings holds that other rulings, rules and models are other answers.
func TestBasisOfSettings(t *testing.T) {
	t.Parallel()
	u, labels := school(t, 500, 200)
	plain := New(u, Options{})
	other := *Prior()
	other.Origin = "other"
	for name, r := range map[string]*Resolver{
		"a rule off": New(u, Options{Off: []Rule{Name}}),
		"a model":    New(u, Options{Model: Prior()}),
	} {
		changed := false
		for i := range labels {
			l := &labels[i]
			m, seen := plain.ResolveWithBasis(&l.Recipient, l.Name)
			changed = changed || !r.SameBasis(&l.Recipient, l.Name, m, seen)
		}
		if !changed {
			t.Errorf("%s makes no difference", name)
		}
	}
	if other.Digest() == Prior().Digest() {
		t.Error("two models with one digest")
	}
}
