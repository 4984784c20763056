// Package example is the invented parts that examples are answered from: a graph of five grants in memory, a store with one key
// and one account, and a sandbox that knows the queries of the examples. The operations run on these parts as they do on real
// ones, so an example cannot differ from the answer it stands for. Nothing in the package is real data, and nothing is read
// from a disk or written to one. The rows are in world.json.
package example

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/api/screening"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

//go:embed world.json
var worldFile []byte

var sections = sync.OnceValue(func() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	must(json.Unmarshal(worldFile, &all))
	return all
})

// read decodes a section anew on every call, so that callers share no rows. A
// member that its type does not have is a mistake in the file.
func read[T any](section string) (value T) {
	d := json.NewDecoder(bytes.NewReader(sections()[section]))
	d.DisallowUnknownFields()
	must(d.Decode(&value))
	return value
}

// must stops the program where the invented rows are wrong, which every test meets.
func must(err error) {
	if err != nil {
		panic("example: " + err.Error())
	}
}

func rows[T any](section string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range read[[]T](section) {
			if !yield(r, nil) {
				return
			}
		}
	}
}

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Now is the moment at which all examples are answered.
func Now() time.Time { return day.Add(12 * time.Hour) }

func Manifest() snapshot.Manifest { return read[snapshot.Manifest]("manifest") }

// Graph is the graph of a few invented grants.
type Graph struct {
	profiles.Grants
	Rows []graph.Grant // the most dollars first
}

// Grants makes the graph once: nothing changes it, and it holds no file open.
var Grants = sync.OnceValue(func() Graph {
	m := Manifest()
	g, err := graph.Of(&m, read[[]snapshot.Grant]("grants"), rows[snapshot.FunderKind]("funder_kinds"), read[[]snapshot.Organization]("organizations"))
	must(err)
	list, _, err := g.Transactions(context.Background(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: int(m.Counts.Grants)})
	must(err)
	return Graph{profiles.In(g), list}
})

// Cofunders are those of the graph, each with the same weight.
func (x Graph) Cofunders(ctx context.Context, e ein.EIN, limit int) (neighbors.Neighbors, error) {
	return alike(x.Grants.Cofunders(ctx, e, limit))
}

// SharingFunders are those of the graph, each with the same weight.
func (x Graph) SharingFunders(ctx context.Context, e ein.EIN, limit int) (neighbors.Neighbors, error) {
	return alike(x.Grants.SharingFunders(ctx, e, limit))
}

// alike gives every neighbor the same weight, because the weights of so small a graph would look like no real answer.
func alike(n neighbors.Neighbors, err error) (neighbors.Neighbors, error) {
	for i := range n.List {
		n.List[i].Weight = 0.4
	}
	return n, err
}

// Prospects are written down for the organization of the example, because the
// figures of so small a graph would look like no real answer. Filters and pages apply to them.
func (x Graph) Prospects(ctx context.Context, q *prospect.Search) (*prospect.Result, error) {
	shown := read[struct {
		EIN   ein.EIN
		Found *prospect.Result
	}]("prospects")
	if q.EIN != shown.EIN {
		return x.Grants.Prospects(ctx, q)
	}
	list := slices.DeleteFunc(shown.Found.List, func(p prospect.Prospect) bool {
		return q.Only.Kind != "" && p.Kind != q.Only.Kind || len(q.Only.In) > 0 && !slices.Contains(q.Only.In, p.State)
	})
	from := min(q.Page.Offset, len(list))
	return &prospect.Result{Total: len(list), List: list[from:min(from+q.Page.Limit, len(list))]}, nil
}

// Profiles are the profiles of the organizations of the other examples.
func Profiles() *profile.Index {
	x, err := profile.New(&profile.Tables{
		Organizations: rows[snapshot.Organization]("organizations"),
		Orgs:          rows[snapshot.Org]("filers"),
		FunderKinds:   rows[snapshot.FunderKind]("funder_kinds"),
		Financials:    rows[snapshot.Financial]("financials"),
		Returns:       rows[snapshot.Return]("returns"),
		People:        rows[snapshot.Person]("people"),
		ServiceAreas:  rows[snapshot.ServiceArea]("service_areas"),
		BoardLinks:    rows[snapshot.BoardLink]("board_links"),
		Families:      rows[snapshot.OrgFamily]("families"),
		Assets:        rows[snapshot.AssetProfile]("assets"),
		Holdings:      rows[snapshot.FoundationHolding]("holdings"),
		Applications:  rows[snapshot.Application]("applications"),
		Accounts:      rows[snapshot.GrantAccount]("accounts"),
		Awards:        rows[snapshot.GovAward]("awards"),
		Coverage:      read[snapshot.AwardCoverage]("award_coverage"),
	})
	must(err)
	return x
}

// Lists are lists of an invented day: all loaded but one, and one behind upstream.
func Lists() *lists.Current {
	return &lists.Current{
		Edition: &lists.Edition{Snapshot: &snapshot.Snapshot{Manifest: Manifest()}, Lists: read[[]lists.Status]("list_statuses")},
		Checks:  read[[]lists.Check]("list_checks"),
	}
}

// Screener screens against the invented rows. Nothing changes it, so there is one.
var Screener = sync.OnceValue(func() *screen.Screener { return screen.New(Lists(), read[*screen.Rows]("list_rows")) })

// Directory lists the organizations of the lists, and how each stands with them.
func Directory() (*directory.Index, *screen.Standing) { return listed().x, listed().standing }

type listedOrgs struct {
	x        *directory.Index
	standing *screen.Standing
}

// listed makes the directory once: nothing changes it, and it holds no file open.
var listed = sync.OnceValue(func() listedOrgs {
	kinds := read[[]snapshot.FunderKind]("funder_kinds")[:2] // the third has no entry in the master file
	x, err := directory.Of(read[[]snapshot.Organization]("listed_organizations"), read[[]snapshot.Org]("listed_filings"), kinds)
	must(err)
	standing, err := screen.NewStanding(x.EINs(), Screener())
	must(err)
	return listedOrgs{x, standing}
})

// Changes are the differences from the build before: a new and an amended return.
func Changes() *change.Index {
	x, err := change.New(read[[]change.Invented]("changes"))
	must(err)
	return x
}

func ListLog() *change.Log {
	l, err := change.NewLog(read[[]change.InventedEdition]("list_changes"))
	must(err)
	return l
}

// Ring has the key of the examples, which is no secret: what it signed proves nothing.
func Ring() *keyring.Ring { return ringOf('1') }

// ringOf is a ring with one key, which is the same every time.
func ringOf(seed byte) *keyring.Ring {
	return keyring.Fixed(keyring.NewKey(bytes.Repeat([]byte{seed}, 32), day))
}

// Samples are two reports for verification, one of them of a foreign ring.
func Samples(base string) (s screening.Samples, err error) {
	record := Screener().Screen(screen.Query{EIN: 1}, Now())
	for ring, to := range map[*keyring.Ring]*string{Ring(): &s.Report, ringOf('2'): &s.Foreign} {
		r, err := report.Issue(context.Background(), ring, report.ContentOf(record), report.VerifyPage(base), Now())
		if err != nil {
			return s, err
		}
		b, err := json.Marshal(r)
		if err != nil {
			return s, err
		}
		*to = string(b)
	}
	return s, nil
}
