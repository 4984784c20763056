package resolve

import (
	"math/rand/v2"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve/model"
)

// TestModelNeedsAName asks for lines whose organization nobody knows, in a
// building where well-known ones are: none of these is meant.
func TestModelNeedsAName(t *testing.T) {
	t.Parallel()
	const street, city, zip = "235 MARKET ST", "DAYTON", "45402"
	famous := []string{"HARBOR COMMUNITY FOUNDATION", "QRL FOUNDATION", "LIBERTIES LEAGUE FOUNDATION", "AGAINST SLANDER LEAGUE", "UNITED GIVERS OF METROPOLITAN DAYTON"}
	b := NewUniverse()
	for i := range 400 {
		b.Add(invent(i))
	}
	for i, name := range famous {
		o := Org{EIN: ein.EIN(70200001 + i), Name: name, Street: street, City: city, State: "OH", ZIP5: zip, Foundation: "15", Subsection: "03", Revenue: 90_000_000, Sources: BMF, Active: true}
		b.Add(o)
		for f := range 60 { // everybody pays it
			b.AddFiled(FiledRecipient{o.EIN, parse(&Recipient{Name1: name}).KX, name, Location{Street: street, City: city, State: "OH", ZIP5: zip}}, ein.EIN(80000001+f))
		}
	}
	r := New(b.Build(), Options{Model: Prior()})
	for _, name := range []string{"WEATHERWORKS FOUNDATION", "WALLACE KINDLING LEGACY FDN", "INTL FEVER VACCINE INITIATIVE", "ZXFPA", "IQQ", "DAYTON"} {
		for _, at := range []string{street, "9 OTHER ST"} {
			line := Recipient{Name1: name, Street: at, City: city, State: "OH", ZIP: zip}
			if m := r.ResolveBlind(&line, parse(&line), funder, ein.None); m.EIN != ein.None {
				t.Errorf("%s at %s is given to %s by %s (%.3f)", name, at, m.EIN, m.Rule, m.Prob)
			}
		}
	}
}

// TestAnyNamed holds the answers of lines that may name nobody against those that
// come of measuring every candidate.
func TestAnyNamed(t *testing.T) {
	t.Parallel()
	const orgs = 3_000
	r := New(inventUniverse(orgs), Options{Model: Prior()})
	rng := rand.New(rand.NewPCG(4, 2))
	vain, answers := 0, 0
	for range 4_000 {
		o, other := invent(rng.IntN(orgs)), invent(rng.IntN(orgs))
		line := Recipient{Name1: o.Name, Street: o.Street, City: o.City, State: o.State, ZIP: o.ZIP5}
		if at := strings.IndexByte(other.Name, ' '); rng.IntN(3) > 0 {
			line.Name1 = other.Name[:at] + " " + o.Name[rng.IntN(len(o.Name)):]
		}
		if rng.IntN(2) == 0 {
			line.Street = other.Street
		}
		q := &query{t: &line, n: parse(&line)}
		q.prepare()
		r.prepareStreet(q)
		known := r.einCounts(q)
		got := r.byModel(q, known)
		s := r.u.searches.get()
		r.candidates(q, s, known)
		r.measure(q, s, known)
		want := r.choose(q, s)
		if got != want {
			t.Fatalf("%+v: %+v, and %+v by measuring all", line, got, want)
		}
		if len(s.found) > 0 && !r.anyNamed(q, s) {
			vain++
		}
		if want != (Match{}) {
			answers++
		}
		r.u.searches.pool.Put(s)
	}
	if vain < 100 || answers < 100 {
		t.Errorf("%d lines are measured in vain and %d have an answer: too few to tell", vain, answers)
	}
}

// TestCoverage makes the model sure where all is loaded, doubtful where less is,
// and silent where nothing is.
func TestCoverage(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	for i := range 2_000 {
		b.Add(invent(i))
	}
	u := b.Build()
	var labels []Label
	add := func(n int, state string, truth func(i int) ein.EIN) {
		for i := range n {
			l := Recipient{Name1: coin(i) + " " + coin(7*i), State: state}
			labels = append(labels, Label{Recipient: l, Name: parse(&l), Funder: funder, Truth: truth(i)})
		}
	}
	known := func(i int) ein.EIN { return invent(i).EIN }
	nobody := func(i int) ein.EIN { return ein.EIN(139000000 + i) }
	add(100, "OH", known)
	add(50, "NY", known)
	add(50, "NY", nobody)
	add(90, "ZZ", nobody)
	add(60, "HI", nobody) // of which nothing was loaded
	r := New(u, Options{})
	c, m := r.MeasureCoverage(labels, 0, 0), &model.Model{Outside: 0.5}
	if u.Covered("HI") || !u.Covered("OH") {
		t.Fatal("the wrong states are covered")
	}
	oh, ny, pa, hi := c.shift(u, m, codeOf("OH")), c.shift(u, m, codeOf("NY")), c.shift(u, m, codeOf("PA")), c.shift(u, m, codeOf("HI"))
	if !(oh > pa && pa > ny && ny > hi) {
		t.Errorf("shifts: all known %g, average %g, half known %g, none loaded %g", oh, pa, ny, hi)
	}
	if c.Lines != 200 || c.Known != 150 {
		t.Errorf("%d of %d lines are of organizations known", c.Known, c.Lines)
	}
	if p := New(u, Options{}).opt.Coverage.shift(u, m, codeOf("OH")); p != 0 {
		t.Errorf("nothing is known, and the shift is %g", p)
	}
	if few := r.MeasureCoverage(nil, 0, 0); few.Outside != Outside {
		t.Errorf("without labels %g of lines have no organization, want %g", few.Outside, Outside)
	}
	if asked := r.MeasureCoverage(labels, 4_000, 5_000); asked.Outside < leastOutside || asked.Outside > mostOutside {
		t.Errorf("outside is %g", asked.Outside)
	}
}
