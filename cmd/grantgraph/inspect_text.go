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
	Line                 int
	Part                 irs990.Part
	Cash                 int64
	Name, Place, Purpose string
}

type topPerson struct {
	Name, Title string
	Pay         int64
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

// attach makes a sink collect the highlights. It clones only the strings of items that it keeps.
func (h *highlights) attach(s *irs990.Sink) {
	h.schedule, h.kinds = map[string]int{}, map[string]int{}
	byCash := func(a, b topGrant) int {
		return cmp.Or(cmp.Compare(b.Cash, a.Cash), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Line, b.Line))
	}
	byPay := func(a, b topPerson) int {
		return cmp.Or(cmp.Compare(b.Pay, a.Pay), cmp.Compare(a.order, b.order))
	}
	s.Grant = func(g *irs990.Grant) error {
		if g.Part == irs990.PFFuture {
			return nil
		}
		top := topGrant{Line: g.Line, Part: g.Part, Cash: g.Cash.Value}
		if len(h.grants) < shownGrants || byCash(top, h.grants[len(h.grants)-1]) < 0 {
			top.Name = strings.Clone(cmp.Or(strings.TrimSpace(g.Name1+" "+g.Name2), g.Person, "(no name)"))
			a := &g.Address
			top.Place = strings.Trim(a.City+", "+cmp.Or(a.State, a.Country), ", ")
			top.Purpose = strings.Clone(g.Purpose)
			h.grants = insertTop(h.grants, top, shownGrants, byCash)
		}
		return nil
	}
	people := 0
	s.Person = func(p *irs990.Person) error {
		people++
		top := topPerson{Pay: p.Compensation.Value + p.Related.Value + p.Other.Value, order: people}
		if len(h.people) < shownPeople || byPay(top, h.people[len(h.people)-1]) < 0 {
			top.Name, top.Title = strings.Clone(cmp.Or(p.Name, p.Business, "(no name)")), strings.Clone(p.Title)
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

// textPrinter prints for people: a page for each return that was asked for alone, and a table for the returns of a zip.
type textPrinter struct {
	w     io.Writer
	table *terminal.Table
	shown int
}

// tableAtMost bounds the lines that are aligned with each other; a batch has a hundred thousand returns.
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

func printReturn(w io.Writer, i *inspection) error {
	r, t := i.ret, &i.ret.Tally
	page := struct {
		Name, File, Address, FiscalYear, Flags, Formed, FiledIn string
		HoldingsBySchedule, RelatedByKind                       string
		Return                                                  *irs990.Return
		Totals                                                  []declaredTotal
		Grants                                                  []topGrant
		People                                                  []topPerson
		GrantLines, PeopleLines                                 int
		MarketValue                                             int64
	}{
		Name: cmp.Or(strings.TrimSpace(r.Name1+" "+r.Name2), "(no name)"), File: i.file, Address: address(&r.Address), Flags: flagWords(r),
		Formed: strings.Trim(r.FormationYear+", "+r.DomicileState, ", "), FiledIn: strings.Join(r.States, " "),
		HoldingsBySchedule: tallyWords(i.best.schedule), RelatedByKind: tallyWords(i.best.kinds),
		Return: r, Totals: declaredTotals(r), Grants: i.best.grants, People: i.best.people,
		GrantLines: t.PFPaid + t.ScheduleI, PeopleLines: t.PartVIIPeople + t.PFOfficers + t.EZOfficers, MarketValue: i.best.fmv,
	}
	if year, ok := r.FiscalYear(); ok {
		page.FiscalYear = fmt.Sprintf(", fiscal year %d", year)
	}
	return pages.Print(w, "inspect", page)
}

func flagWords(r *irs990.Return) string {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{
		{r.Amended, "amended"}, {r.Initial, "initial"}, {r.Final, "final"}, {r.Group, "group return"},
		{r.OperatingFoundation, "operating foundation"}, {r.GroupExemption != "", "group exemption " + r.GroupExemption},
	} {
		if f.set {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, ", ")
}

func address(a *irs990.Address) string {
	parts := []string{a.Line1, a.Line2, a.City, a.Province, strings.TrimSpace(a.State + " " + a.ZIP), a.Country}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func amount(a irs990.Amount) string {
	if !a.Set {
		return "–"
	}
	return money.Dollars(a.Value)
}

// declaredTotal is a total that the filer declared beside the sum of the lines.
type declaredTotal struct {
	Name     string
	Declared irs990.Amount
	Lines    int
	Sum      int64
	exact    bool // the lines have to add up to it
}

func declaredTotals(r *irs990.Return) []declaredTotal {
	y := &r.Tally
	return slices.DeleteFunc([]declaredTotal{
		{"990-PF, paid in the year", r.Declared.PFPaid, y.PFPaid, y.PFPaidSum, true},
		{"990-PF, approved for later", r.Declared.PFFuture, y.PFFuture, y.PFFutureSum, true},
		{"Schedule I, organizations", r.Declared.DomesticOrgs, y.ScheduleI, y.ScheduleICash + y.ScheduleINonCash, false},
		{"Schedule I, individuals", r.Declared.DomesticPeople, y.ScheduleIPeople, y.ScheduleIPeopleCash, false},
		{"Schedule F, abroad", r.Declared.Foreign, y.ScheduleFOrgs + y.ScheduleFPeople, y.ScheduleFCash + y.ScheduleFPeopleCash, false},
	}, func(t declaredTotal) bool { return !t.Declared.Set && t.Lines == 0 })
}

// Mark says how the sum compares with what was declared.
func (t declaredTotal) Mark() string {
	switch {
	case !t.Declared.Set:
		return "not declared"
	case t.Declared.Value == t.Sum:
		return "✓"
	case t.exact:
		return "✗ differs by " + money.Dollars(t.Sum-t.Declared.Value)
	case t.Sum > t.Declared.Value:
		return "✗ lines exceed it by " + money.Dollars(t.Sum-t.Declared.Value)
	}
	return "✓ the rest is in lines under $5,000, or not itemized"
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
