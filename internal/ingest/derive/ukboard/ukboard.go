// Package ukboard finds the charities of England and Wales whose boards share trustees. The register gives every trustee one
// number for all boards, so names need not be compared. Names only help to decide what kind of connection two boards have.
//
// Only registered main charities count. An edge gives the number of shared trustees, how significant they are, and
// whether the connection is personal or structural.
package ukboard

import (
	"cmp"
	_ "embed"
	"iter"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// Kinds of connection.
const (
	Affiliated = "affiliated" // two parts of one organization
	Family     = "family"     // the boards of one family
	Interlock  = "interlock"  // trustees who happen to sit on both
)

const (
	// professional is the number of boards above which a person serves by profession or by office.
	professional = 25
	// ubiquitous is the number of boards above which a trustee is ignored; such a trustee alone makes no edge.
	ubiquitous = 200
)

// Boards gathers charities and trustees, in any order.
type Boards struct {
	charities []charity
	seats     []seat
}

// charity holds what is known of one charity, prepared for comparison.
type charity struct {
	number   int64
	core     string // the name without common words
	words    string // the whole name in folded words
	postcode string
	address  string
	site     string
}

type seat struct {
	charity, trustee int64
	name             string
	organisation     bool
}

// Charity adds a charity. Linked and removed ones have no board of their own.
func (b *Boards) Charity(c *snapshot.UKCharity) {
	if c.Linked != 0 || c.Status != "Registered" {
		return
	}
	words := fold(c.Name)
	b.charities = append(b.charities, charity{
		number: c.Number, core: core(words), words: words,
		postcode: squeeze(c.Postcode), address: fold(c.Address1), site: site(c.Web),
	})
}

func (b *Boards) Trustee(t *snapshot.UKTrustee) {
	if t.Linked != 0 || t.ID == 0 {
		return
	}
	b.seats = append(b.seats, seat{t.Number, t.ID, t.Name, t.Kind == "O"})
}

// Edges yields every pair of boards that share a trustee, sorted by both charity numbers. Its memory grows with the
// boards, not with the edges.
func (b *Boards) Edges() iter.Seq[snapshot.UKBoardEdge] {
	return func(yield func(snapshot.UKBoardEdge) bool) {
		g := b.arrange()
		met := make([]int32, len(b.charities)) // the last charity paired with this one, plus one
		var others []int32
		for c1 := range g.boards {
			others = others[:0]
			for _, t := range g.boards[c1] {
				if len(g.seats[t]) > ubiquitous {
					continue
				}
				for _, c2 := range g.seats[t] {
					if int(c2) > c1 && met[c2] != int32(c1)+1 {
						met[c2] = int32(c1) + 1
						others = append(others, c2)
					}
				}
			}
			slices.Sort(others)
			for _, c2 := range others {
				if !yield(g.edge(b.charities, int32(c1), c2)) {
					return
				}
			}
		}
	}
}

// graph is who sits where, by position: charities in order of their numbers, trustees in order of theirs.
type graph struct {
	boards   [][]int32 // trustees of a charity, ascending
	seats    [][]int32 // charities of a trustee, ascending
	surnames []string  // of a trustee, empty for organisations
	org      []bool    // of a trustee
	shared   []int32   // of the edge at hand
}

// arrange sorts charities and seats. It drops repeated seats and seats on unknown boards.
func (b *Boards) arrange() *graph {
	// If a charity is listed twice, the first entry counts.
	slices.SortStableFunc(b.charities, func(x, y charity) int { return cmp.Compare(x.number, y.number) })
	b.charities = slices.CompactFunc(b.charities, func(x, y charity) bool { return x.number == y.number })
	place := make(map[int64]int32, len(b.charities))
	for i := range b.charities {
		place[b.charities[i].number] = int32(i)
	}
	seats := slices.DeleteFunc(b.seats, func(s seat) bool { _, ok := place[s.charity]; return !ok })
	slices.SortFunc(seats, func(x, y seat) int {
		return cmp.Or(cmp.Compare(x.trustee, y.trustee), cmp.Compare(x.charity, y.charity), strings.Compare(x.name, y.name))
	})
	b.seats = seats

	g := &graph{boards: make([][]int32, len(b.charities))}
	all := make([]int32, 0, len(seats)) // one slice that holds the charities of all trustees
	for run := range radix.Runs(seats, func(a, b seat) bool { return a.trustee == b.trustee }) {
		t, start := int32(len(g.seats)), len(all)
		org, name := false, ""
		for i := range run {
			s := &run[i]
			org = org || s.organisation
			name = cmp.Or(name, s.name)
			c := place[s.charity]
			if len(all) > start && all[len(all)-1] == c {
				continue
			}
			all = append(all, c)
			g.boards[c] = append(g.boards[c], t)
		}
		surname := ""
		if !org && len(all)-start > 1 {
			surname = surnameOf(name)
		}
		g.seats = append(g.seats, all[start:len(all):len(all)])
		g.surnames = append(g.surnames, surname)
		g.org = append(g.org, org)
	}
	return g
}

// edge classifies two boards that share a trustee.
func (g *graph) edge(charities []charity, c1, c2 int32) snapshot.UKBoardEdge {
	a, b := &charities[c1], &charities[c2]
	t1, t2 := g.boards[c1], g.boards[c2]
	g.shared = radix.Intersect(g.shared[:0], t1, t2)
	shared := len(g.shared)
	e := snapshot.UKBoardEdge{
		E1: a.number, E2: b.number, Shared: int64(shared),
		Overlap: float64(shared) / float64(min(len(t1), len(t2))), TieKind: Interlock,
	}
	samePostcode := a.postcode != "" && a.postcode == b.postcode
	e.Structural = e.Overlap >= .8 && shared >= 3 && samePostcode
	for _, t := range g.shared {
		degree := len(g.seats[t])
		e.Weight += 1 / math.Log2(1+float64(degree))
		e.Structural = e.Structural || g.org[t] || degree > professional
	}
	switch {
	case e.Overlap >= .6 && shared >= 3,
		contains(a.core, b.core) || contains(b.core, a.core),
		a.site != "" && a.site == b.site,
		samePostcode && a.address != "" && a.address == b.address:
		e.TieKind = Affiliated
	case g.family(a, b, e.Overlap):
		e.TieKind = Family
	}
	return e
}

// family reports whether the shared trustees are of one family, or have a surname that is in the name of one of the charities.
func (g *graph) family(a, b *charity, overlap float64) bool {
	for _, t := range g.shared {
		name := g.surnames[t]
		if name == "" {
			continue
		}
		same := 0
		for _, o := range g.shared {
			if g.surnames[o] == name {
				same++
			}
		}
		if len(g.shared) >= 2 && same*10 >= len(g.shared)*6 || overlap >= .3 && (hasWord(a.words, name) || hasWord(b.words, name)) {
			return true
		}
	}
	return false
}

// fold turns a name or an address into upper-case words of letters and digits, separated by single spaces. An
// apostrophe does not split a word.
func fold(s string) string {
	s = orgname.Fold(s)
	var out strings.Builder
	out.Grow(len(s))
	gap := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			if gap && out.Len() > 0 {
				out.WriteByte(' ')
			}
			gap = false
			out.WriteByte(c)
		case c == '\'', c == '.':
		case c == '&':
			out.WriteString(" AND")
			gap = true
		default:
			gap = true
		}
	}
	return strings.TrimSpace(out.String())
}

// squeeze is fold without the spaces, for postcodes.
func squeeze(s string) string { return strings.ReplaceAll(fold(s), " ", "") }

//go:embed words.tsv
var wordsText string

var wordSets = table.ReadSets("words.tsv", wordsText)

// forms are words for kinds of charity. They are left out of a core name because they do not identify a charity.
var forms = wordSets.Of("forms")

// common are words that many charities share. A core name made only of these identifies no charity.
var common = wordSets.Of("common")

// core removes the words for kinds of charity from a folded name. It is empty if the rest identifies no charity.
func core(words string) string {
	var kept []string
	telling := false
	for w := range strings.FieldsSeq(words) {
		if forms[w] {
			continue
		}
		kept = append(kept, w)
		telling = telling || len(w) > 1 && !common[w]
	}
	if !telling {
		return ""
	}
	return strings.Join(kept, " ")
}

// contains reports whether a core name contains another, word for word.
func contains(long, short string) bool {
	return short != "" && strings.Contains(" "+long+" ", " "+short+" ")
}

// hasWord reports whether a folded text contains a word. A family's name may be in the possessive.
func hasWord(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word || len(w) == len(word)+1 && w[len(word)] == 'S' && w[:len(word)] == word {
			return true
		}
	}
	return false
}

// titles stand before a person's name, honours after it.
var (
	titles  = wordSets.Of("titles")
	honours = wordSets.Of("honours")
)

// surnameOf is the last word of a person's name, ignoring honors. If a comma follows the first word, the surname
// comes first. It is empty if only titles or a single letter are left.
func surnameOf(name string) string {
	name, _, _ = strings.Cut(name, "(")
	if first, rest, ok := strings.Cut(name, ","); ok && fold(rest) != "" {
		given, family := strings.Fields(fold(rest)), fold(first)
		honoured := !slices.ContainsFunc(given, func(w string) bool { return !honours[w] })
		if !honoured && family != "" && !strings.Contains(family, " ") {
			return family
		}
		name = first
	}
	words := strings.Fields(fold(name))
	for len(words) > 0 && titles[words[0]] {
		words = words[1:]
	}
	for n := len(words); n > 1 && honours[words[n-1]] && (n > 2 || words[n-1] != "MA"); n-- {
		words = words[:n-1] // Ma is a surname as well as a degree
	}
	if len(words) == 0 || len(words[len(words)-1]) < 2 {
		return ""
	}
	return words[len(words)-1]
}

// hosts carry pages of many unrelated charities, so the path is part of the site.
var hosts = wordSets.Of("hosts")

// site is the host of a web address without www; empty if the text is not a web address.
func site(web string) string {
	web = strings.ToLower(strings.TrimSpace(web))
	if _, rest, ok := strings.Cut(web, "://"); ok {
		web = rest
	}
	host, path := web, ""
	if i := strings.IndexAny(web, "/?#"); i >= 0 {
		host, path = web[:i], strings.Trim(web[i:], "/")
	}
	host, _, _ = strings.Cut(host, ":")
	host = strings.Trim(strings.TrimPrefix(host, "www."), ".")
	if !strings.Contains(host, ".") || strings.ContainsAny(host, "@ ,;") {
		return ""
	}
	if hosts[host] {
		if path == "" {
			return ""
		}
		return host + "/" + path
	}
	return host
}
