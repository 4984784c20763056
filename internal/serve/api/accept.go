package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

var mediaTypes = map[string][]string{
	"json":      {"application/json", "text/json"},
	"xml":       {"application/xml", "text/xml"},
	"csv":       {"text/csv", "application/csv"},
	"ndjson":    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"},
	"360giving": {"application/vnd.360giving+json"},
	"pdf":       {"application/pdf", "application/x-pdf"},
}

// accepted chooses a format by the Accept header, and the first, JSON, without a match. A header that asks for HTML comes from
// a browser, which lists XML without its user's wish, and gets JSON.
func accepted(h http.Header, formats []string) string {
	best, bestQ, bestFit := formats[0], 0.0, 0
	ranges := items(h, "Accept")
	for i := range ranges {
		name, _, _ := strings.Cut(ranges[i], ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") {
			return formats[0]
		}
	}
	// Of formats with the same quality, the header's exact match wins over a wildcard, and then the format that is named first.
	for at, item := range ranges {
		name, rest, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		for _, f := range formats {
			fit := fits(name, f)
			if fit == 0 || fit < closest(ranges, f) {
				continue // another member names this format more exactly
			}
			if q := quality(rest); q > bestQ || q == bestQ && q > 0 && fit > bestFit {
				best, bestQ, bestFit = f, q, fit
			}
		}
		if at >= 50 {
			break
		}
	}
	return best
}

// fits says how exactly a media range names a format: 3 by its name, 2 by its type, 1 as anything, 0 not at all.
func fits(name, format string) int {
	switch {
	case slices.Contains(mediaTypes[format], name):
		return 3
	case name == "*/*" || name == "*":
		return 1
	}
	if kind, ok := strings.CutSuffix(name, "/*"); ok && strings.HasPrefix(mediaTypes[format][0], kind+"/") {
		return 2
	}
	return 0
}

func closest(ranges []string, format string) (fit int) {
	for _, item := range ranges[:min(len(ranges), 50)] {
		name, _, _ := strings.Cut(item, ";")
		fit = max(fit, fits(strings.ToLower(strings.TrimSpace(name)), format))
	}
	return fit
}

func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if q, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(p, " ", "")), "q="); ok {
			if v, err := strconv.ParseFloat(q, 64); err == nil && v >= 0 && v <= 1 {
				return v
			}
		}
	}
	return 1
}
