package search

// Misspelled words are found by walking the vocabulary as a tree: it is in
// byte order, so the words that share a beginning stand together and a whole
// branch is left out as soon as its beginning is further from the word than
// allowed. The distance is Damerau's: a letter more, less, other, or two
// neighbours swapped.

const (
	maxFuzzyWord = 24   // longer words are not corrected
	maxVisits    = 6000 // branches looked at for one word
	maxAlts      = 40   // corrections kept for one word
)

// slips is how many slips a word of this length may have.
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
	word   string
	most   int
	visits int
	alts   []alt
	path   [maxFuzzyWord + 3]byte
	rows   [maxFuzzyWord + 4][maxFuzzyWord + 2]uint8
}

// alt is a word of the vocabulary that may stand for a word of the question.
type alt struct {
	word     uint32
	distance uint8
	likeness float32 // 1 for the word itself
}

// correct appends to alts the words at most most slips away from word. Words
// with digits are never corrected: post 7 is not post 9.
func (k *walker) correct(alts []alt, word string, most int) []alt {
	if most == 0 || len(word) > maxFuzzyWord {
		return alts
	}
	for i := 0; i < len(word); i++ {
		if word[i] < 'A' || word[i] > 'Z' {
			return alts
		}
	}
	k.word, k.most, k.visits, k.alts = word, most, 0, alts
	for i := range len(word) + 1 {
		k.rows[0][i] = uint8(i)
	}
	from, to := k.x.lower("A"), uint32(k.x.words)
	k.walk(from, to, 0)
	return k.alts
}

// walk looks at the words from..to, which share their first depth letters.
func (k *walker) walk(from, to uint32, depth int) {
	n := len(k.word)
	if from < to && len(k.x.word(from)) == depth {
		if d := k.rows[depth][n]; d > 0 && int(d) <= k.most {
			k.alts = append(k.alts, alt{from, d, 1 - 0.9*float32(d)/float32(max(n, depth))})
		}
		from++
	}
	if depth >= n+k.most {
		return
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
		if k.step(depth, c) <= k.most {
			k.walk(from, end, depth+1)
		}
		from = end
	}
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

// letter is the letter of a word at depth, 0 when the word is shorter.
func (k *walker) letter(w uint32, depth int) byte {
	if t := k.x.word(w); depth < len(t) {
		return t[depth]
	}
	return 0
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
