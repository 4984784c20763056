package likeness

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/typo"
)

// query is the name to look for, and the working memory of one search.
type query struct {
	phrase
	content  []word
	ids      []int32 // of content, -1 for a word that the list does not have
	merges   []merge // that make a word of the list
	bag      string
	numbers  string
	joined   [2]run
	unusual  bool    // it has a word that is not common
	named    int     // words of content that are not a legal form with a slip
	american bool    // it has a legal form of American nonprofits
	forms    formSet // its legal forms of other countries

	round uint32   // of this search; older marks are void
	seen  []uint32 // names that were scored
	tried []uint32 // names whose letters were compared
	links []link
	usedQ [maxWords]bool
	usedL [maxWords]bool
	meets [maxWords]bool // words of the list's name that the query has, if only in another transliteration

	// The last likenesses that were computed: names of organizations consist of the same words.
	asked   []uint64 // numbers of content
	strange uint64   // how many unknown words were numbered so far
	likes   [likesKept]pairLikeness
}

// likesKept is how many likenesses are kept. It is a power of two.
const likesKept = 1 << 14

type pairLikeness struct {
	asked    uint64 // its number, never zero
	listed   int32
	likeness float64
}

// link is a possible alignment: positions in both names, the second -1 unless two words were run together.
type link struct {
	likeness     float64
	weight       float64
	q, q2, n, n2 int16
}

// ask prepares a search, and reports whether the name has a word.
func (l *List) ask(q *query, name string) bool {
	take(name, &q.phrase)
	if len(q.words) == 0 {
		return false
	}
	if q.round++; q.round == 0 { // the counter overflowed
		clear(q.seen)
		clear(q.tried)
		q.round = 1
	}
	q.content, q.ids, q.asked, q.merges = q.content[:0], q.ids[:0], q.asked[:0], q.merges[:0]
	q.unusual, q.named = false, 0
	l.dropMistypedForms(q)
	for _, at := range q.phrase.content {
		text := q.words[at]
		id, ok := l.ids[text]
		if ok {
			q.content = append(q.content, l.words[id])
		} else {
			id = -1
			w := newWord(text, 0)
			if !w.common && !w.number && (foldedForms[w.fold] || len(text) >= 3 && nearForm(text)) {
				w.weight, w.info, w.form = leastWeight, 0, true
			}
			q.content = append(q.content, w)
		}
		q.ids = append(q.ids, id)
		if ok {
			q.asked = append(q.asked, uint64(id)+1)
		} else {
			q.strange++
			q.asked = append(q.asked, 1<<32+q.strange)
		}
		w := &q.content[len(q.content)-1]
		q.unusual = q.unusual || !w.common && !w.number
		if !w.form {
			q.named++
		}
	}
	q.eachMerge(func(text []byte, a, b int16) {
		if id, ok := l.ids[string(text)]; ok {
			q.merges = append(q.merges, merge{id, a, b})
		}
	})
	q.american = q.phrase.incorporated()
	q.forms, _ = q.phrase.foreignForms()
	q.bag, q.numbers, q.joined = q.phrase.bag(), q.phrase.numbers(), q.phrase.joined()
	return true
}

// dropMistypedForms drops words that are a long legal form with a typo. A short one may be another word.
func (l *List) dropMistypedForms(q *query) {
	var buf [maxWords]int
	kept := buf[:0]
	for _, at := range q.phrase.content {
		w := q.words[at]
		if _, inList := l.ids[w]; inList || len(w) < 6 || frequency()[w] > 0 || !nearForm(w) {
			kept = append(kept, at)
		}
	}
	if len(kept) > 0 && len(kept) < len(q.phrase.content) {
		q.phrase.content = append(q.phrase.content[:0], kept...)
	}
}

func nearForm(w string) bool {
	return slices.ContainsFunc(longForms, func(f string) bool { return typo.Within(w, f, 1) <= 1 })
}

// longForms are the legal forms in which a typo can be recognized.
var longForms = func() (list []string) {
	for f := range forms {
		if len(f) >= 3 {
			list = append(list, f)
		}
	}
	list = append(list, "JOINT", "STOCK")
	slices.Sort(list)
	return list
}()

// foldedForms are the legal forms as they are when transliterations are folded: UO is OOO.
var foldedForms = func() map[string]bool {
	m := map[string]bool{}
	for f := range forms {
		if folded := string(appendFold(nil, f)); len(folded) >= 2 {
			m[folded] = true
		}
	}
	return m
}()

// Two words tell that names belong together if their likeness and the information of the word are at least these.
const (
	anchorLikeness = 0.7
	anchorInfo     = 5.5
)

// anchorSlips returns how many typos a word of the list can have and still anchor.
var anchorSlips = reaching(func(d, n int) bool {
	return d <= slips(n) && typoLikeness[d][min(n, maxWordLen)] >= anchorLikeness
})

// candidates calls visit once for every name that can score more than names without an anchor.
func (l *List) candidates(q *query, visit func(name int32)) {
	once := func(i int32) {
		if q.seen[i] != q.round {
			q.seen[i] = q.round
			visit(i)
		}
	}
	all := func(names []int32) {
		for _, i := range names {
			once(i)
		}
	}
	all(l.bags[q.bag])
	all(l.bags[q.shuffle])
	for k := range q.content {
		w := &q.content[k]
		if id := q.ids[k]; id >= 0 {
			if w.info >= anchorInfo {
				all(l.holds[id])
			}
			all(l.pairs[id])
			for _, other := range l.neighborsOf(id) {
				all(l.holds[other])
			}
			continue
		}
		l.eachNeighbor(w, func(other int32) { all(l.holds[other]) })
	}
	for _, m := range q.merges {
		if l.words[m.id].info >= anchorInfo {
			all(l.holds[m.id])
		}
	}
	for k, r := range q.joined {
		if k == 0 || r != q.joined[0] {
			l.joined.find(r.text, func(i int32) {
				if q.seen[i] == q.round || q.tried[i] == q.round {
					return // several pieces find most names
				}
				q.tried[i] = q.round
				listed := &l.names[i].joined
				if apart(&q.joined[0], &listed[0]) >= 0 || apart(&q.joined[1], &listed[1]) >= 0 {
					once(i)
				}
			})
		}
	}
}

// neighborsOf returns the words of the list in which one of them may anchor, computed when they are first needed.
func (l *List) neighborsOf(id int32) []int32 {
	if p := l.neighbors[id].Load(); p != nil {
		return *p
	}
	var list []int32
	l.eachNeighbor(&l.words[id], func(other int32) {
		if other != id {
			list = append(list, other)
		}
	})
	slices.Sort(list)
	list = slices.Compact(list)
	l.neighbors[id].Store(&list)
	return list
}

// eachNeighbor calls fn for the telling words of the list that are similar enough to w to anchor, for some more than once.
func (l *List) eachNeighbor(w *word, fn func(id int32)) {
	if w.number || len(w.text) < 4 {
		return
	}
	try := func(id int32) {
		if likenessOf(w, &l.words[id]) >= anchorLikeness {
			fn(id)
		}
	}
	for _, id := range l.folds[w.fold] {
		try(id)
	}
	for _, id := range l.sounds[w.skeleton] {
		try(id)
	}
	l.similar.find(w.text, try)
	eachNumber(w.text, func(other []byte) {
		if id, ok := l.ids[string(other)]; ok && l.words[id].info >= anchorInfo {
			try(id)
		}
	})
}

func (l *List) like(q *query, k int, id int32) float64 {
	asked := q.asked[k]
	p := &q.likes[(asked*0x9e3779b1+uint64(id))%likesKept]
	if p.asked != asked || p.listed != id {
		*p = pairLikeness{asked, id, likenessOf(&q.content[k], &l.words[id])}
	}
	return p.likeness
}

// The constants of a score, tuned on the list of May 2024 and the master file, and checked on other years and seeds.
const (
	// The score by words combines the covered shares of both names; the larger share counts this much. A query that leaves
	// words out is more likely the same name than a query with words of its own.
	better      = 0.4
	betterAsked = 0.66 // when the query is the name with the larger share

	mergeLikeness = 0.97 // of two words and the one they make without a space

	// Aligned words must have enough information together. Each counts with what exceeds
	// baseInfo, because common words occur together more often than by chance. For each
	// missing unit the score loses lackingInfo, or lackingMet of it if no word is left over.
	enoughInfo  = 9.7
	baseInfo    = 2.5
	lackingInfo = 0.02
	lackingMet  = 0.4

	unanchored    = 0.6  // the most for names that share no telling word
	oneWord       = 0.74 // the most for names that share one word which is not rare, and are not that word alone
	numbersDiffer = 0.7  // factor for other numbers
	weakAlias     = 0.8  // factor for a name that the list calls weak

	otherForm    = 0.03 // taken from a name that is incorporated in America when the other is not
	sameForm     = 0.12 // added when both have the same legal form of another country,
	sameFormMost = 0.95 // but not beyond this

	// The same words, too common to identify, under a legal form of another country.
	sameWords     = 0.76
	sameWordsMost = 0.84

	// The score by letters: the score of the same letters, the least number of telling letters, and the cost of a typo for one
	// telling letter, and in a name of common words. A letter of a foreign legal form counts as a part of a telling letter.
	spacelessMost    = 0.98
	spacelessLetters = 4.5
	spacelessSlip    = 1.1
	commonSlip       = 2.2
	foreignLetter    = 0.3

	// A name that contains a listed name: its score, and the least information of a word that
	// identifies a company, a group, and a group whose word other listed entities have as well.
	containedScore = 0.76
	companyInfo    = 11.5
	companyLetters = 7
	groupInfo      = 10
	sharedInfo     = 8.7
	sharedTold     = 11
	foldedWord     = 7
	longWord       = 9

	oneSlip        = 0.76 // the least score of one typo in a whole name
	oneSlipLetters = 8    // of at least so many letters
	oneSlipAligned = 0.55 // whose score is otherwise at least this
)

// score scores a name. If h is not nil, score adds the explanation to it.
func (l *List) score(q *query, i int32, h *Hit) float64 {
	e := &l.names[i]
	exact := q.exactly(e)
	if e.Kind == Weak && !exact {
		return 0
	}
	joined, near, once := 0.0, exact, false
	if e.Kind != Weak && q.bag != e.bag && !exact {
		joined, near, once = spaceless(q, e)
	}
	s := l.aligned(q, e, near, h)
	if once && max(s, joined) >= oneSlipAligned {
		s = max(s, oneSlip)
	}
	switch {
	case exact:
		s = 1
	case q.bag == e.bag:
		s = min(max(s, sameWords), sameWordsMost)
	case joined > s:
		s = joined
		h.flag(FlagSpaceless)
	}
	if e.Kind == Weak {
		s *= weakAlias
		h.flag(FlagWeakAlias)
	} else if !exact && q.contains(l, e) {
		s = max(s, containedScore)
		h.flag(FlagContained)
	}
	return round(s)
}

// meetsLikeness is the least likeness of a word of the query, which is not common, to be a word of the list in another
// transliteration. We transliterated a name in other letters, so its short words are compared by their fold as well.
func (q *query) meetsLikeness(e *entry, asked, listed int) float64 {
	switch {
	case e.company || max(asked, listed) < foldedWord && !q.spelled:
		return 1
	case listed < longWord:
		return foldLikeness
	}
	return skeletonLikeness
}

// contains reports whether the query, as last aligned, has every word of the name, one of them rare enough to identify.
func (q *query) contains(l *List, e *entry) bool {
	for n := range e.content {
		if !q.meets[n] {
			return false
		}
	}
	return e.identifying
}

// identifies reports whether the word is rare enough to identify a name that contains it. That of a company must also be long,
// because companies are called by words such as ELEMENT. A group is identified by an acronym that hardly any nonprofit has.
func (w *word) identifies(entities int, company bool) bool {
	switch {
	case w.number:
		return false
	case company:
		return w.info >= companyInfo && len(w.text) >= companyLetters
	}
	return w.info >= groupInfo || !w.common && len(w.text) >= 3 || w.info >= sharedInfo && w.info+math.Log(float64(max(1, entities))) >= sharedTold
}

// exactly reports whether the two names have the same words in any order. Legal forms may differ, unless the other words are
// very common: then a legal form of another country makes it another organization, and a weak alias must be complete.
func (q *query) exactly(e *entry) bool {
	return q.shuffle == e.shuffle || q.bag == e.bag && (e.info >= enoughInfo || e.forms == formSet{} && e.Kind != Weak)
}

func (h *Hit) flag(f string) {
	if h != nil {
		h.Flags = append(h.Flags, f)
	}
}

type alignment struct {
	coveredQ, coveredL float64 // weight of the aligned words of the query and of the list's name
	weightQ            float64 // of all words of the query
	info               float64
	telling            int // aligned words that tell that the names belong together
	words              int
	asked              int // aligned words of the query that are not a legal form with a slip
}

// aligned returns the score by words. If the whole names are near, no single word has to tell that they belong together.
func (l *List) aligned(q *query, e *entry, near bool, h *Hit) float64 {
	l.link(q, e)
	clear(q.usedQ[:len(q.content)])
	clear(q.usedL[:len(e.content)])
	clear(q.meets[:len(e.content)])
	var a alignment
	for i := range q.content {
		if w := &q.content[i]; !w.form || !e.company {
			a.weightQ += w.unmet()
		}
	}
	taken := q.links[:0]
	for _, k := range q.links {
		if q.uses(k) {
			continue
		}
		if h != nil {
			taken = append(taken, k)
		}
		l.align(q, e, k, &a)
	}
	if h != nil {
		l.explain(q, e, h, taken)
	}
	if a.words == 0 {
		return 0
	}
	return a.score(q, e, near, h)
}

// uses reports whether a word of the link is already aligned.
func (q *query) uses(k link) bool {
	return k.q >= 0 && q.usedQ[k.q] || k.q2 >= 0 && q.usedQ[k.q2] || k.n >= 0 && q.usedL[k.n] || k.n2 >= 0 && q.usedL[k.n2]
}

func (l *List) align(q *query, e *entry, k link, a *alignment) {
	a.words++
	said := 0.0
	for _, n := range [2]int16{k.n, k.n2} {
		if n >= 0 {
			q.usedL[n] = true
			w := &l.words[e.content[n]]
			asked := word{}
			if k.q >= 0 {
				asked = q.content[k.q]
			}
			q.meets[n] = k.likeness == 1 || !asked.common && k.likeness >= q.meetsLikeness(e, len(asked.text), len(w.text))
			a.coveredL += w.weight * k.likeness
			said += w.info
			if k.q >= 0 && k.q2 < 0 && k.likeness < 1 && q.content[k.q].common {
				said = min(said, q.content[k.q].info)
			}
		}
	}
	for _, n := range [2]int16{k.q, k.q2} {
		if n < 0 {
			continue
		}
		q.usedQ[n] = true
		w := &q.content[n]
		if !w.form {
			a.asked++
		}
		if !w.form || !e.company {
			a.weightQ -= w.unmet()
		}
		a.weightQ += w.weight
		if k.likeness < 1 && k.likeness > initialLikeness && k.n >= 0 && k.n2 < 0 && k.q2 < 0 && !w.common && q.ids[n] < 0 {
			// A mistyped word has the weight of the word that was meant.
			meant := l.words[e.content[k.n]].weight
			a.weightQ += meant - w.weight
			a.coveredQ += meant * k.likeness
			continue
		}
		a.coveredQ += w.weight * k.likeness
	}
	a.info += max(0, said-baseInfo) * k.likeness * k.likeness
	if k.likeness >= anchorLikeness && k.likeness != shortenedLikeness && said >= anchorInfo {
		a.telling++
	}
}

// score rates an alignment of at least one word.
func (a *alignment) score(q *query, e *entry, near bool, h *Hit) float64 {
	shareQ, shareL := a.coveredQ/a.weightQ, a.coveredL/e.weight
	s := better*shareL + (1-better)*shareQ
	if shareQ > shareL {
		s = betterAsked*shareQ + (1-betterAsked)*shareL
	}
	if q.numbers != e.numbers && q.numbers != "" && e.numbers != "" {
		s *= numbersDiffer
		h.flag(FlagNumbersDiffer)
	}
	if a.info < enoughInfo {
		s -= lackingInfo * (enoughInfo - a.info) * min(1, lackingMet+2*(1-min(shareQ, shareL)))
	}
	// One word identifies nobody: neither alone nor beside common words, where the query says more.
	alone := a.words == 1 && max(q.named, len(e.content)) > 1 || a.telling == 1 && a.asked < q.named
	if alone && a.info < enoughInfo && !q.forms.shares(e.forms) {
		s = min(s, oneWord)
	}
	switch {
	case q.american && !e.american:
		s -= otherForm
	case q.forms.shares(e.forms):
		s = min(s+sameForm, max(s, sameFormMost))
	}
	if a.telling == 0 && !near {
		s = min(s, unanchored)
	}
	return max(0, s)
}

func (l *List) link(q *query, e *entry) {
	q.links = q.links[:0]
	for n, id := range e.content {
		for k := range q.content {
			if s := l.like(q, k, id); s > 0 {
				q.links = append(q.links, link{s, l.words[id].weight, int16(k), -1, int16(n), -1})
			}
		}
	}
	for _, m := range e.merges {
		if k := slices.Index(q.ids, m.id); k >= 0 {
			q.links = append(q.links, link{mergeLikeness, q.content[k].weight, int16(k), -1, m.a, m.b})
		}
	}
	for _, m := range q.merges {
		if n := slices.Index(e.content, m.id); n >= 0 {
			q.links = append(q.links, link{mergeLikeness, l.words[m.id].weight, m.a, m.b, int16(n), -1})
		}
	}
	slices.SortStableFunc(q.links, func(a, b link) int {
		switch {
		case a.likeness != b.likeness:
			if a.likeness > b.likeness {
				return -1
			}
			return 1
		case a.weight != b.weight:
			if a.weight > b.weight {
				return -1
			}
			return 1
		}
		return 0
	})
}

func (l *List) explain(q *query, e *entry, h *Hit, taken []link) {
	slices.SortStableFunc(taken, func(a, b link) int { return int(max(a.q, a.q2)) - int(max(b.q, b.q2)) })
	for _, k := range taken {
		var asked, listed []string
		weight := 0.0
		for _, n := range [2]int16{k.q, k.q2} {
			if n >= 0 {
				asked = append(asked, q.content[n].text)
			}
		}
		for _, n := range [2]int16{k.n, k.n2} {
			if n >= 0 {
				listed = append(listed, l.words[e.content[n]].text)
				weight = max(weight, l.words[e.content[n]].weight)
			}
		}
		h.Aligned = append(h.Aligned, Pair{strings.Join(asked, " "), strings.Join(listed, " "), round(k.likeness), round(weight)})
	}
}

// joinedSlips returns how many typos a name without spaces may have.
func joinedSlips(length int) int {
	switch {
	case length < 5:
		return 0
	case length < 10:
		return 1
	case length < 20:
		return 2
	}
	return 3
}

// joinedReach is joinedSlips by the length of the list's name.
var joinedReach = reaching(func(d, n int) bool { return d <= joinedSlips(n) })

// run is a name without spaces and its letters: those that occur, and in the upper half those that occur twice.
type run struct {
	text    string
	letters uint64
}

func newRun(text string) run {
	var once, twice uint64
	for i := range len(text) {
		bit := uint64(1) << letterPlace[text[i]]
		twice |= once & bit
		once |= bit
	}
	return run{text, once | twice<<32}
}

// letterPlace gives each letter a bit below 32. Other characters share six bits.
var letterPlace = func() (t [256]uint8) {
	for c := range t {
		t[c] = uint8(26 + c%6)
		if c >= 'A' && c <= 'Z' {
			t[c] = uint8(c - 'A')
		}
	}
	return t
}()

// apart returns how many typos two names without spaces are apart, or -1 for more than allowed. A typo removes and adds at most
// one letter, and a typo that changes the length does only one of both, so the sets of letters alone rule out most names.
func apart(a, b *run) int {
	limit, longer := joinedSlips(max(len(a.text), len(b.text))), abs(len(a.text)-len(b.text))
	if longer > limit || bits.OnesCount64(a.letters^b.letters) > 2*limit-longer {
		return -1
	}
	if d := typo.Within(a.text, b.text, limit); d <= limit {
		return d
	}
	return -1
}

// spaceless returns the score by the letters of the whole name, whether the names are few typos apart, and whether a long name
// has a single one. A typo costs more among few telling letters, and in common words.
func spaceless(q *query, e *entry) (score float64, near, once bool) {
	for k := range q.joined {
		a, b := &q.joined[k], &e.joined[k]
		if *a == *b && e.letters < spacelessLetters {
			return sameWordsMost, true, false
		}
		if *a == *b {
			return spacelessMost, true, false
		}
		d := apart(a, b)
		if d < 0 || q.numbers != e.numbers {
			continue
		}
		near = true
		cost, letters := spacelessSlip, e.letters
		if !q.unusual {
			cost = commonSlip
		}
		if k == 1 {
			letters += foreignLetter * e.foreign
		}
		score = max(score, 1-cost*float64(d)/letters)
		once = once || d == 1 && q.unusual && len(b.text) >= oneSlipLetters
	}
	return score, near, once
}
