package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// term is one word of the question and the vocabulary words that may stand for it.
type term struct {
	text         string
	bits         uint16 // the question words it covers: one word, or two words joined
	alts         []alt  // in vocabulary order
	begun        string // the word as typed, when it may be incomplete
	from, to     uint32 // range of the words that begin so
	city         uint32 // the word as part of a city
	inCity       bool
	state        uint16 // the state it names, 0 for none
	inVocabulary bool   // the vocabulary has the word itself
	doubtful     bool   // so few names have it that the register may have the same slip
	idle         bool   // it seems to be a word that comparisons ignore
	weight       float32
	cost         int // entries of its lists
}

// joined reports whether the term joins two words of the question.
func (t *term) joined() bool { return t.bits&(t.bits-1) != 0 }

// prepare fills in the terms of the question. k1 has its words as typed. prepare
// reports whether this effort adds anything to the one before.
func (fd *finder) prepare(words []string, k1 string, effort int) (fresh bool) {
	fd.terms, fd.far, fd.unsure = fd.terms[:0], false, false
	if effort == splitUnknown {
		if words, fresh = fd.split(words); !fresh {
			return false
		}
	}
	for i, w := range words {
		t, last := fd.term(w, 1<<i), i == len(words)-1
		t.doubtful = t.inVocabulary && fd.x.count(t.alts[0].word) <= doubtful && len(w) > 4
		fd.unsure = fd.unsure || t.doubtful
		if last {
			fd.x.complete(&t, k1)
		}
		t.city, t.inCity = fd.x.find(string(cityMark) + w)
		if code, ok := place.State(w); ok && i > 0 && len(code) == 2 {
			t.state = stateCode(code)
		}
		if effort >= correctUnknown && (!t.inVocabulary || t.doubtful) || effort == correctAll {
			t.idle = i > 0 && (!t.inVocabulary || last) && seemsIdle(w, last)
			corrected := fd.misspelled(&t, effort)
			fresh = fresh || corrected || t.idle
		}
		t.idle = t.idle || i > 0 && legal[w]
		fd.add(&t)
	}
	// The register loses spaces, so two words may be one there.
	for i := 0; i+1 < len(words); i++ {
		if t := fd.term(words[i]+words[i+1], 3<<i); t.inVocabulary {
			fd.add(&t)
		}
	}
	fd.weigh(len(words))
	return fresh
}

// term begins a term. If the vocabulary has the word, the word stands for itself.
func (fd *finder) term(w string, bits uint16) term {
	if len(fd.altBuf) == len(fd.terms) {
		fd.altBuf = append(fd.altBuf, nil)
	}
	t := term{text: w, bits: bits, alts: fd.altBuf[len(fd.terms)][:0]}
	var id uint32
	if id, t.inVocabulary = fd.x.find(w); t.inVocabulary {
		t.alts = append(t.alts, alt{id, 0, 1})
	}
	return t
}

// add finishes a term and keeps it, along with its grown buffer for the next
// question.
func (fd *finder) add(t *term) {
	fd.altBuf[len(fd.terms)] = t.alts
	fd.finish(t)
	fd.terms = append(fd.terms, *t)
}

// complete lets the last word be the beginning of a longer word.
func (x *Index) complete(t *term, k1 string) {
	t.begun = t.text
	// "Comm" is short for community, or the beginning of commission.
	if typed := k1[strings.LastIndexByte(k1, ' ')+1:]; len(typed) > 2 && typed != t.text && orgname.Key(typed) == t.text {
		t.begun = typed
	}
	t.from, t.to = x.prefixed(t.begun)
}

// misspelled adds corrections to a term and reports whether there are any.
func (fd *finder) misspelled(t *term, effort int) (found bool) {
	x, before := fd.x, len(t.alts)
	most := slips(len(t.text))
	if t.inVocabulary {
		most = min(most, 1)
	}
	t.alts = x.respell(fd.correct(t.alts, t.text, min(most, 1)), t.text)
	if len(t.alts) == before && most > 1 {
		t.alts = fd.correct(t.alts, t.text, most)
		fd.far = fd.far || len(t.alts) > before
	}
	if t.doubtful && effort < correctAll {
		common := rarer * x.count(t.alts[0].word)
		t.alts = slices.DeleteFunc(t.alts, func(a alt) bool { return a.distance > 0 && x.count(a.word) < common })
	}
	found = len(t.alts) > before
	t.alts = x.keepLikely(t.alts)
	return found
}

// weigh sums the weights of the words for each set of words. The terms of single
// words come first.
func (fd *finder) weigh(words int) {
	sets := 1 << words
	fd.weights = append(slices.Grow(fd.weights[:0], sets), 0)[:sets]
	for m := 1; m < sets; m++ {
		low := bits.TrailingZeros(uint(m))
		fd.weights[m] = fd.weights[m&(m-1)] + fd.terms[low].weight
	}
	fd.total = fd.weights[sets-1]
}

// correct looks for corrections while the budget of work lasts.
func (fd *finder) correct(alts []alt, word string, most int) []alt {
	if fd.work < maxWork {
		fd.near = fd.walker.Correct(fd.near[:0], word, most)
		for _, n := range fd.near {
			alts = append(alts, alt{n.Word, n.Distance, 1 - 0.9*float32(n.Distance)/float32(max(len(word), len(fd.x.word(n.Word))))})
		}
		// A branch costs as much as several entries of a list.
		fd.work += 4 * fd.walker.Visits
	}
	return alts
}

// split splits words that the vocabulary lacks, or has only because the register lost
// the same space. The parts are vocabulary words in their long form.
func (fd *finder) split(words []string) (out []string, fresh bool) {
	for i, w := range words {
		var parts []string
		if len(out)+len(words)-i < maxTerms && len(w) >= 5 && len(w) <= 40 {
			parts = fd.x.splitWord(w, i > 0 && words[i-1] == "SAINT")
		}
		if parts == nil {
			out = append(out, w)
		} else {
			out, fresh = append(out, parts...), true
		}
	}
	return out, fresh
}

// splitWord splits a word where the parts are commonest. It returns nil if no split
// fits.
func (x *Index) splitWord(w string, saint bool) (best []string) {
	most := 1
	if id, ok := x.find(w); ok {
		most = rarer * x.count(id)
	}
	before, skip := "", 0
	if saint {
		before, skip = "ST ", 1 // after ST, names lose their last S
	}
	for j := 2; j <= len(w)-2; j++ {
		parts := strings.Fields(orgname.Parse(before + w[:j] + " " + w[j:]).K2)
		parts = parts[min(skip, len(parts)):]
		if n := x.rarest(parts); n > most {
			best, most = parts, n
		}
	}
	return best
}

// rarest is how many names have the rarest part of a word. It is 0 if a part is not
// in the vocabulary or is too short to tell from a slip.
func (x *Index) rarest(parts []string) (n int) {
	for i, p := range parts {
		id, ok := x.find(p)
		if !ok || len(p) < 3 && p[0] >= 'A' && len(parts) > 1 {
			return 0
		}
		if c := x.count(id); i == 0 || c < n {
			n = c
		}
	}
	return n
}

// keepLikely keeps the corrections with the fewest slips, then the commonest words,
// in vocabulary order.
func (x *Index) keepLikely(alts []alt) []alt {
	slices.SortFunc(alts, func(a, b alt) int { return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.distance, b.distance)) })
	alts = slices.CompactFunc(alts, func(a, b alt) bool { return a.word == b.word })
	if len(alts) > maxAlts {
		slices.SortFunc(alts, func(a, b alt) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(x.count(b.word), x.count(a.word)), cmp.Compare(a.word, b.word))
		})
		alts = alts[:maxAlts]
		slices.SortFunc(alts, func(a, b alt) int { return cmp.Compare(a.word, b.word) })
	}
	return alts
}

// finish sets the weight of a term: a rare word weighs more than a common one.
func (fd *finder) finish(t *term) {
	x := fd.x
	most := 0
	for _, a := range t.alts {
		n := x.count(a.word)
		t.cost += n
		if !t.inVocabulary || a.distance == 0 {
			most = max(most, n)
		}
	}
	if t.to > t.from {
		n := int(x.listStart[t.to] - x.listStart[t.from])
		t.cost += n
		if !t.inVocabulary {
			most = max(most, n/4)
		}
	}
	if t.inCity {
		t.cost += x.count(t.city)
		if len(t.alts) == 0 && t.to == t.from {
			most = max(most, x.count(t.city))
		}
	}
	t.weight = max(leastWeight, x.rarityOf(most))
	if t.idle && (len(t.alts) == 0 || legal[t.text] || len(t.text) > 6) {
		t.weight = leastWeight
	} else if t.cost == 0 {
		// No name can match this word. It counts, but less than a word that could
		// have been found.
		t.weight = float32(math.Log(1+float64(len(x.names)))) / 2
	}
}

// in reports whether a word of a name may stand for the term.
func (t *term) in(words []uint32) bool { return slices.ContainsFunc(words, t.has) }

// has reports whether the word w may stand for the term.
func (t *term) has(w uint32) bool { return t.likeness(w) > 0 || t.begins(w) }

// likeness is how well the word w stands for the term: 1 for the word itself, less
// for a correction, otherwise 0.
func (t *term) likeness(w uint32) float32 {
	if n := len(t.alts); n > 4 {
		if i := sort.Search(n, func(i int) bool { return t.alts[i].word >= w }); i < n && t.alts[i].word == w {
			return t.alts[i].likeness
		}
		return 0
	}
	for i := range t.alts {
		if t.alts[i].word == w {
			return t.alts[i].likeness
		}
	}
	return 0
}

// begins reports whether the term may be the beginning of the word w.
func (t *term) begins(w uint32) bool { return w >= t.from && w < t.to }
