package profile

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Levels of government.
const (
	Federal = "federal"
	State   = "state"
)

// Award is one government award in one fiscal year.
type Award struct {
	Level, State, Kind, Agency, Program, Listing, ID string
	FiscalYear                                       int
	Amount                                           float64
	ActionDate                                       string
	Basis                                            string
	Confidence                                       float64
}

// Awarded is the total of government awards.
type Awarded struct {
	Federal, State      float64
	Awards              int64 // awards, counted once for each fiscal year
	FirstYear, LastYear int   // 0 if there are no awards
}

// AwardGroup is the awards of one year, agency or program.
type AwardGroup struct {
	Year           int    // of a group by year
	Level, State   string // of a group by agency or program
	Agency         string
	Program        string
	Listing        string
	Federal, Local float64 // federal dollars, and dollars from states
	Awards         int64
}

// Amount is the dollars of the group.
func (g *AwardGroup) Amount() float64 { return g.Federal + g.Local }

// Funding is the government awards of one organization.
type Funding struct {
	Organization
	Awarded
	ByYear    []AwardGroup // oldest first
	ByAgency  []AwardGroup // most dollars first, at most MaxAwardGroups
	Agencies  int          // in all
	ByProgram []AwardGroup
	Programs  int
	Page      []Award // latest year first within a level, then largest
	Coverage  snapshot.AwardCoverage
}

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

func (a *awards) word(i uint32) string { return string(a.wordText[a.wordStart[i]:a.wordStart[i+1]]) }

func (a *awards) of(org uint32) []awardRecord {
	i, found := slices.BinarySearch(a.orgs, org)
	if !found {
		return nil
	}
	return a.list[a.starts[i]:a.starts[i+1]]
}

func (a *awards) award(r *awardRecord) Award {
	w := Award{
		Level: levels[r.Level], State: a.word(r.State), Kind: a.word(r.Kind), Agency: a.word(r.Agency), Program: a.word(r.Program), Listing: a.word(r.Listing),
		ID: string(a.ids[r.ID : r.ID+uint64(r.IDLength)]), FiscalYear: int(r.Year), Amount: r.Amount, Basis: a.word(r.Basis), Confidence: r.Confidence,
	}
	if d := r.Date; d != 0 {
		s := strconv.Itoa(int(d))
		w.ActionDate = s[:4] + "-" + s[4:6] + "-" + s[6:]
	}
	return w
}

func awardedOf(list []awardRecord) (t Awarded) {
	for i := range list {
		r := &list[i]
		if r.Level == 0 {
			t.Federal += r.Amount
		} else {
			t.State += r.Amount
		}
		if y := int(r.Year); t.Awards == 0 {
			t.FirstYear, t.LastYear = y, y
		} else {
			t.FirstYear, t.LastYear = min(t.FirstYear, y), max(t.LastYear, y)
		}
		t.Awards++
	}
	return t
}

// groups sums awards by a key in one pass. Its memory is one group per agency or
// program that funded the organization.
func groups[K comparable](list []awardRecord, key func(*awardRecord) K) (found []AwardGroup, first []*awardRecord) {
	at := map[K]int{}
	for i := range list {
		r := &list[i]
		k := key(r)
		n, known := at[k]
		if !known {
			n = len(found)
			at[k] = n
			found, first = append(found, AwardGroup{}), append(first, r)
		}
		g := &found[n]
		if r.Level == 0 {
			g.Federal += r.Amount
		} else {
			g.Local += r.Amount
		}
		g.Awards++
	}
	return found, first
}

// Funding reads the government awards of an organization, with one page of them.
func (x *Index) Funding(e ein.EIN, offset, limit int) (*Funding, bool) {
	if x.Begin() != nil {
		return nil, false
	}
	defer x.End()
	org, known := numberOf(x.facts, e)
	if !known {
		return nil, false
	}
	list := x.awards.of(org)
	f := &Funding{Organization: x.organization(org), Awarded: awardedOf(list), Coverage: x.coverage}
	byYear, first := groups(list, func(r *awardRecord) uint16 { return r.Year })
	for i := range byYear {
		byYear[i].Year = int(first[i].Year)
	}
	slices.SortFunc(byYear, func(a, b AwardGroup) int { return cmp.Compare(a.Year, b.Year) })
	f.ByYear = byYear
	type agency struct {
		level         uint8
		state, agency uint32
	}
	byAgency, first := groups(list, func(r *awardRecord) agency { return agency{r.Level, r.State, r.Agency} })
	f.ByAgency, f.Agencies = x.largest(byAgency, first, false), len(byAgency)
	type program struct {
		agency
		program, listing uint32
	}
	byProgram, first := groups(list, func(r *awardRecord) program {
		return program{agency{r.Level, r.State, r.Agency}, r.Program, r.Listing}
	})
	f.ByProgram, f.Programs = x.largest(byProgram, first, true), len(byProgram)
	for i := min(max(offset, 0), len(list)); i < len(list) && len(f.Page) < limit; i++ {
		f.Page = append(f.Page, x.awards.award(&list[i]))
	}
	return f, true
}

func (x *Index) largest(found []AwardGroup, first []*awardRecord, programs bool) []AwardGroup {
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(found[j].Amount(), found[i].Amount()) })
	out := []AwardGroup{}
	for _, i := range order[:min(len(order), MaxAwardGroups)] {
		g, r := found[i], first[i]
		g.Level, g.State, g.Agency = levels[r.Level], x.awards.word(r.State), x.awards.word(r.Agency)
		if programs {
			g.Program, g.Listing = x.awards.word(r.Program), x.awards.word(r.Listing)
		}
		out = append(out, g)
	}
	return out
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
