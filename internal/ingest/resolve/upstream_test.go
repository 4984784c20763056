package resolve

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/place"
)

// realLine is one labelled line.
type realLine struct {
	Recipient
	funder, truth ein.EIN
}

func realLines(t *testing.T, dir string) []realLine {
	raw, err := os.ReadFile(filepath.Join(dir, "matching", "schedule_i_labelled_DERIVED.csv.gz"))
	if err != nil {
		t.Skipf("no labelled lines: %v", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var lines []realLine
	for _, f := range rows[1:] {
		funder, _ := ein.Filed(f[0])
		if truth, ok := ein.Filed(f[9]); ok && truth != funder {
			lines = append(lines, realLine{Recipient{Name1: f[2], Name2: f[3], Street: f[4], City: f[5], State: f[6], ZIP: f[7]}, funder, truth})
		}
	}
	return lines
}

// realUniverse is the master file of the states in the sample and what the
// given funders filed.
func realUniverse(t *testing.T, dir string, lines []realLine, filed func(funder ein.EIN) bool) *Universe {
	start := time.Now()
	b := NewUniverse()
	names, err := filepath.Glob(filepath.Join(dir, "bmf", "2026-04", "*.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = bmf.Read(f, func(r *bmf.Record) error {
			zip, _ := place.ZIP5(r.ZIP, r.State)
			b.Add(Org{EIN: r.EIN, Name: r.Name, Street: r.Street, City: r.City, State: r.State, ZIP5: zip,
				Affiliation: r.Affiliation, Group: r.Group, Revenue: r.Revenue.Value, SortName: r.SortName, Sources: BMF, Active: true})
			return nil
		})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range lines {
		if l := &lines[i]; filed(l.funder) {
			zip, _ := place.ZIP5(l.ZIP, l.State)
			b.AddFiled(FiledRecipient{l.truth, parse(&l.Recipient).KX, l.Name1 + " " + l.Name2, Location{l.Street, l.City, l.State, zip}}, l.funder)
		}
	}
	u := b.Build()
	t.Logf("%d organizations read and indexed in %v", u.Len(), time.Since(start).Round(time.Millisecond))
	return u
}

// TestRulesOnRealLines hides the EINs that filers stated and asks the rules for
// them, the lines of half of the funders with what the other half filed. The
// filed EIN is a label with errors in it. Where it is in no register at hand,
// no rule can find it, only another of the same name; and where its registered
// name has nothing of the line's, the label itself is suspect (a parent's EIN,
// a slip). Both are counted apart.
func TestRulesOnRealLines(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	lines := realLines(t, dir)
	type tally struct{ fired, agree, outside, suspect, wrong int }
	var by [grant.Model + 1]tally
	var slips, conflicts, known int
	for half := range ein.EIN(2) {
		u := realUniverse(t, dir, lines, func(funder ein.EIN) bool { return funder%2 != half })
		r := New(u, Options{})
		for i := range lines {
			l := lines[i]
			if l.funder%2 != half {
				continue
			}
			n := parse(&l.Recipient)
			m := r.Resolve(&l.Recipient, n)
			l.Filed = l.truth
			if r.Resolve(&l.Recipient, n).Rule == OverrideKeyError {
				slips++
			}
			_, in := u.Lookup(l.truth)
			conflict := r.FiledNameConflict(&l.Recipient, n)
			if in {
				known++
			}
			if conflict {
				conflicts++
			}
			b := &by[m.Rule]
			b.fired++
			switch {
			case m.EIN == l.truth:
				b.agree++
			case !in:
				b.outside++
			case conflict || ein.OneSlip(m.EIN, l.truth):
				b.suspect++
			default:
				b.wrong++
			}
		}
	}
	t.Logf("%d lines with an EIN, %d of them known to the universe", len(lines), known)
	for _, rule := range grant.Rules() {
		b := by[rule]
		if b.fired == 0 {
			continue
		}
		low, high := wilson(b.agree, b.fired)
		t.Logf("%-17s fired %4d, agree %4d = %.3f (Wilson 95%%: %.3f to %.3f); filed EIN in no register at hand %d, suspect label %d, wrong %d; constant %.3f",
			rule, b.fired, b.agree, float64(b.agree)/float64(b.fired), low, high, b.outside, b.suspect, b.wrong, rule.Prob())
		if fair := b.fired - b.outside - b.suspect; fair >= 5 {
			if _, high := wilson(b.agree, fair); high < rule.Prob() {
				t.Errorf("%s: %d of %d fair lines agree, which is below its constant %.3f beyond chance", rule, b.agree, fair, rule.Prob())
			}
		}
	}
	if b := by[Name]; b.fired == 0 || float64(b.agree)/float64(b.fired) < Name.Prob() {
		t.Errorf("the name rule agrees on %d of %d lines", b.agree, b.fired)
	}
	t.Logf("EINs read as a slip of the keys: %d; filed for a name that has nothing of theirs: %d of %d known", slips, conflicts, known)
}

// wilson is the 95 % confidence interval of a proportion.
func wilson(k, n int) (low, high float64) {
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	mid := p + z*z/(2*m)
	dev := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return (mid - dev) / (1 + z*z/m), (mid + dev) / (1 + z*z/m)
}
