package synth

import "bytes"

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
