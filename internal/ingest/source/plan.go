package source

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/careg"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/ingest/source/ukcharity"
)

// planOFAC plans the office's two lists, four files each. The address of a file
// redirects to a signed address that expires soon.
func planOFAC(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
	var files []RemoteFile
	for _, name := range []string{"SDN.CSV", "ALT.CSV", "ADD.CSV", "SDN_COMMENTS.CSV"} {
		p := s.fileAt(ask, name, s.Floor(name))
		p.Set = "sdn"
		files = append(files, p)
	}
	for _, name := range []string{"CONS_PRIM.CSV", "CONS_ALT.CSV", "CONS_ADD.CSV", "CONS_COMMENTS.CSV"} {
		p := s.fileAt(ask, name, 1)
		p.Set, p.Optional = "cons", true
		files = append(files, p)
	}
	return files, nil
}

func planCAReg(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
	var files []RemoteFile
	for _, list := range careg.Lists() {
		p := s.fileAt(ask, list.Stem+".csv", s.MinRows)
		p.Set = "edition"
		files = append(files, p)
	}
	return files, nil
}

// revoked matches links to lists of revoked organizations.
var revoked = regexp.MustCompile(`(?i)revo(?:k|cat)`)

// maxLeads limits the pages that we follow from the landing page.
const maxLeads = 4

// planCAFTB looks for the list of revoked organizations: a link that mentions revocation and leads to a
// table. It searches the landing page, and pages of the same host that the landing page links with such
// words. The address is not published, and the list has sometimes been a PDF, which we cannot read.
func planCAFTB(ctx context.Context, s *Source, w Web, ask Request) ([]RemoteFile, error) {
	seen := ""
	pages := []string{ask.Base}
	for i := 0; i < len(pages); i++ {
		page, err := w.Page(ctx, pages[i])
		if err != nil {
			if i == 0 || ctx.Err() != nil {
				return nil, err
			}
			continue // this page led nowhere
		}
		list, err := links(page, pages[i])
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			if !revoked.MatchString(l.Text) && !revoked.MatchString(path.Base(l.URL.Path)) {
				continue
			}
			switch ext := strings.ToLower(path.Ext(l.URL.Path)); ext {
			case ".csv", ".xlsx", ".zip":
				return []RemoteFile{{Path: path.Join(s.Folder, "revoked"+ext), URLs: []string{l.URL.String()}, Floor: s.MinRows}}, nil
			case ".pdf", ".xls", ".doc", ".docx":
				seen = ext[1:]
			default:
				if to := l.URL.String(); sameHost(to, ask.Base) && len(pages) < maxLeads && !slices.Contains(pages, to) {
					pages = append(pages, to)
				}
			}
		}
	}
	if seen != "" {
		return nil, Unlisted(fmt.Sprintf("not loaded: the list is linked as %s only, which cannot be read", strings.ToUpper(seen)))
	}
	return nil, Unlisted("not loaded: no readable list linked")
}

func sameHost(a, b string) bool {
	x, errx := url.Parse(a)
	y, erry := url.Parse(b)
	return errx == nil && erry == nil && strings.EqualFold(x.Host, y.Host)
}

// planStates plans the files of states whose portal has a fixed address. Files
// of other states are placed in the folder by hand.
func planStates(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
	var files []RemoteFile
	for _, m := range stateaward.Mappings() {
		if m.Address == "" {
			continue
		}
		address, err := mirrored(m.Address, ask.Base)
		if err != nil {
			return nil, err
		}
		files = append(files, RemoteFile{Path: path.Join(s.Folder, strings.ToLower(m.State), "awards.csv"), URLs: []string{address}, Floor: s.MinRows})
	}
	if len(files) == 0 {
		return nil, Unlisted("not loaded: no state has a file at a fixed address")
	}
	return files, nil
}

func mirrored(address, mirror string) (string, error) {
	if mirror == "" {
		return address, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%q is not an address: %w", address, err)
	}
	return strings.TrimRight(mirror, "/") + u.RequestURI(), nil
}

// ukTables are the tables of the register, the large ones last.
var ukTables = []ukcharity.Table{
	ukcharity.Charities, ukcharity.OtherNames, ukcharity.OtherRegulators, ukcharity.Classifications, ukcharity.Areas,
	ukcharity.Policies, ukcharity.Events, ukcharity.Documents, ukcharity.Reports, ukcharity.Trustees,
	ukcharity.Finances, ukcharity.ReturnsA, ukcharity.ReturnsB,
}

func planUK(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
	var files []RemoteFile
	for _, t := range ukTables {
		floor := s.MinRows
		if t == ukcharity.Charities {
			floor *= 100
		}
		files = append(files, s.fileAt(ask, "publicextract."+string(t)+".zip", floor))
	}
	return files, nil
}

// firstAwards is the first federal fiscal year that is served.
const firstAwards = 2017

var fullArchive = regexp.MustCompile(`^FY(\d{4})_All_(Assistance|Contracts)_Full_(\d{4})(\d{2})(\d{2})\.zip$`)

// planUSAspending asks the API for the current archive of each federal fiscal year. An archive's name
// contains the day it was made, so a new archive states which older ones it replaces.
func planUSAspending(ctx context.Context, s *Source, w Web, ask Request) ([]RemoteFile, error) {
	first := firstAwards
	if !ask.Since.IsZero() {
		first = max(first, fiscalYear(ask.Since))
	}
	var files []RemoteFile
	for year := fiscalYear(ask.Now); year >= first; year-- {
		for _, kind := range []string{"assistance", "contracts"} {
			list, err := awardArchives(ctx, s, w, ask, year, kind)
			if err != nil {
				return nil, err
			}
			files = append(files, list...)
		}
	}
	if len(files) == 0 {
		return nil, fault.New("fetch_page", "%s lists no archive of awards", ask.Base).
			Try("look at %s; archives can be saved by hand under %s/", s.Page, s.Folder)
	}
	return files, nil
}

// fiscalYear is the federal one, which begins in October.
func fiscalYear(t time.Time) int { return t.AddDate(0, 3, 0).Year() }

func awardArchives(ctx context.Context, s *Source, w Web, ask Request, year int, kind string) ([]RemoteFile, error) {
	address := ask.under("bulk_download/list_monthly_files/")
	body, err := w.Post(ctx, address, fmt.Appendf(nil, `{"agency":"all","fiscal_year":%d,"type":%q}`, year, kind))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Files []struct {
			Name string `json:"file_name"`
			URL  string `json:"url"`
		} `json:"monthly_files"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fault.New("fetch_page", "%s answered something else than a list of files: %w", address, err).
			Try("run it again later")
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: %w", address, err)
	}
	var newest *RemoteFile
	for _, f := range answer.Files {
		m := fullArchive.FindStringSubmatch(f.Name)
		if m == nil || m[1] != fmt.Sprint(year) || !strings.EqualFold(m[2], kind) {
			continue
		}
		to, err := base.Parse(f.URL)
		if err != nil || path.Base(to.Path) != f.Name {
			continue
		}
		revised := m[3] + "-" + m[4] + "-" + m[5]
		if newest == nil || revised > newest.Revised {
			newest = &RemoteFile{
				Path: path.Join(s.Folder, f.Name), URLs: []string{to.String()}, Revised: revised, Optional: true,
				Replaces: path.Join(s.Folder, fmt.Sprintf("FY%d_All_%s_Full_*.zip", year, m[2])),
			}
		}
	}
	if newest == nil {
		return nil, nil
	}
	return []RemoteFile{*newest}, nil
}

type link struct {
	URL  *url.URL
	Text string
}

var (
	anchor  = regexp.MustCompile(`(?is)<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))[^>]*>(.*?)</a`)
	element = regexp.MustCompile(`(?s)<[^>]*>`)
)

const maxLinks = 5000

// links finds the links of a page, resolved against its address. It leaves out links that are not web addresses.
func links(page []byte, address string) ([]link, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: %w", address, err)
	}
	var list []link
	for _, m := range anchor.FindAllSubmatch(page, maxLinks) {
		to, err := base.Parse(strings.TrimSpace(html.UnescapeString(string(m[1]) + string(m[2]) + string(m[3]))))
		if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			continue
		}
		to.Fragment = ""
		text := html.UnescapeString(element.ReplaceAllString(string(m[4]), " "))
		list = append(list, link{to, strings.Join(strings.Fields(text), " ")})
	}
	return list, nil
}

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
