package resolve

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

// Thresholds of the rules that compare words. A rarity of 4 is a word that fewer than one name in fifty has.
const (
	rareWord       = 4
	veryRare       = 8
	addressOverlap = 0.55
	streetOverlap  = 0.4
	minFuzzy       = 8
	minCut         = 20 // least length of a name that may have been cut short
)

// hardConflicts are the name conflicts that rule a match out unless the names are equal.
const hardConflicts = orgname.Num | orgname.Dir | orgname.Inst | orgname.Aff | orgname.Peer

// fuzzy finds the organization in the ZIP whose key is one edit away, or differs in plurals or in its spaces.
func (r *Resolver) fuzzy(q *query, traits *orgname.Traits) ein.EIN {
	n, d := q.n, &r.u.index
	var p soleOrg
	bare := func(name string) string { return strings.TrimPrefix(name, "THE") }
	sign, begin := signOf(n.KX), signOf(bare(n.KX)) // as it is, and of a name written without spaces
	for _, t := range d.inZIP(q.zip) {
		slip := sign.mayBeOneEdit(t.sign) && typo.OneSlip(n.KX, d.kx[t.id]) && !d.anotherWord(n.K2, d.k2[t.id])
		same := sign.mayBegin(t.sign) && sameStems(n.K2, d.k2[t.id])
		joined := begin.mayBegin(t.sign) && len(n.KX) >= minCut && bare(letters(r.u.orgs[t.id].Name)) == bare(n.KX)
		if !slip && !same && !joined || r.excluded(q, t.id) {
			continue
		}
		if other := d.traits(t.id); traits.Conflicts(&other)&hardConflicts == 0 {
			p.add(r.u, t.id, false)
		}
	}
	return r.sole(q, &p)
}

// sameStems reports whether two names have the same words but for plurals and the end of a long line, which a form may cut off.
func sameStems(line, name string) bool {
	long := len(line) >= minCutOff
	for line != "" && name != "" {
		var v, w string
		v, line, _ = strings.Cut(line, " ")
		w, name, _ = strings.Cut(name, " ")
		if v != w && v+"S" != w && w+"S" != v && !(long && line == "" && strings.HasPrefix(w, v)) {
			return false
		}
	}
	return line == name
}

// wordUsers is the number of organizations from which a word counts as correctly spelled.
const wordUsers = 20

// anotherWord reports whether two names differ in one word only, and both versions are common words. Then the
// difference is no typing error but another saint, another town, or another gender. A plural is the same word.
func (d *orgIndex) anotherWord(line, name string) bool {
	var a, b string
	for line != "" && name != "" {
		var v, w string
		v, line, _ = strings.Cut(line, " ")
		w, name, _ = strings.Cut(name, " ")
		if v == w {
			continue
		}
		if a != "" {
			return false // more than one word differs
		}
		a, b = v, w
	}
	if a == "" || line != "" || name != "" || a+"S" == b || b+"S" == a {
		return false
	}
	return d.users(a) >= wordUsers && d.users(b) >= wordUsers
}

// users is about how many organizations have a word in their own names.
func (d *orgIndex) users(word string) float64 {
	return float64(d.orgs) * math.Exp(-step*float64(d.rarityOf(word)))
}

func (d *orgIndex) rarityOf(word string) uint8 {
	if id, ok := d.ids[word]; ok {
		return d.rarity[id]
	}
	return d.unknown
}

// address finds the organization at the line's street address that shares most of the weight of its name, or whose
// name the line cuts short, or that alone has the line's initials. A body at an institution is not the institution.
func (r *Resolver) address(q *query, traits *orgname.Traits, words *lineWords, tenants []tenant) ein.EIN {
	n, d := q.n, &r.u.index
	var p soleOrg
	for _, t := range tenants {
		if r.excluded(q, t.id) {
			continue
		}
		overlap := d.weigh(words, t.id, nil).overlap
		if len(tenants) == 1 && len(n.KX) >= 3 && n.KX == (orgname.Name{K2: d.k2[t.id]}).KA() {
			return r.u.eins[t.id]
		}
		whole := cutShort(n, d.kx[t.id], d.k2[t.id])
		if overlap < addressOverlap && (whole == "" || d.facts[t.id].is(grouped)) {
			continue
		}
		own, other := *traits, d.traits(t.id)
		if whole != "" {
			own = orgname.TraitsOf(whole)
		}
		if own.Conflicts(&other) == 0 && !r.ofAnother(q, n.K2, t.id, true) {
			p.add(r.u, t.id, false)
		}
	}
	return r.sole(q, &p)
}

// cutShort is the line's name with its last word completed, if a form cut off a long name with at most one or two
// words missing. Otherwise it is empty.
func cutShort(n *orgname.Name, kx, k2 string) string {
	if len(n.KX) < minCut || len(kx) <= len(n.KX) || !strings.HasPrefix(k2, n.K2) {
		return ""
	}
	word, rest, more := strings.Cut(k2[len(n.K2):], " ")
	if more && strings.Count(rest, " ") > 1 {
		return ""
	}
	return n.K2 + word
}

// sameNameByPlace picks among organizations of one name in one state by ZIP, or else by city.
func (r *Resolver) sameNameByPlace(q *query) ein.EIN {
	if q.state == 0 {
		return ein.None
	}
	return r.bearerByPlace(q, inState(r.bearersOf(q), q.state))
}

// bearerByPlace finds the only one of several organizations in the line's ZIP, or else in its city. A member of a group has
// the name of the group in the register, so that name alone does not mean the member, even where no other has the ZIP.
func (r *Resolver) bearerByPlace(q *query, entries []nameEntry) ein.EIN {
	n, state, zip := q.n, q.state, q.zip
	if len(entries) == 0 {
		return ein.None
	}
	d := &r.u.index
	// place gives the place in the index of crowds where organizations that satisfy is can be found.
	only := func(place uint64, is func(id uint32) bool) ein.EIN {
		var p soleOrg
		consider := func(e *nameEntry) {
			if !is(e.id) || r.excluded(q, e.id) {
				return
			}
			if !(e.alias && (r.isAffiliate(n, e.id) || r.attached(n, e.id))) {
				p.add(r.u, e.id, e.alias)
			}
		}
		if len(entries) > crowd {
			for _, m := range r.u.crowds.of(place) {
				consider(&r.u.names.list[m.entry])
			}
			return r.sole(q, &p)
		}
		for i := range entries {
			consider(&entries[i])
		}
		return r.sole(q, &p)
	}
	found := ein.None
	if zip != 0 {
		found = only(crowdZIP(&entries[0], zip), func(id uint32) bool { return r.isInZIP(id, zip) })
	}
	if city := q.inCity(); found == ein.None && city != 0 {
		no := d.cityNo(city)
		found = only(crowdCity(&entries[0], city), func(id uint32) bool {
			f := &d.facts[id]
			return f.city == no && f.state == state || f.is(moved) && r.u.orgs[id].hadCity(city, state)
		})
	}
	if o, ok := r.u.Lookup(found); ok && o.namedMember(n) {
		return ein.None
	}
	return found
}

// namedMember reports whether the register calls an organization by the name n of its group, and names it by its sort name.
func (o *Org) namedMember(n *orgname.Name) bool {
	return o.grouped() && !o.central() && orgname.Parse(o.Name).KX == n.KX && len(memberNames(n, o.SortName, o.State)) > 0
}

// isInZIP reports whether any address of an organization is in a ZIP.
func (r *Resolver) isInZIP(id, zip uint32) bool {
	f := &r.u.index.facts[id]
	if f.zip == zip || !f.is(moved) {
		return f.zip == zip
	}
	_, ok := slices.BinarySearchFunc(r.u.index.inZIP(zip), id, func(n neighbor, id uint32) int { return cmp.Compare(n.id, id) })
	return ok
}

// attached reports whether an organization is, by its own name, the foundation, alumni, staff, retirees or parents of
// the one that a line names, or the reverse.
func (r *Resolver) attached(n *orgname.Name, id uint32) bool {
	line, own := n.Traits(), r.u.index.traits(id)
	return line.Attached(&own)
}

// hadCity reports whether another address of the organization is in a city.
func (o *Org) hadCity(city uint64, state stateCode) bool {
	return slices.ContainsFunc(o.Others, func(l Location) bool { return codeOf(l.State) == state && cityPlace(l.City) == city })
}

// wholeNameWithin finds the organization whose name begins or ends the line: a club named after a donor, a school of a university, a
// church with its town. It must be near the line, or in the state if the name has a very rare word.
func (r *Resolver) wholeNameWithin(q *query, own *orgname.Traits) ein.EIN {
	words, d := strings.Fields(q.n.K2), &r.u.index
	for n := len(words) - 1; n > 1 && q.state != 0; n-- {
		for _, from := range [...]int{len(words) - n, 0} {
			part, rest := words[from:from+n], words[n:]
			inTown := from == 0 && n > 2 && strings.Join(rest, " ") == orgname.City(q.t.City)
			short := n < 4 && !inTown && !(from == 0 && slices.Contains(part, "UNIVERSITY") && areSchool(rest))
			if short || from == 0 && anotherBody(rest, q.n.K2, strings.Join(part, " "), false) {
				continue
			}
			kx := strings.Join(part, "")
			e := r.bearerByPlace(q, inState(r.u.names.find(kx), q.state))
			if i, ok := r.u.position(r.unique(q, kx, false)); ok && !inTown && (q.zip != 0 && q.zip/100 == d.facts[i].zip/100 || d.anyRare(part, veryRare)) {
				e = cmp.Or(e, r.u.eins[i])
			}
			if e != ein.None && !r.conflictsWithLine(own, e, orgname.Num|orgname.Dir|orgname.Aff|orgname.Peer) {
				return e
			}
		}
	}
	return ein.None
}

// areSchool reports whether the words after the name of a university are those of a part of it. Its medical center, or a college
// with a name of its own, may be an organization itself.
func areSchool(rest []string) bool {
	has := func(of map[string]bool) bool { return slices.ContainsFunc(rest, func(w string) bool { return of[w] }) }
	return (has(schools) || slices.Contains(rest, "CENTER") && !has(medicine)) && !has(besideSchools) && rest[len(rest)-1] != "COLLEGE"
}

var (
	schools       = table.SetOf("SCHOOL COLLEGE INSTITUTE DEPARTMENT LIBRARY LABORATORY FACULTY OFFICE DIVISION")
	medicine      = table.SetOf("MED MEDICAL MEDICINE HEALTH")
	besideSchools = table.SetOf("HIGH HOSPITAL HOSPITALS FOUNDATION FUND TRUST PRESS ALUMNI RETIREE CONSORTIUM ASSOCIATION CLUB")
)

// reordered finds the only organization in the ZIP whose name has the same words in another order.
func (r *Resolver) reordered(q *query) ein.EIN {
	n, d := q.n, &r.u.index
	var p soleOrg
	bag, sign := "", signOf(n.KX)
	for _, t := range d.inZIP(q.zip) {
		if !sign.mayBeReordered(t.sign) || len(d.kx[t.id]) != len(n.KX) || d.kx[t.id] == n.KX {
			continue
		}
		if bag == "" {
			bag = n.KB()
		}
		if (orgname.Name{K2: d.k2[t.id]}).KB() == bag && !r.excluded(q, t.id) {
			p.add(r.u, t.id, false)
		}
	}
	return r.sole(q, &p)
}

// street finds the only active organization at the line's street address, if the names share enough of their distinctive words.
func (r *Resolver) street(q *query, traits *orgname.Traits, words *lineWords, tenants []tenant) ein.EIN {
	d := &r.u.index
	alone := -1
	for _, t := range tenants {
		if r.u.index.facts[t.id].is(inactive) || r.excluded(q, t.id) {
			continue
		}
		if alone >= 0 {
			return ein.None
		}
		alone = int(t.id)
	}
	if alone < 0 {
		return ein.None
	}
	id := uint32(alone)
	if d.tellingOverlap(words, id) < streetOverlap || r.ofAnother(q, q.n.K2, id, true) {
		return ein.None
	}
	if other := d.traits(id); traits.Conflicts(&other)&hardConflicts != 0 {
		return ein.None
	}
	return r.u.eins[id]
}

// tellingOverlap is the weight of the distinctive (rare) words that two names share, divided by the weight of all
// distinctive words of both.
func (d *orgIndex) tellingOverlap(p *lineWords, id uint32) float64 {
	telling := func(w uint32) int32 {
		if r := d.rarity[w]; float64(r)*step >= rareWord {
			return int32(r)
		}
		return 0
	}
	shared, all := int32(0), int32(p.all-p.n)*int32(d.unknown)
	for _, w := range p.ids[:p.n] {
		all += telling(w)
	}
	for _, w := range d.wordIDs(id) {
		if _, ok := slices.BinarySearch(p.ids[:p.n], w); ok {
			shared += telling(w)
		} else {
			all += telling(w)
		}
	}
	if all == 0 {
		return 0
	}
	return float64(shared) / float64(all)
}

// Funders of public media name a station by its call letters. Call letters are unique but are in no register, because
// a broadcaster or college with another name holds the license. They do show the kind of organization, so an
// organization of that kind at the place matches them as initials would. Other tenants of the building do not match.

// callSignUsers is how many names may contain a word that still counts as call letters: KIDS and WISH are ordinary words.
const callSignUsers = 8

// stationWords may follow call letters, or a state's name in the name of its network.
var stationWords = table.SetOf("FM AM TV DT HD RADIO TELEVISION STATION PUBLIC BROADCASTING NETWORK PBS NPR EDUCATIONAL MEDIA DEPARTMENT")

// airWords directly follow call letters in a registered name. NETWORK is not one of them: a kids' network is no radio station.
var airWords = table.SetOf("FM AM TV DT HD RADIO TELEVISION PUBLIC")

// station describes how a line names a radio or television station.
type station uint8

const (
	noStation     station = iota
	byCallLetters         // WXYZ, WXYZ-FM
	byState               // a state's name and what its network is: "OHIO NETWORK"
)

func (d *orgIndex) stationOf(k2 string, state stateCode) station {
	sign, rest, more := strings.Cut(strings.TrimRight(k2, " 0123456789"), " ") // without the number of a department
	if isCallSign(sign, more) && allStationWords(rest) && (more || d.users(sign) < callSignUsers) {
		return byCallLetters
	}
	if title := stateKeys[state]; more && title != "" && strings.HasPrefix(k2, title) {
		if of, ok := strings.CutPrefix(k2[len(title):], " "); ok && allStationWords(of) {
			return byState
		}
	}
	return noStation
}

// callLetters returns the call letters of a registered name that consists of call letters and station words, such as
// "WXYZ RADIO". It is empty for any other name.
func callLetters(k2 string) string {
	sign, rest, more := strings.Cut(k2, " ")
	first, _, _ := strings.Cut(rest, " ")
	if !isCallSign(sign, more) || !allStationWords(rest) || more && !airWords[first] {
		return ""
	}
	return sign
}

func allStationWords(k2 string) bool {
	return !slices.ContainsFunc(strings.Fields(k2), func(w string) bool { return !stationWords[w] })
}

// isCallSign reports whether a word looks like call letters: K or W and three letters, or two letters followed by a
// word that identifies a station.
func isCallSign(w string, more bool) bool {
	if len(w) != 4 && !(more && len(w) == 3) || w[0] != 'K' && w[0] != 'W' {
		return false
	}
	return strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// licensee is the kind of organization that holds a station's license.
type licensee uint8

const (
	noLicensee licensee = iota
	broadcaster
	college
)

// broadcasts are words that only broadcasters have in their names. Others use the words of publicity, too.
// Organizations with a word of relays hold no license.
var (
	broadcasts = table.SetOf("BROADCASTING BROADCAST RADIO TELEVISION")
	publicity  = table.SetOf("PUBLIC MEDIA COMMUNICATION COMMUNICATIONS")
	relays     = table.SetOf("AMATEUR CABLE ACCESS")
)

// licensee returns the kind of license holder that an organization may be. Its friends, foundations and retirees hold
// no license.
func (r *Resolver) licensee(org uint32) licensee {
	d := &r.u.index
	kind := r.u.orgs[org].licensee(d.k2[org])
	if kind == noLicensee {
		return kind
	}
	var nothing orgname.Traits
	if own := d.traits(org); own.Conflicts(&nothing)&orgname.Aff != 0 {
		return noLicensee
	}
	return kind
}

// licensee uses the words of the name and, if available, the register's activity code.
func (o *Org) licensee(k2 string) licensee {
	work := o.NTEE[:min(len(o.NTEE), 3)]
	media := work == "A32" || work == "A34"
	for w := range wordsOf(k2) {
		if relays[w] {
			return noLicensee
		}
		media = media || broadcasts[w] || publicity[w] && work == "A30"
	}
	if media {
		return broadcaster
	}
	board := strings.HasSuffix(k2, " SCHOOL BOARD")
	if work != "" && work[0] != 'B' && !board {
		return noLicensee
	}
	if board || strings.HasSuffix(k2, " UNIVERSITY") || strings.HasSuffix(k2, " COLLEGE") {
		return college
	}
	// A church on a campus begins like the name of a state or town university.
	if of, ok := strings.CutPrefix(k2, "UNIVERSITY "); ok && (of == stateKeys[codeOf(o.State)] || of == orgname.City(o.City)) {
		return college
	}
	return noLicensee
}

// onlySchool reports whether an organization is the only college in a ZIP without a broadcaster. The register lists colleges as
// schools or as governments; of what is called after a college, it lists as neither.
func (r *Resolver) onlySchool(zip, org uint32) bool {
	is := func(id uint32) bool {
		o := &r.u.orgs[id]
		return r.licensee(id) == college && (o.Foundation == "11" || o.Subsection == "01" || o.Sources == FiledOnly)
	}
	return is(org) && !slices.ContainsFunc(r.u.index.inZIP(zip), func(t neighbor) bool {
		return r.licensee(t.id) == broadcaster || t.id != org && is(t.id)
	})
}

// holder returns the role in which a candidate in the line's ZIP may be the station that the line names. A state
// network must be at the exact address, and a college, too, where the ZIP has several. A college that houses a broadcaster is
// not the broadcaster.
func (r *Resolver) holder(q *query, org uint32, atStreet bool, tenants []tenant) licensee {
	switch is := r.licensee(org); {
	case is == broadcaster && (atStreet || q.station == byCallLetters):
		return broadcaster
	case is == college && atStreet && !slices.ContainsFunc(tenants, func(t tenant) bool { return r.licensee(t.id) == broadcaster }),
		q.station == byCallLetters && r.onlySchool(q.zip, org):
		return college
	}
	return noLicensee
}
