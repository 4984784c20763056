package synth

import (
	"fmt"
	"time"
)

// Federal awards, as the archive of USAspending has them: a zip a fiscal year
// for assistance and one for contracts, a row a transaction, recipients by
// their federal identifier and never by their EIN. The audits that name both
// are beside them.

const (
	firstAward = 2017
	lastAward  = 2025
)

// posted is the day in the names of the archives.
var posted = time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC)

type agency struct{ code, name, office string }

// program is an assistance listing.
type program struct {
	number, title string
	agency        int
}

var (
	agencies = []agency{
		{"075", "Department of Health and Human Services", "Administration for Children and Families"},
		{"075", "Department of Health and Human Services", "Health Resources and Services Administration"},
		{"091", "Department of Education", "Office of Elementary and Secondary Education"},
		{"012", "Department of Agriculture", "Food and Nutrition Service"},
		{"086", "Department of Housing and Urban Development", "Office of Community Planning and Development"},
		{"049", "National Science Foundation", "National Science Foundation"},
		{"015", "Department of Justice", "Office of Justice Programs"},
		{"1601", "Department of Labor", "Employment and Training Administration"},
		{"417", "National Endowment for the Arts", "National Endowment for the Arts"},
	}
	programs = []program{
		{"93.600", "HEAD START", 0}, {"93.569", "COMMUNITY SERVICES BLOCK GRANT", 0}, {"93.224", "HEALTH CENTER PROGRAM", 1},
		{"93.918", "GRANTS TO PROVIDE OUTPATIENT EARLY INTERVENTION SERVICES", 1}, {"84.287", "TWENTY-FIRST CENTURY COMMUNITY LEARNING CENTERS", 2},
		{"84.042", "TRIO STUDENT SUPPORT SERVICES", 2}, {"10.558", "CHILD AND ADULT CARE FOOD PROGRAM", 3}, {"14.267", "CONTINUUM OF CARE PROGRAM", 4},
		{"14.218", "COMMUNITY DEVELOPMENT BLOCK GRANTS/ENTITLEMENT GRANTS", 4}, {"47.076", "STEM EDUCATION (FORMERLY EDUCATION AND HUMAN RESOURCES)", 5},
		{"16.575", "CRIME VICTIM ASSISTANCE", 6}, {"17.274", "YOUTHBUILD", 7}, {"45.024", "PROMOTION OF THE ARTS GRANTS TO ORGANIZATIONS AND INDIVIDUALS", 8},
	}
	services = [][2]string{
		{"R699", "SUPPORT- ADMINISTRATIVE: OTHER"}, {"Q201", "MEDICAL- GENERAL HEALTH CARE"}, {"U008", "EDUCATION/TRAINING- TRAINING/CURRICULUM DEVELOPMENT"},
		{"AN11", "R&D- MEDICAL: BIOMEDICAL (BASIC RESEARCH)"}, {"G099", "SOCIAL- OTHER"},
	}
)

const assistanceHeader = "assistance_transaction_unique_key,assistance_award_unique_key,award_id_fain,modification_number,award_id_uri,federal_action_obligation,total_obligated_amount,action_date,action_date_fiscal_year,awarding_agency_code,awarding_agency_name,awarding_sub_agency_name,funding_agency_name,recipient_uei,recipient_duns,recipient_name,recipient_name_raw,recipient_parent_uei,recipient_parent_name,recipient_country_code,recipient_address_line_1,recipient_city_name,recipient_state_code,recipient_zip_code,recipient_zip_last_4_code,primary_place_of_performance_code,cfda_number,cfda_title,assistance_type_code,assistance_type_description,transaction_description,business_types_code,business_types_description,correction_delete_indicator_code,action_type_code,usaspending_permalink,last_modified_date\n"

const contractHeader = "contract_transaction_unique_key,contract_award_unique_key,award_id_piid,modification_number,federal_action_obligation,action_date,action_date_fiscal_year,awarding_agency_code,awarding_agency_name,awarding_sub_agency_name,recipient_uei,recipient_duns,recipient_name,recipient_parent_uei,recipient_parent_name,recipient_country_code,recipient_address_line_1,recipient_city_name,recipient_state_code,recipient_zip_4_code,award_type_code,award_type,transaction_description,product_or_service_code,product_or_service_code_description,naics_code,naics_description,usaspending_permalink,last_modified_date\n"

// federal reports whether organization i has ever had a federal award; it is
// asked before the organization is put together, which most are then spared.
func (w *world) federal(i int) bool {
	share := uint32(300)
	if i < w.wellKnown() {
		share = 4500
	}
	return odds(sub(w.seed, '$', i), share)
}

// grantee puts organization i together and reports whether it is of a kind
// that the government deals with.
func (d *listWriter) grantee(i int, e *entity) bool {
	if !d.w.federal(i) {
		return false
	}
	d.w.org(i, e)
	switch e.class {
	case church, temple, familyFoundation, parents, chapter:
		return false
	}
	return !d.w.exemption(e).gone()
}

// audited reports whether a grantee spends enough to be audited, so that the
// clearinghouse knows its EIN and its federal identifier together.
func audited(e *entity) bool { return odds(sub(e.key, '$', 1), 7200) }

// appendUEI writes a unique entity identifier: twelve letters and digits,
// neither the letters I and O nor a leading zero.
func appendUEI(dst []byte, key uint64) []byte {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ123456789"
	r := rng{sub(key, '$', 2)}
	dst = append(dst, letters[r.n(24)])
	for range 11 {
		dst = append(dst, letters[r.n(len(letters))])
	}
	return dst
}

// award is one award of a recipient; it has a transaction a year while it
// runs.
type award struct {
	first, years int
	contract     bool
	amount       int64 // of a year, in dollars
	number       uint64
	pick         int // program or service
	key          uint64
}

// awards are those of a recipient.
func (d *listWriter) awards(e *entity) []award {
	r := rng{sub(e.key, '$', 3)}
	d.granted = d.granted[:0]
	for n := range 1 + zipf(r.next(), 6, 2) {
		key := sub(e.key, '!', n)
		h := rng{key}
		a := award{first: 2014 + h.n(12), years: 1 + h.n(5), contract: h.odds(900), key: key}
		// A bijection of whose award it is and which, so that no two share it.
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

// usaspendingArchive writes the transactions of one fiscal year, of assistance or of
// contracts.
func (d *listWriter) usaspendingArchive(year int, contracts bool) error {
	kind, head := "Assistance", assistanceHeader
	if contracts {
		kind, head = "Contracts", contractHeader
	}
	stem := fmt.Sprintf("FY%d_All_%s_Full_%s", year, kind, posted.Format("20060102"))
	l, err := d.createZip("usaspending/"+stem+".zip", stem+"_1.csv", posted)
	if err != nil {
		return err
	}
	defer l.h.abandon()
	l.WriteString(head)
	e := &d.f
	for i := range d.w.orgs {
		if i&0xffff == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if !d.grantee(i, e) {
			continue
		}
		known := "federal_rows_by_name"
		if audited(e) {
			known = "federal_rows_by_uei"
		}
		for _, a := range d.awards(e) {
			d.transact(l, e, &a, year, contracts, known)
		}
	}
	// Recipients that are none of the world's: firms and agencies.
	for k := range d.w.orgs/60 + 5 {
		d.vendor(k, e)
		for _, a := range d.awards(e) {
			a.contract = k%3 == 0
			d.transact(l, e, &a, year, contracts, "federal_rows_unknown")
		}
	}
	return d.finish(l)
}

// vendor puts a recipient together that no list knows.
func (d *listWriter) vendor(k int, e *entity) {
	key := sub(d.w.seed, 'V', k)
	*e = entity{id: 3_000_000 + k, key: key, slot: scale(key, len(d.w.slots)), base: -1, class: brand, core: e.core[:0], old: e.old[:0], alias: e.alias[:0], street: e.street[:0]}
	d.w.locate(e)
	n := namer{zip: e.zip, field: generalFields[0]}
	n.r = rng{sub(key, 'n', 0)}
	n.sur, n.firm = n.r.of(surnames), n.r.of(firms)
	e.core = n.expand(e.core, n.r.of(businessTemplates))
}

// transact writes the transaction of an award in a fiscal year, if it has one
// in this archive.
func (d *listWriter) transact(l *listFile, e *entity, a *award, year int, contracts bool, known string) {
	k := year - a.first
	if a.contract != contracts || k < 0 || k >= a.years {
		return
	}
	r := rng{sub(a.key, '!', k)}
	cents := a.amount*100*int64(80+r.n(40))/100 + int64(r.n(100))
	if k > 0 && k == a.years-1 && r.odds(2500) {
		cents = -cents / int64(8+r.n(30)) // what was not spent is taken back
		d.counts["federal_negative"]++
	}
	date := time.Date(year-1, time.October, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.n(364))
	ag := &agencies[programs[a.pick].agency]
	b := d.row[:0]
	field := func(s string) { b = append(appendCSV(b, []byte(s)), ',') }
	bytes := func(s []byte) { b = append(appendCSV(b, s), ',') }
	number := func(n int64) { b = append(appendInt(b, n), ',') }
	identity := func() {
		if bare := year < 2022 && r.odds(300); bare {
			b = append(b, ',') // before the new identifier some have the old one only
			if known == "federal_rows_by_uei" {
				known = "federal_rows_by_name"
			}
		} else {
			b = append(appendUEI(b, e.key), ',')
		}
		if year < 2022 {
			b = appendPadded(b, uint64(100_000_000+scale(sub(e.key, '$', 4), 890_000_000)), 9)
		}
		b = append(b, ',')
	}
	money := func(c int64) {
		if c < 0 {
			b = append(b, '-')
			c = -c
		}
		b = appendPadded(append(appendInt(b, c/100), '.'), uint64(c%100), 2)
		b = append(b, ',')
	}
	d.tmp = appendSigned(d.tmp[:0], e)
	upper(d.tmp)
	place := func(zip4 bool) {
		field("USA")
		bytes(e.street)
		field(e.zip.City)
		field(e.zip.State)
		b = append(b, e.zip.Code...)
		if zip4 {
			b = appendPadded(b, uint64(e.plus4), 4)
			b = append(b, ',')
		} else {
			b = append(b, ',')
			b = append(appendPadded(b, uint64(e.plus4), 4), ',')
		}
	}
	if contracts {
		fmt.Fprintf(appender{&b}, "%s_-NONE-_%09dC_P%05d_-NONE-_0,CONT_AWD_%09dC_%s_-NONE-_-NONE-,%09dC,P%05d,", ag.code, a.number, k, a.number, ag.code, a.number, k)
		money(cents)
		field(date.Format(time.DateOnly))
		number(int64(year))
		field(ag.code)
		field(ag.name)
		field(ag.office)
		identity()
		bytes(d.tmp)
		b = append(b, ",,"...)
		place(true)
		types := [...][2]string{{"A", "BPA CALL"}, {"B", "PURCHASE ORDER"}, {"C", "DELIVERY ORDER"}, {"D", "DEFINITIVE CONTRACT"}}
		t := types[r.n(len(types))]
		if r.odds(150) {
			t = [2]string{"IDV_A", "GWAC"}
			known = "federal_rows_left_out"
		}
		field(t[0])
		field(t[1])
		field("SERVICES UNDER THE CONTRACT")
		s := services[a.pick%len(services)]
		field(s[0])
		field(s[1])
		field("624190")
		field("OTHER INDIVIDUAL AND FAMILY SERVICES")
	} else {
		p := &programs[a.pick]
		fmt.Fprintf(appender{&b}, "%s_%09d_%d_%s_-NONE-,ASST_NON_%09d_%s,%09d,%d,,", ag.code, a.number, k, p.number, a.number, ag.code, a.number, k)
		money(cents)
		money(a.amount * 100 * int64(k+1))
		field(date.Format(time.DateOnly))
		number(int64(year))
		field(ag.code)
		field(ag.name)
		field(ag.office)
		field(ag.name)
		identity()
		bytes(d.tmp)
		bytes(d.tmp)
		b = append(b, ",,"...)
		place(false)
		b = append(b, e.zip.State...)
		b = append(b, "00000,"...)
		field(p.number)
		field(p.title)
		types := [...][2]string{{"04", "PROJECT GRANT (B)"}, {"04", "PROJECT GRANT (B)"}, {"05", "COOPERATIVE AGREEMENT (B)"}, {"03", "FORMULA GRANT (A)"}, {"02", "BLOCK GRANT (A)"}}
		t := types[r.n(len(types))]
		deleted := ""
		switch x := r.n(1000); {
		case x < 12:
			t = [2]string{"06", "DIRECT PAYMENT FOR SPECIFIED USE, AS A SUBSIDY OR OTHER NON-REIMBURSABLE DIRECT FINANCIAL AID (C)"}
		case x < 18:
			t = [2]string{"07", "DIRECT LOAN (E)"}
		case x < 20:
			deleted = "D"
		}
		if deleted != "" || t[0] > "05" {
			known = "federal_rows_left_out"
		}
		field(t[0])
		field(t[1])
		field(`AWARD TO "` + p.title + `", YEAR ` + string(appendInt(nil, int64(k+1))))
		field("M")
		field("NONPROFIT WITH 501(C)(3) IRS STATUS (OTHER THAN AN INSTITUTION OF HIGHER EDUCATION)")
		field(deleted)
		field("A")
	}
	fmt.Fprintf(appender{&b}, "https://www.usaspending.gov/award/%09d,%s\n", a.number, posted.AddDate(0, 0, -r.n(300)).Format(time.DateOnly))
	d.row = b
	d.counts[known]++
	if known == "federal_rows_left_out" {
		l.Write(b)
		return
	}
	l.row(b)
	d.counts["federal_rows"]++
	d.counts["federal_cents"] += cents
}

// appender lets fmt write to the end of a slice.
type appender struct{ b *[]byte }

func (a appender) Write(p []byte) (int, error) {
	*a.b = append(*a.b, p...)
	return len(p), nil
}

// audits writes the general table of the audit clearinghouse.
func (d *listWriter) audits() error {
	l, err := d.create("fac/general.csv")
	if err != nil {
		return err
	}
	defer l.h.abandon()
	l.WriteString("report_id,audit_year,auditee_uei,auditee_ein,auditee_name,auditee_address_line_1,auditee_city,auditee_state,auditee_zip,entity_type,total_amount_expended,fac_accepted_date\n")
	e := &d.f
	var b []byte
	for i := range d.w.orgs {
		if i&0xffff == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if !d.grantee(i, e) || !audited(e) {
			continue
		}
		d.counts["fac_ueis"]++
		for year := 2018; year <= 2024; year++ {
			r := rng{sub(e.key, '%', year)}
			if year < 2024 && !r.odds(6000) {
				continue
			}
			b = fmt.Appendf(b[:0], "%d-06-GSAFAC-%010d,%d,", year, i, year)
			if year < 2022 && r.odds(4000) {
				b = append(b, "GSA_MIGRATION,"...)
				d.counts["fac_rows_without_uei"]++
				l.rows-- // of no use to a reader
			} else {
				b = append(appendUEI(b, e.key), ',')
				d.counts["fac_rows"]++
			}
			b = append(e.ein.Append(b), ',')
			d.tmp = appendLegal(d.tmp[:0], e)
			upper(d.tmp)
			b = append(appendCSV(b, d.tmp), ',')
			b = append(appendCSV(b, e.street), ',')
			b = append(appendCSV(b, []byte(e.zip.City)), ',')
			b = append(append(append(append(b, e.zip.State...), ','), e.zip.Code...), ',')
			entity := "non-profit"
			switch e.class {
			case government:
				entity = "local"
			case publicCollege, college:
				entity = "higher-ed"
			}
			b = append(append(b, entity...), ',')
			b = append(appendInt(b, int64(750_000+r.n(9_000_000))), ',')
			b = append(time.Date(year+1, time.Month(3+r.n(9)), 1+r.n(28), 0, 0, 0, 0, time.UTC).AppendFormat(b, time.DateOnly), '\n')
			l.row(b)
		}
	}
	return d.finish(l)
}
