// Package award gathers government awards to organizations: federal grants and contracts, and payments by states. It
// keeps single awards and sums by agency and program. Sums are in whole cents, so they do not depend on the order of
// reading. Memory grows with the number of groups and awards, not with transactions.
//
// An award is assigned to an organization only if a source supports it: the EIN that the payer gives, the identifier
// that the organization states in its audits, or a name that is unique in the state. Other awards are counted with
// their dollars but never guessed.
package award

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/hashtable"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/ingest/source/usaspending"
	"grantgraph/internal/money"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
)

// Flow is a number of transactions and their sum.
type Flow struct {
	Rows   int64
	Amount money.Cents
}

func (f *Flow) add(amount money.Cents) {
	f.Rows++
	f.Amount = f.Amount.Plus(amount)
}

// group is one row of sums while it is computed.
type group[K comparable] struct {
	key    K
	amount money.Cents
	awards int64
}

// sums adds up amounts and awards by key. An award takes about ninety bytes, including its identifier. A few million
// awards are held until they are written.
type sums[K comparable] struct {
	groups map[K]uint32 // place in list
	list   []group[K]
	seen   map[uint64]uint32 // from an award in its group to its position in awards
	awards []single
	ids    []byte
}

// single is one award in its group, or all payments of a group without identifiers.
type single struct {
	amount     money.Cents
	from, to   uint64 // of its identifier in ids
	group      uint32
	date       int32  // day of the latest action, YYYYMMDD; 0 when not known
	confidence uint16 // confidence in thousandths, the lowest of its transactions
	basis      Basis  // the weakest of its transactions
}

// joined is how a transaction was assigned to its organization.
type joined struct {
	basis      Basis
	confidence uint16
}

func newSums[K comparable]() sums[K] {
	return sums[K]{groups: make(map[K]uint32), seen: make(map[uint64]uint32)}
}

// add adds an amount to a group. The digest identifies the award within the group; with digest 0, every amount is an
// award of its own.
func (s *sums[K]) add(k K, amount money.Cents, award uint64, id string, date int32, by joined) {
	at, ok := s.groups[k]
	if !ok {
		at = uint32(len(s.list))
		s.groups[k] = at
		s.list = append(s.list, group[K]{key: k})
	}
	g := &s.list[at]
	g.amount = g.amount.Plus(amount)
	alone := award == 0
	if alone {
		award = start.text("payments").number(uint64(at)).number(uint64(by.basis)).id()
	}
	n, ok := s.seen[award]
	if !ok {
		n = uint32(len(s.awards))
		s.seen[award] = n
		from := uint64(len(s.ids))
		s.ids = append(s.ids, id...)
		s.awards = append(s.awards, single{group: at, from: from, to: uint64(len(s.ids)), basis: by.basis, confidence: by.confidence})
	}
	if alone || !ok {
		g.awards++
	}
	a := &s.awards[n]
	a.amount, a.date = a.amount.Plus(amount), max(a.date, date)
	a.basis, a.confidence = max(a.basis, by.basis), min(a.confidence, by.confidence)
}

// sorted yields a row for each item of a list, in an order that does not depend on how the items arrived.
func sorted[T, Row any](list []T, compare func(a, b *T) int, row func(*T) Row) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		order := make([]*T, len(list))
		for i := range list {
			order[i] = &list[i]
		}
		slices.SortFunc(order, compare)
		for _, item := range order {
			if !yield(row(item)) {
				return
			}
		}
	}
}

func (s *sums[K]) id(a *single) string { return string(s.ids[a.from:a.to]) }

// Basis is the evidence by which an award was assigned to an organization, strongest first.
type Basis uint8

const (
	ByEIN Basis = iota
	ByUEI
	ByDUNS
	ByName
)

func (b Basis) String() string { return [...]string{"ein", "uei", "duns", "name"}[b] }

// The confidence that an award belongs to the organization, in thousandths. For a name, the finder gives the
// confidence. We never look for the recipient's parent, because the money went to the recipient.
const (
	// The payer's own file has the EIN, so only typing errors remain.
	confidentEIN = 990
	// The organization stated both numbers in its audit. A few audits cover a whole group and list the group's EIN
	// beside a member's UEI.
	confidentUEI = 980
	// The same, but these numbers were retired in 2022, and some had passed to a successor by then.
	confidentDUNS = 960
)

// day reads the date of an action, YYYY-MM-DD, as a number; 0 if it is not a date.
func day(s string) int32 {
	if len(s) < len(time.DateOnly) {
		return 0
	}
	t, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)])
	if err != nil {
		return 0
	}
	return int32(t.Year()*10000 + int(t.Month())*100 + t.Day())
}

func dayText(n int32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100)
}

// Awards are the federal and state awards in the order of their table: EIN, level, fiscal year (latest first), amount
// (largest first), agency and award.
func Awards(f *Federal, s *State) iter.Seq[snapshot.GovAward] {
	return snapshot.Merge(f.awards(), s.awards(), func(x, y snapshot.GovAward) bool { return x.EIN < y.EIN })
}

// digest is a hash of texts and numbers. Each text is followed by its length, so that different lists of texts give
// different input.
type digest uint64

const start = digest(hash.Start)

func (d digest) text(s string) digest { return digest(hash.Add(uint64(d), s)).number(uint64(len(s))) }

func (d digest) number(n uint64) digest {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return digest(hash.Add(uint64(d), b[:]))
}

func (d digest) id() uint64 { return max(uint64(d), 1) }

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

// Finder returns the EIN of the only organization with a name in a state, and its confidence. zip is five digits or
// empty. It must find nothing if several organizations have the name.
type Finder interface {
	Find(name, state, zip string) (e ein.EIN, prob float64, ok bool)
}

// State sums payments by states. It is not safe for concurrent use.
type State struct {
	finder  Finder
	names   hashtable.Texts // that many groups share
	sums    sums[stateKey]
	byState map[string]*Outcome

	// found caches payees, because they repeat.
	found map[payee]foundPayee
}

// Outcome counts what happened to the rows of one state.
type Outcome struct {
	Stated  Flow // with an EIN given by the state
	Named   Flow // found by a unique name
	Unknown Flow
}

type stateKey struct {
	ein                       ein.EIN
	state                     [2]byte
	year                      int16
	agency, program, category uint32
}

type payee struct {
	name  string
	state [2]byte
	zip   string
}

type foundPayee struct {
	ein        ein.EIN
	confidence uint16 // in thousandths
}

// maxFound bounds the cached payees to a few hundred megabytes.
const maxFound = 1 << 20

// NewState makes sums for the organizations that a finder finds. With a nil finder, only rows with an EIN are assigned.
func NewState(f Finder) *State {
	return &State{finder: f, sums: newSums[stateKey](), byState: make(map[string]*Outcome), found: make(map[payee]foundPayee)}
}

// Add adds one row of a state's file. state is its two-letter code.
func (s *State) Add(state string, a *stateaward.Award) {
	o := s.byState[state]
	if o == nil {
		o = &Outcome{}
		s.byState[state] = o
	}
	e, flow, by := a.EIN, &o.Stated, joined{ByEIN, confidentEIN}
	if e == ein.None {
		found := s.find(state, a)
		e, flow, by = found.ein, &o.Named, joined{ByName, found.confidence}
	}
	if e == ein.None {
		o.Unknown.add(a.Amount)
		return
	}
	flow.add(a.Amount)
	id := uint64(0)
	if a.ID != "" {
		id = start.number(uint64(e)).text(state).number(uint64(a.FiscalYear)).text(a.Agency).text(a.Program).text(a.Category).text(a.ID).id()
	}
	k := stateKey{e, letters(state), int16(a.FiscalYear), s.names.Number(a.Agency), s.names.Number(a.Program), s.names.Number(a.Category)}
	s.sums.add(k, a.Amount, id, a.ID, day(a.Date), by)
}

// find looks for the payee in its own state, or in the paying state if the file gives none. It does not look for
// payees outside the states.
func (s *State) find(state string, a *stateaward.Award) (found foundPayee) {
	if s.finder == nil {
		return found
	}
	if a.State != "" {
		code, ok := place.State(a.State)
		if !ok {
			return found
		}
		state = code
	}
	zip, _ := place.ZIP5(a.ZIP, state)
	k := payee{a.Payee, letters(state), zip}
	found, ok := s.found[k]
	if ok {
		return found
	}
	if e, prob, ok := s.finder.Find(a.Payee, state, zip); ok {
		found = foundPayee{e, uint16(math.Round(1000 * prob))}
	}
	if len(s.found) >= maxFound {
		clear(s.found)
	}
	k.name, k.zip = strings.Clone(k.name), strings.Clone(k.zip)
	s.found[k] = found
	return found
}

func letters(state string) (b [2]byte) {
	copy(b[:], state)
	return b
}

func (s *State) Outcome(state string) Outcome {
	if o := s.byState[state]; o != nil {
		return *o
	}
	return Outcome{}
}

// Rows are the sums in order of EIN, state, year, agency, program and category.
func (s *State) Rows() iter.Seq[snapshot.StateAward] {
	text := s.names.List
	compare := func(x, y *group[stateKey]) int { return s.compare(x.key, y.key) }
	return sorted(s.sums.list, compare, func(g *group[stateKey]) snapshot.StateAward {
		k := g.key
		return snapshot.StateAward{EIN: k.ein.String(), State: string(k.state[:]), FiscalYear: int32(k.year), Agency: text[k.agency], Program: text[k.program],
			Category: text[k.category], Amount: g.amount.Dollars(), AwardCount: g.awards}
	})
}

func (s *State) compare(a, b stateKey) int {
	text := s.names.List
	return cmp.Or(cmp.Compare(a.ein, b.ein), strings.Compare(string(a.state[:]), string(b.state[:])), cmp.Compare(a.year, b.year),
		strings.Compare(text[a.agency], text[b.agency]), strings.Compare(text[a.program], text[b.program]), strings.Compare(text[a.category], text[b.category]))
}

// awards lists the single awards. Payments without an identifier form one row per group and basis.
func (s *State) awards() iter.Seq[snapshot.GovAward] {
	text := s.names.List
	return sorted(s.sums.awards, func(x, y *single) int {
		a, b := s.sums.list[x.group].key, s.sums.list[y.group].key
		return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(b.year, a.year), cmp.Compare(y.amount, x.amount),
			strings.Compare(text[a.agency], text[b.agency]), strings.Compare(s.sums.id(x), s.sums.id(y)), s.compare(a, b), cmp.Compare(x.basis, y.basis))
	}, func(a *single) snapshot.GovAward {
		k := s.sums.list[a.group].key
		return snapshot.GovAward{
			EIN: k.ein.String(), Level: "state", State: string(k.state[:]), Kind: text[k.category], Agency: text[k.agency], Program: text[k.program],
			AwardID: s.sums.id(a), FiscalYear: int32(k.year), Amount: a.amount.Dollars(), ActionDate: dayText(a.date),
			Basis: a.basis.String(), Confidence: float64(a.confidence) / 1000,
		}
	})
}
