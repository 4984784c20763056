package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strconv"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/top"
)

// GroupsOf is one grouping that is asked for.
type GroupsOf struct {
	Filter *Filter
	By     Grouping
	Top    int // groups that are listed; at most AllGroups
}

// Groups returns the rows that satisfy the filter by one grouping: the groups with the most dollars, in that order and then in
// the order of their keys, and the rest of them in one sum. Years are the ones with the most dollars as well, but in their own
// order. A grant with several strategies of support is in all of them; in the rest it counts once.
func (g *Graph) Groups(ctx context.Context, f *Filter, by Grouping, top int) (Grouped, error) {
	list, err := g.GroupsMany(ctx, []GroupsOf{{Filter: f, By: by, Top: top}})
	if err != nil {
		return Grouped{}, err
	}
	return list[0], nil
}

// GroupsMany is Groups for several groupings at once. Those with the same filter
// share its evaluation and one pass over the rows.
func (g *Graph) GroupsMany(ctx context.Context, asks []GroupsOf) ([]Grouped, error) {
	if err := g.Begin(); err != nil {
		return nil, err
	}
	defer g.End()
	asks = slices.Clone(asks)
	out := make([]Grouped, len(asks))
	keys := make([]string, len(asks))
	together := map[string][]int{} // what is to be made, by filter
	var order []string
	for i := range asks {
		a := &asks[i]
		a.Top = min(max(a.Top, 0), AllGroups)
		keys[i] = cacheKey(groupsAnswer, Question{About: AboutGroups, Filter: a.Filter, By: a.By, Page: Page{Limit: a.Top}})
		if found, ok := g.cache.get(keys[i]); ok {
			out[i] = found.(*Grouped).clone()
			continue
		}
		filter := string(Question{Filter: a.Filter}.Canonical())
		if together[filter] == nil {
			order = append(order, filter)
		}
		together[filter] = append(together[filter], i)
	}
	for _, filter := range order {
		some := together[filter]
		list := each.Of(some, func(at int) GroupsOf { return asks[at] })
		made, err := g.group(ctx, list)
		if err != nil {
			return nil, err
		}
		for i, at := range some {
			out[at] = made[i]
			kept := made[i].clone()
			g.cache.put(keys[at], &kept, 128*len(kept.Groups)+128)
		}
	}
	return out, nil
}

// clone is a copy whose groups may be changed.
func (d *Grouped) clone() Grouped {
	out := *d
	out.Groups = slices.Clone(d.Groups)
	return out
}

// group answers several questions about one filter.
func (g *Graph) group(ctx context.Context, asks []GroupsOf) ([]Grouped, error) {
	e := g.evaluate(ctx)
	defer e.end()
	var set *rowset // nil if no rows are read
	t, ok := g.fromCells(asks)
	err := ctx.Err()
	if !ok && err == nil {
		var rows rowset
		if rows, err = e.filter(asks[0].Filter); err == nil {
			set = &rows
			t, err = e.tabulate(set, asks)
		}
	}
	if err != nil {
		return nil, err
	}
	out := make([]Grouped, len(asks))
	for i := range asks {
		switch a := &asks[i]; a.By {
		case GroupSupport:
			out[i] = groupedSupport(t.supports, a.Top)
		case GroupFunder:
			out[i] = groupedBy(a, t.funders, -1, g.funderGroup())
		case GroupRecipient:
			out[i], err = e.groupedRecipients(set, t, a)
		default:
			out[i] = g.grouped(a, t)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (g *Graph) grouped(a *GroupsOf, t *tables) Grouped {
	switch a.By {
	case GroupSubject:
		sums := make([]Cost, 1+majors)
		copy(sums, t.letters)
		for i, c := range t.letters[1+majors:] {
			to := 0
			if a.Filter.SubjectBasis == ntee.Any {
				to = 1 + i
			}
			sums[to].merge(c, 1)
		}
		return groupedBy(a, sums, 0, func(i uint32) Group { return Group{Key: string(rune('A' + i - 1))} })
	case GroupState:
		return g.groupedPlaces(a, t.states, g.dict.states)
	case GroupCounty:
		return g.groupedPlaces(a, t.counties, g.groups.countyList)
	case GroupFunderType:
		kinds := slices.Sorted(slices.Values(kindNumbers.words()))
		place := make([]int, len(kinds))
		for i := range place {
			place[i], _ = slices.BinarySearch(kinds, kindNumbers.word(uint32(i)))
		}
		sums := make([]Cost, len(kinds)+1)
		add := func(kind uint32, c Cost) {
			at := len(kinds) // none
			if int(kind) < len(place) {
				at = place[kind]
			}
			sums[at].merge(c, 1)
		}
		for k, c := range t.kinds {
			add(uint32(k), c)
		}
		if t.kinds == nil {
			for f, c := range t.funders {
				add(g.dict.funders[f].Kind, c)
			}
		}
		return groupedBy(a, sums, len(kinds), func(i uint32) Group { return Group{Key: kinds[i]} })
	}
	out := groupedBy(a, t.years[:len(g.dict.years)], -1, func(i uint32) Group { return Group{Key: strconv.Itoa(int(g.dict.years[i]))} })
	slices.SortFunc(out.Groups, func(x, y Group) int { return cmp.Compare(x.Key, y.Key) })
	return out
}

// groupedPlaces is the answer from the sums of places, which are a sorted list of short strings.
func (g *Graph) groupedPlaces(a *GroupsOf, sums []Cost, list []uint32) Grouped {
	none := -1
	if len(list) > 0 && len(g.dict.short.at(list[0])) == 0 {
		none = 0
	}
	return groupedBy(a, sums, none, func(i uint32) Group { return Group{Key: string(g.dict.short.at(list[i]))} })
}

// groupedBy is the answer from the sums of values in the order of their keys.
// none is the place of the sum of rows without a value, or -1.
func groupedBy(a *GroupsOf, sums []Cost, none int, group func(i uint32) Group) Grouped {
	b := newBest(a.Top, nil)
	for i, c := range sums {
		if c.Grants > 0 && i != none {
			b.add(uint32(i), c)
		}
	}
	out := b.grouped(a.By, group)
	if none >= 0 {
		out.None = some(sums[none])
	}
	return out
}

// some is a sum, or nil if it has no rows.
func some(c Cost) *Cost {
	if c.Grants == 0 {
		return nil
	}
	return &c
}

// groupedSupport turns the sums of sets of strategies into sums of strategies.
func groupedSupport(sums []Cost, top int) Grouped {
	var each [grant.Strategies]Cost
	for mask, c := range sums {
		if c.Grants == 0 {
			continue
		}
		for m := uint(mask); m != 0; m &= m - 1 {
			each[bits.TrailingZeros(m)].merge(c, 1)
		}
	}
	list := []Group{}
	for i, c := range each {
		if c.Grants > 0 {
			list = append(list, Group{Key: grant.Support(1 << i).IDs()[0], Cost: c})
		}
	}
	out := Grouped{By: GroupSupport, Count: int64(len(list)), None: some(sums[0])}
	slices.SortFunc(list, func(x, y Group) int { return cmp.Or(cmp.Compare(y.Amount, x.Amount), cmp.Compare(x.Key, y.Key)) })
	out.Groups = list[:min(top, len(list))]
	var others grant.Support
	for i := len(out.Groups); i < len(list); i++ {
		s, _ := grant.ParseSupport(list[i].Key)
		others |= s
	}
	var rest Cost
	for mask, c := range sums {
		if mask&int(others) != 0 {
			rest.merge(c, 1)
		}
	}
	out.Rest = some(rest)
	return out
}

// numbered is the sum of one funder or recipient.
type numbered struct {
	id   uint32
	last bool // it comes after all that do not
	Cost
}

// compareNumbered puts the most dollars first. Equal sums are in the order of their numbers.
func compareNumbered(a, b numbered) int {
	switch {
	case a.last != b.last && b.last:
		return -1
	case a.last != b.last:
		return 1
	case a.Amount != b.Amount:
		return cmp.Compare(b.Amount, a.Amount)
	}
	return cmp.Compare(a.id, b.id)
}

// best keeps the sums with the most dollars of those it is shown, and counts all of them.
type best struct {
	top.Heap[numbered]
	last  bitset // numbers that come last; nil for none
	count int64
	whole Cost
}

func newBest(most int, last bitset) best {
	return best{Heap: top.Heap[numbered]{Most: most, Order: compareNumbered}, last: last}
}

func (b *best) one(id uint32, c Cost) numbered {
	return numbered{id, b.last != nil && b.last.has(id), c}
}

// add takes a sum that has rows. Most sums are smaller than all that are kept.
func (b *best) add(id uint32, c Cost) {
	b.count++
	b.whole.merge(c, 1)
	if one := b.one(id, c); len(b.List) < b.Most || b.Most > 0 && compareNumbered(one, b.List[0]) < 0 {
		b.Add(one)
	}
}

// grouped makes the answer, in which group describes a number.
func (b *best) grouped(by Grouping, group func(id uint32) Group) Grouped {
	list := b.Sorted()
	out := Grouped{By: by, Count: b.count, Groups: make([]Group, 0, len(list))}
	rest := b.whole
	for i := range list {
		one := group(list[i].id)
		one.Cost = list[i].Cost
		rest.merge(one.Cost, -1)
		out.Groups = append(out.Groups, one)
	}
	out.Rest = some(rest)
	return out
}

func (g *Graph) funderGroup() func(id uint32) Group {
	var text copier
	return func(id uint32) Group {
		f := &g.dict.funders[id]
		return Group{Key: ein.EIN(f.EIN).String(), Name: text.copy(g.dict.short.at(f.Name)), EIN: ein.EIN(f.EIN)}
	}
}

// groupedRecipients is the beginning of the ranking of recipients. The sums of years in the tables add up to the sum of all rows.
func (e *evaluation) groupedRecipients(set *rowset, t *tables, a *GroupsOf) (Grouped, error) {
	g, ask := e.g, Question{About: AboutRecipients, Filter: a.Filter, Page: Page{Limit: a.Top}, By: GroupRecipient}
	var r *ranking
	var err error
	if set == nil {
		r, err = g.ranking(e.ctx, ask)
	} else {
		r, err = e.ranking(set, ask)
	}
	if err != nil {
		return Grouped{}, err
	}
	b := newBest(a.Top, g.sums.unnamed)
	b.count = r.hits
	for _, x := range r.records {
		b.List = append(b.List, b.one(x.id, Cost{Amount: x.Amount, Grants: int64(x.Grants)}))
	}
	for _, c := range t.years {
		b.whole.merge(c, 1)
	}
	var text copier
	return b.grouped(GroupRecipient, func(id uint32) Group {
		p := &g.dict.recips[id]
		return Group{Key: text.copy(g.dict.recipIDs.at(id)), Name: text.copy(g.dict.short.at(p.Name)), EIN: ein.EIN(p.EIN), Classes: Class(p.Classes)}
	}), nil
}
