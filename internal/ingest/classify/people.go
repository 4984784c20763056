package classify

import (
	"math"
	"slices"
	"strings"

	"grantgraph/internal/hash"
)

// slots is the size of the feature table, a power of two. Features are hashed into the table, so training takes a
// fixed amount of memory.
const slots = 1 << 22

// Trainer learns what persons' names look like from the officers in the filings, and what organizations' names look
// like from the register. The order of names does not matter.
type Trainer struct {
	person, org []uint32
	kinds       []uint8 // families seen in each slot, one bit each
	words       [2]uint64
	names       [2]uint64
}

// The families of features. Counts are compared within a family, because names have different numbers of features in
// some families.
const (
	wordFeature   = iota // a word, anywhere
	edgeFeature          // the first word or the last: surnames stand at either end
	endingFeature        // the last three letters of a word
	countFeature         // how many words
	shapeFeature         // initials, digits, one-letter words
	families
)

// Classes of names.
const (
	asPerson = iota
	asOrg
)

func NewTrainer() *Trainer {
	return &Trainer{person: make([]uint32, slots), org: make([]uint32, slots), kinds: make([]uint8, slots)}
}

func (t *Trainer) AddPerson(name string) { t.add(name, t.person, asPerson) }

func (t *Trainer) AddOrg(name string) { t.add(name, t.org, asOrg) }

func (t *Trainer) add(name string, counts []uint32, class int) {
	var f features
	if f.extract(name); f.n == 0 {
		return
	}
	t.names[class]++
	t.words[class] += uint64(f.words)
	for _, x := range f.list[:f.n] {
		if counts[x.slot] < math.MaxUint32 {
			counts[x.slot]++
		}
		t.kinds[x.slot] |= 1 << x.family
	}
}

func (t *Trainer) Train() *People {
	p := &People{odds: make([]float32, slots), seen: make([]bool, slots), orgWord: make([]bool, slots)}
	if t.names[asPerson] == 0 || t.names[asOrg] == 0 {
		return p
	}
	// A word belongs to organizations if one name in five hundred has it, and it is two hundred times as frequent
	// there as in persons' names.
	usual := max(8, t.names[asOrg]/500)
	np, no := float64(t.names[asPerson]), float64(t.names[asOrg])
	var once [2]float64 // words seen once, and of these, in that class
	for i := range slots {
		cp, co := float64(t.person[i]), float64(t.org[i])
		if cp+co == 0 {
			continue
		}
		p.seen[i] = cp+co >= 3
		if cp+co == 1 && t.kinds[i] == 1<<wordFeature {
			once[asPerson] += cp
			once[asOrg] += co
		}
		// Rates per name, smoothed toward each other, because a feature seen once says little.
		p.odds[i] = float32(math.Log((cp + 0.5) / (np + 1) * (no + 1) / (co + 0.5)))
		p.orgWord[i] = uint64(t.org[i]) >= usual && cp/np <= 0.005*(cp/np+co/no)
	}
	// The probability of a new word in each class is estimated from the words seen just once. It is higher for
	// persons because of rare surnames.
	p.unseen = math.Log((once[asPerson] + 0.5) / float64(t.words[asPerson]) * float64(t.words[asOrg]) / (once[asOrg] + 0.5))
	p.trained = true
	return p
}

// People distinguishes the names of persons from those of organizations. It does not change and is safe for concurrent use.
type People struct {
	odds    []float32
	seen    []bool // seen often enough to be trusted by itself
	orgWord []bool
	unseen  float64 // the odds for a word not seen in training
	trained bool
}

// The weight of each family. The features of a name are not independent, and a plain sum would count the same fact
// several times.
var familyWeight = [families]float64{
	wordFeature: 0.8, edgeFeature: 0.5, endingFeature: 0.35, countFeature: 1, shapeFeature: 1,
}

// maxOdds bounds the influence of one feature, so that one odd word cannot outweigh a whole name.
const maxOdds = 6

// maxUnseen bounds the influence of a word not seen in training.
const maxUnseen = 2

// LogOdds is the natural logarithm of the odds that a name is a person's, if both kinds are equally likely
// beforehand. It is 0, "cannot say", for a name without letters or an untrained classifier.
func (p *People) LogOdds(name string) float64 {
	if p == nil || !p.trained {
		return 0
	}
	var f features
	f.extract(name)
	sum := 0.0
	for i, x := range f.list[:f.n] {
		odds := float64(p.odds[x.slot])
		switch x.family {
		case wordFeature, edgeFeature:
			if !p.seen[x.slot] {
				if x.family != wordFeature {
					continue
				}
				odds = max(-maxUnseen, min(maxUnseen, p.unseen))
			}
		case endingFeature:
			// The ending counts only if its word is unknown. It follows its word in the list.
			if p.seen[f.list[i-1].slot] {
				continue
			}
		}
		sum += familyWeight[x.family] * max(-maxOdds, min(maxOdds, odds))
	}
	return sum
}

// Personal reports whether a name has the form of a person's: a known given name, one to three other words, and no
// word that indicates an organization. Use it for lines that mostly do not name persons.
func (p *People) Personal(name string) bool {
	if p == nil || !p.trained || strings.ContainsAny(name, "&/@") {
		return false
	}
	var f features
	f.extract(name)
	if f.words < 2 || f.words > 4 || !strings.ContainsAny(strings.TrimSpace(name), " ,") {
		return false
	}
	given := 0
	if comma := strings.IndexByte(name, ','); comma > 0 { // surname, given names
		given = min(len(strings.Fields(name[:comma])), f.words-1)
	}
	word := 0
	for _, x := range f.list[:f.n] {
		if x.family != wordFeature {
			continue
		}
		w := f.word(word)
		odds := p.odds[x.slot]
		switch {
		case w[0] == '#', legalForms[string(w)]:
			return false
		case word == given && (len(w) < 3 || !p.seen[x.slot] || odds < givenOdds):
			return false
		case len(w) > 1 && p.seen[x.slot] && odds < 0:
			return false
		}
		word++
	}
	return true
}

// givenOdds is the least odds for a person that make a word a given name.
const givenOdds = 1.5

// legalForms end the names of businesses and foreign bodies.
var legalForms = wordSets.Of("legal_forms")

// HasOrgWord reports whether a name contains a word that practically only organizations have: one from training, or
// one of a few fixed words.
func (p *People) HasOrgWord(name string) bool {
	var f features
	f.extract(name)
	for i := range f.words {
		if orgWords[string(f.word(i))] {
			return true
		}
	}
	if p == nil || !p.trained {
		return false
	}
	return slices.ContainsFunc(f.list[:f.n], func(x feature) bool { return x.family == wordFeature && p.orgWord[x.slot] })
}

// orgWords need no training. They also help a build whose register is small.
var orgWords = wordSets.Of("org_words")

// features of one name, found without allocating.
type features struct {
	text  [256]byte
	ends  [24]uint16 // end of each word in text; words are adjacent
	words int
	list  [2*24 + 8]feature
	n     int
}

type feature struct {
	slot   uint32
	family uint8
}

func (f *features) word(i int) []byte {
	start := uint16(0)
	if i > 0 {
		start = f.ends[i-1]
	}
	return f.text[start:f.ends[i]]
}

// extract reads the words of a name: letters in capitals; a run of digits becomes the word #. It ignores words beyond
// the limits.
func (f *features) extract(name string) {
	f.words, f.n = 0, 0
	at, start := 0, 0
	initials, digits := 0, 0
	flush := func() {
		if at > start && f.words < len(f.ends) {
			f.ends[f.words] = uint16(at)
			f.words++
			switch {
			case f.text[start] == '#':
				digits++
			case at == start+1:
				initials++
			}
		}
		start = at
	}
	for i := 0; i < len(name) && at < len(f.text)-1 && f.words < len(f.ends); i++ {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
			fallthrough
		case 'A' <= c && c <= 'Z':
			if at > start && f.text[start] == '#' {
				flush()
			}
			f.text[at] = c
			at++
		case c == '\'':
		case '0' <= c && c <= '9':
			if at == start {
				f.text[at] = '#'
				at++
			}
		case c >= 0x80:
			// A letter of another alphabet stays part of its word.
			f.text[at] = c
			at++
		default:
			flush()
		}
	}
	flush()
	if f.words == 0 {
		return
	}
	for i := range f.words {
		w := f.word(i)
		f.put(wordFeature, w)
		f.put(endingFeature, w[max(0, len(w)-3):])
	}
	f.put(edgeFeature, f.word(0))
	f.put(edgeFeature, f.word(f.words-1))
	f.put(countFeature, []byte{byte(min(f.words, 8))})
	f.put(shapeFeature, []byte{'i', byte(min(initials, 3))})
	f.put(shapeFeature, []byte{'d', byte(min(digits, 2))})
}

func (f *features) put(family uint8, text []byte) {
	h := hash.Add(hash.Start^uint64(family)*0x9e3779b97f4a7c15, text)
	h ^= h >> 32
	h *= 0xff51afd7ed558ccd
	f.list[f.n] = feature{uint32(h>>33) % slots, family}
	f.n++
}
