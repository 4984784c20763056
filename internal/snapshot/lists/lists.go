// Package lists is how ingest and serve share the compliance lists: the master file, Publication 78,
// revocations, sanctions, bulletin deletions and the two California lists. The lists change independently of
// grants, so they are not part of the grant snapshot. An edition is an immutable snapshot of the lists in its
// own directory, with its own pointer. New editions do not affect the grant snapshot.
//
//	<data>/lists/
//	  current              the edition now served
//	  checks.json          when upstream was last looked at, and what it showed
//	  builds/<version>/    the edition: a table or two a source, and its state
//
// A list is in one of three states: loaded; loaded from an earlier day because newer files were refused, with
// the reason; or not loaded at all. A list that is not loaded is never shown as an empty list.
package lists

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
)

// The lists, by the names they have in answers, in the order of the alphabet.
const (
	BMF        = "bmf"
	CAFTB      = "ca_ftb"
	CARegistry = "ca_registry"
	IRB        = "irb"
	OFAC       = "ofac"
	Pub78      = "pub78"
	Revocation = "revocation"
)

// List describes a list for users who ask how current an answer is.
type List struct {
	Name      string
	Title     string
	Page      string // where a person finds it
	Publishes string // how often the publisher revises it
	Polled    string // how often we check it
	Caveat    string

	// MaxAge is how long a list counts after we last confirmed that it is what
	// upstream has. An older list may lack additions, so it clears no organization.
	MaxAge time.Duration
}

// All returns the lists, in order of name.
func All() []List {
	const (
		day         = 24 * time.Hour
		twoMonths   = 62 * day // a monthly list that missed one month
		quarterHour = "every 15 minutes"
		downloads   = "https://www.irs.gov/charities-non-profits/tax-exempt-organization-search-bulk-data-downloads"
	)
	return []List{
		{BMF, "IRS business master file", "https://www.irs.gov/charities-non-profits/exempt-organizations-business-master-file-extract-eo-bmf",
			"monthly", quarterHour, "", twoMonths},
		{CAFTB, "California revoked exemptions", "https://www.ftb.ca.gov/file/business/types/charities-nonprofits/index.html", "weekly", "weekly", "", 30 * day},
		{CARegistry, "California registry of charities", "https://oag.ca.gov/charities/reports", "monthly", "daily", "", twoMonths},
		{IRB, "Internal Revenue Bulletin", "https://www.irs.gov/irb", "weekly", "daily", "", 30 * day},
		{OFAC, "OFAC sanctions list", "https://sanctionslist.ofac.treas.gov/Home/SdnList", "irregular", quarterHour,
			"An entity name screen over the published flat files. A designation is effective before they carry it: at the moment of disbursement use the sanctions " +
				"authority's live index.", 7 * day},
		{Pub78, "IRS Publication 78", downloads, "monthly", quarterHour, "", twoMonths},
		{Revocation, "IRS automatic revocations", downloads, "monthly", quarterHour, "", twoMonths},
	}
}

func Names() (names []string) {
	for _, l := range All() {
		names = append(names, l.Name)
	}
	return names
}

func Dir(data string) string { return filepath.Join(data, "lists") }

type Status struct {
	Name          string      `json:"name"`
	Loaded        bool        `json:"loaded"`
	Files         string      `json:"files"`                    // fingerprint of its upstream files
	Tables        []string    `json:"tables"`                   // in the edition
	Rows          int64       `json:"rows"`                     // entries in force, one per published row
	Rejected      []Rejection `json:"rejected"`                 // rows left out, by reason
	FetchedAt     time.Time   `json:"fetched_at"`               // when the newest of its files was fetched; zero if a person put one there
	Revised       string      `json:"revised,omitempty"`        // oldest revision among its files, YYYY-MM-DD
	RevisedNewest string      `json:"revised_newest,omitempty"` // newest revision among them
	CoversThrough string      `json:"covers_through,omitempty"` // newest bulletin read
	Parts         []string    `json:"parts,omitempty"`          // of a master file that is not whole, as eo_wy
	Incomplete    string      `json:"incomplete,omitempty"`     // why the list clears nobody although it is loaded: some of the series is missing
	Problem       string      `json:"problem,omitempty"`        // why the current upstream version is not loaded
}

// Knew returns when the list was last known to be what its publisher had: when it was fetched, or the date
// that a list which a person has put there gives itself. It is zero for a list of unknown age.
func (s *Status) Knew() time.Time {
	if !s.FetchedAt.IsZero() {
		return s.FetchedAt
	}
	date := s.Revised
	if s.Name == IRB {
		date = s.RevisedNewest // bulletins are a series
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, date); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Covers reports whether the master file would have an organization of a state, which may be unknown.
func (s *Status) Covers(state string) bool {
	return len(s.Parts) == 0 || state != "" && slices.Contains(s.Parts, "eo_"+strings.ToLower(state))
}

type Rejection struct {
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

type Edition struct {
	*snapshot.Snapshot
	Lists []Status // in order of name
}

// Report is the part of an edition's manifest about its lists.
type Report struct {
	Lists []Status `json:"lists"`
}

// Open opens the current edition of a data directory. If there never was one, the error is fs.ErrNotExist.
func Open(data string) (*Edition, error) {
	dir := Dir(data)
	if _, err := os.Stat(filepath.Join(dir, "current")); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s, err := snapshot.Open(dir)
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(s.Manifest.Report, &r); err != nil {
		return nil, fmt.Errorf("the edition %s of the lists has no readable report: %w", s.Manifest.Version, err)
	}
	return &Edition{s, r.Lists}, nil
}

// Status is the state of one list. A list that the edition lacks is not loaded. Without an edition, no list is loaded.
func (e *Edition) Status(name string) Status {
	if e != nil {
		if i := slices.IndexFunc(e.Lists, func(s Status) bool { return s.Name == name }); i >= 0 {
			return e.Lists[i]
		}
	}
	return Status{Name: name, Problem: "it was never loaded"}
}

type Check struct {
	Name            string    `json:"name"`
	CheckedAt       time.Time `json:"checked_at"`
	UpstreamRevised string    `json:"upstream_revised,omitempty"` // YYYY-MM-DD
	Problem         string    `json:"problem,omitempty"`          // why the check failed
}

// Current is the present knowledge of the lists: the edition, nil if there never was one, and the last check of upstream.
type Current struct {
	Edition *Edition
	Checks  []Check
	Problem string // why there is no edition although one was made

	BadChecks error // why the file of checks cannot be read
}

func (c *Current) Status(name string) Status {
	s := c.Edition.Status(name)
	if c.Edition == nil && c.Problem != "" {
		s.Problem = c.Problem
	}
	return s
}

// Read reads the lists of a data directory. It checks the tables of the edition against their checksums, so that no answer uses
// a damaged table. The index and the log of the edition are verified when they are opened.
func Read(data string) (*Current, error) { return (*Current)(nil).Reread(data) }

// Reread reads the lists again. If the edition has not changed, it keeps the opened
// one, so frequent calls are cheap. c may be nil.
func (c *Current) Reread(data string) (*Current, error) {
	next, err := &Current{}, error(nil)
	// The lists screen as well without the file of checks, so it takes nothing with it.
	if next.Checks, next.BadChecks = ReadChecks(data); next.BadChecks != nil && c != nil {
		next.Checks = c.Checks
	}
	next.Edition, err = Open(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// Lists that were made and are gone are not lists that there never were.
		if len(next.Checks) > 0 || c != nil && (c.Edition != nil || c.Problem != "") || made(data) {
			return nil, fault.New("lists_lost", "%s has no current edition of the compliance lists, although one was made", Dir(data)).
				Try("run grantgraph build; it makes a new edition")
		}
	case err != nil:
		return nil, err
	case c != nil && c.Edition != nil && c.Edition.Dir == next.Edition.Dir && c.Edition.Manifest.Seal == next.Edition.Manifest.Seal:
		next.Edition = c.Edition
	default:
		if err := next.Edition.VerifyTables(); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// made reports whether a data directory without a current edition has had one: an
// edition is left, or the build of the current snapshot loaded lists.
func made(data string) bool {
	left, _ := filepath.Glob(filepath.Join(Dir(data), "builds", "[^.]*", "manifest.json"))
	if len(left) > 0 {
		return true
	}
	var r Report
	s, err := snapshot.Open(data)
	return err == nil && json.Unmarshal(s.Manifest.Report, &r) == nil && slices.ContainsFunc(r.Lists, func(l Status) bool { return l.Loaded })
}

// Version is the stamp of the edition, or empty.
func (c *Current) Version() string {
	if c.Edition == nil {
		return ""
	}
	return c.Edition.Manifest.Version
}

// Stamp is a text that changes with everything known of the lists.
func (c *Current) Stamp() string {
	stamp := c.Version()
	for _, k := range c.Checks {
		stamp += fmt.Sprintf(" %s %d %s %s", k.Name, k.CheckedAt.Unix(), k.UpstreamRevised, k.Problem)
	}
	return stamp
}

// Check is the last check of one list. ok is false if there was none.
func (c *Current) Check(name string) (k Check, ok bool) {
	if i := slices.IndexFunc(c.Checks, func(k Check) bool { return k.Name == name }); i >= 0 {
		return c.Checks[i], true
	}
	return Check{}, false
}

const checksName = "checks.json"

// ReadChecks reads the checks of upstream. There may be none yet.
func ReadChecks(data string) ([]Check, error) {
	path := filepath.Join(Dir(data), checksName)
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	var list []Check
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fault.New("lists_checks", "%s cannot be read: %w", path, err).Try("remove it; the next look at upstream writes it anew")
	}
	return list, nil
}

func WriteChecks(data string, list []Check) error {
	slices.SortFunc(list, func(a, b Check) int { return strings.Compare(a.Name, b.Name) })
	body, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the checks: %w", err)
	}
	path := filepath.Join(Dir(data), checksName)
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Disk(path, err)
	}
	return fault.Disk(path, disk.WriteFile(path, 0o644, func(w io.Writer) error { _, err := w.Write(append(body, '\n')); return err }))
}
