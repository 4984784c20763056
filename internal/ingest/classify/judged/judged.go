// Package judged holds real grant purposes and real investments that a person judged one by one. It measures the
// support strategies and the asset classes against these judgments.
//
// The purposes are a random sample of real filings: for each strategy, purposes that the patterns of the day assigned
// to it, so that the share judged right is the precision of those patterns. There were two draws. The patterns were
// improved after the first, and the second consists of texts that nobody had seen. Names of people and organizations
// were removed or generalized. The patterns have been improved again since, so today's result on all texts is an
// upper bound. Investments were drawn in the same way for each class. Issuers and funds keep their names, because the
// names determine the class. Addresses and the names of people whom foundations help were removed.
package judged

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/derive/holding"
	"grantgraph/internal/scorecard"
)

//go:embed support.tsv
var support string

//go:embed holdings.tsv
var holdings string

type Kind struct {
	Name   string  `json:"name"`
	Judged int     `json:"judged"` // texts that were drawn
	Yes    int     `json:"of_it"`  // of them, judged to be of this kind
	Drawn  [2]Draw `json:"draws"`
	Said   int     `json:"said"` // texts assigned to this kind now
	Right  int     `json:"right"`
	Now    float64 `json:"precision"` // share of those that are right
	Kept   float64 `json:"kept"`      // share of texts of this kind that are still assigned to it
}

type Draw struct {
	Judged    int     `json:"judged"`
	Yes       int     `json:"of_it"`
	Precision float64 `json:"precision"` // precision of the patterns of that day
}

type Result struct {
	Of        string  `json:"of"`
	Kinds     []Kind  `json:"kinds"`
	Judged    int     `json:"judged"`
	Drawn     [2]Draw `json:"draws"`
	Precision float64 `json:"precision"`
	Kept      float64 `json:"kept"`
	Passed    bool    `json:"passed"`
}

// Gates for each kind with at least fewest judged texts.
const (
	leastPrecision = .9
	leastKept      = .95
	fewest         = 20
)

func Support() (*Result, error) {
	all := grant.Supports()
	names := each.Of(all, func(s grant.Support) string { return s.IDs()[0] })
	return measure("Strategy", names, support, func(f []string) (text, bool) {
		if len(f) != 4 || f[2] != "yes" && f[2] != "no" {
			return text{}, false
		}
		i := slices.Index(names, f[0])
		return text{kind: f[0], draw: f[1], of: f[2] == "yes", said: i >= 0 && classify.SupportOf(f[3])&all[i] != 0}, true
	})
}

func Holdings() (*Result, error) {
	names := holding.Classes()
	return measure("Class", names, holdings, func(f []string) (text, bool) {
		if len(f) != 5 || f[3] != "unknown" && !slices.Contains(names, f[3]) {
			return text{}, false
		}
		return text{kind: f[2], draw: f[0], of: f[3] == f[2], said: holding.ClassOf(f[1], f[4]) == f[2]}, true
	})
}

// text is one judged text: the kind and draw, whether it is of that kind, and whether it is assigned to that kind now.
type text struct {
	kind, draw string
	of, said   bool
}

func measure(of string, names []string, file string, read func(fields []string) (text, bool)) (*Result, error) {
	res := &Result{Of: of, Kinds: make([]Kind, len(names)), Passed: true}
	for i, name := range names {
		res.Kinds[i].Name = name
	}
	for line := range strings.Lines(file) {
		x, ok := read(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		i := slices.Index(names, x.kind)
		if !ok || i < 0 || x.draw != "1" && x.draw != "2" {
			return nil, fmt.Errorf("a text is judged wrongly: %q", line)
		}
		k := &res.Kinds[i]
		draw := &k.Drawn[x.draw[0]-'1']
		k.Judged++
		draw.Judged++
		if x.of {
			k.Yes++
			draw.Yes++
		}
		if x.said {
			k.Said++
		}
		if x.of && x.said {
			k.Right++
		}
	}
	var sum Kind
	for i := range res.Kinds {
		k := &res.Kinds[i]
		k.finish()
		sum.Judged, sum.Yes, sum.Said, sum.Right = sum.Judged+k.Judged, sum.Yes+k.Yes, sum.Said+k.Said, sum.Right+k.Right
		for d := range k.Drawn {
			sum.Drawn[d].Judged += k.Drawn[d].Judged
			sum.Drawn[d].Yes += k.Drawn[d].Yes
		}
		res.Passed = res.Passed && (k.Judged < fewest || k.Now >= leastPrecision && k.Kept >= leastKept)
	}
	sum.finish()
	res.Judged, res.Drawn, res.Precision, res.Kept = sum.Judged, sum.Drawn, sum.Now, sum.Kept
	return res, nil
}

func (s *Kind) finish() {
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

//go:embed tables.md
var tablesText string

var tables = scorecard.Template("judged", tablesText)

func (r *Result) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables, r, r, onlyJSON)
}
