package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/meaning"
	"grantgraph/internal/serve/search/quality"
)

// textOf is what an organization of the evaluation set says about itself.
func textOf(d *quality.Document) string {
	parts := append(append([]string{d.Name}, d.Mission...), d.Programs...)
	if d.Cause != "" {
		parts = append(parts, d.Cause)
	}
	if len(d.Purposes) > 0 {
		parts = append(parts, strings.Join(d.Purposes, "; "))
	}
	return strings.Join(parts, ". ")
}

// set is documents, and queries with those that answer them.
type set struct {
	documents []quality.Document
	queries   []quality.Query
}

func readSet(folder string) (s set, err error) {
	if s.documents, err = readFile(filepath.Join(folder, "documents.jsonl"), quality.ReadDocuments); err != nil {
		return s, err
	}
	s.queries, err = readFile(filepath.Join(folder, "queries.jsonl"), quality.ReadQueries)
	return s, err
}

func readFile[T any](path string, read func(io.Reader) ([]T, error)) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	list, err := read(f)
	return list, errors.Join(err, f.Close())
}

// score is the mean over all queries.
func (s *set) score(vectors []meaning.Vector, encode func(string) meaning.Vector) (gain, recall float64) {
	order, cosines := make([]int, len(vectors)), make([]float32, len(vectors))
	for _, q := range s.queries {
		v := encode(q.Text)
		for i := range vectors {
			order[i], cosines[i] = i, v.Dot(&vectors[i])
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
		var first []string
		for _, i := range order[:min(20, len(order))] {
			first = append(first, s.documents[i].EIN)
		}
		g, r := quality.Judge(first, q.Judged)
		gain += g
		recall += r
	}
	n := float64(len(s.queries))
	return gain / n, recall / n
}
