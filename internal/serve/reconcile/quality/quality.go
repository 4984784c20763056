// Package quality measures how well names are reconciled. It looks up names as
// funders wrote them, whose EINs are known, in a register as a client would.
package quality

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/reconcile"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/typo"
)

// Case is a name as filed, its place and its EIN.
type Case struct {
	Name, State, City, ZIP string
	EIN                    ein.EIN
}

// Register is a register of organizations, indexed as a build does.
type Register struct {
	reconcile.Matcher
	Organizations int
	names         []string        // folded, for the plain comparison
	states        map[string]bool // states whose organizations it has
}

// leastOfState is the least number of organizations of a state whose register was
// loaded. Other states have only a few that moved there.
const leastOfState = 1_000

// Open makes a snapshot of organizations in a directory, indexes it and opens it. The
// organizations must be in EIN order without duplicates.
func Open(ctx context.Context, dir string, orgs []snapshot.Organization) (*Register, error) {
	s, err := snapshot.Make(dir, time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), func(w *snapshot.Writer) error {
		return errors.Join(
			snapshot.WriteTable(w, snapshot.Organizations, slices.Values(orgs)),
			snapshot.WriteTable(w, snapshot.Orgs, slices.Values([]snapshot.Org{})),
			snapshot.WriteTable(w, snapshot.FunderKinds, slices.Values([]snapshot.FunderKind{})),
			snapshot.WriteTable(w, snapshot.Purposes, slices.Values([]snapshot.OrgPurposes{})),
			snapshot.WriteTable(w, snapshot.Grants, slices.Values([]snapshot.Grant{})),
			search.BuildNames(ctx, w), directory.Build(ctx, w), identify.Build(ctx, w))
	})
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

func (r *Register) Close() error { return errors.Join(r.Search.Close(), r.Directory.Close()) }

// Figures are the results of one way to ask. Matches are first answers called a match.
type Figures struct {
	Given          string  `json:"given"`
	Names          int     `json:"names"`
	Known          int     `json:"known"`    // the organization is in the register
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
	f.Precision, f.Recall = scorecard.Share(f.Right, f.Answered), scorecard.Share(f.Right, f.Known)
	f.MatchPrecision, f.MatchRecall = scorecard.Share(f.RightMatches, f.Matches), scorecard.Share(f.RightMatches, f.Known)
}

// MatchShare is the share of all names that are called a match.
func (f Figures) MatchShare() float64 { return scorecard.Share(f.Matches, f.Names) }

// Bin is how often first answers with scores in one range are right.
type Bin struct {
	From    int     `json:"from"`
	To      int     `json:"to"`
	Answers int     `json:"answers"`
	Claimed float64 `json:"claimed"` // the mean score
	Right   float64 `json:"right"`   // the share that is right, in percent
	right   int
	claimed float64
}

type Result struct {
	Organizations int       `json:"organizations"`
	Covered       []Figures `json:"covered"`  // names in states whose register is loaded
	Kindred       []Figures `json:"kindred"`  // of these, without labels that share no word with the name
	HeldOut       []Figures `json:"held_out"` // of these, the half with an odd EIN
	Elsewhere     []Figures `json:"elsewhere"`
	Bins          []Bin     `json:"bins"` // of covered names, asked with the whole place
	Names         int       `json:"speed_names"`
	Seconds       float64   `json:"seconds"` // of processor time for that many names, one after another
	Plain         float64   `json:"plain_seconds"`
	LeastMatch    float64   `json:"least_match_precision"`
}

// Bounds: how long 1,000 names may take, and how often a match must be right.
const (
	SpeedNames  = 1_000
	MostSeconds = 5.0
	LeastMatch  = 0.97
)

// elsewherePart is which part of the names in other states is measured.
const elsewherePart = 5

// ways are the columns that a spreadsheet may have besides names.
var ways = []struct {
	given      string
	properties []string
}{
	{"name", nil},
	{"name, state", []string{"state"}},
	{"name, state, city", []string{"state", "city"}},
	{"name, state, city, ZIP", []string{"state", "city", "zip"}},
}

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

// HeldOut reports whether a case is in the half with an odd EIN.
func (c *Case) HeldOut() bool { return c.EIN%2 == 1 }

// Measure looks up every name in every way. Names written alike, in the same place and with the same EIN, count once.
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
				// Skip those that moved, and all but a part of the others.
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
			if !known || shareWord(c.Name, meant.Name) {
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

// common are words that unrelated names share.
var common = strings.Fields("FOUNDATION INCORPORATED CENTER COMMUNITY ASSOCIATION SOCIETY COUNTY AMERICA AMERICAN NATIONAL FUND UNITED CHURCH SCHOOL")

// shareWord reports whether two names have a weighty word in common. If not, no comparison of
// names can find the label: it is another name, a sponsor or a mistake.
func shareWord(a, b string) bool {
	other := strings.Fields(orgname.Parse(b).K2)
	for _, w := range strings.Fields(orgname.Parse(a).K2) {
		if len(w) > 3 && !slices.Contains(common, w) && slices.Contains(other, w) {
			return true
		}
	}
	return orgname.Key(a) == orgname.Key(b)
}

// race measures the processor time of looking up names with their places, and of the
// plain way: the edit distance to every name of the register.
func (r *Register) race(ctx context.Context, res *Result, cases []Case) error {
	if len(cases) == 0 {
		return nil
	}
	res.Names = SpeedNames
	start := processor()
	for i := range SpeedNames {
		if _, err := r.Match(ctx, cases[i*7%len(cases)].query(ways[2].properties)); err != nil {
			return err
		}
	}
	res.Seconds = (processor() - start).Seconds()
	const sample = 5
	start = processor()
	for i := range sample {
		key := orgname.Key(cases[i*7%len(cases)].Name)
		best := len(key)
		for _, n := range r.names {
			best = min(best, typo.Distance(key, n))
		}
	}
	res.Plain = (processor() - start).Seconds() / sample * SpeedNames
	return nil
}

// processor is the time of this process, which other programs on the machine hardly change.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Failed names the first bound that is broken, or is empty.
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

//go:embed tables.md
var tablesText string

var tables = scorecard.Template("reconcile", tablesText)

func (r *Result) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables, r, r, onlyJSON)
}
