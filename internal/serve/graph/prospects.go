package graph

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
)

// ProspectsQuestion asks which funders give to organizations like one.
type ProspectsQuestion struct {
	EIN    ein.EIN
	State  string // of the organization, empty when not known
	County string // FIPS code
	Cause  byte   // letter, 0 when not known
	Code   ntee.Code
	Size   int64 // dollars that a grant to it may be expected to have; 0 takes the median of those it received

	Alike []Alike // organizations that resemble it by other things than their funders

	// Before bounds what is known: rows of this fiscal year and later ones are
	// not looked at. 0 is no bound.
	Before int
	// Since is the year from which on a funder of the organization is one that
	// it has, and no prospect. 0 leaves out all who ever gave to it.
	Since int
	// Latest is the last year whose returns have arrived. 0 is the last known.
	Latest int

	Only  ProspectFilter
	Score func(*ProspectSigns) float64 // orders the candidates
	Page  Page
	Bare  bool // leaves out the reasons beside the signs
}

// Alike is an organization that resembles another, and how much, from 0 to 1.
type Alike struct {
	EIN    ein.EIN
	Weight float64
}

// ProspectFilter says which funders count.
type ProspectFilter struct {
	Kind        string   // one of grant.FunderKinds
	NoDAF       bool     // leaves donor-advised and pass-through funders out
	In          []string // states that the funder is in
	GivesIn     []string // states that it gave in
	Subject     ntee.Subject
	MinAmount   *int64 // bounds of its median grant
	MaxAmount   *int64
	MinGiven    *int64 // bounds of what it gave in its latest year
	MaxGiven    *int64
	matchesCode []bool // by number of codeList
}

// ProspectSigns are what speaks for a funder, and against it. Shares are of its
// recipients, or of a sample of them.
type ProspectSigns struct {
	Walk       float64 // ways to it over organizations that resemble the one asked for; those with few funders count for more
	Shared     int     // of these organizations, those that it funds
	Recipients int     // it funded in all
	Fresh      int     // recipients of its latest year that it had not funded before; 0 also when not known
	Sample     int     // recipients that were looked at
	InState    int     // of these
	InCounty   int
	InCause    int
	InCode     int // of the same NTEE code
	InBoth     int // of the cause in the state

	SameState, SameCounty bool // where the funder is
	YearsSince            int  // from its latest grant to the last year that is known
	Typical               int64
	AmountGap             float64 // orders of magnitude between its median grant and what the organization gets; negative when not known

	HasState, HasCounty, HasCause, HasCode bool // known of the organization
	HasWalk                                bool // organizations that resemble it were found
}

// Prospects are the funders that were found.
type Prospects struct {
	List     []Prospect // best first
	Total    int        // of them in all, at most MostProspects
	Examined int        // funders that came into question
	Funders  int        // that the organization has, those that gave since the year of the question
	Alike    int        // organizations that resemble it and that funders were looked for at
}

// Prospect is one funder, with its reasons.
type Prospect struct {
	Funder
	Score      float64
	Signs      ProspectSigns
	LastYear   int // of its latest grant
	FundedYear int // in which it last funded the organization; 0 for never
	Given      int64
	GivenYear  int // the year that it gave that in

	// Of all its grants, or of Looked of them where it has too many.
	Grants, Looked int64
	Typical        int64    // median grant
	PlaceShare     *float64 // of its dollars; nil where the place of the organization is not known
	CountyShare    *float64
	CauseShare     *float64
	FirstTime      []FirstTime // latest first
	Shared         []SharedRecipient
}

// FirstTime is how open a funder was in a year, among the recipients that were
// looked at: all, or an even sample of very many.
type FirstTime struct {
	FiscalYear, Recipients, New int
}

// SharedRecipient is an organization that resembles another and that a funder
// gave to.
type SharedRecipient struct {
	EIN               ein.EIN
	Name, City, State string
	Total             int64
	Grants            int
	LastYear          int
	Likeness          float64
}

// Bounds of the work for one organization.
const (
	// MostProspects is how many are ever found.
	MostProspects = 500

	prospectEdges    = 60_000 // links of its funders that are looked at
	mostAlike        = 300    // organizations that resemble it
	alikeEdges       = 60_000 // rows of these
	alikeRows        = 1_500  // rows of one of these
	sampledRows      = 512    // rows of a candidate
	sampledAtOnce    = 64
	sampledLinks     = 1_024 // recipients of a candidate whose years are looked at
	sampledAmounts   = 128
	explainedRows    = 4_096 // rows of a funder that is shown
	explainedLinks   = 8_192 // and its recipients
	sharedShown      = 5
	firstTimeYears   = 5
	recentStateYears = 5

	fundersAtOnce    = 2_048 // that are worth a part of their own on another core
	candidatesAtOnce = 32
)

// Prospects finds funders that give to organizations like one and have not
// given to it, or not lately. The work does not grow with the corpus, but for a
// pass over the funders of a state.
func (g *Graph) Prospects(ctx context.Context, q *ProspectsQuestion) (*Prospects, error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.mu.RUnlock()
	s := g.newProspecting(q)
	out := &Prospects{}
	own, err := s.ownFunders(ctx)
	if err != nil {
		return nil, err
	}
	for _, years := range s.own {
		if years&s.since != 0 {
			out.Funders++
		}
	}
	if err := s.findAlike(ctx, own); err != nil {
		return nil, err
	}
	out.Alike = len(s.alike)
	s.walkBack()
	s.addState()
	short, err := s.shortlist(ctx)
	if err != nil {
		return nil, err
	}
	out.Examined = len(s.touched)
	found := make([]rated, len(short))
	err = inRanges(ctx, 0, len(short), candidatesAtOnce, func(from, to int) {
		for i := from; i < to; i++ {
			found[i].id = short[i]
			s.read(&found[i])
		}
	})
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(c rated) bool { return !s.keeps(&c) })
	for i := range found {
		found[i].score = q.Score(&found[i].signs)
	}
	slices.SortFunc(found, func(a, b rated) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	found = found[:min(len(found), MostProspects)]
	out.Total = len(found)
	from := min(len(found), q.Page.Offset)
	found = found[from:min(len(found), from+q.Page.Limit)]
	out.List, err = s.explain(ctx, found)
	return out, err
}

// rated is a candidate.
type rated struct {
	id    uint32
	score float64
	signs ProspectSigns
}

// prospecting is one search for prospects as it goes on.
type prospecting struct {
	g      *Graph
	q      *ProspectsQuestion
	self   []uint32 // recipients that the organization is
	known  uint64   // years that are looked at
	since  uint64   // years of the funders that it has
	whole  bool     // all years are known
	last   int      // number of the last year that counts as arrived
	state  int      // number of its state, -1 where no grant goes there
	county int
	cause  byte
	code   uint32 // as the recipients have it
	size   int64

	own     map[uint32]uint64 // years of its funders
	alike   []alike
	walk    []float32 // by funder
	shared  []uint16
	inState []uint32
	touched []uint32
}

// alike is a recipient that resembles the organization.
type alike struct {
	recip  uint32
	weight float64
}

func (g *Graph) newProspecting(q *ProspectsQuestion) *prospecting {
	s := &prospecting{g: g, q: q, self: g.recipsOf([]ein.EIN{q.EIN}), state: -1, county: -1, cause: q.Cause, size: q.Size, own: map[uint32]uint64{}, last: -1, whole: true}
	for i, y := range g.dict.years {
		if q.Before != 0 && int(y) >= q.Before {
			s.whole = false
			continue
		}
		s.known |= 1 << i
		if q.Since == 0 || int(y) >= q.Since {
			s.since |= 1 << i
		}
		if q.Latest == 0 || int(y) <= q.Latest {
			s.last = i
		}
	}
	if q.State != "" {
		s.state = slices.IndexFunc(g.dict.states, func(t uint32) bool { return string(g.dict.short.at(t)) == q.State })
	}
	if q.County != "" {
		s.county = slices.IndexFunc(g.groups.countyList, func(t uint32) bool { return string(g.dict.short.at(t)) == q.County })
	}
	s.code = math.MaxUint32
	if i := slices.IndexFunc(g.dict.codes, func(t uint32) bool { return string(g.dict.short.at(t)) == string(q.Code) }); i >= 0 && q.Code != "" {
		s.code = g.dict.codes[i]
	}
	s.walk, s.shared, s.inState = make([]float32, len(g.dict.funders)), make([]uint16, len(g.dict.funders)), make([]uint32, len(g.dict.funders))
	return s
}

func (s *prospecting) knows(year uint8) bool { return s.known>>(year&(maxYears-1))&1 != 0 }

// ownFunders finds the funders of the organization and what a grant to it has.
func (s *prospecting) ownFunders(ctx context.Context) (list []uint32, err error) {
	g := s.g
	var amounts []int64
	for _, r := range s.self {
		for at := g.back.rows.off[r]; at < g.back.rows.off[r+1]; at++ {
			if at%checkParties == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !s.knows(g.back.years[at]) {
				continue
			}
			s.own[g.back.funders[at]] |= 1 << g.back.years[at]
			if len(amounts) < explainedRows {
				amounts = append(amounts, g.back.amounts[at])
			}
		}
	}
	for f := range s.own {
		list = append(list, f)
	}
	slices.Sort(list)
	if s.size == 0 {
		s.size = medianOf(amounts)
	}
	return list, nil
}

// links are the recipients of a funder, and their years.
func (g *Graph) links(f uint32) ([]uint32, []uint64) {
	from, to := g.sums.giving.linkAt[f], g.sums.giving.linkAt[f+1]
	return g.sums.giving.links[from:to], g.sums.giving.masks[from:to]
}

// degree is how many recipients a funder has.
func (s *prospecting) degree(f uint32) (n int) {
	links, masks := s.g.links(f)
	if s.whole {
		return len(links)
	}
	for _, m := range masks {
		if m&s.known != 0 {
			n++
		}
	}
	return n
}

// ProspectsWeight bounds the memory in bytes that Prospects takes for an
// organization: four numbers for each funder there is, a pair for each edge of a
// walk, the candidates, and its own funders.
func (g *Graph) ProspectsWeight(e ein.EIN) int64 {
	if g.begin() != nil {
		return 0 // the question fails before it takes anything
	}
	defer g.mu.RUnlock()
	var own int64
	for _, r := range g.recipsOf([]ein.EIN{e}) {
		own += int64(g.sums.recips[r].Others)
	}
	const candidates = 2 << 20
	return candidates + int64(len(g.dict.funders))*(4+2+4+3*4+8) + 8*(prospectEdges+explainedRows*2*int64(runtime.GOMAXPROCS(0))) + 64*own
}
