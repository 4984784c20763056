package synth

import (
	"bytes"
)

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

// Names that filers use although no register has them: the trade name of an organization, a part of an institution, a project
// of a fiscal sponsor. They depend on the organization alone, so that all filers use the same names.

// trades reports whether an organization is known by a trade name, and whether the master file has it.
func trades(e *entity) (known, onFile bool) {
	if !e.class.is(tradeName) {
		return false, false
	}
	share := rates.OrgTrade
	if e.class == college || e.class == publicCollege {
		share = rates.OrgStation
	}
	h := sub(e.key, 'X', 0)
	return odds(h, share), odds(mix(h), rates.TradeOnFile)
}

// tradeNames is how many trade names one organization has; the master file has the first.
const tradeNames = 3

// otherNamer names something of an entity by a stream of its own.
func otherNamer(e *entity, tag byte, k int) namer {
	n := newNamer(sub(e.key, tag, k), e.zip)
	n.field = e.field
	return n
}

// appendTrade writes trade name k: the call letters of a station, a word made of two, or a brand.
func appendTrade(dst []byte, e *entity, k int) []byte {
	n := otherNamer(e, 'X', 1+k)
	if e.class == college || e.class == publicCollege || n.r.odds(3000) {
		call := byte('W')
		if e.zip.Code >= "5" { // west of the Mississippi, more or less
			call = 'K'
		}
		return append(dst, call, n.r.letter(), n.r.letter(), n.r.letter())
	}
	return n.draw(dst, templates["trade"])
}

// hasParts reports whether filers name parts of an institution.
func hasParts(c class) bool { return c == hospital || c == college || c == publicCollege }

// appendPart writes the name of a part, with the institution's own or, more often, without.
func appendPart(dst []byte, e *entity, core []byte, r *rng) []byte {
	n := otherNamer(e, 'Y', r.n(30))
	t := templates["collegePart"]
	if e.class == hospital {
		t = templates["hospitalPart"]
	}
	switch r.n(10) {
	case 0, 1, 2:
		return n.draw(append(appendPlain(dst, core), ' '), t)
	case 3:
		return appendPlain(append(n.draw(dst, t), " of "...), core)
	}
	return n.draw(dst, t)
}

// appendProject writes a project of a fiscal sponsor: alone, or with the sponsor in one of the ways in which filers say so.
func appendProject(dst []byte, e *entity, core []byte, r *rng) []byte {
	n := otherNamer(e, 'Z', r.n(40))
	n.field = generalFields[scale(sub(e.key, 'Z', 9), len(generalFields))]
	start := len(dst)
	dst = n.draw(dst, templates["project"])
	switch x := r.n(100); {
	case x < 45: // the sponsor is not named
		return dst
	case x < 60:
		dst = append(dst, " c/o "...)
	case x < 75:
		dst = append(dst, ", a project of "...)
	case x < 82:
		dst = append(dst, " - "...)
	default: // the sponsor first
		project := string(dst[start:])
		return join(appendPlain(dst[:start], core), " FBO ", project)
	}
	return appendPlain(dst, core)
}

// appendFewer writes a name without one of its words, mostly without the last, as people do when they speak.
func appendFewer(dst, core []byte, r *rng) (_ []byte, ok bool) {
	start := len(dst)
	dst = appendPlain(dst, core)
	name := dst[start:]
	words := 1 + bytes.Count(name, []byte{' '})
	if words < 3 {
		return dst[:start], false
	}
	drop := words - 1
	if r.odds(3000) {
		drop = r.n(words)
	}
	from, to, k := 0, len(name), 0
	for i, c := range name {
		if c != ' ' {
			continue
		}
		if k++; k == drop {
			from = i
		} else if k == drop+1 {
			to = i
		}
	}
	if drop == 0 {
		to++ // the space after it
	}
	dst = append(dst[:start+from], dst[start+to:]...)
	return trimSmall(dst, start), true
}

// trimSmall cuts small words off the end of what was written since start.
func trimSmall(dst []byte, start int) []byte {
	for _, small := range []string{" of the", " of", " and", " &", " the", " for", " at"} {
		if bytes.HasSuffix(dst[start:], []byte(small)) {
			return dst[:len(dst)-len(small)]
		}
	}
	return dst
}

var otherWords = words.of("other word")

func appendReworded(dst, core []byte, r *rng) (_ []byte, ok bool) {
	if dst, ok = appendFewer(dst, core, r); ok {
		dst = join(dst, ' ', r.of(otherWords))
	}
	return dst, ok
}
