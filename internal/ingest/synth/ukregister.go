package synth

import (
	"bytes"
	"strconv"
	"time"
)

// The tables of the public extract: zips of one JSON array each, with a byte
// order mark, one object to a line, and the comma before it rather than after.

type registerTable struct {
	b       []byte // the row at hand
	fields  int    // written of it
	columns []string
	keys    []string // the columns as the row names them
	l       *listFile
	c       charity
	writer  *listWriter
}

// tables are the tables of the register and the rows that a charity has in each.
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

var extracted = today

func (d *listWriter) ukTable(i int) error {
	t := &tables[i]
	stem := "publicextract." + t.name
	return d.writeZip("uk/"+stem+".zip", stem+".json", today.Add(70*time.Minute), "\ufeff[", func(l *listFile) error {
		x := &registerTable{l: l, writer: d, columns: columns.of(t.name)}
		for _, name := range x.columns {
			x.keys = append(x.keys, `,"`+name+`":`)
		}
		err := d.each(d.w.charities(), func(k int) {
			d.w.charity(k, &x.c)
			t.rows(x)
		})
		l.WriteString("]")
		d.counts["uk_"+t.name] = l.rows
		return err
	})
}

// pounds is an amount, which has a fraction upstream.
type pounds int64

// put appends values to the row under the next columns. Nil, an empty text and a time that is zero are null.
func (x *registerTable) put(values ...any) {
	for _, v := range values {
		x.b = append(x.b, x.keys[x.fields]...)
		x.fields++
		switch v := v.(type) {
		case string:
			x.text([]byte(v))
		case []byte:
			x.text(v)
		case bool:
			x.b = strconv.AppendBool(x.b, v)
		case pounds:
			x.b = join(x.b, int64(v), ".00")
		case time.Time:
			if v.IsZero() {
				x.text(nil)
			} else {
				x.b = v.AppendFormat(x.b, `"2006-01-02T00:00:00"`)
			}
		case nil:
			x.text(nil)
		default:
			x.b = join(x.b, v)
		}
	}
}

func (x *registerTable) text(v []byte) {
	if len(v) == 0 {
		x.b = append(x.b, "null"...)
		return
	}
	x.b = append(x.b, '"')
	for _, c := range v {
		if c == '"' || c == '\\' {
			x.b = append(x.b, '\\')
		}
		x.b = append(x.b, c)
	}
	x.b = append(x.b, '"')
}

// begin starts a row of main charity c, or of its linked charity j.
func (x *registerTable) begin(j int) {
	x.b, x.fields = x.b[:0], 0
	organisation := x.c.organisation()
	if j > 0 {
		organisation = x.c.subsidiary(j)
	}
	x.put(extracted, organisation, x.c.number())
	if x.columns[x.fields] == "linked_charity_number" {
		x.put(j)
	}
}

// end ends the row, which must have a value in every column.
func (x *registerTable) end() {
	if x.fields != len(x.columns) {
		panic("synth: a row of the register lacks " + x.columns[x.fields])
	}
	x.b[0] = '{'
	if x.l.rows > 0 {
		x.l.WriteByte(',')
	}
	x.l.row(append(x.b, "}\r\n"...))
}

// row writes a whole row of main charity c, or of its linked charity j.
func (x *registerTable) row(j int, values ...any) {
	x.begin(j)
	x.put(values...)
	x.end()
}

// period is a financial year with its annual return.
type period struct{ start, end, due, received time.Time }

func (x *registerTable) period(k int) period {
	month := [...]time.Month{time.March, time.December, time.August}[x.c.key%3]
	year := 2026 - k
	if month != time.March {
		year--
	}
	p := period{start: date(year-1, month+1, 1), end: date(year, month+1, 0)}
	p.due = p.end.AddDate(0, 10, 0)
	p.received = p.end.AddDate(0, 0, 100+scale(sub(x.c.key, 'd', k), 190))
	if p.received.After(today) {
		p.received = today.AddDate(0, 0, -scale(sub(x.c.key, 'd', k), 30))
	}
	return p
}

func (p *period) cycle() []byte { return join(nil, "AR", padded{uint64(p.end.Year() % 100), 2}) }

func (x *registerTable) years(most int) int {
	if x.c.removed {
		return 0
	}
	return min(most, max(0, 2025-x.c.joined.Year()))
}

func (x *registerTable) turnover(k int) (income, spent int64) {
	income = x.c.income * int64(80+scale(sub(x.c.key, 'y', k), 30)) / 100
	return income, income * int64(82+scale(sub(x.c.key, 'e', k), 30)) / 100
}

func (x *registerTable) charities() {
	c := &x.c
	x.charity(0, c.name, c.kind)
	if !c.removed {
		x.writer.counts["uk_registered"]++
	}
	for j := 1; j <= c.linked(); j++ {
		x.charity(j, x.linkedName(j), "")
		x.writer.counts["uk_linked"]++
	}
}

func (x *registerTable) linkedName(j int) []byte {
	r := rng{sub(x.c.key, 'L', j)}
	return join(nil, "THE ", capsText(r.of(surnames)), capsText(pickBar(" Fund| Bequest| Almshouse Branch| Educational Branch", r.next())))
}

// charity writes the row of the main charity, or of its linked charity j.
func (x *registerTable) charity(j int, name []byte, kind string) {
	c := &x.c
	r := rng{sub(c.key, 'R', j)}
	x.begin(j)
	status, reporting := "Registered", "Submission Received"
	switch {
	case c.removed:
		status, reporting = "Removed", "Removed"
	case r.odds(600):
		reporting = "Submission Overdue"
	case c.joined.Year() > 2024:
		reporting = "New"
	}
	x.put(name, kind, status, c.joined, c.left, reporting)
	if x.years(5) > 0 && j == 0 {
		p := x.period(0)
		income, spent := x.turnover(0)
		x.put(p.start, p.end, pounds(income), pounds(spent))
	} else {
		x.put(nil, nil, nil, nil)
	}
	if c.removed || j > 0 {
		x.put(nil, nil, nil, nil, nil, nil, nil, nil, nil)
	} else {
		phone := join(nil, "01632 96", padded{uint64(r.n(10_000)), 4})
		domain := join(nil, "charity", c.number(), ".example")
		x.put(c.street, c.town.name, c.town.county, nil, nil, c.code, phone, join(nil, "office@", domain), when(r.odds(6000), join(nil, "www.", domain)))
	}
	x.put(when(kind == ukCompany, join(nil, padded{uint64(90_000_000 + c.k), 8})))
	x.put(r.odds(8), r.odds(4), r.odds(200), nil, kind == ukCIO, false, nil)
	x.put(when(!c.removed && j == 0, x.purpose("We ")))
	if r.n(3) == 0 {
		x.put(nil)
	} else {
		x.put(r.odds(8000))
	}
	x.put(r.odds(3500))
	x.end()
}

func (x *registerTable) purpose(lead string) []byte {
	cs := &fields[x.c.cause]
	r := rng{sub(x.c.key, 'P', 0)}
	return join(nil, lead, r.of(cs.does), " for ", r.of(cs.whom), " in ", x.c.town.county, '.')
}

func (x *registerTable) history() {
	for k := range x.years(5) {
		p := x.period(k)
		income, spent := x.turnover(k)
		x.row(0, p.start, p.end, p.cycle(), p.due, p.received, when(income > 25_000, p.received), pounds(income), pounds(spent),
			when(odds(sub(x.c.key, 'q', k), 60), true), 0, nil)
	}
}

func (x *registerTable) areas() {
	c := &x.c
	if c.removed {
		return
	}
	r := rng{sub(c.key, 'a', 0)}
	add := func(kind, name, parentKind, parent string) {
		x.row(0, kind, name, parentKind, parent, c.town.region == "Wales")
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
	for j := range c.linked() + 1 {
		name := c.name
		if j > 0 {
			name = x.linkedName(j)
		}
		x.row(j, name, 1, "Registration", c.joined, "Standard registration", nil, nil, nil)
		if c.removed {
			reason := pickBar("Ceased to exist|Does not operate|Funds transferred or spent out|Amalgamated", (&rng{sub(c.key, 'E', j)}).next())
			x.row(j, name, 2, "Removed", c.left, reason, nil, nil, nil)
		}
	}
}

func (x *registerTable) documents() {
	c := &x.c
	document := "CONSTITUTION ADOPTED "
	switch c.kind {
	case ukCompany:
		document = "MEMORANDUM AND ARTICLES INCORPORATED "
	case ukCIO:
		document = "CIO - FOUNDATION REGISTERED "
	case "Trust":
		document = "DECLARATION OF TRUST DATED "
	}
	objects := join(nil, caps(x.purpose("TO ")))
	for j := range c.linked() + 1 {
		x.row(j, join(nil, document, day{c.joined, "02/01/2006"}), objects, when(odds(sub(c.key, 'b', j), 4000), join(nil, capsText(c.town.county))))
	}
}

func (x *registerTable) otherNames() {
	c := &x.c
	r := rng{sub(c.key, 'o', 0)}
	add := func(kind string, name []byte) { x.row(0, 7_000_000+x.l.rows, kind, name) }
	if r.odds(1800) {
		if short := appendAcronym(nil, c.name); len(short) > 0 && r.odds(5000) {
			add("Working name", appendTitled(nil, c.name))
		} else {
			add("Working name", join(nil, "THE ", c.name))
		}
	}
	if r.odds(1200) {
		n := namer{zip: &ZIP{City: c.town.name, State: "UK"}, field: c.cause}
		n.r, n.sur = rng{r.next()}, r.of(surnames)
		old := n.draw(nil, templates["charity"])
		if upper(old); !bytes.Equal(old, c.name) {
			add("Previous name", old)
		}
	}
}

func (x *registerTable) regulators() {
	if x.c.removed || !odds(sub(x.c.key, 'g', 0), 500) {
		return
	}
	x.row(0, 1, pickBar("Ofsted|Care Quality Commission|Regulator of Social Housing", sub(x.c.key, 'g', 1)), "https://www.gov.uk")
}

func (x *registerTable) policies() {
	if x.c.removed {
		return
	}
	r := rng{sub(x.c.key, 'p', 99)}
	for _, p := range words["uk policy"] {
		if r.odds(4000) {
			x.row(0, p)
		}
	}
}

func (x *registerTable) reports() {
	if odds(sub(x.c.key, 'r', 7), 40) || x.c.k == 11 {
		x.row(0, "STATEMENT OF INQUIRY", join(nil, "HTTPS://REPORTS.EXAMPLE/INQUIRY-", x.c.number()),
			today.AddDate(0, 0, -30-scale(x.c.key, 2000)))
	}
}

func (x *registerTable) trustees() {
	x.writer.w.seats(&x.c)
	for i := range x.c.board {
		s := &x.c.board[i]
		r := rng{sub(x.c.key, 'T', i)}
		kind := "P"
		if s.firm {
			kind = "O"
			x.writer.counts["uk_trustees_corporate"]++
		}
		if s.chair {
			x.writer.counts["uk_chairs"]++
		}
		appointed := r.day(2002, 24)
		if r.odds(1500) || appointed.Before(x.c.joined) {
			appointed = time.Time{}
		}
		x.row(0, s.id, appendTrustee(nil, s), s.chair, kind, appointed)
	}
}

// The annual returns of the register, its widest tables, and the codes by which it classifies charities.

// opening writes the columns that both parts of a return begin with.
func (x *registerTable) opening(k int) {
	p := x.period(k)
	x.begin(0)
	x.put(k == 0, k+1, p.cycle(), p.start, p.end, p.due, p.received)
}

// salaryBands is how many columns count employees by salary.
const salaryBands = 16

func (x *registerTable) partA() {
	kept := 2
	if x.c.income > 500_000 {
		kept = 5
	}
	for k := range x.years(kept) {
		income, spent := x.turnover(k)
		r := rng{sub(x.c.key, 'A', k)}
		x.opening(k)
		x.put(pounds(income), pounds(spent), r.odds(5500), r.odds(200), nil, r.odds(150), nil, r.odds(2200))
		if r.odds(900) {
			x.put(true, 1+r.n(4))
		} else {
			x.put(false, nil)
		}
		if r.odds(2000) {
			x.put(true, 1+r.n(6), nil, pounds(income*int64(5+r.n(40))/100))
		} else {
			x.put(false, nil, nil, nil)
		}
		paid := income > 2_000_000
		x.put(r.odds(500), nil, r.odds(800), false, r.odds(500), r.odds(200), false, paid)
		for i := range salaryBands {
			if paid {
				x.put(r.n(8) >> min(i, 4))
			} else {
				x.put(nil)
			}
		}
		x.put(nil, zipf(r.next(), 400, 8))
		x.end()
	}
}

// partB is filed by the larger charities only.
func (x *registerTable) partB() {
	if x.c.income <= 500_000 {
		return
	}
	for k := range x.years(5) {
		income, spent := x.turnover(k)
		r := rng{sub(x.c.key, 'B', k)}
		share := func(of pounds, most int) pounds { return of * pounds(r.n(most)) / 100 }
		in, out, zero := pounds(income), pounds(spent), pounds(0)
		x.opening(k)
		trading, invested, legacies := share(in, 15), share(in, 12), share(in, 8)
		donations := share(in, 60)
		x.put(donations, in-donations-trading-invested, trading, invested, zero, in, min(legacies, donations), zero)
		raising, grants, governance := share(out, 20), share(out, 45), share(out, 4)
		x.put(raising, out-raising, zero, out, share(invested, 5), grants, governance, share(out, 18), share(out, 5))
		x.put(share(in, 20)-in/20, nil, nil, zero, share(in, 80))
		fixed, cash, owed, late := share(in, 250), share(in, 70), share(in, 30), share(in, 20)
		invests := share(fixed, 80)
		net := fixed + cash - owed - late
		x.put(fixed, fixed-invests, invests, nil, share(in, 10), owed+late, share(in, 10), net, owed, late, cash)
		endowed, restricted := share(net, 20), share(net, 30)
		x.put(endowed, net-endowed-restricted, restricted, net, income/35_000, true, false)
		x.end()
	}
}

// classes are what, whom and how, with the register's codes.
func (x *registerTable) classes() {
	if x.c.removed {
		return
	}
	r := rng{sub(x.c.key, 'C', 0)}
	few := func(first int, kind string, of []string) {
		at := r.n(len(of))
		for n := range 1 + r.n(3) {
			i := (at + n*3) % len(of)
			x.row(0, first+i, kind, of[i])
		}
	}
	few(101, "What", words["uk what"])
	few(201, "Who", words["uk who"])
	few(301, "How", words["uk how"])
}
