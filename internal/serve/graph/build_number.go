package graph

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot/mapped"
)

// numberAll sorts every dictionary, so that numbers compare as their strings do, and checks the order of the rows.
func (b *builder) numberAll() error {
	former := b.recipDict.sorted(b.recips)
	b.recip = make([]RecipientRecord, len(former))
	for i, arrival := range former {
		b.recip[i].EIN = uint32(b.recipEINs[arrival])
	}
	b.recipEINs = nil
	b.nameDict.sorted(b.names)
	b.purposeDict.sorted(b.purposes)
	b.placeDict.sorted(b.places)
	b.filingDict.sorted(b.filings)
	for i := 1; i < b.rows; i++ {
		if b.funders[i] == b.funders[i-1] && b.recips[i] < b.recips[i-1] {
			return inconsistent("grant %s is not in the order of recipients", b.key(uint32(i)))
		}
	}
	b.byFunder = append(b.byFunder, uint32(b.rows))
	b.byRecip = invert(b.recips, len(b.recip))
	b.splitPlaces()
	if len(b.yearList) > MaxYears {
		return inconsistent("the grants span %d fiscal years, more than %d", len(b.yearList), MaxYears)
	}
	numberInOrder(b.yearList, b.years)
	numberInOrder(b.probList, b.probs)
	b.yearNumbers, b.probNumbers = nil, nil
	return nil
}

// numberInOrder sorts a list of distinct values and gives a column, which has numbers of the list, their new numbers.
func numberInOrder[T cmp.Ordered, N uint8 | uint32](list []T, column []N) {
	former := slices.Clone(list)
	slices.Sort(list)
	order := make([]N, len(list))
	for i, v := range former {
		n, _ := slices.BinarySearch(list, v)
		order[i] = N(n)
	}
	for i, n := range column {
		column[i] = order[n]
	}
}

func (b *builder) splitPlaces() {
	b.placeList = make([]placeRecord, len(b.placeDict.list))
	for i, key := range b.placeDict.list {
		part := strings.Split(key, sep)
		b.placeList[i] = placeRecord{
			City: b.short.id(part[0]), CityKey: b.short.id(orgname.City(part[0])), State: b.short.id(part[1]),
			ZIP: b.short.id(part[2]), Country: b.short.id(part[3]), County: b.short.id(part[4]),
		}
	}
}

// describeRecipients gives a name and a place to the recipients that the table of organizations does not
// have: the name and the place that most rows have, and of several the first in order.
func (b *builder) describeRecipients() error {
	// Places that differ in the county alone are one place to a recipient.
	group := make([]uint32, len(b.placeList))
	for i := 1; i < len(group); i++ {
		p, q := &b.placeList[i-1], &b.placeList[i]
		group[i] = group[i-1]
		if p.City != q.City || p.State != q.State || p.ZIP != q.ZIP || p.Country != q.Country {
			group[i] = uint32(i)
		}
	}
	var scratch []uint32
	for i := range b.recip {
		r := &b.recip[i]
		if r.Name != unknownOrg {
			continue
		}
		rows := b.byRecip.at(uint32(i))
		r.Name = b.short.id(b.usualName(rows))
		scratch = scratch[:0]
		for _, row := range rows {
			scratch = append(scratch, group[b.places[row]])
		}
		p := &b.placeList[mode(scratch)]
		r.City, r.State, r.ZIP, r.Country = p.City, p.State, p.ZIP, p.Country
	}
	// One sorted table of all short strings, so that numbers compare as the strings do.
	order := make([]uint32, len(b.short.list))
	for i := range order {
		order[i] = uint32(i)
	}
	b.short.sorted(order) // order[old] is now new
	for i := range b.placeList {
		p := &b.placeList[i]
		renumber(order, &p.City, &p.CityKey, &p.State, &p.ZIP, &p.Country, &p.County)
	}
	for i := range b.funder {
		f := &b.funder[i]
		renumber(order, &f.Name, &f.City, &f.CityKey, &f.State, &f.ZIP, &f.County, &f.Accepts)
	}
	for i := range b.recip {
		r := &b.recip[i]
		renumber(order, &r.Name, &r.City, &r.State, &r.ZIP, &r.Country, &r.NTEE)
	}
	return nil
}

func renumber(order []uint32, fields ...*uint32) {
	for _, f := range fields {
		*f = order[*f]
	}
}

// mode is the most frequent number, the smallest of several. It sorts list.
func mode[T cmp.Ordered](list []T) (best T) {
	slices.Sort(list)
	most := 0
	for i := 0; i < len(list); {
		j := i
		for j < len(list) && list[j] == list[i] {
			j++
		}
		if j-i > most {
			best, most = list[i], j-i
		}
		i = j
	}
	return best
}

// usualName is the name that most rows have, in capitals: two names as filed that differ in their case are one name.
func (b *builder) usualName(rows []uint32) string {
	first := b.names[rows[0]]
	if !slices.ContainsFunc(rows, func(row uint32) bool { return b.names[row] != first }) {
		return strings.ToUpper(b.nameDict.list[first])
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = strings.ToUpper(b.nameDict.list[b.names[row]])
	}
	return mode(names)
}

// distinct lists the distinct values of some items, ascending, and says which number in the list the value of each item has.
func distinct[T any](items []T, value func(*T) uint32) (list, numbers []uint32) {
	for i := range items {
		list = append(list, value(&items[i]))
	}
	numbers = slices.Clone(list)
	slices.Sort(list)
	list = slices.Compact(list)
	for i, v := range numbers {
		no, _ := slices.BinarySearch(list, v)
		numbers[i] = uint32(no)
	}
	return list, numbers
}

func (b *builder) orderRows() error {
	list := make([]radix.Item, b.rows)
	for i := range list {
		list[i] = radix.Item{Key: radix.Prefix(b.key(uint32(i))), Of: uint32(i)}
	}
	radix.Texts(list, func(x, y uint32) int { return bytes.Compare(b.key(x), b.key(y)) })
	b.byKey = make([]uint32, b.rows)
	for i, x := range list {
		if i > 0 && bytes.Equal(b.key(x.Of), b.key(b.byKey[i-1])) {
			return inconsistent("two grants have the key %s", b.key(x.Of))
		}
		b.byKey[i] = x.Of
	}
	for i, row := range b.byKey {
		list[i] = radix.Item{Key: radix.Falling(b.amounts[row]), Of: row}
	}
	radix.Sort(list) // rows of one amount stay in the order of keys
	b.byAmount, b.rank = make([]uint32, b.rows), make([]uint32, b.rows)
	for i, x := range list {
		b.byAmount[i], b.rank[x.Of] = x.Of, uint32(i)
	}
	return nil
}

func byTotal(list []partyTotals) []uint32 {
	return radix.Order(len(list), func(i uint32) uint64 { return radix.Falling(list[i].Amount) }, nil)
}

// partyClasses are the classes that a recipient inherits from its rows.
const partyClasses = flagPerson | flagNobody

// letters is the size of a table of causes: no cause, the 26 registered letters, and
// the 26 inferred letters, which count only with the wider basis.
const letters = 1 + 2*majors

const supportSets = 1 << grant.Strategies

// groupIndex is the columns that rows are grouped by and that no other question needs, and the sums of all rows by each.
type groupIndex struct {
	countyList []uint32 // numbers of short strings, ascending
	states     []uint16 // by row: number in stateList
	counties   []uint16 // by row: number in countyList
	letters    []uint8  // by row

	stateSums, countySums, supportSums, letterSums []Cost
}

func (b *builder) groupRows(states []uint32) error {
	x := &b.groups
	var countyOf []uint32 // of a place
	x.countyList, countyOf = distinct(b.placeList, func(p *placeRecord) uint32 { return p.County })
	if max(len(states), len(x.countyList)) > math.MaxUint16 {
		return inconsistent("the grants are in %d states and %d counties", len(states), len(x.countyList))
	}
	letterOf := make([]uint8, len(b.recip))
	for i := range b.recip {
		if r := &b.recip[i]; r.EIN == 0 {
			continue
		} else if m := ntee.Code(b.short.list[r.NTEE]).Major(); m != 0 {
			letterOf[i] = 1 + m - 'A'
		} else if r.Inferred != 0 {
			letterOf[i] = 1 + majors + uint8(r.Inferred-'A')
		}
	}
	x.states, x.counties, x.letters = make([]uint16, b.rows), make([]uint16, b.rows), make([]uint8, b.rows)
	x.stateSums, x.countySums = make([]Cost, len(states)), make([]Cost, len(x.countyList))
	x.supportSums, x.letterSums = make([]Cost, supportSets), make([]Cost, letters)
	for row := range b.rows {
		amount, at := b.amounts[row], b.places[row]
		x.states[row], x.counties[row], x.letters[row] = uint16(b.placeList[at].StateNo), uint16(countyOf[at]), letterOf[b.recips[row]]
		x.stateSums[x.states[row]].add(amount)
		x.countySums[x.counties[row]].add(amount)
		x.letterSums[x.letters[row]].add(amount)
		x.supportSums[b.supports[row]&(supportSets-1)].add(amount)
	}
	return nil
}

func (c *Cost) add(amount int64) {
	c.Amount += amount
	c.Grants++
}

func (x *groupIndex) layout(s mapped.Layout, states, rows int) {
	mapped.Field(s, "counties", &x.countyList, mapped.AnyLength)
	mapped.Field(s, "row.state", &x.states, rows)
	mapped.Field(s, "row.county", &x.counties, rows)
	mapped.Field(s, "row.letter", &x.letters, rows)
	mapped.Field(s, "state.sums", &x.stateSums, states)
	mapped.Field(s, "county.sums", &x.countySums, len(x.countyList))
	mapped.Field(s, "support.sums", &x.supportSums, supportSets)
	mapped.Field(s, "letter.sums", &x.letterSums, letters)
}

// computeTotals computes everything about the corpus as a whole, so that a question without a condition costs nothing.
func (b *builder) computeTotals() error {
	b.sums.funders, b.sums.recips = make([]partyTotals, len(b.funder)), make([]partyTotals, len(b.recip))
	b.sums.years, b.sums.classes = make([]yearSum, len(b.yearList)), make([]Cost, classes)
	funderYears, recipYears := make([]uint64, len(b.funder)), make([]uint64, len(b.recip))
	for row := range b.rows {
		f, r, year, amount := b.funders[row], b.recips[row], b.years[row], b.amounts[row]
		b.sums.funders[f].add(amount, year)
		b.sums.recips[r].add(amount, year)
		if row == 0 || b.funders[row-1] != f || b.recips[row-1] != r {
			b.sums.funders[f].Others++
			b.sums.recips[r].Others++
		}
		funderYears[f] |= 1 << year
		recipYears[r] |= 1 << year
		b.recip[r].Classes |= uint32(b.flags[row] & partyClasses)
		b.sums.years[year].Amount += amount
		b.sums.years[year].Grants++
		for c := range classes {
			if b.flags[row]>>c&1 != 0 {
				b.sums.classes[c].add(amount)
			}
		}
		b.sums.all.Amount += amount
	}
	for _, m := range funderYears {
		for ; m != 0; m &= m - 1 {
			b.sums.years[bits.TrailingZeros64(m)].Funders++
		}
	}
	for _, m := range recipYears {
		for ; m != 0; m &= m - 1 {
			b.sums.years[bits.TrailingZeros64(m)].Recips++
		}
	}
	b.sums.all.Grants, b.sums.all.Funders, b.sums.all.Recipients = int64(b.rows), int64(len(b.funder)), int64(len(b.recip))
	return nil
}
