package area

import "slices"

// textWords are the words of a text in capitals, one space apart, so that a phrase is a piece of one string.
type textWords struct {
	buf   []byte
	text  string
	list  []textWord
	mixed bool // the text has lower-case letters, so capitals are meaningful
}

type textWord struct {
	from, to int32
	capital  bool
	begins   bool // the first word of a sentence
	comma    bool // preceded by a comma
}

// maxText bounds what is read of one text.
const maxText = 4000

// read parses a text and replaces the previous one.
func (t *textWords) read(s string) {
	if len(s) > maxText {
		s = s[:maxText]
	}
	t.buf, t.list, t.mixed = t.buf[:0], t.list[:0], false
	begins, comma := true, false
	for i := 0; i < len(s); {
		c := s[i]
		if !letter(c) {
			switch c {
			case '.', ';', '!', '?', '\n':
				// A dot inside an abbreviation does not end a sentence.
				if c != '.' || len(t.list) == 0 || t.list[len(t.list)-1].to-t.list[len(t.list)-1].from > 2 {
					begins = true
				}
			case ',':
				comma = true
			}
			i++
			continue
		}
		from := len(t.buf)
		w := textWord{from: int32(from), capital: c >= 'A' && c <= 'Z', begins: begins, comma: comma}
		for ; i < len(s) && (letter(s[i]) || s[i] == '\'' || s[i] == '`'); i++ {
			switch c := s[i]; {
			case c >= 'a' && c <= 'z':
				t.mixed = true
				t.buf = append(t.buf, c-('a'-'A'))
			case c != '\'' && c != '`':
				t.buf = append(t.buf, c)
			}
		}
		switch string(t.buf[from:]) {
		case "ST":
			t.buf = append(t.buf[:from], "SAINT"...)
		case "MT":
			t.buf = append(t.buf[:from], "MOUNT"...)
		case "FT":
			t.buf = append(t.buf[:from], "FORT"...)
		}
		w.to = int32(len(t.buf))
		t.buf = append(t.buf, ' ')
		t.list = append(t.list, w)
		begins, comma = false, false
	}
	t.text = string(t.buf)
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '&' || c >= 0x80
}

// word is the i-th word, empty beyond the ends.
func (t *textWords) word(i int) string {
	if i < 0 || i >= len(t.list) {
		return ""
	}
	return t.text[t.list[i].from:t.list[i].to]
}

// phrase is n words starting at i; empty if there are fewer.
func (t *textWords) phrase(i, n int) string {
	if i < 0 || n <= 0 || i+n > len(t.list) {
		return ""
	}
	return t.text[t.list[i].from:t.list[i+n-1].to]
}

// proper reports whether n words starting at i may be a name: they begin with capitals, if capitals are meaningful in the text.
func (t *textWords) proper(i, n int) bool {
	return !t.mixed || !slices.ContainsFunc(t.list[i:i+n], func(w textWord) bool { return !w.capital })
}
