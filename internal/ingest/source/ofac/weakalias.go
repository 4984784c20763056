package ofac

import "strings"

// appendWeak adds the aliases that remarks state. Remarks are items between
// semicolons with a period at the end; an alias is an item such as
//
//	a.k.a. 'PEOPLE'S ARMY'
//
// Names may contain apostrophes, so the name ends at the first apostrophe that
// ends its item. A name without an end was cut off with the remarks and is
// ignored.
func appendWeak(list []Alias, remarks string) []Alias {
	for rest := remarks; rest != ""; {
		quoted, ok := cutAlias(rest)
		if !ok {
			_, rest, _ = strings.Cut(rest, ";")
			rest = strings.TrimLeft(rest, " ")
			continue
		}
		n := nameEnd(quoted)
		if n < 0 {
			return list
		}
		if name := bare(quoted[:n]); name != "" {
			list = append(list, Alias{Type: Weak, Name: name})
		}
		rest = strings.TrimLeft(quoted[n+1:], "; ")
	}
	return list
}

// cutAlias removes the introduction of an alias: also, formerly or now known
// as, and the opening quote.
func cutAlias(item string) (quoted string, ok bool) {
	for _, intro := range [...]string{"a.k.a. '", "f.k.a. '", "n.k.a. '"} {
		if len(item) > len(intro) && strings.EqualFold(item[:len(intro)], intro) {
			return item[len(intro):], true
		}
	}
	return "", false
}

// nameEnd returns the index of the quote that closes the name s begins with, or
// -1.
func nameEnd(s string) int {
	for i := range len(s) {
		if s[i] != '\'' {
			continue
		}
		if after := strings.TrimLeft(s[i+1:], " "); after == "" || after == "." || after[0] == ';' {
			return i
		}
	}
	return -1
}

// bare removes a second pair of quotes, which some names have.
func bare(name string) string {
	name = strings.TrimSpace(name)
	if len(name) > 2 && name[0] == '\'' && name[len(name)-1] == '\'' {
		name = strings.TrimSpace(name[1 : len(name)-1])
	}
	return name
}
