package meaning

import (
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// Tokens with fixed numbers in the vocabulary.
const (
	unknownToken = 100
	beginToken   = 101
	endToken     = 102
	firstWord    = 1996 // "the": from here on, words are in order of frequency
)

const (
	maxWord   = 100 // letters of a word; a longer word is unknown
	maxPieces = 100
)

// tokenizer cuts texts into the word pieces of BERT's uncased vocabulary, after folding to ASCII.
type tokenizer struct {
	text  []string
	index map[string]int32
}

func newTokenizer(vocabulary []string) *tokenizer {
	t := &tokenizer{text: vocabulary, index: make(map[string]int32, len(vocabulary))}
	for i, w := range vocabulary {
		t.index[w] = int32(i)
	}
	return t
}

// clean folds a text to lower-case ASCII, up to the length that orgname folds, and inserts spaces that the filer left out.
func (t *tokenizer) clean(text string) string {
	b := []byte(orgname.Fold(text))
	run := 0
	spaced := true
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
			b[i] = c
		}
		if run++; !isLetter(c) {
			run = 0
		}
		spaced = spaced && run < longWord
	}
	if spaced {
		return string(b)
	}
	return t.space(string(b))
}

// encode appends the tokens of a text between the start and end marks, at most limit in all.
func (t *tokenizer) encode(ids []int32, text string, limit int) []int32 {
	ids = append(ids, beginToken)
	clean := t.clean(text)
	var room [maxPieces]int32
	for i := 0; i < len(clean) && len(ids) < limit-1; {
		begin := i
		for i < len(clean) && (isLetter(clean[i]) || isDigit(clean[i])) {
			i++
		}
		switch {
		case i > begin:
			pieces, ok := t.pieces(room[:0], clean[begin:i])
			if !ok {
				pieces = append(room[:0], unknownToken)
			}
			ids = append(ids, pieces[:min(len(pieces), limit-1-len(ids))]...)
		case clean[i] > ' ' && clean[i] < 0x7f:
			ids = append(ids, t.index[clean[i:i+1]])
			i++
		default:
			i++
		}
	}
	return append(ids, endToken)
}

// pieces appends the longest pieces that make up a word, from its beginning. ok is false if no pieces make up the word.
func (t *tokenizer) pieces(ids []int32, word string) (_ []int32, ok bool) {
	if len(word) > maxWord {
		return ids, false
	}
	var room [maxWord + 2]byte
	room[0], room[1] = '#', '#'
	copy(room[2:], word)
	for begin, end := 0, 0; begin < len(word); begin = end {
		for end = len(word); end > begin; end-- {
			piece := room[2 : 2+end]
			if begin > 0 {
				// The mark of a continuation goes before it and overwrites bytes already read.
				room[begin], room[begin+1] = '#', '#'
				piece = room[begin : 2+end]
			}
			if id, found := t.index[string(piece)]; found {
				ids = append(ids, id)
				break
			}
		}
		if end == begin {
			return ids, false
		}
	}
	return ids, true
}

// longWord is the length from which a word may be several words filed without spaces. A word of two pieces stays one word.
const longWord = 14

// space splits long words where that gives likely words.
func (t *tokenizer) space(clean string) string {
	var b strings.Builder
	for i := 0; i < len(clean); {
		begin := i
		for i < len(clean) && isLetter(clean[i]) {
			i++
		}
		word := clean[begin:i]
		if len(word) >= longWord && !t.whole(word) {
			word = t.cut(word)
		}
		b.WriteString(word)
		for i < len(clean) && !isLetter(clean[i]) {
			b.WriteByte(clean[i])
			i++
		}
	}
	return b.String()
}

func (t *tokenizer) whole(word string) bool {
	var room [maxPieces]int32
	pieces, ok := t.pieces(room[:0], word)
	return ok && len(pieces) <= 2
}

// The cost of a word is the logarithm of its rank, in about sixteenths and the same on every machine, plus a fixed cost per
// word. A letter that belongs to no word costs more.
const (
	wordCost   = 40
	letterCost = 250
	widestWord = 20
	longRow    = 24
)

// shortest are the words of two letters. Other two-letter entries of the vocabulary are usually syllables. So are rare entries
// of three and four letters: commonest has the rank that these must have.
var (
	shortest  = table.SetOf("an as at be by do if in is it my no of on or so to up us we")
	commonest = [...]int{3: 2700, 4: 7500}
)

// cut inserts spaces so that the words are the likeliest. A short run that is not all
// words stays unchanged. So does a long run that is not mostly words.
func (t *tokenizer) cut(letters string) string {
	type step struct {
		cost    int
		begin   int
		strange int // letters in no word
	}
	best := make([]step, len(letters)+1)
	for end := 1; end <= len(letters); end++ {
		s := step{best[end-1].cost + letterCost, end - 1, best[end-1].strange + 1}
		for begin := max(0, end-widestWord); begin < end; begin++ {
			cost, ok := t.cost(letters[begin:end])
			if cost += best[begin].cost; ok && cost < s.cost {
				s = step{cost, begin, best[begin].strange}
			}
		}
		best[end] = s
	}
	if best[len(letters)].strange > max(0, len(letters)-longRow)/5 {
		return letters
	}
	var parts []string
	for end := len(letters); end > 0; end = best[end].begin {
		parts = append(parts, letters[best[end].begin:end])
	}
	slices.Reverse(parts)
	return strings.Join(parts, " ")
}

func (t *tokenizer) cost(word string) (cost int, ok bool) {
	id, known := t.index[word]
	rank := int(id) - firstWord + 1
	switch n := len(word); {
	case !known:
		return 0, false
	case word == "a":
		rank = 8
	case n == 1 || n == 2 && !shortest[word] || rank < 1 || n < len(commonest) && n > 2 && rank > commonest[n]:
		return 0, false
	}
	whole := bits.Len(uint(rank)) - 1
	return wordCost + (16*whole+(rank<<4>>whole)&15)*11/16, true
}
