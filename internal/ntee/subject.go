package ntee

import (
	_ "embed"
	"fmt"
	"math/bits"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/table"
)

// Kind tells how an item of a subject was understood.
type Kind uint8

// The kinds, in the order in which they are tried.
const (
	Major  Kind = iota + 1 // one letter: "B"
	Prefix                 // a code or its beginning: "B4", "B42", "B42Z"
	Cause                  // the label of a cause or of a group of causes
)

// Item is one understood part of a subject.
type Item struct {
	Text   string // as asked, trimmed
	Kind   Kind
	Majors uint32 // bit per letter, A lowest; for Major and Cause
	Prefix Code   // for Prefix
}

// Subject is a parsed subject filter. A recipient matches if any item matches. Unknown lists the parts that mean nothing.
type Subject struct {
	Items   []Item
	Unknown []string
}

// ProprietaryError says that a value has the shape of a code from a taxonomy that is not public. ParseSubject then refuses the
// whole filter, because an answer to the rest of the filter would look like an answer to all of it.
type ProprietaryError struct{ Value string }

// Error says what was refused and what to send instead.
func (e *ProprietaryError) Error() string {
	return fmt.Sprintf("%q looks like a code of a proprietary taxonomy, which this service does not use; "+
		"give an NTEE letter (B), an NTEE code (B42) or a cause (Education)", e.Value)
}

const maxSubject = 4096

// maxCommas is how many commas the label with the most of them has.
const maxCommas = 3

// ParseSubject reads a comma-separated list of major letters, NTEE codes or
// their beginnings, and causes. The only error is a *ProprietaryError; a part
// that means nothing is listed in Unknown for the caller to warn about.
func ParseSubject(s string) (Subject, error) {
	var sub Subject
	if len(s) > maxSubject {
		sub.Unknown = append(sub.Unknown, fault.Clip(s, 40))
		return sub, nil
	}
	parts := strings.Split(s, ",")
	for len(parts) > 0 {
		// A published label may itself hold commas: "Arts, Culture & Humanities".
		n := min(len(parts), maxCommas+1)
		for ; n > 1; n-- {
			label := strings.Join(parts[:n], ",")
			if m := causes[foldLabel(label)]; m != 0 {
				sub.Items = append(sub.Items, Item{Text: strings.TrimSpace(label), Kind: Cause, Majors: m})
				break
			}
		}
		part := strings.TrimSpace(parts[0])
		parts = parts[n:]
		if n > 1 || part == "" {
			continue
		}
		item, ok, err := parseItem(part)
		switch {
		case err != nil:
			return Subject{}, err
		case ok:
			sub.Items = append(sub.Items, item)
		default:
			sub.Unknown = append(sub.Unknown, part)
		}
	}
	return sub, nil
}

// NotApplied says that a text is no cause, and which code it may mean.
func NotApplied(text string) string {
	reason := fmt.Sprintf("%q is no NTEE letter, code or cause label, so it was not applied.", fault.Clip(text, 60))
	if likely := Like(text); len(likely) > 0 {
		reason += fmt.Sprintf(" %s is %s.", likely[0].Code, likely[0].Title)
	}
	return reason
}

// parseItem reads one part. It tests in a fixed order, so that a code is never read as a label nor a label as a code.
func parseItem(part string) (item Item, ok bool, err error) {
	item.Text = part
	up := strings.ToUpper(part)
	switch {
	case len(up) == 1 && letter(up[0]):
		item.Kind, item.Majors = Major, 1<<(up[0]-'A')
	case codeShape(up):
		item.Kind, item.Prefix = Prefix, Code(up)
	case proprietary(up):
		return Item{}, false, &ProprietaryError{part}
	default:
		item.Kind, item.Majors = Cause, causes[foldLabel(part)]
		if item.Majors == 0 {
			return Item{}, false, nil
		}
	}
	return item, true, nil
}

// SubjectName is what people call the only cause of a subject, or the subject itself if it has none or several.
func SubjectName(text string) string {
	s, err := ParseSubject(text)
	if err != nil || len(s.Items) != 1 {
		return text
	}
	return s.Items[0].Name()
}

// Name is what people call a cause. The code of a group, which covers all codes below it, has the name of its first code.
func (i *Item) Name() string {
	code := i.Prefix
	if len(code) == 2 && Listed(code+"0") {
		code += "0"
	}
	switch {
	case i.Kind == Prefix && Title(code) != "":
		return Title(code) + " (" + string(i.Prefix) + ")"
	case i.Kind == Prefix:
		return "NTEE " + string(i.Prefix)
	case bits.OnesCount32(i.Majors) == 1:
		return Label('A' + byte(bits.TrailingZeros32(i.Majors)))
	}
	return strings.ToUpper(i.Text[:1]) + i.Text[1:]
}

// Empty reports whether no item was understood, so that the filter could not be applied.
func (s *Subject) Empty() bool { return len(s.Items) == 0 }

// Matches reports whether a recipient with this code is asked for. A recipient without a code never is.
func (s *Subject) Matches(c Code) bool {
	m := c.Major()
	if m == 0 {
		return false
	}
	for i := range s.Items {
		it := &s.Items[i]
		if it.Kind == Prefix {
			if strings.HasPrefix(string(c), string(it.Prefix)) {
				return true
			}
		} else if it.Majors>>(m-'A')&1 != 0 {
			return true
		}
	}
	return false
}

// codeShape reports whether s is a code or a decile: a letter and a digit, then up to two letters or digits. The second
// character is always a digit in NTEE (A6B is a real code), which keeps codes apart from proprietary ones.
func codeShape(s string) bool {
	return len(s) >= 2 && len(s) <= 4 && letter(s[0]) && digit(s[1]) && strings.Trim(s[2:], letters+digits) == ""
}

// proprietary reports whether s has the shape of a code of the known proprietary taxonomy: two letters, alone or with an even
// number of digits (or five, a code cut short).
func proprietary(s string) bool {
	n := len(s) - 2
	return n >= 0 && letter(s[0]) && letter(s[1]) && strings.Trim(s[2:], digits) == "" && (n%2 == 0 || n == 5)
}

const letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"

func letter(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// foldLabel brings a label to the form of the causes table: capitals, AND for "&", every other sign a space, single spaces.
func foldLabel(s string) string {
	b := make([]byte, 0, len(s)+8)
	gap := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		case !letter(c) && !digit(c):
			if gap = true; c == '&' {
				b = append(b, " AND"...)
			}
			continue
		}
		if gap && len(b) > 0 {
			b = append(b, ' ')
		}
		gap = false
		b = append(b, c)
	}
	return strings.TrimSpace(string(b))
}

//go:embed causes.tsv
var causesText string

// causes maps folded labels to major letters: the 26 labels, the three groups, the long labels of the published taxonomy, and a
// fixed list of synonyms. A text that is not in the list is no cause.
var causes = func() map[string]uint32 {
	m := make(map[string]uint32, 128)
	for i, l := range labels {
		m[foldLabel(l)] = 1 << i
	}
	for _, r := range table.Read("causes.tsv", causesText, "letters", "name") {
		var bits uint32
		for _, c := range []byte(r.Text("letters")) {
			bits |= 1 << (c - 'A')
		}
		m[foldLabel(r.Text("name"))] = bits
	}
	return m
}()
