package graph

import (
	"cmp"
	"context"
	"math"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// sep follows each part of a compound key of a dictionary; it cannot stand in
// any.
const sep = "\x00"

// readGrants fills the row columns. Strings are numbered in order of arrival.
func (b *builder) readGrants(ctx context.Context, s *snapshot.Snapshot) error {
	b.reserve(s.RowsOf(snapshot.Grants))
	for r, err := range snapshot.Rows[snapshot.Grant](s, snapshot.Grants) {
		if err != nil {
			return err
		}
		if b.rows%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := b.addRow(&r); err != nil {
			return err
		}
	}
	return nil
}

// reserve makes room for so many rows at once: columns that double as they grow
// take twice the memory while they do.
func (b *builder) reserve(rows int64) {
	n := int(min(rows, maxRows))
	const key = 13 // letters of a grant key
	b.keys, b.keyEnds = make([]byte, 0, key*n), make([]uint32, 0, n)
	b.funders, b.recips, b.amounts = make([]uint32, 0, n), make([]uint32, 0, n), make([]int64, 0, n)
	b.years, b.probs = make([]uint8, 0, n), make([]uint32, 0, n)
	b.places, b.names, b.purposes, b.filings = make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	b.rules, b.flags, b.supports = make([]uint8, 0, n), make([]uint8, 0, n), make([]uint16, 0, n)
}

func (b *builder) addRow(r *snapshot.Grant) error {
	if b.rows == maxRows {
		return inconsistent("there are more than %d grants", maxRows)
	}
	funder, err := b.funderOf(r)
	if err != nil {
		return err
	}
	recip, err := b.recipOf(r)
	if err != nil {
		return err
	}
	rule, ok := grant.ParseRule(r.EINSource)
	if !ok && r.EINSource != "" {
		return inconsistent("grant %s has the unknown ein_source %q", r.Key, r.EINSource)
	}
	if math.IsNaN(r.MatchProb) {
		return inconsistent("grant %s has no number as match_prob", r.Key)
	}
	year, prob := arrival(&b.yearList, b.yearNumbers, r.TaxYear), arrival(&b.probList, b.probNumbers, r.MatchProb)
	b.keys = append(b.keys, r.Key...)
	if len(b.keys) > math.MaxUint32 {
		return inconsistent("grant keys take more than 4 GiB")
	}
	b.rows++
	b.keyEnds = append(b.keyEnds, uint32(len(b.keys)))
	b.funders = append(b.funders, funder)
	b.recips = append(b.recips, recip)
	b.amounts = append(b.amounts, r.Amount)
	b.years = append(b.years, year)
	b.probs = append(b.probs, prob)
	b.places = append(b.places, b.placeDict.join(r.RecipientCity, r.RecipientState, r.RecipientZIP, r.RecipientCountry, r.RecipientCounty))
	b.names = append(b.names, b.nameDict.id(cmp.Or(r.RecipientFiled, r.RecipientRaw)))
	b.purposes = append(b.purposes, b.purposeDict.id(r.Purpose))
	b.filings = append(b.filings, b.filingDict.join(r.Filing, r.ObjectID, r.ReturnType, r.PeriodEnd))
	b.rules = append(b.rules, uint8(rule))
	b.flags = append(b.flags, flagsOf(r))
	b.supports = append(b.supports, uint16(r.Support))
	return nil
}

// arrival is the number of a value in a list, to which it is added when it is new.
func arrival[T comparable, N uint8 | uint32](list *[]T, numbers map[T]N, value T) N {
	n, known := numbers[value]
	if !known {
		n = N(len(*list))
		numbers[value] = n
		*list = append(*list, value)
	}
	return n
}

// funderOf is the number of the funder of the next row. Rows come in the order
// of funders, so it is the last one or a new one.
func (b *builder) funderOf(r *snapshot.Grant) (uint32, error) {
	e, err := ein.Parse(r.FunderEIN)
	if err != nil {
		return 0, inconsistent("funder of grant %s: %w", r.Key, err)
	}
	last := len(b.funder) - 1
	if last >= 0 && uint32(e) < b.funder[last].EIN {
		return 0, inconsistent("grant %s is not in the order of funders", r.Key)
	}
	if last < 0 || uint32(e) != b.funder[last].EIN {
		b.funder = append(b.funder, funderRecord{EIN: uint32(e), Kind: noKind})
		b.byFunder = append(b.byFunder, uint32(b.rows))
		last++
	}
	return uint32(last), nil
}

// recipOf is the number of the recipient of a row.
func (b *builder) recipOf(r *snapshot.Grant) (uint32, error) {
	var e ein.EIN
	if r.RecipientEIN != "" {
		var err error
		if e, err = ein.Parse(r.RecipientEIN); err != nil {
			return 0, inconsistent("recipient of grant %s: %w", r.Key, err)
		}
	}
	recip := b.recipDict.id(r.RecipID)
	if int(recip) == len(b.recipEINs) {
		b.recipEINs = append(b.recipEINs, e)
	} else if known := b.recipEINs[recip]; known != e {
		return 0, inconsistent("recipient %s has two EINs, %q and %q", r.RecipID, known, e)
	}
	return recip, nil
}

func flagsOf(r *snapshot.Grant) (flags uint8) {
	for _, f := range [...]struct {
		on  bool
		bit uint8
	}{{r.IsDAF, flagDAF}, {r.IsIndividual, flagPerson}, {r.IsRelatedParty, flagRelated}, {r.IsUnidentified, flagNobody}, {r.SourceTier == grant.Matched, flagMatched}} {
		if f.on {
			flags |= f.bit
		}
	}
	conflict, _ := grant.ParseConflict(r.EINConflict)
	return flags | uint8(conflict)<<conflictShift
}

// key is the grant key of a row.
func (b *builder) key(row uint32) []byte {
	from := uint32(0)
	if row > 0 {
		from = b.keyEnds[row-1]
	}
	return b.keys[from:b.keyEnds[row]]
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
		if k, ok := kindNumbers.parse(r.Kind); ok {
			f.Kind = k
		}
	}
	return nil
}

// unknownOrg marks a recipient that the organizations table does not have.
const unknownOrg = math.MaxUint32

// orgRow is what the index needs of an organization.
type orgRow struct {
	EIN   string `parquet:"ein"`
	Name  string `parquet:"name"`
	City  string `parquet:"city,optional"`
	State string `parquet:"state,optional"`
	ZIP5  string `parquet:"zip5,optional"`
	NTEE  string `parquet:"ntee_cd,optional"`
}

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
	for o, err := range snapshot.Rows[orgRow](s, snapshot.Organizations) {
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

// readCauses takes in the causes that were inferred for recipients without a
// code. A snapshot that has no such table has none.
func (b *builder) readCauses(s *snapshot.Snapshot) error {
	if !s.HasTable(snapshot.InferredCauses) {
		return nil
	}
	empty := b.short.id("")
	for c, err := range snapshot.Rows[snapshot.InferredCause](s, snapshot.InferredCauses) {
		if err != nil {
			return err
		}
		e, err := ein.Parse(c.EIN)
		if err != nil {
			return inconsistent("an inferred cause: %w", err)
		}
		if len(c.Letter) != 1 || ntee.Label(c.Letter[0]) == "" {
			return inconsistent("the inferred cause of %s is %q", c.EIN, c.Letter)
		}
		at, ok := slices.BinarySearchFunc(b.byEIN, uint32(e), func(i, e uint32) int { return cmp.Compare(b.recip[i].EIN, e) })
		for ; ok && at < len(b.byEIN) && b.recip[b.byEIN[at]].EIN == uint32(e); at++ {
			if r := &b.recip[b.byEIN[at]]; r.NTEE == empty {
				r.Inferred = uint32(c.Letter[0])
			}
		}
	}
	return nil
}
