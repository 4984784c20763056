package synth

import (
	"bytes"
	"time"
)

// The tables of the public extract: zips of one JSON array each, with a byte
// order mark, one object to a line, and the comma before it rather than after.

// registerTable is one table while it is written.
type registerTable struct {
	jsonObject
	l      *listFile
	c      charity
	writer *listWriter
}

// tables are the tables of the register and the rows that a charity has in
// each.
var tables = []struct {
	name string
	rows func(*registerTable)
}{
	{"charity", (*registerTable).charities},
	{"charity_annual_return_history", (*registerTable).history},
	{"charity_annual_return_parta", (*registerTable).partA},
	{"charity_annual_return_partb", (*registerTable).partB},
	{"charity_area_of_operation", (*registerTable).areas},
	{"charity_classification", (*registerTable).classes},
	{"charity_event_history", (*registerTable).events},
	{"charity_governing_document", (*registerTable).documents},
	{"charity_other_names", (*registerTable).otherNames},
	{"charity_other_regulators", (*registerTable).regulators},
	{"charity_policy", (*registerTable).policies},
	{"charity_published_report", (*registerTable).reports},
	{"charity_trustee", (*registerTable).trustees},
}

// ukTable writes table i of the register.
func (d *listWriter) ukTable(i int) error {
	t := &tables[i]
	l, err := d.createZip("uk/publicextract."+t.name+".zip", "publicextract."+t.name+".json", today.Add(70*time.Minute))
	if err != nil {
		return err
	}
	defer l.h.abandon()
	l.WriteString("\ufeff[")
	x := &registerTable{l: l, writer: d}
	for k := range d.w.charities() {
		if k&0x3ff == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		d.w.charity(k, &x.c)
		t.rows(x)
	}
	l.WriteString("]")
	d.counts["uk_"+t.name] = l.rows
	return d.finish(l)
}

// opened is how every row opens.
var opened = extracted.Format(`{"date_of_extract":"2006-01-02T00:00:00"`)

// begin starts a row of main charity c, or of its linked charity j.
func (x *registerTable) begin(j int, tableHasLinked bool) {
	x.b = x.b[:0]
	if x.l.rows > 0 {
		x.b = append(x.b, ',')
	}
	x.b = append(x.b, opened...)
	if j == 0 {
		x.number("organisation_number", x.c.organisation())
	} else {
		x.number("organisation_number", x.c.subsidiary(j))
	}
	x.number("registered_charity_number", x.c.number())
	if tableHasLinked {
		x.number("linked_charity_number", int64(j))
	}
}

func (x *registerTable) end() {
	x.b = append(x.b, "}\r\n"...)
	x.l.row(x.b)
}

// period is the k-th newest financial year of a charity that has any.
func (x *registerTable) period(k int) (start, end, due, received time.Time) {
	month := time.March
	switch x.c.key % 3 {
	case 1:
		month = time.December
	case 2:
		month = time.August
	}
	year := 2026 - k
	if month != time.March {
		year--
	}
	end = time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC)
	start = time.Date(year-1, month+1, 1, 0, 0, 0, 0, time.UTC)
	due = end.AddDate(0, 10, 0)
	received = end.AddDate(0, 0, 100+scale(sub(x.c.key, 'd', k), 190))
	if received.After(today) {
		received = today.AddDate(0, 0, -scale(sub(x.c.key, 'd', k), 30))
	}
	return start, end, due, received
}

// years is how many financial years the register keeps of a charity.
func (x *registerTable) years(most int) int {
	if x.c.removed {
		return 0
	}
	return min(most, max(0, 2025-x.c.joined.Year()))
}

// turnover is what a charity took and spent in its k-th newest year.
func (x *registerTable) turnover(k int) (income, spent int64) {
	income = x.c.income * int64(80+scale(sub(x.c.key, 'y', k), 30)) / 100
	return income, income * int64(82+scale(sub(x.c.key, 'e', k), 30)) / 100
}

func (x *registerTable) charities() {
	c := &x.c
	x.row(0, c.name, c.kind)
	if !c.removed {
		x.writer.counts["uk_registered"]++
	}
	for j := 1; j <= c.linked(); j++ {
		x.row(j, x.linkedName(j), "")
		x.writer.counts["uk_linked"]++
	}
}

func (x *registerTable) linkedName(j int) []byte {
	r := rng{sub(x.c.key, 'L', j)}
	b := append([]byte("The "), r.of(surnames)...)
	b = append(b, pickBar(" Fund| Bequest| Almshouse Branch| Educational Branch", r.next())...)
	upper(b)
	return b
}

func (x *registerTable) row(j int, name []byte, kind string) {
	c := &x.c
	r := rng{sub(c.key, 'R', j)}
	x.begin(j, true)
	x.text("charity_name", name)
	x.word("charity_type", kind)
	status, reporting := "Registered", "Submission Received"
	switch {
	case c.removed:
		status, reporting = "Removed", "Removed"
	case r.odds(600):
		reporting = "Submission Overdue"
	case c.joined.Year() > 2024:
		reporting = "New"
	}
	x.word("charity_registration_status", status)
	x.date("date_of_registration", c.joined)
	x.date("date_of_removal", c.left)
	x.word("charity_reporting_status", reporting)
	if x.years(5) > 0 && j == 0 {
		start, end, _, _ := x.period(0)
		income, spent := x.turnover(0)
		x.date("latest_acc_fin_period_start_date", start)
		x.date("latest_acc_fin_period_end_date", end)
		x.money("latest_income", income)
		x.money("latest_expenditure", spent)
	} else {
		x.null("latest_acc_fin_period_start_date", "latest_acc_fin_period_end_date", "latest_income", "latest_expenditure")
	}
	if c.removed || j > 0 {
		x.null("charity_contact_address1", "charity_contact_address2", "charity_contact_address3", "charity_contact_address4", "charity_contact_address5",
			"charity_contact_postcode", "charity_contact_phone", "charity_contact_email", "charity_contact_web")
	} else {
		x.text("charity_contact_address1", c.street)
		x.word("charity_contact_address2", c.town.name)
		x.word("charity_contact_address3", c.town.county)
		x.null("charity_contact_address4", "charity_contact_address5")
		x.text("charity_contact_postcode", c.code)
		x.key("charity_contact_phone")
		x.b = append(x.b, `"01632 96`...)
		x.b = append(appendPadded(x.b, uint64(r.n(10_000)), 4), '"')
		x.key("charity_contact_email")
		x.b = append(append(appendInt(append(x.b, `"office@charity`...), c.number()), ".example"...), '"')
		if r.odds(6000) {
			x.key("charity_contact_web")
			x.b = append(append(appendInt(append(x.b, `"www.charity`...), c.number()), ".example"...), '"')
		} else {
			x.null("charity_contact_web")
		}
	}
	if kind == "Charitable company" {
		x.key("charity_company_registration_number")
		x.b = append(appendPadded(append(x.b, '"'), uint64(90_000_000+c.k), 8), '"')
	} else {
		x.null("charity_company_registration_number")
	}
	x.flag("charity_insolvent", r.odds(8))
	x.flag("charity_in_administration", r.odds(4))
	x.flag("charity_previously_excepted", r.odds(200))
	x.null("charity_is_cdf_or_cif")
	x.flag("charity_is_cio", kind == "CIO")
	x.flag("cio_is_dissolved", false)
	x.null("date_cio_dissolution_notice")
	if c.removed || j > 0 {
		x.null("charity_activities")
	} else {
		x.text("charity_activities", x.purpose("We "))
	}
	switch r.n(3) {
	case 0:
		x.null("charity_gift_aid")
	default:
		x.flag("charity_gift_aid", r.odds(8000))
	}
	x.flag("charity_has_land", r.odds(3500))
	x.end()
}

// purpose is what the charity does, in a sentence.
func (x *registerTable) purpose(lead string) []byte {
	cs := &fields[x.c.cause]
	r := rng{sub(x.c.key, 'P', 0)}
	b := append([]byte(lead), r.of(cs.does)...)
	b = append(append(b, " for "...), r.of(cs.whom)...)
	return append(append(append(b, " in "...), x.c.town.county...), '.')
}

func (x *registerTable) history() {
	for k := range x.years(5) {
		start, end, due, received := x.period(k)
		income, spent := x.turnover(k)
		x.begin(0, false)
		x.date("fin_period_start_date", start)
		x.date("fin_period_end_date", end)
		x.cycle(end)
		x.date("reporting_due_date", due)
		x.date("date_annual_return_received", received)
		if income > 25_000 {
			x.date("date_accounts_received", received)
		} else {
			x.null("date_accounts_received")
		}
		x.money("total_gross_income", income)
		x.money("total_gross_expenditure", spent)
		if odds(sub(x.c.key, 'q', k), 60) {
			x.flag("accounts_qualified", true)
		} else {
			x.null("accounts_qualified")
		}
		x.number("suppression_ind", 0)
		x.null("suppression_type")
		x.end()
	}
}

// cycle is the name of the annual return that a period belongs to.
func (x *registerTable) cycle(end time.Time) {
	x.key("ar_cycle_reference")
	x.b = append(appendPadded(append(x.b, `"AR`...), uint64(end.Year()%100), 2), '"')
}

func (x *registerTable) areas() {
	c := &x.c
	r := rng{sub(c.key, 'a', 0)}
	add := func(kind, name, parentKind, parent string) {
		x.begin(0, true)
		x.word("geographic_area_type", kind)
		x.word("geographic_area_description", name)
		x.word("parent_geographic_area_type", parentKind)
		x.word("parent_geographic_area_description", parent)
		x.flag("welsh_ind", c.town.region == "Wales")
		x.end()
	}
	if c.removed {
		return
	}
	switch x := r.n(10); {
	case x < 7:
		add("Local Authority", c.town.county, "Region", c.town.region)
		if r.odds(2500) {
			t := &towns[r.n(len(towns))]
			if t.county != c.town.county {
				add("Local Authority", t.county, "Region", t.region)
			}
		}
	case x < 9:
		add("Region", "Throughout England And Wales", "", "")
	default:
		add("Country", pickBar("Kenya|Nepal|Malawi|Sierra Leone|Peru", r.next()), "Continent", "Overseas")
	}
}

func (x *registerTable) events() {
	c := &x.c
	add := func(j, order int, kind string, at time.Time, reason string) {
		x.begin(j, true)
		name := c.name
		if j > 0 {
			name = x.linkedName(j)
		}
		x.text("charity_name", name)
		x.number("charity_event_order", int64(order))
		x.word("event_type", kind)
		x.date("date_of_event", at)
		x.word("reason", reason)
		x.null("assoc_organisation_number", "assoc_registered_charity_number", "assoc_charity_name")
		x.end()
	}
	for j := range c.linked() + 1 {
		add(j, 1, "Registration", c.joined, "Standard registration")
		if c.removed {
			r := rng{sub(c.key, 'E', j)}
			add(j, 2, "Removed", c.left, pickBar("Ceased to exist|Does not operate|Funds transferred or spent out|Amalgamated", r.next()))
		}
	}
}

func (x *registerTable) documents() {
	c := &x.c
	for j := range c.linked() + 1 {
		x.begin(j, true)
		x.key("governing_document_description")
		x.b = append(x.b, '"')
		switch c.kind {
		case "Charitable company":
			x.b = append(x.b, "MEMORANDUM AND ARTICLES INCORPORATED "...)
		case "CIO":
			x.b = append(x.b, "CIO - FOUNDATION REGISTERED "...)
		case "Trust":
			x.b = append(x.b, "DECLARATION OF TRUST DATED "...)
		default:
			x.b = append(x.b, "CONSTITUTION ADOPTED "...)
		}
		x.b = append(c.joined.AppendFormat(x.b, "02/01/2006"), '"')
		objects := x.purpose("TO ")
		upper(objects)
		x.text("charitable_objects", objects)
		if odds(sub(c.key, 'b', j), 4000) {
			area := append([]byte(nil), c.town.county...)
			upper(area)
			x.text("area_of_benefit", area)
		} else {
			x.null("area_of_benefit")
		}
		x.end()
	}
}

func (x *registerTable) otherNames() {
	c := &x.c
	r := rng{sub(c.key, 'o', 0)}
	add := func(kind string, name []byte) {
		x.begin(0, true)
		x.number("charity_name_id", 7_000_000+x.l.rows)
		x.word("charity_name_type", kind)
		x.text("charity_name", name)
		x.end()
	}
	if r.odds(1800) {
		if short := appendAcronym(nil, c.name); len(short) > 0 && r.odds(5000) {
			add("Working name", titled(nil, c.name))
		} else {
			add("Working name", append([]byte("THE "), c.name...))
		}
	}
	if r.odds(1200) {
		n := namer{zip: &ZIP{City: c.town.name, State: "UK"}, field: c.cause}
		n.r, n.sur = rng{r.next()}, r.of(surnames)
		old := n.expand(nil, n.r.of(charityTemplates))
		upper(old)
		if !bytes.Equal(old, c.name) {
			add("Previous name", old)
		}
	}
}

func (x *registerTable) regulators() {
	if x.c.removed || !odds(sub(x.c.key, 'g', 0), 500) {
		return
	}
	x.begin(0, false)
	x.number("regulator_order", 1)
	x.word("regulator_name", pickBar("Ofsted|Care Quality Commission|Regulator of Social Housing", sub(x.c.key, 'g', 1)))
	x.word("regulator_web_url", "https://www.gov.uk")
	x.end()
}

func (x *registerTable) policies() {
	if x.c.removed {
		return
	}
	r := rng{sub(x.c.key, 'p', 99)}
	for _, p := range []string{"Complaints handling", "Conflicting interests", "Safeguarding vulnerable beneficiaries", "Risk management", "Volunteer management", "Paying staff", "Investment"} {
		if r.odds(4000) {
			x.begin(0, true)
			x.word("policy_name", p)
			x.end()
		}
	}
}

func (x *registerTable) reports() {
	if !odds(sub(x.c.key, 'r', 7), 40) && x.c.k != 11 {
		return
	}
	x.begin(0, true)
	x.word("report_name", "STATEMENT OF INQUIRY")
	x.key("report_location")
	x.b = append(appendInt(append(x.b, `"HTTPS://REPORTS.EXAMPLE/INQUIRY-`...), x.c.number()), '"')
	x.date("date_published", today.AddDate(0, 0, -30-scale(x.c.key, 2000)))
	x.end()
}

func (x *registerTable) trustees() {
	x.writer.w.seats(&x.c)
	var name []byte
	for i := range x.c.board {
		s := &x.c.board[i]
		r := rng{sub(x.c.key, 'T', i)}
		x.begin(0, true)
		x.number("trustee_id", s.id)
		name = appendTrustee(name[:0], s)
		x.text("trustee_name", name)
		x.flag("trustee_is_chair", s.chair)
		if s.firm {
			x.word("individual_or_organisation", "O")
		} else {
			x.word("individual_or_organisation", "P")
		}
		appointed := time.Date(2002+r.n(24), time.Month(1+r.n(12)), 1+r.n(28), 0, 0, 0, 0, time.UTC)
		if r.odds(1500) || appointed.Before(x.c.joined) {
			appointed = time.Time{}
		}
		x.date("trustee_date_of_appointment", appointed)
		x.end()
		if s.firm {
			x.writer.counts["uk_trustees_corporate"]++
		}
		if s.chair {
			x.writer.counts["uk_chairs"]++
		}
	}
}
