package profile

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

const (
	Federal = "federal"
	State   = "state"
)

type Awarded struct {
	Federal, State      float64
	Awards              int64 // awards, counted once for each fiscal year
	FirstYear, LastYear int   // 0 if there are no awards
}

func (t *Awarded) add(r *awardRecord) {
	if r.Level == 0 {
		t.Federal += r.Amount
	} else {
		t.State += r.Amount
	}
	y := int(r.Year)
	if t.Awards++; t.Awards == 1 {
		t.FirstYear = y
	}
	t.FirstYear, t.LastYear = min(t.FirstYear, y), max(t.LastYear, y)
}

// Dollars are the whole dollars of federal and of state awards, nil where no file was read.
func (t *Awarded) Dollars(read *snapshot.AwardCoverage) (federal, states *int64) {
	if read.FederalThrough != "" {
		federal = new(dollars(t.Federal))
	}
	if len(read.StatesRead) > 0 {
		states = new(dollars(t.State))
	}
	return federal, states
}

func dollars(x float64) int64 { return int64(math.Round(x)) }

// MaxAwardGroups bounds the agencies and the programs of an answer.
const MaxAwardGroups = 50

// awardRecord is one award. Repeated texts are numbers of words.
type awardRecord struct {
	Amount                                float64
	Confidence                            float64
	ID                                    uint64 // where its identifier begins
	State, Kind, Agency, Program, Listing uint32
	Basis                                 uint32
	Date                                  uint32 // YYYYMMDD, 0 for none
	Year                                  uint16
	IDLength                              uint16
	Level                                 uint8
	_                                     [7]uint8
}

type awards struct {
	orgs      []uint32
	starts    []uint64
	list      []awardRecord
	ids       []byte
	wordStart []uint32
	wordText  []byte
}

var levels = [...]string{Federal, State}

func openAwards(f *mapped.File, orgs int) awards {
	a := awards{
		orgs: mapped.Column[uint32](f, "awards.org", mapped.AnyLength), list: mapped.Column[awardRecord](f, "awards.rows", mapped.AnyLength),
		ids: mapped.Column[byte](f, "awards.id", mapped.AnyLength), wordStart: mapped.Column[uint32](f, "words.start", mapped.AnyLength),
		wordText: mapped.Column[byte](f, "words.text", mapped.AnyLength),
	}
	a.starts = mapped.Column[uint64](f, "awards.start", len(a.orgs)+1)
	checkStarts(f, "awards", a.orgs, a.starts, orgs, len(a.list))
	if f.Err() != nil {
		return awards{}
	}
	if len(a.wordStart) == 0 || !slices.IsSorted(a.wordStart) || a.wordStart[0] != 0 || int(a.wordStart[len(a.wordStart)-1]) != len(a.wordText) {
		f.Fail("the words of the awards are incomplete")
		return awards{}
	}
	words := uint32(len(a.wordStart) - 1)
	for i := range a.list {
		r := &a.list[i]
		if max(r.State, r.Kind, r.Agency, r.Program, r.Listing, r.Basis) >= words || int(r.Level) >= len(levels) || r.Date != 0 && r.Date < firstDate ||
			r.ID > uint64(len(a.ids)) || uint64(r.IDLength) > uint64(len(a.ids))-r.ID {
			f.Fail("award %d does not fit the others", i)
			return awards{}
		}
	}
	return a
}

func (a *awards) text(i uint32) string { return string(a.wordText[a.wordStart[i]:a.wordStart[i+1]]) }

func (a *awards) word(i uint32) *string { return orNull(a.text(i)) }

func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

func (a *awards) of(org uint32) []awardRecord {
	i, found := slices.BinarySearch(a.orgs, org)
	if !found {
		return nil
	}
	return a.list[a.starts[i]:a.starts[i+1]]
}

func (a *awards) award(r *awardRecord) client.GovernmentAward {
	w := client.GovernmentAward{
		Level: levels[r.Level], State: a.word(r.State), Kind: a.word(r.Kind), Agency: a.word(r.Agency), Program: a.word(r.Program),
		AssistanceListing: a.word(r.Listing), AwardID: orNull(string(a.ids[r.ID : r.ID+uint64(r.IDLength)])), FiscalYear: int(r.Year),
		Amount: dollars(r.Amount), Join: client.GovernmentAwardJoin{Basis: a.text(r.Basis), Confidence: r.Confidence},
	}
	if d := r.Date; d != 0 {
		s := strconv.Itoa(int(d))
		w.ActionDate = new(s[:4] + "-" + s[4:6] + "-" + s[6:])
	}
	return w
}

func awardedOf(list []awardRecord) (t Awarded) {
	for i := range list {
		t.add(&list[i])
	}
	return t
}

type awardGroup struct {
	Awarded
	first *awardRecord
}

// groups sums awards by a key in one pass, with memory for one group per key.
func groups[K comparable](list []awardRecord, key func(*awardRecord) K) (found []awardGroup) {
	at := map[K]int{}
	for i := range list {
		r := &list[i]
		k := key(r)
		n, known := at[k]
		if !known {
			n = len(found)
			at[k] = n
			found = append(found, awardGroup{first: r})
		}
		found[n].add(r)
	}
	return found
}

func largest(found []awardGroup) []awardGroup {
	slices.SortStableFunc(found, func(a, b awardGroup) int { return cmp.Compare(b.Federal+b.State, a.Federal+a.State) })
	return found[:min(len(found), MaxAwardGroups)]
}

// Funding reads the government awards of an organization, with one page of them.
func (x *Index) Funding(e ein.EIN, offset, limit int) (*client.FundingAnswer, bool) {
	if x.Begin() != nil {
		return nil, false
	}
	defer x.End()
	org, known := numberOf(x.facts, e)
	if !known {
		return nil, false
	}
	list, a := x.awards.of(org), &x.awards
	all := awardedOf(list)
	f := &client.FundingAnswer{
		EIN: e.String(), Name: first(&x.identity, org).Name,
		Summary: client.GovernmentFundingSummary{AwardCount: all.Awards, FirstFiscalYear: orNull(all.FirstYear), LastFiscalYear: orNull(all.LastYear)},
		ByYear:  []client.GovernmentFundingYear{}, ByAgency: []client.GovernmentAgency{}, ByProgram: []client.GovernmentProgram{}, Awards: []client.GovernmentAward{},
		Coverage: client.GovernmentCoverage{FederalThrough: orNull(x.coverage.FederalThrough), StatesRead: append([]string{}, x.coverage.StatesRead...)},
	}
	f.Summary.FederalAmount, f.Summary.StateAmount = all.Dollars(&x.coverage)
	byYear := groups(list, func(r *awardRecord) uint16 { return r.Year })
	slices.SortFunc(byYear, func(a, b awardGroup) int { return cmp.Compare(a.FirstYear, b.FirstYear) })
	for i := range byYear {
		federal, states := byYear[i].Dollars(&x.coverage)
		f.ByYear = append(f.ByYear, client.GovernmentFundingYear{
			FiscalYear: byYear[i].FirstYear, FederalAmount: federal, StateAmount: states, AwardCount: byYear[i].Awards,
		})
	}
	type agency struct {
		level         uint8
		state, agency uint32
	}
	byAgency := groups(list, func(r *awardRecord) agency { return agency{r.Level, r.State, r.Agency} })
	f.AgencyCount = len(byAgency)
	for _, g := range largest(byAgency) {
		f.ByAgency = append(f.ByAgency, client.GovernmentAgency{
			Level: levels[g.first.Level], State: a.word(g.first.State), Agency: a.word(g.first.Agency), TotalAmount: dollars(g.Federal + g.State), AwardCount: g.Awards,
		})
	}
	type program struct {
		agency
		program, listing uint32
	}
	byProgram := groups(list, func(r *awardRecord) program {
		return program{agency{r.Level, r.State, r.Agency}, r.Program, r.Listing}
	})
	f.ProgramCount = len(byProgram)
	for _, g := range largest(byProgram) {
		f.ByProgram = append(f.ByProgram, client.GovernmentProgram{
			Level: levels[g.first.Level], State: a.word(g.first.State), Agency: a.word(g.first.Agency), Program: a.word(g.first.Program),
			AssistanceListing: a.word(g.first.Listing), TotalAmount: dollars(g.Federal + g.State), AwardCount: g.Awards,
		})
	}
	for i := min(max(offset, 0), len(list)); i < len(list) && len(f.Awards) < limit; i++ {
		f.Awards = append(f.Awards, a.award(&list[i]))
	}
	return f, true
}

type wordNumbers struct {
	ids    map[string]uint32
	starts []uint32
	text   []byte
}

func (w *wordNumbers) id(s string) uint32 {
	id, known := w.ids[s]
	if !known {
		id = uint32(len(w.starts))
		w.ids[strings.Clone(s)] = id
		w.starts = append(w.starts, uint32(len(w.text)))
		w.text = append(w.text, s...)
	}
	return id
}

// addAwards writes the awards in the order of their table, which is sorted by EIN.
func (b *builder) addAwards(t *Tables) error {
	words := wordNumbers{ids: map[string]uint32{}}
	words.id("")
	var orgs []uint32
	var starts []uint64
	var ids []byte
	at, last := uint64(0), ""
	b.out.Begin("awards.rows")
	err := each(b.ctx, t.Awards, func(a *snapshot.GovAward) error {
		if a.EIN < last {
			return fault.New("table_order", "the table of government awards is not in the order of EINs: %s stands after %s", a.EIN,
				last).Try("build the snapshot again")
		}
		last = a.EIN
		org, known := b.number(a.EIN)
		level := slices.Index(levels[:], a.Level)
		if !known || level < 0 {
			return nil
		}
		if n := len(orgs); n == 0 || orgs[n-1] != org {
			orgs, starts = append(orgs, org), append(starts, at)
		}
		id := a.AwardID[:min(len(a.AwardID), math.MaxUint16)]
		r := awardRecord{
			Amount: a.Amount, Confidence: a.Confidence, ID: uint64(len(ids)), IDLength: uint16(len(id)), Level: uint8(level), Year: uint16(a.FiscalYear),
			State: words.id(a.State), Kind: words.id(a.Kind), Agency: words.id(a.Agency), Program: words.id(a.Program), Listing: words.id(a.Listing),
			Basis: words.id(a.Basis),
			Date:  dateNumber(a.ActionDate),
		}
		ids = append(ids, id...)
		at++
		return mapped.Append(b.out, r)
	})
	mapped.Add(b.out, "awards.org", orgs)
	mapped.Add(b.out, "awards.start", append(starts, at))
	mapped.Add(b.out, "awards.id", ids)
	mapped.Add(b.out, "words.start", append(words.starts, uint32(len(words.text))))
	mapped.Add(b.out, "words.text", words.text)
	return err
}

// firstDate is the smallest number with eight digits.
const firstDate = 1000_00_00

// dateNumber is a date as YYYYMMDD, 0 for an invalid date.
func dateNumber(date string) uint32 {
	if len(date) != len("2006-01-02") || date[4] != '-' || date[7] != '-' {
		return 0
	}
	n, err := strconv.ParseUint(date[:4]+date[5:7]+date[8:], 10, 32)
	if err != nil || n < firstDate {
		return 0
	}
	return uint32(n)
}
