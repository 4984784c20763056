package synth

import (
	"bufio"
	"strings"

	"grantgraph/internal/place"
)

// The master file is written in blocks of organizations, each into one part
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
// funders, the national bodies of federations, and some abroad.
func (w *world) entities() int { return w.orgs + w.funders + len(federations) + w.abroad() }

// abroad is how many organizations with an address in another country the
// master file lists.
func (w *world) abroad() int { return 3 + w.orgs/1500 }

// master writes block k of the master file into the four regional parts.
func (g *gen) master(k int, out *[4]*bufio.Writer, t *tally) {
	w, e := g.w, &g.f
	var b []byte
	for i := k * masterBlock; i < min((k+1)*masterBlock, w.entities()); i++ {
		wealth, cohort := 0, 0
		switch {
		case i < w.orgs:
			w.org(i, e)
			if !e.listed {
				continue
			}
			wealth = orgWealth(e)
			cohort = (i/len(w.slots) + i%len(w.slots)) & (cohorts - 1)
		case i < w.orgs+w.funders:
			r := i - w.orgs
			w.funder(r, e)
			wealth = w.funderWealth(e, e.class.files990PF())
			cohort = r % cohorts
		case i < w.orgs+w.funders+len(federations):
			w.federation(i-w.orgs-w.funders, e)
			wealth = orgWealth(e)
		default:
			b = w.foreignRow(b[:0], i-w.orgs-w.funders-len(federations))
			out[3].Write(b)
			t.bmf[3]++
			continue
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
	*e = entity{id: id, key: key, ein: w.ein(id), class: chapter, cause: causeIndex(fed.cause), base: -1, listed: true, parent: true,
		slot: scale(key, len(w.slots)), group: 1000 + f*7, section: fed.section, founded: 1890 + f*4, money: 22 * one,
		core: append(e.core[:0], fed.name...), old: e.old[:0], alias: e.alias[:0], street: e.street[:0], suffix: "Inc"}
	w.locate(e)
}

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
		return "03"
	case supporter:
		return "21"
	}
	if e.base >= 0 {
		return "21"
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
	b = appendPadded(b, uint64(e.group), 4)
	b = append(b, ',')
	b = append(b, e.section...)
	affiliation := byte('3')
	switch {
	case e.parent:
		affiliation = '6'
	case e.group > 0:
		affiliation = '9'
	}
	b = append(b, ',', affiliation, ',')
	classification := "1000"
	switch e.cause {
	case causeChurch, causeTemple, causeMasjid:
		classification = "7000"
	case causeSchool, causeCollege, causeParents, causeScholar:
		classification = "2000"
	}
	b = append(b, classification...)
	b = append(b, ',')
	b = appendPadded(b, uint64(max(e.founded+1, 1917)), 4)
	b = appendPadded(b, uint64(1+r.n(12)), 2)
	if e.section == "03" || e.section == "19" {
		b = append(b, ",1,"...)
	} else {
		b = append(b, ",2,"...)
	}
	b = append(b, foundationCode(e)...)
	b = append(b, ",000000000,"...)
	switch {
	case e.class == bankTrust:
		b = append(b, '2')
	case e.suffix != "" || r.odds(6000):
		b = append(b, '1')
	default:
		b = append(b, '5')
	}
	b = append(b, ",01,"...)
	bk := account(e, 2024, 0, wealth)
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
		b = append(b, causes[e.cause].code...)
		if r.odds(700) {
			b = append(b, 'Z')
		}
	}
	b = append(b, ',')
	if len(e.alias) > 0 {
		b = append(b, e.alias...)
	} else if e.group > 0 && !e.parent && r.odds(6000) {
		b = appendInt(b, int64(1+r.n(900)))
	}
	return append(b, '\r', '\n')
}

// foreignRow is the row of an organization abroad: the city column holds the
// country, the street column the whole address in quotes.
func (w *world) foreignRow(b []byte, k int) []byte {
	r := rng{sub(w.seed, 'J', k)}
	p := &abroad[r.n(len(abroad))]
	n := namer{r: r, zip: &ZIP{City: p.city, State: p.country}, cause: generalCauses[r.n(len(generalCauses))]}
	n.sur = n.r.of(surnames)
	b = w.ein(idFirm + 200_000 + k).Append(b)
	b = append(b, ',')
	start := len(b)
	b = n.expand(b, n.r.of(foreignTemplates))
	b = append(append(b, ",,\""...), p.postal...)
	b = append(b, ' ')
	b = appendStreet(b, &n.r, 0)
	b = append(b, ", "...)
	b = append(b, p.city...)
	b = append(b, "\","...)
	country, _ := place.Country(p.country)
	b = append(b, strings.ReplaceAll(country, ",", "")...)
	upper(b[start:])
	return append(b, ",,00000-0000,0000,03,3,1000,200801,1,15,000000000,1,01,202412,4,4,01,0,12,250000,180000,180000,Q30,\r\n"...)
}
