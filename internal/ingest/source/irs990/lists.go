package irs990

import "strings"

// listItem has the two steps around reading a list item: begin clears the
// record for the item, and end tallies the record and passes it to the sink.
type listItem struct {
	begin func(*Reader)
	end   func(*Reader) error
}

// listItems maps the name of a group to its list item. Groups of holdings and of
// related organizations are named for their kind; see itemOf.
var listItems = map[string]listItem{
	"grant_990pf_paid":    foundationGrant(PFPaid),
	"grant_990pf_future":  foundationGrant(PFFuture),
	"grant_schedule_i":    {func(rd *Reader) { rd.grant = Grant{Part: ScheduleI} }, (*Reader).endScheduleI},
	"aside_people":        aside(ScheduleIPeople, func(t *Tally) (*int, *int64) { return &t.ScheduleIPeople, &t.ScheduleIPeopleCash }),
	"aside_abroad":        aside(ScheduleF, func(t *Tally) (*int, *int64) { return &t.ScheduleFOrgs, &t.ScheduleFCash }),
	"aside_people_abroad": aside(ScheduleFPeople, func(t *Tally) (*int, *int64) { return &t.ScheduleFPeople, &t.ScheduleFPeopleCash }),
	"person_990":          person(func(t *Tally) *int { return &t.PartVIIPeople }),
	"person_990pf":        person(func(t *Tally) *int { return &t.PFOfficers }),
	"person_990ez":        person(func(t *Tally) *int { return &t.EZOfficers }),
	"application": {func(rd *Reader) { rd.application = Application{} },
		func(rd *Reader) error { rd.ret.Tally.Applications++; return emit(rd.sink.Application, &rd.application) }},
	"pair_government": pair("government", "US government obligations", "State and local government obligations"),
	"pair_pri":        pair("pri", "", ""),
}

func itemOf(name string) listItem {
	if kind, ok := strings.CutPrefix(name, "holding_"); ok {
		kind, _, _ = strings.Cut(kind, "/")
		return listItem{
			func(rd *Reader) { rd.holding = Holding{Schedule: kind} },
			func(rd *Reader) error { return rd.emitHolding(&rd.holding) },
		}
	}
	if kind, ok := strings.CutPrefix(name, "related_"); ok {
		return listItem{
			func(rd *Reader) { rd.related = Related{Kind: kind} },
			func(rd *Reader) error { rd.ret.Tally.Related++; return emit(rd.sink.Related, &rd.related) },
		}
	}
	i, ok := listItems[name]
	if !ok {
		panic("irs990: the schema names the item " + name)
	}
	return i
}

// item makes the group of a list item. Its values are released when it ends.
func item(n *node, name string) *node {
	i := itemOf(name)
	n.open = func(rd *Reader, _ []byte) *node {
		rd.release()
		i.begin(rd)
		return nil
	}
	n.close = func(rd *Reader) error {
		err := i.end(rd)
		rd.release()
		return err
	}
	return n
}

// endScheduleI passes a line of Schedule I Part II to the sink. Any form may have Schedule I attached.
func (rd *Reader) endScheduleI() error {
	g, t := &rd.grant, &rd.ret.Tally
	t.ScheduleI++
	t.ScheduleICash += g.Cash.Value
	t.ScheduleINonCash += g.NonCash.Value
	g.Line = t.ScheduleI
	if g.EIN != "" {
		t.ScheduleIWithEIN++
	}
	return emit(rd.sink.Grant, &rd.grant)
}

// aside makes the item of a list without named recipients.
func aside(part Part, tally func(*Tally) (count *int, cash *int64)) listItem {
	return listItem{
		func(rd *Reader) { rd.aside = Aside{Part: part} },
		func(rd *Reader) error {
			count, cash := tally(&rd.ret.Tally)
			*count++
			*cash += rd.aside.Cash.Value
			rd.aside.Line = *count
			return emit(rd.sink.Aside, &rd.aside)
		},
	}
}

// person makes the item of a list of officers: a line is counted and passed to the sink.
func person(count func(*Tally) *int) listItem {
	return listItem{
		func(rd *Reader) {
			rd.person = Person{}
			rd.benefits, rd.expenses = Amount{}, Amount{}
		},
		func(rd *Reader) error {
			*count(&rd.ret.Tally)++
			p := &rd.person
			p.Other = p.Other.add(rd.benefits).add(rd.expenses)
			return emit(rd.sink.Person, p)
		},
	}
}

// emit passes an item to the sink, if the sink takes such items.
func emit[T any](take func(*T) error, item *T) error {
	if take == nil {
		return nil
	}
	return take(item)
}

func (rd *Reader) emitHolding(h *Holding) error {
	rd.ret.Tally.Holdings++
	return emit(rd.sink.Holding, h)
}

// pair makes the item of a group with two holdings that have no group of their own. A holding that still has
// its default name and has no value was left blank, and is skipped.
func pair(kind, first, second string) listItem {
	return listItem{
		func(rd *Reader) {
			rd.holding = Holding{Schedule: kind, Name: first}
			rd.second = Holding{Schedule: kind, Name: second}
		},
		func(rd *Reader) error {
			for i, h := range [...]*Holding{&rd.holding, &rd.second} {
				if h.Name == [...]string{first, second}[i] && !h.Book.Set && !h.FMV.Set {
					continue
				}
				if err := rd.emitHolding(h); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// foundationGrant passes a grant line of Form 990-PF to the sink: paid during the year, or approved for a
// later year. Its elements are in schema/grantlines_990pf.tsv.
func foundationGrant(part Part) listItem {
	return listItem{
		begin: func(rd *Reader) { rd.grant = Grant{Part: part} },
		end: func(rd *Reader) error {
			g, t := &rd.grant, &rd.ret.Tally
			if part == PFFuture {
				t.PFFuture++
				t.PFFutureSum += g.Cash.Value
				g.Line = t.PFFuture
				return emit(rd.sink.Grant, g)
			}
			t.PFPaid++
			t.PFPaidSum += g.Cash.Value
			g.Line = t.PFPaid
			if g.Cash.Value != 0 {
				t.PFPaidNonzero++
			}
			if g.Person != "" {
				t.PFPaidPerson++
			}
			if rd.abroad {
				t.PFPaidForeign++
			}
			return emit(rd.sink.Grant, g)
		},
	}
}
