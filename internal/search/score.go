package search

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// How the parts of a score weigh. A name that is exactly the one asked for
// comes first, then how much of the question and of the name agree, then how
// prominent the organization is.
const (
	weightText       = 0.65
	weightExact      = 0.14
	weightProminence = 0.21

	// How exact a name is that is not the one asked for. Without these the
	// larger of "X" and "X Foundation" would come first for a misspelled "X".
	exactWords = 0.85 // the same words in the same order, misspelled
	exactBag   = 0.45 // the same words in another order
	exactPart  = 0.25 // all of the question, or all of the name in the other

	cityLikeness = 0.75 // of a word that names the city or the state and not the organization
	idleLikeness = 0.6  // of a word that seems to be one names are compared without
	cutLikeness  = 0.8  // of the beginning of a word that ends a name
	cutRest      = 0.7  // of the words after a word that was cut
	longRest     = 0.35 // of the words after a name that is as long as those that are cut
	aliasFactor  = 0.97 // of a name that is not the present one
	servedFactor = 0.85 // of the name of another that the organization is for
)

// likeness is how well the word of a form stands for the term: 1 for the word
// itself, less for a correction or a completion, 0 for neither.
func (t *term) likeness(w uint32) float32 {
	var l float32
	if n := len(t.alts); n > 4 {
		if i := sort.Search(n, func(i int) bool { return t.alts[i].word >= w }); i < n && t.alts[i].word == w {
			l = t.alts[i].likeness
		}
	} else {
		for i := range t.alts {
			if t.alts[i].word == w {
				l = t.alts[i].likeness
				break
			}
		}
	}
	if l == 0 && w >= t.from && w < t.to {
		l = 0.9
	}
	return l
}

// hit adds a form to the hits. It reports false when the file is damaged there.
func (sc *scratch) hit(f uint32, text, exact float32) bool {
	org, kind, ok := sc.x.form(f)
	if !ok {
		return false
	}
	switch kind {
	case formAlias:
		text, exact = text*aliasFactor, exact*aliasFactor
	case formServed:
		text, exact = text*servedFactor, exact*servedFactor
	}
	p := sc.x.prominence(org)
	sc.hits = append(sc.hits, hit{org: org, score: weightText*text + weightExact*exact + weightProminence*p, prominence: p})
	return true
}

// score compares the chosen forms with the question. It reports whether any of
// them, or a form found whole, has every word of it.
func (sc *scratch) score() (complete bool) {
	complete = sc.whole
	for _, r := range sc.best {
		text, exact, all := sc.text(r.form)
		sc.hit(r.form, text, exact)
		complete = complete || all
	}
	return complete
}

// text is how well a form and the question agree, from 0 to 1: how much of the
// question the form has, then how much of the form the question has, then the
// order of the words. exact is how near it is to the very name. all is true
// when no word of the question is missing.
func (sc *scratch) text(f uint32) (text, exact float32, all bool) {
	x := sc.x
	b := x.formWords(f)
	n := len(b) / 4
	var used, covered uint32 // words of the form; words of the question
	var asked, own, whole float32
	letters := 0
	for j := range n {
		if w := binary.LittleEndian.Uint32(b[4*j:]); int(w) < x.words {
			whole += max(0.3, x.rarity[w])
			letters += len(x.word(w))
		}
	}
	pairs, rising, last := 0, 0, -1
	cut := false
	// Terms of two words stand last but are tried first: what they cover, their
	// parts cannot.
	for i := len(sc.terms) - 1; i >= 0; i-- {
		if t := &sc.terms[i]; t.bits&(t.bits-1) != 0 {
			for j := range n {
				if w := binary.LittleEndian.Uint32(b[4*j:]); used>>j&1 == 0 && t.likeness(w) > 0 {
					used |= 1 << j
					covered |= uint32(t.bits)
					asked += sc.weights[t.bits]
					own += max(0.3, x.rarity[w])
					break
				}
			}
		}
	}
	for i := range sc.terms {
		t := &sc.terms[i]
		if t.bits&(t.bits-1) != 0 {
			break
		}
		if covered>>i&1 != 0 {
			continue
		}
		best, at := float32(0), -1
		var atWord uint32
		for j := range n {
			if used>>j&1 != 0 {
				continue
			}
			w := binary.LittleEndian.Uint32(b[4*j:])
			l := t.likeness(w)
			if l == 0.9 && int(w) < x.words {
				// A completion is the better the less it adds.
				l = 0.6 + 0.35*float32(len(t.begun))/float32(max(len(t.begun), len(x.word(w))))
			}
			if l > best {
				best, at, atWord = l, j, w
			}
		}
		if at < 0 && n > 1 && used>>(n-1)&1 == 0 && i > 0 {
			// The register cuts long names in the middle of a word.
			if w := binary.LittleEndian.Uint32(b[4*(n-1):]); int(w) < x.words {
				if stem := x.word(w); len(stem) >= 3 && len(stem) < len(t.text) && t.text[:len(stem)] == string(stem) {
					best, at, atWord, cut = cutLikeness, n-1, w, true
				}
			}
		}
		if at < 0 {
			if t.inCity && sc.covered[f]>>i&1 != 0 || t.state != 0 && x.formState(f) == t.state {
				covered |= 1 << i
				asked += cityLikeness * t.weight
			} else if t.idle {
				covered |= 1 << i
				asked += idleLikeness * t.weight
			}
			continue
		}
		used |= 1 << at
		covered |= 1 << i
		asked += best * t.weight
		if int(atWord) < x.words {
			own += best * max(0.3, x.rarity[atWord])
		}
		if last >= 0 {
			pairs++
			if at == last+1 {
				rising += 2
			} else if at > last {
				rising++
			}
		}
		last = at
	}
	order := float32(1)
	if pairs > 0 {
		order = float32(rising) / float32(2*pairs)
	}
	if whole == 0 || sc.total == 0 {
		return 0, 0, false
	}
	all = bits.OnesCount32(covered) == sc.words()
	full := used == 1<<n-1
	if full && !all && covered&(covered+1) == 0 && canBeCut(letters) {
		// The name begins the question and ends where names are cut.
		rest := sc.total - sc.weights[covered]
		if cut {
			asked += cutRest * rest
		} else {
			asked += longRest * rest
		}
	}
	asked /= sc.total
	switch {
	case all && full && order == 1:
		exact = exactWords * asked
	case all && full:
		exact = exactBag * asked
	case all || full:
		exact = exactPart * asked
	}
	text = asked * (0.70 + 0.23*min(1, own/whole) + 0.07*order)
	return min(1, text), exact, all
}

// canBeCut reports whether a name of so many letters may be the beginning of a
// longer one: the register cuts names from 33 characters on, with spaces and
// small words.
func canBeCut(letters int) bool { return letters >= 20 }

// words is the number of words of the question.
func (sc *scratch) words() int { return bits.Len(uint(len(sc.weights))) - 1 }
