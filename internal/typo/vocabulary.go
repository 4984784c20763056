package typo

import (
	"slices"
	"sort"
	"strings"

	"grantgraph/internal/radix"
)

// Vocabulary is a list of distinct words in byte order.
type Vocabulary struct {
	Start     []uint32 // where each word begins in Text, and where the last ends
	Text      []byte
	Backwards []uint32 // the words in the order of their letters read backwards
}

// VocabularyOf makes a vocabulary of distinct words. numbers has the number of each word in it.
func VocabularyOf(words []string) (v Vocabulary, numbers []uint32) {
	order := radix.OrderTexts(words)
	numbers = make([]uint32, len(order))
	for i, no := range order {
		numbers[no] = uint32(i)
		v.Start = append(v.Start, uint32(len(v.Text)))
		v.Text = append(v.Text, words[no]...)
	}
	v.Start = append(v.Start, uint32(len(v.Text)))
	v.Backwards = make([]uint32, len(order))
	for i := range v.Backwards {
		v.Backwards[i] = uint32(i)
	}
	slices.SortFunc(v.Backwards, func(a, b uint32) int { return compareBackwards(v.Word(a), v.Word(b)) })
	return v, numbers
}

func (v *Vocabulary) Len() int { return max(0, len(v.Start)-1) }

func (v *Vocabulary) Word(i uint32) []byte { return v.Text[v.Start[i]:v.Start[i+1]] }

// Lower is the first word that is not less than w.
func (v *Vocabulary) Lower(w string) uint32 {
	return uint32(sort.Search(v.Len(), func(i int) bool { return string(v.Word(uint32(i))) >= w }))
}

func (v *Vocabulary) Find(w string) (uint32, bool) {
	i := v.Lower(w)
	return i, int(i) < v.Len() && string(v.Word(i)) == w
}

// compareBackwards orders words by their last letter, then the one before it.
func compareBackwards(a, b []byte) int {
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if a[i] != b[j] {
			return int(a[i]) - int(b[j])
		}
	}
	return len(a) - len(b)
}

// Misspelled words are found by walking the vocabulary as a tree: it is in byte order, so the words that share a beginning
// stand together and a whole branch is left out as soon as its beginning is further from the word than allowed. The distance is
// Damerau's: a letter more, less, other, or two neighbours swapped.
//
// Near its root the tree is wide, and a walk that may go wrong there visits most of it. But one slip leaves the first half of a
// word or the second as it was, and of two slips, when both are in one half, the other half is as it was. So there are two
// walks, from the front and, in the order of the words read backwards, from the back, and each allows fewer slips in the half
// it begins with.

// MaxWord is the length of the longest word that is corrected.
const MaxWord = 24

const maxVisits = 20_000 // branches looked at for one word

// Walker finds the words of a vocabulary that a misspelled word may mean. It is for one goroutine at a time.
type Walker struct {
	Vocabulary Vocabulary
	Visits     int // branches that the latest walk looked at

	back  bool   // words are read backwards
	word  string // what was typed, in the direction of the walk
	most  int    // slips allowed
	early int    // of them, in the first half letters
	half  int
	found []Near
	path  [MaxWord + 3]byte
	rows  [MaxWord + 4][MaxWord + 2]uint8
}

// Near is a word of a vocabulary that is a few slips away from another word.
type Near struct {
	Word     uint32
	Distance uint8
}

// Correct appends to list the words at most most slips away from word, some of them
// twice. Words with digits are never corrected: post 7 is not post 9.
func (k *Walker) Correct(list []Near, word string, most int) []Near {
	k.Visits = 0
	if most == 0 || len(word) > MaxWord || strings.ContainsFunc(word, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		return list
	}
	for i := range len(word) + 1 {
		k.rows[0][i] = uint8(i)
	}
	k.most, k.found = most, list
	n := len(word)
	k.word, k.back, k.early, k.half = word, false, most-1, n/2-(most-1)
	k.walk(k.Vocabulary.Lower("A"), uint32(k.Vocabulary.Len()), 0)
	// Two neighbours swapped across the middle belong to neither half, and a slip
	// before them moves the middle. So the halves do not touch.
	var reversed [MaxWord]byte
	for i := range n {
		reversed[i] = word[n-1-i]
	}
	k.word, k.back, k.early, k.half = string(reversed[:n]), true, 0, n-n/2-1
	k.walk(0, uint32(k.Vocabulary.Len()), 0)
	return k.found
}

// walk looks at the words from..to, which share their first depth letters.
func (k *Walker) walk(from, to uint32, depth int) {
	n := len(k.word)
	for ; from < to && k.letter(from, depth) == 0; from++ {
		if d := k.rows[depth][n]; d > 0 && int(d) <= k.most {
			if w := k.at(from); int(w) < k.Vocabulary.Len() && k.Vocabulary.Word(w)[0] >= 'A' {
				k.found = append(k.found, Near{w, d})
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
		if k.Visits++; k.Visits > maxVisits {
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
func (k *Walker) at(i uint32) uint32 {
	if k.back {
		return k.Vocabulary.Backwards[i]
	}
	return i
}

// branch is the end of the words in from..to that have c at depth.
func (k *Walker) branch(from, to uint32, depth int, c byte) uint32 {
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

// letter is the letter at depth of the word at position i in the order of the walk, or 0 if the word is shorter.
func (k *Walker) letter(i uint32, depth int) byte {
	w := k.at(i)
	if int(w) >= k.Vocabulary.Len() {
		return 0
	}
	t := k.Vocabulary.Word(w)
	switch {
	case depth >= len(t):
		return 0
	case k.back:
		return t[len(t)-1-depth]
	}
	return t[depth]
}

// step computes the row of distances after the letter c and returns the least distance in it.
func (k *Walker) step(depth int, c byte) int {
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
