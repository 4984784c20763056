package graph

import (
	"cmp"
	"context"
	"math"
	"math/bits"
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
	for i, y := range g.yearList {
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
		s.state = slices.IndexFunc(g.stateList, func(t uint32) bool { return string(g.short.at(t)) == q.State })
	}
	if q.County != "" {
		s.county = slices.IndexFunc(g.groups.countyList, func(t uint32) bool { return string(g.short.at(t)) == q.County })
	}
	s.code = math.MaxUint32
	if i := slices.IndexFunc(g.codeList, func(t uint32) bool { return string(g.short.at(t)) == string(q.Code) }); i >= 0 && q.Code != "" {
		s.code = g.codeList[i]
	}
	s.walk, s.shared, s.inState = make([]float32, len(g.funder)), make([]uint16, len(g.funder)), make([]uint32, len(g.funder))
	return s
}

func (s *prospecting) knows(year uint8) bool { return s.known>>(year&(maxYears-1))&1 != 0 }

// ownFunders finds the funders of the organization and what a grant to it has.
func (s *prospecting) ownFunders(ctx context.Context) (list []uint32, err error) {
	g := s.g
	var amounts []int64
	for _, r := range s.self {
		for at := g.recipRows.off[r]; at < g.recipRows.off[r+1]; at++ {
			if at%checkParties == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !s.knows(g.backYears[at]) {
				continue
			}
			s.own[g.backFunders[at]] |= 1 << g.backYears[at]
			if len(amounts) < explainedRows {
				amounts = append(amounts, g.backAmounts[at])
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
	from, to := g.giving.linkAt[f], g.giving.linkAt[f+1]
	return g.giving.links[from:to], g.giving.masks[from:to]
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

// findAlike lists the recipients that resemble the organization: those that
// share its funders, and those of the question.
func (s *prospecting) findAlike(ctx context.Context, own []uint32) error {
	g := s.g
	w := neighborWalk{
		self:   s.self,
		degree: s.degree,
		edges:  func(f uint32) int { return int(g.giving.linkAt[f+1] - g.giving.linkAt[f]) },
		of: func(to []uint32, f uint32) []uint32 {
			links, masks := g.links(f)
			for i, r := range links {
				if masks[i]&s.known != 0 && g.recip[r].EIN != uint32(ein.None) {
					to = append(to, r)
				}
			}
			return to
		},
	}
	sharing, _, err := w.walk(ctx, own, mostAlike, prospectEdges)
	if err != nil {
		return err
	}
	weights := make(map[uint32]float64, len(sharing)+len(s.q.Alike))
	for _, n := range sharing {
		weights[n.id] = n.weight
	}
	for _, a := range s.q.Alike {
		for _, r := range g.recipsOf([]ein.EIN{a.EIN}) {
			if !slices.Contains(s.self, r) {
				weights[r] += a.Weight
			}
		}
	}
	for r, w := range weights {
		s.alike = append(s.alike, alike{r, w})
	}
	slices.SortFunc(s.alike, func(a, b alike) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.recip, b.recip)) })
	s.alike = s.alike[:min(len(s.alike), mostAlike)]
	return nil
}

// eachFunder goes through the funders of a recipient, each once. Of one with very
// many rows it takes some that are evenly spread.
func (s *prospecting) eachFunder(r uint32, visit func(f uint32)) {
	g := s.g
	from, to := g.recipRows.off[r], g.recipRows.off[r+1]
	step := (to-from)/alikeRows + 1
	last := uint32(math.MaxUint32)
	for at := from; at < to; at += step {
		if f := g.backFunders[at]; f != last && s.knows(g.backYears[at]) {
			last = f
			visit(f)
		}
	}
}

// walkBack goes from the recipients that resemble the organization to their
// funders.
func (s *prospecting) walkBack() {
	budget := alikeEdges
	var funders []uint32
	for i, a := range s.alike {
		if budget -= min(alikeRows, s.g.recipRows.len(a.recip)); budget < 0 {
			s.alike = s.alike[:i]
			return
		}
		funders = funders[:0]
		s.eachFunder(a.recip, func(f uint32) { funders = append(funders, f) })
		weight := float32(a.weight / math.Log2(2+float64(len(funders))))
		for _, f := range funders {
			if s.shared[f] == 0 {
				s.touched = append(s.touched, f)
			}
			s.shared[f]++
			s.walk[f] += weight
		}
	}
}

// addState adds the funders that gave in the state of the organization in the
// last years.
func (s *prospecting) addState() {
	g := s.g
	if s.state < 0 {
		return
	}
	years := len(g.yearList)
	for y, left := bits.Len64(s.known)-1, recentStateYears; y >= 0 && left > 0; y, left = y-1, left-1 {
		at := s.state*years + y
		for _, c := range g.funderCells.cells[g.funderCells.at[at]:g.funderCells.at[at+1]] {
			if s.shared[c.ID] == 0 && s.inState[c.ID] == 0 {
				s.touched = append(s.touched, c.ID)
			}
			s.inState[c.ID] += c.Others
		}
	}
}

// shortlist takes the candidates that the quick signs speak for most.
func (s *prospecting) shortlist(ctx context.Context) ([]uint32, error) {
	admits := s.admission()
	most := MostProspects
	if !s.q.Only.Subject.Empty() || s.q.Only.MinAmount != nil || s.q.Only.MaxAmount != nil {
		most *= 2
	}
	scores := make([]float64, len(s.touched)) // NaN for those who are not admitted
	err := inRanges(ctx, 0, len(s.touched), fundersAtOnce, func(from, to int) {
		for i := from; i < to; i++ {
			if scores[i] = math.NaN(); admits(s.touched[i]) {
				scores[i] = s.quick(s.touched[i])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	list := make([]neighbor, 0, most+1)
	for i, f := range s.touched {
		if !math.IsNaN(scores[i]) {
			list = keepClosest(list, most, neighbor{f, int(s.shared[f]), scores[i]})
		}
	}
	out := make([]uint32, len(list))
	for i, n := range list {
		out[i] = n.id
	}
	return out, nil
}

// quick is what the signs say that need no rows, in about the measure of the
// model.
func (s *prospecting) quick(f uint32) float64 {
	g := s.g
	grants, latest := 0, 0
	for _, y := range g.giving.years[g.giving.yearAt[f]:g.giving.yearAt[f+1]] {
		if s.knows(y.Year) {
			grants += int(y.Grants)
			latest = int(y.Year)
		}
	}
	score := 0.3*math.Log10(1+1000*float64(s.walk[f])) + 0.8*math.Log10(1+float64(s.shared[f])) + math.Log10(1+float64(grants)) + math.Log10(1+float64(s.inState[f]))
	score -= 0.8 * float64(min(2, max(0, s.last-latest)))
	if s.sameState(f) {
		score += 1.5
	}
	if s.sameCounty(f) {
		score++
	}
	return score
}

func (s *prospecting) sameState(f uint32) bool {
	return s.q.State != "" && string(s.g.short.at(s.g.funder[f].State)) == s.q.State
}

func (s *prospecting) sameCounty(f uint32) bool {
	return s.q.County != "" && string(s.g.short.at(s.g.funder[f].County)) == s.q.County
}

// admission is the part of the filter that needs no rows.
func (s *prospecting) admission() func(f uint32) bool {
	g, o := s.g, &s.q.Only
	kind, hasKind := kindNumbers.parse(o.Kind)
	daf, _ := kindNumbers.parse("daf_or_passthrough")
	var gives bitset
	if len(o.GivesIn) > 0 {
		gives = make(bitset, wordsFor(len(g.funder)))
		for no, t := range g.stateList {
			if !slices.Contains(o.GivesIn, string(g.short.at(t))) {
				continue
			}
			for y := range g.yearList {
				if !s.knows(uint8(y)) {
					continue
				}
				at := no*len(g.yearList) + y
				for _, c := range g.funderCells.cells[g.funderCells.at[at]:g.funderCells.at[at+1]] {
					gives.set(c.ID)
				}
			}
		}
	}
	return func(f uint32) bool {
		r := &g.funder[f]
		switch {
		case r.EIN == uint32(s.q.EIN), s.own[f]&s.since != 0:
			return false
		case hasKind && r.Kind != kind, o.Kind != "" && !hasKind, o.NoDAF && r.Kind == daf:
			return false
		case len(o.In) > 0 && !slices.Contains(o.In, string(g.short.at(r.State))):
			return false
		case gives != nil && !gives.has(f):
			return false
		}
		if o.MinGiven != nil || o.MaxGiven != nil {
			given, _ := s.given(f)
			return (o.MinGiven == nil || given >= *o.MinGiven) && (o.MaxGiven == nil || given <= *o.MaxGiven)
		}
		return true
	}
}

// given is what a funder gave in its latest year that has arrived, or else in its
// latest.
func (s *prospecting) given(f uint32) (amount int64, year int) {
	g := s.g
	for _, y := range g.giving.years[g.giving.yearAt[f]:g.giving.yearAt[f+1]] {
		if s.knows(y.Year) && (year == 0 || int(y.Year) <= s.last) {
			amount, year = y.Amount, int(g.yearList[y.Year])
		}
	}
	return amount, year
}

// keeps is the rest of the filter.
func (s *prospecting) keeps(c *rated) bool {
	o := &s.q.Only
	switch {
	case c.signs.Sample == 0:
		return false
	case o.MinAmount != nil && c.signs.Typical < *o.MinAmount, o.MaxAmount != nil && c.signs.Typical > *o.MaxAmount:
		return false
	}
	return o.Subject.Empty() || s.givesTo(c.id)
}

// givesTo says whether a funder gave to a cause that the filter asks for.
func (s *prospecting) givesTo(f uint32) bool {
	g, o := s.g, &s.q.Only
	if o.matchesCode == nil {
		o.matchesCode = make([]bool, g.short.len())
		for _, code := range g.codeList {
			o.matchesCode[code] = o.Subject.Matches(ntee.Code(g.short.at(code)))
		}
	}
	found := false
	s.sample(f, explainedRows, func(row uint32) {
		found = found || s.knows(g.years[row]) && g.recip[g.recips[row]].EIN != uint32(ein.None) && o.matchesCode[g.recip[g.recips[row]].NTEE]
	})
	return found
}

// sample goes through the rows of a funder, or through so many of them that are
// evenly spread, some at once, so that those of one recipient tend to be
// together.
func (s *prospecting) sample(f uint32, most int, visit func(row uint32)) (looked int) {
	from, to := int(s.g.funderRows[f]), int(s.g.funderRows[f+1])
	if to-from <= most {
		for row := from; row < to; row++ {
			visit(uint32(row))
		}
		return to - from
	}
	parts := most / sampledAtOnce
	for p := range parts {
		at := from + (to-from-sampledAtOnce)*p/(parts-1)
		for row := at; row < at+sampledAtOnce; row++ {
			visit(uint32(row))
		}
	}
	return parts * sampledAtOnce
}

// letterOf is the cause of a row, registered or inferred, 0 for none.
func (g *Graph) letterOf(row uint32) byte {
	switch n := g.groups.letters[row]; {
	case n == 0:
		return 0
	case n > majors:
		return 'A' + n - 1 - majors
	default:
		return 'A' + n - 1
	}
}

// read looks at the rows of a candidate.
func (s *prospecting) read(c *rated) {
	g, x, f := s.g, &c.signs, c.id
	x.Walk, x.Shared, x.HasWalk = float64(s.walk[f]), int(s.shared[f]), len(s.alike) > 0
	x.SameState, x.SameCounty = s.sameState(f), s.sameCounty(f)
	x.HasState, x.HasCounty, x.HasCause, x.HasCode = s.q.State != "", s.q.County != "", s.cause != 0, s.q.Code != ""
	last, latest := uint32(math.MaxUint32), -1
	var amounts [sampledAmounts]int64
	seen := 0
	s.sample(f, sampledRows, func(row uint32) {
		if !s.knows(g.years[row]) {
			return
		}
		latest = max(latest, int(g.years[row]))
		amounts[seen%sampledAmounts] = g.amounts[row]
		seen++
		r := g.recips[row]
		if r == last || g.recip[r].EIN == uint32(ein.None) {
			return
		}
		last = r
		x.Sample++
		state, cause := int(g.groups.states[row]) == s.state, s.cause != 0 && g.letterOf(row) == s.cause
		if state {
			x.InState++
		}
		if int(g.groups.counties[row]) == s.county {
			x.InCounty++
		}
		if cause {
			x.InCause++
		}
		if g.recip[r].NTEE == s.code {
			x.InCode++
		}
		if state && cause {
			x.InBoth++
		}
	})
	if x.Sample == 0 {
		return
	}
	x.Typical, x.AmountGap = medianOf(amounts[:min(seen, sampledAmounts)]), -1
	if s.size > 0 && x.Typical > 0 {
		x.AmountGap = math.Abs(math.Log10(float64(s.size) / float64(x.Typical)))
	}
	for _, y := range g.giving.years[g.giving.yearAt[f]:g.giving.yearAt[f+1]] {
		if s.knows(y.Year) {
			latest = max(latest, int(y.Year))
		}
	}
	x.YearsSince = max(0, int(g.yearList[max(0, s.last)])-int(g.yearList[latest]))
	links, masks := g.links(f)
	step := len(links)/sampledLinks + 1
	year := uint64(1) << latest
	before := year - 1
	earlier := false
	for i := 0; i < len(links); i += step {
		m := masks[i] & s.known
		if m == 0 || g.recip[links[i]].EIN == uint32(ein.None) {
			continue
		}
		x.Recipients++
		earlier = earlier || m&before != 0
		if m&year != 0 && m&before == 0 {
			x.Fresh++
		}
	}
	x.Recipients *= step
	x.Fresh *= step
	if !earlier {
		x.Fresh = 0
	}
}

// medianOf is the median, in whole dollars; it sorts the amounts.
func medianOf(amounts []int64) int64 {
	n := len(amounts)
	if n == 0 {
		return 0
	}
	slices.Sort(amounts)
	low, high := amounts[(n-1)/2], amounts[n/2]
	return low + (high-low)/2
}

// explain gives the funders that are shown their reasons.
func (s *prospecting) explain(ctx context.Context, found []rated) ([]Prospect, error) {
	g, r := s.g, s.g.reader()
	list := make([]Prospect, len(found))
	place := make(map[uint32]int, len(found))
	for i := range found {
		c := &found[i]
		place[c.id] = i
		p := &list[i]
		*p = Prospect{Funder: r.funder(c.id), Score: c.score, Signs: c.signs}
		if s.q.Bare {
			continue
		}
		if years := s.own[c.id]; years != 0 {
			p.FundedYear = int(g.yearList[bits.Len64(years)-1])
		}
	}
	if s.q.Bare {
		return list, nil
	}
	err := inRanges(ctx, 0, len(found), 1, func(from, to int) {
		for i := from; i < to; i++ {
			s.explainGiving(found[i].id, &list[i])
			list[i].FirstTime = s.firstTime(found[i].id)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, a := range s.alike {
		s.eachFunder(a.recip, func(f uint32) {
			i, shown := place[f]
			if !shown || len(list[i].Shared) == sharedShown {
				return
			}
			if x, ok := s.sharedRecipient(r, f, a); ok {
				list[i].Shared = append(list[i].Shared, x)
			}
		})
	}
	return list, nil
}

// sharedRecipient is what a funder gave to a recipient that resembles the
// organization. Who may be a person is not named.
func (s *prospecting) sharedRecipient(r *reader, f uint32, a alike) (SharedRecipient, bool) {
	g := s.g
	who := r.recipient(a.recip)
	if who.Classes&Individuals != 0 {
		return SharedRecipient{}, false
	}
	x := SharedRecipient{EIN: who.EIN, Name: who.Name, City: who.City, State: who.State, Likeness: min(1, a.weight)}
	from, to := g.recipRows.off[a.recip], g.recipRows.off[a.recip+1]
	rows := g.backFunders[from:to]
	at, _ := slices.BinarySearch(rows, f)
	for ; at < len(rows) && rows[at] == f; at++ {
		if year := g.backYears[int(from)+at]; s.knows(year) {
			x.Total += g.backAmounts[int(from)+at]
			x.Grants++
			x.LastYear = max(x.LastYear, int(g.yearList[year]))
		}
	}
	return x, x.Grants > 0
}

// explainGiving adds up what a funder gave, where and for what.
func (s *prospecting) explainGiving(f uint32, p *Prospect) {
	g := s.g
	var all, state, county, cause int64
	amounts := make([]int64, 0, min(explainedRows, g.funderRows[f+1]-g.funderRows[f]))
	s.sample(f, explainedRows, func(row uint32) {
		if !s.knows(g.years[row]) {
			return
		}
		amount := g.amounts[row]
		amounts = append(amounts, amount)
		all += amount
		if int(g.groups.states[row]) == s.state {
			state += amount
		}
		if int(g.groups.counties[row]) == s.county {
			county += amount
		}
		if s.cause != 0 && g.letterOf(row) == s.cause {
			cause += amount
		}
	})
	p.Looked = int64(len(amounts))
	for _, y := range g.giving.years[g.giving.yearAt[f]:g.giving.yearAt[f+1]] {
		if s.knows(y.Year) {
			p.Grants += int64(y.Grants)
			p.LastYear = max(p.LastYear, int(g.yearList[y.Year]))
		}
	}
	p.Given, p.GivenYear = s.given(f)
	p.Typical = medianOf(amounts)
	share := func(known bool, part int64) *float64 {
		if !known || all <= 0 {
			return nil
		}
		x := float64(part) / float64(all)
		return &x
	}
	p.PlaceShare, p.CountyShare, p.CauseShare = share(s.q.State != "", state), share(s.q.County != "", county), share(s.cause != 0, cause)
}

// firstTime says of the latest years of a funder, complete ones, how many of its
// recipients it had not funded in a year before. The first year that there is of
// it says nothing.
func (s *prospecting) firstTime(f uint32) (list []FirstTime) {
	g := s.g
	var all, fresh [maxYears]int
	links, masks := g.links(f)
	for i := 0; i < len(links); i += len(links)/explainedLinks + 1 {
		m := masks[i] & s.known
		if m == 0 || g.recip[links[i]].EIN == uint32(ein.None) {
			continue
		}
		fresh[bits.TrailingZeros64(m)]++
		for ; m != 0; m &= m - 1 {
			all[bits.TrailingZeros64(m)]++
		}
	}
	first := slices.IndexFunc(all[:], func(n int) bool { return n > 0 })
	for y := s.last; y > first && first >= 0 && len(list) < firstTimeYears; y-- {
		if all[y] > 0 {
			list = append(list, FirstTime{int(g.yearList[y]), all[y], fresh[y]})
		}
	}
	return list
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
		own += int64(g.recipTotals[r].Others)
	}
	const candidates = 2 << 20
	return candidates + int64(len(g.funder))*(4+2+4+3*4+8) + 8*(prospectEdges+explainedRows*2*int64(runtime.GOMAXPROCS(0))) + 64*own
}
