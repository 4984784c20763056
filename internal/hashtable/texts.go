package hashtable

import "strings"

// Texts numbers texts in the order first met. The empty text is always number 0.
type Texts struct {
	List []string // by number; empty until a text is numbered
	at   map[string]uint32
}

// Number returns the number of a text. It copies a new text, which may be part of a longer one that is to be freed.
func (t *Texts) Number(s string) uint32 {
	if t.at == nil {
		t.at, t.List = map[string]uint32{"": 0}, []string{""}
	}
	n, ok := t.at[s]
	if !ok {
		n, s = uint32(len(t.List)), strings.Clone(s)
		t.List, t.at[s] = append(t.List, s), n
	}
	return n
}
