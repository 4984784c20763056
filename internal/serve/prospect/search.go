package prospect

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/neighbors"
)

// Search asks who gives to organizations similar to one with a place and a cause.
type Search struct {
	EIN    ein.EIN
	State  string // the organization's state, empty if not known
	County string // FIPS code
	Cause  byte   // letter, 0 when not known
	Code   ntee.Code

	Alike []Alike   // organizations similar for other reasons than their funders
	Also  []ein.EIN // funders that are candidates for other reasons

	Amount int64 // the grant that is looked for; 0 takes the median of those that the organization receives

	// Before is the first fiscal year whose grants are ignored. 0 ignores none.
	Before int
	// Since is the first year in which a grant makes a funder a current funder and not a prospect. 0 leaves out every funder
	// that ever gave to the organization.
	Since int
	// Latest is the last year whose returns have arrived. 0 takes the last known year.
	Latest int

	Only  Filter
	Score func(*Signs) float64 // ranks the candidates
	Page  graph.Page
	Bare  bool // leaves out the reasons, except for the signs
}

// Alike is an organization that resembles another, and how much, from 0 to 1.
type Alike struct {
	EIN    ein.EIN
	Weight float64
}

// Filter says which funders count.
type Filter struct {
	Kind      string   // one of grant.FunderKinds
	Accepts   string   // one of grant.Applications
	NoDAF     bool     // excludes donor-advised and pass-through funders
	In        []string // states that the funder is in
	GivesIn   []string // states that it gave in
	Subject   ntee.Subject
	MinAmount *int64 // limits on its median grant
	MaxAmount *int64
	MinGiven  *int64 // limits on what it gave in its latest year
	MaxGiven  *int64
}

// Signs are evidence for and against a funder. Shares are of a sample of its recipients.
type Signs struct {
	Walk       float64 // paths to the funder through similar organizations; those with few funders count for more
	Shared     int     // how many similar organizations it funds
	Recipients int     // recipients it funded in all
	Fresh      int     // recipients of its latest year that it had not funded before; 0 also if not known
	Sample     int     // recipients that were examined
	InState    int     // of the sample, like the next four
	InCounty   int
	InCause    int
	InCode     int // with the same NTEE code
	InBoth     int // with the cause, in the state

	SameState, SameCounty bool // where the funder is
	YearsSince            int  // years from its latest grant to the last known year
	Typical               int64
	AmountGap             float64 // orders of magnitude between its median grant and the one that the organization receives; negative if not known

	HasState, HasCounty, HasCause, HasCode bool // known of the organization
	HasWalk                                bool // similar organizations were found
}

// Result is the funders that were found.
type Result struct {
	List     []Prospect // best first
	Total    int        // funders on all pages, at most Most
	Examined int        // candidates that were considered
	Funders  int        // current funders: those that gave since the year Since
	Alike    int        // similar organizations whose funders were examined
}

// Prospect is one funder, with its reasons.
type Prospect struct {
	graph.Funder
	Score      float64
	Signs      Signs
	LastYear   int // of its latest grant
	FundedYear int // the year it last funded the organization; 0 for never
	Given      int64
	GivenYear  int    // the year in which it gave Given
	Accepts    string // whether it accepts applications; one of grant.Applications

	Low, High int64      // the middle half of its grants
	Here      graph.Cost // its grants in the state for the cause, of those examined

	// Reasons are why it may fund the organization. Shares are not rounded.
	Reasons client.ProspectReasons
}

const (
	// Most is the largest number of prospects.
	Most = 500

	prospectEdges    = 60_000 // links of the organization's funders
	mostAlike        = 300    // similar organizations
	alikeEdges       = 60_000 // rows of all similar organizations
	alikeRows        = 1_500  // rows of one similar organization
	sampledRows      = 512    // rows of a candidate
	sampledAtOnce    = 64
	sampledLinks     = 1_024 // recipients of a candidate whose years are read
	sampledAmounts   = 128
	explainedRows    = 4_096 // rows of a funder that is shown
	explainedLinks   = 8_192 // recipients of a funder that is shown
	sharedShown      = 5
	firstTimeYears   = 5
	recentStateYears = 5

	rowsAtOnce       = 1 << 12 // steps between two checks of the context
	fundersAtOnce    = 2_048   // funders that justify another goroutine
	candidatesAtOnce = 32
)

// Grants finds prospects in the grants of a graph.
type Grants struct{ *graph.Graph }

// Prospects finds funders that give to similar organizations but have not given to this one, or not lately. The work does not
// grow with the corpus, except for one pass over the funders of a state.
func (g Grants) Prospects(ctx context.Context, q *Search) (*Result, error) {
	v, err := g.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	s := newProspecting(v, q)
	out := &Result{}
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
	for _, e := range q.Also {
		if f, ok := v.FindFunder(e); ok && !slices.Contains(s.touched, f) {
			s.touched = append(s.touched, f)
		}
	}
	short, err := s.shortlist(ctx)
	if err != nil {
		return nil, err
	}
	out.Examined = len(s.touched)
	found := make([]rated, len(short))
	err = v.InRanges(ctx, len(short), candidatesAtOnce, func(from, to int) {
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
	found = found[:min(len(found), Most)]
	out.Total = len(found)
	from := min(len(found), q.Page.Offset)
	found = found[from:min(len(found), from+q.Page.Limit)]
	out.List, err = s.explain(ctx, found)
	return out, err
}

type rated struct {
	id    uint32
	score float64
	signs Signs
}

type prospecting struct {
	v      *graph.View
	q      *Search
	self   []uint32 // the organization's numbers as a recipient
	known  uint64   // mask of the years that count
	since  uint64   // mask of the years whose funders count as current
	whole  bool     // all years count
	last   int      // number of the last year that counts as arrived
	state  int      // number of its state, or -1 if no grant goes there
	county int
	cause  byte
	code   uint32 // text number, as recipients have it
	size   int64

	own     map[uint32]uint64 // years of its funders
	alike   []alike
	walk    []float32 // by funder
	shared  []uint16
	inState []uint32
	touched []uint32

	matchesCode []bool // by text number: whether Only.Subject has the code
}

type alike struct {
	recip  uint32
	weight float64
}

func newProspecting(v *graph.View, q *Search) *prospecting {
	textAt := func(list []uint32, text string) int {
		if text == "" {
			return -1
		}
		return slices.IndexFunc(list, func(t uint32) bool { return string(v.Text(t)) == text })
	}
	s := &prospecting{
		v: v, q: q, self: v.FindRecipients(q.EIN), state: textAt(v.States, q.State), county: textAt(v.Counties, q.County),
		cause: q.Cause, code: math.MaxUint32, own: map[uint32]uint64{}, last: -1, whole: true,
		walk: make([]float32, len(v.Funders)), shared: make([]uint16, len(v.Funders)), inState: make([]uint32, len(v.Funders)),
	}
	for i, y := range v.Years {
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
	if i := textAt(v.Codes, string(q.Code)); i >= 0 {
		s.code = v.Codes[i]
	}
	return s
}

func (s *prospecting) knows(year uint8) bool { return s.known>>(year&(graph.MaxYears-1))&1 != 0 }

// ownFunders finds the organization's funders and the median grant it receives.
func (s *prospecting) ownFunders(ctx context.Context) (list []uint32, err error) {
	var amounts []int64
	for _, r := range s.self {
		rows := s.v.Received(r)
		for i, f := range rows.Parties {
			if i%rowsAtOnce == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !s.knows(rows.Years[i]) {
				continue
			}
			s.own[f] |= 1 << rows.Years[i]
			if len(amounts) < explainedRows {
				amounts = append(amounts, rows.Amounts[i])
			}
		}
	}
	s.size = cmp.Or(s.q.Amount, medianOf(amounts))
	return slices.Sorted(maps.Keys(s.own)), nil
}

func (s *prospecting) degree(f uint32) (n int) {
	links, masks := s.v.Links(f)
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

// ProspectsWeight is the most memory in bytes that Prospects takes for an organization. It covers four numbers per funder in
// the graph, a pair per edge of a walk, the candidates, and the organization's own funders.
func (g Grants) ProspectsWeight(e ein.EIN) int64 {
	v, err := g.View()
	if err != nil {
		return 0 // Prospects fails before it allocates anything
	}
	defer v.Close()
	var own int64
	for _, r := range v.FindRecipients(e) {
		own += int64(v.CountFunders(r))
	}
	const candidates = 2 << 20
	return candidates + int64(len(v.Funders))*(4+2+4+3*4+8) + 8*(prospectEdges+explainedRows*2*int64(runtime.GOMAXPROCS(0))) + 64*own
}

// givesTo reports whether a funder gave to a cause that the filter asks for.
func (s *prospecting) givesTo(f uint32) bool {
	if codes := s.v.Codes; s.matchesCode == nil && len(codes) > 0 {
		s.matchesCode = make([]bool, codes[len(codes)-1]+1) // they ascend
		for _, code := range codes {
			s.matchesCode[code] = s.q.Only.Subject.Matches(ntee.Code(s.v.Text(code)))
		}
	}
	found := false
	rows := s.v.Gave(f)
	sample(len(rows.Parties), explainedRows, func(i int) {
		r := &s.v.Recipients[rows.Parties[i]]
		found = found || s.knows(rows.Years[i]) && r.EIN != uint32(ein.None) && s.matchesCode[r.NTEE]
	})
	return found
}

// sample visits the numbers from 0 to n-1, or about most of them: evenly spread runs, so that the
// rows of one recipient tend to stay together.
func sample(n, most int, visit func(i int)) {
	if n <= most {
		for i := range n {
			visit(i)
		}
		return
	}
	parts := most / sampledAtOnce
	for p := range parts {
		at := (n - sampledAtOnce) * p / (parts - 1)
		for i := at; i < at+sampledAtOnce; i++ {
			visit(i)
		}
	}
}

func (s *prospecting) read(c *rated) {
	x, f := &c.signs, c.id
	x.Walk, x.Shared, x.HasWalk = float64(s.walk[f]), int(s.shared[f]), len(s.alike) > 0
	x.SameState, x.SameCounty = s.sameState(f), s.sameCounty(f)
	x.HasState, x.HasCounty, x.HasCause, x.HasCode = s.q.State != "", s.q.County != "", s.cause != 0, s.q.Code != ""
	latest := s.readRows(f, x)
	if x.Sample == 0 {
		return
	}
	for _, y := range s.v.YearsOf(f) {
		if s.knows(y.Year) {
			latest = max(latest, int(y.Year))
		}
	}
	x.YearsSince = max(0, int(s.v.Years[max(0, s.last)])-int(s.v.Years[latest]))
	s.countFresh(f, latest, x)
}

// readRows counts the recipients in a sample of the rows of a funder, and finds
// its typical grant. It returns the latest year of the sample, or -1.
func (s *prospecting) readRows(f uint32, x *Signs) (latest int) {
	v, rows := s.v, s.v.Gave(f)
	last := uint32(math.MaxUint32)
	latest = -1
	var amounts [sampledAmounts]int64
	seen := 0
	sample(len(rows.Parties), sampledRows, func(i int) {
		if !s.knows(rows.Years[i]) {
			return
		}
		latest = max(latest, int(rows.Years[i]))
		amounts[seen%sampledAmounts] = rows.Amounts[i]
		seen++
		r := rows.Parties[i]
		if r == last || v.Recipients[r].EIN == uint32(ein.None) {
			return
		}
		last = r
		x.Sample++
		state, cause := int(rows.States[i]) == s.state, s.cause != 0 && rows.Cause(i) == s.cause
		if state {
			x.InState++
		}
		if int(rows.Counties[i]) == s.county {
			x.InCounty++
		}
		if cause {
			x.InCause++
		}
		if v.Recipients[r].NTEE == s.code {
			x.InCode++
		}
		if state && cause {
			x.InBoth++
		}
	})
	if x.Sample == 0 {
		return latest
	}
	x.Typical, x.AmountGap = medianOf(amounts[:min(seen, sampledAmounts)]), -1
	if s.size > 0 && x.Typical > 0 {
		x.AmountGap = math.Abs(math.Log10(float64(s.size) / float64(x.Typical)))
	}
	return latest
}

// countFresh counts a funder's recipients, and those that are new in its latest year.
func (s *prospecting) countFresh(f uint32, latest int, x *Signs) {
	links, masks := s.v.Links(f)
	step := len(links)/sampledLinks + 1
	year := uint64(1) << latest
	before := year - 1
	earlier := false
	for i := 0; i < len(links); i += step {
		m := masks[i] & s.known
		if m == 0 || s.v.Recipients[links[i]].EIN == uint32(ein.None) {
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

// findAlike lists recipients that share funders with the organization or that the query names.
func (s *prospecting) findAlike(ctx context.Context, own []uint32) error {
	v := s.v
	w := neighbors.Walk{
		Self:   s.self,
		Degree: s.degree,
		Edges: func(f uint32) int {
			links, _ := v.Links(f)
			return len(links)
		},
		Append: func(to []uint32, f uint32) []uint32 {
			links, masks := v.Links(f)
			for i, r := range links {
				if masks[i]&s.known != 0 && v.Recipients[r].EIN != uint32(ein.None) {
					to = append(to, r)
				}
			}
			return to
		},
	}
	sharing, _, err := w.Closest(ctx, own, mostAlike, prospectEdges)
	if err != nil {
		return err
	}
	weights := make(map[uint32]float64, len(sharing)+len(s.q.Alike))
	for _, n := range sharing {
		weights[n.ID] = n.Weight
	}
	for _, a := range s.q.Alike {
		for _, r := range v.FindRecipients(a.EIN) {
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

// eachFunder visits the funders of a recipient, each once. If the recipient has
// very many rows, it visits the funders of evenly spread rows.
func (s *prospecting) eachFunder(r uint32, visit func(f uint32)) {
	rows := s.v.Received(r)
	step := len(rows.Parties)/alikeRows + 1
	last := uint32(math.MaxUint32)
	for at := 0; at < len(rows.Parties); at += step {
		if f := rows.Parties[at]; f != last && s.knows(rows.Years[at]) {
			last = f
			visit(f)
		}
	}
}

func (s *prospecting) walkBack() {
	budget := alikeEdges
	var funders []uint32
	for i, a := range s.alike {
		if budget -= min(alikeRows, len(s.v.Received(a.recip).Parties)); budget < 0 {
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

// addState adds the funders that recently gave in the state of the organization.
func (s *prospecting) addState() {
	if s.state < 0 {
		return
	}
	for y, left := bits.Len64(s.known)-1, recentStateYears; y >= 0 && left > 0; y, left = y-1, left-1 {
		for _, c := range s.v.GaveIn(s.state, y) {
			if s.shared[c.ID] == 0 && s.inState[c.ID] == 0 {
				s.touched = append(s.touched, c.ID)
			}
			s.inState[c.ID] += c.Others
		}
	}
}

func (s *prospecting) shortlist(ctx context.Context) ([]uint32, error) {
	admits := s.admission()
	most := Most
	if !s.q.Only.Subject.Empty() || s.q.Only.MinAmount != nil || s.q.Only.MaxAmount != nil {
		most *= 2
	}
	scores := make([]float64, len(s.touched)) // NaN for a funder that is not admitted
	err := s.v.InRanges(ctx, len(s.touched), fundersAtOnce, func(from, to int) {
		for i := from; i < to; i++ {
			if scores[i] = math.NaN(); admits(s.touched[i]) {
				scores[i] = s.quick(s.touched[i])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	list := make([]neighbors.Found, 0, most+1)
	for i, f := range s.touched {
		if !math.IsNaN(scores[i]) {
			list = neighbors.Keep(list, most, neighbors.Found{ID: f, Shared: int(s.shared[f]), Weight: scores[i]})
		}
	}
	out := each.Of(list, func(n neighbors.Found) uint32 { return n.ID })
	return out, nil
}

// quick scores a funder by the signs that need no rows, weighed about as in the model.
func (s *prospecting) quick(f uint32) float64 {
	grants, latest := 0, 0
	for _, y := range s.v.YearsOf(f) {
		if s.knows(y.Year) {
			grants += int(y.Grants)
			latest = int(y.Year)
		}
	}
	score := 0.3*math.Log10(1+1000*float64(s.walk[f])) + 0.8*math.Log10(1+float64(s.shared[f])) +
		math.Log10(1+float64(grants)) + math.Log10(1+float64(s.inState[f]))
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
	return s.q.State != "" && string(s.v.Text(s.v.Funders[f].State)) == s.q.State
}

func (s *prospecting) sameCounty(f uint32) bool {
	return s.q.County != "" && string(s.v.Text(s.v.Funders[f].County)) == s.q.County
}

// admission is the part of the filter that needs no rows.
func (s *prospecting) admission() func(f uint32) bool {
	v, o := s.v, &s.q.Only
	kind, hasKind := graph.KindNumber(o.Kind)
	daf, _ := graph.KindNumber(grant.Passthrough)
	gives := s.givesIn(o.GivesIn)
	return func(f uint32) bool {
		r := &v.Funders[f]
		switch {
		case r.EIN == uint32(s.q.EIN), s.own[f]&s.since != 0:
			return false
		case hasKind && r.Kind != kind, o.Kind != "" && !hasKind, o.NoDAF && r.Kind == daf:
			return false
		case o.Accepts != "" && v.AcceptsApplications(f) != o.Accepts:
			return false
		case len(o.In) > 0 && !slices.Contains(o.In, string(v.Text(r.State))):
			return false
		case gives != nil && !gives[f]:
			return false
		}
		if o.MinGiven != nil || o.MaxGiven != nil {
			given, _ := s.given(f)
			return (o.MinGiven == nil || given >= *o.MinGiven) && (o.MaxGiven == nil || given <= *o.MaxGiven)
		}
		return true
	}
}

// givesIn says for each funder whether it gave in one of the states; nil for no states.
func (s *prospecting) givesIn(states []string) []bool {
	if len(states) == 0 {
		return nil
	}
	gives := make([]bool, len(s.v.Funders))
	for no, t := range s.v.States {
		if !slices.Contains(states, string(s.v.Text(t))) {
			continue
		}
		for y := range s.v.Years {
			if s.knows(uint8(y)) {
				for _, c := range s.v.GaveIn(no, y) {
					gives[c.ID] = true
				}
			}
		}
	}
	return gives
}

// given is what a funder gave in its latest year that has arrived, or else in its latest.
func (s *prospecting) given(f uint32) (amount int64, year int) {
	for _, y := range s.v.YearsOf(f) {
		if s.knows(y.Year) && (year == 0 || int(y.Year) <= s.last) {
			amount, year = y.Amount, int(s.v.Years[y.Year])
		}
	}
	return amount, year
}

// keeps is the part of the filter that needs rows.
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
