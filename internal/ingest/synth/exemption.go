package synth

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/table"
)

// This file decides what the lists say about an organization. Different tasks write the master file,
// Publication 78, the revocation list, the bulletins and the registries of California. The lists agree, or
// disagree on purpose, because all of these tasks ask the functions below.

type exemption uint8

const (
	good       exemption = iota
	lapsed               // revoked for not filing: on the revocation list alone
	lapsedAnew           // revoked, reinstated, and revoked again
	denied               // revoked for cause: in a bulletin alone
	closed               // dissolved or merged: in no list
	reinstated           // once revoked, restored with a date on the row
	reruled              // once revoked, exempt again by a new ruling, no date on the row
	unlisted             // never needed a ruling: states, cities, their colleges
)

// gone reports whether the organization has left the master file.
func (f exemption) gone() bool { return f == lapsed || f == lapsedAnew || f == denied || f == closed }

func (w *world) exemption(e *entity) exemption {
	x := scale(sub(e.key, 'i', 1), 10_000)
	switch {
	case w.isVeterans(e):
		return good
	case !e.listed && e.class.is(publicBody):
		return unlisted
	case !e.listed:
		if _, ok := w.namedInBulletin[e.id]; ok {
			return denied
		}
		switch {
		case x < rates.ShareClosed:
			return closed
		case x < rates.ShareClosed+rates.ShareLapsedAnew:
			return lapsedAnew
		}
		return lapsed
	case e.id >= idSecond || e.class == church || e.class == temple || e.class == familyFoundation:
		return good // these need not file
	case x < rates.ShareReruled:
		return reruled
	case x < rates.ShareReruled+rates.ShareReinstated:
		return reinstated
	}
	return good
}

type revocationRow struct{ effective, posted, restored time.Time }

// today is the day on which the lists of the world were fetched. No date in them is later.
var today = date(2026, time.October, 14)

func (w *world) revocations(e *entity, f exemption) (rows [2]revocationRow, n int) {
	switch f {
	case lapsed, lapsedAnew, reinstated, reruled:
	default:
		return rows, 0
	}
	r := rng{sub(e.key, 'i', 2)}
	// Half of the list dates from its first years, when dead organizations were cleared away in bulk.
	year := 2010 + zipf(r.next(), 16, 3)
	if f == lapsedAnew || f == reruled {
		year = 2010 + r.n(7)
	}
	year = min(max(year, e.founded+3), 2022)
	first := revocationRow{effective: date(year, time.Month(1+r.n(12)), 15)}
	if year == 2010 && first.effective.Month() < time.May {
		first.effective = first.effective.AddDate(0, 4, 0) // the law took effect in May 2010
	}
	first.posted = first.effective.AddDate(0, 0, 60+r.n(110))
	restore := func() time.Time {
		if r.odds(6000) { // restored as of the day of the revocation
			return first.effective
		}
		return first.effective.AddDate(0, 5+r.n(20), r.n(28)-14)
	}
	switch f {
	case reinstated:
		first.restored = restore()
	case lapsedAnew:
		first.restored = restore()
		again := revocationRow{effective: date(min(year+3+r.n(4), 2025), time.Month(1+r.n(12)), 15)}
		if !again.effective.After(first.restored) {
			again.effective = date(2026, time.Month(1+r.n(5)), 15)
		}
		again.posted = again.effective.AddDate(0, 0, 60+r.n(80))
		return [2]revocationRow{first, again}, 2
	}
	return [2]revocationRow{first}, 1
}

type irsCodes struct {
	group        int
	affiliation  byte
	section      string
	foundation   string
	status       string
	deductible   byte
	year, month  int // of the ruling, zero when none is on record
	organization byte
}

// churchBody is a church with a group ruling for the congregations that have a word
// in their names. Its group number follows those of the federations.
type churchBody struct{ word, name string }

var churchBodies = each.Of(readRows("church_bodies.tsv", "word", "name"), func(r table.Row) churchBody {
	return churchBody{r.Text("word"), r.Text("name")}
})

func churchBodyGroup(k int) int { return 2000 + 3*k }

func (w *world) irsCodes(e *entity) irsCodes {
	c := irsCodes{group: e.group, affiliation: '3', section: e.section, status: "01", deductible: '2', organization: '5',
		year: max(e.founded+1, 1917), month: 1 + scale(sub(e.key, '#', 1), 12)}
	h := rng{sub(e.key, '#', 2)}
	switch {
	case e.parent && e.class == church:
		c.affiliation = '8'
	case e.parent:
		c.affiliation = '6'
	case e.group > 0:
		c.affiliation = '9'
		if h.odds(60) {
			c.affiliation = '7'
		}
	case e.class == church:
		for k := range churchBodies {
			if hasWord(e.core, churchBodies[k].word) && h.odds(rates.ChurchBodyMember) {
				c.group, c.affiliation = churchBodyGroup(k), '9'
			}
		}
	}
	switch {
	case e.section == "03" && e.class == bankTrust && h.odds(rates.TrustNonexempt):
		// A trust that is treated as a foundation without being exempt.
		return irsCodes{affiliation: '0', section: "92", foundation: "00", status: "12", deductible: '0', organization: '2'}
	case e.section == "03", e.section == "19":
		c.deductible = '1'
	}
	c.foundation = foundationCode(e)
	switch {
	case c.foundation == "04" && h.odds(60):
		c.status = "25"
	case h.odds(20):
		c.status = "02"
	}
	if w.exemption(e) == reruled {
		rows, _ := w.revocations(e, reruled)
		again := rows[0].effective.AddDate(0, 2+h.n(9), 0)
		c.year, c.month = again.Year(), int(again.Month())
	}
	switch {
	case e.class == bankTrust:
		c.organization = '2'
	case e.suffix != "" || h.odds(6000):
		c.organization = '1'
	}
	return c
}

func hasWord(core []byte, word string) bool {
	return bytes.HasPrefix(core, []byte(word)) || bytes.Contains(core, []byte(" "+word))
}

// pub78Kinds are the codes of Publication 78 by foundation code; others are public charities.
var pub78Kinds = map[string]string{"00": "EO", "02": "POF", "03": "POF", "04": "PF", "17": "SOUNK", "21": "SO", "22": "SO", "23": "SO", "24": "SONFI"}

// pub78Code says how Publication 78 lists an entity, "" when it does not. A
// subordinate is covered by its parent's listing; a church need not be listed.
func (w *world) pub78Code(e *entity, c *irsCodes) string {
	if c.deductible != '1' || c.affiliation == '9' || c.affiliation == '7' || !e.listed || w.exemption(e).gone() {
		return ""
	}
	if (e.class == church || e.class == temple) && !e.parent && !odds(sub(e.key, '7', 0), rates.ChurchListed) {
		return ""
	}
	kind, known := pub78Kinds[c.foundation]
	switch {
	case known:
	case odds(sub(e.key, '7', 1), rates.Pub78Unknown):
		kind = "UNKWN"
	default:
		kind = "PC"
	}
	if c.affiliation == '6' || c.affiliation == '8' {
		if kind == "EO" {
			return "EO,GROUP"
		}
		return "GROUP," + kind
	}
	return kind
}

// pickRevoked picks the organizations that bulletins name. Most are on no other list.
// Those of the newest bulletin are still on all lists.
func (w *world) pickRevoked() {
	w.namedInBulletin = map[int]int{}
	n := min(12+w.orgs/600, 90)
	var e entity
	for k := range n {
		late := k < rates.BulletinLate
		i := scale(sub(w.seed, 'k', k), w.orgs)
		for range 4_000 {
			i = (i + 1) % w.orgs
			if _, taken := w.namedInBulletin[i]; taken || i == w.veterans {
				continue
			}
			w.org(i, &e)
			secular := e.class != church && e.class != temple && !e.class.is(publicBody)
			if secular && e.section == "03" && e.group == 0 && !firmAddress(e.zip.City) && e.listed == late {
				w.namedInBulletin[i] = len(w.bulletinOrder)
				w.bulletinOrder = append(w.bulletinOrder, i)
				break
			}
		}
	}
}

// firmAddress reports whether a city is really a firm with its own ZIP. In a bulletin
// such a city would read as a part of the organization's name.
func firmAddress(city string) bool {
	at := strings.LastIndexByte(city, ' ')
	return at >= 0 && slices.Contains([]string{"Co", "Inc", "Corp", "Company", "Bank", "Ltd"}, city[at+1:])
}

// formerOrgs is the number of organizations on the lists that were gone before the first grant of the world.
// They keep the lists of the smallest worlds from being empty.
func (w *world) formerOrgs() int { return 16 + w.orgs/200 }

func (w *world) formerIndex(e *entity) (k int, ok bool) {
	k = e.id - idFirm - 400_000
	return k, k >= 0 && k < w.formerOrgs()
}

// formerOrg puts former organization k together. Every other former organization was in California.
func (w *world) formerOrg(k int, e *entity) {
	id := idFirm + 400_000 + k
	key := sub(w.seed, 'D', k)
	w.become(e, entity{id: id, key: key, class: cityCause, slot: scale(key, len(w.slots))})
	if of := w.slotsOf("CA"); len(of) > 0 && k%2 == 0 {
		e.slot = int(of[scale(sub(key, 's', 0), len(of))])
	}
	w.locate(e)
	e.field = generalFields[scale(sub(key, 'c', 0), len(generalFields))]
	n := otherNamer(e, 'n', 0)
	e.core = n.draw(e.core, cityCause.facts().templates)
	w.finish(e, &n)
	e.founded = min(e.founded, 2007)
}
