package graph

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// fileName is where the index stands in a snapshot.
const fileName = "graph/index"

// maxYears is how many fiscal years fit the year masks.
const maxYears = 64

// flags of a row.
const (
	flagDAF     = uint8(DAF)
	flagPerson  = uint8(Individuals)
	flagRelated = uint8(RelatedParty)
	flagMatched = uint8(1 << 3)
	classMask   = flagDAF | flagPerson | flagRelated
)

// classes is the number of classes that can be excluded.
const classes = 3

// Build derives the index from the tables of an unpublished snapshot and
// writes it under graph/. The rows are read once, and the whole index is held
// in memory until the file is written: at its height it takes about four
// hundred bytes a row. The result is a function of the tables.
func Build(ctx context.Context, w *snapshot.Writer) error {
	b := newBuilder()
	s := w.Unpublished()
	steps := []func() error{
		func() error { return b.readGrants(ctx, s) },
		b.number,
		func() error { return b.readFunders(s) },
		func() error { return b.readOrganizations(s) },
		b.describeRecipients,
		b.orderRows,
		b.total,
		b.indexText,
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	sections, err := b.sections()
	if err != nil {
		return err
	}
	return w.WriteFile(fileName, func(out io.Writer) error { return writeSections(out, b.rows, sections) })
}

// builder holds the columns of the index while they are made. Columns named
// in the plural are per row, in the order of the grants table.
type builder struct {
	rows int

	keys      []byte // grant keys end to end
	keyEnds   []uint32
	funders   []uint32
	recips    []uint32
	amounts   []int64
	years     []uint8
	places    []uint32
	names     []uint32 // as filed
	purposes  []uint32
	filings   []uint32
	rules     []uint8
	flags     []uint8
	supports  []uint16
	probs     []uint32
	rawYears  []int32
	rawProbs  []float64
	recipEINs map[uint32]ein.EIN // by recipient number of arrival

	recipDict, nameDict, purposeDict, placeDict, filingDict *dict

	yearList []int32
	probList []float64

	funder    []funderRecord
	recip     []recipRecord
	byRecip   lists // rows of each recipient
	byFunder  []uint32
	placeList []placeRecord
	short     *dict // names, cities, states, ZIP codes and so on

	byEIN                 []uint32 // recipients with an EIN, in its order
	byAmount, rank, byKey []uint32

	funderSums, recipSums []sums
	yearSums              []yearSum
	classSums             []Cost
	scope                 Scope
	text                  textBuilder
}

// funderRecord is one funder; strings are numbers in the table of short ones.
type funderRecord struct {
	EIN                             uint32
	Name, City, CityKey, State, ZIP uint32
	County                          uint32
	Kind                            uint32 // index into grant.FunderKinds, or noKind
}

const noKind = math.MaxUint32

// recipRecord is one recipient identity.
type recipRecord struct {
	EIN                    uint32
	Name, City, State, ZIP uint32
	Country, NTEE          uint32
}

// placeRecord is one distinct place of rows.
type placeRecord struct {
	City, CityKey, State, ZIP, Country, County uint32
	StateNo                                    uint32 // number of the state's bitset
}

// sums are the totals of the rows of one funder or recipient.
type sums struct {
	Amount      int64
	Grants      uint32
	Others      uint32 // distinct recipients of a funder, funders of a recipient
	First, Last uint8  // numbers of years
	_           [6]uint8
}

// yearSum are the totals of one fiscal year.
type yearSum struct{ Amount, Grants, Funders, Recips int64 }

func newBuilder() *builder {
	return &builder{
		recipEINs: make(map[uint32]ein.EIN),
		recipDict: newDict(), nameDict: newDict(), purposeDict: newDict(), placeDict: newDict(), filingDict: newDict(),
		short: newDict(),
	}
}

func inconsistent(format string, args ...any) error {
	return fault.New("tables_inconsistent", "the tables of the snapshot cannot be indexed: "+format, args...).
		Try("build the snapshot again; if it fails the same way, report it")
}

// sep joins the parts of a compound dictionary key; it cannot stand in any.
const sep = "\x00"

// readGrants fills the row columns. Strings are numbered in order of arrival.
func (b *builder) readGrants(ctx context.Context, s *snapshot.Snapshot) error {
	var lastFunder ein.EIN
	var compound []byte
	join := func(d *dict, parts ...string) uint32 {
		compound = compound[:0]
		for _, p := range parts {
			compound = append(compound, p...)
			compound = append(compound, 0)
		}
		if id, ok := d.ids[string(compound)]; ok {
			return id
		}
		return d.id(string(compound))
	}
	for r, err := range snapshot.Rows[snapshot.Grant](s, snapshot.Grants) {
		if err != nil {
			return err
		}
		if b.rows%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if b.rows == maxRows {
			return inconsistent("there are more than %d grants", maxRows)
		}
		b.rows++
		e, err := ein.Parse(r.FunderEIN)
		if err != nil {
			return inconsistent("funder of grant %s: %w", r.Key, err)
		}
		if e < lastFunder {
			return inconsistent("grant %s is not in the order of funders", r.Key)
		}
		if e != lastFunder {
			b.funder = append(b.funder, funderRecord{EIN: uint32(e), Kind: noKind})
			b.byFunder = append(b.byFunder, uint32(b.rows-1))
			lastFunder = e
		}
		rule := grant.None
		if r.EINSource != "" {
			var ok bool
			if rule, ok = grant.ParseRule(r.EINSource); !ok {
				return inconsistent("grant %s has the unknown ein_source %q", r.Key, r.EINSource)
			}
		}
		recip := b.recipDict.id(r.RecipID)
		var re ein.EIN
		if r.RecipientEIN != "" {
			if re, err = ein.Parse(r.RecipientEIN); err != nil {
				return inconsistent("recipient of grant %s: %w", r.Key, err)
			}
		}
		if known, seen := b.recipEINs[recip]; seen && known != re {
			return inconsistent("recipient %s has two EINs, %q and %q", r.RecipID, known, re)
		} else if !seen {
			b.recipEINs[recip] = re
		}
		var flags uint8
		for _, f := range [...]struct {
			on  bool
			bit uint8
		}{{r.IsDAF, flagDAF}, {r.IsIndividual, flagPerson}, {r.IsRelatedParty, flagRelated}, {r.SourceTier == grant.Matched, flagMatched}} {
			if f.on {
				flags |= f.bit
			}
		}
		b.keys = append(b.keys, r.Key...)
		if len(b.keys) > math.MaxUint32 {
			return inconsistent("grant keys take more than 4 GiB")
		}
		b.keyEnds = append(b.keyEnds, uint32(len(b.keys)))
		b.funders = append(b.funders, uint32(len(b.funder)-1))
		b.recips = append(b.recips, recip)
		b.amounts = append(b.amounts, r.Amount)
		b.rawYears = append(b.rawYears, r.TaxYear)
		b.rawProbs = append(b.rawProbs, r.MatchProb)
		b.places = append(b.places, join(b.placeDict, r.RecipientCity, r.RecipientState, r.RecipientZIP, r.RecipientCountry, r.RecipientCounty))
		b.names = append(b.names, b.nameDict.id(r.RecipientRaw))
		b.purposes = append(b.purposes, b.purposeDict.id(r.Purpose))
		b.filings = append(b.filings, join(b.filingDict, r.Filing, r.ObjectID, r.ReturnType, r.PeriodEnd))
		b.rules = append(b.rules, uint8(rule))
		b.flags = append(b.flags, flags)
		b.supports = append(b.supports, uint16(r.Support))
	}
	return nil
}

// key is the grant key of a row.
func (b *builder) key(row uint32) []byte {
	from := uint32(0)
	if row > 0 {
		from = b.keyEnds[row-1]
	}
	return b.keys[from:b.keyEnds[row]]
}

// number turns every dictionary into sorted order, so that numbers compare as
// the strings do, and checks the order of the rows.
func (b *builder) number() error {
	arrival := b.recipDict.ids
	b.recipDict.sorted(b.recips)
	eins := make([]uint32, len(b.recipDict.list))
	for i, id := range b.recipDict.list {
		eins[i] = uint32(b.recipEINs[arrival[id]])
	}
	b.recipEINs = nil
	b.recip = make([]recipRecord, len(eins))
	for i := range b.recip {
		b.recip[i].EIN = eins[i]
	}
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

	b.yearList = slices.Compact(slices.Sorted(slices.Values(b.rawYears)))
	if len(b.yearList) > maxYears {
		return inconsistent("the grants span %d fiscal years, more than %d", len(b.yearList), maxYears)
	}
	b.years = make([]uint8, b.rows)
	for i, y := range b.rawYears {
		n, _ := slices.BinarySearch(b.yearList, y)
		b.years[i] = uint8(n)
	}
	distinct := make(map[float64]uint32)
	for i, p := range b.rawProbs {
		if math.IsNaN(p) {
			return inconsistent("grant %s has no number as match_prob", b.key(uint32(i)))
		}
		if _, ok := distinct[p]; !ok {
			distinct[p] = 0
			b.probList = append(b.probList, p)
		}
	}
	slices.Sort(b.probList)
	for i, p := range b.probList {
		distinct[p] = uint32(i)
	}
	b.probs = make([]uint32, b.rows)
	for i, p := range b.rawProbs {
		b.probs[i] = distinct[p]
	}
	b.rawYears, b.rawProbs = nil, nil

	b.placeList = make([]placeRecord, len(b.placeDict.list))
	for i, key := range b.placeDict.list {
		part := strings.Split(key, sep)
		b.placeList[i] = placeRecord{
			City: b.short.id(part[0]), CityKey: b.short.id(orgname.City(part[0])), State: b.short.id(part[1]),
			ZIP: b.short.id(part[2]), Country: b.short.id(part[3]), County: b.short.id(part[4]),
		}
	}
	return nil
}

func (b *builder) readFunders(s *snapshot.Snapshot) error {
	empty := b.short.id("")
	for i := range b.funder {
		f := &b.funder[i]
		f.Name, f.City, f.CityKey, f.State, f.ZIP, f.County = empty, empty, empty, empty, empty, empty
	}
	for r, err := range snapshot.Rows[snapshot.FunderKind](s, snapshot.FunderKinds) {
		if err != nil {
			return err
		}
		e, err := ein.Parse(r.FunderEIN)
		if err != nil {
			return inconsistent("a funder: %w", err)
		}
		i, ok := slices.BinarySearchFunc(b.funder, uint32(e), func(f funderRecord, e uint32) int { return cmp.Compare(f.EIN, e) })
		if !ok {
			continue
		}
		f := &b.funder[i]
		f.Name, f.City, f.CityKey = b.short.id(r.Name), b.short.id(r.City), b.short.id(orgname.City(r.City))
		f.State, f.ZIP, f.County = b.short.id(r.State), b.short.id(r.ZIP5), b.short.id(r.County)
		if k := slices.Index(grant.FunderKinds(), r.Kind); k >= 0 {
			f.Kind = uint32(k)
		}
	}
	return nil
}

// unknownOrg marks a recipient that the organizations table does not have.
const unknownOrg = math.MaxUint32

func (b *builder) readOrganizations(s *snapshot.Snapshot) error {
	byEIN := make([]uint32, 0, len(b.recip))
	empty := b.short.id("")
	for i := range b.recip {
		r := &b.recip[i]
		r.Name, r.NTEE = unknownOrg, empty
		if r.EIN != 0 {
			byEIN = append(byEIN, uint32(i))
		}
	}
	slices.SortFunc(byEIN, func(x, y uint32) int { return cmp.Or(cmp.Compare(b.recip[x].EIN, b.recip[y].EIN), cmp.Compare(x, y)) })
	b.byEIN = byEIN
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			return err
		}
		e, err := ein.Parse(o.EIN)
		if err != nil {
			return inconsistent("an organization: %w", err)
		}
		at, ok := slices.BinarySearchFunc(byEIN, uint32(e), func(i, e uint32) int { return cmp.Compare(b.recip[i].EIN, e) })
		for ; ok && at < len(byEIN) && b.recip[byEIN[at]].EIN == uint32(e); at++ {
			r := &b.recip[byEIN[at]]
			r.Name, r.City, r.State, r.ZIP = b.short.id(o.Name), b.short.id(o.City), b.short.id(o.State), b.short.id(o.ZIP5)
			r.Country = empty
			if code, ok := ntee.Parse(o.NTEE); ok {
				r.NTEE = b.short.id(string(code))
			}
		}
	}
	return nil
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
		scratch = scratch[:0]
		for _, row := range rows {
			scratch = append(scratch, b.names[row])
		}
		r.Name = b.short.id(b.nameDict.list[mode(scratch)])
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
func mode(list []uint32) uint32 {
	slices.Sort(list)
	best, most := uint32(0), 0
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

// orderRows sorts the rows by key and by amount.
func (b *builder) orderRows() error {
	type prefixed struct {
		prefix uint64
		row    uint32
	}
	keys := make([]prefixed, b.rows)
	for i := range keys {
		var p uint64
		k := b.key(uint32(i))
		for j := range 8 {
			p <<= 8
			if j < len(k) {
				p |= uint64(k[j])
			}
		}
		keys[i] = prefixed{p, uint32(i)}
	}
	slices.SortFunc(keys, func(x, y prefixed) int {
		if x.prefix != y.prefix {
			return cmp.Compare(x.prefix, y.prefix)
		}
		return cmp.Or(slices.Compare(b.key(x.row), b.key(y.row)), cmp.Compare(x.row, y.row))
	})
	b.byKey = make([]uint32, b.rows)
	type priced struct {
		amount int64
		key    uint32
	}
	order := make([]priced, b.rows)
	for i, k := range keys {
		if i > 0 && string(b.key(k.row)) == string(b.key(keys[i-1].row)) {
			return inconsistent("two grants have the key %s", b.key(k.row))
		}
		b.byKey[i] = k.row
		order[i] = priced{b.amounts[k.row], uint32(i)}
	}
	slices.SortFunc(order, func(x, y priced) int {
		if x.amount != y.amount {
			return cmp.Compare(y.amount, x.amount)
		}
		return cmp.Compare(x.key, y.key)
	})
	b.byAmount, b.rank = make([]uint32, b.rows), make([]uint32, b.rows)
	for i, p := range order {
		row := b.byKey[p.key]
		b.byAmount[i], b.rank[row] = row, uint32(i)
	}
	return nil
}
