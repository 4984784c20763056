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
	"grant_990pf_paid":   foundationGrant(PFPaid),
	"grant_990pf_future": foundationGrant(PFFuture),
	"grant_schedule_i":   {func(rd *Reader) { rd.grant = Grant{Part: ScheduleI} }, (*Reader).endScheduleI},
	"cash_people":        cashOnly(func(t *Tally) (*int, *int64) { return &t.ScheduleIPeople, &t.ScheduleIPeopleCash }),
	"cash_abroad":        cashOnly(func(t *Tally) (*int, *int64) { return &t.ScheduleFOrgs, &t.ScheduleFCash }),
	"person_990":         person(func(t *Tally) *int { return &t.PartVIIPeople }),
	"person_990pf":       person(func(t *Tally) *int { return &t.PFOfficers }),
	"person_990ez":       person(func(t *Tally) *int { return &t.EZOfficers }),
	"pair_government":    pair("government", "US government obligations", "State and local government obligations"),
	"pair_pri":           pair("pri", "", ""),
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
		return listItem{func(rd *Reader) { rd.related = Related{Kind: kind} }, (*Reader).emitRelated}
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

// endScheduleI passes a line of Schedule I Part II to the sink. Any form may
// have Schedule I attached.
func (rd *Reader) endScheduleI() error {
	g, t := &rd.grant, &rd.ret.Tally
	t.ScheduleI++
	t.ScheduleICash += g.Cash.Value
	t.ScheduleINonCash += g.NonCash.Value
	g.Line = t.ScheduleI
	if g.EIN != "" {
		t.ScheduleIWithEIN++
	}
	return rd.emitGrant()
}

// cashOnly makes the item of a list without named recipients. Only the number
// of its lines and their cash are tallied.
func cashOnly(tally func(*Tally) (count *int, cash *int64)) listItem {
	return listItem{
		func(rd *Reader) { rd.cash = Amount{} },
		func(rd *Reader) error {
			count, cash := tally(&rd.ret.Tally)
			*count++
			*cash += rd.cash.Value
			return nil
		},
	}
}

// person makes the item of a list of officers: a line is counted and passed to
// the sink.
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
			if rd.sink.Person == nil {
				return nil
			}
			return rd.sink.Person(p)
		},
	}
}

func (rd *Reader) emitHolding(h *Holding) error {
	rd.ret.Tally.Holdings++
	if rd.sink.Holding == nil {
		return nil
	}
	return rd.sink.Holding(h)
}

// pair makes the item of a group with two holdings that have no group of their
// own. A holding that still has its default name and has no value was left
// blank, and is skipped.
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

func (rd *Reader) emitRelated() error {
	rd.ret.Tally.Related++
	if rd.sink.Related == nil {
		return nil
	}
	return rd.sink.Related(&rd.related)
}
