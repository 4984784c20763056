package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
)

// version is a return in shorthand for the tables below.
func version(name string, form form, amended bool, stamp int64, lines int32, declared int64) filing {
	f := filing{ein: 70000001, periodEnd: 20211231, form: form, amended: amended, stamp: stamp, lines: lines, declared: declared}
	f.object = uint64(stamp)
	copy(f.sum[:], name)
	return f
}

func TestChoose(t *testing.T) {
	t.Parallel()
	duplicateOf := func(f filing, shard int32) filing { f.shard = shard; return f }
	original := version("original", form990PF, false, 100, 5, 50)
	for _, tc := range []struct {
		name  string
		in    []filing
		want  string // the chosen names
		lines string // where the lines come from
		fates string // of all, in order of name
	}{
		{"one", []filing{original}, "original", "original", "chosen"},
		{"amended replaces", []filing{original, version("amended", form990PF, true, 200, 4, 40)}, "amended", "amended", "chosen superseded"},
		{"an amendment stamped earlier still replaces", []filing{original, version("amended", form990PF, true, 50, 4, 40)}, "amended", "amended", "chosen superseded"},
		{"latest amendment", []filing{version("amended1", form990PF, true, 200, 4, 40), version("amended2", form990PF, true, 300, 3, 30), original},
			"amended2", "amended2", "superseded chosen superseded"},
		{"two originals: the later", []filing{original, version("later", form990PF, false, 150, 5, 50)}, "later", "later", "chosen superseded"},
		{"same file twice", []filing{original, duplicateOf(original, 1)}, "original", "original", "chosen duplicate"},
		{"amendment without its list", []filing{original, version("amended", form990PF, true, 200, 0, 50)}, "amended", "original", "chosen superseded"},
		{"amendment that withdraws the grants", []filing{original, version("amended", form990PF, true, 200, 0, 0)}, "amended", "amended", "chosen superseded"},
		{"form changed", []filing{original, version("public", form990, false, 150, 0, 0)}, "public", "public", "superseded chosen"},
		{"form changed back", []filing{original, version("public", form990, false, 50, 0, 0)}, "original", "original", "chosen superseded"},
		{"990-T stands apart", []filing{original, version("tax", form990T, false, 300, 0, -1)}, "original tax", "original tax", "chosen chosen"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 1))
			for range 20 {
				in := slices.Clone(tc.in)
				r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
				got := choose(in)
				var names, lines, fates []string
				byName := slices.Clone(got)
				slices.SortFunc(byName, func(a, b filing) int { return strings.Compare(name(&a)+a.fate.String(), name(&b)+b.fate.String()) })
				for i := range byName {
					fates = append(fates, byName[i].fate.String())
					if byName[i].fate == chosen {
						names = append(names, name(&byName[i]))
						lines = append(lines, name(&got[byName[i].linesOf]))
					}
				}
				if s := strings.Join(names, " "); s != tc.want {
					t.Fatalf("chose %q, want %q", s, tc.want)
				}
				if s := strings.Join(lines, " "); s != tc.lines {
					t.Fatalf("lines of %q, want %q", s, tc.lines)
				}
				if s := strings.Join(fates, " "); s != tc.fates {
					t.Fatalf("fates %q, want %q", s, tc.fates)
				}
			}
		})
	}
}

func name(f *filing) string { return strings.TrimRight(string(f.sum[:]), "\x00") }

// TestChooseOnePerPeriod holds for any set of returns: each filer, family and
// period has exactly one chosen return, and choosing does not depend on the
// order in which returns are met.
func TestChooseOnePerPeriod(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var in []filing
		for i := range r.IntN(40) {
			f := version(fmt.Sprint("f", r.IntN(30)), form(1+r.IntN(4)), r.IntN(3) == 0, int64(r.IntN(10)), int32(r.IntN(3)), int64(r.IntN(3)-1))
			f.ein += ein.EIN(r.IntN(3))
			f.periodEnd += int32(r.IntN(2))
			f.object = uint64(r.IntN(12))
			f.seq = int32(i)
			in = append(in, f)
		}
		shuffled := slices.Clone(in)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		a, b := choose(in), choose(shuffled)
		if !slices.Equal(a, b) {
			t.Fatalf("the choice depends on the order:\n%v\n%v", a, b)
		}
		type period struct {
			ein, end, family int64
		}
		n := map[period]int{}
		for i := range a {
			f := &a[i]
			p := period{int64(f.ein), int64(f.periodEnd), int64(f.family())}
			if f.fate == chosen {
				n[p]++
			} else {
				n[p] += 0
			}
			if l := &a[f.linesOf]; l.ein != f.ein || l.periodEnd != f.periodEnd {
				t.Fatal("lines of another period")
			}
		}
		for p, k := range n {
			if k != 1 {
				t.Fatalf("%d chosen for %v", k, p)
			}
		}
	}
}
