package meaning

// student is the vectors of terms. A term is a word, two words that stand
// together ("food_bank"), or a piece of a word that is not known as a whole
// (after pieceMark).
type student struct {
	mean    Vector // of the teacher's vectors
	index   map[string]int32
	scale   []float32
	vectors []int8
}

// pieceMark begins a piece of a word, so that it is no word.
const pieceMark = "\x01"

func (s *student) add(sum *Vector, term int32) {
	scale := s.scale[term]
	for i, v := range s.vectors[int(term)*Dim:][:Dim] {
		sum[i] += float32(scale * float32(v))
	}
}

// Words are the words of a text as the student reads them: letters with the
// apostrophes between them, or digits; at most gistWords.
func (m *Model) Words(text string) []string {
	return words(m.tokens.clean(text), gistWords)
}

func words(clean string, limit int) (list []string) {
	for i := 0; i < len(clean) && len(list) < limit; {
		c := clean[i]
		begin := i
		switch {
		case isLetter(c):
			for i < len(clean) && (isLetter(clean[i]) || clean[i] == '\'' && i+1 < len(clean) && isLetter(clean[i+1])) {
				i++
			}
		case isDigit(c):
			for i < len(clean) && isDigit(clean[i]) {
				i++
			}
		default:
			i++
			continue
		}
		list = append(list, clean[begin:i])
	}
	return list
}

// Terms are what the student knows a text by: its words, the pieces of those it
// does not know, and pairs of neighbours.
func (m *Model) Terms(text string) []string {
	list := m.Words(text)
	terms := make([]string, 0, 2*len(list))
	for i, w := range list {
		if _, known := m.student.index[w]; known {
			terms = append(terms, w)
		} else {
			terms = m.Pieces(terms, w)
		}
		if i > 0 {
			terms = append(terms, list[i-1]+"_"+w)
		}
	}
	return terms
}

// Pieces appends the terms that stand for a word which is not a term itself.
func (m *Model) Pieces(terms []string, word string) []string {
	var room [maxPieces]int32
	ids, ok := m.tokens.pieces(room[:0], word)
	if !ok {
		return terms
	}
	for _, id := range ids {
		terms = append(terms, pieceMark+m.tokens.text[id])
	}
	return terms
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
