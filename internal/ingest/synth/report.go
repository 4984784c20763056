package synth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"grantgraph/internal/ein"
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

type grantList uint8

const (
	listPaid grantList = iota
	listFuture
	listScheduleI
	grantLists
)

var grantListNames = [grantLists]string{"PF3a", "PF3b", "SI2"}

// tally counts what was written, and what a build must find: one return per filer and period, cash only, paid grants only.
type tally struct {
	members, returns, amended, superseded, duplicates, orgReturns int64
	forms                                                         [4]int64
	bad                                                           [badKinds]int64
	lines                                                         [grantLists][truths]int64
	dollars                                                       [grantLists]int64
	tags                                                          [tags]int64
	rows, rowDollars                                              int64
	rowsByYear, dollarsByYear                                     [lastFiscal - firstFiscal + 1]int64
	xml                                                           int64
	placeholders, pfReturns, grantReturns, seats                  int64
	bmf                                                           [masterFiles]int64
}

func (t *tally) add(o *tally) {
	mine, theirs := t.counts(), o.counts()
	for i, n := range theirs {
		mine[i] += n
	}
}

// counts are all fields: a tally has counts and nothing else.
func (t *tally) counts() []int64 {
	return unsafe.Slice(&t.members, unsafe.Sizeof(*t)/unsafe.Sizeof(t.members))
}

func (t *tally) grants() (n int64) {
	for p := range t.lines {
		if grantList(p) != listFuture {
			for _, c := range t.lines[p] {
				n += c
			}
		}
	}
	return n
}

// recorder writes the truth and the index rows of one shard.
type recorder struct {
	tally
	truth      *bufio.Writer
	index      *bufio.Writer
	people     *bufio.Writer
	b          []byte
	row        *record
	mute       bool // a second copy of a return that has been recorded already
	superseded bool // an amendment replaces the lines of the return at hand
	replaced   bool // an amendment replaces the return itself
}

func (s *recorder) grant(fl *filing, p grantList, n int, l *line) {
	if s.mute {
		return
	}
	s.lines[p][l.truth]++
	s.dollars[p] += l.cash
	for t, left := 0, l.tags; left != 0; t, left = t+1, left>>1 {
		s.tags[t] += int64(left & 1)
	}
	if p != listFuture && l.cash > 0 && !s.superseded && l.tags&(tagDoubled|tagTotal) == 0 {
		s.rows++
		s.rowDollars += l.cash
		s.rowsByYear[fl.fiscal-firstFiscal]++
		s.dollarsByYear[fl.fiscal-firstFiscal] += l.cash
	}
	b := join(s.b[:0], `{"object_id":"`, fl.object, `","part":"`, grantListNames[p], `","line":`, n)
	if l.ein != ein.None {
		b = join(b, `,"true_ein":"`, l.ein, '"')
	} else {
		b = append(b, `,"true_ein":null`...)
	}
	b = join(b, `,"class":"`, truthNames[l.truth], '"')
	if l.truth == toForeign {
		b = join(b, `,"cluster":`, l.cluster)
	}
	if l.tags != 0 {
		b = append(b, `,"noise":`...)
		next := byte('[')
		for t, left := 0, l.tags; left != 0; t, left = t+1, left>>1 {
			if left&1 != 0 {
				b = join(b, next, '"', tagNames[t], '"')
				next = ','
			}
		}
		b = append(b, ']')
	}
	s.b = append(b, '}', '\n')
	s.truth.Write(s.b)
}

// person records who the n-th member of a board really is. A person has the same number on every board.
func (s *recorder) person(fl *filing, n int, who uint64) {
	if s.mute {
		return
	}
	b := join(s.b[:0], `{"object_id":"`, fl.object, `","n":`, n, `,"person":"`)
	s.b = append(strconv.AppendUint(b, who, 36), '"', '}', '\n')
	s.people.Write(s.b)
	s.seats++
}

func (s *recorder) indexRow(fl *filing, e ein.EIN, name []byte, closing int, batch []byte) {
	h := rng{mix(fl.object)}
	number := 10_000_000 + h.n(20_000_000)
	year := fl.month / 12
	var sent any = year
	if year < 2021 {
		sent = parts{fl.month%12 + 1, '/', 1 + h.n(27), '/', year, ' ', 7 + h.n(12), ':', padded{uint64(h.n(60)), 2}}
	}
	if s.row == nil {
		s.row = newRecord("index", ",", "\n", false)
	}
	s.row.add(number, "EFILE", e, parts{padded{uint64(fl.fiscal), 4}, padded{uint64(closing + 1), 2}}, sent, caps(name), fl.form.String(),
		// The locator number shares form, day and sequence with the object id.
		parts{padded{fl.object / 100_000 % 100_000, 5}, padded{fl.object / 10_000_000_000 % 1000, 3}, padded{fl.object % 100_000, 5}, year % 10},
		fl.object, batch)
	if h.odds(rates.IndexLowercase) {
		s.row.b[len(s.row.b)-1] = lower(s.row.b[len(s.row.b)-1])
	}
	s.index.Write(s.row.finish())
}
