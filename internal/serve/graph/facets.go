package graph

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"

	"grantgraph/internal/ntee"
)

// Facets are what the rows of a filter come to, and what stands beside the
// choices that a form offers: beside each, what choosing it would give. For that
// the condition it is a choice of does not count, and all others do.
type Facets struct {
	// Of the rows that satisfy the filter.
	BySubject, ByState, ByFunderType Grouped
	People, Nobody                   Cost // to individuals; to others that no line names

	// Beside the choices.
	Subjects, States, Supports, FunderTypes, Years Grouped
	// Counties are those of the states that are chosen, or of which a county is;
	// none for other places.
	Counties Grouped
	Bands    []int64 // rows below the first amount, from each to the next, and from the last on
	Surest   []int64 // rows whose recipient has an EIN with at least each probability
	Classes  map[Class]Cost
}

// FacetsOf is the choices of amounts and of probabilities that a form offers,
// both ascending.
type FacetsOf struct {
	Amounts       []int64
	Probabilities []float64
}

// The conditions that a form offers choices of.
const (
	chooseSubject = iota
	choosePlace
	chooseSupport
	chooseKind
	chooseYear
	chooseAmount
	chooseProb
	chooseClass
	choices
)

// apart divides a filter into what the form offers choices of, each nil where
// nothing is chosen, and the rest.
func (f *Filter) apart() (rest Filter, chosen [choices]*Filter) {
	rest = *f
	if !f.Subject.Empty() {
		chosen[chooseSubject] = &Filter{Subject: f.Subject, SubjectBasis: f.SubjectBasis}
		rest.Subject = ntee.Subject{}
	}
	if f.Place.Of == RecipientPlace && len(f.Place.Values) > 0 {
		chosen[choosePlace] = &Filter{Place: Place{Kind: f.Place.Kind, Values: f.Place.Values}}
		rest.Place.Values = nil
	}
	if f.Support != 0 {
		chosen[chooseSupport] = &Filter{Support: f.Support}
		rest.Support = 0
	}
	if f.FunderKind != "" {
		chosen[chooseKind] = &Filter{FunderKind: f.FunderKind}
		rest.FunderKind = ""
	}
	if len(f.Years) > 0 && f.yearsApart() {
		chosen[chooseYear] = &Filter{Years: f.Years}
		rest.Years = nil
	}
	if f.MinAmount != nil || f.MaxAmount != nil {
		chosen[chooseAmount] = &Filter{MinAmount: f.MinAmount, MaxAmount: f.MaxAmount}
		rest.MinAmount, rest.MaxAmount = nil, nil
	}
	if f.MinProb != nil {
		chosen[chooseProb] = &Filter{MinProb: f.MinProb}
		rest.MinProb = nil
	}
	if f.Exclude != 0 {
		chosen[chooseClass] = &Filter{Exclude: f.Exclude}
		rest.Exclude = 0
	}
	return rest, chosen
}

// yearsApart reports whether the years are a condition of their own: which
// funders reach a place depends on them.
func (f *Filter) yearsApart() bool { return f.Place.Of != AreaServed || f.Place.empty() }

// Facets counts. A row that satisfies all conditions but one stands beside the
// choices of that one alone, so every row is looked at once at most, whatever is
// chosen. The answer is shared: it must not be changed.
func (g *Graph) Facets(ctx context.Context, f *Filter, o FacetsOf) (*Facets, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	key := cacheKey('f', Question{About: AboutGroups, Filter: f}) + o.name()
	if found, ok := g.cache.get(key); ok {
		return found.(*Facets), nil
	}
	out, err := g.facets(ctx, f, o)
	if err != nil {
		return nil, err
	}
	n := len(out.BySubject.Groups) + len(out.ByState.Groups) + len(out.Subjects.Groups) + len(out.States.Groups) + len(out.Counties.Groups) + len(out.Years.Groups)
	g.cache.put(key, out, 128*n+8<<10)
	return out, nil
}

// name tells choices apart.
func (o *FacetsOf) name() string {
	var b []byte
	for _, a := range o.Amounts {
		b = append(strconv.AppendInt(b, a, 10), ',')
	}
	for _, p := range o.Probabilities {
		b = append(strconv.AppendFloat(b, p, 'g', -1, 64), ';')
	}
	return string(b)
}

func (g *Graph) facets(ctx context.Context, f *Filter, o FacetsOf) (*Facets, error) {
	e := g.evaluate(ctx)
	defer e.end()
	found, beside, err := e.besides(f)
	if err != nil {
		return nil, err
	}
	// The groupings of each choice; those of places are two.
	by := [choices][]GroupsOf{
		chooseSubject: {{By: GroupSubject}}, choosePlace: {{By: GroupState}}, chooseSupport: {{By: GroupSupport}}, chooseKind: {{By: GroupFunderType}},
		chooseYear: {{By: GroupYear}}, chooseAmount: {{By: groupBand, ranks: g.bandRanks(o.Amounts)}}, chooseProb: {{By: groupProb}}, chooseClass: {{By: groupClass}},
	}
	where, some := countiesOf(&f.Place)
	if some {
		by[choosePlace] = append(by[choosePlace], GroupsOf{By: GroupCounty})
	}
	base, err := e.tabulate(&found, slices.Concat(by[:]...))
	if err != nil {
		return nil, err
	}
	out := &Facets{Classes: map[Class]Cost{}}
	answer := func(by Grouping, t *tables) Grouped {
		if by == GroupSupport {
			return groupedSupport(t.supports, MaxGroups)
		}
		return g.grouped(&GroupsOf{Filter: f, By: by, Top: MaxGroups}, t)
	}
	out.BySubject, out.ByState, out.ByFunderType = answer(GroupSubject, base), answer(GroupState, base), answer(GroupFunderType, base)
	for flags, c := range base.classes {
		switch class := Class(flags); {
		case class&Individuals != 0:
			out.People.merge(c, 1)
		case class&Unidentified != 0:
			out.Nobody.merge(c, 1)
		}
	}
	if some && f.Place.Kind == State {
		out.Counties = answer(GroupCounty, base)
	}
	for i := range beside {
		if beside[i].count == 0 {
			continue
		}
		more, err := e.tabulate(&beside[i], by[i])
		if err != nil {
			return nil, err
		}
		base.join(more)
	}
	out.Subjects, out.States, out.Supports, out.FunderTypes = answer(GroupSubject, base), answer(GroupState, base), answer(GroupSupport, base), answer(GroupFunderType, base)
	if some && f.Place.Kind == County {
		g.keepCounties(base.counties, where)
		out.Counties = answer(GroupCounty, base)
		out.Counties.None = nil
	}
	out.Years = answer(GroupYear, base)
	if len(f.Years) > 0 && !f.yearsApart() {
		list, err := g.group(ctx, []GroupsOf{{Filter: f.Without(GroupYear), By: GroupYear, Top: MaxGroups}})
		if err != nil {
			return nil, err
		}
		out.Years = list[0]
	}
	out.Bands = base.bands
	for _, p := range o.Probabilities {
		n := int64(0)
		for _, c := range base.probs[sort.SearchFloat64s(g.probList, p):] {
			n += c
		}
		out.Surest = append(out.Surest, n)
	}
	for flags, c := range base.classes {
		for m := uint(flags); m != 0; m &= m - 1 {
			class := Class(m & -m)
			sum := out.Classes[class]
			sum.merge(c, 1)
			out.Classes[class] = sum
		}
	}
	return out, nil
}

// countiesOf is the states, as counties' codes begin, whose counties are offered:
// any where states are chosen, as no other rows are there.
func countiesOf(p *Place) (begin []string, some bool) {
	if p.Of != RecipientPlace || len(p.Values) == 0 {
		return nil, false
	}
	if p.Kind == County {
		for _, v := range p.Values {
			begin = append(begin, v.Name[:min(2, len(v.Name))])
		}
	}
	return begin, p.Kind == State || p.Kind == County
}

// keepCounties empties the sums of counties in other states.
func (g *Graph) keepCounties(sums []Cost, begin []string) {
	for i, name := range g.groups.countyList {
		code := string(g.short.at(name))
		if !slices.Contains(begin, code[:min(2, len(code))]) {
			sums[i] = Cost{}
		}
	}
}

// besides evaluates a filter: the rows that satisfy it, and for each choice those
// that satisfy all but that.
func (e *evaluation) besides(f *Filter) (found rowset, beside [choices]rowset, err error) {
	rest, chosen := f.apart()
	within, err := e.filter(&rest)
	if err != nil {
		return found, beside, err
	}
	if within.short {
		return e.besidesOfFew(within.list, &chosen)
	}
	g := e.g
	var sets [choices]bitset
	for i, c := range chosen {
		if c == nil {
			continue
		}
		set, err := e.filter(c)
		if err != nil {
			return found, beside, err
		}
		switch {
		case set.all: // no condition after all
		case set.short:
			sets[i] = e.set()
			for _, row := range set.list {
				sets[i].set(row)
			}
		default:
			sets[i] = set.set
		}
	}
	out, last := e.set(), wordsFor(g.rows)
	var total atomic.Int64
	var counts [choices]atomic.Int64
	err = inRanges(e.ctx, 0, last, g.grain.words, func(from, to int) {
		var all int64
		var each [choices]int64
		for w := from; w < to; w++ {
			in := ^uint64(0)
			if !within.all {
				in = within.set[w]
			} else if w == last-1 {
				in >>= 63 - (g.rows-1)&63
			}
			var misses [choices]uint64
			var once, twice uint64
			for i, s := range sets {
				if s != nil {
					m := in &^ s[w]
					twice |= once & m
					once |= m
					misses[i] = m
				}
			}
			out[w] = in &^ once
			all += int64(bits.OnesCount64(out[w]))
			for i, s := range sets {
				if s != nil {
					s[w] = misses[i] &^ twice
					each[i] += int64(bits.OnesCount64(s[w]))
				}
			}
		}
		total.Add(all)
		for i, n := range each {
			counts[i].Add(n)
		}
	})
	hi := uint32(g.rows)
	for i, s := range sets {
		if s != nil {
			beside[i] = rowset{set: s, hi: hi, count: counts[i].Load()}
		}
	}
	return rowset{set: out, hi: hi, count: total.Load()}, beside, err
}

// besidesOfFew is besides for the rows of a list.
func (e *evaluation) besidesOfFew(list []uint32, chosen *[choices]*Filter) (found rowset, beside [choices]rowset, err error) {
	var conditions [choices][]condition
	for i, c := range chosen {
		if c != nil {
			if conditions[i], err = e.conditions(c); err != nil {
				return found, beside, err
			}
		}
	}
	found.short = true
	for i := range beside {
		beside[i].short = true
	}
	for _, row := range list {
		missed, misses := 0, 0
		for i, all := range conditions {
			for k := range all {
				if all[k].test(row) == all[k].not {
					missed = i
					misses++
					break
				}
			}
		}
		to := &found
		if misses == 1 {
			to = &beside[missed]
		}
		if misses <= 1 {
			to.list = append(to.list, row)
			to.count++
		}
	}
	return found, beside, e.ctx.Err()
}

// bandRanks are where the amounts stand in the order of amounts, largest first.
func (g *Graph) bandRanks(amounts []int64) []uint32 {
	ranks := make([]uint32, len(amounts))
	for i := range amounts {
		_, ranks[i] = g.ranks(&amounts[i], nil)
	}
	return ranks
}

// spreads are the rows of a whole graph by their classes and probabilities,
// counted when they are first asked for.
type spreads struct {
	once    sync.Once
	classes []Cost
	probs   []int64
}

func (g *Graph) allSpreads() *spreads {
	g.spreads.once.Do(func() {
		t := g.newTables([]GroupsOf{{By: groupClass}, {By: groupProb}})
		all := rowset{all: true, hi: uint32(g.rows)}
		all.each(0, all.hi, func(rows []uint32) { t.add(g, rows) })
		t.fold()
		g.spreads.classes, g.spreads.probs = t.classes, t.probs
	})
	return &g.spreads
}
