package resolve

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// Funders of public media name a station by its call letters, which nobody else
// has and which stand in no register: the license is held by a broadcaster or a
// college of another name. Call letters are a name that says what kind of body
// bears it, so one of that kind at the place is named by them as by initials; any
// other tenant of the building is not.

// callSignUsers is by how many names a word may be had that is taken for call
// letters: KIDS and WISH are words.
const callSignUsers = 8

// stationWords may stand behind call letters, and behind a state's name in that of
// its network.
var stationWords = table.SetOf("FM AM TV DT HD RADIO TELEVISION STATION PUBLIC BROADCASTING NETWORK PBS NPR EDUCATIONAL MEDIA")

// airWords are those that stand right behind call letters in a registered name:
// a network of kids is none of radio.
var airWords = table.SetOf("FM AM TV DT HD RADIO TELEVISION PUBLIC")

// station is how a line names a radio or television station.
type station uint8

const (
	noStation     station = iota
	byCallLetters         // WXYZ, WXYZ-FM
	byState               // a state's name and what its network is: "OHIO NETWORK"
)

// stationOf reads the name of a line.
func (d *orgIndex) stationOf(k2 string, state stateCode) station {
	sign, rest, more := strings.Cut(k2, " ")
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

// callLetters are those of a station that a registered name consists of, with the
// words behind them: "WXYZ RADIO". Empty for any other name.
func callLetters(k2 string) string {
	sign, rest, more := strings.Cut(k2, " ")
	first, _, _ := strings.Cut(rest, " ")
	if !isCallSign(sign, more) || !allStationWords(rest) || more && !airWords[first] {
		return ""
	}
	return sign
}

func allStationWords(k2 string) bool {
	for w := range wordsOf(k2) {
		if !stationWords[w] {
			return false
		}
	}
	return true
}

// isCallSign reports whether a word is of the form of call letters: K or W and
// three letters more, or two with a word behind that says what they are.
func isCallSign(w string, more bool) bool {
	if len(w) != 4 && !(more && len(w) == 3) || w[0] != 'K' && w[0] != 'W' {
		return false
	}
	return strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// licensee is what kind of body a holder of a station's license is.
type licensee uint8

const (
	noLicensee licensee = iota
	broadcaster
	college
)

// broadcasts are words of names that only broadcasters have. Public and media
// others have, too; those that pass on what others send have no license.
var (
	broadcasts = table.SetOf("BROADCASTING BROADCAST RADIO TELEVISION")
	publicity  = table.SetOf("PUBLIC MEDIA COMMUNICATION COMMUNICATIONS")
	relays     = table.SetOf("AMATEUR CABLE ACCESS")
)

// licensee reports whether an organization is one that may hold the license of a
// station. Friends, foundations and retirees of such a one do not.
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

// licensee goes by the words of the name and by the register's code for the kind
// of work, where it has one.
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
	if work != "" && work[0] != 'B' {
		return noLicensee
	}
	if strings.HasSuffix(k2, " UNIVERSITY") || strings.HasSuffix(k2, " COLLEGE") {
		return college
	}
	// A church on a campus begins like the university of a state or town.
	if of, ok := strings.CutPrefix(k2, "UNIVERSITY "); ok && (of == stateKeys[codeOf(o.State)] || of == orgname.City(o.City)) {
		return college
	}
	return noLicensee
}

// holder says as what a candidate in the line's ZIP may be the station that the
// line names. A network of a state, and a college, must be at the very address: in
// a town there is more of either. A college that houses a broadcaster is not it.
func (r *Resolver) holder(q *query, org uint32, atStreet bool, tenants []tenant) licensee {
	switch is := r.licensee(org); {
	case is == broadcaster && (atStreet || q.station == byCallLetters):
		return broadcaster
	case is == college && atStreet && !slices.ContainsFunc(tenants, func(t tenant) bool { return r.licensee(t.id) == broadcaster }):
		return college
	}
	return noLicensee
}
