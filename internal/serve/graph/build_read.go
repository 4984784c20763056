package graph

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strconv"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// sep follows each part of a compound key of a dictionary; it cannot stand in any.
const sep = "\x00"

type grantRow struct {
	Key              *snapshot.Word `parquet:"grant_key"`
	FunderEIN        *snapshot.Word `parquet:"funder_ein"`
	RecipID          *snapshot.Word `parquet:"recip_id"`
	RecipientEIN     *snapshot.Word `parquet:"recipient_ein"`
	RecipientRaw     *snapshot.Word `parquet:"recipient_raw"`
	RecipientFiled   *snapshot.Word `parquet:"recipient_filed"`
	RecipientCity    *snapshot.Word `parquet:"recipient_city"`
	RecipientState   *snapshot.Word `parquet:"recipient_state"`
	RecipientZIP     *snapshot.Word `parquet:"recipient_zip"`
	RecipientCounty  *snapshot.Word `parquet:"recipient_county"`
	RecipientCountry *snapshot.Word `parquet:"recipient_country"`
	Amount           int64          `parquet:"amount"`
	TaxYear          int32          `parquet:"tax_year"`
	Purpose          *snapshot.Word `parquet:"purpose"`
	EINSource        *snapshot.Word `parquet:"ein_source"`
	MatchProb        float64        `parquet:"match_prob"`
	SourceTier       *snapshot.Word `parquet:"source_tier"`
	IsIndividual     bool           `parquet:"is_individual"`
	IsUnidentified   bool           `parquet:"is_unidentified"`
	IsDAF            bool           `parquet:"is_daf"`
	IsRelatedParty   bool           `parquet:"is_related_party"`
	Support          int32          `parquet:"support"`
	Filing           *snapshot.Word `parquet:"filing"`
	ObjectID         *snapshot.Word `parquet:"object_id"`
	ReturnType       *snapshot.Word `parquet:"return_type"`
	PeriodEnd        *snapshot.Word `parquet:"period_end"`
	Part             *snapshot.Word `parquet:"part"`
	PartLines        int32          `parquet:"part_lines"`
	EINConflict      *snapshot.Word `parquet:"ein_conflict"`
	StateFiled       *snapshot.Word `parquet:"recipient_state_filed"`
}

// readGrants fills the row columns. Strings are numbered in order of arrival.
func (b *builder) readGrants(ctx context.Context, t source) error {
	b.reserve(t.rows)
	for rows, err := range t.grants {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for i := range rows {
			if err := b.addRow(&rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// reserve makes room for so many rows at once: columns that double as they grow take twice the memory while they do.
func (b *builder) reserve(rows int64) {
	n := int(min(rows, maxRows))
	const key = 13 // letters of a grant key
	b.keys, b.keyEnds = make([]byte, 0, key*n), make([]uint32, 0, n)
	b.funders, b.recips, b.amounts = make([]uint32, 0, n), make([]uint32, 0, n), make([]int64, 0, n)
	b.years, b.probs = make([]uint8, 0, n), make([]uint32, 0, n)
	b.places, b.names, b.purposes, b.filings = make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	b.rules, b.flags, b.supports = make([]uint8, 0, n), make([]uint8, 0, n), make([]uint16, 0, n)
}

func (b *builder) addRow(r *grantRow) error {
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
	rule, err := ruleOf(r)
	if err != nil {
		return err
	}
	if math.IsNaN(r.MatchProb) {
		return inconsistent("grant %s has no number as match_prob", r.Key.Text)
	}
	year, prob := arrival(&b.yearList, b.yearNumbers, r.TaxYear), arrival(&b.probList, b.probNumbers, r.MatchProb)
	b.keys = append(b.keys, r.Key.Text...)
	if len(b.keys) > math.MaxUint32 {
		return inconsistent("grant keys take more than 4 GiB")
	}
	name := r.RecipientFiled
	if name.Text == "" {
		name = r.RecipientRaw
	}
	b.rows++
	b.keyEnds = append(b.keyEnds, uint32(len(b.keys)))
	b.funders = append(b.funders, funder)
	b.recips = append(b.recips, recip)
	b.amounts = append(b.amounts, r.Amount)
	b.years = append(b.years, year)
	b.probs = append(b.probs, prob)
	b.places = append(b.places, b.placeDict.join(r.RecipientCity, r.RecipientState, r.RecipientZIP, r.RecipientCountry, r.RecipientCounty))
	b.names = append(b.names, b.nameDict.word(name))
	b.purposes = append(b.purposes, b.purposeDict.word(r.Purpose))
	b.filings = append(b.filings, b.filingDict.join(r.Filing, r.ObjectID, r.ReturnType, r.PeriodEnd, r.Part, b.number(r.PartLines)))
	b.rules = append(b.rules, rule)
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

// funderOf is the number of the funder of the next row. Rows come in the order of funders, so it is the last one or a new one.
func (b *builder) funderOf(r *grantRow) (uint32, error) {
	e, err := einOf(r.FunderEIN)
	if err != nil {
		return 0, inconsistent("funder of grant %s: %w", r.Key.Text, err)
	}
	last := len(b.funder) - 1
	if last >= 0 && uint32(e) < b.funder[last].EIN {
		return 0, inconsistent("grant %s is not in the order of funders", r.Key.Text)
	}
	if last < 0 || uint32(e) != b.funder[last].EIN {
		b.funder = append(b.funder, FunderRecord{EIN: uint32(e), Kind: noKind})
		b.byFunder = append(b.byFunder, uint32(b.rows))
		last++
	}
	return uint32(last), nil
}

func (b *builder) recipOf(r *grantRow) (uint32, error) {
	var e ein.EIN
	if r.RecipientEIN.Text != "" {
		var err error
		if e, err = einOf(r.RecipientEIN); err != nil {
			return 0, inconsistent("recipient of grant %s: %w", r.Key.Text, err)
		}
	}
	recip := b.recipDict.word(r.RecipID)
	if int(recip) == len(b.recipEINs) {
		b.recipEINs = append(b.recipEINs, e)
	} else if known := b.recipEINs[recip]; known != e {
		return 0, inconsistent("recipient %s has two EINs, %q and %q", r.RecipID.Text, known, e)
	}
	return recip, nil
}

// einOf reads an EIN once for all rows that have it.
func einOf(w *snapshot.Word) (ein.EIN, error) {
	if w.Note == 0 {
		e, err := ein.Parse(w.Text)
		if err != nil {
			return 0, err
		}
		w.Note = uint32(e) + 1
	}
	return ein.EIN(w.Note - 1), nil
}

func ruleOf(r *grantRow) (uint8, error) {
	w := r.EINSource
	if w.Note == 0 {
		rule, ok := grant.ParseRule(w.Text)
		if !ok && w.Text != "" {
			return 0, inconsistent("grant %s has the unknown ein_source %q", r.Key.Text, w.Text)
		}
		w.Note = uint32(rule) + 1
	}
	return uint8(w.Note - 1), nil
}

func flagsOf(r *grantRow) (flags uint8) {
	for _, f := range [...]struct {
		on  bool
		bit uint8
	}{
		{r.IsDAF, flagDAF}, {r.IsIndividual, flagPerson}, {r.IsRelatedParty, flagRelated},
		{r.IsUnidentified, flagNobody}, {r.SourceTier.Text == grant.Matched, flagMatched}, {r.StateFiled.Text != "", flagState},
	} {
		if f.on {
			flags |= f.bit
		}
	}
	conflict, _ := grant.ParseConflict(r.EINConflict.Text)
	return flags | uint8(conflict)<<conflictShift
}

func (b *builder) key(row uint32) []byte {
	from := uint32(0)
	if row > 0 {
		from = b.keyEnds[row-1]
	}
	return b.keys[from:b.keyEnds[row]]
}

// number is a number as part of a compound key.
func (b *builder) number(n int32) *snapshot.Word {
	if b.numbers[n] == nil {
		b.numbers[n] = &snapshot.Word{Text: strconv.Itoa(int(n))}
	}
	return b.numbers[n]
}

func (b *builder) readFunders(funders iter.Seq2[snapshot.FunderKind, error]) error {
	for r, err := range funders {
		if err != nil {
			return err
		}
		e, err := ein.Parse(r.FunderEIN)
		if err != nil {
			return inconsistent("a funder: %w", err)
		}
		i, ok := slices.BinarySearchFunc(b.funder, uint32(e), func(f FunderRecord, e uint32) int { return cmp.Compare(f.EIN, e) })
		if !ok {
			continue
		}
		f := &b.funder[i]
		f.Name, f.City, f.CityKey = b.short.id(r.Name), b.short.id(r.City), b.short.id(orgname.City(r.City))
		f.State, f.ZIP, f.County, f.Accepts = b.short.id(r.State), b.short.id(r.ZIP5), b.short.id(r.County), b.short.id(r.Accepts)
		if k, ok := kindNumbers.parse(r.Kind); ok {
			f.Kind = k
		}
	}
	return nil
}

// unknownOrg marks a recipient that the organizations table does not have.
const unknownOrg = math.MaxUint32

type orgRow struct {
	EIN   string `parquet:"ein"`
	Name  string `parquet:"name"`
	City  string `parquet:"city,optional"`
	State string `parquet:"state,optional"`
	ZIP5  string `parquet:"zip5,optional"`
	NTEE  string `parquet:"ntee_cd,optional"`
}

func (b *builder) readOrganizations(orgs iter.Seq2[orgRow, error]) error {
	byEIN := make([]uint32, 0, len(b.recip))
	for i := range b.recip {
		if b.recip[i].Name = unknownOrg; b.recip[i].EIN != 0 {
			byEIN = append(byEIN, uint32(i))
		}
	}
	slices.SortFunc(byEIN, func(x, y uint32) int { return cmp.Or(cmp.Compare(b.recip[x].EIN, b.recip[y].EIN), cmp.Compare(x, y)) })
	b.byEIN = byEIN
	for o, err := range orgs {
		if err != nil {
			return err
		}
		e, err := ein.Parse(o.EIN)
		if err != nil {
			return inconsistent("an organization: %w", err)
		}
		for r := range b.recipsOf(e) {
			r.Name, r.City, r.State, r.ZIP = b.short.id(o.Name), b.short.id(o.City), b.short.id(o.State), b.short.id(o.ZIP5)
			if code, ok := ntee.Parse(o.NTEE); ok {
				r.NTEE = b.short.id(string(code))
			}
		}
	}
	return nil
}

func (b *builder) recipsOf(e ein.EIN) iter.Seq[*RecipientRecord] {
	return func(yield func(*RecipientRecord) bool) {
		at, _ := slices.BinarySearchFunc(b.byEIN, uint32(e), func(i, e uint32) int { return cmp.Compare(b.recip[i].EIN, e) })
		for ; at < len(b.byEIN) && b.recip[b.byEIN[at]].EIN == uint32(e); at++ {
			if !yield(&b.recip[b.byEIN[at]]) {
				return
			}
		}
	}
}

// readCauses reads the causes that were inferred for recipients without a code.
func (b *builder) readCauses(causes iter.Seq2[snapshot.InferredCause, error]) error {
	if causes == nil {
		return nil
	}
	for c, err := range causes {
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
		for r := range b.recipsOf(e) {
			if r.NTEE == 0 {
				r.Inferred = uint32(c.Letter[0])
			}
		}
	}
	return nil
}
