package main

import (
	"io"
	"time"

	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/radix"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/snapshot"
)

type sharesTable struct {
	List []ingest.Count
	All  snapshot.Counts
}

type awardRow struct {
	Name         string
	Placed, Lost ingest.AwardFlow
}

type untakenTable struct {
	Shown     []discover.Untaken
	All, More int64
}

type learnedNames struct{ Names, Bytes int64 }

func printBuild(w io.Writer, result *ingest.Result, took time.Duration) error {
	page := struct {
		*ingest.Result
		Manifest    *snapshot.Manifest
		Most, Bytes int64
		Learned     *learnedNames // nil when there is no index of names
		Took        time.Duration
	}{Result: result, Manifest: &result.Snapshot.Manifest, Bytes: totalBytes(&result.Snapshot.Manifest), Took: took.Round(100 * time.Millisecond)}
	for _, y := range result.Report.Years {
		page.Most = max(page.Most, y.TotalAmount)
	}
	if names, bytes, err := identify.Learned(result.Snapshot); err == nil {
		page.Learned = &learnedNames{names, bytes}
	}
	return pages.Print(w, "build", page)
}

// surveyedSource is a kind of source files as a dry run lists it.
type surveyedSource struct {
	Kind, Dates string
	Files       int
	Bytes       int64
}

func printSurvey(w io.Writer, s *discover.Survey) error {
	page := struct {
		*discover.Survey
		Sources      []surveyedSource
		UntakenCount int64
	}{Survey: s, UntakenCount: int64(len(s.Untaken))}
	for run := range radix.Runs(s.Taken, func(x, y discover.Taken) bool { return x.Kind == y.Kind }) {
		row := surveyedSource{Kind: run[0].Kind, Files: len(run)}
		first, last, undated := "", "", false
		for _, x := range run {
			row.Bytes += x.Bytes
			if x.Date == "" {
				undated = true
				continue
			}
			if first == "" || x.Date < first {
				first = x.Date
			}
			last = max(last, x.Date)
		}
		if row.Dates = first; last != first {
			row.Dates += " to " + last
		}
		if undated && row.Dates != "" {
			row.Dates += ", and without a date"
		}
		page.Sources = append(page.Sources, row)
	}
	return pages.Print(w, "survey", page)
}

func totalBytes(m *snapshot.Manifest) (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
