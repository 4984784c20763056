package classify

// Support is the set of support strategies a purpose text describes. The bits
// are in published order and never change meaning: they are stored.
type Support uint16

// The strategies.
const (
	GeneralOperating Support = 1 << iota
	Program
	Capital
	Endowment
	Scholarship
	Fellowship
	Research
	CapacityBuilding
	Matching
	EmergencyRelief
	Equipment
	Sponsorship
)

// strategies is the number of them.
const strategies = 12

var supportIDs = [strategies]string{
	"general_operating", "program", "capital", "endowment", "scholarship", "fellowship",
	"research", "capacity_building", "matching", "emergency_relief", "equipment", "sponsorship",
}

var supportLabels = [strategies]string{
	"General operating support", "Program support", "Capital support", "Endowment", "Scholarships and student aid",
	"Fellowships and prizes", "Research", "Capacity building", "Matching and challenge grants",
	"Emergency and disaster relief", "Equipment and technology", "Sponsorship and events",
}

// Supports lists every strategy in published order.
func Supports() []Support {
	all := make([]Support, strategies)
	for i := range all {
		all[i] = 1 << i
	}
	return all
}

// ParseSupport reads one strategy's id.
func ParseSupport(id string) (Support, bool) {
	for i, s := range supportIDs {
		if s == id {
			return 1 << i, true
		}
	}
	return 0, false
}

// IDs lists the ids of the set, in published order. It is never nil, so that
// it is written as an empty list.
func (s Support) IDs() []string {
	ids := []string{}
	for i, id := range supportIDs {
		if s&(1<<i) != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// Label is the text for people of a set of one strategy; empty for any other.
func (s Support) Label() string {
	for i := range strategies {
		if s == 1<<i {
			return supportLabels[i]
		}
	}
	return ""
}

// SupportOf reads the strategies out of a purpose text. It leans towards
// finding too many rather than too few. Only the first 64 words are read.
func SupportOf(purpose string) Support {
	var t text
	t.read(purpose)
	if t.n == 0 {
		return 0
	}
	var (
		hits    [maxHits]hit
		n       int
		barred  [strategies]uint64 // words that an exclusion takes away from a strategy
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
	var found Support
	plain := true // the only sign of a program is the word itself
	for _, h := range hits[:n] {
		if h.words&barred[h.strategy] != 0 {
			continue
		}
		found |= 1 << h.strategy
		if 1<<h.strategy == Program && !h.plain {
			plain = false
		}
	}
	if found&GeneralOperating != 0 && found&Program != 0 && plain {
		// "General operating support for programs" is general support.
		found &^= Program
	}
	return found
}

// maxHits bounds the matches looked at in one text; a real one has a handful.
const maxHits = 64

// hit is one match of a pattern.
type hit struct {
	words    uint64 // bit per word matched
	strategy uint8
	plain    bool
}

// try matches a pattern at a word and records the outcome.
func (t *text) try(p *pattern, at int, hits []hit, n int, barred *[strategies]uint64) int {
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

// text is a purpose cut into words, without allocating.
type text struct {
	buf  [768]byte
	ends [64]uint16
	n    int
}

func (t *text) word(i int) []byte {
	start := uint16(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.buf[start:t.ends[i]]
}

// read cuts at everything but letters and digits; an apostrophe joins.
func (t *text) read(s string) {
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
