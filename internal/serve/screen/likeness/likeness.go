// Package likeness compares the name of an organization with the names of a list, such as the sanctioned entities, and finds
// the names that it may be a spelling of: with words in another order, left out or added, mistyped, run together,
// transliterated differently, or under another legal form.
//
// A score depends only on the two names, on the list, and on an embedded table of how common words are in names of American
// nonprofits: whoever has the list can compute it again. The package reads no files and does not know where lists come from or
// what a hit means.
package likeness

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

type Kind string

const (
	Primary Kind = "primary"
	AKA     Kind = "aka"
	FKA     Kind = "fka"
	Weak    Kind = "weak"
)

const (
	Threshold = 0.75 // from here a name is a potential match
	Strong    = 0.90 // from here it is a strong one
)

// Name is one name of a list. An ID may have several names.
type Name struct {
	ID   int64
	Kind Kind
	Text string
}

// Pair is two aligned words. If a word stands for two that were run together, the two are written with a space.
type Pair struct {
	Query, List string
	Similarity  float64
	Weight      float64 // of the list's word
}

// Hit is a name of the list that resembles the one asked for.
type Hit struct {
	ID      int64
	Name    string // as published
	Kind    Kind
	Score   float64 // rounded to four places
	Exact   bool    // the two have the same words, whatever their order and legal form
	Aligned []Pair  // in the order of the name asked for
	Flags   []string
}

const (
	FlagSpaceless     = "spaceless"      // found by the letters without the spaces between words
	FlagNumbersDiffer = "numbers_differ" // both have numbers, and not the same
	FlagContained     = "contains"       // all words of the listed name are in the name, and identify it
	FlagWeakAlias     = "weak_alias"     // the list itself calls the name weak
)

// List is a list of names that can be searched. It does not change and is safe for concurrent use.
type List struct {
	size  int
	names []entry
	words []word           // of all names, and of pairs of neighbors in them
	ids   map[string]int32 // of words
	holds [][]int32        // word → names that have it among their content
	pairs [][]int32        // word → names in which it is two neighbors run together

	bags    map[string][]int32 // sorted words → names, by content and by all words
	folds   map[string][]int32 // fold → words that are found with typos
	sounds  map[string][]int32 // skeleton → the same words
	similar *nearby            // the same words by their letters
	joined  *nearby            // names without spaces

	neighbors []atomic.Pointer[[]int32] // word → similar words; nil until they are first needed
	scratch   sync.Pool
}

// entry is one name of the list, prepared.
type entry struct {
	Name
	content  []int32
	merges   []merge
	bag      string
	shuffle  string
	numbers  string
	joined   [2]run  // its content, and all its words, without spaces
	weight   float64 // of its content
	info     float64 // of its content
	letters  float64 // of its content, by what they say
	foreign  float64 // letters of legal forms that no American organization has
	american bool    // it has a legal form of American nonprofits
	forms    formSet // legal forms that they do not have
	company  bool    // it has a legal form of any country

	identifying bool // one of its words is rare enough to identify a name that contains it
}

// merge is two neighbors of a name run together, with their positions in the content, -1 for none.
type merge struct {
	id   int32
	a, b int16
}

// New makes a list of names. It leaves out names without a letter or digit.
func New(names []Name) *List {
	l := &List{bags: map[string][]int32{}, folds: map[string][]int32{}, sounds: map[string][]int32{},
		similar: newNearby(anchorSlips), joined: newNearby(joinedReach)}
	l.size = len(names)
	texts := l.prepare(names)
	l.weigh(texts)
	l.holds, l.pairs = make([][]int32, len(l.words)), make([][]int32, len(l.words))
	for i := range l.names {
		l.index(int32(i))
	}
	for id := range l.words {
		w := &l.words[id]
		if len(l.holds[id]) == 0 || w.info < anchorInfo || w.number {
			continue
		}
		l.folds[w.fold] = append(l.folds[w.fold], int32(id))
		if len(w.skeleton) >= 3 {
			l.sounds[w.skeleton] = append(l.sounds[w.skeleton], int32(id))
		}
		l.similar.add(w.text, int32(id))
	}
	l.similar.seal()
	l.joined.seal()
	l.neighbors = make([]atomic.Pointer[[]int32], len(l.words))
	l.scratch.New = func() any {
		return &query{seen: make([]uint32, len(l.names)), tried: make([]uint32, len(l.names))}
	}
	return l
}

func (l *List) Len() int { return l.size }

// common are the words of the table of frequencies, as they are in a list in which none of them occurs twice.
var common = sync.OnceValue(func() (c struct {
	texts []string
	ids   map[string]int32
	words []word
}) {
	c.texts = slices.Sorted(maps.Keys(frequency()))
	c.ids = make(map[string]int32, len(c.texts))
	for i, t := range c.texts {
		c.ids[t] = int32(i)
		c.words = append(c.words, newWord(t, 0))
	}
	return c
})

func (l *List) prepare(names []Name) (texts []string) {
	id := func(text string) int32 {
		n, ok := l.ids[text]
		if !ok {
			n = int32(len(texts))
			l.ids[text] = n
			texts = append(texts, text)
		}
		return n
	}
	// Common words have numbers too, so that a name made of them costs only lookups.
	known := common()
	texts = slices.Clone(known.texts)
	l.ids = maps.Clone(known.ids)
	type once struct {
		id    int64
		words string
	}
	kept := map[once]int{}
	var p phrase
	for _, n := range names {
		if n.Kind != Primary && n.Kind != FKA && n.Kind != Weak {
			n.Kind = AKA
		}
		take(n.Text, &p)
		if len(p.words) == 0 {
			continue
		}
		have, letters := p.foreignForms()
		e := entry{Name: n, bag: p.bag(), shuffle: p.shuffle, numbers: p.numbers(), joined: p.joined(), forms: have, foreign: letters, american: p.incorporated()}
		e.company = p.company()
		for _, at := range p.content {
			e.content = append(e.content, id(p.words[at]))
		}
		p.eachMerge(func(text []byte, a, b int16) { e.merges = append(e.merges, merge{id(string(text)), a, b}) })
		words := strings.Join(p.words, " ")
		// If an ID has the same words twice, the name of the better kind counts.
		if i, ok := kept[once{n.ID, words + "/" + p.shuffle}]; ok {
			if rank(n.Kind) < rank(l.names[i].Kind) {
				l.names[i] = e
			}
			continue
		}
		kept[once{n.ID, words + "/" + p.shuffle}] = len(l.names)
		l.names = append(l.names, e)
	}
	return texts
}

// rank orders kinds by how reliable the list considers them.
func rank(k Kind) int {
	return slices.Index([]Kind{Primary, AKA, FKA, Weak}, k)
}

// leastList is the size below which a list does not show how common words are.
const leastList = 1000

func (l *List) weigh(texts []string) {
	entries := map[int64]bool{}
	counts := make([]int, len(texts))
	last := make([]int64, len(texts))
	order := make([]int, len(l.names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.names[a].ID, l.names[b].ID) })
	for _, i := range order {
		e := &l.names[i]
		entries[e.ID] = true
		for _, w := range e.content {
			if counts[w] == 0 || last[w] != e.ID {
				counts[w]++
				last[w] = e.ID
			}
		}
	}
	all := float64(max(len(entries), leastList))
	l.words = make([]word, len(texts))
	n := copy(l.words, common().words)
	for i, t := range texts {
		if i >= n || counts[i] > 1 {
			l.words[i] = newWord(t, float64(max(0, counts[i]-1))/all)
		}
	}
	for i := range l.names {
		e := &l.names[i]
		e.identifying = slices.ContainsFunc(e.content, func(w int32) bool { return l.words[w].identifies(counts[w], e.company) })
	}
}

func (l *List) index(i int32) {
	e := &l.names[i]
	add := func(to []int32) []int32 {
		if n := len(to); n > 0 && to[n-1] == i {
			return to
		}
		return append(to, i)
	}
	for _, w := range e.content {
		l.holds[w] = add(l.holds[w])
		e.weight += l.words[w].weight
		e.info += max(0, l.words[w].info-baseInfo)
		share := min(1, l.words[w].info/fullInfo)
		e.letters += float64(len(l.words[w].text)) * share * share
	}
	l.bags[e.bag] = append(l.bags[e.bag], i)
	if e.shuffle != e.bag {
		l.bags[e.shuffle] = append(l.bags[e.shuffle], i)
	}
	if e.Kind == Weak {
		return
	}
	for _, m := range e.merges {
		l.pairs[m.id] = add(l.pairs[m.id])
	}
	l.joined.add(e.joined[0].text, i)
	if e.joined[1] != e.joined[0] {
		l.joined.add(e.joined[1].text, i)
	}
}

// Find returns the names that resemble name with a score of at least least: the best of each ID, best first and then by ID. It
// does not look for names that share no telling word with name, which score at most 0.6.
func (l *List) Find(name string, least float64) []Hit { return l.search(name, least, l.candidates) }

// Scan is Find without an index: it scores every name of the list. Tests and measurements compare Find with it.
func (l *List) Scan(name string, least float64) []Hit {
	return l.search(name, least, func(_ *query, visit func(int32)) {
		for i := range l.names {
			visit(int32(i))
		}
	})
}

func (l *List) search(name string, least float64, candidates func(*query, func(int32))) []Hit {
	q := l.scratch.Get().(*query)
	defer l.scratch.Put(q)
	if !l.ask(q, name) {
		return nil
	}
	var best []found
	candidates(q, func(i int32) { best = l.consider(q, i, least, best) })
	return l.hits(q, best)
}

type found struct {
	name  int32
	score float64
}

// consider scores one name and keeps it if it is the best of its ID.
func (l *List) consider(q *query, i int32, least float64, best []found) []found {
	s := l.score(q, i, nil)
	if s < least || s <= 0 {
		return best
	}
	e := &l.names[i]
	for k, b := range best {
		o := &l.names[b.name]
		if o.ID != e.ID {
			continue
		}
		if s > b.score || s == b.score && cmp.Or(cmp.Compare(rank(e.Kind), rank(o.Kind)), cmp.Compare(i, b.name)) < 0 {
			best[k] = found{i, s}
		}
		return best
	}
	return append(best, found{i, s})
}

func (l *List) hits(q *query, best []found) []Hit {
	if len(best) == 0 {
		return nil
	}
	hits := make([]Hit, len(best))
	for k, b := range best {
		e := &l.names[b.name]
		h := Hit{ID: e.ID, Name: e.Text, Kind: e.Kind, Exact: q.exactly(e)}
		h.Score = l.score(q, b.name, &h)
		hits[k] = h
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return hits
}

func round(s float64) float64 { return math.Round(s*1e4) / 1e4 }

// bag returns the key that two names share when they have the same words in any order.
func (p *phrase) bag() string {
	var buf [maxWords]string
	s := buf[:0]
	for _, at := range p.content {
		s = append(s, p.words[at])
	}
	return sorted(s)
}

// numbers returns the numbers of a name, sorted and once each.
func (p *phrase) numbers() string {
	var buf [maxWords]string
	s := buf[:0]
	for _, at := range p.content {
		if digits(p.words[at]) {
			s = append(s, p.words[at])
		}
	}
	if len(s) == 0 {
		return ""
	}
	slices.Sort(s)
	return strings.Join(slices.Compact(s), " ")
}

// joined returns the content of a name, and the whole name, without spaces.
func (p *phrase) joined() [2]run {
	all := newRun(strings.Join(p.words, ""))
	if len(p.content) == len(p.words) {
		return [2]run{all, all}
	}
	var b strings.Builder
	for _, at := range p.content {
		b.WriteString(p.words[at])
	}
	return [2]run{newRun(b.String()), all}
}

// eachMerge calls fn for every two neighbors of which at least one is content, written as one word.
func (p *phrase) eachMerge(fn func(text []byte, a, b int16)) {
	c := 0 // content before the i-th word
	for i := range len(p.words) - 1 {
		a, b := int16(-1), int16(-1)
		next := c
		if next < len(p.content) && p.content[next] == i {
			a = int16(next)
			next++
		}
		if next < len(p.content) && p.content[next] == i+1 {
			b = int16(next)
		}
		c = next
		if a >= 0 || b >= 0 {
			p.buf = append(append(p.buf[:0], p.words[i]...), p.words[i+1]...)
			fn(p.buf, a, b)
		}
	}
}

// foreignForms returns the legal forms of a name that American organizations do not have, and the number of their letters.
func (p *phrase) foreignForms() (have formSet, letters float64) {
	var form [maxWords]bool
	p.formWords(form[:])
	for i, w := range p.words {
		if form[i] && !forms[w] {
			have.add(w)
			letters += float64(len(w))
		}
	}
	return have, letters
}

func (p *phrase) company() bool {
	var form [maxWords]bool
	p.formWords(form[:])
	return slices.Contains(form[:len(p.words)], true)
}

func (p *phrase) incorporated() bool {
	for _, w := range p.words {
		switch w {
		case "INC", "INCORPORATED", "CORP", "CORPORATION":
			return true
		}
	}
	return false
}
