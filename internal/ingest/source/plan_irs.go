package source

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/irs990"
)

// Years of returns. The host has folders from 2017 on. The IRS no longer links
// those before 2019, so we fetch them only on request.
const (
	oldest990  = 2017
	default990 = 2019
	newNames   = 2021 // from here on zips are named for the month
)

// plan990 plans the yearly indexes and the zips of returns. We find zips in two ways, because neither is
// reliable alone. The index names the batch of each return, but not in every year, and sometimes with the
// wrong case or part. The names also follow patterns, which we follow until a file is missing.
func plan990(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
	first := default990
	if !ask.Since.IsZero() {
		first = max(oldest990, ask.Since.Year())
	}
	var files []RemoteFile
	for year := ask.Now.Year(); year >= first; year-- {
		base := ask.under(strconv.Itoa(year))
		index := fmt.Sprintf("index_%d.csv", year)
		files = append(files, RemoteFile{
			Path: path.Join(s.Folder, index), URLs: []string{base + "/" + index}, Floor: 1,
			Optional: year == ask.Now.Year(), // an index may be missing in the first days of a year
			Then:     func(file string) ([]RemoteFile, error) { return batches(s, base, file) },
		})
		if year < newNames {
			files = append(files, numbered(s, base, fmt.Sprintf("download990xml_%d_", year), 1),
				numbered(s, base, fmt.Sprintf("%d_TEOS_XML_CT", year), 1))
			continue
		}
		for month := 1; month <= 12; month++ {
			files = append(files, lettered(s, base, fmt.Sprintf("%d_TEOS_XML_%02dA", year, month), ""))
		}
	}
	return files, nil
}

// numbered is the nth zip of a series. If it exists, the next one is tried.
func numbered(s *Source, base, stem string, n int) RemoteFile {
	name := stem + strconv.Itoa(n) + ".zip"
	p := RemoteFile{Path: path.Join(s.Folder, name), URLs: []string{base + "/" + name}, Floor: s.MinRows, Probe: true}
	if n < 99 {
		p.Then = func(string) ([]RemoteFile, error) { return []RemoteFile{numbered(s, base, stem, n+1)}, nil }
	}
	return p
}

// lettered is the zip of a batch and letter. If it exists, the next letter is tried. Addresses are
// case-sensitive but the index is inconsistent, so we try the given name first and then upper case.
func lettered(s *Source, base, name, given string) RemoteFile {
	p := RemoteFile{Path: path.Join(s.Folder, name+".zip"), Floor: s.MinRows, Probe: given == "", Optional: given != ""}
	if given != "" && given != name {
		p.URLs = append(p.URLs, base+"/"+given+".zip")
	}
	p.URLs = append(p.URLs, base+"/"+name+".zip")
	if next := sibling(name); next != "" {
		p.Then = func(string) ([]RemoteFile, error) { return []RemoteFile{lettered(s, base, next, "")}, nil }
	}
	return p
}

// sibling is the batch with the next letter, or "" if there cannot be one.
func sibling(name string) string {
	last := name[len(name)-1]
	if last < 'A' || last >= 'Z' {
		return ""
	}
	return name[:len(name)-1] + string(last+1)
}

// batchName matches allowed batch names, because a name becomes part of an address and a path.
var batchName = regexp.MustCompile(`^20\d\d_TEOS_XML_[0-9A-Z]{1,6}$`)

const maxBatches = 500

func batches(s *Source, base, file string) ([]RemoteFile, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fault.Disk(file, err)
	}
	defer f.Close()
	given := map[string]string{} // spelling of the index, by the name in upper case
	last := ""
	err = irs990.ReadIndex(f, func(row irs990.IndexRow) error {
		if row.Batch == last {
			return nil
		}
		last = row.Batch
		name := strings.ToUpper(row.Batch)
		if _, known := given[name]; !known && len(given) < maxBatches && batchName.MatchString(name) {
			given[name] = row.Batch
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(given))
	var files []RemoteFile
	for _, name := range names {
		files = append(files, lettered(s, base, name, given[name]))
	}
	// If a batch is missing, its returns may be in the batch with the next letter.
	for _, name := range names {
		if next := sibling(name); next != "" && given[next] == "" {
			files = append(files, lettered(s, base, next, ""))
		}
	}
	return files, nil
}

// planBMF plans the four regions of the master file. The state extracts only repeat the same rows.
func planBMF(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
	return each.Of([]string{"eo1.csv", "eo2.csv", "eo3.csv", "eo4.csv"}, func(name string) RemoteFile {
		return s.fileAt(ask, name, s.Floor(name))
	}), nil
}

// Bulletins.
const (
	firstIRB   = 2003 // the year from which bulletins are published as web pages
	weeksAYear = 53
	// unsettled is how long the IRS may still correct a bulletin.
	unsettled = 60 * 24 * time.Hour
)

var bulletin = regexp.MustCompile(`\b(20\d\d)-(\d\d)_IRB\b`)

// planIRB plans the bulletins up to the newest one linked from the index page. The page lists only recent
// bulletins. Numbers have no gaps, so we request older ones by number.
func planIRB(ctx context.Context, s *Source, w Web, ask Request) ([]RemoteFile, error) {
	page, err := w.Page(ctx, ask.Base)
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	newest := ""
	for _, m := range bulletin.FindAllStringSubmatch(string(page), maxLinks) {
		if m[2] >= "01" && m[2] <= strconv.Itoa(weeksAYear) {
			listed[m[0]] = true
			newest = max(newest, m[0])
		}
	}
	if newest == "" {
		return nil, fault.New("fetch_page", "%s names no bulletin; the page may have changed", ask.Base).
			Try("open it in a browser; bulletins can be saved by hand as %s/2026-01_IRB.html", s.Folder)
	}
	var files []RemoteFile
	year, _ := strconv.Atoi(newest[:4])
	for year = min(ask.Now.Year()+1, year); year >= firstIRB; year-- {
		for week := weeksAYear; week >= 1; week-- {
			id := fmt.Sprintf("%d-%02d_IRB", year, week)
			published := time.Date(year, 1, 1+7*(week-1), 0, 0, 0, 0, time.UTC)
			if id > newest || published.AddDate(0, 0, 7).Before(ask.Since) {
				continue
			}
			files = append(files, RemoteFile{
				Path: path.Join(s.Folder, id+".html"), URLs: []string{ask.under(id)},
				Optional: listed[id], Probe: !listed[id], Fixed: ask.Now.Sub(published) > unsettled,
			})
		}
	}
	return files, nil
}
