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

// SupportOf finds the strategies in a purpose text. It finds too many rather than too few. It reads only the first 64 words.
func SupportOf(purpose string) grant.Support {
	var t purposeWords
	t.read(purpose)
	if t.n == 0 {
		return 0
	}
	var (
		hits    [maxHits]hit
		n       int
		barred  [grant.Strategies]uint64 // words that an exclusion removes from a strategy
		prefix4 uint32
	)
	for i := range t.n {
		w := t.word(i)
		for _, p := range vocabulary.exact[string(w)] {
			n = t.try(p, i, hits[:], n, &barred)
		}
		if len(w) < 4 {
			continue
		}
		prefix4 = uint32(w[0])<<24 | uint32(w[1])<<16 | uint32(w[2])<<8 | uint32(w[3])
		for _, p := range vocabulary.stems[prefix4] {
			n = t.try(p, i, hits[:], n, &barred)
		}
	}
	var found grant.Support
	plain := true // the word itself is the only evidence of a program
	for _, h := range hits[:n] {
		if h.words&barred[h.strategy] != 0 {
			continue
		}
		found |= 1 << h.strategy
		if 1<<h.strategy == grant.Program && !h.plain {
			plain = false
		}
	}
	if found&grant.GeneralOperating != 0 && found&grant.Program != 0 && plain {
		// "General operating support for programs" is general support.
		found &^= grant.Program
	}
	return found
}

// maxHits bounds the matches considered in one text; a real text has a handful.
const maxHits = 64

type hit struct {
	words    uint64 // bit per word matched
	strategy uint8
	plain    bool
}

// try matches a pattern at a word and records the outcome.
func (t *purposeWords) try(p *pattern, at int, hits []hit, n int, barred *[grant.Strategies]uint64) int {
	end, ok := p.match(t, at)
	if !ok {
		return n
	}
	span := uint64(1)<<uint(end-at) - 1
	if end-at >= 64 {
		span = ^uint64(0)
	}
	span <<= uint(at)
	if p.exclude {
		barred[p.strategy] |= span
		return n
	}
	if n < len(hits) {
		hits[n] = hit{span, p.strategy, p.plain}
		n++
	}
	return n
}

// purposeWords is a purpose cut into words, without allocating.
type purposeWords struct {
	buf  [768]byte
	ends [64]uint16
	n    int
}

func (t *purposeWords) word(i int) []byte {
	start := uint16(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.buf[start:t.ends[i]]
}

// read splits at everything except letters and digits; an apostrophe joins.
func (t *purposeWords) read(s string) {
	at, start := 0, 0
	for i := 0; i < len(s) && at < len(t.buf); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z':
			t.buf[at] = c - ('a' - 'A')
			at++
		case 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			t.buf[at] = c
			at++
		case c == '\'':
		case at > start:
			t.ends[t.n] = uint16(at)
			if t.n++; t.n == len(t.ends) {
				return
			}
			start = at
		}
	}
	if at > start {
		t.ends[t.n] = uint16(at)
		t.n++
	}
}

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
