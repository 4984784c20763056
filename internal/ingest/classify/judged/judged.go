// Package judged holds real purposes of grants that were read and judged one
// by one, and measures the support strategies against them.
//
// The purposes were drawn from real filings by chance, for each strategy those
// that the patterns of the day took for it, so that the share judged right is
// the precision of those patterns. They were drawn twice: after the first time
// the patterns were improved, and the second draw is of texts that nobody had
// looked at. Names of people and organizations in them were left out or made
// general. The patterns have been improved again since; how they do on all of
// these texts now is an upper bound.
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
	Judged int     `json:"judged"` // purposes that were drawn
	Yes    int     `json:"of_it"`  // of them, those that are of the strategy
	Drawn  [2]Draw `json:"draws"`
	Said   int     `json:"said"` // purposes that are taken for it now
	Right  int     `json:"right"`
	Now    float64 `json:"precision"` // share of right ones of those
	Kept   float64 `json:"kept"`      // share of those of it that are still taken for it
}

// Draw is what was found when purposes were drawn.
type Draw struct {
	Judged    int     `json:"judged"`
	Yes       int     `json:"of_it"`
	Precision float64 `json:"precision"` // of the patterns of that day
}

// Result is the whole measurement.
type Result struct {
	Strategies []Strategy `json:"support"`
	Judged     int        `json:"judged"`
	Drawn      [2]Draw    `json:"draws"`
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
		if len(f) != 4 {
			return nil, fmt.Errorf("a judged purpose has %d fields: %q", len(f), line)
		}
		i, ok := at[f[0]]
		if !ok || f[1] != "1" && f[1] != "2" || f[2] != "yes" && f[2] != "no" {
			return nil, fmt.Errorf("a purpose is judged wrongly: %q", line)
		}
		s := &res.Strategies[i]
		of, said := f[2] == "yes", classify.SupportOf(f[3])&all[i] != 0
		draw := &s.Drawn[f[1][0]-'1']
		s.Judged++
		draw.Judged++
		if of {
			s.Yes++
			draw.Yes++
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
		for d := range s.Drawn {
			sum.Drawn[d].Judged += s.Drawn[d].Judged
			sum.Drawn[d].Yes += s.Drawn[d].Yes
		}
		res.Passed = res.Passed && s.Now >= leastPrecision && s.Kept >= leastKept
	}
	sum.finish()
	res.Judged, res.Drawn, res.Precision, res.Kept = sum.Judged, sum.Drawn, sum.Now, sum.Kept
	return res, nil
}

func (s *Strategy) finish() {
	s.Now, s.Kept = share(s.Right, s.Said), share(s.Right, s.Yes)
	for d := range s.Drawn {
		s.Drawn[d].Precision = share(s.Drawn[d].Yes, s.Drawn[d].Judged)
	}
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
	b.WriteString("| Strategy | first draw | precision then | second draw | precision then | said now | precision now | kept |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, s := range r.Strategies {
		fmt.Fprintf(&b, "| `%s` | %d | %.3f | %d | %.3f | %d | %.3f | %.3f |\n", s.Name,
			s.Drawn[0].Judged, s.Drawn[0].Precision, s.Drawn[1].Judged, s.Drawn[1].Precision, s.Said, s.Now, s.Kept)
	}
	fmt.Fprintf(&b, "| all | %d | %.3f | %d | %.3f | | %.3f | %.3f |\n\n", r.Drawn[0].Judged, r.Drawn[0].Precision, r.Drawn[1].Judged, r.Drawn[1].Precision, r.Precision, r.Kept)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes it as one line.
func (r *Result) WriteJSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }
