package award

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/usaspending"
	"grantgraph/internal/snapshot"
)

// The federal fiscal years that are summed. The last is partial until its
// archive is.
const (
	FirstYear = 2017
	LastYear  = 2025
)

// Crosswalk gives the EIN of a recipient of federal money by the identifiers
// that the government knows it by.
type Crosswalk interface {
	Find(uei, duns string) (ein.EIN, bool)
}

// Federal sums federal awards. It may be added to from several goroutines.
type Federal struct {
	crosswalk Crosswalk

	mu      sync.Mutex
	names   names
	sums    sums[federalKey]
	placed  [2]Flow // grants, contracts
	unknown [2]Flow
	outside Flow
}

// federalKey is held in 16 bytes.
type federalKey struct {
	ein             ein.EIN
	year            int16
	contract        bool
	agency, program uint32
}

// NewFederal makes the sums of the recipients that a crosswalk knows.
func NewFederal(c Crosswalk) *Federal {
	return &Federal{crosswalk: c, sums: newSums[federalKey]()}
}

// Add adds one transaction. The parent of a recipient is another organization,
// so its identifier is not looked for.
func (f *Federal) Add(a *usaspending.Award) {
	kind := 0
	if a.Kind == usaspending.Contract {
		kind = 1
	}
	if a.FiscalYear < FirstYear || a.FiscalYear > LastYear {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.outside.add(a.Amount)
		return
	}
	e, ok := f.crosswalk.Find(a.UEI, a.DUNS)
	if !ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.unknown[kind].add(a.Amount)
		return
	}
	id := start.number(uint64(e)).number(uint64(a.FiscalYear)).number(uint64(kind)).text(a.Agency).text(a.Program).text(a.Key).id()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.placed[kind].add(a.Amount)
	f.sums.add(federalKey{e, int16(a.FiscalYear), kind == 1, f.names.number(a.Agency), f.names.number(a.Program)}, a.Amount, id)
}

// Placed is what was given to an organization, grants and contracts.
func (f *Federal) Placed() (grants, contracts Flow) { return f.placed[0], f.placed[1] }

// Unknown is what went to recipients whose EIN no audit gives, among them
// individuals, companies and bodies too small to be audited.
func (f *Federal) Unknown() (grants, contracts Flow) { return f.unknown[0], f.unknown[1] }

// Outside is what lies outside the years that are summed.
func (f *Federal) Outside() Flow { return f.outside }

// Len is the number of rows.
func (f *Federal) Len() int { return len(f.sums.groups) }

// Rows are the sums in order of EIN, year, kind, agency and program.
func (f *Federal) Rows() iter.Seq[snapshot.FederalAward] {
	return func(yield func(snapshot.FederalAward) bool) {
		keys := make([]federalKey, 0, len(f.sums.groups))
		for k := range f.sums.groups {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b federalKey) int {
			return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(a.year, b.year), strings.Compare(a.kind(), b.kind()),
				strings.Compare(f.names.list[a.agency], f.names.list[b.agency]), strings.Compare(f.names.list[a.program], f.names.list[b.program]))
		})
		for _, k := range keys {
			g := f.sums.groups[k]
			row := snapshot.FederalAward{EIN: k.ein.String(), FiscalYear: int32(k.year), Kind: k.kind(), AwardingAgency: f.names.list[k.agency],
				Program: f.names.list[k.program], Amount: g.amount.Dollars(), AwardCount: g.awards}
			if !yield(row) {
				return
			}
		}
	}
}

func (k federalKey) kind() string {
	if k.contract {
		return usaspending.Contract
	}
	return usaspending.Grant
}
