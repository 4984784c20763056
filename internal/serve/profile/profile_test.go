package profile_test

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

func table[T any](rows ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// text is an EIN as tables have it.
func text(n int) string { return ein.EIN(n).String() }

// few are the tables of four organizations.
func few() *profile.Tables {
	dollars := func(n int64) *int64 { return &n }
	return &profile.Tables{
		Organizations: table(
			snapshot.Organization{EIN: text(710000001), Name: "ALDER FUND", State: "OH", County: "39049", NTEE: "T20", Sources: snapshot.SourceBMF},
			snapshot.Organization{EIN: text(710000002), Name: "BIRCH PANTRY", AlsoKnown: []string{"BIRCH"}, State: "OH", County: "39049", NTEE: "K31", Revenue: dollars(100_000)},
			snapshot.Organization{EIN: text(710000003), Name: "CEDAR PANTRY", State: "OH", County: "39049", NTEE: "K31", Revenue: dollars(50_000)},
			snapshot.Organization{EIN: text(710000004), Name: "DOGWOOD CHURCH"},
		),
		Orgs:        table(snapshot.Org{EIN: text(710000001), Filing: "f2", ReturnType: "990PF", Mission: "TREES"}),
		FunderKinds: table(snapshot.FunderKind{FunderEIN: text(710000001), Kind: "private_foundation"}),
		Causes:      table(snapshot.InferredCause{EIN: text(710000002), Letter: "A", Confidence: 0.99}, snapshot.InferredCause{EIN: text(710000004), Letter: "X", Confidence: 0.97}),
		Financials:  table(snapshot.Financial{EIN: text(710000001), PeriodEnd: "2021-12-31", TotalRevenue: dollars(5)}, snapshot.Financial{EIN: text(710000001), PeriodEnd: "2022-12-31", TotalRevenue: dollars(-7)}),
		Returns: table( // in no order
			snapshot.Return{EIN: text(710000002), Fate: "chosen", PeriodEnd: "2020-06-30", Form: "990EZ"},
			snapshot.Return{EIN: text(710000001), Fate: "chosen", PeriodEnd: "2021-12-31", Form: "990PF"},
			snapshot.Return{EIN: text(710000001), Fate: "superseded", PeriodEnd: "2022-12-31", Form: "990PF"},
			snapshot.Return{EIN: text(710000001), Fate: "chosen", PeriodEnd: "2022-12-31", Form: "990PF", Amended: true},
			snapshot.Return{EIN: text(719999999), Fate: "chosen", PeriodEnd: "2022-12-31"}, // of nobody
		),
		People:     table(snapshot.Person{EIN: text(710000001), Filing: "f2", Name: "NOW"}, snapshot.Person{EIN: text(710000001), Filing: "f1", Name: "THEN"}),
		BoardLinks: table(snapshot.BoardLink{E1: text(710000001), E2: text(710000002), SharedPeople: 1}, snapshot.BoardLink{E1: text(710000001), E2: text(710000003), SharedPeople: 3, Conf: 0.9}),
		Families:   table(snapshot.OrgFamily{EIN: text(710000001), FamilyID: "x", FamilySize: 2}),
		Assets:     table(snapshot.AssetProfile{EIN: text(710000001), TotalAssetsFMV: dollars(9)}),
		Holdings:   table(snapshot.FoundationHolding{EIN: text(710000001), CanonicalName: "BONDS", FMV: 9}),
		Awards: table(
			snapshot.GovAward{EIN: text(710000002), Level: profile.Federal, Agency: "A", Program: "P", AwardID: "1", FiscalYear: 2022, Amount: 10.25, ActionDate: "2022-03-01", Basis: "uei", Confidence: 0.99},
			snapshot.GovAward{EIN: text(710000002), Level: profile.Federal, Agency: "A", Program: "Q", AwardID: "2", FiscalYear: 2021, Amount: -3, ActionDate: "no date", Basis: "duns", Confidence: 0.9},
			snapshot.GovAward{EIN: text(710000002), Level: profile.State, State: "OH", Agency: "A", FiscalYear: 2021, Amount: 4, Basis: "name", Confidence: 0.8},
			snapshot.GovAward{EIN: text(719999999), Level: profile.State, State: "CA", FiscalYear: 2021, Amount: 4}, // of nobody
		),
		Coverage: snapshot.AwardCoverage{FederalThrough: "2022-03-01", StatesRead: []string{"CA", "OH"}},
	}
}

func open(t *testing.T, tables *profile.Tables) *profile.Index {
	t.Helper()
	x, err := profile.New(tables)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestRead(t *testing.T) {
	t.Parallel()
	x := open(t, few())
	p, known := x.Read(710000001, true)
	if !known || p.Number != 0 || p.Name != "ALDER FUND" || p.Mission != "TREES" || p.FunderKind != "private_foundation" || p.Kind != "foundation" {
		t.Fatalf("%+v", p)
	}
	if len(p.Financials) != 2 || p.Latest == nil || *p.Latest.TotalRevenue != -7 || p.Financials[0].EIN != "" {
		t.Errorf("figures %+v", p.Financials)
	}
	if len(p.Filings) != 2 || p.Filings[0].PeriodEnd != "2022-12-31" || !p.Filings[0].Amended {
		t.Errorf("filings %+v", p.Filings)
	}
	if len(p.People) != 1 || p.People[0].Name != "NOW" {
		t.Errorf("people %+v", p.People)
	}
	if len(p.BoardLinks) != 2 || p.BoardLinks[0].Other != 710000003 || p.BoardLinks[0].OtherName != "CEDAR PANTRY" || p.BoardLinks[0].SharedPeople != 3 {
		t.Errorf("board links %+v", p.BoardLinks)
	}
	if p.Family == nil || p.Assets == nil || *p.Assets.TotalAssetsFMV != 9 || len(p.Holdings) != 1 || p.Awarded.Awards != 0 {
		t.Errorf("%+v", p)
	}
	p, _ = x.Read(710000002, true)
	if p.InferredCause != "" || len(p.AlsoKnown) != 1 || len(p.BoardLinks) != 1 || p.BoardLinks[0].Other != 710000001 {
		t.Errorf("%+v", p)
	}
	if want := (profile.Awarded{Federal: 7.25, State: 4, Awards: 3, FirstYear: 2021, LastYear: 2022}); p.Awarded != want {
		t.Errorf("awarded %+v", p.Awarded)
	}
	if p, _ := x.Read(710000004, true); p.InferredCause != "X" || p.Latest != nil || p.Filings != nil {
		t.Errorf("%+v", p)
	}
	if p, _ := x.Read(710000001, false); p.Latest == nil || p.Financials != nil || p.People != nil {
		t.Errorf("the first parts are %+v", p)
	}
	if _, known := x.Read(710000005, true); known || x.Known(1) || !x.Known(710000004) {
		t.Error("somebody is known who is not there")
	}
	if x.Cause(710000002) != 'K' || x.Cause(710000004) != 0 || x.Cause(5) != 0 {
		t.Error("causes")
	}
}

// TestMany keeps the first of those parts that are bounded, and counts them all.
func TestMany(t *testing.T) {
	t.Parallel()
	tables := few()
	var areas []snapshot.ServiceArea
	var holdings []snapshot.FoundationHolding
	var people []snapshot.Person
	for i := range 1200 {
		areas = append(areas, snapshot.ServiceArea{EIN: text(710000001), Name: strconv.Itoa(i)})
		holdings = append(holdings, snapshot.FoundationHolding{EIN: text(710000001), CanonicalName: strconv.Itoa(i)})
		people = append(people, snapshot.Person{EIN: text(710000001), Filing: "f2", Name: strconv.Itoa(i)})
	}
	tables.ServiceAreas, tables.Holdings, tables.People = table(areas...), table(holdings...), table(people...)
	p, _ := open(t, tables).Read(710000001, true)
	if len(p.ServiceAreas) != profile.MaxAreas || len(p.Holdings) != profile.MaxHoldings || len(p.People) != profile.MaxPeople || p.People[7].Name != "7" ||
		p.InAll != (profile.Totals{ServiceAreas: 1200, People: 1200, BoardLinks: 2, Holdings: 1200}) {
		t.Errorf("%d areas, %d holdings, %d people of %+v", len(p.ServiceAreas), len(p.Holdings), len(p.People), p.InAll)
	}
}

func TestFunding(t *testing.T) {
	t.Parallel()
	x := open(t, few())
	f, known := x.Funding(710000002, 0, 2)
	if !known || len(f.Awards) != 2 || *f.Awards[0].AwardID != "1" || *f.Awards[0].ActionDate != "2022-03-01" || f.Awards[1].ActionDate != nil || f.Awards[1].Amount != -3 {
		t.Fatalf("%+v", f)
	}
	if len(f.ByYear) != 2 || f.ByYear[0].FiscalYear != 2021 || *f.ByYear[0].FederalAmount != -3 || *f.ByYear[0].StateAmount != 4 || f.ByYear[0].AwardCount != 2 {
		t.Errorf("by year %+v", f.ByYear)
	}
	if f.AgencyCount != 2 || f.ByAgency[0].Level != profile.Federal || f.ByAgency[0].TotalAmount != 7 || *f.ByAgency[1].State != "OH" {
		t.Errorf("by agency %+v", f.ByAgency)
	}
	if f.ProgramCount != 3 || *f.ByProgram[0].Program != "P" {
		t.Errorf("by program %+v", f.ByProgram)
	}
	if *f.Coverage.FederalThrough != "2022-03-01" || !slices.Equal(f.Coverage.StatesRead, []string{"CA", "OH"}) {
		t.Errorf("coverage %+v", f.Coverage)
	}
	if f, _ := x.Funding(710000002, 2, 2); len(f.Awards) != 1 || *f.Awards[0].State != "OH" {
		t.Errorf("the second page is %+v", f.Awards)
	}
	for _, offset := range []int{3, 1 << 40, -1} {
		if f, _ := x.Funding(710000002, offset, 0); len(f.Awards) != 0 {
			t.Errorf("a page at %d is %+v", offset, f.Awards)
		}
	}
	if _, known := x.Funding(5, 0, 1); known {
		t.Error("somebody is known who is not there")
	}
}

// near finds everybody.
type near []search.Near

func (n near) NearestTo(uint32, int) []search.Near { return n }

func TestSimilar(t *testing.T) {
	t.Parallel()
	x := open(t, few())
	r, known := x.Similar(710000002, profile.Signals{})
	if !known || r.Meaning || len(r.List) != 1 || r.List[0].EIN != 710000003 || r.List[0].Cause != "K31" || r.List[0].Place != profile.SameCounty || r.List[0].SizeRatio != 0.5 {
		t.Fatalf("by cause, place and size: %+v", r)
	}
	r, _ = x.Similar(710000002, profile.Signals{
		Funders: []profile.Shared{{EIN: 710000001, Count: 4, Weight: 1}, {EIN: 710000002, Weight: 1}, {EIN: 1, Weight: 1}},
		Meaning: near{{Org: 3, Cosine: 0.8}, {Org: 1, Cosine: 1}, {Org: 99, Cosine: 1}},
	})
	if !r.Meaning || r.Total != 3 || r.List[0].EIN != 710000001 || r.List[0].SharedFunders != 4 || r.List[2].Meaning < 0.79 || r.List[2].EIN != 710000004 {
		t.Errorf("by all: %+v", r)
	}
	for _, s := range r.List {
		if s.Score <= 0 || s.Score > 1 || s.Name == "" {
			t.Errorf("%+v", s)
		}
	}
	if r, _ := x.Similar(710000004, profile.Signals{}); len(r.List) != 0 {
		t.Errorf("nothing is known of it, and it resembles %+v", r.List)
	}
	if _, known := x.Similar(5, profile.Signals{}); known {
		t.Error("somebody is known who is not there")
	}
}

// TestDamage spoils an index in every way, in memory and on the disk.
func TestDamage(t *testing.T) {
	t.Parallel()
	mappedtest.Damage(t, profile.FileKind, few().Bytes(t), func(data []byte) error {
		_, err := profile.OpenBytes(data)
		return err
	})
	s := world.Small.Publish(t, t.TempDir())
	mappedtest.Files(t, profile.FileKind, filepath.Join(s.Dir, filepath.FromSlash(profile.FileName)), func() error {
		x, err := profile.Open(s)
		if err != nil {
			return err
		}
		return errors.Join(x.Close(), x.Close())
	})
}

// TestForged changes numbers beside the packed rows and makes the checksums
// right: what does not fit is refused as damage.
func TestForged(t *testing.T) {
	t.Parallel()
	sound := few().Bytes(t)
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 4000 {
		data := mappedtest.Rewrite(t, profile.FileKind, sound, func(name string, body []byte) ([]byte, bool) {
			if len(body) > 0 && r.IntN(12) == 0 && !strings.HasSuffix(name, ".rows") {
				body[r.IntN(len(body))] ^= byte(1 + r.IntN(255))
			}
			return body, true
		})
		if _, err := profile.OpenBytes(data); err != nil {
			if f, ok := fault.Of(err); !ok || f.Slug != profile.Damaged {
				t.Fatalf("%v is not said to be damage", err)
			}
			refused++
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// TestForgedAwards does the same to awards, which are not packed: one that is not
// refused can be told.
func TestForgedAwards(t *testing.T) {
	t.Parallel()
	sound := few().Bytes(t)
	for at, size := 0, 1; at < size; at++ {
		data := mappedtest.Rewrite(t, profile.FileKind, sound, func(name string, body []byte) ([]byte, bool) {
			if name == "awards.rows" {
				size = len(body)
				clear(body[at:min(at+3, size)])
			}
			return body, true
		})
		if x, err := profile.OpenBytes(data); err == nil {
			x.Funding(710000002, 0, 100)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, spoil := range map[string]func(*profile.Tables){
		"organizations out of order": func(t *profile.Tables) {
			t.Organizations = table(snapshot.Organization{EIN: text(710000002), Name: "B"}, snapshot.Organization{EIN: text(710000001), Name: "A"})
		},
		"an organization twice": func(t *profile.Tables) {
			t.Organizations = table(snapshot.Organization{EIN: text(710000002), Name: "B"}, snapshot.Organization{EIN: text(710000002), Name: "A"})
		},
		"no name": func(t *profile.Tables) { t.Organizations = table(snapshot.Organization{EIN: text(710000002)}) },
		"no EIN":  func(t *profile.Tables) { t.Organizations = table(snapshot.Organization{EIN: "x", Name: "A"}) },
		"figures in no order": func(t *profile.Tables) {
			t.Financials = table(snapshot.Financial{EIN: text(710000002)}, snapshot.Financial{EIN: text(710000001)})
		},
		"awards in no order": func(t *profile.Tables) {
			t.Awards = table(snapshot.GovAward{EIN: text(710000002)}, snapshot.GovAward{EIN: text(710000001)})
		},
		"a table that breaks off": func(t *profile.Tables) {
			t.People = func(yield func(snapshot.Person, error) bool) { yield(snapshot.Person{}, broken) }
		},
		"another that does": func(t *profile.Tables) {
			t.Orgs = func(yield func(snapshot.Org, error) bool) { yield(snapshot.Org{}, broken) }
		},
	} {
		tables := few()
		spoil(tables)
		if _, err := profile.New(tables); err == nil {
			t.Errorf("%s: it is written", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := few().WriteTo(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a build that was called off: %v", err)
	}
}

// TestWorld holds the parts of every profile of a built world against the tables,
// and says how large the index is.
func TestWorld(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	x, err := profile.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	n := uint32(0)
	holdings := map[string][]snapshot.FoundationHolding{}
	for h, err := range snapshot.Rows[snapshot.FoundationHolding](s, snapshot.FoundationHoldings) {
		if err != nil {
			t.Fatal(err)
		}
		e := h.EIN
		h.EIN = ""
		holdings[e] = append(holdings[e], h)
	}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			t.Fatal(err)
		}
		e, _ := ein.Parse(o.EIN)
		p, known := x.Read(e, true)
		if !known || p.Number != n || p.Name != o.Name || p.City != o.City || !slices.Equal(p.AlsoKnown, o.AlsoKnown) || !slices.Equal(p.Former, o.Former) || p.Ruling != o.Ruling {
			t.Fatalf("organization %d is %+v, want %+v", n, p, o)
		}
		if want := holdings[o.EIN]; !reflect.DeepEqual(p.Holdings, want[:min(len(want), profile.MaxHoldings)]) && len(want) > 0 {
			t.Errorf("%s holds %+v, want %+v", e, p.Holdings, want)
		}
		n++
	}
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Fatal(err)
	}
	if _, known := x.Read(1, true); known || x.Known(1) {
		t.Error("a closed index knows somebody")
	}
	st, err := os.Stat(filepath.Join(s.Dir, filepath.FromSlash(profile.FileName)))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d organizations, %d bytes each", n, st.Size()/int64(n))
}
