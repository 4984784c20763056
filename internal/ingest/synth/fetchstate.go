package synth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/fetch"
)

// This file writes the states that the fetcher leaves beside files it has downloaded: where each file came
// from, when, and how old it is. All times are those of the world.

// checkedAt is the time of the last request to every publisher.
var checkedAt = today.Add(12 * time.Hour)

func (p *worldWriter) writeFetchStates() error {
	d := &listWriter{dir: p.dir}
	for _, s := range source.All() {
		st := fetch.State{Source: s.Name, CheckedAt: checkedAt, Files: []fetch.File{}, Refused: []fetch.Refusal{}}
		for i := range p.files {
			f := &p.files[i]
			if !strings.HasPrefix(f.Path, s.Folder+"/") {
				continue
			}
			revised := revisedOn(f.Path)
			st.Files = append(st.Files, fetch.File{
				Path: f.Path, URL: address(&s, f.Path), Bytes: f.Bytes, SHA256: f.SHA256, ETag: `"` + f.SHA256[:16] + `"`,
				LastModified: revised.Add(9 * time.Hour).Format(http.TimeFormat), FetchedAt: today.Add(time.Duration(i) * time.Minute),
				Rows: f.Rows, Revised: revised.Format(time.DateOnly),
			})
			st.UpstreamRevised = max(st.UpstreamRevised, revised.Format(time.DateOnly))
		}
		if len(st.Files) == 0 {
			continue
		}
		slices.SortFunc(st.Files, func(a, b fetch.File) int { return strings.Compare(a.Path, b.Path) })
		text, err := json.MarshalIndent(&st, "", "  ")
		if err != nil {
			return err
		}
		if err := d.write(".fetch/"+s.Name+".json", string(text)+"\n", func(*listFile) error { return nil }); err != nil {
			return err
		}
	}
	p.files = append(p.files, d.files...)
	return nil
}

func revisedOn(file string) time.Time {
	folder, name := path.Split(file)
	switch path.Clean(folder) {
	case "990":
		var year, month int
		if n, _ := fmt.Sscanf(name, "%d_TEOS_XML_%d", &year, &month); n == 2 {
			if m := year*12 + month - 1; m < lastMonth {
				return time.Date(year, time.Month(month), 20, 0, 0, 0, 0, time.UTC)
			}
		} else if n, _ := fmt.Sscanf(name, "index_%d.csv", &year); n == 1 && year < lastMonth/12 {
			return time.Date(year, time.December, 20, 0, 0, 0, 0, time.UTC)
		}
		return today.AddDate(0, 0, -2)
	case "bmf", "pub78", "revocation":
		return today.AddDate(0, 0, -2)
	case "ofac":
		return today.AddDate(0, 0, -1)
	case "irb":
		for k := range bulletins {
			if is := issueAt(k); strings.HasPrefix(name, is.String()) {
				return is.day
			}
		}
	case "careg":
		return registryDay
	case "usaspending":
		return posted
	case "uk":
		return extracted
	}
	return today.AddDate(0, 0, -9)
}

func address(s *source.Source, file string) string {
	name := path.Base(file)
	switch s.Name {
	case "irs990":
		year := strings.TrimPrefix(name, "index_")[:4]
		return s.Base + "/" + year + "/" + name
	case "ofac":
		return s.Base + "/" + strings.ToUpper(name)
	case "irb":
		return s.Base + "/" + strings.TrimSuffix(name, ".html")
	case "caftb":
		return s.Base
	case "usaspending":
		return "https://files.usaspending.gov/award_data_archive/" + name
	case "stateaward":
		return s.Page
	}
	return s.Base + "/" + name
}
