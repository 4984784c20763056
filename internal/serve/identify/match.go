package identify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

// The weight of an organization is the exponential of a sum of these terms. Costs are
// subtracted. They were set by hand while looking at the names that docs/search.md
// measures with, so the figures there are not those of names never seen before.
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
	costLong           = 0.4  // more of that for a text of several rare words, which is rarely short for something
	costSlip           = 2.0  // a slip in a word,
	costSlipKnown      = 2.0  // which other names have as it is
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
	costReading        = 1.0
	costSign           = 3.0 // a call sign without its first letter
	costJoined         = 0.5 // words written as one, or one as several,
	leastJoined        = 6   // of so many letters
	costElsewhere      = 5.0
	mostElsewhere      = 2.5 // above nobody: an organization of another state is never certain
	costKin            = 1.5 // for every word of the text but one, a name that adds "foundation" and the like, or a direction
	costInactive       = 0.7

	weighNone = 7.0

	TypedEIN     = 0.999 // probability of an organization whose EIN is typed
	LeastCertain = 0.95  // probability from which the first candidate is certain
	leastLikely  = 0.75
	leastRare    = 0.6
	leastSeveral = 0.5
	leastShown   = 0.002
)

// Bounds of the work on one text.
const (
	maxAsked   = 12  // words that are looked at
	maxScored  = 300 // names that are compared in full
	maxSame    = 500 // names equal to the text
	readExact  = 4_000
	readSlip   = 400
	readPrefix = 150
	maxPrefix  = 30 // words that begin alike

	// Names that are read for all slips in a word and all words that begin with it, of
	// a word that some name has and of one that none has.
	readKnown, readUnknown = 1_000, 4_500
)

// asked is a word of the text with the words of the vocabulary that may stand for it.
type asked struct {
	text   string
	state  string  // that the word names
	rarity float64 // 0 for a word in every name, 1 for a word in one
	alts   []alt   // in the order of the vocabulary
}

// alt is a word that may stand for a word of the text, at a cost.
type alt struct {
	word uint32
	cost float64
	most int // names read
}

// idle are words that people add to names or leave out without meaning another
// organization.
var idle = table.SetOf("CHARITABLE INTERNATIONAL USA COMPANY")

// missing is the cost of a name without the word.
func (w *asked) missing() float64 {
	if len(w.text) == 1 {
		return costLetter
	}
	return costMissing + costMissingRare*w.rarity*w.rarity
}

// found is a name that the text may be.
type found struct {
	org, name uint32
	weight    float64
	initials  bool
	longer    bool // its name adds words to the text
	branch    bool // its name adds a place to the text, as those of chapters and campuses do
}

// search holds the buffers and the progress of one question.
type search struct {
	e       *Engine
	q       *Question
	without uint32 // an organization that is left out
	none    float64
	found   []found

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

type chosen struct {
	name   uint32
	weight float64
}

func (s *search) begin(q *Question, without uint32) {
	s.q, s.without, s.none, s.found = q, without, weighNone, s.found[:0]
	if s.covered == nil {
		s.covered = make([]uint16, len(s.e.names))
	}
}

// read adds the organizations that a reading may mean.
func (s *search) read(r reading) {
	s.prepare(r.words)
	s.collect()
	for _, name := range s.e.keys.find(r.key) {
		s.chosen = append(s.chosen, chosen{name: name})
		if len(s.chosen) > maxScored+maxSame {
			break
		}
	}
	s.like = s.likeText()
	for _, c := range s.chosen {
		s.score(c.name, r.cost)
	}
	if len(r.words) == 1 {
		s.byInitials(r)
	}
	s.byAbbreviation(r)
	// "ProPublica" is Pro Publica Inc.
	for _, name := range s.e.keys.find(r.key) {
		if len(r.key) >= leastJoined && len(s.e.wordsOf(name)) != len(r.words) {
			s.addNamed(name, 1, r.cost+costJoined)
		}
	}
}

// likeText counts the organizations of which a chosen name has the words of the text
// in a row, and others. A text that is part of many names is rarely the whole name of
// the one that is meant.
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
func (e *Engine) rarityOf(names int) float64 {
	return max(0, 1-math.Log(float64(names)+1)/e.logNames)
}

func (s *search) prepare(words []string) {
	e := s.e
	s.words, s.text = s.words[:0], strings.Join(words, " ")
	for i, w := range words {
		a := asked{text: w}
		a.state, _ = place.State(w)
		id, known := e.words.Find(w)
		count := 0
		if known {
			a.alts = append(a.alts, alt{id, 0, readExact})
			count = len(e.list(id))
		}
		a.rarity = e.rarityOf(count)
		s.addSlips(&a, known, i == len(words)-1)
		s.addBegun(&a, len(words) == 1)
		a.limit(known)
		slices.SortFunc(a.alts, func(x, y alt) int { return cmp.Or(cmp.Compare(x.word, y.word), cmp.Compare(x.cost, y.cost)) })
		a.alts = slices.CompactFunc(a.alts, func(x, y alt) bool { return x.word == y.word })
		s.words = append(s.words, a)
	}
}

// limit bounds the names that are read for words which are similar to the word of the
// text.
func (w *asked) limit(known bool) {
	all, most := 0, readUnknown
	if known {
		most = readKnown
	}
	for _, a := range w.alts {
		if a.most < readExact {
			all += a.most
		}
	}
	for i := range w.alts {
		if a := &w.alts[i]; a.most < readExact && all > most {
			a.most = max(1, a.most*most/all)
		}
	}
}

// addSlips adds plurals and the words that are a slip or two away. A slip in a word of
// four letters or fewer is another word.
func (s *search) addSlips(a *asked, known, last bool) {
	e, n := s.e, len(a.text)
	if n >= 4 {
		if id, ok := e.words.Find(a.text + "S"); ok {
			a.alts = append(a.alts, alt{id, costPlural, readExact})
		}
		if short, ok := strings.CutSuffix(a.text, "S"); ok {
			if id, ok := e.words.Find(short); ok {
				a.alts = append(a.alts, alt{id, costPlural, readExact})
			}
		}
	}
	if n < 5 {
		return
	}
	for _, r := range respelled {
		if id, ok := e.words.Find(r[1]); ok && !known && typo.OneSlip(a.text, r[0]) {
			a.alts = append(a.alts, alt{id, costSlip, readExact})
		}
	}
	most := 1
	if n >= 8 && !known {
		most = 2
	}
	s.near = s.walker.Correct(s.near[:0], a.text, most)
	for _, w := range s.near {
		if len(e.words.Word(w.Word)) < 5 {
			continue
		}
		cost := costSlip * float64(w.Distance) * (0.5 + 4/float64(n+1))
		if len(s.words) == 0 && last {
			cost *= 1.5
		}
		if known {
			cost += costSlipKnown
		}
		a.alts = append(a.alts, alt{w.Word, cost, readSlip})
	}
}

// respelled pairs common words with the different spelling in the long form of a
// name. The vocabulary has only the long form.
var respelled = func() (pairs [][2]string) {
	for _, w := range strings.Fields("FIRST SECOND THIRD THEATRE CENTRE CHILDRENS WOMENS VETERANS INSTITUTION ASSOCIATES") {
		pairs = append(pairs, [2]string{w, orgname.Key(w)})
	}
	return pairs
}()

// addBegun adds the commonest words that begin with the word of the text: "Hutch" for
// Hutchinson.
func (s *search) addBegun(a *asked, alone bool) {
	e := s.e
	if len(a.text) < 3 {
		return
	}
	from, to := e.words.Lower(a.text), e.words.Lower(a.text+"\xff")
	cost := costPrefix
	if alone {
		cost = costPrefixAlone
	}
	var list []alt
	for w := from; w < to; w++ {
		if len(e.words.Word(w)) > len(a.text)+1 {
			list = append(list, alt{w, cost, readPrefix})
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
	for i := range s.words {
		bit := uint16(1) << i
		for _, a := range s.words[i].alts {
			list := s.e.list(a.word)
			for _, n := range list[:min(len(list), a.most)] {
				if s.covered[n] == 0 {
					s.touched = append(s.touched, n)
				}
				s.covered[n] |= bit
			}
		}
	}
	weights := make([]float64, 1<<len(s.words))
	for set := range weights {
		for i := range s.words {
			if set>>i&1 != 0 {
				weights[set] += s.words[i].missing()
			}
		}
	}
	for _, n := range s.touched {
		// Names are in the order of prominence, which decides among names with the
		// same words.
		s.chosen = append(s.chosen, chosen{n, weights[s.covered[n]] - 12*float64(n)/float64(len(s.e.names))})
	}
	if len(s.chosen) > maxScored {
		s.chosen = s.chosen[:s.threshold()]
	}
}

// threshold moves the best names to the front and returns how many they are, about
// maxScored.
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

// score compares a name with the text.
func (s *search) score(name uint32, cost float64) {
	e := s.e
	n := &e.names[name]
	if n.Org == s.without {
		return
	}
	o := &e.orgs[n.Org]
	words := e.wordsOf(name)
	var used uint32
	missing, info, last, rising, local := false, 0.0, -1, true, false
	for i := range s.words {
		w := &s.words[i]
		info += w.rarity
		at, c := best(w, words, used)
		var run uint32
		if at < 0 {
			run, c = s.initialsIn(w, words, used)
		}
		switch {
		case at >= 0:
			used |= 1 << at
			rising = rising && at == last+1
			last = at
			cost += c
		case run != 0:
			used |= run
			rising = false
			cost += c
		case s.inPlace(w, o):
			cost += costPlace
			rising, local = false, true
		default:
			missing = missing || !idle[w.text] && len(w.text) > 1
			cost += w.missing()
		}
	}
	extra, placed, added := s.extra(words, used, local)
	cost += added * (1 + costLong*max(0, info-1))
	weight := o.prior(s.q.Role) - cost + s.standing(n, o)
	if last := len(words) - 1; extra > 0 && used>>last&1 != 0 && s.e.cityOf(o) == s.text {
		weight -= costCity
	}
	if !missing {
		weight += weighAll + weighAllRare*min(2, info)
		switch {
		case extra > 0 && rising && !placed:
			lead, like := weighLead, s.like
			if len(s.words) == 1 { // is often short for the only name that begins with it
				lead, like = weighLeadAlone, s.like-1
			}
			weight += lead * min(1, info) / (1 + math.Log1p(float64(max(0, like))))
		case extra == 0:
			weight += weighExact*min(1, info) - weighLike*math.Log1p(float64(s.like))
			if rising {
				weight += weighSame
			}
		}
	}
	if n.Kind == byAddress {
		weight = min(weight, s.none+min(mostNearby, weighNearby+weighNearbyMore*math.Log(float64(max(1, n.Filers)))))
	}
	s.found = append(s.found, found{org: n.Org, name: name, weight: weight, branch: placed && !missing, longer: extra > 0 && !missing})
}

// extra counts the words of a name that the text lacks, and their cost. placed
// reports whether one of them is a place. local reports whether the place of the
// organization stands for a word of the text; then a name before the others is another name.
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
			c *= costLeading
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
	return ok && s.q.State == code || s.q.City != "" && hasWord(orgname.City(s.q.City), text)
}

// best is the position of the word of a name that agrees best with a word of the
// text, and its cost; -1 if no word agrees.
func best(w *asked, words []uint32, used uint32) (at int, cost float64) {
	at = -1
	for j, id := range words {
		if used>>j&1 != 0 {
			continue
		}
		if k, ok := slices.BinarySearchFunc(w.alts, id, func(a alt, id uint32) int { return cmp.Compare(a.word, id) }); ok {
			if c := w.alts[k].cost; at < 0 || c < cost {
				at, cost = j, c
			}
		}
	}
	return at, cost
}

// initialsIn finds words of a name that follow one another and whose initials are a
// word of the text: "UT Austin".
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

// inPlace reports whether a word of the text is the state or in the city of an
// organization.
func (s *search) inPlace(w *asked, o *orgRecord) bool {
	return w.state != "" && w.state == string(o.State[:]) || hasWord(s.e.cityOf(o), w.text)
}

// hasWord reports whether words that are separated by spaces have this one.
func hasWord(words, word string) bool {
	for w := range strings.SplitSeq(words, " ") {
		if w == word {
			return true
		}
	}
	return false
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
		if s.q.State == string(o.State[:]) {
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

// byInitials adds the organizations whose initials are the text.
func (s *search) byInitials(r reading) {
	if n := len(r.key); n < 3 || n > 8 {
		return
	}
	for _, name := range s.e.initials.find(r.key) {
		n := &s.e.names[name]
		if n.Org == s.without || len(s.e.wordsOf(name)) < 2 {
			continue
		}
		o := &s.e.orgs[n.Org]
		weight := weighKnown*o.prior(s.q.Role) + weighMentioned*math.Log1p(float64(o.Filers)) + weighAll + weighAllRare - costInitials +
			weighInitials*float64(len(r.key)-3) - costWord*(1-s.words[0].rarity) - r.cost + s.standing(n, o)
		s.found = append(s.found, found{org: n.Org, name: name, weight: weight, initials: true})
	}
}

// byKey adds the organizations with a name of this or a better kind that is written
// differently, at a cost.
func (s *search) byKey(key string, info, cost float64, kind uint8) {
	for _, name := range s.e.keys.find(key) {
		if s.e.names[name].Kind <= kind {
			s.addNamed(name, info, cost)
		}
	}
}

// addNamed adds the organization of a name that is written differently, at a cost.
func (s *search) addNamed(name uint32, info, cost float64) {
	n := &s.e.names[name]
	o := &s.e.orgs[n.Org]
	if n.Org != s.without {
		weight := o.prior(s.q.Role) + weighAll + weighAllRare*min(2, info) + weighExact*min(1, info) - cost + s.standing(n, o)
		s.found = append(s.found, found{org: n.Org, name: name, weight: weight})
	}
}

// byAbbreviation adds the organizations whose name has initials for words of the text
// that follow one another: "GSA Network" for "Genders and Sexualities Alliance
// Network". A broadcaster may be named without the first letter of its call sign.
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

// textOf is a name in words.
func (e *Engine) textOf(name uint32) string {
	var b strings.Builder
	for i, w := range e.wordsOf(name) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.Write(e.words.Word(w))
	}
	return b.String()
}

// why says how an organization was recognized.
func (e *Engine) why(f found) (text string) {
	n := &e.names[f.name]
	switch n.Kind {
	case registered:
		text = "registered name"
	case other:
		text = "other or former name"
	case byAddress:
		text = AtAddress
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
