package resolve

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/typo"
)

// Filers shorten words as their software or their space requires: "CENTER ON BUDGET & POL PRIORITIES", "COMMISS" where a
// form cut the name off. No list knows all of these, but a short form shows its word beside the word.

// shortens reports whether a is a short form of the word b: its beginning, or, if a is no common word itself, letters of
// it in order from the first to the last.
func (d *orgIndex) shortens(a, b string) bool {
	if len(a) < 3 || len(a) >= len(b) || a[0] != b[0] || a[len(a)-1] <= '9' {
		return false
	}
	if strings.HasPrefix(b, a) {
		return true
	}
	if len(a) >= longestShort || len(b) < 5 || a[len(a)-1] != b[len(b)-1] || float64(d.rarityOf(a))*step < ofFew {
		return false
	}
	i := 0
	for j := 0; j < len(b) && i < len(a); j++ {
		if a[i] == b[j] {
			i++
		}
	}
	return i == len(a)
}

// ofFew is the rarity of a word that fewer than one name in four hundred has.
const ofFew = 6

// longestShort is the number of letters from which a word is too long to be a short form that somebody chose.
const longestShort = 7

// shortForms adds those words of a line that may be short forms. The last word may be cut off.
func (p *lineWords) shortForms(d *orgIndex, k2 string) {
	for w := range wordsOf(k2) {
		last := len(k2) > len(w) && strings.HasSuffix(k2, w)
		if len(w) < 3 || len(w) >= longestShort && !last || p.nshort == len(p.short) {
			continue
		}
		p.short[p.nshort] = shortWord{w, int32(d.rarityOf(w))}
		p.nshort++
	}
}

// shortWord is a word of a line that may stand for a longer word, with its rarity.
type shortWord struct {
	text   string
	rarity int32
}

// spellOut finds the words of another name that the line has in a short form only. It calls found for each with the short
// form and the rarity of both.
func (p *lineWords) spellOut(d *orgIndex, name uint32, found func(short, long int32)) {
	var used [len(p.short)]bool
	for w := range wordsOf(d.k2[name]) {
		for i := range p.short[:p.nshort] {
			a := &p.short[i]
			if used[i] || !d.shortens(a.text, w) {
				continue
			}
			id := d.ids[w]
			short, known := d.ids[a.text]
			if !slices.Contains(p.ids[:p.n], id) && !(known && slices.Contains(d.wordIDs(name), short)) {
				used[i] = true
				found(a.rarity, int32(d.rarity[id]))
				break
			}
		}
	}
}

// unpaired leaves the words of a line and of a name that have no partner in the other: no equal word, short form, slip
// or initials. Words of the line's place are left out. A college may become a university, but not move.
func (r *Resolver) unpaired(q *query, line, name string, atStreet bool) (a, b []string) {
	d := &r.u.index
	a, b = strings.Fields(line), strings.Fields(name)
	pair := func(same func(v, w string) bool) {
		a = slices.DeleteFunc(a, func(v string) bool {
			i := slices.IndexFunc(b, func(w string) bool { return same(v, w) })
			if i >= 0 {
				b = slices.Delete(b, i, i+1)
			}
			return i >= 0
		})
	}
	pair(func(v, w string) bool { return v == w })
	if len(a)+len(b) == 0 || title(line) != "" && title(line) == title(name) {
		return nil, nil
	}
	// A short form of the line may have been spelled out as another word than the name's: COMM is COMMUNITY or COMMITTEE.
	written := strings.Fields(q.n.K1)
	oneShort := func(v, w string) bool {
		return slices.ContainsFunc(written, func(u string) bool { return d.shortens(u, v) && d.shortens(u, w) })
	}
	college := func(v string) bool { return v == "COLLEGE" || v == "UNIVERSITY" || v == "U" }
	parish := func(v string) bool { return v == "CHURCH" || v == "PARISH" }
	airs := func(v string) bool { return broadcasts[v] || v == "MEDIA" }
	pair(func(v, w string) bool {
		stem, plural := strings.CutSuffix(w, "IES")
		switch {
		case d.shortens(v, w), d.shortens(w, v), oneShort(v, w), plural && v == stem+"Y", parish(v) && parish(w), airs(v) && airs(w):
			return true
		case college(v) && college(w):
			return atStreet || v == "U" || w == "U"
		case len(v) <= 2:
			return strings.HasPrefix(w, v) && (len(v) == 2 || strings.HasSuffix(line, " "+v))
		}
		// A slip, or another form of the word: ASSOCIATION and ASSOCIATES.
		return len(v) >= 5 && typo.OneSlip(v, w) || len(v) > 6 && strings.HasPrefix(w, v[:6])
	})
	local := strings.Fields(orgname.City(q.t.City) + " " + stateKeys[q.state] + " " + q.state.String() + " " + weightless)
	ofPlace := func(w string) bool {
		return w == "CHARITABLE" && strings.Contains(line, "FOUNDATION") ||
			slices.ContainsFunc(local, func(p string) bool { return w == p || len(p) > 6 && typo.OneSlip(w, p) })
	}
	a, b = slices.DeleteFunc(a, ofPlace), slices.DeleteFunc(b, ofPlace)
	return withoutInitials(a, b), withoutInitials(b, a)
}

// title is a name that is one word, or the first word of a name if the rest has these initials: "SEED SOWERS FOR EVERY EMPTY DELL".
func title(k2 string) string {
	first, rest, more := strings.Cut(k2, " ")
	if len(first) < 3 || more && !isAcronym(first, rest) {
		return ""
	}
	return first
}

// ofAnother reports whether a line and a name belong to two organizations although they have words in common, because
// each has a word that the other lacks. "TEACH FOR ALL" is not Teach for America, although both are in one building. Nor
// does a line mean the group return of an organization, or one that only supports another, unless it says so.
func (r *Resolver) ofAnother(q *query, line string, nameNo uint32, atStreet bool) bool {
	d := &r.u.index
	name := d.k2[nameNo]
	a, b := r.unpaired(q, line, name, atStreet)
	if len(b) == 0 {
		return anotherBody(a, line, name, atStreet)
	}
	return len(a) > 0 || b[len(b)-1] == "GROUP" || slices.Contains(b, "RETURN") || r.beside(line, nameNo, b)
}

// beside reports whether an organization stands beside the one that a line names, and not for it: its name has more words
// than the line, and it supports another, holds property, or is a class or the foundation of a school or club.
func (r *Resolver) beside(line string, nameNo uint32, more []string) bool {
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(more, w) })
	}
	last := line[strings.LastIndexByte(line, ' ')+1:]
	return r.u.orgs[r.u.index.orgOf(nameNo)].supporting() || is("HOUSING", "HOLDING", "HOLDINGS", "CLASS", "AUXILARY") ||
		is("FOUNDATION") && (last == "SCHOOL" || last == "SCHOOLS" || last == "CLUB")
}

// anotherBody reports whether a line with more words than a name means another body, such as the fund of a league or the
// institute of a company. An institute at the organization's address, or of a university, is a part of it.
func anotherBody(more []string, line, name string, atStreet bool) bool {
	last := line[strings.LastIndexByte(line, ' ')+1:]
	if slices.Contains(more, "GROUP") {
		return true
	}
	if !slices.Contains(more, last) || strings.Contains(name, "UNIVERSITY") || atStreet && last == "INSTITUTE" {
		return false
	}
	// Filers add FUND or FOUNDATION alone to the name of nearly anybody, and an annual fund is what gifts go to.
	if len(more) == 1 && (last == "FUND" || last == "FOUNDATION") || slices.Contains(more, "ANNUAL") {
		return false
	}
	return slices.ContainsFunc(bodyWords, func(w string) bool {
		return w == last || len(last) >= 2 && len(line) >= minCutOff && strings.HasPrefix(w, last)
	})
}

// bodyWords are the last words of the names of bodies that go with another organization of nearly the same name.
var bodyWords = strings.Fields("FOUNDATION FUND INSTITUTE TRUST ENDOWMENT EDUCATION")

// weightless are words that one organization's name may have or lack.
const weightless = "BOARD TRUSTEE TRUSTEES REGENTS GOVERNORS OVERSEERS FELLOWS DIRECTORS PRESIDENT ORG COM US USA"

// withoutInitials leaves out of a list of words those that are the initials of the other list, and the words of which
// the other list has the initials.
func withoutInitials(of, other []string) []string {
	initials := func(words []string) (s string) {
		for _, w := range words {
			s += w[:1]
		}
		return s
	}
	// The last initial is often that of a legal form, which keys lack.
	agree := func(word, s string) bool {
		return len(s) >= 2 && (word == s || len(word) == len(s)+1 && word[:len(s)] == s && strings.Contains("CI", word[len(s):]))
	}
	if slices.ContainsFunc(other, func(w string) bool { return agree(w, initials(of)) }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(of), func(w string) bool { return agree(w, initials(other)) })
}
