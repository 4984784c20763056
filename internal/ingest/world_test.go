package ingest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/snapshot"
)

// Invented is the world that all tests share and only read: the directory of its
// files and what it knows about itself. The external test package sets it, for
// package world imports this one.
var Invented func(testing.TB) (sources string, report *synth.Report)

// Folder is a path that is removed when the tests are over, of what they make once and share. The external test package sets it.
var Folder func(tb testing.TB, name string) string

var built struct {
	once   sync.Once
	data   string
	result *Result
	err    error
}

// builtWorld is the invented world as one worker builds it, and the directory that it was built in. Tests only read it.
func builtWorld(t *testing.T) (result *Result, data string) {
	t.Helper()
	sources, _ := Invented(t)
	built.once.Do(func() {
		built.data = Folder(t, "built")
		built.result, built.err = Run(context.Background(), Options{Sources: sources, Data: built.data, Workers: 1})
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.result, built.data
}

// copyBuilt is a copy of the directory that the world was built in.
func copyBuilt(t *testing.T) string {
	t.Helper()
	_, from := builtWorld(t)
	data := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(data, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return data
}

// truth is what the world knows about one grant line.
type truth struct {
	ObjectID string   `json:"object_id"`
	Part     string   `json:"part"`
	Line     int32    `json:"line"`
	EIN      string   `json:"true_ein"`
	Class    string   `json:"class"`
	Noise    []string `json:"noise"`
}

func (t *truth) key() string { return fmt.Sprint(t.ObjectID, "/", t.Part, "/", t.Line) }

func readTruth(t *testing.T, sources string) map[string]*truth {
	t.Helper()
	f, err := os.Open(filepath.Join(sources, "truth.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]*truth{}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := new(truth)
		if err := json.Unmarshal(s.Bytes(), line); err != nil {
			t.Fatal(err)
		}
		all[line.key()] = line
	}
	return all
}

// TestBuildOfAnInventedWorld builds a whole world and finds what the world says
// must be there: every row and dollar by year, every bad file set aside, and
// recipients that are right as often as their rules promise.
func TestBuildOfAnInventedWorld(t *testing.T) {
	t.Parallel()
	sources, world := Invented(t)
	result, _ := builtWorld(t)
	checkInvariants(t, result)
	if !result.Snapshot.Manifest.Invented {
		t.Error("the manifest does not say that the world is invented")
	}
	c, r := result.Snapshot.Manifest.Counts, result.Report
	want := world.Expected
	// Bytes that are not UTF-8 are replaced, not refused.
	mangled := world.Bad["not_utf8"]
	want.Returns += mangled
	if c.Grants != want.Rows || c.TotalAmount != want.Dollars || c.Returns != want.Returns || r.Returns.Superseded != want.Superseded {
		t.Errorf("%d grants, %d dollars, %d returns, %d superseded; the world has %+v", c.Grants, c.TotalAmount, c.Returns, r.Returns.Superseded, want)
	}
	if r.Returns.Duplicate != world.Duplicates {
		t.Errorf("%d duplicates, the world has %d", r.Returns.Duplicate, world.Duplicates)
	}
	byYear := map[int]YearCount{}
	for _, y := range r.Years {
		byYear[y.FiscalYear] = y
	}
	for _, y := range want.ByYear {
		if got := byYear[y.FiscalYear]; got.Grants != y.Rows || got.TotalAmount != y.Dollars {
			t.Errorf("year %d: %+v, the world has %+v", y.FiscalYear, got, y)
		}
	}
	bad := -mangled
	for _, n := range world.Bad {
		bad += n
	}
	if r.Returns.Quarantined != bad {
		t.Errorf("%d returns set aside, the world has %d unreadable: %v", r.Returns.Quarantined, bad, r.QuarantineReasons)
	}

	checkAwards(t, world, result)
	for _, u := range r.UK.Tables {
		if u.Rows == 0 || len(u.Rejected) > 0 || len(u.Blanked) > 0 {
			t.Errorf("%s: %+v", u.Name, u)
		}
	}

	// Only the rules that fire often enough here for a share to mean anything.
	least := map[string]float64{"filed": .975, "name": .985}
	all := readTruth(t, sources)
	agree, fired := map[string]int{}, map[string]int{}
	var linkable, linked, unknown int
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		line := all[fmt.Sprint(g.ObjectID, "/", g.Part, "/", g.Line)]
		if line == nil {
			unknown++
			continue
		}
		switch line.Class {
		case "individual", "placeholder":
			if g.RecipientEIN != "" {
				t.Errorf("%s %q is linked to %s", line.Class, g.RecipientRaw, g.RecipientEIN)
			}
			if !g.IsUnidentified {
				fired["missed "+line.Class]++
			}
		case "org":
			linkable++
			if g.RecipientEIN != "" {
				linked++
			}
			if g.IsUnidentified {
				fired["organization taken for nobody"]++
			}
		}
		if g.RecipientEIN != "" {
			fired[g.EINSource]++
			if g.RecipientEIN == line.EIN {
				agree[g.EINSource]++
			}
		}
	}
	if unknown > 0 {
		t.Errorf("%d rows are in no truth", unknown)
	}
	for rule, bound := range least {
		if share := float64(agree[rule]) / float64(fired[rule]); share < bound {
			t.Errorf("%s is right in %d of %d rows, %.3f; at least %.3f is promised", rule, agree[rule], fired[rule], share, bound)
		}
	}
	if share := float64(linked) / float64(linkable); share < .85 {
		t.Errorf("%.3f of the rows to organizations are linked", share)
	}
	t.Logf("right of fired by rule: %v of %v; %d of %d rows to organizations linked", agree, fired, linked, linkable)
}

// checkAwards holds what was placed against what the world knows it paid.
func checkAwards(t *testing.T, world *synth.Report, result *Result) {
	t.Helper()
	f := result.Report.Awards.Federal
	if got := f.Grants.Placed.Rows + f.Contracts.Placed.Rows; got != world.Lists["federal_rows_by_uei"] {
		t.Errorf("%d federal rows placed, the world has %d by UEI", got, world.Lists["federal_rows_by_uei"])
	}
	if f.Read != world.Lists["federal_rows"] {
		t.Errorf("%d federal rows read, the world has %d", f.Read, world.Lists["federal_rows"])
	}
	var placed int64
	for _, s := range result.Report.Awards.States {
		placed += s.Stated.Rows + s.Named.Rows
	}
	// A payee whose name two organizations share stays unplaced.
	if most := world.Lists["state_rows"]; placed > most || placed < most*3/4 {
		t.Errorf("%d state payments placed, the world has %d", placed, most)
	}
	var cents float64
	for _, a := range rowsOf[snapshot.FederalAward](t, result.Snapshot, snapshot.FederalAwards) {
		cents += a.Amount
	}
	// Award by award and summed, it is the same money.
	sums, awards := map[string]float64{}, map[string]float64{}
	for _, a := range rowsOf[snapshot.FederalAward](t, result.Snapshot, snapshot.FederalAwards) {
		sums[fmt.Sprint(a.EIN, "federal", a.FiscalYear, a.Kind, "/", a.AwardingAgency, "/", a.Program)] += a.Amount
	}
	for _, a := range rowsOf[snapshot.StateAward](t, result.Snapshot, snapshot.StateAwards) {
		sums[fmt.Sprint(a.EIN, "state", a.State, a.FiscalYear, a.Category, "/", a.Agency, "/", a.Program)] += a.Amount
	}
	for _, a := range rowsOf[snapshot.GovAward](t, result.Snapshot, snapshot.GovAwards) {
		awards[fmt.Sprint(a.EIN, a.Level, a.State, a.FiscalYear, a.Kind, "/", a.Agency, "/", a.Program)] += a.Amount
		if a.Level == "federal" && (a.AwardID == "" || a.ActionDate == "" || a.Basis != "uei" && a.Basis != "duns") {
			t.Fatalf("%+v", a)
		}
	}
	for k, want := range sums {
		if math.Abs(awards[k]-want) > .005 {
			t.Errorf("%s: %.2f in awards, %.2f summed", k, awards[k], want)
		}
	}
	if len(awards) != len(sums) {
		t.Errorf("awards in %d groups, sums in %d", len(awards), len(sums))
	}
	if c, err := result.Snapshot.Manifest.AwardCoverage(); err != nil || c.FederalThrough != f.Through || f.Through == "" || len(c.StatesRead) != len(result.Report.Awards.States) {
		t.Errorf("coverage %+v, %v; the report says %q", c, err, f.Through)
	}
	if want := f.Grants.Placed.Amount + f.Contracts.Placed.Amount; math.Abs(cents-want) > 0.5 {
		t.Errorf("the table sums to %.2f, the report to %.2f", cents, want)
	}
}

// TestBuildsOfAWorldAgree builds the world that one worker built on four, with
// other shards, and on three over what is staged.
func TestBuildsOfAWorldAgree(t *testing.T) {
	t.Parallel()
	sources, _ := Invented(t)
	first, _ := builtWorld(t)
	want := stampless(t, first)
	for _, opt := range []Options{
		{Sources: sources, Data: copyBuilt(t), Workers: 3},
		{Sources: sources, Data: t.TempDir(), Workers: 4, shardBytes: 1 << 20},
	} {
		if got := stampless(t, run(t, opt)); got != want {
			t.Errorf("%+v gives another snapshot", opt)
		}
	}
}
