package ukboard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/snapshot"
)

// people makes trustees of one charity from their numbers.
func people(charity int64, ids ...int64) (list []snapshot.UKTrustee) {
	for _, id := range ids {
		list = append(list, snapshot.UKTrustee{Number: charity, ID: id, Name: names(id), Kind: "P"})
	}
	return list
}

// names gives each trustee a surname of their own.
func names(id int64) string { return fmt.Sprintf("Alex Person%c%c", 'a'+id%26, 'a'+id/26%26) }

func named(charity, id int64, name string) snapshot.UKTrustee {
	return snapshot.UKTrustee{Number: charity, ID: id, Name: name, Kind: "P"}
}

func edges(charities []snapshot.UKCharity, trustees []snapshot.UKTrustee) []snapshot.UKBoardEdge {
	var b Boards
	for i := range charities {
		b.Charity(&charities[i])
	}
	for i := range trustees {
		b.Trustee(&trustees[i])
	}
	return slices.Collect(b.Edges())
}

func pair(change func(a, b *snapshot.UKCharity)) []snapshot.UKCharity {
	list := []snapshot.UKCharity{
		{Number: 9000001, Name: "THE LANTERN HOUSE TRUST", Status: "Registered", Postcode: "ZZ1 1AA", Address1: "1 Elm Road"},
		{Number: 9000002, Name: "QUARRY BRASS BAND", Status: "Registered", Postcode: "ZZ9 9ZZ", Address1: "2 Oak Road"},
	}
	if change != nil {
		change(&list[0], &list[1])
	}
	return list
}

func TestTies(t *testing.T) {
	t.Parallel()
	const a, b = 9000001, 9000002
	many := func(shared ...snapshot.UKTrustee) []snapshot.UKTrustee {
		return append(slices.Concat(people(a, 100, 101, 102, 103, 104, 105), people(b, 200, 201, 202, 203, 204, 205)), shared...)
	}
	for _, c := range []struct {
		what       string
		charities  []snapshot.UKCharity
		trustees   []snapshot.UKTrustee
		kind       string
		structural bool
	}{
		{"one trustee of many", pair(nil), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Interlock, false},
		{"most of the board", pair(nil), slices.Concat(people(a, 1, 2, 3, 4), people(b, 1, 2, 3, 5, 6)), Affiliated, false},
		{"two of two are not enough", pair(nil), slices.Concat(people(a, 1, 2), people(b, 1, 2)), Interlock, false},
		{"the whole board at one postcode", pair(func(a, b *snapshot.UKCharity) { b.Postcode = "zz11aa" }), slices.Concat(people(a, 1, 2, 3), people(b, 1, 2, 3)), Affiliated, true},
		{"the whole board at two postcodes", pair(nil), slices.Concat(people(a, 1, 2, 3), people(b, 1, 2, 3)), Affiliated, false},
		{"no postcode is not the same postcode", pair(func(a, b *snapshot.UKCharity) { a.Postcode, b.Postcode = "", "" }), slices.Concat(people(a, 1, 2, 3), people(b, 1, 2, 3)), Affiliated, false},
		{"an organisation", pair(nil), many(snapshot.UKTrustee{Number: a, ID: 1, Name: "ELM TRUSTEES LTD", Kind: "O"}, snapshot.UKTrustee{Number: b, ID: 1, Name: "ELM TRUSTEES LTD", Kind: "O"}), Interlock, true},
		{"core names", pair(func(a, b *snapshot.UKCharity) { b.Name = "Lantern House (Northern) Ltd" }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Affiliated, false},
		{"equal core names", pair(func(a, b *snapshot.UKCharity) { b.Name = "Lantern House Limited" }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Affiliated, false},
		{"a core of common words", pair(func(a, b *snapshot.UKCharity) { a.Name, b.Name = "THE VILLAGE HALL TRUST", "SALTMARSH VILLAGE HALL" }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Interlock, false},
		{"part of a word", pair(func(a, b *snapshot.UKCharity) { a.Name, b.Name = "QUAR FUND", "QUARRY BRASS BAND" }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Interlock, false},
		{"web site", pair(func(a, b *snapshot.UKCharity) {
			a.Web, b.Web = "https://www.lantern.example/band", "lantern.example"
		}), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Affiliated, false},
		{"pages of one host", pair(func(a, b *snapshot.UKCharity) { a.Web, b.Web = "www.facebook.com/lantern", "facebook.com/quarry" }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Interlock, false},
		{"address", pair(func(a, b *snapshot.UKCharity) { b.Postcode, b.Address1 = a.Postcode, "1, Elm Road." }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Affiliated, false},
		{"postcode alone", pair(func(a, b *snapshot.UKCharity) { b.Postcode = a.Postcode }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Interlock, false},
		{"a family", pair(nil), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe"), named(a, 2, "Mrs Jo Doe MBE"), named(b, 2, "Mrs Jo Doe MBE")), Family, false},
		{"three of five", pair(nil), many(slices.Concat(people(a, 11, 12), people(b, 11, 12), []snapshot.UKTrustee{
			named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe"), named(a, 2, "Jo Doe"), named(b, 2, "Jo Doe"), named(a, 3, "Al Doe"), named(b, 3, "Al Doe")})...), Family, false},
		{"two of four", pair(nil), many(slices.Concat(people(a, 11, 12), people(b, 11, 12), []snapshot.UKTrustee{
			named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe"), named(a, 2, "Jo Doe"), named(b, 2, "Jo Doe")})...), Interlock, false},
		{"the founder's name", pair(func(a, b *snapshot.UKCharity) { a.Name = "DOE'S CHARITY" }), slices.Concat(people(a, 4, 5), people(b, 6, 7), []snapshot.UKTrustee{named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")}), Family, false},
		{"the founder's name in a crowd", pair(func(a, b *snapshot.UKCharity) { a.Name = "THE DOE TRUST" }), many(named(a, 1, "Pat Doe"), named(b, 1, "Pat Doe")), Interlock, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			got := edges(c.charities, c.trustees)
			if len(got) != 1 || got[0].E1 != a || got[0].E2 != b {
				t.Fatalf("edges %+v", got)
			}
			if got[0].TieKind != c.kind || got[0].Structural != c.structural {
				t.Errorf("%s, structural %v; want %s, %v", got[0].TieKind, got[0].Structural, c.kind, c.structural)
			}
		})
	}
}

// star gives one trustee a seat on each of n boards.
func star(n int, id int64) (charities []snapshot.UKCharity, trustees []snapshot.UKTrustee) {
	for i := range int64(n) {
		charities = append(charities, snapshot.UKCharity{Number: 1 + i, Name: fmt.Sprintf("ORG%c%c", 'A'+i%26, 'A'+i/26), Status: "Registered"})
		trustees = append(trustees, named(1+i, id, "Pat Doe"))
	}
	return charities, trustees
}

func TestManyBoards(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		boards     int
		edges      int
		structural bool
	}{{1, 0, false}, {2, 1, false}, {25, 300, false}, {26, 325, true}, {200, 19900, true}, {201, 0, false}} {
		got := edges(star(c.boards, 7))
		if len(got) != c.edges {
			t.Errorf("%d boards make %d edges, want %d", c.boards, len(got), c.edges)
		}
		for _, e := range got {
			if want := 1 / math.Log2(1+float64(c.boards)); e.Structural != c.structural || e.Weight != want || e.Shared != 1 || e.Overlap != 1 {
				t.Fatalf("%d boards: %+v, want weight %v", c.boards, e, want)
			}
		}
	}
	// A trustee of too many boards makes no pair, but counts in the pairs that
	// others make.
	charities, trustees := star(201, 7)
	trustees = append(trustees, people(1, 8)...)
	trustees = append(trustees, people(2, 8)...)
	got := edges(charities, trustees)
	want := 1/math.Log2(3) + 1/math.Log2(202)
	if len(got) != 1 || got[0].Shared != 2 || math.Abs(got[0].Weight-want) > 1e-12 || !got[0].Structural {
		t.Errorf("%+v, want weight %v", got, want)
	}
}

func TestWhoCounts(t *testing.T) {
	t.Parallel()
	charities := []snapshot.UKCharity{
		{Number: 1, Name: "ONE", Status: "Registered"}, {Number: 2, Name: "TWO", Status: "Registered"},
		{Number: 2, Linked: 1, Name: "TWO LINKED", Status: "Registered"}, {Number: 3, Name: "THREE", Status: "Removed"},
	}
	linked := named(2, 5, "Pat Doe")
	linked.Linked = 1
	trustees := slices.Concat(people(1, 5, 6, 6), people(2, 6, 6), people(3, 5), people(4, 5), []snapshot.UKTrustee{linked, named(1, 0, "Nobody"), named(2, 0, "Nobody")})
	got := edges(charities, trustees)
	if len(got) != 1 || got[0].E1 != 1 || got[0].E2 != 2 || got[0].Shared != 1 || got[0].Overlap != 1 || got[0].Weight != 1/math.Log2(3) {
		t.Errorf("%+v", got)
	}
	var empty Boards
	if got := slices.Collect(empty.Edges()); len(got) != 0 {
		t.Errorf("no boards have edges %+v", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Mr John Smith": "SMITH", "JOHN SMITH": "SMITH", "Dr Jane O'Neill OBE": "ONEILL", "Rev. Canon Ann Lee-Jones BA MA": "JONES",
		"Smith, John": "SMITH", "John Smith, OBE": "SMITH", "Lord Lantern": "LANTERN", "Jack Ma": "MA", "Mr Jack Ma": "MA", "Jane Doe MA": "DOE",
		"The Rt Hon Dame Zoë Brontë DBE": "BRONTE", "Mr J": "", "": "", "Mr": "", ",": "", "Smith,": "SMITH", "Dr Lee PhD": "LEE", "Sue Day (Chair)": "DAY", "(Vacant)": "",
	} {
		if got := surnameOf(name); got != want {
			t.Errorf("surname of %q is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"The Lantern House Charitable Trust Limited": "LANTERN HOUSE", "LANTERN & QUARRY CIO": "LANTERN QUARRY", "St. Mary's Church": "ST MARYS CHURCH",
		"The Trust": "", "Village Hall": "", "": "", "The A & B Fund": "", "B.A.N.D.": "BAND",
	} {
		if got := core(fold(name)); got != want {
			t.Errorf("core of %q is %q, want %q", name, got, want)
		}
	}
	for web, want := range map[string]string{
		"http://www.lantern.example/about?x=1": "lantern.example", "LANTERN.EXAMPLE": "lantern.example", "lantern.example:8080": "lantern.example",
		"info@lantern.example": "", "none": "", "": "", "N/A": "", "www.": "", "facebook.com": "", "https://facebook.com/Lantern/": "facebook.com/lantern",
		"https://kids.lantern.example": "kids.lantern.example",
	} {
		if got := site(web); got != want {
			t.Errorf("site of %q is %q, want %q", web, got, want)
		}
	}
}

// brute finds the edges by looking at every pair of charities.
func brute(charities []snapshot.UKCharity, trustees []snapshot.UKTrustee) (list []snapshot.UKBoardEdge) {
	boards := map[int64]map[int64]bool{}
	org, surname, degree := map[int64]bool{}, map[int64]string{}, map[int64]int{}
	for _, c := range charities {
		if c.Linked == 0 && c.Status == "Registered" {
			boards[c.Number] = map[int64]bool{}
		}
	}
	for _, s := range trustees {
		if board, ok := boards[s.Number]; ok && s.Linked == 0 {
			if !board[s.ID] {
				degree[s.ID]++
			}
			board[s.ID] = true
			org[s.ID] = org[s.ID] || s.Kind == "O"
			surname[s.ID] = surnameOf(s.Name)
		}
	}
	for i, a := range charities {
		for _, b := range charities[i+1:] {
			if boards[a.Number] == nil || boards[b.Number] == nil || a.Linked != 0 || b.Linked != 0 {
				continue
			}
			var shared []int64
			makes := false
			for id := range boards[a.Number] {
				if boards[b.Number][id] {
					shared = append(shared, id)
					makes = makes || degree[id] <= ubiquitous
				}
			}
			if !makes {
				continue
			}
			slices.Sort(shared)
			n := len(shared)
			e := snapshot.UKBoardEdge{E1: a.Number, E2: b.Number, Shared: int64(n), TieKind: Interlock,
				Overlap: float64(n) / float64(min(len(boards[a.Number]), len(boards[b.Number])))}
			samePlace := a.Postcode != "" && squeeze(a.Postcode) == squeeze(b.Postcode)
			surnames := map[string]int{}
			named := false
			for _, id := range shared {
				e.Weight += 1 / math.Log2(1+float64(degree[id]))
				if org[id] || degree[id] > professional {
					e.Structural = true
				}
				if s := surname[id]; s != "" && !org[id] {
					surnames[s]++
					named = named || hasWord(fold(a.Name), s) || hasWord(fold(b.Name), s)
				}
			}
			family := named && e.Overlap >= .3
			for _, k := range surnames {
				family = family || n >= 2 && float64(k)/float64(n) >= .6
			}
			ca, cb := core(fold(a.Name)), core(fold(b.Name))
			switch {
			case n >= 3 && e.Overlap >= .6, contains(ca, cb), contains(cb, ca), site(a.Web) != "" && site(a.Web) == site(b.Web),
				samePlace && a.Address1 != "" && fold(a.Address1) == fold(b.Address1):
				e.TieKind = Affiliated
			case family:
				e.TieKind = Family
			}
			e.Structural = e.Structural || n >= 3 && e.Overlap >= .8 && samePlace
			list = append(list, e)
		}
	}
	return list
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// TestAgainstBruteForce compares random worlds with the plain definition, and
// checks what must hold of every edge.
func TestAgainstBruteForce(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		var charities []snapshot.UKCharity
		var trustees []snapshot.UKTrustee
		for i := range 4 + r.IntN(40) {
			c := snapshot.UKCharity{Number: int64(100 + i), Name: pick(r, "THE LANTERN TRUST", "LANTERN BAND", "QUARRY", "DOE FOUNDATION", "MILL", "HALL", "PARISH CHURCH"),
				Status: pick(r, "Registered", "Registered", "Registered", "Removed"), Postcode: pick(r, "", "ZZ1 1AA", "ZZ2 2BB", "ZZ3 3CC"),
				Address1: pick(r, "", "1 Elm", "2 Elm"), Web: pick(r, "", "", "", "www.lantern.example", "quarry.example")}
			if r.IntN(10) == 0 {
				c.Linked = 1
			}
			charities = append(charities, c)
			for range r.IntN(7) {
				id := int64(1 + r.IntN(40))
				s := snapshot.UKTrustee{Number: c.Number, ID: id, Name: fmt.Sprint(pick(r, "Mr ", ""), "A ", []string{"Doe", "Roe", "Poe", "Moe", "Zed"}[id%5]), Kind: "P"}
				if id%17 == 0 {
					s.Kind = "O"
				}
				trustees = append(trustees, s)
			}
		}
		want := brute(charities, trustees)
		// The order of the input does not matter.
		r.Shuffle(len(charities), func(i, j int) { charities[i], charities[j] = charities[j], charities[i] })
		r.Shuffle(len(trustees), func(i, j int) { trustees[i], trustees[j] = trustees[j], trustees[i] })
		got := edges(charities, trustees)
		if !slices.EqualFunc(got, want, func(x, y snapshot.UKBoardEdge) bool {
			near := math.Abs(x.Weight-y.Weight) < 1e-9
			x.Weight, y.Weight = 0, 0
			return near && x == y
		}) {
			t.Fatalf("seed %d:\ngot  %+v\nwant %+v", seed, got, want)
		}
		for i, e := range got {
			kinds[e.TieKind]++
			if e.E1 >= e.E2 || e.Shared < 1 || e.Overlap <= 0 || e.Overlap > 1 || e.Weight <= 0 || e.Weight > float64(e.Shared)/math.Log2(3)+1e-9 {
				t.Errorf("seed %d: %+v", seed, e)
			}
			if i > 0 && (got[i-1].E1 > e.E1 || got[i-1].E1 == e.E1 && got[i-1].E2 >= e.E2) {
				t.Errorf("seed %d: %+v after %+v", seed, e, got[i-1])
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("the worlds have ties of kinds %v only", kinds)
	}
}

// FuzzNames feeds the name rules with anything.
func FuzzNames(f *testing.F) {
	f.Add("Mr John Smith, OBE", "https://www.lantern.example/x")
	f.Add("The Friends' Trust & Co. Ltd", "facebook.com/")
	f.Fuzz(func(t *testing.T, name, web string) {
		if len(name) > 400 {
			return // folding cuts what is too long for a name
		}
		w := fold(name)
		if fold(w) != w {
			t.Errorf("folding %q twice gives %q", w, fold(w))
		}
		if c := core(w); c != "" && (core(c) != c || !contains(c, c)) {
			t.Errorf("the core of %q is not its own core", c)
		}
		surnameOf(name)
		site(web)
	})
}

func BenchmarkEdges(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var boards Boards
	for i := range int64(40_000) {
		boards.Charity(&snapshot.UKCharity{Number: 200_000 + i, Name: fmt.Sprintf("THE CHARITY OF PLACE%d", r.IntN(9000)), Status: "Registered",
			Postcode: fmt.Sprintf("ZZ%d 1AA", r.IntN(9000)), Web: fmt.Sprintf("www.place%d.example", r.IntN(30_000))})
		for range 5 {
			id := int64(r.IntN(160_000))
			if r.IntN(50) == 0 {
				id = int64(r.IntN(300)) // those who sit on many boards
			}
			boards.Trustee(&snapshot.UKTrustee{Number: 200_000 + i, ID: 1 + id, Name: fmt.Sprintf("Alex Name%c%c", 'a'+id%26, 'a'+id/26%26), Kind: "P"})
		}
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = 0
		for range boards.Edges() {
			n++
		}
	}
	b.ReportMetric(float64(n), "edges")
}
