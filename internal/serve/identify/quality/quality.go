// Package quality measures how often package identify is right: on names that people judged, and on names that filers wrote
// beside an EIN. The lines of one part of the funders are asked about while the engine learns from the others.
package quality

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/calibration"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/snapshot"
)

// Case is a text and the organizations that it may rightly be taken for.
type Case struct {
	Text, State string
	EINs        []ein.EIN
	Kind        string // short, full, typo, none or ambiguous; filed or removed for names on lines
	org         uint32 // the organization that is removed
}

// Kinds of cases whose first answer should be right.
func named(kind string) bool {
	return kind == "short" || kind == "full" || kind == "typo" || kind == "filed"
}

// ReadJudged reads a CSV file of text, state, EINs separated by semicolons, and kind.
func ReadJudged(r io.Reader) (cases []Case, err error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil || len(rows) == 0 || len(rows[0]) < 4 {
		return nil, fault.New("bad_names", "the file of names is no CSV file with the columns text, state, ein and kind").Try("see docs/search.md")
	}
	for _, row := range rows[1:] {
		c := Case{Text: row[0], State: row[1], Kind: row[3]}
		for _, e := range strings.Split(row[2], ";") {
			if n := ein.Stored(e); n != ein.None {
				c.EINs = append(c.EINs, n)
			}
		}
		cases = append(cases, c)
	}
	return cases, nil
}

type Figures struct {
	Kind    string  `json:"kind"`
	Cases   int     `json:"cases"`
	First   int     `json:"first"`   // the first candidate is right
	Certain int     `json:"certain"` // verdicts
	Likely  int     `json:"likely"`
	Several int     `json:"several"`
	Nobody  int     `json:"nobody"`
	Right   int     `json:"right"` // of those certain or likely
	Bad     int     `json:"bad"`   // certain or likely, and wrong
	Sure    float64 `json:"sure"`  // the share that is certain or likely
	Firsts  float64 `json:"firsts"`
}

type Result struct {
	Kinds []Figures        `json:"kinds"`
	Error float64          `json:"calibration_error"`
	Bins  calibration.Bins `json:"-"`
	Wrong []string         `json:"-"`
}

func Measure(e *identify.Engine, cases []Case) *Result {
	res := &Result{}
	for i := range cases {
		c := &cases[i]
		without := uint32(math.MaxUint32)
		if c.Kind == "removed" {
			without = c.org
		}
		res.add(c, e.Without(identify.Question{Text: c.Text, State: c.State}, without))
	}
	for i := range res.Kinds {
		f := &res.Kinds[i]
		f.Sure, f.Firsts = float64(f.Certain+f.Likely)/float64(f.Cases), float64(f.First)/float64(f.Cases)
	}
	slices.SortFunc(res.Kinds, func(a, b Figures) int { return cmp.Compare(a.Kind, b.Kind) })
	res.Error = res.Bins.ExpectedError()
	return res
}

func (res *Result) add(c *Case, a identify.Answer) {
	i := slices.IndexFunc(res.Kinds, func(f Figures) bool { return f.Kind == c.Kind })
	if i < 0 {
		i = len(res.Kinds)
		res.Kinds = append(res.Kinds, Figures{Kind: c.Kind})
	}
	f := &res.Kinds[i]
	f.Cases++
	right := len(a.Candidates) > 0 && slices.Contains(c.EINs, a.Candidates[0].EIN)
	if right {
		f.First++
	}
	sure := a.Verdict >= identify.Likely
	*[]*int{&f.Nobody, &f.Several, &f.Likely, &f.Certain}[a.Verdict]++
	switch {
	case sure && right:
		f.Right++
	case sure:
		f.Bad++
	}
	if len(a.Candidates) > 0 && c.Kind != "ambiguous" {
		res.Bins.Add(a.Candidates[0].Probability, 1, right)
	}
	if named(c.Kind) && (!right || !sure) || !named(c.Kind) && sure {
		line := fmt.Sprintf("%-9s %q %s: %s", c.Kind, c.Text, c.State, a.Verdict)
		for _, k := range a.Candidates[:min(len(a.Candidates), 3)] {
			mark := ""
			if slices.Contains(c.EINs, k.EIN) {
				mark = "*"
			}
			line += fmt.Sprintf(" | %s%s %.3f %s (%s)", mark, k.EIN, k.Probability, k.Name, k.Why)
		}
		res.Wrong = append(res.Wrong, line)
	}
}

const parts = 5

// partOf assigns a funder to a part by its EIN, which is unrelated to the data.
func partOf(funder ein.EIN) int { return int(funder) * 2654435761 >> 7 % parts }

type line struct {
	FunderEIN    string `parquet:"funder_ein"`
	RecipientEIN string `parquet:"recipient_ein"`
	RecipientRaw string `parquet:"recipient_raw"`
	State        string `parquet:"recipient_state"`
	EINSource    string `parquet:"ein_source"`
	EINConflict  string `parquet:"ein_conflict"`
}

// Filed measures with the names on the lines of one part of the funders, after learning from the others: each as it is, and
// with its organization removed, when nobody should be found. placed is for names with their state.
func Filed(ctx context.Context, s *snapshot.Snapshot, most int) (plain, placed *Result, err error) {
	e, cases, err := heldOut(ctx, s, most)
	if err != nil {
		return nil, nil, err
	}
	placed = Measure(e, cases)
	for i := range cases {
		cases[i].State = ""
	}
	return Measure(e, cases), placed, nil
}

// heldOut learns from all but one part of the funders, whose lines become cases.
func heldOut(ctx context.Context, s *snapshot.Snapshot, most int) (*identify.Engine, []Case, error) {
	const part = 0
	e, err := identify.Learn(ctx, s, func(funder ein.EIN) bool { return partOf(funder) == part })
	if err != nil {
		return nil, nil, err
	}
	var cases []Case
	seen := map[string]bool{}
	for l, err := range snapshot.Rows[line](s, snapshot.Grants) {
		if err != nil {
			return nil, nil, err
		}
		if l.EINSource != grant.Filed.String() || l.EINConflict != "" || partOf(ein.Stored(l.FunderEIN)) != part {
			continue
		}
		org, ok := e.Position(ein.Stored(l.RecipientEIN))
		key := l.RecipientEIN + orgname.Key(l.RecipientRaw)
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		cases = append(cases, Case{Text: l.RecipientRaw, State: l.State, EINs: []ein.EIN{ein.Stored(l.RecipientEIN)}, Kind: "filed", org: org})
	}
	// A stride takes cases of all funders.
	step := max(1, len(cases)/max(1, most))
	var chosen []Case
	for i := 0; i < len(cases); i += step {
		c := cases[i]
		chosen = append(chosen, c)
		c.Kind, c.EINs = "removed", nil
		chosen = append(chosen, c)
	}
	return e, chosen, nil
}

const (
	leastFirst     = 0.92 // of names that mean somebody, first answers that are right
	leastSure      = 0.85 // of these, certain or likely
	mostNone       = 0.02 // of names that mean nobody, certain or likely
	mostRemoved    = 0.06 // the same for organizations that were removed, which often have a twin
	mostAmbiguous  = 0.05 // of ambiguous names, certain
	leastPrecision = 0.95 // of names on lines that are certain or likely, right
)

func (res *Result) Judge() error {
	var known Figures
	var errs []error
	gate := func(what string, value, bound float64, kept bool) {
		if !kept {
			errs = append(errs, fault.New("gate_failed", "%s: %.3f, not within %.3f", what, value, bound).Try("do not publish; look at the wrong answers"))
		}
	}
	for _, f := range res.Kinds {
		sure := f.Certain + f.Likely
		switch f.Kind {
		case "short", "full", "typo":
			known.Cases, known.First, known.Certain = known.Cases+f.Cases, known.First+f.First, known.Certain+sure
		case "filed":
			p := float64(f.Right) / float64(max(1, sure))
			gate("names on lines that are certain or likely, right", p, leastPrecision, p >= leastPrecision)
		case "none":
			gate("names of nobody that are certain or likely", f.Sure, mostNone, f.Sure <= mostNone)
		case "removed":
			gate("names of removed organizations that are certain or likely", f.Sure, mostRemoved, f.Sure <= mostRemoved)
		case "ambiguous":
			p := float64(f.Certain) / float64(f.Cases)
			gate("ambiguous names that are certain", p, mostAmbiguous, p <= mostAmbiguous)
		}
	}
	if known.Cases > 0 {
		first, sure := float64(known.First)/float64(known.Cases), float64(known.Certain)/float64(known.Cases)
		gate("first answers that are right", first, leastFirst, first >= leastFirst)
		gate("names that are certain or likely", sure, leastSure, sure >= leastSure)
	}
	return errors.Join(errs...)
}

//go:embed tables.md
var tablesText string

var tables = scorecard.Template("names", tablesText)

// Judged are the wrong answers for judged names.
func (res *Result) Judged() []string {
	return slices.DeleteFunc(slices.Clone(res.Wrong), func(line string) bool {
		return strings.HasPrefix(line, "filed") || strings.HasPrefix(line, "removed")
	})
}

// Print writes a table and every wrong answer for a judged name, or a line of JSON.
func (res *Result) Print(w io.Writer, title string, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(res)
	}
	return tables.Execute(w, struct {
		*Result
		Title string
	}{res, title})
}
