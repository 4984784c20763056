// Package quality measures how well names are reconciled: names as funders wrote
// them, whose EINs are known, are looked up in a register as a client would.
package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/reconcile"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/typo"
)

// Case is a name as somebody wrote it, where it is, and whose it is.
type Case struct {
	Name, State, City, ZIP string
	EIN                    ein.EIN
}

// Register is a register of organizations, indexed as a build does.
type Register struct {
	reconcile.Matcher
	Organizations int
	names         []string        // folded, for the plain way
	states        map[string]bool // whose organizations it has
}

// leastOfState is how many organizations a state has whose register was loaded.
// Of others there are a few that have moved.
const leastOfState = 1_000

// Open makes a snapshot of organizations below a directory, indexes it and opens
// it. They must be in the order of EINs, each once.
func Open(ctx context.Context, dir string, orgs []snapshot.Organization) (*Register, error) {
	w, err := snapshot.Create(dir, time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	none := func(yield func(snapshot.Org) bool) {}
	err = errors.Join(
		snapshot.WriteTable(w, snapshot.Organizations, slices.Values(orgs)),
		snapshot.WriteTable(w, snapshot.Orgs, iter.Seq[snapshot.Org](none)),
		snapshot.WriteTable(w, snapshot.FunderKinds, func(yield func(snapshot.FunderKind) bool) {}),
		snapshot.WriteTable(w, snapshot.Purposes, func(yield func(snapshot.OrgPurposes) bool) {}),
		search.BuildNames(ctx, w), directory.Build(ctx, w),
	)
	if err != nil {
		return nil, err
	}
	s, err := w.Publish(snapshot.Manifest{})
	if err != nil {
		return nil, err
	}
	r := &Register{Organizations: len(orgs), states: map[string]bool{}}
	if r.Search, err = search.OpenNames(s); err != nil {
		return nil, err
	}
	if r.Directory, err = directory.Open(s); err != nil {
		return nil, errors.Join(err, r.Search.Close())
	}
	count := map[string]int{}
	for i := range orgs {
		r.names = append(r.names, orgname.Key(orgs[i].Name))
		count[orgs[i].State]++
		r.states[orgs[i].State] = count[orgs[i].State] >= leastOfState
	}
	return r, nil
}

// Close lets go of the indexes.
func (r *Register) Close() error { return errors.Join(r.Search.Close(), r.Directory.Close()) }

// Figures are what one way to ask came to. Matches are first answers that are
// called a match.
type Figures struct {
	Given          string  `json:"given"`
	Names          int     `json:"names"`
	Known          int     `json:"known"`    // whose organization is in the register
	Answered       int     `json:"answered"` // of those, with a first answer
	Right          int     `json:"right"`
	Matches        int     `json:"matches"`
	RightMatches   int     `json:"right_matches"`
	Precision      float64 `json:"precision"`
	Recall         float64 `json:"recall"`
	MatchPrecision float64 `json:"match_precision"`
	MatchRecall    float64 `json:"match_recall"`
}

func (f *Figures) share() {
	of := func(n, all int) float64 {
		if all == 0 {
			return 0
		}
		return float64(n) / float64(all)
	}
	f.Precision, f.Recall = of(f.Right, f.Answered), of(f.Right, f.Known)
	f.MatchPrecision, f.MatchRecall = of(f.RightMatches, f.Matches), of(f.RightMatches, f.Known)
}

// Bin is how often first answers of about a score are right.
type Bin struct {
	From    int     `json:"from"`
	To      int     `json:"to"`
	Answers int     `json:"answers"`
	Claimed float64 `json:"claimed"` // the mean score
	Right   float64 `json:"right"`   // the share that is right, in percent
	right   int
	claimed float64
}

// Result is what a set came to.
type Result struct {
	Organizations int       `json:"organizations"`
	Covered       []Figures `json:"covered"`  // names of states whose register is there
	Kindred       []Figures `json:"kindred"`  // of those, without labels that share no word with the name
	HeldOut       []Figures `json:"held_out"` // of those, the half that weights were not fitted to
	Elsewhere     []Figures `json:"elsewhere"`
	Bins          []Bin     `json:"bins"` // of covered names, with all that is known of the place
	Names         int       `json:"speed_names"`
	Seconds       float64   `json:"seconds"` // for as many names, one after the other
	Plain         float64   `json:"plain_seconds"`
	LeastMatch    float64   `json:"least_match_precision"`
}

// The bounds: how long 1,000 names may take, and how often a match must be right.
const (
	SpeedNames  = 1_000
	MostSeconds = 5.0
	LeastMatch  = 0.97
)

// elsewherePart is which part of the names of other states is asked for.
const elsewherePart = 5

// ways are what a spreadsheet may have beside names.
var ways = []struct {
	given      string
	properties []string
}{
	{"name", nil},
	{"name, state", []string{"state"}},
	{"name, state, city", []string{"state", "city"}},
	{"name, state, city, ZIP", []string{"state", "city", "zip"}},
}

// query is a case as it is asked.
func (c *Case) query(properties []string) *reconcile.Query {
	q := &reconcile.Query{Names: []string{c.Name}, Limit: 5}
	for _, p := range properties {
		v := map[string]string{"state": c.State, "city": c.City, "zip": c.ZIP}[p]
		if v != "" {
			q.Where = append(q.Where, reconcile.Condition{Property: p, Values: []string{v}})
		}
	}
	return q
}

// HeldOut reports whether a case is in the half that no weight was fitted to.
func (c *Case) HeldOut() bool { return c.EIN%2 == 1 }

// Measure looks every name up in every way. Names that are written alike, in the
// same place and with the same EIN, count once.
func Measure(ctx context.Context, r *Register, cases []Case) (*Result, error) {
	res := &Result{Organizations: r.Organizations, LeastMatch: LeastMatch}
	cases = distinct(cases)
	for i := range 10 {
		res.Bins = append(res.Bins, Bin{From: 10 * i, To: 10 * (i + 1)})
	}
	for i, w := range ways {
		var here, kindred, held, elsewhere Figures
		for _, f := range []*Figures{&here, &kindred, &held, &elsewhere} {
			f.Given = w.given
		}
		for j := range cases {
			c := &cases[j]
			meant, known := r.Search.Lookup(c.EIN)
			covered := r.states[stateOf(c.State)]
			if !covered && (known || j%elsewherePart != 0) {
				// Those that have moved are not asked for, and of the others a part.
				continue
			}
			found, err := r.Match(ctx, c.query(w.properties))
			if err != nil {
				return nil, err
			}
			if !covered {
				elsewhere.add(c, found, false)
				continue
			}
			right := here.add(c, found, known)
			if !known || kin(c.Name, meant.Name) {
				kindred.add(c, found, known)
			}
			if c.HeldOut() {
				held.add(c, found, known)
			}
			if i == len(ways)-1 && len(found) > 0 {
				b := &res.Bins[min(9, int(10*found[0].Probability))]
				b.Answers++
				b.claimed += 100 * found[0].Probability
				if right {
					b.right++
				}
			}
		}
		for _, to := range []struct {
			list *[]Figures
			f    *Figures
		}{{&res.Covered, &here}, {&res.Kindred, &kindred}, {&res.HeldOut, &held}, {&res.Elsewhere, &elsewhere}} {
			to.f.share()
			*to.list = append(*to.list, *to.f)
		}
	}
	for i := range res.Bins {
		if b := &res.Bins[i]; b.Answers > 0 {
			b.Claimed, b.Right = b.claimed/float64(b.Answers), 100*float64(b.right)/float64(b.Answers)
		}
	}
	return res, r.race(ctx, res, cases)
}

// add counts the answer to a case.
func (f *Figures) add(c *Case, found []reconcile.Candidate, known bool) (right bool) {
	f.Names++
	if known {
		f.Known++
	}
	if len(found) == 0 {
		return false
	}
	if known {
		f.Answered++
	}
	right = found[0].EIN == c.EIN
	if right {
		f.Right++
	}
	if found[0].Sure {
		f.Matches++
		if right {
			f.RightMatches++
		}
	}
	return right
}

func distinct(cases []Case) (list []Case) {
	type line struct {
		name, state, city string
		ein               ein.EIN
	}
	seen := map[line]bool{}
	for _, c := range cases {
		l := line{orgname.Fold(c.Name), stateOf(c.State), orgname.City(c.City), c.EIN}
		if !seen[l] {
			seen[l] = true
			list = append(list, c)
		}
	}
	return list
}

func stateOf(s string) string {
	code, _ := place.State(s)
	return code
}

// common are words that names share without being kin.
var common = strings.Fields("FOUNDATION INCORPORATED CENTER COMMUNITY ASSOCIATION SOCIETY COUNTY AMERICA AMERICAN NATIONAL FUND UNITED CHURCH SCHOOL")

// kin reports whether two names have a word of weight in common. Where they have
// none, the label is another name, a sponsor or a mistake, and no look at the name
// finds it.
func kin(a, b string) bool {
	other := strings.Fields(orgname.Parse(b).K2)
	for _, w := range strings.Fields(orgname.Parse(a).K2) {
		if len(w) > 3 && !slices.Contains(common, w) && slices.Contains(other, w) {
			return true
		}
	}
	return orgname.Key(a) == orgname.Key(b)
}

// race times names with their places, one after the other, and beside them the
// plain way: the distance in letters to every name of the register.
func (r *Register) race(ctx context.Context, res *Result, cases []Case) error {
	if len(cases) == 0 {
		return nil
	}
	res.Names = SpeedNames
	start := time.Now()
	for i := range SpeedNames {
		if _, err := r.Match(ctx, cases[i*7%len(cases)].query(ways[2].properties)); err != nil {
			return err
		}
	}
	res.Seconds = time.Since(start).Seconds()
	const sample = 5
	start = time.Now()
	for i := range sample {
		key := orgname.Key(cases[i*7%len(cases)].Name)
		best := len(key)
		for _, n := range r.names {
			best = min(best, typo.Distance(key, n))
		}
	}
	res.Plain = time.Since(start).Seconds() / sample * SpeedNames
	return nil
}

// Failed says which bound is not held, empty when all are.
func (r *Result) Failed() string {
	if r.Seconds > MostSeconds {
		return fmt.Sprintf("%d names took %.1f s, more than %.0f s", r.Names, r.Seconds, MostSeconds)
	}
	for _, f := range r.Covered {
		if f.Matches > 0 && f.MatchPrecision < LeastMatch {
			return fmt.Sprintf("of the matches by %s, %.3f are right, fewer than %.3f", f.Given, f.MatchPrecision, LeastMatch)
		}
	}
	return ""
}

// WriteJSON prints it as one line of JSON.
func (r *Result) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }
