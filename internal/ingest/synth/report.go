package synth

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/fault"
)

type File struct {
	Path   string `json:"path"` // relative, with forward slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows,omitempty"` // of a list, as its reader hands them on
}

// Report says what was written. Its JSON form is world.json, which is the same for the same world: it holds no times.
type Report struct {
	Format  string `json:"format"`
	Seed    uint64 `json:"seed"`
	Size    int    `json:"size"` // grants asked for
	Grants  int64  `json:"grants"`
	Dollars int64  `json:"dollars"`
	Returns int64  `json:"returns"`
	Orgs    int    `json:"orgs"`
	Funders int    `json:"funders"`

	Members    int64            `json:"members"`     // of all zips
	Forms      map[string]int64 `json:"forms"`       // returns by form
	OrgReturns int64            `json:"org_returns"` // returns of recipients
	Seats      int64            `json:"board_seats"`
	Amended    int64            `json:"amended"`
	Duplicates int64            `json:"duplicates"` // members that repeat an object
	Bad        map[string]int64 `json:"bad_members"`
	BadFiles   []BadFile        `json:"bad_files"`
	Lines      map[string]int64 `json:"lines"` // by part and class, "PF3a/org"
	Noise      map[string]int64 `json:"noise"` // lines by tag
	Master     map[string]int64 `json:"bmf_rows"`

	// Lists is what a reader of the other upstream lists must count. A name begins with that of the list:
	//
	//	pub78_, revocation_   rows; _eins are the organizations behind them
	//	revoked_              those organizations by what became of them: still
	//	                      standing, reinstated with a date, exempt again by a
	//	                      new ruling; twice is a part of those standing
	//	ofac_                 rows of the four files, entries by type, aliases that
	//	                      only the remarks have, namesakes of the world's own
	//	irb_                  bulletins, deletions in them, lawsuits, which are no deletions
	//	careg_, caftb_        rows, by file, and with or without an EIN
	//	fac_                  rows that join an EIN and a UEI, and those that do not
	//	federal_rows          awards that count: by_uei of organizations that fac
	//	                      knows, by_name of others of the world, unknown to
	//	                      no one in it; left_out are loans and the like
	//	state_rows            payments to organizations of the world; unknown to
	//	                      no one in it; left_out by the state's filter
	//	uk_                   rows of the tables, and kinds of charities and seats
	//
	// Namesakes are the organizations that the sanctions list seems to name.
	Lists     map[string]int64 `json:"lists"`
	Namesakes []Namesake       `json:"namesakes"`

	// Expected is what a build that keeps the rules must end up with: one return per filer, form and period
	// end, cash above zero, paid grants of the 990-PF and Part II of Schedule I.
	Expected Expected `json:"expected"`

	XMLBytes int64  `json:"xml_bytes"`
	Files    []File `json:"files"`

	Elapsed time.Duration `json:"-"`
	tally   tally
}

// BadFile is a member that is no return.
type BadFile struct {
	Zip      string `json:"zip"`
	ObjectID string `json:"object_id"`
	Kind     string `json:"kind"`
}

// Expected are the totals a build must reproduce.
type Expected struct {
	Returns    int64          `json:"returns"` // of all forms, after amendments have replaced
	Superseded int64          `json:"superseded"`
	Rows       int64          `json:"rows"`
	Dollars    int64          `json:"dollars"`
	ByYear     []ExpectedYear `json:"by_year"`
}

// ExpectedYear are the rows of one fiscal year.
type ExpectedYear struct {
	FiscalYear int   `json:"fiscal_year"`
	Rows       int64 `json:"rows"`
	Dollars    int64 `json:"dollars"`
}

// Marker is the file by which synth knows its own worlds, and a build that what it reads is invented.
const Marker = "world.json"

// A world says by which version of this package it was made; the number grows
// when the same seed no longer gives the same bytes.
const (
	formatName = "grantgraph-world/"
	format     = formatName + "3"
)

// Read reads the report of a world that was written before.
func Read(dir string) (*Report, error) {
	f, err := os.Open(filepath.Join(dir, Marker))
	if err != nil {
		return nil, fault.Disk(dir, err)
	}
	defer f.Close()
	var r Report
	if err := json.NewDecoder(io.LimitReader(f, 16<<20)).Decode(&r); err != nil || !strings.HasPrefix(r.Format, formatName) {
		return nil, fault.New("not_a_world", "%s is not the description of an invented world", filepath.Join(dir, Marker)).
			Try("grantgraph synth --out another directory")
	}
	return &r, nil
}

// Current reports whether the world was written by this version of synth, so that the same seed and size would give it again.
func (r *Report) Current() bool { return r.Format == format }

// Written reports whether Out already holds the world that Write would write, so that it need not be written again.
func (o *Options) Written() bool {
	if _, err := os.Stat(filepath.Join(o.Out, Marker)); err != nil {
		return false
	}
	r, err := Read(o.Out)
	return err == nil && r.Current() && r.Seed == o.Seed && r.Size == o.Grants
}

func (p *worldWriter) report() (*Report, error) {
	t := &p.total
	r := &Report{
		Format: format, Seed: p.o.Seed, Size: p.o.Grants, Grants: t.grants(), Dollars: t.dollars[listPaid] + t.dollars[listScheduleI],
		Returns: t.returns, Orgs: p.w.orgs, Funders: p.w.funders, Members: t.members, OrgReturns: t.orgReturns, Seats: t.seats, Amended: t.amended,
		Duplicates: t.duplicates, Forms: map[string]int64{}, Bad: map[string]int64{}, Lines: map[string]int64{},
		Noise: map[string]int64{}, Master: map[string]int64{}, XMLBytes: t.xml, Files: p.files, tally: *t, Lists: p.lists, Namesakes: p.namesakes,
		Expected: Expected{Returns: t.returns - t.superseded, Superseded: t.superseded, Rows: t.rows, Dollars: t.rowDollars},
	}
	for i, n := range t.forms {
		r.Forms[form(i).String()] = n
	}
	for i, n := range t.bad {
		r.Bad[badMembers[i].name] = n
	}
	for m := firstMonth; m <= lastMonth && p.o.Only == nil; m++ {
		if object, kind := p.w.spoiled(m); kind >= 0 {
			r.BadFiles = append(r.BadFiles, BadFile{shardOf(m).Batch() + ".zip", strconv.FormatUint(object, 10), badMembers[kind].name})
		}
	}
	for i := range t.lines {
		for j, n := range t.lines[i] {
			if n > 0 {
				r.Lines[grantListNames[i]+"/"+truthNames[j]] = n
			}
		}
	}
	for i, n := range t.tags {
		r.Noise[tagNames[i]] = n
	}
	for i, n := range t.bmf {
		r.Master[fmt.Sprintf("eo%d", i+1)] = n
	}
	for i, n := range t.rowsByYear {
		if n > 0 {
			r.Expected.ByYear = append(r.Expected.ByYear, ExpectedYear{firstFiscal + i, n, t.dollarsByYear[i]})
		}
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	return r, os.WriteFile(filepath.Join(p.dir, Marker), append(b, '\n'), 0o644)
}
