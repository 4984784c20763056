package orgname

import (
	"bytes"
	"slices"
	"strings"
)

// A line may name a project that is no organization, together with its fiscal sponsor: "Blue Lantern, a project of Elm Center".
// This file finds the phrases that say so. The keys of the name keep the phrase, because some organizations have one in their
// registered name.

// textEdges are what is trimmed from the ends of a text taken out of a name.
const textEdges = " .,:;-\"'/"

// sponsor finds the text of who holds the money among the words of the name, empty when no phrase says so.
func (sc *scratch) sponsor(toks []token) string {
	for i := range toks {
		if toks[i].class&holder == 0 {
			continue
		}
		if after := heldAfter(toks, i); after > 0 {
			if s := sc.textFrom(toks, after); s != "" {
				return s
			}
		}
	}
	return ""
}

// heldAfter is the position of the first word after a sponsor phrase that begins at
// toks[i], or 0 if no such phrase begins there.
func heldAfter(toks []token, i int) int {
	before := func(back int, want ...string) bool {
		return i >= back && slices.Contains(want, string(toks[i-back].b))
	}
	switch string(toks[i].b) {
	case "PROJECT", "PROGRAM", "INITIATIVE", "DIVISION":
		// "The Jail Project of Ohio" is a name; a project is one, or stands apart.
		if follows(toks, i, "OF") && i > 0 && (before(1, "A", "AN") && i > 1 || toks[i].sep != 0) {
			return i + 2
		}
	case "SPONSORED":
		if follows(toks, i, "BY") {
			return i + 2
		}
	case "SPONSOR", "AGENT":
		if before(1, "FISCAL") && i > 1 && !follows(toks, i, "FOR") {
			return i + 1
		}
	case "SPONSORSHIP":
		if before(1, "FISCAL") && follows(toks, i, "OF") {
			return i + 2
		}
	}
	return 0
}

// textFrom is the folded text from toks[i] to the end or to the next parenthesis, when it has two letters or more.
func (sc *scratch) textFrom(toks []token, i int) string {
	if i >= len(toks) {
		return ""
	}
	text := sc.folded[toks[i].from:]
	if p := bytes.IndexByte(text, '('); p >= 0 {
		text = text[:p]
	}
	return tidy(text)
}

// sponsorIn finds the sponsor in a folded text that stood in parentheses.
func sponsorIn(text string) string {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	// What the parentheses stand behind is the project.
	sc.folded = append(append(sc.folded[:0], "X, "...), text...)
	sc.tokenize(0, len(sc.folded))
	return sc.sponsor(sc.toks)
}

// handlerOf is the person or organization that a care-of line names.
func handlerOf(line string) string {
	folded := strings.TrimSpace(Fold(line))
	for _, p := range [...]string{"%", "C/O", "C\\O", "IN CARE OF", "CARE OF", "ATTN", "ATTENTION"} {
		if rest, ok := strings.CutPrefix(folded, p); ok {
			rest, _, _ = strings.Cut(rest, "(")
			return tidy([]byte(rest))
		}
	}
	return ""
}
