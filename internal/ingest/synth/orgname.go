package synth

import "bytes"

// namer fills in the templates of names for one entity.
type namer struct {
	r     rng
	zip   *ZIP
	field int
	sur   string // surname drawn for the entity
	first string
	firm  string
}

// newNamer names an entity at a place by a stream of its own, whose first draw is the surname.
func newNamer(key uint64, zip *ZIP) namer {
	n := namer{r: rng{key}, zip: zip}
	n.sur = n.r.of(surnames)
	return n
}

// foreignNamer names a body in a city that has no ZIP.
func foreignNamer(r rng, city, country string, field int) namer {
	n := newNamer(r.s, &ZIP{City: city, State: country})
	n.field = field
	return n
}

func (n *namer) draw(dst []byte, templates []string) []byte {
	return fill(dst, n.r.of(templates), n.word)
}

// letterWords are the lists that letters of a template draw from.
var letterWords = [128][]string{
	'Z': surnames, 'G': givenWomen, 'A': natures, 'B': seconds, 'V': virtues, 'U': brandNouns, 'O': streets, 'J': industries,
	'T': words.of("saint"), 'D': words.of("denomination"), 'L': words.of("church lead"), 'H': words.of("hebrew"), 'Q': words.of("arabic"),
}

// word writes what a letter of a template stands for.
func (n *namer) word(dst []byte, letter byte) []byte {
	switch letter {
	case 'C':
		return append(dst, n.zip.City...)
	case 'K':
		return append(dst, n.zip.County...)
	case 'X':
		return append(dst, stateName(n.zip.State)...)
	case 'S':
		return append(dst, n.sur...)
	case 'I':
		return append(dst, n.firm...)
	case 'F':
		if n.first == "" {
			n.first = n.r.of(givenMen)
			if n.r.odds(3500) {
				n.first = n.r.of(givenWomen)
			}
		}
		return append(dst, n.first...)
	case 'M':
		return append(dst, byte('A'+n.r.n(23)))
	case 'W':
		first, second := virtues, brandNouns
		if n.r.odds(6000) {
			first = natures
		}
		if n.r.odds(6000) {
			second = seconds
		}
		dst = append(dst, n.r.of(first)...)
		at := len(dst)
		dst = append(dst, n.r.of(second)...)
		dst[at] = lower(dst[at])
		return dst
	case 'N':
		return append(dst, n.r.of(fields[n.field].nouns)...)
	case '#':
		return appendInt(dst, int64(1+n.r.n(60)))
	}
	return append(dst, n.r.of(letterWords[letter])...)
}

// appendStreet writes a street address; boxes is how many in ten thousand are post office boxes.
func appendStreet(dst []byte, r *rng, boxes int) []byte {
	if r.odds(boxes) {
		return join(dst, "PO Box ", 1+zipf(r.next(), 9000, 60))
	}
	return appendSuite(appendHouse(dst, r), r, 1400)
}

func appendSuite(dst []byte, r *rng, p int) []byte {
	if r.odds(p) {
		dst = join(dst, " Ste ", 100+10*r.n(60))
	}
	return dst
}

var (
	quarters    = words.of("quarter")
	streetTypes = words.of("street type")
)

func appendHouse(dst []byte, r *rng) []byte {
	dst = append(appendInt(dst, int64(1+zipf(r.next(), 9900, 40))), ' ')
	if r.odds(2200) {
		dst = append(append(dst, r.of(quarters)...), ' ')
	}
	if r.odds(2000) {
		k := 1 + r.n(60)
		dst = append(appendInt(dst, int64(k)), ordinalSuffix(k)...)
	} else {
		dst = append(dst, r.of(streets)...)
	}
	return append(append(dst, ' '), r.of(streetTypes)...)
}

func ordinalSuffix(k int) string {
	if k%10 >= 1 && k%10 <= 3 && k/10%10 != 1 {
		return [...]string{"st", "nd", "rd"}[k%10-1]
	}
	return "th"
}

// appendAcronym writes the initials of the words of a name, at least three.
func appendAcronym(dst, core []byte) []byte {
	start := len(dst)
	word := true
	for i, c := range core {
		if c == ' ' || c == '-' {
			word = true
			continue
		}
		if word && c >= 'A' && c <= 'Z' && !(i+1 < len(core) && core[i+1] == '.') {
			dst = append(dst, c)
		}
		word = false
	}
	if len(dst)-start < 3 {
		return dst[:start]
	}
	return dst
}

// appendPerson writes a person's name. The key is the person: the same key is
// the same person wherever it appears. A family's members share a surname.
func appendPerson(dst []byte, key uint64, surname string) []byte {
	r := rng{key}
	given := givenMen
	if r.odds(5000) {
		given = givenWomen
	}
	dst = append(append(dst, r.of(given)...), ' ')
	if r.odds(5500) {
		dst = append(dst, byte('A'+r.n(23)), ' ')
	}
	s := r.of(surnames)
	if surname != "" {
		s = surname
	}
	dst = append(dst, s...)
	if r.odds(150) {
		dst = append(dst, " Jr"...)
	}
	return dst
}

// surnameFirst turns John Q Public into Public, John Q.
func surnameFirst(name []byte) []byte {
	end := len(name)
	if bytes.HasSuffix(name, []byte(" Jr")) {
		end -= 3
	}
	i := bytes.LastIndexByte(name[:end], ' ')
	if i <= 0 {
		return name
	}
	given := string(name[:i])
	n := copy(name, name[i+1:end])
	return join(name[:n], ", ", given)
}

// appendLegal writes the whole name of an entity without punctuation, in mixed case; its upper-case form is the master file's.
func appendLegal(dst []byte, e *entity) []byte {
	if e.the {
		dst = append(dst, "The "...)
	}
	dst = appendPlain(dst, e.core)
	if e.suffix != "" {
		dst = append(append(dst, ' '), e.suffix...)
	}
	return dst
}

// appendSigned writes a name as the organization writes it: mixed case, with the legal form after a comma.
func appendSigned(dst []byte, e *entity) []byte {
	if e.the {
		dst = append(dst, "The "...)
	}
	dst = append(dst, e.core...)
	switch e.suffix {
	case "":
		return dst
	case "Corporation":
		return append(dst, " Corporation"...)
	}
	return join(dst, ", ", e.suffix, '.')
}
