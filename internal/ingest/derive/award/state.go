package award

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
)

// Finder gives the EIN of the one organization that has a name in a state. zip
// is five digits or empty. When several organizations have the name it must
// find none.
type Finder interface {
	Find(name, state, zip string) (ein.EIN, bool)
}

// State sums what states paid. It is for one goroutine.
type State struct {
	finder  Finder
	names   names
	sums    sums[stateKey]
	byState map[string]*Outcome

	// found remembers payees, who come again and again.
	found map[payee]ein.EIN
}

// Outcome says what became of the rows of one state.
type Outcome struct {
	Stated  Flow // with an EIN that the state gives
	Named   Flow // found by a name that is the only one
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

// maxFound bounds the payees remembered, to some hundred megabytes.
const maxFound = 1 << 20

// NewState makes the sums of the organizations that a finder knows; nil knows
// none, so that only rows with an EIN of their own are placed.
func NewState(f Finder) *State {
	return &State{finder: f, sums: newSums[stateKey](), byState: make(map[string]*Outcome), found: make(map[payee]ein.EIN)}
}

// Add adds one row of the file of a state, given by its two letters.
func (s *State) Add(state string, a *stateaward.Award) {
	o := s.byState[state]
	if o == nil {
		o = &Outcome{}
		s.byState[state] = o
	}
	e, by := a.EIN, &o.Stated
	if e == ein.None {
		e, by = s.find(state, a), &o.Named
	}
	if e == ein.None {
		o.Unknown.add(a.Amount)
		return
	}
	by.add(a.Amount)
	id := uint64(0)
	if a.ID != "" {
		id = start.number(uint64(e)).text(state).number(uint64(a.FiscalYear)).text(a.Agency).text(a.Program).text(a.Category).text(a.ID).id()
	}
	s.sums.add(stateKey{e, letters(state), int16(a.FiscalYear), s.names.number(a.Agency), s.names.number(a.Program), s.names.number(a.Category)}, a.Amount, id)
}

// find looks for the payee in its own state, or in the paying one when the
// file does not say where it is. A payee in a place that is no state of the
// union is not looked for.
func (s *State) find(state string, a *stateaward.Award) ein.EIN {
	if s.finder == nil {
		return ein.None
	}
	if a.State != "" {
		code, ok := place.State(a.State)
		if !ok {
			return ein.None
		}
		state = code
	}
	zip, _ := place.ZIP5(a.ZIP, state)
	k := payee{a.Payee, letters(state), zip}
	e, ok := s.found[k]
	if ok {
		return e
	}
	if found, ok := s.finder.Find(a.Payee, state, zip); ok {
		e = found
	}
	if len(s.found) >= maxFound {
		clear(s.found)
	}
	k.name, k.zip = strings.Clone(k.name), strings.Clone(k.zip)
	s.found[k] = e
	return e
}

func letters(state string) (b [2]byte) {
	copy(b[:], state)
	return b
}

// Outcome is what became of the rows of a state.
func (s *State) Outcome(state string) Outcome {
	if o := s.byState[state]; o != nil {
		return *o
	}
	return Outcome{}
}

// Len is the number of rows.
func (s *State) Len() int { return len(s.sums.groups) }

// Rows are the sums in order of EIN, state, year, agency, program and category.
func (s *State) Rows() iter.Seq[snapshot.StateAward] {
	return func(yield func(snapshot.StateAward) bool) {
		keys := make([]stateKey, 0, len(s.sums.groups))
		for k := range s.sums.groups {
			keys = append(keys, k)
		}
		text := s.names.list
		slices.SortFunc(keys, func(a, b stateKey) int {
			return cmp.Or(cmp.Compare(a.ein, b.ein), strings.Compare(string(a.state[:]), string(b.state[:])), cmp.Compare(a.year, b.year),
				strings.Compare(text[a.agency], text[b.agency]), strings.Compare(text[a.program], text[b.program]), strings.Compare(text[a.category], text[b.category]))
		})
		for _, k := range keys {
			g := s.sums.groups[k]
			row := snapshot.StateAward{EIN: k.ein.String(), State: string(k.state[:]), FiscalYear: int32(k.year), Agency: text[k.agency], Program: text[k.program],
				Category: text[k.category], Amount: g.amount.Dollars(), AwardCount: g.awards}
			if !yield(row) {
				return
			}
		}
	}
}
