// Package quality measures how well prospects are found. It searches for prospects with the data before a year, and compares
// them with the funders that gave for the first time in that year.
package quality

import (
	"cmp"
	"context"
	_ "embed"
	"io"
	"maps"
	"slices"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/hash"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/snapshot"
)

var Depths = [...]int{5, 20, 50}

type Options struct {
	Year    int // of the first-time grants
	Targets int // organizations to ask about, at most
	Weights *prospect.Weights
}

// Case is an organization that received a grant from a new funder.
type Case struct {
	EIN    ein.EIN
	Wanted []ein.EIN        // funders that gave to it for the first time in the year
	Had    map[ein.EIN]bool // funders before the year
	State  string
	Cause  byte
}

// truth is read from the table of grants, without the graph.
type truth struct {
	year    int
	cases   []Case
	found   int // cases in all, before a sample was taken
	pairs   int // first-time pairs whose funder was known before
	unknown int // first-time pairs whose funder was not
	givers  int // funders that were known before
	largest map[string][]ein.EIN
}

// find returns the prospects of an organization, using only the years before.
func (t *truth) find(ctx context.Context, g *graph.Graph, p *profile.Index, w *prospect.Weights, e ein.EIN) (*prospect.Result, bool, error) {
	q := prospect.Search{EIN: e, Before: t.year, Bare: true, Page: graph.Page{Limit: prospect.Most}}
	return prospect.Find(ctx, prospect.Grants{Graph: g}, p, w, q)
}

// Recall is the share of first-time pairs among the first prospects, for each depth.
type Recall struct {
	At5  float64 `json:"at_5"`
	At20 float64 `json:"at_20"`
	At50 float64 `json:"at_50"`
}

// Part is how well prospects were found for some organizations.
type Part struct {
	Funders   string  `json:"funders_before"` // number of funders that the organizations had
	Targets   int     `json:"organizations"`
	Pairs     int     `json:"first_time_pairs"`
	Prospects Recall  `json:"prospects"`
	Baseline  Recall  `json:"baseline"` // the largest funders of the cause in the state
	Listed    float64 `json:"listed"`   // share of pairs that are in the list at all
}

type Result struct {
	Year    int    `json:"year"`
	Known   int    `json:"funders_known_before"`
	All     int    `json:"organizations_in_all"`
	Unknown int    `json:"pairs_of_unknown_funders"`
	Parts   []Part `json:"parts"` // all first
}

type pair struct{ funder, recip ein.EIN }

// largestKept is how many of the largest funders of a cause in a state are kept: enough for the
// deepest list, even without those that already gave.
const largestKept = 400

// read reads who gave to whom for the first time in a year.
func read(s *snapshot.Snapshot, p *profile.Index, o Options) (*truth, error) {
	t := &truth{year: o.Year, largest: map[string][]ein.EIN{}}
	type facts struct {
		state string
		cause byte
	}
	known := map[ein.EIN]facts{}
	about := func(e ein.EIN) facts {
		f, ok := known[e]
		if !ok {
			if x, found := p.Read(e, false); found {
				f = facts{x.State, prospect.Cause(&x.Organization)}
			}
			known[e] = f
		}
		return f
	}
	before, within := map[pair]bool{}, map[pair]bool{}
	givers := map[ein.EIN]bool{}
	sums := map[string]map[ein.EIN]int64{}
	for r, err := range snapshot.Rows[snapshot.Grant](s, snapshot.Grants) {
		if err != nil {
			return nil, err
		}
		if int(r.TaxYear) > t.year {
			continue
		}
		funder, _ := ein.Filed(r.FunderEIN)
		recip, ok := ein.Filed(r.RecipientEIN)
		if int(r.TaxYear) < t.year {
			givers[funder] = true
		}
		if r.RecipientEIN == "" || !ok || recip == funder {
			continue
		}
		if int(r.TaxYear) == t.year {
			within[pair{funder, recip}] = true
			continue
		}
		before[pair{funder, recip}] = true
		f := about(recip)
		for _, key := range keys(f.state, f.cause) {
			if sums[key] == nil {
				sums[key] = map[ein.EIN]int64{}
			}
			sums[key][funder] += r.Amount
		}
	}
	for key, of := range sums {
		list := slices.SortedFunc(maps.Keys(of), func(a, b ein.EIN) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
		t.largest[key] = list[:min(len(list), largestKept)]
	}
	t.givers = len(givers)
	by := map[ein.EIN]*Case{}
	for x := range within {
		switch {
		case before[x]:
		case !givers[x.funder]:
			t.unknown++
		default:
			c := by[x.recip]
			if c == nil {
				f := about(x.recip)
				c = &Case{EIN: x.recip, State: f.state, Cause: f.cause, Had: map[ein.EIN]bool{}}
				by[x.recip] = c
			}
			c.Wanted = append(c.Wanted, x.funder)
		}
	}
	for x := range before {
		if c := by[x.recip]; c != nil {
			c.Had[x.funder] = true
		}
	}
	for _, c := range by {
		if p.Known(c.EIN) {
			t.cases = append(t.cases, *c)
		}
	}
	// The sample is the same in every run.
	slices.SortFunc(t.cases, func(a, b Case) int { return cmp.Or(cmp.Compare(mixed(a.EIN), mixed(b.EIN)), cmp.Compare(a.EIN, b.EIN)) })
	t.found = len(t.cases)
	if o.Targets > 0 {
		t.cases = t.cases[:min(len(t.cases), o.Targets)]
	}
	for i := range t.cases {
		slices.Sort(t.cases[i].Wanted)
		t.pairs += len(t.cases[i].Wanted)
	}
	return t, nil
}

func mixed(e ein.EIN) uint64 { return hash.Of(e.String()) }

// keys are the groups of largest funders: of all, the state, the cause, and both.
func keys(state string, cause byte) []string {
	list := []string{""}
	if state != "" {
		list = append(list, state)
	}
	if cause != 0 {
		list = append(list, "*"+string(rune(cause)))
		if state != "" {
			list = append(list, state+string(rune(cause)))
		}
	}
	return list
}

// baseline lists the largest funders of the cause in the state. If the cause is
// not known, it uses the state alone, and vice versa.
func (t *truth) baseline(c *Case) (list []ein.EIN) {
	all := keys(c.State, c.Cause)
	for _, e := range t.largest[all[len(all)-1]] {
		if !c.Had[e] && e != c.EIN {
			list = append(list, e)
		}
	}
	return list
}

func (c *Case) wanted(list []ein.EIN, depth int) (n int) {
	for _, e := range list[:min(len(list), depth)] {
		if _, ok := slices.BinarySearch(c.Wanted, e); ok {
			n++
		}
	}
	return n
}

// Measure finds prospects from the years before the year.
func Measure(ctx context.Context, s *snapshot.Snapshot, g *graph.Graph, p *profile.Index, o Options) (*Result, error) {
	t, err := read(s, p, o)
	if err != nil {
		return nil, err
	}
	if t.pairs == 0 {
		return nil, fault.New("no_pairs", "no funder that was known before gave to an organization for the first time in fiscal year %d", o.Year).
			Try("choose another --year; the data has fiscal years %d to %d", s.Manifest.Counts.FirstFiscalYear, s.Manifest.Counts.LastFiscalYear)
	}
	res := &Result{Year: t.year, Known: t.givers, All: t.found, Unknown: t.unknown}
	var sums [len(segments)]tally
	for i := range t.cases {
		c := &t.cases[i]
		found, _, err := t.find(ctx, g, p, o.Weights, c.EIN)
		if err != nil {
			return nil, err
		}
		list := each.Append(nil, found.List, func(x prospect.Prospect) ein.EIN { return x.EIN })
		for k := range segments {
			if segments[k].holds(len(c.Had)) {
				sums[k].add(c, list, t.baseline(c))
			}
		}
	}
	for k := range segments {
		res.Parts = append(res.Parts, sums[k].part(segments[k].name))
	}
	return res, nil
}

type tally struct {
	targets, pairs, listed int
	ours, base             [len(Depths)]int
}

func (t *tally) add(c *Case, ours, base []ein.EIN) {
	t.targets++
	t.pairs += len(c.Wanted)
	t.listed += c.wanted(ours, len(ours))
	for i, depth := range Depths {
		t.ours[i] += c.wanted(ours, depth)
		t.base[i] += c.wanted(base, depth)
	}
}

func (t *tally) part(name string) Part {
	share := func(n int) float64 { return scorecard.Round(scorecard.Share(n, t.pairs), 4) }
	recall := func(n [len(Depths)]int) Recall { return Recall{share(n[0]), share(n[1]), share(n[2])} }
	return Part{name, t.targets, t.pairs, recall(t.ours), recall(t.base), share(t.listed)}
}

var segments = [...]segment{{"all", 0, 1 << 30}, {"none", 0, 0}, {"1 to 4", 1, 4}, {"5 to 19", 5, 19}, {"20 or more", 20, 1 << 30}}

type segment struct {
	name        string
	least, most int
}

func (s *segment) holds(n int) bool { return n >= s.least && n <= s.most }

//go:embed tables.md
var tablesText string

var tables = scorecard.Template("prospects", tablesText)

func (r *Result) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables, r, r, onlyJSON)
}
