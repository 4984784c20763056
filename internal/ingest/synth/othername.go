package synth

// Names that filers use and that no register has beside the organization: the
// name it trades under, a part of an institution, a project that it is the
// fiscal sponsor of. They are the same wherever the organization is the same, so
// that filers who use them agree.

// trades reports whether an organization is known by a trade name, and whether
// the master file has it.
func trades(e *entity) (known, onFile bool) {
	share := uint32(orgTrade)
	switch e.class {
	case church, temple, chapter, familyFoundation, government, bankTrust:
		return false, false
	case college, publicCollege:
		share = orgStation
	}
	h := sub(e.key, 'X', 0)
	return odds(h, share), odds(mix(h), tradeOnFile)
}

// tradeNames is how many trade names one organization has; the master file has
// the first.
const tradeNames = 3

// appendTrade writes trade name k: the call letters of a station, a word made
// of two, or a brand.
func appendTrade(dst []byte, e *entity, k int) []byte {
	n := namer{r: rng{sub(e.key, 'X', 1+k)}, zip: e.zip, field: e.field}
	n.sur = n.r.of(surnames)
	if e.class == college || e.class == publicCollege || n.r.odds(3000) {
		call := byte('W')
		if e.zip.Code >= "5" { // west of the Mississippi, more or less
			call = 'K'
		}
		return append(dst, call, byte('A'+n.r.n(26)), byte('A'+n.r.n(26)), byte('A'+n.r.n(26)))
	}
	return n.expand(dst, tradeTemplates[n.r.n(len(tradeTemplates))])
}

var tradeTemplates = lines(`
$W
$W
$W
$W
$W $U
$V at $O Street
$W $U
The $W $U
$C $W
$W Kids
Camp $W
$V $W`)

// hasParts reports whether filers name parts of an institution.
func hasParts(c class) bool { return c == hospital || c == college || c == publicCollege }

// appendPart writes the name of a part, with the institution's own or, more
// often, without.
func appendPart(dst []byte, e *entity, core []byte, r *rng) []byte {
	n := namer{r: rng{sub(e.key, 'Y', r.n(30))}, zip: e.zip, field: e.field}
	n.sur = n.r.of(surnames)
	t := collegeParts
	if e.class == hospital {
		t = hospitalParts
	}
	part := n.r.of(t)
	switch r.n(10) {
	case 0, 1, 2:
		dst = append(appendPlain(dst, core), ' ')
		return n.expand(dst, part)
	case 3:
		dst = append(n.expand(dst, part), " of "...)
		return appendPlain(dst, core)
	}
	return n.expand(dst, part)
}

var (
	collegeParts = lines(`
$S School of Public Health
$S School of Music
$S School of Nursing
$S College of Engineering
$S Law School
$S Department of Chemistry
$S Legal Services Center
$S Field House
$S Institute for the Humanities
$S Observatory
$K Extension Service`)
	hospitalParts = lines(`
$S Cancer Center
$S Heart Institute
$S Pavilion
$S Women's Health Clinic
$S Visiting Nurses
$S Family Practice
$S Rehabilitation Center`)
)

// appendProject writes a project of a fiscal sponsor: alone, or with the
// sponsor in one of the ways in which filers say so.
func appendProject(dst []byte, e *entity, core []byte, r *rng) []byte {
	n := namer{r: rng{sub(e.key, 'Z', r.n(40))}, zip: e.zip, field: generalFields[scale(sub(e.key, 'Z', 9), len(generalFields))]}
	n.sur = n.r.of(surnames)
	start := len(dst)
	dst = n.expand(dst, projectTemplates[n.r.n(len(projectTemplates))])
	join := ""
	switch x := r.n(100); {
	case x < 45: // not a word of it
		return dst
	case x < 60:
		join = " c/o "
	case x < 75:
		join = ", a project of "
	case x < 82:
		join = " - "
	default: // the sponsor first
		project := string(dst[start:])
		dst = appendPlain(dst[:start], core)
		dst = append(dst, " FBO "...)
		return append(dst, project...)
	}
	return appendPlain(append(dst, join...), core)
}

var projectTemplates = lines(`
$W $U
$A $V $U
$W
$C $V Initiative
$W for $X
$S Fellows
$W Film
$A $B Archive
Campaign for $V in $C`)

// appendFewer writes a name without one of its words, as it is said: mostly
// without the last.
func appendFewer(dst, core []byte, r *rng) (_ []byte, ok bool) {
	start := len(dst)
	dst = appendPlain(dst, core)
	name := dst[start:]
	words := 1
	for _, c := range name {
		if c == ' ' {
			words++
		}
	}
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
		if hasSuffix(dst[start:], small) {
			return dst[:len(dst)-len(small)]
		}
	}
	return dst
}

// appendReworded writes a name with one word changed for another that means
// about the same, or says what it is.
func appendReworded(dst, core []byte, r *rng) (_ []byte, ok bool) {
	start := len(dst)
	dst, ok = appendFewer(dst, core, r)
	if !ok {
		return dst[:start], false
	}
	return append(append(dst, ' '), r.of(otherWords)...), true
}

var otherWords = list(`Center Services Program Association Foundation Group Society Alliance Network Institute Clinic House Fund Agency Office Outreach`)
