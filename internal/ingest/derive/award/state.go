package award

import (
	"cmp"
	"iter"
	"math"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hashtable"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
)

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
