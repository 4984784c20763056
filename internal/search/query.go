package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// Bounds of the work on one question.
const (
	maxQuestion = 300     // bytes that are read
	maxTerms    = 12      // words that are looked at
	maxWalk     = 60_000  // entries read of the lists of one word
	maxWork     = 400_000 // entries, forms and branches looked at, after which no more is tried
	maxScan     = 20_000  // forms looked at one by one for a very common word
	maxScored   = 400     // forms that are compared with the question in full
	maxSame     = 2_000   // forms with exactly the name asked for
	maxLimit    = 200     // results

	doubtful = 3 // names that have a word which is held for a slip all the same
)

// Find finds the organizations that q may mean, best first: by name, by a
// part of it, by initials, or by EIN in any format. With a state, only
// organizations there are found. A question of fewer than two characters finds
// nothing. limit is at most 200; 0 and less mean 10.
func (x *Index) Find(q, state string, limit int) []Result {
	q = strings.TrimSpace(clip(q, maxQuestion))
	if len([]rune(q)) < 2 || x.forms == 0 {
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
		want = binary.LittleEndian.Uint16([]byte(state))
	}
	if e, ok := typedEIN(q); ok {
		if r, ok := x.Lookup(e); ok && (state == "" || r.State == state) {
			return []Result{r}
		}
	}
	sc := x.scratches.Get().(*scratch)
	defer x.scratches.Put(sc)
	sc.findAll(q, want)
	return sc.results(limit)
}

// findAll fills the hits with what every reading of the question finds.
func (sc *scratch) findAll(q string, want uint16) {
	sc.hits, sc.work, sc.whole = sc.hits[:0], 0, false
	n := orgname.Parse(q)
	words := strings.Fields(q)
	sc.typed = append(sc.typed[:0], strings.Join(words, " ")...)
	sc.formal = len(words) > strings.Count(n.K1, " ")+1
	sc.ask(n, want)
	if short, ok := shorten(n.K2); ok {
		sc.ask(orgname.Name{K2: short, KX: strings.ReplaceAll(short, " ", "")}, want)
	}
	// A text in parentheses or after "dba" is a second reading of less weight.
	for _, a := range n.Aliases[:min(len(n.Aliases), 2)] {
		from := len(sc.hits)
		sc.ask(orgname.Parse(a), want)
		for i := range sc.hits[from:] {
			sc.hits[from+i].score *= 0.85
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

// term is one word of the question and what may stand for it.
type term struct {
	text     string
	bits     uint16 // the words of the question it covers: one, or two that belong together
	alts     []alt  // in order of the vocabulary
	begun    string // the word as typed, when it may be incomplete
	from, to uint32 // words that begin so
	city     uint32 // the word as part of a city
	inCity   bool
	state    uint16 // the state it names, 0 for none
	known    bool   // the vocabulary has the word itself
	doubtful bool   // so few names have it that it may be a slip that the register has too
	idle     bool   // it seems to be a word that names are compared without
	weight   float32
	cost     int // entries of its lists
}

// hit is a form that was found, with its score.
type hit struct {
	org        uint32
	score      float32
	prominence float32
	letter     bool // the name is what was typed, letter by letter
}

// scratch holds the buffers of one question.
type scratch struct {
	x       *Index
	covered []uint16 // of each form, the words of the question found in it
	touched []uint32 // the forms with any
	terms   []term
	order   []int
	weights []float32 // of each set of words of the question
	best    []ranked  // forms to be scored, a heap with the worst on top
	hits    []hit
	typed   []byte // the question with single spaces
	formal  bool   // it has words that names are compared without, such as a legal form
	whole   bool   // a reading of it is a whole name
	walker  walker
	altBuf  [][]alt
	total   float32 // weight of all words of the question
	unsure  bool    // some word is doubtful
	far     bool    // some word has no correction of one slip, but of two
	work    int     // what was looked at so far
}

type ranked struct {
	weight float32
	form   uint32
}

func newScratch(x *Index) *scratch {
	sc := &scratch{x: x, covered: make([]uint16, x.forms)}
	sc.walker.x = x
	return sc
}

// How hard a question is looked into: as typed, then with corrections of words
// that no name has, or very few, then with such words parted in two, then with
// corrections of every word. The first that finds all words of the question in
// one name is the last, except that a slip in the question may be one in the
// register too, and that a lost space is likelier than two slips in a word.
const (
	asTyped = iota
	correctUnknown
	partUnknown
	correctAll
)

// ask adds what one reading of the question finds to the hits.
func (sc *scratch) ask(n orgname.Name, state uint16) {
	if n.KX == "" {
		return
	}
	words := few(strings.Fields(n.K2))
	sc.same(n.KX, state)
	sc.initials(n, words, state)
	for effort := asTyped; effort <= correctAll && sc.work < maxWork; effort++ {
		if !sc.prepare(words, n.K1, effort) && effort > asTyped {
			continue
		}
		sc.collect(state)
		if effort == asTyped {
			sc.lead(words, state)
		}
		if sc.score() && !(effort == asTyped && sc.unsure && !sc.whole) && !(effort == correctUnknown && sc.far) {
			return
		}
	}
}

// few keeps no more words than a question may have, and no word more than
// twice.
func few(words []string) []string {
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

// same adds the forms whose whole name is the one asked for.
func (sc *scratch) same(key string, state uint16) {
	x := sc.x
	from, to := x.hashed(secKeyHash, key)
	for i := from; i < min(to, from+maxSame); i++ {
		f := x.u32(secKeyForm, i)
		if int(f) >= x.forms || state != 0 && x.formState(f) != state || !x.spells(f, key) {
			continue
		}
		if n := len(sc.hits); sc.hit(f, 1, 1) {
			sc.whole = true
			sc.hits[n].letter = bytes.EqualFold(x.name(sc.hits[n].org), sc.typed)
		}
	}
}

// spells reports whether the words of a form, joined, are the key.
func (x *Index) spells(f uint32, key string) bool {
	b := x.formWords(f)
	for i := 0; i < len(b); i += 4 {
		w := binary.LittleEndian.Uint32(b[i:])
		if int(w) >= x.words {
			return false
		}
		t := x.word(w)
		if len(key) < len(t) || key[:len(t)] != string(t) {
			return false
		}
		key = key[len(t):]
	}
	return key == "" || len(b) == 4*maxWords
}

// lead adds to the forms to be scored those whose whole name begins the
// question, which may go on with a branch, a fund or an address, or which the
// register may have cut.
func (sc *scratch) lead(words []string, state uint16) {
	const most = 16
	x := sc.x
	key := strings.Join(words, "")
	word, at := 0, len(words[0]) // the end of a word
	for n := 2; n < len(key); n++ {
		for at < n {
			word++
			at += len(words[word])
		}
		if n != at && !canBeCut(n) {
			continue
		}
		from, to := x.hashed(secKeyHash, key[:n])
		for i := from; i < min(to, from+most); i++ {
			f := x.u32(secKeyForm, i)
			if int(f) < x.forms && (state == 0 || x.formState(f) == state) && x.spells(f, key[:n]) {
				sc.best = append(sc.best, ranked{form: f})
			}
		}
	}
}

// initials adds the forms whose initials are asked for, and the forms that are
// the initials of the name asked for.
func (sc *scratch) initials(n orgname.Name, words []string, state uint16) {
	const most, text = 64, 0.78
	x := sc.x
	add := func(hashes, forms int, key string) {
		from, to := x.hashed(hashes, key)
		added := 0
		for i := from; i < to && i < from+maxSame && added < most; i++ {
			f := x.u32(forms, i)
			if int(f) < x.forms && (state == 0 || x.formState(f) == state) {
				sc.hit(f, text, 0)
				added++
			}
		}
	}
	switch {
	case len(words) == 1 && len(words[0]) >= 3 && len(words[0]) <= 10:
		add(secInitHash, secInitForm, words[0])
	case len(words) >= 3 && len(words) <= 10:
		add(secKeyHash, secKeyForm, n.KA())
	}
}

// prepare fills in the terms of the question, whose words as typed are in k1.
// It reports whether this effort brings anything that the one before did not.
func (sc *scratch) prepare(words []string, k1 string, effort int) (fresh bool) {
	x := sc.x
	sc.terms, sc.far, sc.unsure = sc.terms[:0], false, false
	buffers := 0
	alts := func() []alt {
		if buffers == len(sc.altBuf) {
			sc.altBuf = append(sc.altBuf, nil)
		}
		buffers++
		return sc.altBuf[buffers-1][:0]
	}
	if effort == partUnknown {
		if words, fresh = sc.split(words); !fresh {
			return false
		}
	}
	for i, w := range words {
		t := term{text: w, bits: 1 << i, alts: alts()}
		id, ok := x.find(w)
		t.known = ok
		if ok {
			t.alts = append(t.alts, alt{id, 0, 1})
			t.doubtful = x.count(id) <= doubtful && len(w) > 4
			sc.unsure = sc.unsure || t.doubtful
		}
		if i == len(words)-1 {
			t.begun = w
			// "Comm" is short for community, or the beginning of commission.
			if typed := k1[strings.LastIndexByte(k1, ' ')+1:]; len(typed) > 2 && typed != w && orgname.Key(typed) == w {
				t.begun = typed
			}
			t.from, t.to = x.prefixed(t.begun)
		}
		t.city, t.inCity = x.find(string(cityMark) + w)
		if code, ok := place.State(w); ok && i > 0 && len(code) == 2 {
			t.state = binary.LittleEndian.Uint16([]byte(code))
		}
		if effort >= correctUnknown && (!ok || t.doubtful) || effort == correctAll {
			most := slips(len(w))
			if ok {
				most = min(most, 1)
			}
			before := len(t.alts)
			t.alts = x.respell(sc.correct(t.alts, w, min(most, 1)), w)
			if len(t.alts) == before && most > 1 {
				t.alts = sc.correct(t.alts, w, most)
				sc.far = sc.far || len(t.alts) > before
			}
			if t.doubtful && effort < correctAll {
				common := rarer * x.count(id)
				t.alts = slices.DeleteFunc(t.alts, func(a alt) bool { return a.distance > 0 && x.count(a.word) < common })
			}
			last := i == len(words)-1
			t.idle = i > 0 && (!ok || last) && seemsIdle(w, last)
			fresh = fresh || len(t.alts) > before || t.idle
			t.alts = x.keepLikely(t.alts)
		}
		t.idle = t.idle || i > 0 && legal[w]
		sc.altBuf[buffers-1] = t.alts
		sc.finish(&t)
		sc.terms = append(sc.terms, t)
	}
	// Two words may be one in the register, which loses spaces.
	for i := 0; i+1 < len(words); i++ {
		if id, ok := x.find(words[i] + words[i+1]); ok {
			t := term{text: words[i] + words[i+1], bits: 3 << i, alts: append(alts(), alt{id, 0, 1}), known: true}
			sc.altBuf[buffers-1] = t.alts
			sc.finish(&t)
			sc.terms = append(sc.terms, t)
		}
	}
	n := len(words)
	sc.weights = append(slices.Grow(sc.weights[:0], 1<<n), 0)[:1<<n]
	for m := 1; m < 1<<n; m++ {
		low := m & -m
		sc.weights[m] = sc.weights[m^low]
		for i := range n {
			if low == 1<<i {
				sc.weights[m] += sc.terms[i].weight
			}
		}
	}
	sc.total = sc.weights[1<<n-1]
	return fresh
}

// correct looks for corrections as long as there is work left for it.
func (sc *scratch) correct(alts []alt, word string, most int) []alt {
	if sc.work < maxWork {
		alts = sc.walker.correct(alts, word, most)
		// A branch costs as much as several entries of a list.
		sc.work += 4 * sc.walker.visits
	}
	return alts
}

// split parts words that the vocabulary does not have, or has only because the
// register lost a space too, into words that it has, in their long form.
func (sc *scratch) split(words []string) (out []string, fresh bool) {
	x := sc.x
	for i, w := range words {
		if len(out)+len(words)-i >= maxTerms || len(w) < 5 || len(w) > 40 {
			out = append(out, w)
			continue
		}
		most := 1
		if id, ok := x.find(w); ok {
			most = rarer * x.count(id)
		}
		before, skip := "", 0
		if i > 0 && words[i-1] == "SAINT" {
			before, skip = "ST ", 1 // after which names lose their last S
		}
		var best []string
		for j := 2; j <= len(w)-2; j++ {
			parts := strings.Fields(orgname.Parse(before + w[:j] + " " + w[j:]).K2)
			parts = parts[min(skip, len(parts)):]
			n := 0
			for k, p := range parts {
				id, ok := x.find(p)
				if !ok || len(p) < 3 && p[0] >= 'A' && len(parts) > 1 {
					n = 0
					break
				}
				if c := x.count(id); k == 0 || c < n {
					n = c
				}
			}
			if n > most {
				best, most = parts, n
			}
		}
		if best != nil {
			out, fresh = append(out, best...), true
		} else {
			out = append(out, w)
		}
	}
	return out, fresh
}

// keepLikely keeps the corrections with the fewest slips and, among them, of
// the commonest words, in the order of the vocabulary.
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

// finish weighs a term: a rare word says more than a common one.
func (sc *scratch) finish(t *term) {
	x := sc.x
	most := 0
	for _, a := range t.alts {
		n := x.count(a.word)
		t.cost += n
		if !t.known || a.distance == 0 {
			most = max(most, n)
		}
	}
	if t.to > t.from {
		n := int(x.u32(secListStart, int(t.to)) - x.u32(secListStart, int(t.from)))
		t.cost += n
		if !t.known {
			most = max(most, n/4)
		}
	}
	if t.inCity {
		t.cost += x.count(t.city)
		if len(t.alts) == 0 && t.to == t.from {
			most = max(most, x.count(t.city))
		}
	}
	t.weight = max(0.3, x.rarityOf(most))
	if t.idle && (len(t.alts) == 0 || legal[t.text] || len(t.text) > 6) {
		t.weight = 0.3
	} else if t.cost == 0 {
		// Nothing can stand for it: it counts, but not as much as a word that
		// could have been found.
		t.weight = float32(math.Log(1+float64(x.forms))) / 2
	}
}

// collect finds the forms that have words of the question and keeps the best
// for scoring. Rare words come first; a common word adds no forms that have
// nothing else of weight.
func (sc *scratch) collect(state uint16) {
	for _, f := range sc.touched {
		sc.covered[f] = 0
	}
	sc.touched = sc.touched[:0]
	sc.order = sc.order[:0]
	var left float32
	for i := range sc.terms {
		if t := &sc.terms[i]; t.cost > 0 {
			sc.order = append(sc.order, i)
			if t.bits&(t.bits-1) == 0 {
				left += t.weight
			}
		}
	}
	slices.SortStableFunc(sc.order, func(a, b int) int { return cmp.Compare(sc.terms[a].cost, sc.terms[b].cost) })
	reachable := left
	for _, i := range sc.order {
		t := &sc.terms[i]
		adds := left >= 0.45*reachable || len(sc.touched) == 0
		if t.bits&(t.bits-1) == 0 {
			left -= t.weight
		} else {
			adds = true
		}
		if !adds && t.cost > 4*len(sc.touched) {
			sc.scan(t, sc.touched, 0)
			continue
		}
		if before := sc.touched; sc.walk(t, state, adds) {
			sc.scan(t, before, sc.most(before, t.bits))
		}
	}
	sc.choose()
}

// walk reads the lists of a term. It reports whether it read only a part.
func (sc *scratch) walk(t *term, state uint16, adds bool) (part bool) {
	budget := max(0, min(maxWalk, maxWork-sc.work))
	for _, a := range t.alts {
		budget -= sc.read(a.word, t.bits, state, adds, budget)
	}
	if t.inCity {
		budget -= sc.read(t.city, t.bits, state, adds, min(budget, maxWalk/2))
	}
	if n := int(t.to) - int(t.from); n > 0 {
		// Every word gets its share, so that the most prominent names of each
		// are seen however many words begin alike.
		share := max(4, budget/n)
		sc.work += min(n, budget)
		for w := t.from; w < t.to && budget > 0; w++ {
			if t.known && w == t.from && t.begun == t.text {
				continue // the word itself, read above
			}
			n := sc.read(w, t.bits, state, adds, share)
			budget -= n
			part = part || n == share
		}
		part = part || budget <= 0
	}
	return part
}

// read marks at most most forms that have the word and returns how many
// entries it read.
func (sc *scratch) read(w uint32, bits uint16, state uint16, adds bool, most int) int {
	x := sc.x
	list := x.list(w)
	var f uint64
	n := 0
	for len(list) > 0 && n < most {
		d, size := uint64(list[0]), 1
		if d >= 0x80 {
			d, size = binary.Uvarint(list)
			if size <= 0 {
				break
			}
		}
		list = list[size:]
		f += d
		n++
		if f >= uint64(x.forms) {
			break
		}
		c := sc.covered[f]
		if c == 0 {
			if !adds || state != 0 && x.formState(uint32(f)) != state {
				continue
			}
			sc.touched = append(sc.touched, uint32(f))
		}
		sc.covered[f] = c | bits
	}
	sc.work += n
	return n
}

// scan looks for a very common word in those of the forms that have at least
// this much of the rest of the question.
func (sc *scratch) scan(t *term, forms []uint32, least float32) {
	forms = forms[:min(len(forms), maxScan)]
	sc.work += len(forms)
	for _, f := range forms {
		if c := sc.covered[f]; sc.weights[c&^t.bits] < least || c&t.bits == t.bits {
			continue
		}
		b := sc.x.formWords(f)
		for i := 0; i < len(b); i += 4 {
			if t.likeness(binary.LittleEndian.Uint32(b[i:])) > 0 {
				sc.covered[f] |= t.bits
				break
			}
		}
	}
}

// choose keeps the forms with the most of the question, and among them those
// of the most prominent organizations. What has less than half of what another
// form has would not be shown.
func (sc *scratch) choose() {
	sc.best = sc.best[:0]
	most := sc.most(sc.touched, 0)
	for _, f := range sc.touched {
		r := ranked{sc.weights[sc.covered[f]], f}
		if r.weight < 0.45*most {
			continue
		}
		if len(sc.best) < maxScored {
			sc.best = append(sc.best, r)
			sc.up(len(sc.best) - 1)
		} else if sc.best[0].worse(r) {
			sc.best[0] = r
			sc.down()
		}
	}
}

// most is the most of the question that one of the forms has besides the words
// in these bits.
func (sc *scratch) most(forms []uint32, besides uint16) (most float32) {
	for _, f := range forms {
		most = max(most, sc.weights[sc.covered[f]&^besides])
	}
	return most
}

func (r ranked) worse(s ranked) bool {
	return r.weight < s.weight || r.weight == s.weight && r.form > s.form
}

func (sc *scratch) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !sc.best[i].worse(sc.best[p]) {
			return
		}
		sc.best[i], sc.best[p] = sc.best[p], sc.best[i]
		i = p
	}
}

func (sc *scratch) down() {
	i := 0
	for {
		c := 2*i + 1
		if c >= len(sc.best) {
			return
		}
		if c+1 < len(sc.best) && sc.best[c+1].worse(sc.best[c]) {
			c++
		}
		if !sc.best[c].worse(sc.best[i]) {
			return
		}
		sc.best[i], sc.best[c] = sc.best[c], sc.best[i]
		i = c
	}
}

// results puts the hits in order, one for each organization. Few type a legal
// form; who does means the name that has it, so it comes before those of larger
// organizations, whose score is then lowered to the same.
func (sc *scratch) results(limit int) []Result {
	x := sc.x
	byLetter := func(a, b hit) int {
		switch {
		case a.letter == b.letter:
			return 0
		case a.letter:
			return -1
		}
		return 1
	}
	slices.SortFunc(sc.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.org, b.org), byLetter(a, b), cmp.Compare(b.score, a.score))
	})
	hits := slices.CompactFunc(sc.hits, func(a, b hit) bool { return a.org == b.org })
	slices.SortFunc(hits, func(a, b hit) int {
		order := byLetter(a, b)
		if sc.formal && order != 0 {
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
	hits = hits[:min(len(hits), limit)]
	out := make([]Result, 0, len(hits))
	for _, h := range hits {
		// Far below the best is noise.
		if h.score < 0.5*hits[0].score {
			break
		}
		r := x.result(h.org)
		r.Score = math.Round(float64(h.score)*10_000) / 10_000
		out = append(out, r)
	}
	return out
}
