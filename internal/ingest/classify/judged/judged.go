// Package judged holds real purposes of grants that a person has read and
// judged, and measures the support strategies against them.
//
// The purposes were drawn from real filings by chance, for each strategy those
// that the patterns of the day took for it, so that the share judged right is
// the precision of those patterns. Names of people and organizations in them
// were left out or made general. The patterns have been improved since with
// these texts in view; how they do on them now is an upper bound.
package judged

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
)

//go:embed support.tsv
var support string

// Strategy is how well one strategy is read.
type Strategy struct {
	Name   string  `json:"strategy"`
	Judged int     `json:"judged"`          // purposes that were drawn
	Yes    int     `json:"of_it"`           // of them, those that are of the strategy
	Drawn  float64 `json:"precision_drawn"` // share of these: the precision when they were drawn
	Said   int     `json:"said"`            // purposes that are taken for it now
	Right  int     `json:"right"`
	Now    float64 `json:"precision"` // share of right ones of those
	Kept   float64 `json:"kept"`      // share of those of it that are still taken for it
}

// Result is the whole measurement.
type Result struct {
	Strategies []Strategy `json:"support"`
	Judged     int        `json:"judged"`
	Drawn      float64    `json:"precision_drawn"`
	Precision  float64    `json:"precision"`
	Kept       float64    `json:"kept"`
	Passed     bool       `json:"passed"`
}

// The gates: of each strategy, and of all together.
const (
	leastPrecision = .9
	leastKept      = .95
)

// Support measures the strategies.
func Support() (*Result, error) {
	all := grant.Supports()
	res := &Result{Strategies: make([]Strategy, len(all)), Passed: true}
	at := make(map[string]int)
	for i, s := range all {
		res.Strategies[i].Name = s.IDs()[0]
		at[s.IDs()[0]] = i
	}
	for line := range strings.Lines(support) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("a judged purpose has %d fields: %q", len(f), line)
		}
		i, ok := at[f[0]]
		if !ok || f[1] != "yes" && f[1] != "no" {
			return nil, fmt.Errorf("a purpose is judged wrongly: %q", line)
		}
		s := &res.Strategies[i]
		of, said := f[1] == "yes", classify.SupportOf(f[2])&all[i] != 0
		s.Judged++
		if of {
			s.Yes++
		}
		if said {
			s.Said++
		}
		if of && said {
			s.Right++
		}
	}
	var sum Strategy
	for i := range res.Strategies {
		s := &res.Strategies[i]
		s.finish()
		sum.Judged, sum.Yes, sum.Said, sum.Right = sum.Judged+s.Judged, sum.Yes+s.Yes, sum.Said+s.Said, sum.Right+s.Right
		res.Passed = res.Passed && s.Now >= leastPrecision && s.Kept >= leastKept
	}
	sum.finish()
	res.Judged, res.Drawn, res.Precision, res.Kept = sum.Judged, sum.Drawn, sum.Now, sum.Kept
	return res, nil
}

func (s *Strategy) finish() {
	s.Drawn, s.Now, s.Kept = share(s.Yes, s.Judged), share(s.Right, s.Said), share(s.Right, s.Yes)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part*1000/whole) / 1000
}

// WriteTable writes the measurement as a table of Markdown.
func (r *Result) WriteTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| Strategy | judged | of it | precision when drawn | said now | precision now | kept |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, s := range r.Strategies {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %.3f | %d | %.3f | %.3f |\n", s.Name, s.Judged, s.Yes, s.Drawn, s.Said, s.Now, s.Kept)
	}
	fmt.Fprintf(&b, "| all | %d | | %.3f | | %.3f | %.3f |\n\n", r.Judged, r.Drawn, r.Precision, r.Kept)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes it as one line.
func (r *Result) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }
