package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/meaning"
	"grantgraph/internal/parallel"
)

// document is an organization of the evaluation set, query one of its queries.
type document struct {
	EIN, Name, Cause           string
	Mission, Program, Purposes []string
}

func (d *document) text() string {
	parts := append(append([]string{d.Name}, d.Mission...), d.Program...)
	if d.Cause != "" {
		parts = append(parts, d.Cause)
	}
	if len(d.Purposes) > 0 {
		parts = append(parts, strings.Join(d.Purposes, "; "))
	}
	return strings.Join(parts, ". ")
}

type query struct {
	Query  string
	Judged map[string]int
}

// set is documents, and queries with those that answer them.
type set struct {
	documents []document
	queries   []query
}

func readSet(folder string) (s set, err error) {
	if s.documents, err = readLines[document](filepath.Join(folder, "documents.jsonl")); err != nil {
		return s, err
	}
	s.queries, err = readLines[query](filepath.Join(folder, "queries.jsonl"))
	return s, err
}

// evaluate prints how well queries find documents, by each pair of encoders.
func evaluate(m *meaning.Model, folder string) error {
	s, err := readSet(folder)
	if err != nil {
		return err
	}
	n := len(s.documents)
	gists, reads, blends := make([]meaning.Vector, n), make([]meaning.Vector, n), make([]meaning.Vector, n)
	_ = parallel.Each(context.Background(), 0, n, func(_ context.Context, i int) error {
		text := s.documents[i].text()
		gists[i], reads[i] = m.Gist(text), m.Read(text)
		blends[i] = meaning.Blend(gists[i], reads[i])
		return nil
	})
	for _, way := range []struct {
		name    string
		vectors []meaning.Vector
		encode  func(string) meaning.Vector
	}{
		{"gte-small", reads, m.Query},
		{"student", gists, m.Gist},
		{"student, asked with gte-small", gists, m.Query},
		{"both, asked with gte-small", blends, m.Query},
		{"both, asked with the student", blends, m.Gist},
	} {
		gain, recall := s.score(way.vectors, way.encode)
		fmt.Printf("%-32s nDCG@10 %.3f  recall@20 %.3f\n", way.name, gain, recall)
	}
	return nil
}

// score is the mean over all queries.
func (s *set) score(vectors []meaning.Vector, encode func(string) meaning.Vector) (gain, recall float64) {
	order, cosines := make([]int, len(vectors)), make([]float32, len(vectors))
	for _, q := range s.queries {
		v := encode(q.Query)
		for i := range vectors {
			order[i], cosines[i] = i, v.Dot(&vectors[i])
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
		g, r := measure(s.documents, order, q.Judged)
		gain += g
		recall += r
	}
	n := float64(len(s.queries))
	return gain / n, recall / n
}

// measure is the normalized discounted gain of the first ten, and how many of
// the relevant are among the first twenty.
func measure(documents []document, order []int, judged map[string]int) (gain, recall float64) {
	discounted := func(rank, grade int) float64 { return (math.Exp2(float64(grade)) - 1) / math.Log2(float64(rank)+2) }
	var grades []int
	relevant := 0
	for _, g := range judged {
		grades = append(grades, g)
		if g > 0 {
			relevant++
		}
	}
	slices.SortFunc(grades, func(a, b int) int { return b - a })
	var best float64
	for rank, g := range grades[:min(10, len(grades))] {
		best += discounted(rank, g)
	}
	for rank, i := range order[:min(20, len(order))] {
		g := judged[documents[i].EIN]
		if rank < 10 {
			gain += discounted(rank, g)
		}
		if g > 0 {
			recall++
		}
	}
	if relevant == 0 {
		return 0, 0
	}
	return gain / best, recall / float64(min(20, relevant))
}

func readLines[T any](path string) (list []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, lines.Err()
}
