package graph

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// Facets are the totals of the rows of a filter, and a count beside each choice of a form: the rows that the selection would
// have if the visitor chose it. The count ignores the filter's condition of the same kind, which the choice would replace.
type Facets struct {
	By             map[Grouping]Grouped // of the rows that satisfy the filter
	People, Nobody Cost                 // of these rows, those to individuals and to unnamed recipients

	// The counts beside the choices.
	Subjects, States, Supports, FunderTypes, Years Counts
	// Counties has the counties of chosen states, and of the states of chosen counties. It is empty for other places.
	Counties Counts
	Bands    []int64 // rows below the first amount, from each to the next, and from the last on
	Surest   []int64 // rows whose recipient has an EIN with at least each probability
	Classes  map[Class]int64
}

// Counts are the rows by the keys of a grouping, without a key, and in all.
type Counts struct {
	Of        map[string]int64
	None, All int64
}

// FacetsOf is the choices of amounts and of probabilities that a form offers, both ascending, and the
// groupings in which the selection itself is shown: any but those by funder and by recipient.
type FacetsOf struct {
	Amounts       []int64
	Probabilities []float64
	By            []Grouping
}

// choice is a condition that a form offers choices of.
type choice uint8

const (
	noChoice choice = iota
	chooseSubject
	choosePlace
	chooseSupport
	chooseKind
	chooseYear
	chooseAmount
	chooseProb
	chooseClass
	choices
)

// apart divides a filter into the conditions that the form offers choices of, each nil where nothing is chosen, and the rest.
func (f *Filter) apart() (rest Filter, chosen [choices]*Filter) {
	rest = *f
	for d := range f.declared {
		switch {
		case d.choice == noChoice, d.choice == chooseYear && !f.yearsApart():
			continue
		case d.choice == choosePlace:
			if f.Place.Of == RecipientPlace && len(f.Place.Values) > 0 {
				chosen[choosePlace] = &Filter{Place: Place{Kind: f.Place.Kind, Values: f.Place.Values}}
				rest.Place.Values = nil
			}
			continue
		}
		chosen[d.choice] = &Filter{}
		d.Take(f, chosen[d.choice])
		d.Clear(&rest)
	}
	return rest, chosen
}

// yearsApart reports whether the years are a condition of their own. They are not when they decide which funders reach a place.
func (f *Filter) yearsApart() bool { return f.Place.Of != AreaServed || f.Place.empty() }

// Facets counts. Rows by few values are stored as sets, so what stands beside the choices is counted from the bits that sets
// have in common, and only what is shown in dollars looks at rows. The answer is shared: it must not be changed.
func (g *Graph) Facets(ctx context.Context, f *Filter, o FacetsOf) (*Facets, error) {
	if err := g.Begin(); err != nil {
		return nil, err
	}
	defer g.End()
	key := cacheKey(facetsAnswer, Question{About: AboutGroups, Filter: f}) + o.name()
	return remember(g, key, func() (*Facets, int, error) {
		out, err := g.facets(ctx, f, o)
		if err != nil {
			return nil, 0, err
		}
		n := len(out.Counties.Of) + len(out.States.Of) + 256
		for _, d := range out.By {
			n += len(d.Groups)
		}
		return out, 128 * n, nil
	})
}

func (o *FacetsOf) name() string {
	var b []byte
	for _, a := range o.Amounts {
		b = append(strconv.AppendInt(b, a, 10), ',')
	}
	for _, p := range o.Probabilities {
		b = append(strconv.AppendFloat(b, p, 'g', -1, 64), ';')
	}
	for _, by := range o.By {
		b = append(b, by.String()...)
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
	out := &Facets{By: make(map[Grouping]Grouped, len(o.By)), Classes: map[Class]int64{}}
	asks := each.Of(o.By, func(by Grouping) GroupsOf { return GroupsOf{Filter: f, By: by, Top: MaxGroups} })
	t, err := e.tabulate(&found, asks)
	if err != nil {
		return nil, err
	}
	for i := range asks {
		if asks[i].By == GroupSupport {
			out.By[GroupSupport] = groupedSupport(t.supports, MaxGroups)
		} else {
			out.By[asks[i].By] = g.grouped(&asks[i], t)
		}
	}
	if out.People, out.Nobody, err = e.persons(&found); err != nil {
		return nil, err
	}

	others := func(choice choice) *rowset { return e.join(&found, &beside[choice]) }
	count := func(choice choice, sets []bitset) ([]int64, int64) {
		rows := others(choice)
		return e.countIn(rows, sets), rows.count
	}
	of := func(choice choice, sets []bitset, key func(i int) string) (c Counts) {
		counts, all := count(choice, sets)
		c.Of, c.All, c.None = make(map[string]int64, len(counts)), all, all
		for i, n := range counts {
			c.None -= n
			if name := key(i); name == "" {
				c.None += n
			} else if n > 0 {
				c.Of[name] += n
			}
		}
		return c
	}
	letters := g.postings.sets.major.all(majors)
	if f.SubjectBasis == ntee.Any {
		letters = append(letters, g.postings.sets.inferred.all(majors)...)
	}
	out.Subjects = of(chooseSubject, letters, func(i int) string { return string(rune('A' + i%majors)) })
	out.States = of(choosePlace, g.postings.sets.state.all(len(g.dict.states)), func(i int) string { return string(g.dict.short.at(g.dict.states[i])) })
	out.Supports = of(chooseSupport, g.postings.sets.support.all(grant.Strategies), func(i int) string { return grant.Support(1 << i).IDs()[0] })
	out.Supports.None = 0 // unknown, because strategies overlap
	out.FunderTypes = of(chooseKind, g.postings.sets.kind.all(len(kindNumbers)), func(i int) string { return kindNumbers.word(uint32(i)) })
	year := func(i int) string { return strconv.Itoa(int(g.dict.years[i])) }
	if len(f.Years) == 0 || f.yearsApart() {
		out.Years = of(chooseYear, g.postings.sets.year.all(len(g.dict.years)), year)
	} else if out.Years, err = g.yearsAlone(ctx, f); err != nil {
		return nil, err
	}
	out.Counties = g.countiesIn(&f.Place, others(choosePlace))
	bands, all := count(chooseAmount, g.bandSets(o.Amounts))
	for _, n := range bands {
		out.Bands = append(out.Bands, all-n)
		all = n
	}
	out.Bands = append(out.Bands, all)
	out.Surest, _ = count(chooseProb, g.sureSets(o.Probabilities))
	classCounts, _ := count(chooseClass, g.postings.sets.class.all(classes))
	for i, n := range classCounts {
		out.Classes[Class(1<<i)] = n
	}
	return out, ctx.Err()
}

func (d dimension) all(n int) []bitset {
	list := make([]bitset, n)
	for i := range list {
		list[i] = d.at(i)
	}
	return list
}

// yearsAlone counts the rows by year for a filter whose years also decide which funders reach a place.
func (g *Graph) yearsAlone(ctx context.Context, f *Filter) (c Counts, err error) {
	list, err := g.group(ctx, []GroupsOf{{Filter: f.without("year"), By: GroupYear, Top: MaxGroups}})
	if err != nil {
		return c, err
	}
	c.Of = map[string]int64{}
	for _, y := range list[0].Groups {
		c.Of[y.Key] = y.Grants
		c.All += y.Grants
	}
	return c, nil
}

// join is the union of two sets that have no row in common.
func (e *evaluation) join(a, b *rowset) *rowset {
	switch {
	case b.count == 0:
		return a
	case a.short:
		list := slices.Concat(a.list, b.list)
		slices.Sort(list)
		return &rowset{short: true, list: list, count: int64(len(list))}
	}
	out := &rowset{set: e.set(), hi: a.hi, count: a.count + b.count}
	for i, w := range a.set {
		out.set[i] = w | b.set[i]
	}
	return out
}

func (e *evaluation) countIn(rows *rowset, sets []bitset) []int64 {
	out := make([]int64, len(sets))
	if rows.short {
		for i, s := range sets {
			for _, row := range rows.list {
				out[i] += int64(s[row>>6] >> (row & 63) & 1)
			}
		}
		return out
	}
	var mu sync.Mutex
	_ = inRanges(e.ctx, 0, len(rows.set), e.g.grain.words, func(from, to int) {
		part := make([]int64, len(sets))
		// A block of words stays in the cache of the processor. Words without a row are left out.
		const block = 1024
		var words [block]uint64
		var at [block]uint32
		for ; from < to; from += block {
			n := 0
			for k, w := range rows.set[from:min(from+block, to)] {
				words[n], at[n] = w, uint32(from+k)
				if w != 0 {
					n++
				}
			}
			for i, s := range sets {
				sum := 0
				for k, w := range words[:n] {
					sum += bits.OnesCount64(w & s[at[k]])
				}
				part[i] += int64(sum)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i, n := range part {
			out[i] += n
		}
	})
	return out
}

// sumIn adds up the rows that a set has in common with each of other sets.
func (e *evaluation) sumIn(rows *rowset, sets []bitset) ([]Cost, error) {
	amounts, out := e.g.cols.amounts, make([]Cost, len(sets))
	if rows.short {
		for i, s := range sets {
			for _, row := range rows.list {
				if s.has(row) {
					out[i].add(amounts[row])
				}
			}
		}
		return out, e.ctx.Err()
	}
	var mu sync.Mutex
	err := inRanges(e.ctx, 0, wordsFor(e.g.rows), e.g.grain.words, func(from, to int) {
		part := make([]Cost, len(sets))
		for i, s := range sets {
			for w, m := range s[from:to] {
				if !rows.all {
					m &= rows.set[from+w]
				}
				base := uint32(from+w) << 6
				for ; m != 0; m &= m - 1 {
					part[i].add(amounts[base+uint32(bits.TrailingZeros64(m))])
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i, c := range part {
			out[i].merge(c, 1)
		}
	})
	return out, err
}

// persons adds up the rows to individuals, and the rows to other recipients that no line names.
func (e *evaluation) persons(found *rowset) (people, nobody Cost, err error) {
	persons, others := e.g.postings.sets.class.at(bits.TrailingZeros8(flagPerson)), e.set()
	for i, w := range e.g.postings.sets.class.at(bits.TrailingZeros8(flagNobody)) {
		others[i] = w &^ persons[i]
	}
	sums, err := e.sumIn(found, []bitset{persons, others})
	return sums[0], sums[1], err
}

func (g *Graph) countiesIn(p *Place, rows *rowset) (c Counts) {
	if p.Of != RecipientPlace || len(p.Values) == 0 || p.Kind != State && p.Kind != County {
		return c
	}
	c.Of = map[string]int64{}
	var begin []string
	match := g.placeMatcher(State, p.Values)
	begin = each.Append(begin, p.Values, func(v PlaceValue) string { return v.Name[:min(2, len(v.Name))] })
	for i := range g.dict.places {
		at := &g.dict.places[i]
		county := g.dict.short.at(at.County)
		if len(county) == 0 || p.Kind == State && !match(at) || p.Kind == County && !slices.Contains(begin, string(county[:min(2, len(county))])) {
			continue
		}
		n := int64(0)
		for _, row := range g.postings.placeRows.at(uint32(i)) {
			if rows.has(row) {
				n++
			}
		}
		if n > 0 {
			c.Of[string(county)] += n
		}
	}
	return c
}

func (g *Graph) bandSets(amounts []int64) []bitset {
	o := FacetsOf{Amounts: amounts}
	return g.markSets("b"+o.name(), len(amounts), func(set int) func(uint32) bool {
		_, end := g.ranks(&amounts[set], nil)
		return func(row uint32) bool { return g.orders.rank[row] < end }
	})
}

func (g *Graph) sureSets(least []float64) []bitset {
	o := FacetsOf{Probabilities: least}
	return g.markSets("p"+o.name(), len(least), func(set int) func(uint32) bool {
		linked, from := g.postings.sets.linked.at(0), uint32(sort.SearchFloat64s(g.dict.probs, least[set]))
		return func(row uint32) bool { return linked.has(row) && g.cols.probs[row] >= from }
	})
}

// markSets makes the set of rows that satisfy each test. The cache keeps the sets,
// because a form offers the same choices to everybody.
func (g *Graph) markSets(key string, n int, test func(set int) func(row uint32) bool) []bitset {
	sets, _ := remember(g, key, func() ([]bitset, int, error) {
		sets := make([]bitset, n)
		for i := range sets {
			sets[i] = make(bitset, wordsFor(g.rows))
			in := test(i)
			for row := range uint32(g.rows) {
				if in(row) {
					sets[i].set(row)
				}
			}
		}
		return sets, n * (8*wordsFor(g.rows) + 64), nil
	})
	return sets
}

// besides evaluates a filter: the rows that satisfy it and, for each choice, the
// rows that fail only the condition of that choice.
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
		case set.all: // every row satisfies the condition
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
