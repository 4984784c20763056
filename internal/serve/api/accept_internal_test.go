package api

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAccepted reads headers as clients send them.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "json", "*/*": "json", "*": "json", "application/json": "json", "application/*": "json", "text/*": "csv",
		"text/csv": "csv", "TEXT/CSV": "csv", "text/csv; charset=utf-8": "csv", "text/csv;header=present;q=0.5": "csv", "application/csv": "csv",
		"application/x-ndjson": "ndjson", "application/ndjson, */*;q=0.1": "ndjson", "application/xml": "xml", "text/xml": "xml",
		"text/csv, */*": "csv", "*/*, text/csv": "csv", "text/csv;q=0.5, application/json": "json", "text/csv;q=0.5, application/xml;q=0.9": "xml",
		"application/xml;q=0.2, text/csv;q=0.2": "xml", "text/csv, application/json": "csv", "application/json, text/csv": "json",
		"text/csv;q=0": "json", "text/csv;q=0, */*": "json", "application/json;q=0, */*": "xml", "*/*;q=0.9, application/json;q=0.1": "xml",
		"application/json;q=0, text/csv": "csv", "application/pdf": "json", "image/png, video/*": "json", "*/*;q=0": "json",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "json", // a browser
		"text/csv;q=nonsense": "csv", "text/csv;q=7": "csv", ",,;;q=": "json", "text/csv;q =0.1, application/xml;q= 0.9": "xml",
		strings.Repeat("text/csv,", 10_000): "csv",
	} {
		h := http.Header{}
		if header != "" {
			h.Set("Accept", header)
		}
		if got := accepted(h, Formats); got != want {
			t.Errorf("%.60s: %s, want %s", header, got, want)
		}
	}
	if got := accepted(http.Header{"Accept": {"text/csv"}}, []string{"json", "xml"}); got != "json" {
		t.Errorf("a format that the operation does not have: %s", got)
	}
	if got := accepted(http.Header{"Accept": {"application/pdf", "text/csv"}}, Formats); got != "csv" {
		t.Errorf("two lines: %s", got)
	}
}

// TestPace cuts off a client that pauses for too long, or is too slow over all,
// and no other.
func TestPace(t *testing.T) {
	t.Parallel()
	const patience = 10 * time.Second
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		pace int           // bytes that the client reads in a second
		lull time.Duration // before each piece, beside
		cut  bool
	}{
		{"at the pace", pace, 0, false},
		{"a little slower", pace * 98 / 100, 0, false},
		{"far slower", pace / 2, 0, true},
		{"fast, with long lulls", 100 * pace, 9 * time.Second, true},
		{"fast, but stopped", 100 * pace, 11 * time.Second, true},
	} {
		now, cut := began, false
		for at := 0; at < 23<<20 && !cut; at += piece {
			end := deadline(began, now, at, patience)
			now = now.Add(c.lull + time.Duration(piece)*time.Second/time.Duration(c.pace))
			cut = now.After(end)
		}
		if cut != c.cut {
			t.Errorf("%s: cut off %v, want %v", c.name, cut, c.cut)
		}
	}
}
