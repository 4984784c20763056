package award

import (
	"cmp"
	"iter"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/hashtable"
	"grantgraph/internal/ingest/source/usaspending"
	"grantgraph/internal/snapshot"
)

// The federal fiscal years that are summed. The last year is partial until its archive is complete.
const (
	FirstYear = 2017
	LastYear  = 2025
)

// Crosswalk returns the EIN of a recipient of federal money by its federal identifiers, and reports whether the UEI
// was the one that matched.
type Crosswalk interface {
	Find(uei, duns string) (e ein.EIN, byUEI, ok bool)
}

// Federal sums federal awards. It is safe for concurrent use.
type Federal struct {
	crosswalk Crosswalk

	mu      sync.Mutex
	names   hashtable.Texts // that many groups share
	sums    sums[federalKey]
	placed  [2]Flow // grants, contracts
	unknown [2]Flow
	outside Flow
	through int32 // the latest action read
}

// federalKey is held in 16 bytes.
type federalKey struct {
	ein             ein.EIN
	year            int16
	contract        bool
	agency, program uint32
}

// NewFederal makes sums for the recipients in a crosswalk.
func NewFederal(c Crosswalk) *Federal { return &Federal{crosswalk: c, sums: newSums[federalKey]()} }

// Add adds one transaction. It ignores the identifier of the recipient's parent, which is another organization.
func (f *Federal) Add(a *usaspending.Award) {
	kind := 0
	if a.Kind == usaspending.Contract {
		kind = 1
	}
	date := day(a.ActionDate)
	if a.FiscalYear < FirstYear || a.FiscalYear > LastYear {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.outside.add(a.Amount)
		return
	}
	e, byUEI, ok := f.crosswalk.Find(a.UEI, a.DUNS)
	if !ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.through = max(f.through, date)
		f.unknown[kind].add(a.Amount)
		return
	}
	by := joined{ByUEI, confidentUEI}
	if !byUEI {
		by = joined{ByDUNS, confidentDUNS}
	}
	id := start.number(uint64(e)).number(uint64(a.FiscalYear)).number(uint64(kind)).text(a.Agency).text(a.Program).text(a.Key).id()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.through = max(f.through, date)
	f.placed[kind].add(a.Amount)
	k := federalKey{e, int16(a.FiscalYear), kind == 1, f.names.Number(a.Agency), f.names.Number(a.Program)}
	f.sums.add(k, a.Amount, id, a.Key, date, by)
}

// Through is the day of the latest action in the summed years; empty if there is none.
func (f *Federal) Through() string { return dayText(f.through) }

// Placed is the total assigned to organizations, grants and contracts.
func (f *Federal) Placed() (grants, contracts Flow) { return f.placed[0], f.placed[1] }

// Unknown is the total for recipients whose EIN is in no audit, including individuals, companies and organizations
// too small to be audited.
func (f *Federal) Unknown() (grants, contracts Flow) { return f.unknown[0], f.unknown[1] }

func (f *Federal) Outside() Flow { return f.outside }

func (f *Federal) Len() int { return len(f.sums.list) }

// Rows are the sums in order of EIN, year, kind, agency and program.
func (f *Federal) Rows() iter.Seq[snapshot.FederalAward] {
	compare := func(x, y *group[federalKey]) int { return f.compare(x.key, y.key) }
	return sorted(f.sums.list, compare, func(g *group[federalKey]) snapshot.FederalAward {
		return snapshot.FederalAward{EIN: g.key.ein.String(), FiscalYear: int32(g.key.year), Kind: g.key.kind(), AwardingAgency: f.names.List[g.key.agency],
			Program: f.names.List[g.key.program], Amount: g.amount.Dollars(), AwardCount: g.awards}
	})
}

func (f *Federal) compare(a, b federalKey) int {
	return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(a.year, b.year), strings.Compare(a.kind(), b.kind()),
		strings.Compare(f.names.List[a.agency], f.names.List[b.agency]), strings.Compare(f.names.List[a.program], f.names.List[b.program]))
}

func (f *Federal) awards() iter.Seq[snapshot.GovAward] {
	return sorted(f.sums.awards, func(x, y *single) int {
		a, b := f.sums.list[x.group].key, f.sums.list[y.group].key
		return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(b.year, a.year), cmp.Compare(y.amount, x.amount),
			strings.Compare(f.names.List[a.agency], f.names.List[b.agency]), strings.Compare(f.sums.id(x), f.sums.id(y)), f.compare(a, b))
	}, func(a *single) snapshot.GovAward {
		k := f.sums.list[a.group].key
		row := snapshot.GovAward{
			EIN: k.ein.String(), Level: "federal", Kind: k.kind(), Agency: f.names.List[k.agency], Program: f.names.List[k.program],
			AwardID: f.sums.id(a), FiscalYear: int32(k.year), Amount: a.amount.Dollars(), ActionDate: dayText(a.date),
			Basis: a.basis.String(), Confidence: float64(a.confidence) / 1000,
		}
		if !k.contract {
			row.Listing = listing(row.Program)
		}
		return row
	})
}

// listing is the assistance listing number, such as 93.600, at the start of a program.
func listing(program string) string {
	number, _, _ := strings.Cut(program, " ")
	agency, rest, ok := strings.Cut(number, ".")
	if !ok || len(agency) != 2 || len(rest) != 3 || strings.Trim(agency, "0123456789") != "" {
		return ""
	}
	return number
}

func (k federalKey) kind() string {
	if k.contract {
		return usaspending.Contract
	}
	return usaspending.Grant
}
