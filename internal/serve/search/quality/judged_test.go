package quality

import (
	_ "embed"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

//go:embed testdata/organizations.tsv
var organizations string

//go:embed testdata/judged.tsv
var judgedText string

// invented opens an index of invented organizations that make the same trouble as real
// ones.
func invented(t *testing.T) *search.Index {
	t.Helper()
	w, err := snapshot.Create(t.TempDir(), time.Date(2026, time.January, 2, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	var orgs []snapshot.Organization
	var filings []snapshot.Org
	var funders []snapshot.FunderKind
	for _, r := range table.Read("organizations.tsv", organizations, "ein", "name", "state", "dollars", "mission") {
		dollars := int64(r.Int("dollars"))
		orgs = append(orgs, snapshot.Organization{EIN: r.Text("ein"), Name: r.Text("name"), City: "THORNTON", State: r.Text("state"), Sources: snapshot.SourceBMF, Active: true, Revenue: &dollars})
		filings = append(filings, snapshot.Org{EIN: r.Text("ein"), Name: r.Text("name"), ReturnType: "990", Mission: r.Text("mission"), TotalRevenue: &dollars})
		if dollars > 100_000_000 {
			funders = append(funders, snapshot.FunderKind{FunderEIN: r.Text("ein"), TotalOut: dollars, Grantees: 5_000})
		}
	}
	if err := errors.Join(
		snapshot.WriteTable(w, snapshot.Organizations, slices.Values(orgs)),
		snapshot.WriteTable(w, snapshot.Orgs, slices.Values(filings)),
		snapshot.WriteTable(w, snapshot.FunderKinds, slices.Values(funders)),
		snapshot.WriteTable(w, snapshot.Grants, slices.Values([]snapshot.Grant{})),
		search.Build(len(orgs))(t.Context(), w), identify.Build(t.Context(), w),
	); err != nil {
		t.Fatal(err)
	}
	s, err := w.Publish(snapshot.Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := search.Open(s)
	if err != nil || x.Bad() != nil {
		t.Fatal(err, x.Bad())
	}
	t.Cleanup(func() { x.Close() })
	if name, _ := x.Encoder(); name == "student" {
		t.Skip("the encoder of questions needs the AVX2 instructions of a 64-bit x86 processor: run the test on one that has them")
	}
	return x
}

// TestCompare asks judged questions: where the words are there, where they are not,
// where a family has many chapters, and where an organization is well known.
func TestCompare(t *testing.T) {
	t.Parallel()
	questions, err := ReadJudged(strings.NewReader(judgedText))
	if err != nil {
		t.Fatal(err)
	}
	unjudged := 0
	c, err := Compare(t.Context(), invented(t), questions, func(string, *search.Result) { unjudged++ })
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := c.Print(&b, false); err != nil {
		t.Fatal(err)
	}
	if failed := c.Failed(); len(failed) > 0 || c.Prominent == 0 || c.Missed > 0 || unjudged == 0 || c.Right.Hybrid < max(c.Right.Text, c.Right.Semantic) {
		t.Errorf("%s\n%s", failed, b.String())
	}
	worse := Compared{Questions: []Asked{{Text: "q", Right: Rights{Text: 5, Hybrid: 3}}}, Prominent: 2, Missed: 1}
	if failed := worse.Failed(); len(failed) != 2 {
		t.Errorf("a question that is two behind and a missed organization: %q", failed)
	}
	for _, bad := range []string{"", "q\t070000001\tperhaps\n", "q\tx\tright\n", "\t070000001\tright\n", "q\n"} {
		if _, err := ReadJudged(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestChapters asks for what a family does: one chapter, the most prominent, is on the
// first page, the others follow, and no page lacks or repeats an organization.
func TestChapters(t *testing.T) {
	t.Parallel()
	x := invented(t)
	chapters := func(list []search.Result) (names []string) {
		for _, r := range list {
			if strings.HasPrefix(r.Name, "LARK AND WREN CLUBS") {
				names = append(names, r.Name)
			}
		}
		return names
	}
	ask := search.Ask{Text: "a safe place for children when school is out", Mode: search.Hybrid, Limit: 100}
	all, err := x.Search(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	if got := chapters(all.Results[:10]); len(got) != 1 || got[0] != "LARK AND WREN CLUBS OF KENTUCKY" || len(chapters(all.Results)) != 6 {
		t.Errorf("first page %q, all %q", got, chapters(all.Results))
	}
	set, err := x.Matching(t.Context(), ask)
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	if err != nil || n != all.Hits || n != len(all.Results) {
		t.Errorf("%d match, %d hits, %d results, %v", n, all.Hits, len(all.Results), err)
	}
	seen := map[uint32]bool{}
	for i, r := range all.Results {
		if seen[r.Org] || i > 0 && r.Score > all.Results[i-1].Score {
			t.Errorf("place %d: %s, score %.3f", i+1, r.Name, r.Score)
		}
		seen[r.Org] = true
		if r.Match != search.Weak || r.Matched != search.ByText {
			t.Errorf("%s does not have that name: %s by %s", r.Name, r.Match, r.Matched)
		}
	}
	for limit := 1; limit < len(all.Results); limit++ {
		ask.Limit = limit
		some, err := x.Search(t.Context(), ask)
		same := func(a, b search.Result) bool { return a.EIN == b.EIN && a.Score == b.Score }
		if err != nil || some.Hits != all.Hits || !slices.EqualFunc(some.Results, all.Results[:limit], same) {
			t.Fatalf("the first %d of %d differ, %v", limit, some.Hits, err)
		}
	}
	// Who asks for the family wants its chapters.
	named, err := x.Search(t.Context(), search.Ask{Text: "lark and wren clubs", Mode: search.Hybrid, Limit: 10})
	if err != nil || len(chapters(named.Results)) != 6 || named.Results[0].Matched != search.ByName {
		t.Errorf("by name: %q, %v", chapters(named.Results), err)
	}
}
