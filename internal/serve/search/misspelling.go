package search

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/typo"
)

// Misspelled words are found by walking the vocabulary as a tree: it is in
// byte order, so the words that share a beginning stand together and a whole
// branch is left out as soon as its beginning is further from the word than
// allowed. The distance is Damerau's: a letter more, less, other, or two
// neighbours swapped.
//
// Near its root the tree is wide, and a walk that may go wrong there visits
// most of it. But one slip leaves the first half of a word or the second as it
// was, and of two slips, when both are in one half, the other half is as it
// was. So there are two walks, from the front and, in the order of the words
// read backwards, from the back, and each allows fewer slips in the half it
// begins with.

const (
	maxFuzzyWord = 24     // longer words are not corrected
	maxVisits    = 20_000 // branches looked at for one word
	maxAlts      = 40     // corrections kept for one word
)

// slips is how many slips a word of n letters may have.
func slips(n int) int {
	switch {
	case n < 3 || n > maxFuzzyWord:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// walker is one walk over the vocabulary.
type walker struct {
	x      *Index
	back   bool   // words are read backwards
	word   string // what was typed, in the direction of the walk
	most   int    // slips allowed
	early  int    // of them, in the first half letters
	half   int
	visits int
	alts   []alt
	path   [maxFuzzyWord + 3]byte
	rows   [maxFuzzyWord + 4][maxFuzzyWord + 2]uint8
}

// alt is a vocabulary word that may stand for a word of the question.
type alt struct {
	word     uint32
	distance uint8
	likeness float32 // 1 for the word itself
}

// correct appends to alts the words at most most slips away from word, some of them
// twice. Words with digits are never corrected: post 7 is not post 9.
func (k *walker) correct(alts []alt, word string, most int) []alt {
	k.visits = 0
	if most == 0 || len(word) > maxFuzzyWord {
		return alts
	}
	for i := 0; i < len(word); i++ {
		if word[i] < 'A' || word[i] > 'Z' {
			return alts
		}
	}
	for i := range len(word) + 1 {
		k.rows[0][i] = uint8(i)
	}
	k.most, k.alts = most, alts
	n := len(word)
	k.word, k.back, k.early, k.half = word, false, most-1, n/2-(most-1)
	k.walk(k.x.lower("A"), uint32(k.x.vocabulary()), 0)
	// Two neighbours swapped across the middle belong to neither half, and a slip
	// before them moves the middle. So the halves do not touch.
	var reversed [maxFuzzyWord]byte
	for i := range n {
		reversed[i] = word[n-1-i]
	}
	k.word, k.back, k.early, k.half = string(reversed[:n]), true, 0, n-n/2-1
	k.walk(0, uint32(k.x.vocabulary()), 0)
	return k.alts
}

// walk looks at the words from..to, which share their first depth letters.
func (k *walker) walk(from, to uint32, depth int) {
	n := len(k.word)
	for ; from < to && k.letter(from, depth) == 0; from++ {
		if d := k.rows[depth][n]; d > 0 && int(d) <= k.most {
			if w := k.at(from); int(w) < k.x.vocabulary() && k.x.word(w)[0] >= 'A' {
				k.alts = append(k.alts, alt{w, d, 1 - 0.9*float32(d)/float32(max(n, depth))})
			}
		}
	}
	if depth >= n+k.most {
		return
	}
	allowed := k.most
	if depth < k.half {
		allowed = k.early
	}
	for from < to {
		if k.visits++; k.visits > maxVisits {
			return
		}
		c := k.letter(from, depth)
		if c == 0 {
			return // only in a damaged file
		}
		end := k.branch(from, to, depth, c)
		if k.step(depth, c) <= allowed {
			k.walk(from, end, depth+1)
		}
		from = end
	}
}

// at is the word at position i in the order of the walk.
func (k *walker) at(i uint32) uint32 {
	if k.back {
		return k.x.reverse[i]
	}
	return i
}

// branch is the end of the words in from..to that have c at depth.
func (k *walker) branch(from, to uint32, depth int, c byte) uint32 {
	lo, step := from+1, uint32(1)
	for lo < to && k.letter(lo, depth) == c {
		lo += step
		step *= 2
	}
	hi := min(lo, to)
	lo = from + 1
	if step > 1 {
		lo = max(lo, hi-min(hi, step))
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if k.letter(mid, depth) == c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// letter is the letter at depth of the word at position i in the order of the walk,
// or 0 if the word is shorter.
func (k *walker) letter(i uint32, depth int) byte {
	w := k.at(i)
	if int(w) >= k.x.vocabulary() {
		return 0
	}
	t := k.x.word(w)
	switch {
	case depth >= len(t):
		return 0
	case k.back:
		return t[len(t)-1-depth]
	}
	return t[depth]
}

// step computes the row of distances after the letter c and returns the least
// distance in it.
func (k *walker) step(depth int, c byte) int {
	prev, row := &k.rows[depth], &k.rows[depth+1]
	k.path[depth] = c
	row[0] = uint8(depth + 1)
	least := row[0]
	for j := 1; j <= len(k.word); j++ {
		d := prev[j-1]
		if k.word[j-1] != c {
			d++
		}
		d = min(d, prev[j]+1, row[j-1]+1)
		if depth > 0 && j > 1 && k.word[j-1] == k.path[depth-1] && k.word[j-2] == c {
			d = min(d, k.rows[depth-1][j-2]+1)
		}
		row[j] = d
		least = min(least, d)
	}
	return int(least)
}

// seemsIdle reports whether a word is, within one slip, a word that comparisons
// ignore: a small word or, at the end, a legal form. At the end the legal form may be
// incomplete.
func seemsIdle(w string, last bool) bool {
	if !last {
		return slices.ContainsFunc([]string{"OF", "THE", "AND", "FOR"}, func(s string) bool { return typo.OneSlip(w, s) })
	}
	forms := []string{"INC", "LTD", "CORP", "INCORPORATED", "CORPORATION", "COMPANY", "LIMITED"}
	return slices.ContainsFunc(forms, func(s string) bool {
		return typo.OneSlip(w, s) || len(w) > 3 && strings.HasPrefix(s, w)
	})
}

// respelled pairs common words with the different spelling in the long form of a
// name. The vocabulary has only the long form.
var respelled = func() (pairs [][2]string) {
	for _, w := range strings.Fields("FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH THEATRE CENTRE CHILDRENS WOMENS VETERANS") {
		pairs = append(pairs, [2]string{w, orgname.Key(w)})
	}
	return pairs
}()

// respell appends the long form of the respelled word that w is within one slip of.
func (x *Index) respell(alts []alt, w string) []alt {
	for _, r := range respelled {
		if typo.OneSlip(w, r[0]) {
			if id, ok := x.find(r[1]); ok {
				alts = append(alts, alt{id, 1, 1 - 0.9/float32(max(len(w), len(r[0])))})
			}
		}
	}
	return alts
}
