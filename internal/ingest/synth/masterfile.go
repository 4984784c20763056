package synth

import (
	"bufio"
	"bytes"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
)

// The master file is written in blocks of organizations, each into one fragment
// per region.

const masterBlock = 1 << 15

const masterHeader = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\r\n"

// region is which of the four files a state's organizations are in.
func region(state string) int {
	switch state {
	case "CT", "MA", "ME", "NH", "NJ", "NY", "RI", "VT":
		return 0
	case "DE", "DC", "IL", "IN", "IA", "KY", "MD", "MI", "MN", "NE", "NC", "ND", "OH", "PA", "SC", "SD", "VA", "WV", "WI":
		return 1
	case "PR":
		return 3
	}
	return 2
}

// entities is how many rows the master file could have: organizations,
// funders, the national bodies of federations and churches, and some abroad.
func (w *world) entities() int { return w.domestic() + w.abroad() }

// domestic is how many of them have an address in the country.
func (w *world) domestic() int { return w.orgs + w.funders + len(federations) + len(churchBodies) }

// at puts number i of the domestic entities together.
func (w *world) at(i int, e *entity) {
	switch {
	case i < w.orgs:
		w.org(i, e)
	case i < w.orgs+w.funders:
		w.funder(i-w.orgs, e)
	case i < w.orgs+w.funders+len(federations):
		w.federation(i-w.orgs-w.funders, e)
	default:
		w.churchBody(i-w.orgs-w.funders-len(federations), e)
	}
}

// abroad is how many organizations with an address in another country the
// master file lists.
func (w *world) abroad() int { return 3 + w.orgs/1500 }

// master writes block k of the master file into the four regional fragments.
func (g *gen) master(k int, out *[4]*bufio.Writer, t *tally) {
	w, e := g.w, &g.f
	var b []byte
	for i := k * masterBlock; i < min((k+1)*masterBlock, w.entities()); i++ {
		if i >= w.domestic() {
			b = w.foreignRow(b[:0], i-w.domestic())
			out[3].Write(b)
			t.bmf[3]++
			continue
		}
		w.at(i, e)
		if !e.listed {
			continue
		}
		wealth, cohort := orgWealth(e), 0
		switch {
		case i < w.orgs:
			cohort = (i/len(w.slots) + i%len(w.slots)) & (cohorts - 1)
		case i < w.orgs+w.funders:
			wealth = w.funderWealth(e, e.class.files990PF())
			cohort = e.rank % cohorts
		}
		b = g.masterRow(b[:0], e, wealth, cohort)
		n := region(e.zip.State)
		out[n].Write(b)
		t.bmf[n]++
	}
}

// federation puts the national body of a federation together.
func (w *world) federation(f int, e *entity) {
	fed := &federations[f]
	id := idFirm + 1000 + f*7
	key := sub(w.seed, 'N', f)
	*e = entity{id: id, key: key, ein: w.ein(id), class: chapter, field: fieldIndex(fed.cause), base: -1, listed: true, parent: true,
		slot: scale(key, len(w.slots)), group: 1000 + f*7, section: fed.section, founded: 1890 + f*4, money: 22 * one,
		core: append(e.core[:0], fed.name...), old: e.old[:0], alias: e.alias[:0], street: e.street[:0], suffix: "Inc"}
	w.locate(e)
}

// churchBody puts the national body of a church together.
func (w *world) churchBody(k int, e *entity) {
	id := idFirm + churchBodyGroup(k)
	key := sub(w.seed, 'N', 1000+k)
	*e = entity{id: id, key: key, ein: w.ein(id), class: church, field: fieldChurch, base: -1, listed: true, parent: true,
		slot: scale(key, len(w.slots)), group: churchBodyGroup(k), section: "03", founded: 1905 + 3*k, money: 22 * one,
		core: append(e.core[:0], churchBodies[k].name...), old: e.old[:0], alias: e.alias[:0], street: e.street[:0]}
	w.locate(e)
}

// supportCodes are the types of supporting organizations, the common ones
// more than once.
var supportCodes = []string{"21", "21", "21", "22", "22", "23", "24", "17"}

// foundationCode is the reason an organization is or is not a private
// foundation.
func foundationCode(e *entity) string {
	if e.section != "03" {
		return "00"
	}
	switch e.class {
	case church, temple:
		return "10"
	case school, college:
		return "11"
	case hospital:
		return "12"
	case familyFoundation, corporateFoundation, bankTrust, scholarshipFund:
		return "04"
	case operatingFoundation:
		if odds(sub(e.key, '@', 2), operatingExempt) {
			return "02"
		}
		return "03"
	}
	if e.class == supporter || e.base >= 0 {
		return supportCodes[scale(sub(e.key, '@', 1), len(supportCodes))]
	}
	if odds(sub(e.key, '@', 0), 3500) {
		return "16"
	}
	return "15"
}

// incomeCode is the size class of an amount.
func incomeCode(n int64) byte {
	switch {
	case n <= 0:
		return '0'
	case n < 10_000:
		return '1'
	case n < 25_000:
		return '2'
	case n < 100_000:
		return '3'
	case n < 500_000:
		return '4'
	case n < 1_000_000:
		return '5'
	case n < 5_000_000:
		return '6'
	case n < 10_000_000:
		return '7'
	case n < 50_000_000:
		return '8'
	}
	return '9'
}

func (g *gen) masterRow(b []byte, e *entity, wealth, cohort int) []byte {
	r := rng{sub(e.key, '#', 0)}
	c := g.w.irsCodes(e)
	pf := e.class.files990PF()
	b = e.ein.Append(b)
	b = append(b, ',')
	start := len(b)
	b = appendMaster(b, e)
	// The IRS joins its two name lines without the space between them.
	if n := len(b) - start; n > 36 && r.odds(masterJoined) {
		for i := start + 30; i < start+36; i++ {
			if b[i] == ' ' {
				b = append(b[:i], b[i+1:]...)
				break
			}
		}
	}
	if e.suffix == "Inc" && r.odds(masterComma) { // a comma in the name, hence quotes
		g.tmp = append(g.tmp[:0], b[start:len(b)-4]...)
		b = append(append(append(b[:start], '"'), g.tmp...), `,INC"`...)
	}
	b = append(b, ',')
	if r.odds(4500) {
		b = append(b, "% "...)
		start = len(b)
		b = g.appendMember(b, e, 0, 2024)
		upper(b[start:])
	}
	b = append(b, ',')
	start = len(b)
	b = append(b, e.street...)
	upper(b[start:])
	b = append(b, ',')
	start = len(b)
	b = append(b, e.zip.City...)
	upper(b[start:])
	b = append(b, ',')
	b = append(b, e.zip.State...)
	b = append(b, ',')
	b = append(b, e.zip.Code...)
	b = append(b, '-')
	b = appendPadded(b, uint64(e.plus4), 4)
	b = append(b, ',')
	b = appendPadded(b, uint64(c.group), 4)
	b = append(b, ',')
	b = append(b, c.section...)
	b = append(b, ',', c.affiliation, ',')
	classification := "1000"
	switch e.field {
	case fieldChurch, fieldTemple, fieldMasjid:
		classification = "7000"
	case fieldSchool, fieldCollege, fieldParents, causeScholar:
		classification = "2000"
	}
	b = append(b, classification...)
	b = append(b, ',')
	b = appendPadded(b, uint64(c.year), 4)
	b = appendPadded(b, uint64(c.month), 2)
	b = append(b, ',', c.deductible, ',')
	b = append(b, c.foundation...)
	b = append(b, ",000000000,"...)
	b = append(b, c.organization, ',')
	b = append(b, c.status...)
	b = append(b, ',')
	bk := financesOf(e, 2024, 0, wealth)
	files := e.class != church && e.class != temple
	if files {
		b = append(b, "2024"...)
		b = appendPadded(b, uint64(closing(cohort)+1), 2)
	}
	assets, income := bk.assets, bk.revenue
	if !files {
		assets, income = 0, 0
	}
	b = append(b, ',', incomeCode(assets), ',', incomeCode(income), ',')
	switch {
	case !files:
		b = append(b, "06,0,"...)
	case pf:
		b = append(b, "00,1,"...)
	case e.money < 15*one:
		b = append(b, "02,0,"...)
	default:
		b = append(b, "01,0,"...)
	}
	b = appendPadded(b, uint64(closing(cohort)+1), 2)
	b = append(b, ',')
	b = appendInt(b, assets)
	b = append(b, ',')
	b = appendInt(b, income)
	b = append(b, ',')
	if files && !pf {
		b = appendInt(b, bk.revenue)
	}
	b = append(b, ',')
	if !r.odds(2800) {
		b = append(b, fields[e.field].code...)
		if r.odds(700) {
			b = append(b, 'Z')
		}
	}
	b = append(b, ',')
	start = len(b)
	trade, onFile := trades(e)
	switch {
	case shortListed(e):
		b = appendPlain(b, bytes.TrimPrefix(e.core[e.lead:], []byte(" ")))
	case trade && onFile:
		b = appendTrade(b, e, 0)
	case len(e.alias) > 0:
		b = append(b, e.alias...)
	}
	upper(b[start:])
	return append(b, '\r', '\n')
}

// foreigner names organization k abroad that the IRS recognizes.
func (w *world) foreigner(k int, name []byte) (body []byte, at int, street []byte) {
	r := rng{sub(w.seed, 'J', k)}
	at = r.n(len(foreignPlaces))
	p := &foreignPlaces[at]
	n := namer{zip: &ZIP{City: p.city, State: p.country}, field: generalFields[r.n(len(generalFields))]}
	n.r = r
	n.sur = n.r.of(surnames)
	body = n.expand(name, n.r.of(foreignTemplates))
	return body, at, appendStreet(nil, &n.r, 0)
}

// foreignEIN is the EIN of organization k abroad.
func (w *world) foreignEIN(k int) ein.EIN { return w.ein(idFirm + 200_000 + k) }

// foreignRow is the row of an organization abroad: the city column holds the
// country, the street column the whole address in quotes.
func (w *world) foreignRow(b []byte, k int) []byte {
	b = w.foreignEIN(k).Append(b)
	b = append(b, ',')
	start := len(b)
	b, at, street := w.foreigner(k, b)
	p := &foreignPlaces[at]
	b = append(append(b, ",,\""...), p.postal...)
	b = append(b, ' ')
	b = append(b, street...)
	b = append(b, ", "...)
	b = append(b, p.city...)
	b = append(b, "\","...)
	country, _ := place.Country(p.country)
	b = append(b, strings.ReplaceAll(country, ",", "")...)
	upper(b[start:])
	return append(b, ",,00000-0000,0000,03,3,1000,200801,1,15,000000000,1,01,202412,4,4,01,0,12,250000,180000,180000,Q30,\r\n"...)
}
