package resolve

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve/model"
)

// school is an invented register with lines that name its organizations badly.
func school(t testing.TB, orgs, lines int) (*Universe, []Label) {
	t.Helper()
	b := NewUniverse()
	for i := range orgs {
		b.Add(invent(i))
	}
	u := b.Build()
	var labels []Label
	for i := range lines {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		o := invent(r.IntN(orgs))
		l := Recipient{Name1: o.Name, Street: o.Street, City: o.City, State: o.State, ZIP: o.ZIP5}
		switch r.IntN(4) {
		case 0:
			l.Name1 = l.Name1[:len(l.Name1)*2/3]
		case 1:
			l.Name1 += " " + coin(r.IntN(60_000))
		case 2:
			at := 1 + r.IntN(len(l.Name1)-2)
			l.Name1 = l.Name1[:at] + "QX" + l.Name1[at:]
		}
		if r.IntN(3) == 0 {
			l.Street, l.ZIP = "PO BOX 9", fmt.Sprintf("%05d", r.IntN(30000)*3)
		}
		labels = append(labels, Label{Recipient: l, Name: parse(&l), Funder: ein.EIN(80000001 + r.IntN(50)), Truth: o.EIN})
	}
	return u, labels
}

func file(t testing.TB, m *model.Model) string {
	t.Helper()
	if m == nil {
		t.Fatal("no model")
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTrain learns from bad names and then finds organizations by other bad
// names as often as it says.
func TestTrain(t *testing.T) {
	t.Parallel()
	u, labels := school(t, 4_000, 9_000)
	r := New(u, Options{})
	m := r.Train(labels[:7_000], Outside)
	if m == nil {
		t.Fatal("too few labels")
	}
	if m.Metrics.Blocking < 0.9 || m.Metrics.Precision < 0.8 || m.Metrics.ECE > 0.06 {
		t.Errorf("metrics %+v", m.Metrics)
	}
	asked := New(u, Options{Model: m})
	answers, right, claimed := 0, 0, 0.0
	for i := range labels[7_000:] {
		l := &labels[7_000+i]
		got := asked.ResolveBlind(&l.Recipient, l.Name, l.Funder, ein.None)
		if got.Rule != Model {
			continue
		}
		if got.Prob < model.Accept || got.Prob > model.Cap {
			t.Fatalf("probability %g", got.Prob)
		}
		answers++
		claimed += got.Prob
		if got.EIN == l.Truth {
			right++
		}
	}
	if answers < 100 || float64(right) < claimed*0.95 {
		t.Errorf("%d answers, %d right, %.0f claimed", answers, right, claimed)
	}
}

func TestTrainDoesNotDependOnOrder(t *testing.T) {
	u, labels := school(t, 2_000, 7_000)
	r := New(u, Options{})
	want := file(t, r.Train(labels, 0.4))
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := file(t, r.Train(labels, 0.4)); got != want {
		t.Error("another order of labels on one core gives another model")
	}
}

func TestTrainWithoutLabels(t *testing.T) {
	t.Parallel()
	r := New(testUniverse(), Options{})
	if m := r.Train(nil, Outside); m != nil {
		t.Error("a model was learned from nothing")
	}
	if m := Prior(); m.Origin != "prior" || len(m.Features) != nFeatures {
		t.Errorf("the prior says it is %q and has %d of %d features", m.Origin, len(m.Features), nFeatures)
	}
}

// TestCandidates finds an organization by each way there is.
func TestCandidates(t *testing.T) {
	t.Parallel()
	u := casebook()
	r := New(u, Options{})
	for name, c := range map[string]struct {
		line Recipient
		want ein.EIN
	}{
		"a rare word in the state":     {Recipient{Name1: "FRIENDS OF THE WOODPECKER", State: "OH"}, typos},
		"a rare word anywhere":         {Recipient{Name1: "HEDGEHOGS TODAY", State: "HI"}, national},
		"the street":                   {Recipient{Name1: "ZZZ", Street: "12 Oak St", State: "OH", ZIP: "45801"}, typos},
		"a small town":                 {Recipient{Name1: "ZZZ", State: "OH", ZIP: "45801"}, institut},
		"the beginning of the letters": {Recipient{Name1: "WOODPECKEROBSERVATORYOHIO", State: "HI"}, typos},
		"a parent with a place behind": {Recipient{Name1: "NATIONAL LEAGUE FOR HEDGEHOGS IDAHO", State: "ID"}, national},
		"initials":                     {Recipient{Name1: "OIG", State: "OH"}, institut},
		"what filers call it":          {Recipient{Name1: "HEALTH SCIENCES CENTER GREAT PLAINS", State: "OK"}, second},
		"a trade name of the line":     {Recipient{Name1: "QQQ DBA WOODPECKER OBSERVATORY CLUB", State: "OH"}, typos},
	} {
		if r.Standing(&c.line, parse(&c.line), 0, c.want) == NotCandidate {
			t.Errorf("%s: not considered", name)
		}
	}
	none := Recipient{Name1: "WOODPECKER OBSERVATORY", State: "OH"}
	r.measureLabel(&Label{Recipient: none, Name: parse(&none), Truth: typos}, typos, func(s *search) {
		for i := range s.found {
			if u.orgs[u.index.orgOf(s.found[i].name)].EIN == typos {
				t.Error("an organization taken away is considered")
			}
		}
	})
}

// TestBlindForgetsTheFunder checks that nothing a funder filed helps to answer
// its own lines.
func TestBlindForgetsTheFunder(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	b.Add(Org{EIN: lantern, Name: "LANTERN HOUSE", State: "OH", Sources: BMF, Active: true})
	line := Recipient{Name1: "THE LAMP PEOPLE", State: "OH"}
	n := parse(&line)
	for range 6 {
		b.AddFiled(FiledRecipient{lantern, n.KX, line.Name1, Location{State: "OH"}}, funder)
	}
	for _, f := range []ein.EIN{80000002, 80000003, funder} {
		b.AddFiled(FiledRecipient{unknown, "TOWNHALL", "TOWN HALL", Location{State: "OH"}}, f)
	}
	r := New(b.Build(), Options{Model: Prior()})
	if got := r.Resolve(&line, n); got != found(Registry, lantern) {
		t.Errorf("the registry says %+v", got)
	}
	if got := r.ResolveBlind(&line, n, funder, ein.None); got.EIN != ein.None {
		t.Errorf("the funder's own lines help to find %v by %s", got.EIN, got.Rule)
	}
	if got := r.ResolveBlind(&line, n, 80000002, lantern); got.EIN != ein.None {
		t.Errorf("an absent organization is found: %+v", got)
	}
	town := Recipient{Name1: "TOWN HALL", State: "OH"}
	if !r.Knows(unknown, ein.None) || r.Knows(unknown, funder) {
		t.Error("a body known from three funders is known without one of them")
	}
	if got := r.ResolveBlind(&town, parse(&town), funder, ein.None); got != found(Registry, unknown) {
		t.Errorf("what two other funders state is not found: %+v", got)
	}
}
