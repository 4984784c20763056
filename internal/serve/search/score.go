package search

import "math/bits"

// Weights of the parts of a score. A name equal to the question comes first. Then it
// counts how much of the question and the name agree, then how prominent the
// organization is.
const (
	weightText       = 0.65
	weightExact      = 0.14
	weightProminence = 0.21

	// How exact a name is that differs from the question. Without these weights the
	// larger of "X" and "X Foundation" would come first for a misspelled "X".
	exactWords = 0.85 // the same words in the same order, misspelled
	exactBag   = 0.45 // the same words in another order
	exactPart  = 0.25 // all of the question is in the name, or all of the name in the question

	leastWeight = 0.3 // of a word, however many names have it

	cityLikeness = 0.75 // of a word that matches the city or state and not the name
	idleLikeness = 0.6  // of a word that seems to be one that comparisons ignore
	cutLikeness  = 0.8  // of the beginning of a word that ends a name
	cutRest      = 0.7  // of the words after a word that was cut
	longRest     = 0.35 // of the words after a name as long as names that the register cuts
	aliasFactor  = 0.97 // of a name that is not the current one
	servedFactor = 0.85 // of the name of an organization that this one supports
)

// hit adds a name to the hits. It reports false if the file is damaged there.
func (fd *finder) hit(f uint32, text, exact float32, c class) bool {
	name := &fd.x.names[f]
	org := name.Org
	if int(org) >= len(fd.x.orgs) {
		return false
	}
	switch name.Kind {
	case nameAlias:
		text, exact = text*aliasFactor, exact*aliasFactor
	case nameServed:
		text, exact = text*servedFactor, exact*servedFactor
	}
	p := fd.x.orgs[org].Prominence
	fd.hits = append(fd.hits, hit{org: org, score: weightText*text + weightExact*exact + weightProminence*p, prominence: p, class: c})
	return true
}

// score compares the chosen names with the question. It reports whether one of them,
// or a name equal to the question, has every word of the question.
func (fd *finder) score() (complete bool) {
	complete = fd.exact
	fd.fetchBest()
	for _, r := range fd.best {
		text, exact, all := fd.text(r.name)
		c := weak
		if all && !fd.completed && fd.asked >= leastStrong {
			c = strong
		}
		fd.hit(r.name, text, exact, c)
		complete = complete || all
	}
	return complete
}

// fetchBest brings the data of the chosen names into the CPU caches, as fetchWords
// does.
func (fd *finder) fetchBest() {
	x := fd.x
	fd.grouped = fd.grouped[:0] // scan no longer needs it
	for _, r := range fd.best {
		fd.grouped = append(fd.grouped, r.name)
	}
	fd.fetchWords(fd.grouped)
	sum := float32(0)
	for _, f := range fd.grouped {
		if org := int(x.names[f].Org); org < len(x.orgs) {
			sum += x.orgs[org].Prominence
		}
	}
	fd.fetched += uint32(sum)
}

// agreement is what a name and the question have in common.
type agreement struct {
	used, covered uint32  // words of the name and words of the question that agree
	asked, own    float32 // the weights of these words, each times how well it agrees
	cut           bool    // the last word of the name is the beginning of a word
	completed     bool    // a word of the question is the beginning of a word of the name

	pairs, rising, last int // matched words that follow one another, how many of them are in order, position of the last match
}

// text is how well a name and the question agree, from 0 to 1: first how much of the
// question the name has, then how much of the name the question has, then the order
// of the words. exact is how near the name is to the whole question. all is true if
// the name has every word of the question.
func (fd *finder) text(f uint32) (text, exact float32, all bool) {
	words := fd.x.wordsOf(f)
	whole, letters := fd.x.measure(words)
	if whole == 0 || fd.total == 0 {
		return 0, 0, false
	}
	a := agreement{last: -1}
	fd.agreeJoined(&a, words)
	for i := range fd.terms {
		if fd.terms[i].joined() {
			break
		}
		if a.covered>>i&1 == 0 {
			fd.agree(&a, i, f, words)
		}
	}
	order := float32(1)
	if a.pairs > 0 {
		order = float32(a.rising) / float32(2*a.pairs)
	}
	all = bits.OnesCount32(a.covered) == fd.words()
	full := a.used == 1<<len(words)-1
	asked := a.asked
	if full && !all && a.covered&(a.covered+1) == 0 && canBeCut(letters) {
		// The name begins the question and ends where names are cut.
		rest := fd.total - fd.weights[a.covered]
		if a.cut {
			asked += cutRest * rest
		} else {
			asked += longRest * rest
		}
	}
	asked /= fd.total
	fd.asked, fd.completed = asked, a.completed
	switch {
	case all && full && order == 1:
		exact = exactWords * asked
	case all && full:
		exact = exactBag * asked
	case all || full:
		exact = exactPart * asked
	}
	text = asked * (0.70 + 0.23*min(1, a.own/whole) + 0.07*order)
	return min(1, text), exact, all
}

// measure is the weight and the number of letters of the words of a name.
func (x *Index) measure(words []uint32) (weight float32, letters int) {
	for _, w := range words {
		if int(w) < x.vocabulary() {
			weight += max(leastWeight, x.rarity[w])
			letters += len(x.word(w))
		}
	}
	return weight, letters
}

// agreeJoined matches the terms that join two words. They come first, because a
// single word must not match again what a joined term covers.
func (fd *finder) agreeJoined(a *agreement, words []uint32) {
	for i := len(fd.terms) - 1; i >= 0 && fd.terms[i].joined(); i-- {
		t := &fd.terms[i]
		for j, w := range words {
			if a.used>>j&1 == 0 && t.has(w) {
				a.used |= 1 << j
				a.covered |= uint32(t.bits)
				a.asked += fd.weights[t.bits]
				a.own += max(leastWeight, fd.x.rarity[w])
				break
			}
		}
	}
}

// agree matches term i with the best word of name f, or else with its city or state.
// A term that may be left out can stay without a match.
func (fd *finder) agree(a *agreement, i int, f uint32, words []uint32) {
	x, t := fd.x, &fd.terms[i]
	best, at, n := float32(0), -1, len(words)
	var word uint32
	completed := false
	for j, w := range words {
		if a.used>>j&1 != 0 {
			continue
		}
		l := t.likeness(w)
		begun := l == 0 && t.begins(w)
		if begun {
			// The less a completion adds, the better it is.
			l = 0.6 + 0.35*float32(len(t.begun))/float32(max(len(t.begun), len(x.word(w))))
		}
		if l > best {
			best, at, word, completed = l, j, w, begun
		}
	}
	if at < 0 && n > 1 && a.used>>(n-1)&1 == 0 && i > 0 {
		// The register cuts long names in the middle of a word.
		if w := words[n-1]; int(w) < x.vocabulary() {
			if stem := x.word(w); len(stem) >= 3 && len(stem) < len(t.text) && t.text[:len(stem)] == string(stem) {
				best, at, word, a.cut = cutLikeness, n-1, w, true
				// A word that no name has may also be a slip.
				fd.unsure = fd.unsure || !t.inVocabulary
			}
		}
	}
	if at < 0 {
		if t.inCity && fd.covered[f]>>i&1 != 0 || t.state != 0 && x.names[f].State == t.state {
			a.covered |= 1 << i
			a.asked += cityLikeness * t.weight
		} else if t.idle {
			a.covered |= 1 << i
			a.asked += idleLikeness * t.weight
		}
		return
	}
	a.completed = a.completed || completed
	a.used |= 1 << at
	a.covered |= 1 << i
	a.asked += best * t.weight
	if int(word) < x.vocabulary() {
		a.own += best * max(leastWeight, x.rarity[word])
	}
	if a.last >= 0 {
		a.pairs++
		if at == a.last+1 {
			a.rising += 2
		} else if at > a.last {
			a.rising++
		}
	}
	a.last = at
}

// canBeCut reports whether a name of so many letters may be cut off. The register
// cuts names from 33 characters on, counting spaces and small words.
func canBeCut(letters int) bool { return letters >= 20 }

// words is the number of words of the question.
func (fd *finder) words() int { return bits.Len(uint(len(fd.weights))) - 1 }
