package abroad

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/orgname"
)

// spell makes a spelling from "name @ city # rows ' year", all but the name
// optional.
func spell(text string) Spelling {
	s := Spelling{Country: "UK", Rows: 1, FirstYear: 2020}
	if head, year, ok := strings.Cut(text, " ' "); ok {
		text = head
		fmt.Sscan(year, &s.FirstYear)
	}
	if head, rows, ok := strings.Cut(text, " # "); ok {
		text = head
		fmt.Sscan(rows, &s.Rows)
	}
	s.Raw, s.City, _ = strings.Cut(text, " @ ")
	s.Name = orgname.ParseLine(s.Raw, "", s.City, "")
	s.Kind = KindOf(s.Raw, "", false)
	return s
}

func spellAll(texts ...string) (all []Spelling) {
	for _, t := range texts {
		all = append(all, spell(t))
	}
	return all
}

// groups lists the clusters of spellings as sets of their texts.
func groups(t *testing.T, all []Spelling, keys Keys) string {
	t.Helper()
	c := Cluster(all, keys)
	by := make(map[string][]string)
	for i := range all {
		id, ok := c.Of(all[i].Country, all[i].Name.KX, all[i].Kind)
		if !ok {
			t.Fatalf("%q is in no cluster", all[i].Raw)
		}
		by[id] = append(by[id], all[i].Raw)
	}
	var out []string
	for _, g := range by {
		out = append(out, strings.Join(distinct(g), " = "))
	}
	slices.Sort(out)
	return strings.Join(out, " | ")
}

func TestMerges(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		a, b string
		why  reason
	}{
		{"Umbra Relief", "UMBRA RELIEF LTD", sameStem},
		{"Umbra Hilfe", "Umbra Hilfe e.V.", sameStem},
		{"Umbra Hilfe gGmbH", "Umbra Hilfe gGmbH AG", sameStem},
		{"Umbra Vida @ Leon", "UMBRA VIDA, A.C. @ Toluca", sameStem},
		{"Umbra Vida S. A.", "Umbra Vida", sameStem},
		{"Les Amis d'Umbra ASBL", "ASBL Les Amis d'Umbra", sameStem},
		{"Umbra Works (Pty) Ltd", "UMBRA WORKS PTY LTD", sameStem},
		{"Umbra Relief Kampala @ Kampala", "Umbra Relief Kampla @ KAMPALA", oneEdit},
		{"Umbra Relief Kampala @ Kampala", "Umbra Releif Kampala", oneEdit},
		{"Umbra Relief Kampala", "Umbra Rellief Kampala", oneEdit},
		{"Foundation Umbra Geneve", "Fondation Umbra Geneve", oneEdit},
		{"Umbra Institute of Lisbon", "Lisbon Umbra Institute @ Lisbon", sameBag},
		{"Umbra Umbra Institute", "Umbra Institute", sameBag},
		{"Umbra Medical and Research Fund (UMREF)", "UMREF @ Nairobi", linked},
		{"Umbra Medical and Research Fund (UMRF)", "Umbra Medical and Research Fund - UMRF", linked},
		{"Umbra Medical and Research Fund (UMRF)", "UMRF Umbra Medical and Research Fund", linked},
		{"(UMRF) Umbra Medical and Research Fund", "UMRF", linked},
		{"UMR (Umbra Medical Research)", "Umbra Medical Research", linked},
		{"Umbra Penumbra Obscura Tenebra Nocturna Lucerna Vesper Aurora Aeterna Minor", "Umbra Penumbra Obscura Tenebra Nocturna Lucerna Vesper Aurora Aeterna Minor Services", sameWords},
	} {
		all := spellAll(x.a, x.b)
		// A word that every name has carries no weight.
		for i := range 40 {
			all = append(all, spell("Solitary"+strings.Repeat(string(rune('A'+i%26)), 3+4*(i/26))+" Services"))
		}
		c := Cluster(all, Keys{})
		a, _ := c.Of("UK", all[0].Name.KX, Org)
		b, _ := c.Of("uk", all[1].Name.KX, Org)
		if a != b || a == "" {
			t.Errorf("%s: %q (%s) and %q (%s) are not merged", x.why, x.a, all[0].Name.K2, x.b, all[1].Name.K2)
			continue
		}
		forms := gatherForms(all, Keys{})
		n := newCountry(forms, newWordWeights(forms))
		n.findMerges()
		got := sameStem
		for _, r := range n.near {
			got = r
		}
		if got != x.why {
			t.Errorf("%q and %q are merged for %s, want %s", x.a, x.b, got, x.why)
		}
	}
}

func TestStaysApart(t *testing.T) {
	t.Parallel()
	for _, x := range [][2]string{
		{"Umbra Relief Kampala @ Kampala", "Umbra Relief Kampla @ Jinja"},                                 // different cities
		{"Umbra Institute Lisbon @ Lisbon", "Lisbon Umbra Institute @ Porto"},                             // different cities
		{"Umbra Primary School 7", "Umbra Primary School 8"},                                              // numbers
		{"Umbra Primary School 7", "Umbra Primary School"},                                                // a number
		{"Umbra Relief North Kampala", "Umbra Relief South Kampala"},                                      // directions
		{"Umbra Relief East Kampala", "Umbra Relief West Kampala"},                                        // directions
		{"Umbra House Block B Kampala", "Umbra House Block C Kampala"},                                    // letters that number
		{"Umbra Proyecto Fase I Leon", "Umbra Proyecto Fase II Leon"},                                     // numerals
		{"Hogar de Niños Umbra", "Hogar de Niñas Umbra"},                                                  // boys and girls
		{"Fundacion Mario Umbra", "Fundacion Maria Umbra"},                                                // a man and a woman
		{"Umbra Maria", "Umbra Marie"},                                                                    // too short for a slip
		{"Umbra Trust", "Umbra"},                                                                          // a trust is something else
		{"Stichting Umbra", "Umbra"},                                                                      // kept
		{"Umbra Relief (Kenya)", "Kenya"},                                                                 // no acronym
		{"Umbra Relief (UK)", "UK"},                                                                       // too short
		{"Umbra Relief Fund (XYZ)", "XYZ"},                                                                // abbreviates something else
		{"Umbra Relief Fund (URF) @ Jinja", "URF @ Kampala"},                                              // different cities
		{"Umbra Relief Kampala Group", "Umbra Relief Kampala"},                                            // a word of weight
		{"Friends of the Umbra Lucerna Museum of Tenebra Art", "The Umbra Lucerna Museum of Tenebra Art"}, // affiliate
		{"Ministry of Umbra Affairs", "Ministries of Umbra Affairs"},                                      // a government and a church, two edits besides
	} {
		if got := groups(t, spellAll(x[0], x[1]), Keys{}); !strings.Contains(got, " | ") {
			t.Errorf("%s are merged", got)
		}
	}
}

// Two names that claim one acronym leave it alone, and so do two countries.
func TestAmbiguous(t *testing.T) {
	t.Parallel()
	all := spellAll("Umbra Relief Fund (URF)", "Universal Rescue Force (URF)", "URF # 9")
	if got, want := groups(t, all, Keys{}), "URF | Umbra Relief Fund (URF) | Universal Rescue Force (URF)"; got != want {
		t.Errorf("got %s", got)
	}
	all = spellAll("Umbra Relief", "Umbra Relief Ltd")
	all[1].Country = "EI"
	if got := groups(t, all, Keys{}); !strings.Contains(got, " | ") {
		t.Errorf("got %s", got)
	}
}

func TestKindsStayApart(t *testing.T) {
	t.Parallel()
	all := spellAll("Umbra Relief Kampala", "Umbra Relief Kampalla", "Umbra Relief Kampala Ltd")
	all[1].Kind = Gov
	if got, want := groups(t, all, Keys{}), "Umbra Relief Kampala = Umbra Relief Kampala Ltd | Umbra Relief Kampalla"; got != want {
		t.Errorf("got %s", got)
	}
	c := Cluster(all, Keys{})
	if id, _ := c.Of("UK", all[1].Name.KX, Gov); c.Kind(id) != Gov {
		t.Errorf("%s is of kind %s", id, c.Kind(id))
	}
	// One name is one recipient, of the kind that most of its lines say.
	all = spellAll("Umbra Health Board # 3", "Umbra Health Board # 2", "Umbra Health Board # 9")
	all[0].Kind, all[2].Kind = Gov, Person
	c = Cluster(all, Keys{})
	id, ok := c.Of("UK", all[1].Name.KX, Org)
	if !ok || c.Kind(id) != Gov || c.Clusters != 1 {
		t.Errorf("got %q, %v", id, c.Counts)
	}
	if id, ok := c.Of("UK", all[1].Name.KX, Person); ok {
		t.Errorf("a person is the organization %s", id)
	}
	if c := Cluster(all[2:], Keys{}); c.Clusters != 0 {
		t.Error("a person has a cluster")
	}
}

// A is like B and B is like C, but A is not like C.
func TestStar(t *testing.T) {
	t.Parallel()
	const a, b, c = "Umbra Relief Kampala", "Umbra Relief Kampal", "Umbra Relief Kampa"
	for want, all := range map[string][]Spelling{
		c + " | " + b + " = " + a: spellAll(a+" # 9", b+" # 2", c+" # 1"),
		c + " = " + b + " | " + a: spellAll(a+" # 1", b+" # 2", c+" # 9"),
		c + " = " + b + " = " + a: spellAll(a+" # 1", b+" # 9", c+" # 1"), // both like the one in the middle
	} {
		if got := groups(t, all, Keys{}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCanonicalAndKey(t *testing.T) {
	t.Parallel()
	all := spellAll("Umbra Relief Ltd # 5 ' 2019", "UMBRA RELIEF LTD. # 5 ' 2018", "Umbra Relief e.V. # 2 ' 2012", "Umbra Relief A.C. # 1 ' 2012")
	c := Cluster(all, Keys{})
	id, _ := c.Of("UK", all[0].Name.KX, Org)
	if want := ID("UK", "UMBRARELIEFEV"); id != want {
		t.Errorf("the id is %s; the oldest, then most frequent name gives %s", id, want)
	}
	if got := c.Canonical(id); got != "UMBRA RELIEF LTD." {
		t.Errorf("it is called %q, want the most frequent, then longest spelling", got)
	}
	if want := (Counts{Spellings: 4, Names: 3, Clusters: 1, Multiple: 1}); c.Counts != want {
		t.Errorf("got %+v, want %+v", c.Counts, want)
	}
	if c.Canonical("intl-uk-none") != "" || c.Kind("intl-uk-none") != Org {
		t.Error("an unknown id has a name")
	}
	if _, ok := c.Of("UK", "NOBODY", Org); ok {
		t.Error("an unknown name has an id")
	}
	if _, ok := c.Of("U", "UMBRARELIEF", Org); ok {
		t.Error("one letter is a country")
	}
}

// Later builds keep names where they were, whatever joins them.
func TestKeysHold(t *testing.T) {
	t.Parallel()
	old := spellAll("Umbra Relief Kampala # 3", "Umbra Relief Kampla # 1")
	keys := Cluster(old, Keys{}).Keys()
	// A much older and more frequent spelling joins without taking over the id.
	next := append(old, spell("Umbra Relief Kampala Ltd A.C. # 50 ' 2001"), spell("Umbra Relief Kampalaa # 99 ' 2001"))
	c := Cluster(next, keys)
	id := ID("UK", "UMBRARELIEFKAMPALA")
	for i := range next {
		if got, _ := c.Of("UK", next[i].Name.KX, Org); got != id {
			t.Errorf("%q is %s, want %s", next[i].Raw, got, id)
		}
	}
	if got := c.Canonical(id); got != "Umbra Relief Kampalaa" {
		t.Errorf("it is called %q", got)
	}
	// A name that is not there for a build is still known to the next.
	keys = Cluster(spellAll("Umbra Tenebra Institute"), keys).Keys()
	if got, _ := Cluster(spellAll("Umbra Relief Kampla"), keys).Of("UK", "UMBRARELIEFKAMPLA", Org); got != id {
		t.Errorf("it came back as %s, want %s", got, id)
	}
}

// world makes spellings that are alike in every way the rules know.
func world(r *rand.Rand, n int) []Spelling {
	words := strings.Fields("UMBRA PENUMBRA OBSCURA TENEBRA NOCTURNA LUCERNA VESPER AURORA RELIEF INSTITUTE CENTER SERVICES NORTH SOUTH TRUST FUND 7 8 OF THE")
	ends := []string{"", "", "", " LTD", " GMBH", " A.C.", " e.V.", " (ABC)", " TRUST"}
	cities := []string{"", "", "London", "Leeds", "LONDON W1T 4XX", "York"}
	countries := []string{"UK", "uk", "EI"}
	var all []Spelling
	for range n {
		var w []string
		for range 2 + r.IntN(5) {
			w = append(w, words[r.IntN(len(words))])
		}
		if r.IntN(4) == 0 && len(all) > 0 {
			w = strings.Fields(all[r.IntN(len(all))].Name.K1) // once more, perhaps misspelt
			if r.IntN(2) == 0 {
				r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
			}
		}
		name := []byte(strings.Join(w, " "))
		if r.IntN(3) == 0 && len(name) > 0 {
			i := r.IntN(len(name))
			switch r.IntN(3) {
			case 0:
				name = slices.Delete(name, i, i+1)
			case 1:
				name[i] = 'A' + byte(r.IntN(26))
			default:
				name = slices.Insert(name, i, 'A'+byte(r.IntN(26)))
			}
		}
		end := ends[r.IntN(len(ends))]
		if end == " (ABC)" {
			end = " ("
			for _, v := range w {
				end += v[:1]
			}
			end += ")"
			if r.IntN(2) == 0 {
				name, end = []byte(strings.Trim(end, " ()")), ""
			}
		}
		s := Spelling{Country: countries[r.IntN(3)], Raw: string(name) + end, City: cities[r.IntN(len(cities))], Rows: int64(1 + r.IntN(4)), FirstYear: 2015 + r.IntN(5)}
		s.Name = orgname.ParseLine(s.Raw, "", s.City, "")
		if r.IntN(9) == 0 {
			s.Kind = Gov
		}
		all = append(all, s)
	}
	return all
}

// ids lists the id of every name.
func ids(c *Clusters) map[nameInCountry]string {
	m := make(map[nameInCountry]string)
	for p, at := range c.names {
		m[p] = c.list[at].id
	}
	return m
}

func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := world(r, 400)
		first := Cluster(all, Keys{})
		want := ids(first)
		merged := 0
		for range 3 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			c := Cluster(all, Keys{})
			for p, id := range ids(c) {
				if want[p] != id || c.Canonical(id) != first.Canonical(id) || c.Kind(id) != first.Kind(id) {
					t.Fatalf("seed %d: %s %s is %s and %s", seed, p.cc, p.kx, want[p], id)
				}
				if id != ID(string(p.cc[:]), p.kx) {
					merged++
				}
			}
			if c.Counts != first.Counts {
				t.Fatalf("seed %d: %+v and %+v", seed, first.Counts, c.Counts)
			}
		}
		if merged == 0 {
			t.Errorf("seed %d: nothing is merged", seed)
		}
	}
}

func TestIdsSurviveGrowth(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		all := world(r, 480)
		was := make(map[nameInCountry]string)
		var keys Keys
		for build := range 6 {
			part := all[:80*(build+1)]
			if build > 0 && r.IntN(2) == 0 {
				part = part[50:] // something also goes away
			}
			c := Cluster(part, keys)
			for p, id := range ids(c) {
				if old, ok := was[p]; ok && old != id {
					t.Fatalf("seed %d, build %d: %s %s was %s and is %s", seed, build, p.cc, p.kx, old, id)
				}
				was[p] = id
			}
			if len(c.ids) != len(c.list) {
				t.Fatalf("seed %d: %d clusters share %d ids", seed, len(c.list), len(c.ids))
			}
			var text strings.Builder
			if _, err := c.Keys().WriteTo(&text); err != nil {
				t.Fatal(err)
			}
			var err error
			if keys, err = ReadKeys(strings.NewReader(text.String())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Blocks find every pair that comparing all with all would.
func TestBlocksMissNothing(t *testing.T) {
	t.Parallel()
	pairs := 0
	for seed := range uint64(10) {
		forms := gatherForms(world(rand.New(rand.NewPCG(seed, 3)), 300), Keys{})
		for from := 0; from < len(forms); {
			to := from + 1
			for to < len(forms) && forms[to].cc == forms[from].cc {
				to++
			}
			n := newCountry(forms[from:to], newWordWeights(forms))
			n.findMerges()
			blocked := len(n.near)
			for i := range n.nodes {
				for j := range i {
					n.compare(int32(i), int32(j))
				}
			}
			if blocked != len(n.near) {
				t.Errorf("seed %d: blocks have %d pairs of %d", seed, blocked, len(n.near))
			}
			pairs += blocked
			from = to
		}
	}
	if pairs == 0 {
		t.Error("no pairs to find")
	}
}

// Whatever joined a star merges with its middle.
func TestStarsAreStars(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		forms := gatherForms(world(rand.New(rand.NewPCG(seed, 4)), 300), Keys{})
		for from := 0; from < len(forms); {
			to := from + 1
			for to < len(forms) && forms[to].cc == forms[from].cc {
				to++
			}
			n := newCountry(forms[from:to], newWordWeights(forms))
			n.findMerges()
			at := make(map[stemKey]int32)
			for i := range n.nodes {
				at[stemKey{n.nodes[i].kind, n.nodes[i].stem}] = int32(i)
			}
			for _, star := range n.stars() {
				middle := at[stemKey{star[0].kind, star[0].stem}]
				for _, f := range star {
					other := at[stemKey{f.kind, f.stem}]
					if f.better(star[0]) || middle != other && n.near[pair{min(middle, other), max(middle, other)}] == apart {
						t.Fatalf("seed %d: %q is in the cluster of %q", seed, f.raw, star[0].raw)
					}
				}
			}
			from = to
		}
	}
}

func (r reason) String() string {
	return [...]string{"apart", "legal form", "one edit", "same words", "acronym", "weighted words"}[r]
}
