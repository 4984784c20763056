// Package quality measures how well search finds organizations: by meaning, on questions with judged answers, and by name, on
// organizations known to be in the index. It indexes the documents of a set as a build does and asks as a caller would.
package quality

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/orgname"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/stem"
)

type Document struct {
	EIN      string   `json:"ein"`
	Name     string   `json:"name"`
	City     string   `json:"city"`
	State    string   `json:"state"`
	Form     string   `json:"form"`
	NTEE     string   `json:"ntee"`
	Mission  []string `json:"mission"`
	Programs []string `json:"program"`
	Cause    string   `json:"cause"`
	Purposes []string `json:"purposes"` // of the grants that it gives
}

// Query is a question with its answers: those of grade 2 fully, those of grade 1 in part.
type Query struct {
	ID     string         `json:"id"`
	Text   string         `json:"query"`
	Judged map[string]int `json:"judged"`
}

const maxLine = 4 << 20

// ReadDocuments reads a file of documents, one per line, into EIN order without duplicates.
func ReadDocuments(r io.Reader) ([]Document, error) {
	var list []Document
	for d, err := range lines[Document](r) {
		if err != nil {
			return nil, err
		}
		e, err := ein.Parse(d.EIN)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(list)+1, err)
		}
		if strings.TrimSpace(d.Name) == "" {
			return nil, fmt.Errorf("document %d has no name", len(list)+1)
		}
		d.EIN = e.String()
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b Document) int { return cmp.Compare(a.EIN, b.EIN) })
	return slices.CompactFunc(list, func(a, b Document) bool { return a.EIN == b.EIN }), nil
}

// ReadQueries reads a file of questions, one per line.
func ReadQueries(r io.Reader) ([]Query, error) {
	var list []Query
	for q, err := range lines[Query](r) {
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(q.Text) == "" {
			return nil, fmt.Errorf("question %d is empty", len(list)+1)
		}
		judged := make(map[string]int, len(q.Judged))
		for key, grade := range q.Judged {
			e, err := ein.Parse(key)
			if err != nil || grade < 0 || grade > 10 {
				return nil, fmt.Errorf("question %d: %.20q is judged %d", len(list)+1, key, grade)
			}
			judged[e.String()] = grade
		}
		q.Judged = judged
		list = append(list, q)
	}
	return list, nil
}

func lines[T any](r io.Reader) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(nil, maxLine)
		n := 0
		for in.Scan() {
			n++
			var v T
			if len(strings.TrimSpace(in.Text())) == 0 {
				continue
			}
			err := json.Unmarshal(in.Bytes(), &v)
			if err != nil {
				err = fmt.Errorf("line %d: %w", n, err)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
		if err := in.Err(); err != nil {
			var zero T
			yield(zero, fmt.Errorf("line %d: %w", n+1, err))
		}
	}
}

// Index makes a snapshot of the documents in a directory, indexes it as a build does
// and opens the index. The slow encoder reads all texts.
func Index(ctx context.Context, dir string, docs []Document) (*search.Index, error) {
	s, err := snapshot.Make(dir, time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), func(w *snapshot.Writer) error {
		return errors.Join(
			snapshot.WriteTable(w, snapshot.Organizations, snapshot.Each(docs, func(d Document) snapshot.Organization {
				return snapshot.Organization{EIN: d.EIN, Name: d.Name, City: d.City, State: d.State, NTEE: d.NTEE, Sources: snapshot.SourceFiler, Active: true}
			})),
			snapshot.WriteTable(w, snapshot.Orgs, snapshot.Each(docs, func(d Document) snapshot.Org {
				o := snapshot.Org{EIN: d.EIN, Name: d.Name, City: d.City, State: d.State, ReturnType: d.Form, Programs: d.Programs}
				if len(d.Mission) > 0 {
					o.Mission, o.Activity = d.Mission[0], strings.Join(d.Mission[1:], ". ")
				}
				return o
			})),
			snapshot.WriteTable(w, snapshot.Purposes, snapshot.Each(docs, func(d Document) snapshot.OrgPurposes {
				return snapshot.OrgPurposes{EIN: d.EIN, Given: d.Purposes[:min(len(d.Purposes), snapshot.MaxPurposes)]}
			})),
			search.Build(len(docs))(ctx, w), identify.Build(ctx, w))
	})
	if err != nil {
		return nil, err
	}
	x, err := search.Open(s)
	if err != nil {
		return nil, err
	}
	if err := x.Bad(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

type Figures struct {
	NDCG10   float64 `json:"ndcg10"`
	Recall20 float64 `json:"recall20"`
}

// Known is the mean reciprocal rank of organizations in hybrid mode, asked by name.
type Known struct {
	Asked int     `json:"asked"`
	Whole float64 `json:"mrr_whole"`     // by the whole name
	Two   float64 `json:"mrr_two_words"` // by its two rarest words
}

type Result struct {
	Documents int     `json:"documents"`
	Queries   int     `json:"queries"`
	Encoder   string  `json:"encoder"`
	Text      Figures `json:"text"`
	Semantic  Figures `json:"semantic"`
	Hybrid    Figures `json:"hybrid"`
	Known     Known   `json:"known"`

	// For each match class of hybrid mode: its organizations, and those judged to answer.
	Marked map[string]Marked `json:"marked"`
}

// Marked is how often a match class is right.
type Marked struct {
	Shown  int `json:"shown"`
	Judged int `json:"judged"`
}

const (
	LeastSemantic = 0.69
	LeastHybrid   = 0.68
	LeastKnown    = 0.99
)

// Measure asks the questions of a set in every mode, and for its organizations by name.
func Measure(ctx context.Context, x *search.Index, docs []Document, queries []Query) (*Result, error) {
	r := &Result{Documents: len(docs), Queries: len(queries), Marked: map[string]Marked{search.Exact: {}, search.Strong: {}, search.Weak: {}}}
	r.Encoder, _ = x.Encoder()
	for _, m := range []struct {
		mode search.Mode
		to   *Figures
	}{{search.Text, &r.Text}, {search.Semantic, &r.Semantic}, {search.Hybrid, &r.Hybrid}} {
		for i := range queries {
			a, err := x.Search(ctx, search.Ask{Text: queries[i].Text, Mode: m.mode, Limit: 20})
			if err != nil {
				return nil, err
			}
			if a.Mode != m.mode {
				return nil, fault.New("no_vectors", "mode %s is not served", m.mode).Try("measure with a program that has its model")
			}
			eins := each.Append(nil, a.Results, func(r search.Result) string { return r.EIN.String() })
			ndcg, recall := Judge(eins, queries[i].Judged)
			m.to.NDCG10 += ndcg / float64(len(queries))
			m.to.Recall20 += recall / float64(len(queries))
			if m.mode == search.Hybrid {
				r.mark(a.Results[:min(10, len(a.Results))], queries[i].Judged)
			}
		}
	}
	return r, r.Known.measure(ctx, x, docs)
}

func (r *Result) mark(results []search.Result, judged map[string]int) {
	for _, f := range results {
		m := r.Marked[f.Match]
		m.Shown++
		if judged[f.EIN.String()] > 0 {
			m.Judged++
		}
		r.Marked[f.Match] = m
	}
}

// Judge measures one answer, a list of EINs. ndcg is the gain of the first ten results, by grade and place, as a share of the
// best possible gain. recall is the share of the judged answers that are among the first twenty.
func Judge(results []string, judged map[string]int) (ndcg, recall float64) {
	gain := func(grade, place int) float64 {
		return (math.Pow(2, float64(grade)) - 1) / math.Log2(float64(place)+2)
	}
	found, right := 0.0, 0
	for i, id := range results {
		grade := judged[id]
		if i < 10 {
			found += gain(grade, i)
		}
		if i < 20 && grade > 0 {
			right++
		}
	}
	var grades []int
	for _, g := range judged {
		if g > 0 {
			grades = append(grades, g)
		}
	}
	if len(grades) == 0 {
		return 0, 0
	}
	slices.SortFunc(grades, func(a, b int) int { return b - a })
	ideal := 0.0
	for i, g := range grades[:min(10, len(grades))] {
		ideal += gain(g, i)
	}
	return found / ideal, float64(right) / float64(min(20, len(grades)))
}

// measure asks for every organization whose name has two words or more.
func (k *Known) measure(ctx context.Context, x *search.Index, docs []Document) error {
	count := map[string]int{}
	for i := range docs {
		seen := map[string]bool{}
		for w := range stem.Words(docs[i].Name) {
			if !seen[w] {
				seen[w] = true
				count[w]++
			}
		}
	}
	for i := range docs {
		d := &docs[i]
		var list []string
		for w := range stem.Words(d.Name) {
			if len(w) > 1 && !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
		if len(list) < 2 {
			continue
		}
		rare := slices.Clone(list)
		slices.SortStableFunc(rare, func(a, b string) int { return count[a] - count[b] })
		two := slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w != rare[0] && w != rare[1] })
		k.Asked++
		for _, ask := range []struct {
			text string
			to   *float64
		}{{d.Name, &k.Whole}, {strings.ToLower(strings.Join(two, " ")), &k.Two}} {
			a, err := x.Search(ctx, search.Ask{Text: ask.text, Mode: search.Hybrid, Limit: 50})
			if err != nil {
				return err
			}
			key := orgname.Key(d.Name)
			if at := slices.IndexFunc(a.Results, func(r search.Result) bool { return r.EIN.String() == d.EIN || orgname.Key(r.Name) == key }); at >= 0 {
				*ask.to += 1 / float64(at+1)
			}
		}
	}
	k.Whole /= float64(max(1, k.Asked))
	k.Two /= float64(max(1, k.Asked))
	return nil
}

// Gate is the least that a figure may be.
type Gate struct {
	What      string
	Is, Least float64
}

func (r *Result) Gates() []Gate {
	return []Gate{
		{"semantic nDCG@10", r.Semantic.NDCG10, LeastSemantic},
		{"hybrid nDCG@10", r.Hybrid.NDCG10, LeastHybrid},
		{"MRR by the whole name", r.Known.Whole, LeastKnown},
		{"MRR by two words of the name", r.Known.Two, LeastKnown},
	}
}

func (r *Result) Failed() (list []string) {
	for _, g := range r.Gates() {
		if g.Is < g.Least {
			list = append(list, fmt.Sprintf("%s is %.4f, and at least %.2f is wanted", g.What, g.Is, g.Least))
		}
	}
	return list
}

//go:embed tables.md
var tablesText string

var tables = scorecard.Template("search", tablesText)

func (r *Result) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables, r, r, onlyJSON)
}
