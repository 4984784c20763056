package resolve

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

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
