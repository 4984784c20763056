package source

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/careg"
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
