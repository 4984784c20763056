package identify

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

// The weight of an organization is the exponential of a sum of these terms. Costs are subtracted. They were set by hand while
// looking at the names that docs/search.md measures with, so the figures there are not those of names never seen before.
const (
	weighDollars  = 0.8 // for ten times the dollars
	weighRevenue  = 0.25
	weighFilers   = 0.7
	weighGrantees = 0.2

	weighAll       = 2.5 // the name has all words of the text,
	weighAllRare   = 3.0 // more if they are rare
	weighExact     = 3.5 // it has no others,
	weighLike      = 0.6 // less the more names begin like the text
	weighSame      = 1.4 // and in this order
	weighLeadAlone = 4.5 // the text is a single word with which the name begins
	weighLead      = 3.2 // it begins with the text and goes on, less the more names have the text
	weighState     = 1.0

	costMissing        = 1.0 // a word of the text that the name lacks,
	costMissingRare    = 12.0
	costLetter         = 0.7  // a letter that one of them lacks
	costExtra          = 0.35 // a word of the name that the text lacks,
	costExtraRare      = 1.8
	costLeading        = 0.35 // of that, if it stands before the words of the text, as given names do,
	costInner          = 1.5  // and if it stands between them
	costLong           = 0.6  // more of that for a text of several rare words, which is rarely short for something
	costTurned         = 1.6  // words in another order
	costSlip           = 2.0  // a slip in a word,
	costSlipKnown      = 2.0  // which other names have as it is
	costShort          = 0.6  // of that of a missing word, a slip in a short word
	costPlural         = 0.3
	costPrefix         = 1.8
	costPrefixAlone    = 4.0
	costInitials       = 0.2 // for three letters
	weighInitials      = 1.5 // for every letter more
	weighKnown         = 1.3 // of the prior: only those who are well known go by initials
	weighMentioned     = 0.8 // and that many filers mention
	costWord           = 4.0 // initials that are a common word
	costInitialsPart   = 1.2
	costInitialsTwo    = 1.3 // more of that for two letters
	costAbbreviated    = 1.6 // initials in the name for words of the text,
	costAbbreviatedAll = 4.5 // for all of them
	costPlace          = 0.6
	costCity           = 3.0 // the text is the city of the organization, with which its name ends
	costOther          = 0.3 // a former or other name
	costCalled         = 0.8 // a name that only others use, fewer the more of them do
	costNearby         = 0.6 // a name that is only known from the address,
	weighNearby        = 0.4 // which never outweighs nobody by more than this,
	weighNearbyMore    = 0.3 // and more if several filers use it,
	mostNearby         = 1.0 // but never likely: about half of such names are those of a neighbor
	mostCommon         = 0.8 // a common word alone, which stands inside the name: "Johnson" is never likely
	costReading        = 1.0
	costSign           = 3.0 // a call sign without its first letter
	costJoined         = 0.5 // words written as one, or one as several,
	leastJoined        = 6   // of so many letters
	costElsewhere      = 5.0
	mostElsewhere      = 2.5 // above nobody: an organization of another state is never certain
	costKin            = 1.5 // for every word of the text but one, a name that adds "foundation" and the like, or a direction
	costInactive       = 0.7
	mostExtra          = 5.0 // words that the text lacks, in a name that lacks a word of the text
	costCut            = 1.0 // a word that the register cut at the end of a long name,
	costCutRest        = 0.3 // of that of the words after it, and after a whole name of several words
	weighForm          = 2.0 // a text with a legal form is the registered name, letter by letter;
	weighLetters       = 0.1 // without a legal form

	weighNone = 7.0

	TypedEIN     = 0.999 // probability of an organization whose EIN is typed
	LeastCertain = 0.95  // probability from which the first candidate is certain
	leastLikely  = 0.75
	leastRare    = 0.6
	leastNamed   = 0.3 // rarity of a word from which it may be a surname
	leastSeveral = 0.5
	leastShown   = 0.002
	leastPart    = 0.45 // of the text, compared with what the best name has, in a list of results
	fitScale     = 8.0
)

const (
	maxAsked   = 12  // words that are looked at
	maxScored  = 300 // names that are compared in full
	maxSame    = 500 // names equal to the text
	readExact  = 4_000
	readSlip   = 400
	readPrefix = 150
	maxPrefix  = 30 // words that begin alike
	maxLeading = 16 // names with which the text begins
	maxWork    = 400_000
	mostLost   = 16.0 // what a name may cost that lacks rarer words, to be found by a commoner one

	leastCut = 20 // letters of a name that the register may have cut; it cuts names from 33 characters on
	doubtful = 3  // a word in at most this many names may be a slip in the register,
	rarer    = 10 // if a similar word is so many times commoner

	// Names that are read for all slips in a word and all words that begin with it, of
	// a word that some name has and of one that none has.
	readKnown, readUnknown = 1_000, 4_500
)

// asked is a word of the text with the words of the vocabulary that may stand for it.
type asked struct {
	text   string
	state  string  // that the word names
	rarity float64 // 0 for a word in every name, 1 for a word in one
	idle   bool    // names may lack it
	known  bool    // some name has it
	sure   bool    // so many names have it that it is no slip
	inCity bool    // it is a word of the name of a city
	choice float64 // what counts for a name that has it, or a word that stands for it
	alts   []alt   // in the order of the vocabulary

	// The last word may be the beginning of any of these words.
	from, to uint32
	prefix   float64 // the cost of that
}

// alt is a word that may stand for a word of the text, at a cost.
type alt struct {
	word  uint32
	cost  float64
	most  int  // names read
	begun bool // the word of the text is only its beginning
	other bool // it is probably another word
}

// idle are words that people add or leave out without meaning another organization.
var idle = table.SetOf("CHARITABLE INTERNATIONAL USA COMPANY")

// missing is the cost of a name without the word.
func (w *asked) missing() float64 {
	if len(w.text) == 1 {
		return costLetter
	}
	return missingCost(w.rarity)
}

func missingCost(rarity float64) float64 { return costMissing + costMissingRare*rarity*rarity }

// found is a name that the text may be.
type found struct {
	org, name uint32
	weight    float64
	initials  bool
	exact     bool    // the text is one of its own names
	whole     bool    // its name has all words of the text
	share     float64 // of the text that its name has
	longer    bool    // its name adds words to the text
	branch    bool    // its name adds a place to the text, as those of chapters and campuses do
}

// search holds the buffers and the progress of one question.
type search struct {
	e     *Engine
	q     *Question
	view  *View
	none  float64
	found []found
	work  int     // entries of lists looked at
	bold  bool    // it also looks for slips in short words
	some  bool    // the question excludes an organization
	there [2]byte // the state that is given
	name  orgname.Name
	typed string // the text with single spaces

	words   []asked
	text    string   // the words in a row
	like    int      // organizations whose names have all words of the text, and others
	covered []uint16 // for each name, the words of the text in it
	touched []uint32
	walker  typo.Walker
	near    []typo.Near
	chosen  []chosen
	orgs    []uint32
}

// elsewhere is the state of a question without a state.
var elsewhere [2]byte

type chosen struct {
	name   uint32
	weight float64
	same   bool // it equals the text
}

func (s *search) begin(q *Question, v *View) {
	s.q, s.view, s.none, s.found, s.work = q, v, weighNone, s.found[:0], 0
	s.bold, s.there, s.some = false, elsewhere, v.Within != nil || v.without < uint32(len(s.e.orgs))
	copy(s.there[:], q.State)
	s.name, s.typed = orgname.Parse(q.Text), strings.Join(strings.Fields(q.Text), " ")
	if s.covered == nil {
		s.covered = make([]uint16, len(s.e.names))
	}
}

// outside reports whether the question excludes the organization of a name.
func (s *search) outside(name uint32) bool {
	org := s.e.names[name].Org
	return org == s.view.without || !has(s.view.Within, org)
}

func (s *search) read(r reading) {
	s.prepare(&r)
	s.collect()
	s.addLeading(r.words)
	same := s.same(r.key)
	for _, name := range same {
		s.chosen = append(s.chosen, chosen{name: name, same: true})
	}
	s.like = s.likeText()
	for _, c := range s.chosen {
		s.score(c, r.cost)
	}
	if len(r.words) == 1 {
		s.byInitials(r)
	}
	s.byAbbreviation(r)
	// "ProPublica" is Pro Publica Inc.
	for _, name := range same {
		if len(r.key) >= leastJoined && len(s.e.wordsOf(name)) != len(r.words) {
			s.addNamed(name, 1, r.cost+costJoined, true)
		}
	}
}

// same is the names with a key, the most prominent of them.
func (s *search) same(key string) (list []uint32) {
	for _, name := range s.e.keys.find(key) {
		if s.work++; !s.outside(name) {
			list = append(list, name)
		}
		if len(list) == maxSame || s.work > maxWork {
			break
		}
	}
	return list
}

// addLeading chooses names with which the text begins, before a branch, a fund or a city.
func (s *search) addLeading(words []string) {
	for n := 1; n < len(words); n++ {
		for i, name := range s.same(strings.Join(words[:n], "")) {
			if i < maxLeading || s.inPlace(&s.words[n], &s.e.orgs[s.e.names[name].Org]) {
				s.chosen = append(s.chosen, chosen{name: name})
			}
		}
	}
}

// likeText counts the organizations whose chosen names have the words of the text in a row, and
// others: such a text is rarely the whole name of the one that is meant.
func (s *search) likeText() int {
	s.orgs = s.orgs[:0]
	for _, c := range s.chosen {
		words := s.e.wordsOf(c.name)
		for at := 0; at+len(s.words) <= len(words) && len(s.words) < len(words); at++ {
			same := true
			for i := 0; same && i < len(s.words); i++ {
				same = string(s.e.words.Word(words[at+i])) == s.words[i].text
			}
			if same {
				s.orgs = append(s.orgs, s.e.names[c.name].Org)
				break
			}
		}
	}
	slices.Sort(s.orgs)
	return len(slices.Compact(s.orgs))
}

// rarityOf is 1 for a word that no name has, and falls with the number of names.
func (e *Engine) rarityOf(names int) float64 { return max(0, 1-math.Log(float64(names)+1)/e.logNames) }

func (s *search) prepare(r *reading) {
	e := s.e
	s.words, s.text = s.words[:0], strings.Join(r.words, " ")
	for i, w := range r.words {
		a, last, begun, common := asked{text: w}, i == len(r.words)-1, w, 0
		a.state, _ = place.State(w)
		id, known := e.words.Find(w)
		count := 0
		if known {
			a.alts = append(a.alts, alt{word: id, most: readExact})
			count = len(e.list(id))
		}
		a.rarity, a.idle, a.known, a.sure, a.inCity = e.rarityOf(count), idle[w], known, count > doubtful, e.inCity[w]
		if len(r.words) > 1 && (legal[w] && i > 0 || !known && seemsIdle(w, last)) {
			a.rarity, a.idle = 0, true
		}
		// "Comm" is short for community, or the beginning of commission.
		if last && len(r.begun) > 2 && orgname.Key(r.begun) == w {
			begun = r.begun
		}
		s.addSlips(&a, count, last)
		s.addBegun(&a, begun, len(r.words) == 1, last)
		s.limit(&a, count > doubtful && !last)
		// A word that no name has is as rare as the word that it was meant to be.
		for _, b := range a.alts {
			common = max(common, len(e.list(b.word)))
		}
		if a.choice = a.missing(); !known {
			a.choice = min(a.choice, missingCost(e.rarityOf(common)))
		}
		slices.SortFunc(a.alts, func(x, y alt) int { return cmp.Or(cmp.Compare(x.word, y.word), cmp.Compare(x.cost, y.cost)) })
		a.alts = slices.CompactFunc(a.alts, func(x, y alt) bool { return x.word == y.word })
		s.words = append(s.words, a)
	}
}

// limit bounds the names that are read for words similar to the word of the text.
func (s *search) limit(w *asked, known bool) {
	all, most := 0, readUnknown
	if known {
		most = readKnown
	}
	for i := range w.alts {
		if a := &w.alts[i]; a.cost > costPlural {
			a.most = min(a.most, len(s.e.list(a.word)))
			all += a.most
		}
	}
	for i := range w.alts {
		if a := &w.alts[i]; a.cost > costPlural && all > most {
			a.most = max(1, a.most*most/all)
		}
	}
}

// addSlips adds plurals and the words that are a slip or two away. A slip in a word of
// four letters or fewer is another word, and only a bold search looks for it.
func (s *search) addSlips(a *asked, count int, last bool) {
	e, n, known := s.e, len(a.text), count > 0
	if n >= 4 {
		if id, ok := e.words.Find(a.text + "S"); ok {
			a.alts = append(a.alts, alt{word: id, cost: costPlural, most: readExact})
		}
		if short, ok := strings.CutSuffix(a.text, "S"); ok {
			if id, ok := e.words.Find(short); ok {
				a.alts = append(a.alts, alt{word: id, cost: costPlural, most: readExact})
			}
		}
	}
	if n < 3 || n < 5 && !s.bold {
		return
	}
	for _, r := range respelled {
		if id, ok := e.words.Find(r[1]); ok && !known && typo.OneSlip(a.text, r[0]) {
			a.alts = append(a.alts, alt{word: id, cost: costSlip, most: readExact})
		}
	}
	most := 1
	if n >= 8 && !known {
		most = 2
	}
	s.near = s.walker.Correct(s.near[:0], a.text, most)
	for _, w := range s.near {
		short := n < 5 || len(e.words.Word(w.Word)) < 5
		if short && !s.bold {
			continue
		}
		cost, read := costSlip*float64(w.Distance)*(0.5+4/float64(n+1)), readSlip
		if !known {
			read = readExact
		}
		if len(s.words) == 0 && last {
			cost *= 1.5
		}
		switch {
		case count > 0 && count <= doubtful && len(e.list(w.Word)) >= rarer*count:
			cost /= 2
		case known:
			cost += costSlipKnown
		}
		if short {
			cost = costShort * a.missing()
		}
		a.alts = append(a.alts, alt{word: w.Word, cost: cost, most: read, other: short})
	}
}

// respelled pairs common words with their spelling in the long form, which the vocabulary has.
var respelled = func() (pairs [][2]string) {
	for _, w := range strings.Fields("FIRST SECOND THIRD THEATRE CENTRE CHILDRENS WOMENS VETERANS INSTITUTION ASSOCIATES") {
		pairs = append(pairs, [2]string{w, orgname.Key(w)})
	}
	return pairs
}()

// addBegun adds the commonest words with the beginning of the text: Hutchinson for "Hutch".
func (s *search) addBegun(a *asked, begun string, alone, last bool) {
	e := s.e
	if len(begun) < 2 || !last && (len(begun) < 3 || a.known && a.rarity < leastRare) { // "South" is not short for Southeast
		return
	}
	from, to := e.words.Lower(begun), e.words.Lower(begun+"\xff")
	cost := costPrefix
	if alone {
		cost = costPrefixAlone
	}
	read := readPrefix
	if last {
		a.from, a.to, a.prefix, read = from, to, cost, readExact
	}
	var list []alt
	for w := from; w < to; w++ {
		if n := len(e.words.Word(w)); n > len(begun)+1 || (last || len(begun) < 5) && n > len(begun) {
			list = append(list, alt{word: w, cost: cost, most: read, begun: true})
		}
	}
	if len(list) > maxPrefix {
		slices.SortStableFunc(list, func(x, y alt) int { return cmp.Compare(len(e.list(y.word)), len(e.list(x.word))) })
		list = list[:maxPrefix]
	}
	a.alts = append(a.alts, list...)
}

// collect finds the names that have words of the text, and chooses those to compare.
func (s *search) collect() {
	for _, n := range s.touched {
		s.covered[n] = 0
	}
	s.touched, s.chosen = s.touched[:0], s.chosen[:0]
	lost := 0.0 // what a name costs that has none of the words read so far, which are no slips
	for _, i := range s.byRarity() {
		w := &s.words[i]
		sure := w.sure && !w.idle && !w.inCity && w.state == ""
		for _, a := range w.alts {
			s.cover(s.e.list(a.word), uint16(1)<<i, a.most, lost < mostLost)
			sure = sure && a.most >= len(s.e.list(a.word))
		}
		if sure {
			lost += w.choice
		}
	}
	weights := make([]float64, 1<<len(s.words))
	for set := 1; set < len(weights); set++ {
		weights[set] = weights[set&(set-1)] + s.words[bits.TrailingZeros(uint(set))].choice
	}
	weights[len(weights)-1] += weighAll + 2*weighAllRare // a name with all words
	for _, n := range s.touched {
		weight := weights[s.covered[n]] + s.e.priors[int(n)*len(s.e.priors)/len(s.e.names)]
		if s.there != elsewhere && s.e.orgs[s.e.names[n].Org].State == s.there {
			weight += weighState + costElsewhere
		}
		s.chosen = append(s.chosen, chosen{name: n, weight: weight})
	}
	if len(s.chosen) > maxScored {
		s.chosen = s.chosen[:s.threshold()]
	}
}

// byRarity is the words of the text in the order of the names that are read for them.
func (s *search) byRarity() (order []int) {
	var reads [maxAsked]int
	for i := range s.words {
		for _, a := range s.words[i].alts {
			reads[i] += min(a.most, len(s.e.list(a.word)))
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(reads[i], reads[j]) })
	return order
}

// cover marks the first most names of a list that have a word, and as many of the given state, or,
// if grow is false, only those that have another word of the text.
func (s *search) cover(list []uint32, bit uint16, most int, grow bool) {
	there := 0
	if s.there != elsewhere && grow {
		there = most
	}
	for _, n := range list {
		if most <= 0 && there <= 0 || s.work > maxWork {
			return
		}
		if s.work++; !grow {
			if most--; s.covered[n] != 0 {
				s.covered[n] |= bit
			}
			continue
		}
		if s.some && s.outside(n) {
			continue
		}
		if there > 0 && s.e.orgs[s.e.names[n].Org].State == s.there {
			there--
		} else if most <= 0 {
			continue
		}
		if most--; s.covered[n] == 0 {
			s.touched = append(s.touched, n)
		}
		s.covered[n] |= bit
	}
}

// threshold moves the best names, about maxScored, to the front and counts them.
func (s *search) threshold() int {
	const bins = 1024
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range s.chosen {
		lo, hi = min(lo, c.weight), max(hi, c.weight)
	}
	bin := func(w float64) int { return min(bins-1, int((hi-w)/(hi-lo+1e-9)*bins)) }
	var counts [bins]int
	for _, c := range s.chosen {
		counts[bin(c.weight)]++
	}
	last, n := 0, counts[0]
	for last < bins-1 && n+counts[last+1] <= maxScored {
		last++
		n += counts[last]
	}
	kept := 0
	for i, c := range s.chosen {
		if bin(c.weight) <= last {
			s.chosen[i], s.chosen[kept] = s.chosen[kept], c
			kept++
			if kept == 2*maxScored {
				break
			}
		}
	}
	return kept
}

type agreement struct {
	used    uint32  // words of the name
	cost    float64 // of what differs
	info    float64 // how rare the words of the text are, all together
	all     float64 // cost of a name that has none of the words
	lost    float64 // cost of the words that the name lacks
	last    int     // word of the name that agrees with the latest word of the text
	rising  bool    // the words of the name follow one another, from the first
	turned  bool    // they are in another order
	missing bool    // the name lacks a word
	begun   bool    // a word of the text is the beginning of a word of the name
	gap     bool    // a word that is missing stands before one that is there
	cut     bool    // the register cut the name
	local   bool    // the place of the organization stands for a word of the text
}

// compare finds the words of the text in a name.
func (s *search) compare(words []uint32, o *orgRecord) agreement {
	a := agreement{last: -1, rising: true}
	for i := range s.words {
		w := &s.words[i]
		a.info += w.rarity
		a.all += w.missing()
		at, by := best(w, words, a.used)
		if at >= 0 {
			a.used |= 1 << at
			a.rising, a.turned = a.rising && at == a.last+1, a.turned || at < a.last
			a.last = at
			a.cost += by.cost
			a.begun, a.missing, a.gap = a.begun || by.begun, a.missing || by.other, a.gap || a.lost > 0
			continue
		}
		run, cost := s.initialsIn(w, words, a.used)
		switch {
		case run != 0:
			a.used |= run
			a.rising = false
			a.cost += cost
		case i > 0 && s.isCut(w, words, a.used):
			a.used |= 1 << (len(words) - 1)
			a.cost += costCut
			a.cut = true
		case s.inPlace(w, o):
			a.cost += costPlace
			a.rising, a.local = false, true
		case a.cut:
			a.missing = true
			a.cost += costCutRest * w.missing()
		default:
			a.missing = a.missing || !w.idle && len(w.text) > 1
			a.cost += w.missing()
			a.lost += w.missing()
		}
	}
	return a
}

func (s *search) score(c chosen, cost float64) {
	e, name := s.e, c.name
	n := &e.names[name]
	o := &e.orgs[n.Org]
	words := e.wordsOf(name)
	a := s.compare(words, o)
	extra, placed, added := s.extra(words, a.used, a.local)
	if extra == 0 && a.rising && !a.gap && len(words) > 1 { // the text goes on with a fund or a branch
		a.cost -= (1 - costCutRest) * a.lost
		a.lost *= costCutRest
	}
	if added *= 1 + costLong*max(0, a.info-1); a.missing {
		added = min(added, mostExtra)
	}
	weight := o.prior(s.q.Role) - cost - a.cost - added + s.standing(n, o) + s.letters(n, c.same)
	if last := len(words) - 1; extra > 0 && a.used>>last&1 != 0 && s.e.cityOf(o) == s.text {
		weight -= costCity
	}
	if a.turned {
		weight -= costTurned
	}
	if !a.missing {
		weight += weighAll + weighAllRare*min(2, a.info)
		switch {
		case extra > 0 && a.rising && !placed:
			lead, like := weighLead, s.like
			if len(s.words) == 1 { // is often short for the only name that begins with it
				lead, like = weighLeadAlone, s.like-1
			}
			weight += lead * min(1, a.info) / (1 + math.Log1p(float64(max(0, like))))
		case extra == 0:
			weight += weighExact*min(1, a.info) - weighLike*math.Log1p(float64(s.like))
			if a.rising {
				weight += weighSame
			}
		}
	}
	if len(s.words) == 1 && extra > 0 && len(words) > 1 && a.used&1 == 0 && s.words[0].rarity < leastRare {
		weight = min(weight, s.none+mostCommon)
	}
	s.found = append(s.found, found{org: n.Org, name: name, weight: s.nearby(n, weight), branch: placed && !a.missing, longer: extra > 0 && !a.missing,
		exact: c.same && n.Kind <= other, whole: !a.missing && !a.begun, share: 1 - a.lost/max(1, a.all)})
}

// nearby limits the weight of a name that is only known from an address.
func (s *search) nearby(n *nameRecord, weight float64) float64 {
	if n.Kind != byAddress {
		return weight
	}
	return min(weight, s.none+min(mostNearby, weighNearby+weighNearbyMore*math.Log(float64(max(1, n.Filers)))))
}

// letters is what speaks for an organization whose registered name is the text, letter
// by letter. Few people type a legal form; those who do mean the name that has it.
func (s *search) letters(n *nameRecord, same bool) float64 {
	switch {
	case !same || n.Kind != registered || s.view.Registered == nil || !strings.EqualFold(s.view.Registered(n.Org), s.typed):
		return 0
	case strings.Count(s.typed, " ") > strings.Count(s.name.K1, " "):
		return weighForm
	}
	return weighLetters
}

// isCut reports whether the last word of a name is a word of the text that the register cut.
func (s *search) isCut(w *asked, words []uint32, used uint32) bool {
	last := len(words) - 1
	if last < 1 || used>>last&1 != 0 {
		return false
	}
	stem := s.e.words.Word(words[last])
	if len(stem) < 3 || len(stem) >= len(w.text) || w.text[:len(stem)] != string(stem) || !w.known {
		return false
	}
	letters := 0
	for _, id := range words {
		letters += len(s.e.words.Word(id))
	}
	return letters >= leastCut
}

// extra counts the words of a name that the text lacks, and their cost. placed reports whether one of them is a place. local
// reports whether the place of the organization stands for a word of the text; then a name before the others is another name.
func (s *search) extra(words []uint32, used uint32, local bool) (n int, placed bool, cost float64) {
	for j, w := range words {
		if used>>j&1 != 0 {
			continue
		}
		n++
		isPlace := s.e.isPlace(w)
		if isPlace {
			// Flora is a city, and a given name before a rare word.
			placed = placed || used>>j == 0 || s.words[0].rarity < leastRare
			if s.given(w) {
				continue
			}
		}
		c := costExtra + costExtraRare*s.e.rarityOf(len(s.e.list(w)))
		if len(s.e.words.Word(w)) == 1 {
			c = costLetter / 2
		}
		switch before, after := used&(1<<j-1) != 0, used>>j != 0; {
		case before && after:
			c *= costInner
		case after && !isPlace && !local:
			// Given names stand before a rare word. "Loyola" before "University" is another one.
			c *= 1 - (1-costLeading)*min(1, max(0, s.words[0].rarity-leastNamed)/(leastRare-leastNamed))
		}
		cost += c
	}
	return n, placed, cost
}

// given reports whether a word is the state or in the city of the question.
func (s *search) given(word uint32) bool {
	if s.q.State == "" && s.q.City == "" {
		return false
	}
	text := string(s.e.words.Word(word))
	code, ok := place.State(text)
	return ok && s.q.State == code || s.q.City != "" && slices.Contains(strings.Fields(orgname.City(s.q.City)), text)
}

// best is the position of the word that agrees best, and how; -1 if none agrees.
func best(w *asked, words []uint32, used uint32) (at int, by alt) {
	at = -1
	for j, id := range words {
		if used>>j&1 != 0 {
			continue
		}
		a := alt{cost: w.prefix, begun: true}
		if k, ok := slices.BinarySearchFunc(w.alts, id, func(a alt, id uint32) int { return cmp.Compare(a.word, id) }); ok {
			a = w.alts[k]
		} else if id < w.from || id >= w.to {
			continue
		}
		if at < 0 || a.cost < by.cost {
			at, by = j, a
		}
	}
	return at, by
}

// initialsIn finds adjoining words of a name with a word of the text as initials: "UT Austin".
func (s *search) initialsIn(w *asked, words []uint32, used uint32) (run uint32, cost float64) {
	n := len(w.text)
	if n < 2 || n > 5 || len(s.words) < 2 {
		return 0, 0
	}
	for j := 0; j+n <= len(words); j++ {
		run = 0
		for k := range n {
			if used>>(j+k)&1 == 0 && s.e.words.Word(words[j+k])[0] == w.text[k] {
				run |= 1 << (j + k)
			}
		}
		if run == (1<<n-1)<<j {
			return run, costInitialsPart + costInitialsTwo*float64(max(0, 3-n))
		}
	}
	return 0, 0
}

// inPlace reports whether a word of the text is the state or in the city of o.
func (s *search) inPlace(w *asked, o *orgRecord) bool {
	return w.state != "" && w.state == string(o.State[:]) || w.inCity && slices.Contains(strings.Fields(s.e.cityOf(o)), w.text)
}

// standing is what speaks for an organization beside the words of its name.
func (s *search) standing(n *nameRecord, o *orgRecord) (weight float64) {
	switch n.Kind {
	case other:
		weight -= costOther
	case byAddress:
		weight -= costNearby + costCalled/float64(max(1, n.Filers))
	case byFilers:
		weight += math.Log(max(0.01, float64(n.Share)/255)) - costCalled/float64(max(1, n.Filers))
	}
	weight += 0.3 * math.Log1p(float64(n.Filers))
	if o.Active == 0 && o.Filers == 0 && o.Out == 0 {
		weight -= costInactive
	}
	if s.q.State != "" {
		if s.there == o.State {
			weight += weighState
		} else if o.State[0] != 0 {
			weight -= costElsewhere
		}
	}
	if s.q.City != "" {
		if city := s.e.cityOf(o); city == orgname.City(s.q.City) {
			weight += weighState
		} else if city != "" {
			weight -= costElsewhere / 2
		}
	}
	return weight
}

func (s *search) byInitials(r reading) {
	if n := len(r.key); n < 3 || n > 8 {
		return
	}
	for _, name := range s.e.initials.find(r.key) {
		n := &s.e.names[name]
		if s.outside(name) || len(s.e.wordsOf(name)) < 2 {
			continue
		}
		o := &s.e.orgs[n.Org]
		weight := weighKnown*o.prior(s.q.Role) + weighMentioned*math.Log1p(float64(o.Filers)) + weighAll + weighAllRare - costInitials +
			weighInitials*float64(len(r.key)-3) - costWord*(1-s.words[0].rarity) - r.cost + s.standing(n, o)
		s.found = append(s.found, found{org: n.Org, name: name, weight: s.nearby(n, weight), initials: true, whole: true, share: 1})
	}
}

// byKey adds the organizations with a name of this or a better kind, at a cost.
func (s *search) byKey(key string, info, cost float64, kind uint8) {
	for _, name := range s.same(key) {
		if s.e.names[name].Kind <= kind {
			s.addNamed(name, info, cost, false)
		}
	}
}

// addNamed adds the organization of a name that is written differently, at a cost.
func (s *search) addNamed(name uint32, info, cost float64, same bool) {
	n := &s.e.names[name]
	o := &s.e.orgs[n.Org]
	weight := o.prior(s.q.Role) + weighAll + weighAllRare*min(2, info) + weighExact*min(1, info) - cost + s.standing(n, o)
	s.found = append(s.found, found{org: n.Org, name: name, weight: s.nearby(n, weight), exact: same && n.Kind <= other, whole: true, share: 1})
}

// byAbbreviation adds the organizations whose name has initials for words of the text that follow one another: "GSA Network"
// for "Genders and Sexualities Alliance Network". A broadcaster may be named without the first letter of its call sign.
func (s *search) byAbbreviation(r reading) {
	const least, most = 3, 6 // letters of initials
	if len(r.words) == 1 && len(r.key) == least {
		s.byKey("W"+r.key, 1, costSign, other)
		s.byKey("K"+r.key, 1, costSign, other)
	}
	for from := range r.words {
		initials, info := "", 1.0
		for to := from; to < min(len(r.words), from+most); to++ {
			initials += r.words[to][:1]
			if len(initials) < least || len(initials) == len(r.words) && len(initials) == least {
				continue
			}
			cost := costAbbreviated
			if len(initials) == len(r.words) {
				cost = costAbbreviatedAll
			}
			s.byKey(strings.Join(r.words[:from], "")+initials+strings.Join(r.words[to+1:], ""), info, r.cost+cost, byFilers)
		}
	}
}

func (e *Engine) textOf(name uint32) string {
	var words []string
	for _, w := range e.wordsOf(name) {
		words = append(words, string(e.words.Word(w)))
	}
	return strings.Join(words, " ")
}

func (e *Engine) why(f found) (text string) {
	n := &e.names[f.name]
	switch n.Kind {
	case registered:
		text = "registered name"
	case other:
		text = "other or former name"
	case byAddress:
		text = atAddress
	default:
		text = fmt.Sprintf("called so by %d filers", n.Filers)
		if n.Filers == 1 {
			text = "called so by 1 filer"
		}
	}
	if f.initials {
		text = "initials of a " + text
	}
	return text
}
