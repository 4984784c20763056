package synth

import (
	"fmt"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/table"
)

// Federal awards, as the archive of USAspending has them: a zip a fiscal year for assistance and one for contracts, a row a
// transaction, recipients by their federal identifier and never by their EIN. The audits that name both are beside them.

const (
	firstAward = 2017
	lastAward  = 2025
)

// posted is the day in the names of the archives.
var posted = date(2026, time.October, 1)

// program is an assistance listing with the agency that runs it.
type program struct{ number, title, agency, agencyName, office string }

var (
	programs = each.Of(readRows("federal_programs.tsv", "number", "title", "agency", "agency_name", "office"), func(r table.Row) program {
		return program{r.Text("number"), r.Text("title"), r.Text("agency"), r.Text("agency_name"), r.Text("office")}
	})
	services = each.Of(readRows("federal_services.tsv", "code", "description"), func(r table.Row) awardType {
		return awardType{r.Text("code"), r.Text("description")}
	})
)

type awardType struct{ code, description string }

var (
	contractTypes   = []awardType{{"A", "BPA CALL"}, {"B", "PURCHASE ORDER"}, {"C", "DELIVERY ORDER"}, {"D", "DEFINITIVE CONTRACT"}}
	assistanceTypes = []awardType{{"04", "PROJECT GRANT (B)"}, {"04", "PROJECT GRANT (B)"}, {"05", "COOPERATIVE AGREEMENT (B)"},
		{"03", "FORMULA GRANT (A)"}, {"02", "BLOCK GRANT (A)"}}
	directPayment = awardType{"06", "DIRECT PAYMENT FOR SPECIFIED USE, AS A SUBSIDY OR OTHER NON-REIMBURSABLE DIRECT FINANCIAL AID (C)"}
	directLoan    = awardType{"07", "DIRECT LOAN (E)"}
	vehicle       = awardType{"IDV_A", "GWAC"}
)

// federal reports whether organization i has ever had a federal award. It needs only
// the number, so that most organizations need not be put together.
func (w *world) federal(i int) bool {
	share := 300
	if i < w.wellKnown() {
		share = 4500
	}
	return odds(sub(w.seed, '$', i), share)
}

// grantee puts organization i together and reports whether it is of a kind that the government deals with.
func (d *listWriter) grantee(i int, e *entity) bool {
	if !d.w.federal(i) {
		return false
	}
	d.w.org(i, e)
	return e.class.is(federalAwards) && !d.w.exemption(e).gone()
}

// audited reports whether a grantee spends enough to be audited, so that the
// clearinghouse knows its EIN and its federal identifier together.
func audited(e *entity) bool { return odds(sub(e.key, '$', 1), 7200) }

// ueiOf is a unique entity identifier: twelve letters and digits, neither the letters I and O nor a leading zero.
func ueiOf(e *entity) []byte {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ123456789"
	r := rng{sub(e.key, '$', 2)}
	uei := []byte{letters[r.n(24)]}
	for range 11 {
		uei = append(uei, letters[r.n(len(letters))])
	}
	return uei
}

// award is one award of a recipient; it has a transaction a year while it runs.
type award struct {
	first, years int
	contract     bool
	amount       int64 // of a year, in dollars
	number       uint64
	pick         int // program or service
	key          uint64
}

func (d *listWriter) awards(e *entity) []award {
	r := rng{sub(e.key, '$', 3)}
	d.granted = d.granted[:0]
	for n := range 1 + zipf(r.next(), 6, 2) {
		key := sub(e.key, '!', n)
		h := rng{key}
		a := award{first: 2014 + h.n(12), years: 1 + h.n(5), contract: h.odds(900), key: key}
		// A bijection of recipient and award, so that no two awards share a number.
		a.number = uint64(e.id*8+n) * 700_000_001 % 1_000_000_000
		a.pick = h.n(len(programs))
		size := 14*one + h.n(4*one) + h.n(4*one)
		switch e.class {
		case hospital, college, publicCollege, government:
			size += 2 * one
		}
		a.amount = int64(exp2(size))
		d.granted = append(d.granted, a)
	}
	return d.granted
}

// What a build can know about the recipient of a transaction, as the counts of world.json name it.
const (
	rowsByUEI   = "federal_rows_by_uei"
	rowsByName  = "federal_rows_by_name"
	rowsUnknown = "federal_rows_unknown"
	rowsLeftOut = "federal_rows_left_out"
)

// usaspendingArchive writes the transactions of one fiscal year, of assistance or of contracts.
func (d *listWriter) usaspendingArchive(year int, contracts bool) error {
	kind, file := "Assistance", "federal assistance"
	if contracts {
		kind, file = "Contracts", "federal contracts"
	}
	stem := fmt.Sprintf("FY%d_All_%s_Full_%s", year, kind, posted.Format("20060102"))
	return d.writeZip("usaspending/"+stem+".zip", stem+"_1.csv", posted, header(file, "\n"), func(l *listFile) error {
		e := &d.f
		row := newRecord(file, ",", "\n", true)
		err := d.each(d.w.orgs, func(i int) {
			if !d.grantee(i, e) {
				return
			}
			known := rowsByName
			if audited(e) {
				known = rowsByUEI
			}
			for _, a := range d.awards(e) {
				if a.contract == contracts {
					d.transact(l, row, &transaction{e: e, award: a, year: year, known: known})
				}
			}
		})
		// Firms and agencies that are no organizations of the world.
		for k := range d.w.orgs/60 + 5 {
			d.vendor(k, e)
			for _, a := range d.awards(e) {
				if a.contract = k%3 == 0; a.contract == contracts {
					d.transact(l, row, &transaction{e: e, award: a, year: year, known: rowsUnknown})
				}
			}
		}
		return err
	})
}

// vendor puts a recipient together that no list knows.
func (d *listWriter) vendor(k int, e *entity) {
	key := sub(d.w.seed, 'V', k)
	d.w.become(e, entity{id: 3_000_000 + k, key: key, slot: scale(key, len(d.w.slots)), class: brand})
	e.ein = 0
	d.w.locate(e)
	n := otherNamer(e, 'n', 0)
	n.field, n.firm = generalFields[0], n.r.of(firms)
	e.core = n.draw(e.core, templates["business"])
}

type transaction struct {
	award
	e     *entity
	year  int
	k     int // year of the award, from 0 on
	cents int64
	date  time.Time
	known string
	r     rng
}

// transact writes the transaction of an award in a fiscal year, if it has one.
func (d *listWriter) transact(l *listFile, row *record, t *transaction) {
	t.k = t.year - t.first
	if t.k < 0 || t.k >= t.years {
		return
	}
	t.r = rng{sub(t.key, '!', t.k)}
	t.cents = t.amount*100*int64(80+t.r.n(40))/100 + int64(t.r.n(100))
	if t.k > 0 && t.k == t.years-1 && t.r.odds(2500) {
		t.cents = -t.cents / int64(8+t.r.n(30)) // the agency takes back what was not spent
		d.counts["federal_negative"]++
	}
	t.date = date(t.year-1, time.October, 1).AddDate(0, 0, t.r.n(364))
	if t.contract {
		t.contractRow(row)
	} else {
		t.assistanceRow(row)
	}
	row.add(fmt.Sprintf("https://www.usaspending.gov/award/%09d", t.number), day{posted.AddDate(0, 0, -t.r.n(300)), time.DateOnly})
	b := row.finish()
	d.counts[t.known]++
	if t.known == rowsLeftOut {
		l.Write(b)
		return
	}
	l.row(b)
	d.counts["federal_rows"]++
	d.counts["federal_cents"] += t.cents
}

// identity returns the UEI of a recipient and its DUNS number. Rows have DUNS numbers
// until 2022, and before that a few rows have no UEI.
func (t *transaction) identity() (uei, duns any) {
	if t.year >= 2022 {
		return ueiOf(t.e), nil
	}
	duns = padded{uint64(100_000_000 + scale(sub(t.e.key, '$', 4), 890_000_000)), 9}
	if t.r.odds(300) {
		if t.known == rowsByUEI {
			t.known = rowsByName
		}
		return nil, duns
	}
	return ueiOf(t.e), duns
}

func (t *transaction) contractRow(row *record) {
	p, e, service := &programs[t.pick], t.e, services[t.pick%len(services)]
	uei, duns := t.identity()
	kind := contractTypes[t.r.n(len(contractTypes))]
	if t.r.odds(150) {
		kind, t.known = vehicle, rowsLeftOut
	}
	number := fmt.Sprintf("%09dC", t.number)
	change := fmt.Sprintf("P%05d", t.k)
	row.add(p.agency+"_-NONE-_"+number+"_"+change+"_-NONE-_0", "CONT_AWD_"+number+"_"+p.agency+"_-NONE-_-NONE-", number, change,
		cents(t.cents), day{t.date, time.DateOnly}, t.year, p.agency, p.agencyName, p.office, uei, duns, caps(appendSigned(nil, e)), nil, nil,
		"USA", e.street, e.zip.City, e.zip.State, parts{e.zip.Code, padded{uint64(e.plus4), 4}}, kind.code, kind.description,
		"SERVICES UNDER THE CONTRACT", service.code, service.description, "624190", "OTHER INDIVIDUAL AND FAMILY SERVICES")
}

func (t *transaction) assistanceRow(row *record) {
	p, e, name := &programs[t.pick], t.e, caps(appendSigned(nil, t.e))
	uei, duns := t.identity()
	kind, deleted := assistanceTypes[t.r.n(len(assistanceTypes))], ""
	switch x := t.r.n(1000); {
	case x < 12:
		kind = directPayment
	case x < 18:
		kind = directLoan
	case x < 20:
		deleted = "D"
	}
	if deleted != "" || kind.code > "05" {
		t.known = rowsLeftOut
	}
	number := fmt.Sprintf("%09d", t.number)
	row.add(fmt.Sprintf("%s_%s_%d_%s_-NONE-", p.agency, number, t.k, p.number), "ASST_NON_"+number+"_"+p.agency, number, t.k, nil,
		cents(t.cents), cents(t.amount*100*int64(t.k+1)), day{t.date, time.DateOnly}, t.year, p.agency, p.agencyName, p.office, p.agencyName,
		uei, duns, name, name, nil, nil, "USA", e.street, e.zip.City, e.zip.State, e.zip.Code, padded{uint64(e.plus4), 4}, e.zip.State+"00000",
		p.number, p.title, kind.code, kind.description, fmt.Sprintf(`AWARD TO "%s", YEAR %d`, p.title, t.k+1), "M",
		"NONPROFIT WITH 501(C)(3) IRS STATUS (OTHER THAN AN INSTITUTION OF HIGHER EDUCATION)", deleted, "A")
}

func (d *listWriter) audits() error {
	return d.write("fac/general.csv", header("audits", "\n"), func(l *listFile) error {
		e := &d.f
		row := newRecord("audits", ",", "\n", true)
		return d.each(d.w.orgs, func(i int) {
			if !d.grantee(i, e) || !audited(e) {
				return
			}
			d.counts["fac_ueis"]++
			for year := 2018; year <= 2024; year++ {
				if r := (rng{sub(e.key, '%', year)}); year == 2024 || r.odds(6000) {
					d.audit(l, row, i, year, &r)
				}
			}
		})
	})
}

// audit writes the audit of organization i, which is in d.f, for a year.
func (d *listWriter) audit(l *listFile, row *record, i, year int, r *rng) {
	e, uei := &d.f, ueiOf(&d.f)
	if year < 2022 && r.odds(4000) {
		uei = []byte("GSA_MIGRATION")
		d.counts["fac_rows_without_uei"]++
		l.rows-- // readers skip rows without a UEI
	} else {
		d.counts["fac_rows"]++
	}
	kind := "non-profit"
	switch e.class {
	case government:
		kind = "local"
	case publicCollege, college:
		kind = "higher-ed"
	}
	row.add(fmt.Sprintf("%d-06-GSAFAC-%010d", year, i), year, uei, e.ein, caps(appendLegal(nil, e)), e.street, e.zip.City, e.zip.State, e.zip.Code,
		kind, 750_000+r.n(9_000_000), day{date(year+1, time.Month(3+r.n(9)), 1+r.n(28)), time.DateOnly})
	l.row(row.finish())
}
