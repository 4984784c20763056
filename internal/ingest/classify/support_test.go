package classify

import (
	_ "embed"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"grantgraph/internal/grant"
)

// labelled holds purposes in the manner of real ones, each with the strategies
// a reader would give it. Some are there because the patterns miss them.
//
//go:embed testdata/purposes.tsv
var labelled string

type example struct {
	want    grant.Support
	purpose string
}

func examples(t testing.TB) []example {
	var all []example
	for line := range strings.Lines(labelled) {
		ids, purpose, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("no tab in %q", line)
		}
		e := example{purpose: purpose}
		for id := range strings.SplitSeq(ids, ",") {
			if id == "" {
				continue
			}
			s, ok := grant.ParseSupport(id)
			if !ok {
				t.Fatalf("unknown strategy %q", id)
			}
			e.want |= s
		}
		all = append(all, e)
	}
	return all
}

func TestSupportQuality(t *testing.T) {
	t.Parallel()
	all := examples(t)
	if len(all) < 400 {
		t.Fatalf("only %d examples", len(all))
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-18s %5s %5s %5s %9s %7s\n", "strategy", "right", "wrong", "lost", "precision", "recall")
	for _, s := range grant.Supports() {
		var right, wrong, missed int
		for _, e := range all {
			got := SupportOf(e.purpose)
			switch {
			case got&s != 0 && e.want&s != 0:
				right++
			case got&s != 0:
				wrong++
				t.Logf("%s given to %q", s.IDs()[0], e.purpose)
			case e.want&s != 0:
				missed++
				t.Logf("%s not given to %q", s.IDs()[0], e.purpose)
			}
		}
		precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
		fmt.Fprintf(&table, "%-18s %5d %5d %5d %9.3f %7.3f\n", s.IDs()[0], right, wrong, missed, precision, recall)
		gate := 0.8
		if s == grant.Program || s == grant.Research {
			gate = 0.65
		}
		if precision < gate || recall < 0.85 {
			t.Errorf("%s: precision %.3f (at least %.2f), recall %.3f (at least 0.85)", s.IDs()[0], precision, gate, recall)
		}
	}
	t.Log("\n" + table.String())
}

// Case, punctuation and surrounding space say nothing.
func TestSupportIgnoresForm(t *testing.T) {
	t.Parallel()
	for _, e := range examples(t) {
		want := SupportOf(e.purpose)
		for _, form := range []string{strings.ToLower(e.purpose), strings.ToUpper(e.purpose), " " + e.purpose + ". ", "\"" + e.purpose + "\"",
			strings.ReplaceAll(e.purpose, " ", "  ")} {
			if got := SupportOf(form); got != want {
				t.Errorf("%q gives %v, %q gives %v", e.purpose, want.IDs(), form, got.IDs())
			}
		}
	}
}

func TestSupportLongText(t *testing.T) {
	t.Parallel()
	if got := SupportOf(strings.Repeat("word ", 63) + "scholarship"); got != grant.Scholarship {
		t.Errorf("the 64th word is not read: %v", got.IDs())
	}
	if got := SupportOf(strings.Repeat("scholarship ", 10000)); got != grant.Scholarship {
		t.Errorf("got %v", got.IDs())
	}
	if got := SupportOf(strings.Repeat("x", 1<<20)); got != 0 {
		t.Errorf("got %v", got.IDs())
	}
}

func FuzzSupportOf(f *testing.F) {
	for _, e := range examples(f) {
		f.Add(e.purpose)
	}
	f.Fuzz(func(t *testing.T, purpose string) {
		got := SupportOf(purpose)
		if bits.Len16(uint16(got)) > grant.Strategies {
			t.Errorf("bit out of range: %b", got)
		}
		if again := SupportOf(purpose); again != got {
			t.Errorf("not a function: %b, %b", got, again)
		}
	})
}

func BenchmarkSupportOf(b *testing.B) {
	all := examples(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		SupportOf(all[i%len(all)].purpose)
	}
}
