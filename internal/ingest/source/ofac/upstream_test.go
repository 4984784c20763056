package ofac

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/rows"
)

// realSet names the files of a list, and how many rows of each join and how
// many belong to no entry. The files of 2019 end without a line break, so they
// hold a row more than they have lines.
type realSet struct {
	primary, aliases, addresses, comments string
	rows                                  [4]int64
	orphans                               [4]int64
	unrelated                             int64 // comments on remarks that were not cut
	entities, weak                        int   // entries of no type, aliases in remarks; 0 to leave them uncounted
}

var realSets = map[string]realSet{
	"2019": {primary: "set_2019/sdn.csv.gz", aliases: "set_2019/alt.csv.gz", addresses: "set_2019/add.csv.gz", comments: "set_2019/sdn_comments.csv",
		rows: [4]int64{7379, 9682, 11696, 3}, orphans: [4]int64{0, 0, 0, 10}, entities: 2994, weak: 2037},
	"consolidated": {primary: "consolidated/cons_prim.csv", aliases: "consolidated/cons_alt.csv", addresses: "consolidated/cons_add.csv", comments: "consolidated/cons_comments.csv",
		rows: [4]int64{442, 1073, 574, 10}, entities: 363, weak: 72},
	// The recent files lack their primary; the newest primary is some months
	// older, so names of parties listed since belong to nobody.
	"2024": {primary: "snapshots/sdn_2024-05-02.csv.gz", aliases: "set_recent_a/alt.csv.gz", addresses: "set_recent_a/add.csv.gz", comments: "set_recent_a/sdn_comments.csv",
		rows: [4]int64{14973, 18018, 20167, 18}, orphans: [4]int64{0, 1468, 2474, 2}, unrelated: 1, entities: 6885, weak: 3695},
	"2024-05-01": {primary: "snapshots/sdn_2024-05-01.csv.gz", rows: [4]int64{14966}},
	"2023":       {primary: "snapshots/sdn_2023-03-01.csv.gz", rows: [4]int64{11853}},
	"2022":       {primary: "snapshots/sdn_2022-03-01.csv.gz", rows: [4]int64{9226}},
	"2021":       {primary: "snapshots/sdn_2021-08-18.csv.gz", rows: [4]int64{9083}},
}

func TestRealLists(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(upstream.Dir(t), "ofac")
	open := func(t *testing.T, name string) io.Reader {
		if name == "" {
			return nil
		}
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Skipf("no such file: %v", err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for name, want := range realSets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := Read(Files{open(t, want.primary), open(t, want.aliases), open(t, want.addresses), open(t, want.comments)})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range []rows.Tally{list.Tally, list.Aliases, list.Addresses, list.Comments} {
				exp := rows.Tally{Rows: want.rows[i]}
				if n := want.orphans[i]; n > 0 {
					exp.Rejected = append(exp.Rejected, rows.Rejection{Reason: ReasonOrphan, Count: n})
				}
				if i == 3 && want.unrelated > 0 {
					exp.Rejected = append(exp.Rejected, rows.Rejection{Reason: ReasonUnrelated, Count: want.unrelated})
				}
				if got.Rows != exp.Rows || !slices.Equal(got.Rejected, exp.Rejected) {
					t.Errorf("file %d: %+v, want %+v", i, got, exp)
				}
			}
			entities, weak, cut := 0, 0, 0
			for _, e := range list.Entries {
				switch e.Type {
				case "":
					entities++
				case "individual", "vessel", "aircraft":
				default:
					t.Errorf("entry %d is of type %q", e.Num, e.Type)
				}
				if len(e.Programs) == 0 || strings.ContainsAny(strings.Join(e.Programs, ""), "[]") {
					t.Errorf("entry %d has programs %q", e.Num, e.Programs)
				}
				if e.Remarks != "" && !strings.HasSuffix(e.Remarks, ".") {
					cut++
				}
				for _, a := range e.Aliases {
					switch a.Type {
					case Weak:
						weak++
					case "aka", "fka", "nka":
					default:
						t.Errorf("entry %d has an alias of type %q", e.Num, a.Type)
					}
					if a.Name == "" || strings.Contains(a.Name, ".k.a.") {
						t.Errorf("entry %d has the alias %q", e.Num, a.Name)
					}
				}
			}
			if want.entities > 0 && (entities != want.entities || weak != want.weak) {
				t.Errorf("%d entities and %d weak aliases, want %d and %d", entities, weak, want.entities, want.weak)
			}
			if want.comments != "" && cut > 0 {
				t.Errorf("%d remarks are still cut", cut)
			}
		})
	}
}

// An empty download happened when the office moved its files. It must not pass
// for a list without names.
func TestRealEmptyFetch(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join(upstream.Dir(t), "ofac", "snapshots", "sdn_2024-05-04_EMPTY_FETCH.csv"))
	if err != nil {
		t.Skipf("no such file: %v", err)
	}
	defer f.Close()
	if list, err := Read(Files{Primary: f}); list != nil || !errors.Is(err, ErrFormat) || !errors.Is(err, rows.ErrEmpty) {
		t.Errorf("an empty fetch gives %v, %v", list, err)
	}
}

func BenchmarkReal(b *testing.B) {
	path := filepath.Join(upstream.Dir(b), "ofac", "snapshots", "sdn_2024-05-02.csv.gz")
	var n int64
	for b.Loop() {
		r, err := rows.Open(path)
		if err != nil {
			b.Skip(err)
		}
		list, err := Read(Files{Primary: r})
		r.Close()
		if err != nil {
			b.Fatal(err)
		}
		n += list.Tally.Rows
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
