package graph

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// numberAll turns every dictionary into sorted order, so that numbers compare as
// the strings do, and checks the order of the rows.
func (b *builder) numberAll() error {
	b.numberRecipients()
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
	if err := b.numberYears(); err != nil {
		return err
	}
	return b.numberProbs()
}

func (b *builder) numberRecipients() {
	former := b.recipDict.sorted(b.recips)
	b.recip = make([]recipRecord, len(former))
	for i, arrival := range former {
		b.recip[i].EIN = uint32(b.recipEINs[arrival])
	}
	b.recipEINs = nil
}

func (b *builder) numberYears() error {
	b.yearList = slices.Compact(slices.Sorted(slices.Values(b.rawYears)))
	if len(b.yearList) > maxYears {
		return inconsistent("the grants span %d fiscal years, more than %d", len(b.yearList), maxYears)
	}
	b.years = make([]uint8, b.rows)
	for i, y := range b.rawYears {
		n, _ := slices.BinarySearch(b.yearList, y)
		b.years[i] = uint8(n)
	}
	b.rawYears = nil
	return nil
}

func (b *builder) numberProbs() error {
	distinct := make(map[float64]uint32)
	for i, p := range b.rawProbs {
		if math.IsNaN(p) {
			return inconsistent("grant %s has no number as match_prob", b.key(uint32(i)))
		}
		distinct[p] = 0
	}
	b.probList = slices.Sorted(maps.Keys(distinct))
	for i, p := range b.probList {
		distinct[p] = uint32(i)
	}
	b.probs = make([]uint32, b.rows)
	for i, p := range b.rawProbs {
		b.probs[i] = distinct[p]
	}
	b.rawProbs = nil
	return nil
}

// splitPlaces takes the keys of places apart again.
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

// describeRecipients gives a name and a place to the recipients that no
// organization stands behind: those filed most often, the first in order when
// several are.
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
	// One sorted table of all short strings, so that numbers compare as the
	// strings do.
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
		renumber(order, &f.Name, &f.City, &f.CityKey, &f.State, &f.ZIP, &f.County)
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

// usualName is the name that most rows have, in capitals: names are as filed,
// and how somebody writes them is no other name.
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

// numberStates lists the states of rows and numbers them in the table of
// places.
func (b *builder) numberStates() []uint32 {
	var states []uint32
	for i := range b.placeList {
		states = append(states, b.placeList[i].State)
	}
	slices.Sort(states)
	states = slices.Compact(states)
	for i := range b.placeList {
		no, _ := slices.BinarySearch(states, b.placeList[i].State)
		b.placeList[i].StateNo = uint32(no)
	}
	return states
}

// numberCodes lists the NTEE codes of recipients, none among them, and the
// recipients of each.
func (b *builder) numberCodes() (codes []uint32, recips lists) {
	for i := range b.recip {
		codes = append(codes, b.recip[i].NTEE)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	codeOf := make([]uint32, len(b.recip))
	for i := range b.recip {
		no, _ := slices.BinarySearch(codes, b.recip[i].NTEE)
		codeOf[i] = uint32(no)
	}
	return codes, invert(codeOf, len(codes))
}
