package identify

import (
	"cmp"
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/typo"
)

// Engine decides which organization a text means. It is safe for concurrent use.
type Engine struct {
	columns
	mapped.Guard
	logNames float64         // logarithm of the number of names
	priors   [1024]float64   // of names, which are in the order of prominence, at as many places
	places   []uint64        // words of the vocabulary that are states or cities, as bits
	inCity   map[string]bool // words of the names of cities
	searches chan *search
}

// OpenLater maps the file of the index now; the first call of read verifies it.
func OpenLater(s *snapshot.Snapshot) (read func() (*Engine, error), err error) {
	readFile, err := mapped.OpenLater(filepath.Join(s.Dir, filepath.FromSlash(fileName)), fileKind)
	if err != nil {
		return nil, err
	}
	return sync.OnceValues(func() (*Engine, error) {
		f, err := readFile()
		if err != nil {
			return nil, err
		}
		var c columns
		if c.lay(mapped.Layout{From: f}); f.Err() != nil {
			return nil, errors.Join(f.Err(), f.Close())
		}
		return newEngine(c, f), nil
	}), nil
}

// Learned counts the names of an index that were learned from grants, and their bytes.
func Learned(s *snapshot.Snapshot) (names, bytes int64, err error) {
	read, err := OpenLater(s)
	if err != nil {
		return 0, 0, err
	}
	e, err := read()
	if err != nil {
		return 0, 0, err
	}
	const record, word = 8 + 4 + 12, 8 // the name with its start and key, and a word with its place in a list
	for i := range e.names {
		if e.names[i].Kind >= byFilers {
			names++
			bytes += record + word*int64(len(e.wordsOf(uint32(i))))
		}
	}
	return names, bytes, e.Close()
}

// Learn makes an engine in memory from the tables of a snapshot. It learns nothing
// from the lines of the funders that skip reports; nil means that it reads all.
func Learn(ctx context.Context, s *snapshot.Snapshot, skip func(funder ein.EIN) bool) (*Engine, error) {
	c, err := read(ctx, s, skip)
	if err != nil {
		return nil, err
	}
	return newEngine(*c, nil), nil
}

func newEngine(c columns, f *mapped.File) *Engine {
	e := &Engine{columns: c, Guard: mapped.Guarded(f, errClosed), inCity: map[string]bool{}, searches: make(chan *search, runtime.GOMAXPROCS(0))}
	e.places = make([]uint64, c.words.Len()/64+1)
	e.logNames = math.Log(float64(len(c.names)) + 2)
	for i := range e.priors {
		if len(c.names) > 0 {
			e.priors[i] = c.orgs[c.names[i*len(c.names)/len(e.priors)].Org].prior(Either)
		}
	}
	e.markPlaces()
	// A search takes two bytes for each name in the index, and anybody may ask. There are
	// as many searches as processors, so that a crowd waits instead of taking memory.
	for range cap(e.searches) {
		e.searches <- &search{e: e, walker: typo.Walker{Vocabulary: e.words}}
	}
	return e
}

// markPlaces marks the words that are states or cities with many organizations.
func (e *Engine) markPlaces() {
	const many = 20
	counts := make([]int, len(e.cityStart))
	for i := range e.orgs {
		counts[e.orgs[i].City]++
	}
	mark := func(text string) {
		if w, ok := e.words.Find(text); ok {
			e.places[w/64] |= 1 << (w % 64)
		}
	}
	for i, n := range counts[:max(1, len(counts))-1] {
		city := string(e.cityText[e.cityStart[i]:e.cityStart[i+1]])
		for w := range strings.FieldsSeq(city) {
			e.inCity[w] = true
		}
		if n >= many {
			mark(city)
		}
	}
	for w := range uint32(e.words.Len()) {
		if text := e.words.Word(w); len(text) > 3 {
			if _, ok := place.State(string(text)); ok {
				e.places[w/64] |= 1 << (w % 64)
			}
		}
	}
}

func (e *Engine) isPlace(word uint32) bool { return e.places[word/64]>>(word%64)&1 != 0 }

// errClosed is never shown: a closed engine answers Nobody.
var errClosed = errors.New("identify: the index is closed")

// maxText is how many bytes of a text are read.
const maxText = 300

// Without is Identify as if one organization did not exist. Measurements use it: a
// text that names an organization means nobody once the organization is gone.
func (e *Engine) Without(q Question, org uint32) Answer { return e.identify(q, View{without: org}) }

// Identify decides which organization a text means. Its candidates have no display
// name and no city; search.Index.Identify adds these.
func (e *Engine) Identify(_ context.Context, q Question, v View) Answer {
	v.without = math.MaxUint32
	return e.identify(q, v)
}

func (e *Engine) identify(q Question, v View) Answer {
	if e.Begin() != nil {
		return Answer{}
	}
	defer e.End()
	if len(e.names) == 0 {
		return Answer{}
	}
	if len(q.Text) > maxText {
		q.Text = strings.ToValidUTF8(q.Text[:maxText], "")
	}
	if n, ok := ReadEIN(q.Text); ok {
		if i, known := e.Position(n); known && i != v.without && has(v.Within, i) {
			return Answer{Certain, []Candidate{{EIN: n, Org: i, Probability: TypedEIN, Why: "EIN", Exact: true, Whole: true, Fit: 1}}}
		}
	}
	cutState(&q)
	s := <-e.searches
	defer func() { e.searches <- s }()
	s.begin(&q, &v)
	list := e.readingsOf(q.Text)
	for _, r := range list {
		s.read(r)
	}
	if s.bold = !slices.ContainsFunc(s.found, func(f found) bool { return f.whole }); s.bold && len(list) > 0 {
		s.read(list[0])
	}
	return s.answer(&q)
}

// ReadEIN reads a text that is an EIN in any format, with or without "EIN" before it.
func ReadEIN(text string) (n ein.EIN, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 4 && strings.EqualFold(text[:3], "EIN") {
		text = strings.TrimLeft(text[3:], " :#.-")
	}
	n, err := ein.Parse(text)
	return n, err == nil && utf8.RuneCountInString(text) >= 7
}

// has reports whether a set has an organization. A nil set has all.
func has(set []uint64, org uint32) bool {
	return set == nil || int(org>>6) < len(set) && set[org>>6]>>(org&63)&1 != 0
}

// Position is the number of an organization.
func (e *Engine) Position(n ein.EIN) (org uint32, ok bool) {
	i := sort.Search(len(e.orgs), func(i int) bool { return e.orgs[i].EIN >= uint32(n) })
	return uint32(i), i < len(e.orgs) && e.orgs[i].EIN == uint32(n)
}

// cutState moves a state at the end of a text into the question: "Carnegie Hall, NY".
func cutState(q *Question) {
	i := strings.LastIndexByte(q.Text, ',')
	if q.State != "" || i < 1 {
		return
	}
	tail := strings.TrimSpace(q.Text[i+1:])
	if code, ok := place.State(tail); ok && len(code) == 2 {
		q.Text, q.State = q.Text[:i], code
	}
}

// reading is one way to understand a text.
type reading struct {
	words []string // in their long form
	key   string
	begun string // the last word as it is typed
	cost  float64
}

// readingsOf lists the readings of a text: its name, and with less weight the name with two words that were written as one, and
// the names in parentheses, after "formerly" and the like, and after "c/o".
func (e *Engine) readingsOf(text string) (list []reading) {
	n := orgname.Parse(text)
	add := func(k2, begun string, cost float64) {
		words := strings.Fields(k2)
		key := strings.Join(words, "")
		if len(words) > 0 && !slices.ContainsFunc(list, func(r reading) bool { return r.key == key }) {
			list = append(list, reading{limitWords(words), key, begun, cost})
		}
	}
	add(n.K2, n.K1[strings.LastIndexByte(n.K1, ' ')+1:], 0)
	if short, ok := Shorten(n.K2); ok {
		add(short, "", 0)
	}
	if split, ok := e.split(strings.Fields(n.K2)); ok {
		add(split, "", costJoined)
	}
	if rest, ok := strings.CutPrefix(n.KX, "U"); ok && len(rest) >= 4 && !strings.Contains(n.K2, " ") {
		add("UNIVERSITY "+rest, "", costReading) // UPenn, UMass
	}
	if words := strings.Fields(n.K1); len(words) > 3 && isInitials(words[len(words)-1], words[:len(words)-1]) {
		add(orgname.Parse(strings.Join(words[:len(words)-1], " ")).K2, "", 0) // "Committee for a Constructive Tomorrow CFACT"
	}
	more := n.Aliases[:min(len(n.Aliases), 2)]
	if n.Handler != "" {
		more = append(more, n.Handler)
	}
	if _, after, ok := strings.Cut(text, ","); ok && n.CareOf {
		more = append(more, after) // "c/o Jane Smith, NAME"
	}
	for _, a := range more {
		add(orgname.Parse(a).K2, "", costReading)
	}
	return list
}

// limitWords keeps the words that are looked at: each at most twice.
func limitWords(words []string) []string {
	out := make([]string, 0, len(words))
	for i, w := range words {
		if first := slices.Index(words, w); first == i || slices.Index(words[first+1:], w) == i-first-1 {
			out = append(out, w)
		}
	}
	return out[:min(len(out), maxAsked)]
}

// isInitials reports whether a word is initials of the words before it, small ones or not.
func isInitials(word string, words []string) bool {
	var all, main strings.Builder
	for _, w := range words {
		all.WriteByte(w[0])
		if !small[w] {
			main.WriteByte(w[0])
		}
	}
	return len(word) >= 3 && (strings.HasPrefix(all.String(), word) || strings.HasPrefix(main.String(), word))
}

// answer turns the weights of the organizations found into probabilities.
func (s *search) answer(q *Question) (a Answer) {
	limit := q.Limit
	if limit <= 0 {
		limit = 5
	}
	list := s.organizations()
	for i := range list {
		if o := &s.e.orgs[list[i].org]; q.State != "" && o.State[0] != 0 && q.State != string(o.State[:]) {
			list[i].weight = min(list[i].weight, s.none+mostElsewhere)
		}
	}
	slices.SortStableFunc(list, heavier)
	list = s.withoutNeighbors(list)
	s.tellApart(list)
	s.level(list)
	s.doubtNamesake(list)
	sum := math.Exp(s.none)
	for i := range list {
		sum += math.Exp(list[i].weight)
	}
	somebody, most := 0.0, 0.0
	for _, f := range list {
		most = max(most, f.share)
	}
	for _, f := range list {
		p := math.Exp(f.weight) / sum
		somebody += p
		if len(a.Candidates) == limit || p < leastShown && !(s.view.All && f.share >= leastPart*most) {
			continue
		}
		o, above := &s.e.orgs[f.org], f.weight-s.none
		c := Candidate{EIN: ein.EIN(o.EIN), Org: f.org, State: stateOf(o), Probability: p,
			Exact: f.exact, Whole: f.whole, Fit: 0.5 + 0.5*above/(math.Abs(above)+fitScale)}
		if p >= leastShown {
			c.Name, c.Why = s.e.textOf(f.name), s.e.why(f)
		}
		a.Candidates = append(a.Candidates, c)
	}
	switch {
	case len(a.Candidates) == 0 || a.Candidates[0].Probability < leastShown:
	case a.Candidates[0].Probability >= LeastCertain:
		a.Verdict = Certain
	case a.Candidates[0].Probability >= leastLikely:
		a.Verdict = Likely
	case somebody >= leastSeveral:
		a.Verdict = Several
	}
	return a
}

// withoutNeighbors leaves out organizations at whose address the name is used, if there are several about as likely: the name
// is then that of a neighbor of theirs, in a house with many offices.
func (s *search) withoutNeighbors(list []found) []found {
	near := func(f found) bool { return s.e.names[f.name].Kind == byAddress }
	first := slices.IndexFunc(list, near)
	if first < 0 {
		return list
	}
	second := slices.IndexFunc(list[first+1:], near)
	if second < 0 || list[first].weight-list[first+1+second].weight > 1 {
		return list
	}
	return slices.DeleteFunc(list, near)
}

// organizations is what was found, with the best name of each organization.
func (s *search) organizations() []found {
	slices.SortFunc(s.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.org, b.org), cmp.Compare(b.weight, a.weight), cmp.Compare(a.name, b.name))
	})
	list := s.found[:0]
	for _, f := range s.found {
		if n := len(list); n > 0 && list[n-1].org == f.org {
			best := &list[n-1]
			best.exact, best.whole = best.exact || f.exact, best.whole || f.whole
		} else {
			list = append(list, f)
		}
	}
	return list
}

func heavier(a, b found) int { return cmp.Compare(b.weight, a.weight) }

// tellApart takes from the first candidates whose name adds to the text what makes it
// another organization: a hospital is not its foundation.
func (s *search) tellApart(list []found) {
	const most = 8
	traits := s.name.Traits()
	words := min(2, strings.Count(s.name.K2, " "))
	list = list[:min(len(list), most)]
	for i := range list {
		f := &list[i]
		if !f.longer {
			continue
		}
		theirs := orgname.TraitsOf(s.e.textOf(f.name))
		why := traits.Conflicts(&theirs)
		if why&^orgname.Inst != 0 {
			f.weight -= costKin * float64(words)
		}
		if why&(orgname.Aff|orgname.Inst) == orgname.Aff|orgname.Inst && words > 1 {
			f.weight -= costKin
		}
	}
	slices.SortStableFunc(list, heavier)
}

// level takes from the first of several branches what its size adds: of chapters and campuses that the text does not tell
// apart, the largest is not the one that is meant. A branch is never certain, because others may be missing here.
func (s *search) level(list []found) {
	const others, room, most = 2, 0.8, 1.0
	if len(list) == 0 || !list[0].branch || s.q.State != "" || s.q.City != "" {
		return
	}
	for i := range list {
		if list[i].branch {
			list[i].weight = min(list[i].weight, s.none+most)
		}
	}
	slices.SortStableFunc(list, heavier)
	if s.like < others || !list[0].branch {
		return
	}
	next := s.none
	for _, f := range list[1:] {
		if f.branch {
			next = max(next, f.weight)
			break
		}
	}
	list[0].weight = min(list[0].weight, next+room)
}

// doubtNamesake takes from the first candidate a part of what it has before the next
// with the same name. Funders often mean the smaller one: prominence says little here.
func (s *search) doubtNamesake(list []found) {
	const most = 8
	for i := 1; i < min(len(list), most); i++ {
		if slices.Equal(s.e.wordsOf(list[0].name), s.e.wordsOf(list[i].name)) {
			before := list[0].weight - list[i].weight
			list[0].weight -= before / (1 + before)
			return
		}
	}
}

// stateOf is the state of an organization, empty when it is not known.
func stateOf(o *orgRecord) string { return strings.TrimRight(string(o.State[:]), "\x00") }
