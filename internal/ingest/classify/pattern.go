package classify

import (
	_ "embed"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/table"
)

// pattern is a short phrase to look for in a purpose text. It is written as
// words in capitals parted by spaces, each of them a choice:
//
//	CAPITAL CAMPAIGN|PROJECT*    one of two words after CAPITAL; * stands for any ending
//	GENERAL AND? SUPPORT         AND may be missing
//	MATCHING ..2 GIFT*           with up to two words between
//	^ GENERAL $                  nothing before, nothing after
//
// The first word leads the index, so it is neither optional nor a gap, and a stem there has at least four letters.
type pattern struct {
	words    []patternWord
	start    bool // must begin the text
	end      bool // must end it
	exclude  bool // removes its words from the strategy
	plain    bool // the bare word "program", which general support outweighs
	strategy uint8
}

type patternWord struct {
	choices  []wordChoice
	gap      int // up to so many words of any kind, when choices is empty
	optional bool
}

type wordChoice struct {
	word string
	stem bool
}

// match tries the pattern at a word and returns the position after the match.
func (p *pattern) match(t *purposeWords, at int) (end int, ok bool) {
	if p.start && at != 0 {
		return 0, false
	}
	return p.matchRest(t, at, 0)
}

func (p *pattern) matchRest(t *purposeWords, at, k int) (end int, ok bool) {
	if k == len(p.words) {
		return at, !p.end || at == t.n
	}
	q := &p.words[k]
	if q.choices == nil {
		for skip := 0; skip <= q.gap && at+skip <= t.n; skip++ {
			if end, ok = p.matchRest(t, at+skip, k+1); ok {
				return end, true
			}
		}
		return 0, false
	}
	if at < t.n && q.accepts(t.word(at)) {
		if end, ok = p.matchRest(t, at+1, k+1); ok {
			return end, true
		}
	}
	if q.optional {
		return p.matchRest(t, at, k+1)
	}
	return 0, false
}

func (q *patternWord) accepts(w []byte) bool {
	return slices.ContainsFunc(q.choices, func(c wordChoice) bool {
		return (len(w) == len(c.word) || c.stem && len(w) > len(c.word)) && string(w[:len(c.word)]) == c.word
	})
}

// patternIndex maps a word, or the first four letters of a word, to the patterns that may begin there.
type patternIndex struct {
	exact map[string][]*pattern
	stems map[uint32][]*pattern
}

//go:embed support.tsv
var supportText string

var vocabulary = compile(table.Read("support.tsv", supportText, "strategy", "kind", "phrase"))

// compile reads the phrases of every strategy. An invalid phrase is a bug that any test of the package finds.
func compile(rows []table.Row) *patternIndex {
	x := &patternIndex{exact: map[string][]*pattern{}, stems: map[uint32][]*pattern{}}
	for _, r := range rows {
		strategy, ok := grant.ParseSupport(r.Text("strategy"))
		kind := r.Text("kind")
		if !ok || kind != "include" && kind != "plain" && kind != "exclude" {
			r.Fail("no such strategy or kind")
		}
		x.add(r.Text("phrase"), pattern{strategy: bit(strategy), plain: kind == "plain", exclude: kind == "exclude"})
	}
	return x
}

// bit is the position of the only strategy in a set.
func bit(s grant.Support) uint8 { return uint8(bits.TrailingZeros16(uint16(s))) }

func (x *patternIndex) add(src string, p pattern) {
	for _, f := range strings.Fields(src) {
		switch {
		case f == "^":
			p.start = true
		case f == "$":
			p.end = true
		case strings.HasPrefix(f, ".."):
			gap, err := strconv.Atoi(f[2:])
			if err != nil {
				panic("classify: bad gap in pattern " + src)
			}
			p.words = append(p.words, patternWord{gap: gap})
		default:
			p.words = append(p.words, parsePatternWord(f))
		}
	}
	if len(p.words) == 0 || p.words[0].choices == nil || p.words[0].optional {
		panic("classify: pattern does not begin with a word: " + src)
	}
	for _, c := range p.words[0].choices {
		if !c.stem {
			x.exact[c.word] = append(x.exact[c.word], &p)
			continue
		}
		if len(c.word) < 4 {
			panic("classify: stem too short to lead a pattern: " + src)
		}
		key := uint32(c.word[0])<<24 | uint32(c.word[1])<<16 | uint32(c.word[2])<<8 | uint32(c.word[3])
		x.stems[key] = append(x.stems[key], &p)
	}
}

func parsePatternWord(f string) patternWord {
	var q patternWord
	f, q.optional = strings.CutSuffix(f, "?")
	for w := range strings.SplitSeq(f, "|") {
		word, stem := strings.CutSuffix(w, "*")
		q.choices = append(q.choices, wordChoice{word, stem})
	}
	return q
}
