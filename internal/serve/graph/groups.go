package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strconv"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// GroupsOf is one grouping that is asked for.
type GroupsOf struct {
	Filter *Filter
	By     Grouping
	Top    int // groups that are listed; at most MaxGroups
}

// Groups returns the rows that satisfy the filter by one grouping: the groups
// with the most dollars, in that order and then in the order of their keys, and
// the rest of them in one sum. Years are the ones with the most dollars as well,
// but in their own order. A grant with several strategies of support is in all
// of them; in the rest it counts once.
func (g *Graph) Groups(ctx context.Context, f *Filter, by Grouping, top int) (Grouped, error) {
	list, err := g.GroupsMany(ctx, []GroupsOf{{f, by, top}})
	if err != nil {
		return Grouped{}, err
	}
	return list[0], nil
}

// GroupsMany is Groups for several groupings at once. Those with the same filter
// share its evaluation and one pass over the rows.
func (g *Graph) GroupsMany(ctx context.Context, asks []GroupsOf) ([]Grouped, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	asks = slices.Clone(asks)
	out := make([]Grouped, len(asks))
	keys := make([]string, len(asks))
	together := map[string][]int{} // what is to be made, by filter
	var order []string
	for i := range asks {
		a := &asks[i]
		a.Top = min(max(a.Top, 0), MaxGroups)
		keys[i] = cacheKey('g', Question{About: AboutGroups, Filter: a.Filter, By: a.By, Page: Page{Limit: a.Top}})
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
		list := make([]GroupsOf, len(some))
		for i, at := range some {
			list[i] = asks[at]
		}
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
	set, err := e.filter(asks[0].Filter)
	if err != nil {
		return nil, err
	}
	t, err := e.tabulate(&set, asks)
	if err != nil {
		return nil, err
	}
	out := make([]Grouped, len(asks))
	for i := range asks {
		if a := &asks[i]; a.By == GroupFunder || a.By == GroupRecipient {
			out[i], err = e.parties(&set, a, t.whole)
		} else {
			out[i] = g.grouped(a, t)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tables are the sums of rows by the values of columns that have few. Those
// that nobody asked for are nil.
type tables struct {
	whole                             Cost
	states, counties, kinds, supports []Cost
	letters                           []Cost // registered, then inferred
	years                             []Cost
}

// newTables makes the tables that the groupings need, with zeros.
func (g *Graph) newTables(asks []GroupsOf) *tables {
	t := new(tables)
	for i := range asks {
		switch asks[i].By {
		case GroupSubject:
			t.letters = make([]Cost, 2*letters)
		case GroupState:
			t.states = make([]Cost, len(g.stateList))
		case GroupCounty:
			t.counties = make([]Cost, len(g.groups.countyList))
		case GroupSupport:
			t.supports = make([]Cost, supportSets)
		case GroupFunderType:
			t.kinds = make([]Cost, len(kindNumbers)+1)
		case GroupYear:
			t.years = make([]Cost, maxYears)
		}
	}
	return t
}

// addStored adds the sums of all rows.
func (t *tables) addStored(g *Graph) {
	x := &g.groups
	for _, p := range [...]struct{ to, from []Cost }{
		{t.states, x.stateSums}, {t.counties, x.countySums}, {t.kinds, x.kindSums}, {t.supports, x.supportSums}, {t.letters, x.letterSums},
	} {
		if p.to != nil {
			mergeCosts(p.to, p.from, 1)
		}
	}
	if t.years != nil {
		for i, y := range g.yearSums {
			t.years[i].Amount += y.Amount
			t.years[i].Grants += y.Grants
		}
	}
	t.whole.Amount += g.totals.Amount
	t.whole.Grants += g.totals.Grants
}

func mergeCosts(to, from []Cost, sign int64) {
	for i := range to {
		to[i].Amount += sign * from[i].Amount
		to[i].Grants += sign * from[i].Grants
	}
}

// merge adds other tables of the same columns, or takes them away.
func (t *tables) merge(o *tables, sign int64) {
	mergeCosts(t.states, o.states, sign)
	mergeCosts(t.counties, o.counties, sign)
	mergeCosts(t.kinds, o.kinds, sign)
	mergeCosts(t.supports, o.supports, sign)
	mergeCosts(t.letters, o.letters, sign)
	mergeCosts(t.years, o.years, sign)
	t.whole.Amount += sign * o.whole.Amount
	t.whole.Grants += sign * o.whole.Grants
}

// tabulate adds the rows of a set up. All rows are stored, and of nearly all it
// is quicker to take away those that are missing.
func (e *evaluation) tabulate(set *rowset, asks []GroupsOf) (*tables, error) {
	g := e.g
	t := g.newTables(asks)
	if set.all {
		t.addStored(g)
		return t, nil
	}
	if missing, few := g.missingRows(set); few {
		t.addStored(g)
		left := rowset{short: true, list: missing, count: int64(len(missing))}
		out, err := e.addUp(&left, asks)
		if err != nil {
			return nil, err
		}
		t.merge(out, -1)
		return t, nil
	}
	return e.addUp(set, asks)
}

// addUp adds the rows of a set up, on all cores.
func (e *evaluation) addUp(set *rowset, asks []GroupsOf) (*tables, error) {
	g := e.g
	lo, hi := set.bounds()
	at := g.cuts(lo, hi, g.funderRows)
	parts := make([]*tables, len(at)-1)
	err := betweenCuts(e.ctx, at, func(i, from, to int) {
		t := g.newTables(asks)
		set.each(uint32(from), uint32(to), func(rows []uint32) { t.add(g, rows) })
		parts[i] = t
	})
	if err != nil {
		return nil, err
	}
	out := g.newTables(asks)
	for _, p := range parts {
		out.merge(p, 1)
	}
	return out, nil
}

// add takes rows, which are ascending, into the tables.
func (t *tables) add(g *Graph, rows []uint32) {
	x, amounts := &g.groups, g.amounts
	var sum int64
	for _, row := range rows {
		sum += amounts[row]
	}
	t.whole.Amount += sum
	t.whole.Grants += int64(len(rows))
	if sums := t.states; sums != nil {
		for _, row := range rows {
			sums[x.placeStates[g.places[row]]].add(amounts[row])
		}
	}
	if sums := t.counties; sums != nil {
		for _, row := range rows {
			sums[x.placeCounties[g.places[row]]].add(amounts[row])
		}
	}
	if sums := t.letters; sums != nil {
		for _, row := range rows {
			letter := x.recipLetters[g.recips[row]]
			sums[int(letter&(inferredLetter-1))+letters*int(letter>>7)].add(amounts[row])
		}
	}
	if sums := t.supports; sums != nil {
		for _, row := range rows {
			sums[g.supports[row]&(supportSets-1)].add(amounts[row])
		}
	}
	if sums := t.years; sums != nil {
		for _, row := range rows {
			sums[g.years[row]&(maxYears-1)].add(amounts[row])
		}
	}
	if t.kinds != nil {
		t.addKinds(g, rows)
	}
}

// addKinds goes funder by funder, as rows stand in their order.
func (t *tables) addKinds(g *Graph, rows []uint32) {
	for len(rows) > 0 {
		f := g.funders[rows[0]]
		end, amount, n := g.funderRows[f+1], int64(0), 0
		for ; n < len(rows) && rows[n] < end; n++ {
			amount += g.amounts[rows[n]]
		}
		kind := &t.kinds[kindPlace(g.funder[f].Kind)]
		kind.Amount += amount
		kind.Grants += int64(n)
		rows = rows[n:]
	}
}

// grouped is an answer from the tables.
func (g *Graph) grouped(a *GroupsOf, t *tables) Grouped {
	if a.By == GroupSupport {
		return groupedSupport(t.supports, a.Top)
	}
	list := []Group{}
	var none Cost
	add := func(key string, c Cost) {
		if c.Grants == 0 {
			return
		}
		if key == "" {
			none.Amount += c.Amount
			none.Grants += c.Grants
			return
		}
		list = append(list, Group{Key: key, Cost: c})
	}
	switch a.By {
	case GroupSubject:
		for i, c := range t.letters[:letters] {
			inferred, key := t.letters[letters+i], ""
			if i > 0 {
				key = string(rune('A' + i - 1))
			}
			if a.Filter.SubjectBasis == ntee.Any {
				c.Amount += inferred.Amount
				c.Grants += inferred.Grants
			} else {
				add("", inferred)
			}
			add(key, c)
		}
	case GroupState:
		for i, c := range t.states {
			add(string(g.short.at(g.stateList[i])), c)
		}
	case GroupCounty:
		for i, c := range t.counties {
			if c.Grants > 0 {
				add(string(g.short.at(g.groups.countyList[i])), c)
			}
		}
	case GroupFunderType:
		for i, c := range t.kinds {
			add(kindNumbers.word(uint32(i)), c)
		}
	case GroupYear:
		for i := range g.yearList {
			add(strconv.Itoa(int(g.yearList[i])), t.years[i])
		}
	}
	out := Grouped{By: a.By, Count: int64(len(list))}
	byDollars(list)
	rest := Cost{}
	for i := min(a.Top, len(list)); i < len(list); i++ {
		rest.Amount += list[i].Amount
		rest.Grants += list[i].Grants
	}
	out.Groups = list[:min(a.Top, len(list))]
	if a.By == GroupYear {
		slices.SortFunc(out.Groups, func(x, y Group) int { return cmp.Compare(x.Key, y.Key) })
	}
	out.Rest, out.None = some(rest), some(none)
	return out
}

func byDollars(list []Group) {
	slices.SortFunc(list, func(x, y Group) int { return cmp.Or(cmp.Compare(y.Amount, x.Amount), cmp.Compare(x.Key, y.Key)) })
}

// some is a sum that has any rows.
func some(c Cost) *Cost {
	if c.Grants == 0 {
		return nil
	}
	return &c
}

// groupedSupport takes the sums of sets of strategies apart.
func groupedSupport(sums []Cost, top int) Grouped {
	var each [grant.Strategies]Cost
	for mask, c := range sums {
		if c.Grants == 0 {
			continue
		}
		for m := uint(mask); m != 0; m &= m - 1 {
			s := &each[bits.TrailingZeros(m)]
			s.Amount += c.Amount
			s.Grants += c.Grants
		}
	}
	list := []Group{}
	for i, c := range each {
		if c.Grants > 0 {
			list = append(list, Group{Key: grant.Support(1 << i).IDs()[0], Cost: c})
		}
	}
	out := Grouped{By: GroupSupport, Count: int64(len(list)), None: some(sums[0])}
	byDollars(list)
	out.Groups = list[:min(top, len(list))]
	var others grant.Support
	for i := len(out.Groups); i < len(list); i++ {
		s, _ := grant.ParseSupport(list[i].Key)
		others |= s
	}
	var rest Cost
	for mask, c := range sums {
		if mask&int(others) != 0 {
			rest.Amount += c.Amount
			rest.Grants += c.Grants
		}
	}
	out.Rest = some(rest)
	return out
}

// parties groups by funder or recipient; whole is the sum of all rows of the
// set.
func (e *evaluation) parties(set *rowset, a *GroupsOf, whole Cost) (Grouped, error) {
	g := e.g
	about := AboutFunders
	if a.By == GroupRecipient {
		about = AboutRecipients
	}
	r, err := e.ranking(set, Question{About: about, Filter: a.Filter, Page: Page{Limit: a.Top}}, nil)
	if err != nil {
		return Grouped{}, err
	}
	out := Grouped{By: a.By, Count: r.hits, Groups: make([]Group, 0, len(r.records))}
	rest := whole
	text := copier{}
	for i := range r.records {
		rec := &r.records[i]
		group := Group{Cost: Cost{Amount: rec.Amount, Grants: int64(rec.Grants)}}
		if about == AboutFunders {
			f := &g.funder[rec.id]
			group.EIN, group.Name = ein.EIN(f.EIN), text.copy(g.short.at(f.Name))
			group.Key = group.EIN.String()
		} else {
			p := &g.recip[rec.id]
			group.EIN, group.Name, group.Classes = ein.EIN(p.EIN), text.copy(g.short.at(p.Name)), Class(p.Classes)
			group.Key = text.copy(g.recipIDs.at(rec.id))
		}
		rest.Amount -= group.Amount
		rest.Grants -= group.Grants
		out.Groups = append(out.Groups, group)
	}
	out.Rest = some(rest)
	return out, nil
}
