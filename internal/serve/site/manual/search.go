package manual

import (
	"cmp"
	"html"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/stem"
)

// section is a part of a page that the search can find.
type section struct {
	Title string
	Page  string // title of the page
	Path  string // with its anchor
	text  []string
	known []string // names that the section describes, such as a parameter's
	worth float64  // factor of the rank: how useful it is to a newcomer; 0 means 1
}

// index finds sections by the stems of their words.
type index struct {
	sections []section
	postings map[string][]posting
	stems    []string  // sorted, to find prefixes
	lengths  []float64 // length of each section, relative to the average
}

type posting struct {
	section int
	weight  float64
}

// How much more a word weighs in a title, a name or a page title than in a text.
const (
	inTitle = 8
	inNames = 5
	inPage  = 2
)

func newIndex(sections []section) *index {
	x := &index{sections: sections, postings: map[string][]posting{}}
	total := 0.0
	for i, s := range sections {
		weights := map[string]float64{}
		add := func(text string, weight float64) {
			for _, w := range words(text) {
				weights[w.stem] += weight
			}
		}
		add(s.Title, inTitle)
		add(s.Page, inPage)
		for _, name := range s.known {
			add(name, inNames)
		}
		for _, t := range s.text {
			add(t, 1)
		}
		length := 0.0
		for w, weight := range weights {
			x.postings[w] = append(x.postings[w], posting{i, weight})
			length += weight
		}
		x.lengths = append(x.lengths, length)
		total += length
	}
	for i := range x.lengths {
		x.lengths[i] *= float64(len(sections)) / total
	}
	for w := range x.postings {
		x.stems = append(x.stems, w)
	}
	slices.Sort(x.stems)
	return x
}

type word struct {
	stem       string
	begin, end int
}

// words are the words of a text; a name such as min_amt is one, and so are its parts.
func words(text string) (list []word) {
	for i := 0; i < len(text); {
		if !letter(text[i]) {
			i++
			continue
		}
		begin := i
		for i < len(text) && (letter(text[i]) || text[i] == '_' && i+1 < len(text) && letter(text[i+1])) {
			i++
		}
		whole := strings.ToUpper(text[begin:i])
		parts := strings.Split(whole, "_")
		if len(parts) > 1 {
			list = append(list, word{whole, begin, i})
		}
		for _, p := range parts {
			list = append(list, word{stem.Of(p), begin, i})
		}
	}
	return list
}

func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// Bounds of a search.
const (
	mostTyped = 200 // bytes
	mostWords = 12
	mostFound = 30
	mostAlike = 40 // words with the typed prefix
)

type found struct {
	section
	Text  template.HTML // excerpt with the words marked
	score float64
	place int // position in the documentation
}

// filler are stems of words that carry no meaning in a search.
var filler = map[string]bool{}

func init() {
	for _, w := range strings.Fields("a an and are can do does for from how i in is it me my of on or the to what when where which with") {
		filler[stem.Of(strings.ToUpper(w))] = true
	}
}

// find ranks sections by how rare their matching words are, and where the words stand. Sections with all words come first.
func (x *index) find(question string) (list []found) {
	var terms []string
	for _, w := range words(question) {
		if !filler[w.stem] && !slices.Contains(terms, w.stem) && len(terms) < mostWords {
			terms = append(terms, w.stem)
		}
	}
	scores, hits := map[int]float64{}, map[int]int{}
	marked := map[string]bool{}
	for _, term := range terms {
		best := map[int]float64{}
		for _, w := range x.alike(term) {
			marked[w] = true
			posted := x.postings[w]
			rare := math.Log(1 + float64(len(x.sections))/float64(len(posted)))
			if w != term {
				rare /= 2
			}
			for _, p := range posted {
				best[p.section] = max(best[p.section], rare*p.weight/(p.weight+1+2*x.lengths[p.section]))
			}
		}
		for at, score := range best {
			scores[at] += score
			hits[at]++
		}
	}
	for at, score := range scores {
		list = append(list, found{section: x.sections[at], place: at, score: score * cmp.Or(x.sections[at].worth, 1) * float64(hits[at]) / float64(len(terms))})
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Or(cmp.Compare(b.score, a.score), a.place-b.place) })
	list = list[:min(len(list), mostFound)]
	for i := range list {
		list[i].Text = excerpt(strings.Join(list[i].text, " "), marked)
	}
	return list
}

// alike are the word itself and words that begin with it.
func (x *index) alike(term string) []string {
	from, _ := slices.BinarySearch(x.stems, term)
	to := from
	for to < len(x.stems) && to < from+mostAlike && strings.HasPrefix(x.stems[to], term) && (len(term) >= 3 || x.stems[to] == term) {
		to++
	}
	return x.stems[from:to]
}

// excerptSize is the length of an excerpt, in bytes.
const excerptSize = 220

// excerpt is the part of a text around the first match, with all matches marked.
func excerpt(text string, marked map[string]bool) template.HTML {
	var hits []word
	for _, w := range words(text) {
		if marked[w.stem] && (len(hits) == 0 || hits[len(hits)-1].begin != w.begin) {
			hits = append(hits, w)
		}
	}
	begin := 0
	if len(hits) > 0 && hits[0].begin > excerptSize/3 {
		begin = hits[0].begin - excerptSize/3
		if space := strings.IndexByte(text[begin:], ' '); space >= 0 && begin+space < hits[0].begin {
			begin += space + 1
		}
	}
	shown := fault.Clip(text[begin:], excerptSize)
	end := begin + len(strings.TrimSuffix(shown, "…"))
	var b strings.Builder
	if begin > 0 {
		b.WriteString("… ")
	}
	at := begin
	for _, h := range hits {
		if h.begin >= at && h.end <= end {
			b.WriteString(html.EscapeString(text[at:h.begin]) + "<mark>" + html.EscapeString(text[h.begin:h.end]) + "</mark>")
			at = h.end
		}
	}
	b.WriteString(html.EscapeString(text[at:end]))
	if end < len(text) {
		b.WriteString(" …")
	}
	return template.HTML(strings.ToValidUTF8(b.String(), ""))
}

// worth ranks guides above the history of changes.
func (c *chapter) worth() float64 {
	switch {
	case strings.HasPrefix(c.Path, "/docs/guide/"):
		return 1.5
	case c.Path == "/docs/changes" || c.Path == "/docs/benchmarks" || c.Path == "/docs/architecture":
		return .7
	}
	return 1
}

// sections lists everything that can be found: documents, operations and tables.
func (s *Room) sections() (list []section) {
	for _, at := range s.Addresses() {
		if c := s.chapters[at]; c != nil {
			for _, one := range c.sections {
				one.worth = c.worth()
				list = append(list, one)
			}
		}
	}
	for _, v := range warehouse.Describe().Tables {
		one := section{Title: v.Name, Page: "Tables for SQL", Path: tablesPath + "/" + v.Name, text: append([]string{v.Meaning}, v.Traps...)}
		for _, c := range v.Columns {
			one.known = append(one.known, c.Name)
			one.text = append(one.text, c.Name+": "+c.Meaning)
		}
		list = append(list, one)
	}
	if s.reference == nil {
		return list
	}
	seen := map[string]bool{} // parameters that several operations share
	for _, g := range s.reference.Groups {
		for i := range g.Operations {
			list = append(list, operationSections(&g.Operations[i], seen)...)
		}
	}
	for _, f := range s.reference.Refusals {
		list = append(list, section{Title: f.Slug, Page: "Errors", Path: api.Errors + "#" + f.Slug, text: []string{sentence(f.Means), f.Do}, worth: .8})
	}
	return list
}

func operationSections(op *api.Operation, seen map[string]bool) []section {
	at := referencePath + "/" + op.ID
	list := []section{{Title: op.Summary, Page: op.Method + " " + op.Path, Path: at, text: []string{op.Description}, known: []string{op.ID, op.Path}}}
	for _, p := range op.Params {
		key := p.Name + ": " + p.Description
		if seen[key] {
			continue
		}
		seen[key] = true
		list = append(list, section{Title: p.Name, Page: op.Method + " " + op.Path, Path: at + "#" + paramAnchor(p.Name),
			text: []string{p.Description, strings.Join(p.Enum, ", ")}})
	}
	return list
}

type searchPage struct {
	page
	Found []found
	Long  bool // the query is too long
}

func (s *Room) serveSearch(w http.ResponseWriter, r *http.Request) error {
	asked := strings.ToValidUTF8(strings.TrimSpace(r.URL.Query().Get("q")), "")
	p := searchPage{page: s.begin(r, "/docs/search", "Search the documentation", "")}
	p.Canonical = ""
	if p.Long = len(asked) > mostTyped; p.Long {
		asked = strings.TrimSuffix(fault.Clip(asked, mostTyped), "…")
	}
	p.Asked = asked
	if asked != "" {
		p.Title = asked + " · Documentation"
		p.Found = s.index().find(asked)
	}
	w.Header().Set("X-Robots-Tag", "noindex")
	return s.draw(w, "found", p)
}
