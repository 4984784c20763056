package classify

import "grantgraph/internal/grant"

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
