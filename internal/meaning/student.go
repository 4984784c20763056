package meaning

// student holds the vectors of terms. A term is a word, a pair of adjacent words
// ("food_bank"), or a piece of an unknown word (after PieceMark).
type student struct {
	mean    Vector // of the teacher's vectors
	index   map[string]int32
	scale   []float32
	vectors []int8
}

// PieceMark begins a piece of a word, so that no piece equals a word.
const PieceMark = "\x01"

func (m *Model) Gist(text string) Vector {
	var sum Vector
	s := m.student
	m.EachTerm(text, func(term []byte) bool {
		i, known := s.index[string(term)]
		if known {
			m.kernels.addTerm(sum[:], s.vectors[int(i)*Dim:][:Dim], s.scale[i])
		}
		return known
	})
	return sum.unit()
}

// EachTerm calls take for each term of a text: its words, the pieces of words that
// take does not know, and pairs of neighbors. A term is valid only during the call.
func (m *Model) EachTerm(text string, take func(term []byte) (known bool)) {
	clean := m.tokens.clean(text)
	var room [256]byte
	term := room[:0]
	last := ""
	for n := 0; n < gistWords; n++ {
		var word string
		if word, clean = nextWord(clean); word == "" {
			return
		}
		if term = append(term[:0], word...); !take(term) {
			m.eachPiece(word, term, take)
		}
		if last != "" {
			term = append(append(append(term[:0], last...), '_'), word...)
			take(term)
		}
		last = word
	}
}

// Vocabulary is the words and word pieces of gte-small. The caller must not change it.
func (m *Model) Vocabulary() []string { return m.tokens.text }

func (m *Model) eachPiece(word string, term []byte, take func(term []byte) bool) {
	var room [maxPieces]int32
	pieces, ok := m.tokens.pieces(room[:0], word)
	if !ok {
		return
	}
	for _, id := range pieces {
		term = append(append(term[:0], PieceMark...), m.tokens.text[id]...)
		take(term)
	}
}

// nextWord splits a cleaned text into its first word and the rest. A word is letters with apostrophes between them, or digits.
func nextWord(clean string) (word, rest string) {
	begin := 0
	for begin < len(clean) && !isLetter(clean[begin]) && !isDigit(clean[begin]) {
		begin++
	}
	end := begin
	for ; end < len(clean); end++ {
		c := clean[end]
		letter := isLetter(clean[begin]) && (isLetter(c) || c == '\'' && end+1 < len(clean) && isLetter(clean[end+1]))
		if !letter && (!isDigit(c) || !isDigit(clean[begin])) {
			break
		}
	}
	return clean[begin:end], clean[end:]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
