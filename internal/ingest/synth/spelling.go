package synth

// appendLegal writes the whole name of an entity without punctuation, in mixed
// case; its upper-case form is the master file's.
func appendLegal(dst []byte, e *entity) []byte {
	if e.the {
		dst = append(dst, "The "...)
	}
	dst = appendPlain(dst, e.core)
	if e.suffix != "" {
		dst = append(dst, ' ')
		dst = append(dst, e.suffix...)
	}
	return dst
}

// shortListed reports whether the master file lists a member of a group by the
// name of the group, and what it is called itself beside that.
func shortListed(e *entity) bool {
	return e.lead > 0 && e.lead < len(e.core) && odds(sub(e.key, 'G', 0), groupShort)
}

// appendMaster writes the name as the master file has it: upper case, at most
// two lines of 35 characters.
func appendMaster(dst []byte, e *entity) []byte {
	start := len(dst)
	if shortListed(e) {
		dst = appendPlain(dst, e.core[:e.lead])
	} else {
		dst = appendLegal(dst, e)
	}
	upper(dst[start:])
	if len(dst)-start > 70 {
		dst = dst[:start+70]
	}
	return dst
}

// spell writes the recipient's name into g.l with the noise of a filer who
// types it from memory, a letterhead or last year's list.
func (g *gen) spell(core []byte, r *rng) {
	l, o := &g.l, &g.o
	if g.short { // this filer abbreviates everything, every time
		defer func() {
			for g.abbreviate() {
				l.tags |= tagAbbrev
			}
		}()
	}
	x := scale(r.next(), 10_000)
	take := func(share int) bool {
		if x < share {
			return true
		}
		x -= share
		return false
	}
	plain := func(suffix string, the bool) {
		l.name = l.name[:0]
		if the {
			l.name = append(l.name, "The "...)
		}
		l.name = appendPlain(l.name, core)
		l.name = append(l.name, suffix...)
	}
	if known, _ := trades(o); known && l.tags&(tagRenamed|tagBase) == 0 && r.odds(nameTrade) {
		l.name = appendTrade(l.name, o, scale(sub(g.f.key, 'X', o.id), tradeNames))
		l.tags |= tagTrade
		return
	}
	if hasParts(o.class) && r.odds(namePart) {
		l.name = appendPart(l.name, o, core, r)
		l.tags |= tagPart
		return
	}
	legal := func() {
		plain("", o.the)
		if o.suffix != "" {
			l.name = append(append(l.name, ' '), o.suffix...)
		}
	}
	switch {
	case take(nameExact):
		legal()
		l.tags |= tagExact
		return
	case take(abbrevChance):
		plain("", false)
		if g.abbreviate() {
			l.tags |= tagAbbrev
			return
		}
	case take(nameFewer):
		var ok bool
		// Without its last word a satellite has the name of its institution.
		if l.name, ok = appendFewer(l.name[:0], core, r); ok && o.base < 0 {
			l.tags |= tagFewer
			return
		}
	case take(nameReworded):
		var ok bool
		if l.name, ok = appendReworded(l.name[:0], core, r); ok {
			l.tags |= tagReworded
			return
		}
	case take(nameProject):
		l.name = appendProject(l.name[:0], o, core, r)
		l.tags |= tagProject
		return
	case take(nameLost):
		plain("", false)
		if g.loseSpace(r) {
			l.tags |= tagLost
			return
		}
	case take(nameTypo):
		plain("", false)
		if g.typo(r) {
			l.tags |= tagTypo
			return
		}
	case take(nameCut):
		legal()
		cut := 35
		if len(l.name) <= cut {
			cut = len(l.name) * 3 / 4
		}
		l.name = l.name[:cut]
		for len(l.name) > 0 && l.name[len(l.name)-1] == ' ' {
			l.name = l.name[:len(l.name)-1]
		}
		l.tags |= tagCut
		return
	case take(nameAlias):
		l.tags |= tagAlias
		switch {
		case len(o.alias) > 0 && r.odds(8500):
			l.name = append(l.name, o.alias...)
		case len(o.old) > 0:
			l.name = appendPlain(l.name, o.old)
		default:
			plain("", false)
			l.name = append(l.name, " ("...)
			n := len(l.name)
			if l.name = appendAcronym(l.name, core); len(l.name) == n {
				l.name = append(l.name, o.zip.City...)
			}
			l.name = append(l.name, ')')
		}
		return
	case take(nameExtra):
		plain("", false)
		l.name = append(l.name, pickBar(" - General Fund| Development Office| Capital Campaign| Scholarship Fund| Annual Fund| Headquarters", r.next())...)
		l.tags |= tagExtra
		return
	case take(nameCareOf):
		plain("", false)
		l.name = append(l.name, " c/o "...)
		if r.odds(5000) {
			l.name = append(append(l.name, r.of(firms)...), " Trust Company"...)
		} else {
			l.name = appendPerson(l.name, r.next(), "")
		}
		l.tags |= tagCareOf
		return
	}
	// Suffix, article or punctuation only.
	l.tags |= tagSuffix
	dotted := func() string {
		if o.suffix == "" || o.suffix == "Inc" {
			return pickBar(", Inc.| Inc.| Inc|, Inc", r.next())
		}
		return ", " + o.suffix
	}
	switch k := r.n(10); {
	case k < 5 && o.suffix != "":
		plain("", o.the)
	case k < 6 && o.suffix == "":
		plain(dotted(), o.the)
	case k < 7:
		plain("", !o.the)
		if o.suffix != "" {
			l.name = append(append(l.name, ' '), o.suffix...)
		}
	case k < 8 && o.suffix != "":
		plain(dotted(), !o.the)
	default:
		l.name = append(l.name[:0], core...)
		if o.the {
			l.name = append(l.name, ", The"...)
		} else if o.suffix != "" {
			l.name = append(l.name, dotted()...)
			if l.name[len(l.name)-1] == 'c' {
				l.name = append(l.name, '.')
			}
		} else if r.odds(5000) {
			l.name = append(l.name, '.')
		} else {
			l.name = append(append(l.name[:0], "The "...), core...)
		}
	}
}

// abbreviate shortens the first word that filers shorten.
func (g *gen) abbreviate() bool {
	name := g.l.name
	for start := 0; start < len(name); {
		end := start
		for end < len(name) && name[end] != ' ' {
			end++
		}
		for i := range abbreviations {
			if string(name[start:end]) == abbreviations[i][0] {
				short := abbreviations[i][1]
				g.tmp = append(g.tmp[:0], name[end:]...)
				name = append(name[:start], short...)
				g.l.name = append(name, g.tmp...)
				return true
			}
		}
		start = end + 1
	}
	return false
}

// loseSpace joins two words.
func (g *gen) loseSpace(r *rng) bool {
	name := g.l.name
	spaces := 0
	for _, c := range name {
		if c == ' ' {
			spaces++
		}
	}
	if spaces == 0 {
		return false
	}
	k := r.n(spaces)
	for i, c := range name {
		if c == ' ' {
			if k == 0 {
				g.l.name = append(name[:i], name[i+1:]...)
				return true
			}
			k--
		}
	}
	return false
}

// typo makes one edit inside a word.
func (g *gen) typo(r *rng) bool {
	name := g.l.name
	for range 12 {
		if len(name) < 5 {
			return false
		}
		i := 1 + r.n(len(name)-2)
		a, b := lower(name[i]), lower(name[i+1])
		if a < 'a' || a > 'z' || b < 'a' || b > 'z' || name[i-1] == ' ' {
			continue
		}
		switch r.n(4) {
		case 0:
			if a == b {
				continue
			}
			name[i], name[i+1] = name[i+1], name[i]
		case 1:
			g.l.name = append(name[:i], name[i+1:]...)
		case 2:
			name = append(name, 0)
			copy(name[i+1:], name[i:])
			g.l.name = name
		default:
			name[i] = 'a' + (a-'a'+1+byte(r.n(24)))%26
		}
		return true
	}
	return false
}

// appendPerson writes a person's name. The key is the person: the same key is
// the same person wherever it appears. A family's members share a surname.
func appendPerson(dst []byte, key uint64, surname string) []byte {
	r := rng{key}
	if r.odds(5000) {
		dst = append(dst, r.of(givenWomen)...)
	} else {
		dst = append(dst, r.of(givenMen)...)
	}
	dst = append(dst, ' ')
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
	if hasSuffix(name, " Jr") {
		end -= 3
	}
	i := end - 1
	for i > 0 && name[i] != ' ' {
		i--
	}
	if i <= 0 {
		return name
	}
	given := string(name[:i])
	n := copy(name, name[i+1:end])
	name = append(name[:n], ", "...)
	return append(name, given...)
}
