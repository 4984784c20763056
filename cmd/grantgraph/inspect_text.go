package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/money"
	"grantgraph/internal/terminal"
)

// highlights are the few items of each list that a page shows.
type highlights struct {
	grants   []topGrant
	people   []topPerson
	fmv      int64
	schedule map[string]int
	kinds    map[string]int
}

type topGrant struct {
	line                 int
	part                 irs990.Part
	cash                 int64
	name, place, purpose string
}

type topPerson struct {
	name, title string
	pay         int64
	order       int
}

const (
	shownGrants = 10
	shownPeople = 5
)

// insertTop inserts an item into a list of the first n by the given order.
func insertTop[T any](list []T, item T, n int, order func(a, b T) int) []T {
	at, _ := slices.BinarySearchFunc(list, item, order)
	if at >= n {
		return list
	}
	list = slices.Insert(list, at, item)
	return list[:min(len(list), n)]
}

// attach makes a sink collect the highlights. It clones only the strings of items
// that it keeps.
func (h *highlights) attach(s *irs990.Sink) {
	h.schedule, h.kinds = map[string]int{}, map[string]int{}
	byCash := func(a, b topGrant) int {
		return cmp.Or(cmp.Compare(b.cash, a.cash), cmp.Compare(a.part, b.part), cmp.Compare(a.line, b.line))
	}
	byPay := func(a, b topPerson) int {
		return cmp.Or(cmp.Compare(b.pay, a.pay), cmp.Compare(a.order, b.order))
	}
	s.Grant = func(g *irs990.Grant) error {
		if g.Part == irs990.PFFuture {
			return nil
		}
		top := topGrant{line: g.Line, part: g.Part, cash: g.Cash.Value}
		if len(h.grants) < shownGrants || byCash(top, h.grants[len(h.grants)-1]) < 0 {
			top.name = strings.Clone(cmp.Or(strings.TrimSpace(g.Name1+" "+g.Name2), g.Person, "(no name)"))
			a := &g.Address
			top.place = strings.Trim(a.City+", "+cmp.Or(a.State, a.Country), ", ")
			top.purpose = strings.Clone(g.Purpose)
			h.grants = insertTop(h.grants, top, shownGrants, byCash)
		}
		return nil
	}
	people := 0
	s.Person = func(p *irs990.Person) error {
		people++
		top := topPerson{pay: p.Compensation.Value + p.Related.Value + p.Other.Value, order: people}
		if len(h.people) < shownPeople || byPay(top, h.people[len(h.people)-1]) < 0 {
			top.name, top.title = strings.Clone(cmp.Or(p.Name, p.Business, "(no name)")), strings.Clone(p.Title)
			h.people = insertTop(h.people, top, shownPeople, byPay)
		}
		return nil
	}
	s.Holding = func(v *irs990.Holding) error {
		h.schedule[v.Schedule]++
		h.fmv += v.FMV.Value
		return nil
	}
	s.Related = func(r *irs990.Related) error {
		h.kinds[r.Kind]++
		return nil
	}
}

// textPrinter prints for people: a page for each return that was asked for alone,
// and a table for the returns of a zip.
type textPrinter struct {
	w     io.Writer
	table *terminal.Table
	shown int
}

// tableAtMost bounds the lines that are aligned with each other; a batch has a
// hundred thousand returns.
const tableAtMost = 500

func (p *textPrinter) print(i *inspection) error {
	if i.err != nil {
		return nil // already said on the other stream
	}
	if i.page {
		if err := p.flush(); err != nil {
			return err
		}
		if p.shown++; p.shown > 1 {
			fmt.Fprintln(p.w)
		}
		return printReturn(p.w, i)
	}
	if p.table == nil {
		p.table = terminal.NewTable("Return", "Form", "EIN", "Filer", "Ends", ">FY", ">Grants", ">Paid", ">People", "")
	}
	r, t := i.ret, &i.ret.Tally
	year := "–"
	if y, ok := r.FiscalYear(); ok {
		year = fmt.Sprint(y)
	}
	mark := ""
	if r.Amended {
		mark = "amended"
	}
	p.table.Add(shorten(i.file[strings.LastIndexAny(i.file, "!/")+1:], 30), r.Form, r.EIN, shorten(r.Name1, 40), r.PeriodEnd, year,
		terminal.Count(t.PFPaid+t.ScheduleI), money.Dollars(t.PFPaidSum+t.ScheduleICash), terminal.Count(t.PartVIIPeople+t.PFOfficers+t.EZOfficers), mark)
	if p.table.Len() >= tableAtMost {
		return p.flush()
	}
	return nil
}

func (p *textPrinter) end() error { return p.flush() }

func (p *textPrinter) flush() error {
	if p.table == nil {
		return nil
	}
	w := bufio.NewWriter(p.w)
	p.table.Print(w)
	p.table = nil
	p.shown++
	return w.Flush()
}

func printReturn(out io.Writer, i *inspection) error {
	w := bufio.NewWriter(out) // reports the first error at the end
	r := i.ret
	fmt.Fprintf(w, "%s\n", cmp.Or(strings.TrimSpace(r.Name1+" "+r.Name2), "(no name)"))
	facts := terminal.NewTable("", "")
	fact := func(name, value string) {
		if strings.TrimSpace(value) != "" {
			facts.Add(name, value)
		}
	}
	fact("File", i.file)
	fact("EIN", r.EIN)
	fact("Also known as", r.DBA)
	fact("In care of", r.InCareOf)
	fact("Address", address(&r.Address))
	fact("Form", r.Form+" (schema "+cmp.Or(r.Version, "unknown")+")")
	period := r.PeriodBegin + " to " + r.PeriodEnd
	if year, ok := r.FiscalYear(); ok {
		period += fmt.Sprintf(", fiscal year %d", year)
	}
	fact("Period", period)
	fact("Filed", r.Timestamp)
	fact("Flags", strings.Join(flagWords(r), ", "))
	if r.Subsection != "" {
		fact("Exempt under", "501(c)("+strings.TrimLeft(r.Subsection, "0")+")")
	}
	fact("Formed", strings.Trim(r.FormationYear+", "+r.DomicileState, ", "))
	fact("Website", r.Website)
	fact("Filed in", strings.Join(r.States, " "))
	fact("Mission", shorten(strings.Join(strings.Fields(r.Mission), " "), 160))
	if n := len(r.Programs); n > 0 {
		fact("Programs", fmt.Sprintf("%d described; the first: %s", n, shorten(strings.Join(strings.Fields(r.Programs[0]), " "), 120)))
	}
	facts.Print(w)

	section(w, "Figures", moneyTable(&r.Money))
	section(w, "Declared and summed", totals(r))
	if d := &r.DAF; d.Flag || d.Held.Set {
		t := terminal.NewTable("", ">")
		t.Add("Funds held", amount(d.Held, ""))
		t.Add("Contributed to them", amount(d.Contributions, "$"))
		t.Add("Granted from them", amount(d.Grants, "$"))
		t.Add("Their value", amount(d.Value, "$"))
		section(w, "Donor-advised funds", t)
	}
	if len(i.best.grants) > 0 {
		t := terminal.NewTable("", ">", "", "", "")
		for _, g := range i.best.grants {
			t.Add(fmt.Sprintf("%s %d", g.part, g.line), money.Dollars(g.cash), shorten(g.name, 50), g.place, shorten(g.purpose, 40))
		}
		section(w, fmt.Sprintf("Grants: %s lines, the largest", terminal.Count(r.Tally.PFPaid+r.Tally.ScheduleI)), t)
	}
	if len(i.best.people) > 0 {
		t := terminal.NewTable("", "", ">")
		for _, p := range i.best.people {
			t.Add(shorten(p.name, 40), shorten(p.title, 40), money.Dollars(p.pay))
		}
		section(w, fmt.Sprintf("People: %s, the best paid", terminal.Count(r.Tally.PartVIIPeople+r.Tally.PFOfficers+r.Tally.EZOfficers)), t)
	}
	if r.Tally.Holdings > 0 {
		fmt.Fprintf(w, "\nHoldings: %s items, %s at market value (%s)\n", terminal.Count(r.Tally.Holdings), money.Dollars(i.best.fmv), tallyWords(i.best.schedule))
	}
	if r.Tally.Related > 0 {
		fmt.Fprintf(w, "\nRelated organizations: %s (%s)\n", terminal.Count(r.Tally.Related), tallyWords(i.best.kinds))
	}
	return w.Flush()
}

func section(w io.Writer, title string, t *terminal.Table) {
	if t.Len() == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	t.Print(w)
}

func flagWords(r *irs990.Return) []string {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{{r.Amended, "amended"}, {r.Initial, "initial"}, {r.Final, "final"}, {r.Group, "group return"}, {r.OperatingFoundation, "operating foundation"}} {
		if f.set {
			words = append(words, f.word)
		}
	}
	if r.GroupExemption != "" {
		words = append(words, "group exemption "+r.GroupExemption)
	}
	return words
}

func address(a *irs990.Address) string {
	var parts []string
	for _, p := range []string{a.Line1, a.Line2, a.City, a.Province, strings.TrimSpace(a.State + " " + a.ZIP), a.Country} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}

func amount(a irs990.Amount, unit string) string {
	switch {
	case !a.Set:
		return "–"
	case unit == "$":
		return money.Dollars(a.Value)
	}
	return terminal.Count(a.Value)
}

func moneyTable(m *irs990.Financials) *terminal.Table {
	t := terminal.NewTable("", ">")
	for _, line := range []struct {
		name string
		a    irs990.Amount
	}{
		{"Revenue", m.Revenue}, {"  Contributions", m.Contributions}, {"  of which government grants", m.GovernmentGrants},
		{"  Program revenue", m.ProgramRevenue}, {"  Investment income", m.InvestmentIncome}, {"  Other", m.OtherIncome},
		{"Expenses", m.Expenses}, {"  Grants paid", m.GrantsPaid}, {"  Investment fees", m.InvestmentFees}, {"Surplus", m.Surplus},
		{"Assets", m.Assets}, {"  at market value", m.AssetsFMV}, {"  Cash", m.Cash}, {"  Savings", m.Savings},
		{"Liabilities", m.Liabilities}, {"Net assets", m.NetAssets}, {"Gross receipts", m.GrossReceipts},
	} {
		if line.a.Set {
			t.Add(line.name, money.Dollars(line.a.Value))
		}
	}
	return t
}

// totals prints the totals that the filer declared beside the sums of the lines.
func totals(r *irs990.Return) *terminal.Table {
	t := terminal.NewTable("", ">Declared", ">Lines", ">Sum of lines", "")
	row := func(name string, declared irs990.Amount, lines int, sum int64, exact bool) {
		if !declared.Set && lines == 0 {
			return
		}
		mark := ""
		switch {
		case !declared.Set:
			mark = "not declared"
		case declared.Value == sum:
			mark = "✓"
		case exact:
			mark = "✗ differs by " + money.Dollars(sum-declared.Value)
		case sum > declared.Value:
			mark = "✗ lines exceed it by " + money.Dollars(sum-declared.Value)
		default:
			mark = "✓ the rest is in lines under $5,000, or not itemized"
		}
		t.Add(name, amount(declared, "$"), lines, money.Dollars(sum), mark)
	}
	y := &r.Tally
	row("990-PF, paid in the year", r.Declared.PFPaid, y.PFPaid, y.PFPaidSum, true)
	row("990-PF, approved for later", r.Declared.PFFuture, y.PFFuture, y.PFFutureSum, true)
	row("Schedule I, organizations", r.Declared.DomesticOrgs, y.ScheduleI, y.ScheduleICash+y.ScheduleINonCash, false)
	row("Schedule I, individuals", r.Declared.DomesticPeople, y.ScheduleIPeople, y.ScheduleIPeopleCash, false)
	row("Schedule F, abroad", r.Declared.Foreign, y.ScheduleFOrgs+y.ScheduleFPeople, y.ScheduleFCash+y.ScheduleFPeopleCash, false)
	return t
}

func tallyWords(m map[string]int) string {
	keys := slices.Sorted(maps.Keys(m))
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %s", k, terminal.Count(m[k]))
	}
	return strings.Join(keys, ", ")
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
