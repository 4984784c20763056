package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/typo"
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

	doubtful = 3 // a word in at most this many names may be a misspelling in the register
)

// Find finds the organizations that q may mean, best first: by name, part of a name,
// initials, or EIN in any format. With a state, it finds only organizations there. A
// question of fewer than two characters finds nothing. limit is at most 200; 0 or
// less means 10.
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
	list := make([]found, len(hits))
	for i, h := range hits {
		list[i] = found{org: h.org, class: h.class, score: h.score, named: true}
	}
	var within []uint64
	if state != "" {
		within = x.inState(nil, state)
	}
	list, _ = x.arrange(q, state, within, list)
	out := make([]Result, 0, len(list))
	for _, f := range list[:min(len(list), limit)] {
		out = append(out, x.resultOf(f))
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// findAll collects the hits of every reading of the question.
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
	// A text in parentheses or after "dba" is a second reading, with less weight.
	for _, a := range n.Aliases[:min(len(n.Aliases), 2)] {
		from := len(fd.hits)
		fd.ask(orgname.Parse(a), want)
		for i := range fd.hits[from:] {
			fd.hits[from+i].score *= 0.85
		}
	}
}

// typedEIN reads a question that is an EIN, with or without the word "EIN" before it.
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

// finder holds the buffers and the progress of one question.
type finder struct {
	x *Index

	// The question.
	within  []uint64 // only these organizations; nil for all
	efforts int      // the last effort to make; see asTyped and the others
	spent   int      // part of the allowed work that is reserved for others
	limit   int      // results that are shown
	typed   []byte   // the question with single spaces
	formal  bool     // it has words that comparisons ignore, such as a legal form
	exact   bool     // one of its readings is exactly the name of an organization
	work    int      // entries, names and branches looked at so far
	hits    []hit

	// The current reading and effort.
	terms   []term
	weights []float32 // of each set of question words
	total   float32   // weight of all words of the question
	unsure  bool      // some word is doubtful
	far     bool      // some word has a correction with two slips but none with one
	order   []int     // terms, in the order of reading their lists
	scanned []int     // terms that were looked for in only some of the names
	covered []uint16  // for each name, the question words found in it
	touched []uint32  // names with at least one question word
	counts  []int32   // for each set of question words, the number of names with exactly this set
	sets    []uint16  // the sets that occur
	grouped []uint32  // names, grouped by set
	ends    []int32   // where the names of each set end in grouped
	best    []ranked  // names to be scored: a heap with the worst on top

	// The name scored last.
	asked     float32 // how much of the question the name has
	completed bool    // a word of the question only begins a word of the name

	walker  typo.Walker
	near    []typo.Near
	altBuf  [][]alt // of each term
	fetched uint32  // write-only: keeps the compiler from dropping the reads that fill the caches
}

func newFinder(x *Index) *finder {
	fd := &finder{x: x, efforts: correctAll, limit: maxLimit, covered: make([]uint16, len(x.names))}
	fd.walker.Vocabulary = typo.Vocabulary{Start: x.wordStart, Text: x.wordText, Backwards: x.reverse}
	return fd
}

// The efforts to answer a question, in order: as typed; with corrections of words
// that no name or few names have; with such words split in two; with corrections of
// every word. The first effort that finds all words of the question in one name is
// the last. There are two exceptions. The register may have the same slip as the
// question, and a lost space is likelier than two slips in a word.
const (
	asTyped = iota
	correctUnknown
	splitUnknown
	correctAll
)

// ask adds the hits of one reading of the question.
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

// limitWords keeps at most maxTerms words, and each word at most twice.
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
	letter     bool // the name equals the typed text, letter by letter
	class      class
}

// outside reports whether the question excludes the organization of a name.
func (fd *finder) outside(f uint32, state uint16) bool {
	name := &fd.x.names[f]
	return state != 0 && name.State != state || fd.within != nil && !has(fd.within, name.Org)
}

// ranked sorts the hits, one for each organization. Few people type a legal form.
// Those who do mean the name that has it, so this name precedes larger organizations,
// whose scores are lowered to the same value. Hits far below the best are noise and
// left out.
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
