package resolve

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/typo"
)

// byName is the name rule: exactly one organization in the line's state has the key of the name, or else of an alias.
// For a line without a state, the name must be unique in the country and long enough.
func (r *Resolver) byName(q *query) ein.EIN {
	n := q.n
	if e := r.unique(q, n.KX, false); e != ein.None {
		return e
	}
	for _, a := range n.Aliases {
		kx := orgname.Key(a)
		if len(kx) < minAlias || kx == n.KX {
			continue
		}
		if e := r.unique(q, kx, true); e != ein.None {
			return e
		}
	}
	if n.Sponsor != "" {
		return r.sponsor(q)
	}
	return r.handler(q)
}

// sponsor finds the fiscal sponsor of the project that a line names. Sponsors are paid at their projects' addresses,
// so a sponsor outside the state may match if its name is unique in the country.
func (r *Resolver) sponsor(q *query) ein.EIN {
	s := orgname.Parse(q.n.Sponsor)
	if len(s.KX) < minAlias {
		return ein.None
	}
	by := *q
	by.n = &s
	if e := r.unique(&by, s.KX, false); e != ein.None {
		return e
	}
	if len(s.KX) < minNational || strings.IndexByte(s.K2, ' ') < 0 {
		return ein.None
	}
	var p soleOrg
	for _, e := range r.u.names.find(s.KX) {
		if !e.alias && !r.excluded(q, e.id) {
			p.add(r.u, e.id, false)
		}
	}
	return r.sole(&by, &p)
}

// handler finds the organization that a line is in care of, if that organization was paid. The state's register must
// be loaded and must not have the body that the line names. The handler must be the only organization of its name in
// the state, and in the line's ZIP. Private foundations are excluded, because they handle only their own money.
func (r *Resolver) handler(q *query) ein.EIN {
	if q.n.Handler == "" || q.n.KX == "" || q.zip == 0 || !r.u.covered[q.state] || r.nameKnown(q) {
		return ein.None
	}
	s := orgname.Parse(q.n.Handler)
	if len(s.KX) < minNational || strings.IndexByte(s.K2, ' ') < 0 {
		return ein.None
	}
	by := *q
	by.n = &s
	e := r.unique(&by, s.KX, false)
	if i, ok := r.u.position(e); ok && r.isInZIP(uint32(i), q.zip) && !r.u.index.facts[i].is(private) && r.u.index.kx[i] == s.KX {
		return e
	}
	return ein.None
}

// minCutOff is the least length of a name that may be cut off. The narrowest fields of forms have 30 letters.
const minCutOff = 29

// cutOff finds the only organization with a name that begins as the line does, if the line may be cut off. A line that
// ends within a word must be in the organization's state, one that ends with a whole word in its town. A name that only
// filers use is found by their statements.
func (r *Resolver) cutOff(q *query) (Rule, ein.EIN) {
	raw := strings.TrimRight(q.t.Name(), " .,&-")
	written := q.n.K1[strings.LastIndexByte(q.n.K1, ' ')+1:] // its last word, which a form may have cut off
	if len(raw) < minCutOff || q.state == 0 || !strings.HasSuffix(strings.ToUpper(raw), written) {
		return Name, ein.None
	}
	head := q.n.K2
	if last := head[strings.LastIndexByte(head, ' ')+1:]; last != written && last[0] == written[0] {
		head = head[:len(head)-len(last)] + written // as written and not as spelled out: COMM may be a commission
	}
	d, rule, found := &r.u.index, Registry, -1
	whole := ""
	for _, h := range d.withPrefix(joined(head)) {
		k2 := d.k2[h.name]
		if len(k2) <= len(head) || !strings.HasPrefix(k2, head) || r.excludedName(q, h.name) || r.ofAnother(q, head, h.name, true) {
			continue
		}
		org := int(d.orgOf(h.name))
		if found >= 0 && found != org {
			return Name, ein.None
		}
		if found = org; int(h.name) < d.firstFiled {
			rule = Name
		}
		rest, _, _ := strings.Cut(k2[len(head):], " ")
		whole = head + rest
	}
	if found < 0 {
		return Name, ein.None
	}
	f, o := &d.facts[found], &r.u.orgs[found]
	city := q.inCity()
	inTown := q.zip != 0 && r.isInZIP(uint32(found), q.zip) || city != 0 && (f.city == d.cityNo(city) && f.state == q.state || o.hadCity(city, q.state))
	if !inTown && (len(whole) == len(head) || f.state != q.state && !o.hadState(q.state)) {
		return Name, ein.None
	}
	own, other := orgname.TraitsOf(whole), d.traits(uint32(found))
	if v := own.Conflicts(&other); v&hardConflicts != 0 && rule == Name {
		return Name, ein.None
	}
	return rule, r.u.eins[found]
}

// supporting reports whether an organization is exempt because it supports another, whose name it often extends.
func (o *Org) supporting() bool { return o.Foundation >= "21" && o.Foundation <= "24" }

// chapterAtAddress reports whether another organization at the line's exact address has a name that continues the line's name.
// It is probably a chapter of a federation, and likelier to be meant than an organization elsewhere with the federation's name.
func (r *Resolver) chapterAtAddress(q *query, bearer ein.EIN) bool {
	i, ok := r.u.position(bearer)
	if !ok || len(q.n.KX) < minFuzzy || q.zip == 0 || r.isInZIP(uint32(i), q.zip) {
		return false
	}
	return slices.ContainsFunc(r.tenants(q), func(t tenant) bool {
		kx := r.u.index.kx[t.id]
		return len(kx) > len(q.n.KX) && strings.HasPrefix(kx, q.n.KX) && !r.excluded(q, t.id)
	})
}

// unique finds the only organization with the key, or none.
func (r *Resolver) unique(q *query, kx string, viaAlias bool) ein.EIN {
	n, entries := q.n, r.u.names.find(kx)
	if q.state != 0 {
		entries = inState(entries, q.state)
	} else if len(kx) < minNational || viaAlias || strings.IndexByte(n.K2, ' ') < 0 {
		return ein.None
	}
	var p soleOrg
	for _, e := range entries {
		if (e.alias || viaAlias) && r.isAffiliate(n, e.id) || r.excluded(q, e.id) {
			continue
		}
		if p.add(r.u, e.id, e.alias); p.many[0] {
			return ein.None
		}
	}
	return r.sole(q, &p)
}

// minNational is the least number of letters in a name that is searched nationwide.
const minNational = 10

// soleOrg finds the one organization among candidates. Active organizations come before inactive ones, and own names
// before aliases, such as a trust for the benefit of a university. A group's central organization comes before
// chapters with the same name.
type soleOrg struct {
	found [4]uint32   // first of its rank, or the central organization of its group, counted from 1
	many  [4]bool     // there are others
	zips  [4][]uint32 // ZIPs of found's chapters
}

func (p *soleOrg) add(u *Universe, id uint32, alias bool) {
	facts := u.index.facts
	i, o := 0, &facts[id]
	if o.is(inactive) {
		i = 2
	}
	if alias {
		i++
	}
	if p.found[i] == 0 || p.found[i] == id+1 {
		p.found[i] = id + 1
		return
	}
	first := p.found[i] - 1
	f := &facts[first]
	if !o.is(grouped) || f.is(central) && o.is(central) || u.orgs[first].Group != u.orgs[id].Group {
		p.many[i] = true
		return
	}
	if o.is(central) {
		p.found[i], o = id+1, f
	}
	p.zips[i] = append(p.zips[i], o.zip)
}

// sole is the EIN of the only candidate for a line; None if there are none or several. A name that chapters share
// with their central organization means the central one if that is in the line's ZIP, or if some filer has said so.
// Otherwise the line may mean any of them.
func (r *Resolver) sole(q *query, p *soleOrg) ein.EIN {
	for i, found := range p.found {
		if found == 0 {
			continue
		}
		if id := found - 1; !p.many[i] && (p.zips[i] == nil || r.centerMeant(q, id, p.zips[i])) {
			return r.u.eins[id]
		}
		return ein.None
	}
	return ein.None
}

// centerMeant reports whether a name that chapters in some ZIPs share means their central organization.
func (r *Resolver) centerMeant(q *query, id uint32, chapters []uint32) bool {
	switch o := &r.u.index.facts[id]; {
	case !o.is(central):
		return false
	case q.zip != 0 && o.zip == q.zip:
		return true
	}
	return !slices.Contains(chapters, q.zip) && slices.ContainsFunc(r.einCounts(q), func(a einCount) bool { return a.ein == r.u.eins[id] })
}

// grouped reports whether the organization is covered by a group exemption.
func (o *Org) grouped() bool { return strings.Trim(o.Group, "0") != "" }

// central reports whether the organization is the center of a group exemption.
func (o *Org) central() bool { return o.Affiliation == "6" || o.Affiliation == "8" }

// isAffiliate reports whether an organization found through an alias is, by its own name, a club, fund or union
// around the institution that the line names.
func (r *Resolver) isAffiliate(n *orgname.Name, id uint32) bool {
	line := n.Traits()
	return r.u.index.isBodyAt(&line, id)
}

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
