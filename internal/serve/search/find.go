package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// Bounds of the work on one question.
const (
	maxQuestion = 300     // bytes that are read
	maxTerms    = 12      // words that are looked at
	maxWalk     = 60_000  // entries read of the lists of one word
	maxWork     = 400_000 // entries, names and branches looked at, after which no more is tried
	maxScan     = 20_000  // names looked at one by one for a very common word
	maxScored   = 400     // names that are compared with the question in full
	maxSame     = 2_000   // names with exactly the name asked for
	maxLimit    = 200     // results

	doubtful = 3 // names that have a word which is held for a slip all the same
)

// Find finds the organizations that q may mean, best first: by name, by a
// part of it, by initials, or by EIN in any format. With a state, only
// organizations there are found. A question of fewer than two characters finds
// nothing. limit is at most 200; 0 and less mean 10.
func (x *Index) Find(q, state string, limit int) []Result {
	x.mu.RLock()
	defer x.mu.RUnlock()
	q = strings.TrimSpace(firstBytes(q, maxQuestion))
	if x.closed || utf8.RuneCountInString(q) < 2 || len(x.names) == 0 {
		return nil
	}
	if limit <= 0 {
		limit = 10
	}
	limit = min(limit, maxLimit)
	var want uint16
	if state = strings.ToUpper(strings.TrimSpace(state)); state != "" {
		if len(state) != 2 || strings.Trim(state, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return nil
		}
		want = stateCode(state)
	}
	if e, ok := typedEIN(q); ok {
		if r, ok := x.lookup(e); ok && (state == "" || r.State == state) {
			return []Result{r}
		}
	}
	fd := x.finders.Get().(*finder)
	defer x.finders.Put(fd)
	fd.within, fd.efforts, fd.spent, fd.limit = nil, correctAll, 0, limit
	fd.findAll(q, want)
	hits := fd.ranked()
	out := make([]Result, 0, len(hits))
	for _, h := range hits {
		r := x.result(h.org)
		r.Score, r.Match = rounded(h.score), h.class.String()
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// findAll fills the hits with what every reading of the question finds.
func (fd *finder) findAll(q string, want uint16) {
	fd.hits, fd.work, fd.exact = fd.hits[:0], fd.spent, false
	n := orgname.Parse(q)
	words := strings.Fields(q)
	fd.typed = append(fd.typed[:0], strings.Join(words, " ")...)
	fd.formal = len(words) > strings.Count(n.K1, " ")+1
	fd.ask(n, want)
	if short, ok := shorten(n.K2); ok {
		fd.ask(orgname.Name{K2: short, KX: strings.ReplaceAll(short, " ", "")}, want)
	}
	// A text in parentheses or after "dba" is a second reading of less weight.
	for _, a := range n.Aliases[:min(len(n.Aliases), 2)] {
		from := len(fd.hits)
		fd.ask(orgname.Parse(a), want)
		for i := range fd.hits[from:] {
			fd.hits[from+i].score *= 0.85
		}
	}
}

// typedEIN reads a question that is an EIN, with or without the word before
// it.
func typedEIN(q string) (ein.EIN, bool) {
	if len(q) > 4 && strings.EqualFold(q[:3], "EIN") {
		q = strings.TrimLeft(q[3:], " :#.-")
	}
	digits := 0
	for i := 0; i < len(q); i++ {
		if q[i] >= '0' && q[i] <= '9' {
			digits++
		}
	}
	if digits < 7 {
		return ein.None, false
	}
	e, err := ein.Parse(q)
	return e, err == nil
}

// finder holds the buffers of one question and how far it has come.
type finder struct {
	x *Index

	// Of the question.
	within  []uint64 // the organizations that are looked for; nil for all
	efforts int      // how hard the question is looked into at most
	spent   int      // of the work allowed, what others take
	limit   int      // results that are shown
	typed   []byte   // the question with single spaces
	formal  bool     // it has words that names are compared without, such as a legal form
	exact   bool     // a reading of it is the very name of an organization
	work    int      // what was looked at so far
	hits    []hit

	// Of the reading and the effort under way.
	terms   []term
	weights []float32 // of each set of words of the question
	total   float32   // weight of all words of the question
	unsure  bool      // some word is doubtful
	far     bool      // some word has no correction of one slip, but of two
	order   []int     // terms, in the order in which their lists are read
	scanned []int     // terms that were looked for in some of the names alone
	covered []uint16  // of each name, the words of the question found in it
	touched []uint32  // the names with any
	counts  []int32   // of each set of words of the question, the names that have just these
	sets    []uint16  // the sets that names have
	grouped []uint32  // names by these sets
	ends    []int32   // where the names of each set end among them
	best    []ranked  // names to be scored, a heap with the worst on top

	// Of the name scored last.
	asked     float32 // how much of the question it has
	completed bool    // a word of the question only begins one of its words

	walker  walker
	altBuf  [][]alt // of each term
	fetched uint32  // only written, so that the compiler keeps the reads that fill the caches
}

func newFinder(x *Index) *finder {
	fd := &finder{x: x, efforts: correctAll, limit: maxLimit, covered: make([]uint16, len(x.names))}
	fd.walker.x = x
	return fd
}

// How hard a question is looked into: as typed, then with corrections of words
// that no name has, or very few, then with such words parted in two, then with
// corrections of every word. The first that finds all words of the question in
// one name is the last, except that a slip in the question may be one in the
// register too, and that a lost space is likelier than two slips in a word.
const (
	asTyped = iota
	correctUnknown
	splitUnknown
	correctAll
)

// ask adds what one reading of the question finds to the hits.
func (fd *finder) ask(n orgname.Name, state uint16) {
	if n.KX == "" {
		return
	}
	words := limitWords(strings.Fields(n.K2))
	fd.addExact(n.KX, state)
	fd.addInitials(n, words, state)
	for effort := asTyped; effort <= fd.efforts && fd.work < maxWork; effort++ {
		if !fd.prepare(words, n.K1, effort) && effort > asTyped {
			continue
		}
		fd.collect(state)
		if effort == asTyped {
			fd.addLeading(words, state)
		}
		if fd.score() && !(effort == asTyped && fd.unsure && !fd.exact) && !(effort == correctUnknown && fd.far) {
			return
		}
	}
}

// limitWords keeps no more words than a question may have, and no word more than
// twice.
func limitWords(words []string) []string {
	out := words[:0]
	for _, w := range words {
		if len(out) == maxTerms {
			break
		}
		seen := 0
		for _, o := range out {
			if o == w {
				seen++
			}
		}
		if seen < 2 {
			out = append(out, w)
		}
	}
	return out
}

// hit is a name that was found, with its score.
type hit struct {
	org        uint32
	score      float32
	prominence float32
	text       float32 // how well the name and the question agree
	letter     bool    // the name is what was typed, letter by letter
	class      class
}

// outside reports whether the organization of a name is not among those looked
// for.
func (fd *finder) outside(f uint32, state uint16) bool {
	name := &fd.x.names[f]
	return state != 0 && name.State != state || fd.within != nil && !has(fd.within, name.Org)
}

// ranked puts the hits in order, one for each organization. Few type a legal
// form; who does means the name that has it, so it comes before those of larger
// organizations, whose score is then lowered to the same. Far below the best is
// noise, which is left out.
func (fd *finder) ranked() []hit {
	byLetter := func(a, b hit) int {
		switch {
		case a.letter == b.letter:
			return 0
		case a.letter:
			return -1
		}
		return 1
	}
	slices.SortFunc(fd.hits, func(a, b hit) int {
		if a.org != b.org { // nearly always
			return cmp.Compare(a.org, b.org)
		}
		return cmp.Or(byLetter(a, b), cmp.Compare(b.score, a.score))
	})
	hits := fd.hits[:0]
	for _, h := range fd.hits {
		if n := len(hits); n > 0 && hits[n-1].org == h.org {
			hits[n-1].class = max(hits[n-1].class, h.class)
		} else {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		order := byLetter(a, b)
		if fd.formal && order != 0 {
			return order
		}
		return cmp.Or(cmp.Compare(b.score, a.score), order, cmp.Compare(b.prominence, a.prominence), cmp.Compare(a.org, b.org))
	})
	for i := 1; i < len(hits); i++ {
		hits[i].score = min(hits[i].score, hits[i-1].score)
	}
	if len(hits) == 0 {
		return nil
	}
	hits = hits[:min(len(hits), fd.limit)]
	for i := range hits {
		if hits[i].score < 0.5*hits[0].score {
			return hits[:i]
		}
	}
	return hits
}

func rounded(score float32) float64 { return math.Round(float64(score)*10_000) / 10_000 }
