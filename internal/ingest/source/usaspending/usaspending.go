// Package usaspending reads the award archive of USAspending.gov: every federal obligation of a fiscal year,
// one transaction a row, as zips of CSV by year and agency, with deltas that correct them. It knows the
// columns of assistance and of contracts, which transactions are grants and contracts, and which posting of a
// transaction counts. This data has no EINs; a crosswalk identifies the recipients.
package usaspending

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/money"
)

// The kinds of award.
const (
	Grant    = "grant"
	Contract = "contract"
)

// Award is one transaction: an obligation made, changed or taken back.
type Award struct {
	Key         string // of the award, which may have many transactions
	Transaction string // key of the transaction, unique in all archives
	UEI         string // of the recipient, 12 characters; empty in files of before 2022
	DUNS        string // of the recipient, nine digits; empty in files since 2022
	ParentUEI   string // of the recipient's parent organization
	Name        string
	State, ZIP  string
	FiscalYear  int    // federal, October to September
	Kind        string // grant or contract
	Agency      string // the awarding agency
	Program     string // assistance listing of a grant; what a contract buys
	Amount      money.Cents
	ActionDate  string // YYYY-MM-DD
}

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonPayment   = "not a grant: direct payment"
	ReasonLoan      = "not a grant: loan"
	ReasonInsurance = "not a grant: insurance"
	ReasonOther     = "not a grant: other assistance"
	ReasonVehicle   = "not a contract: indefinite delivery vehicle"
	ReasonDeleted   = "deleted by its agency"
	ReasonReplaced  = "replaced by a newer posting"
	ReasonBase      = "correction of a year without a full posting"
	ReasonKey       = "no key"
	ReasonYear      = "no fiscal year"
	ReasonAmount    = "malformed amount"
)

var ErrFormat = errors.New("not a USAspending archive of prime award transactions")

// layout is the layout of the archive's files. Rows have up to 300 columns, and descriptions run to thousands of characters.
var layout = rows.Layout{Separator: ',', Quotes: true, MaxRow: 64 << 10}

// columns names the columns in which assistance and contracts differ.
type columns struct {
	transaction, award, kind, program, detail, zip string
}

var (
	assistance = columns{"assistance_transaction_unique_key", "assistance_award_unique_key", "assistance_type_code", "cfda_number", "cfda_title",
		"recipient_zip_code"}
	contracts = columns{"contract_transaction_unique_key", "contract_award_unique_key", "award_type_code", "product_or_service_code_description",
		"naics_description", "recipient_zip_4_code"}
)

// Indexes of the columns that are read.
const (
	transaction = iota
	award
	kind
	obligation
	year
	agency
	uei
	duns
	action
	program
	detail
	postal
	parent
	name
	state
	deleted // of a delta
	removed // of the agency's own submission
	known
)

// required is the number of leading columns without which a file is refused.
const required = agency + 1

func (c *columns) list() []string {
	return []string{c.transaction, c.award, c.kind, "federal_action_obligation", "action_date_fiscal_year", "awarding_agency_name",
		"recipient_uei", "recipient_duns", "action_date", c.program, c.detail, c.zip, "recipient_parent_uei", "recipient_name", "recipient_state_code",
		"correction_delete_ind", "correction_delete_indicator_code"}
}

// Read reads, as package rows promises, the grants and contracts of one CSV of an archive, plain or gzipped.
// The header says whether the file is of assistance or of contracts.
func Read(r io.Reader, fn func(*Award) error) (rows.Tally, error) {
	return read(r, nil, &Posting{}, fn)
}

// read is Read without the rows that newer postings contain.
func read(r io.Reader, newer *Deduplicator, p *Posting, fn func(*Award) error) (rows.Tally, error) {
	var f file
	archive := rows.Headed{Layout: layout, Name: "the archive", Format: ErrFormat}
	return archive.Read(r, f.header, func(fields []string) string {
		reason := f.take(fields)
		if newer != nil && f.award.Transaction != "" {
			reason = newer.admit(p, &f.award, reason)
		}
		return reason
	}, func() error { return fn(&f.award) })
}

type file struct {
	contracts bool
	place     [known]int // -1 if the column is missing
	award     Award
}

// header finds the position of each column and decides between assistance and
// contracts. Extra columns and any order are allowed.
func (f *file) header(names []string) error {
	want := assistance.list()
	if f.contracts = rows.Find(names, contracts.transaction)[0] >= 0; f.contracts {
		want = contracts.list()
	}
	var missing []string
	for i, at := range rows.Find(names, want...) {
		f.place[i] = at
		if at < 0 && i < required {
			missing = append(missing, want[i])
		}
	}
	if f.place[uei] < 0 && f.place[duns] < 0 {
		missing = append(missing, want[uei])
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: the header lacks %s; expected Assistance or Contracts PrimeTransactions", ErrFormat, strings.Join(missing, ", "))
	}
	return nil
}

func (f *file) field(fields []string, column int) string {
	if at := f.place[column]; at >= 0 {
		return strings.TrimSpace(fields[at])
	}
	return ""
}

// take fills the award. It fills the transaction's key and year in any case, for the Deduplicator.
func (f *file) take(fields []string) (reason string) {
	a := &f.award
	*a = Award{Transaction: f.field(fields, transaction), Key: f.field(fields, award)}
	a.ActionDate = f.field(fields, action)
	if a.Transaction == "" {
		return ReasonKey
	}
	a.FiscalYear = fiscalYear(f.field(fields, year), a.ActionDate)
	if strings.EqualFold(f.field(fields, deleted), "D") || strings.EqualFold(f.field(fields, removed), "D") {
		return ReasonDeleted
	}
	if a.Key == "" {
		return ReasonKey
	}
	if a.Kind, reason = f.kind(f.field(fields, kind)); reason != "" {
		return reason
	}
	if a.FiscalYear == 0 {
		return ReasonYear
	}
	ok := false
	if a.Amount, ok = money.Parse(f.field(fields, obligation)); !ok {
		return ReasonAmount
	}
	a.UEI, a.DUNS, a.ParentUEI = f.field(fields, uei), f.field(fields, duns), f.field(fields, parent)
	a.Name, a.State, a.ZIP = rows.Clean(f.field(fields, name)), rows.Clean(f.field(fields, state)), rows.Clean(f.field(fields, postal))
	a.Agency = rows.Clean(f.field(fields, agency))
	first, second := rows.Clean(f.field(fields, program)), rows.Clean(f.field(fields, detail))
	if a.Program = cmp.Or(first, second); !f.contracts && first != "" && second != "" {
		a.Program = first + " " + second
	}
	return ""
}

// kind says whether a transaction is a grant, a contract or something else. Since fiscal year 2026 assistance
// has codes of its own: F001 for grants and F002 for cooperative agreements.
func (f *file) kind(code string) (kind, reason string) {
	code = strings.ToUpper(code)
	switch {
	case f.contracts && slices.Contains([]string{"A", "B", "C", "D"}, code):
		return Contract, ""
	case f.contracts:
		return "", ReasonVehicle
	case len(code) == 1:
		code = "0" + code // a code whose leading zero a spreadsheet dropped
	}
	switch code {
	case "02", "03", "04", "05", "F001", "F002":
		return Grant, ""
	case "06", "10":
		return "", ReasonPayment
	case "07", "08":
		return "", ReasonLoan
	case "09":
		return "", ReasonInsurance
	}
	return "", ReasonOther
}

// fiscalYear reads the year, or derives it from the date of the action. It is 0 if both are missing.
func fiscalYear(text, date string) int {
	if n, err := strconv.Atoi(text); err == nil && n >= 1900 && n <= 2200 {
		return n
	}
	if len(date) < 10 || date[4] != '-' || date[7] != '-' {
		return 0
	}
	y, err := strconv.Atoi(date[:4])
	m, err2 := strconv.Atoi(date[5:7])
	if err != nil || err2 != nil || y < 1900 || y > 2200 || m < 1 || m > 12 {
		return 0
	}
	if m >= 10 {
		y++
	}
	return y
}

// all is the agency code of a posting that holds every agency.
const all = "ALL"

// Posting describes one file of the archive by its name, such as FY2024_All_Assistance_Full_20250106.zip. A
// file with another name may contain anything and counts as the newest.
type Posting struct {
	Path       string
	FiscalYear int    // 0 for every year
	Agency     string // three digits, or ALL
	Award      string // ASSISTANCE or CONTRACTS, empty for either
	Delta      bool   // corrections since the last full posting
	Posted     string // YYYYMMDD, empty when the name does not say

	// Superseded says not to read the file: a newer posting contains all of it, or it is a delta without a posting to correct.
	Superseded bool

	part    string       // number of a CSV taken out of its zip
	repeats bool         // a posting read after this one may repeat its rows
	covered map[int]bool // years that newer full postings hold whole
	based   map[int]bool // years that older full postings hold, which a delta corrects; 0 for all
}

var postingName = regexp.MustCompile(`(?i)^FY(\d{4}|\(?All\)?)_(All|\d{3,4})_(Assistance|Contracts)_(Full|Delta)_(\d{8})(?:_(\d+)\.csv)?`)

// Plan decides the order of reading, newest first, and which files to skip. With the newest first, the first
// posting of a transaction is the one that counts.
func Plan(paths []string) []Posting {
	list := make([]Posting, len(paths))
	for i, p := range paths {
		list[i] = parse(p)
	}
	slices.SortFunc(list, func(a, b Posting) int {
		const newest = "99999999" // of a file whose name does not say
		// A full posting includes the corrections of the same day. A posting of
		// all agencies is read before postings of one agency.
		return cmp.Or(strings.Compare(cmp.Or(b.Posted, newest), cmp.Or(a.Posted, newest)),
			flag(a.Delta)-flag(b.Delta), flag(b.Agency == all)-flag(a.Agency == all), strings.Compare(a.Path, b.Path))
	})
	for i := range list {
		for j := range i {
			list[i].follow(&list[j])
		}
	}
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			list[i].rest(&list[j])
		}
		list[i].Superseded = list[i].Superseded || list[i].Delta && len(list[i].based) == 0
	}
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			list[i].repeats = list[i].repeats || list[i].metAgain(&list[j])
		}
	}
	return list
}

func parse(p string) Posting {
	m := postingName.FindStringSubmatch(path.Base(p))
	if m == nil {
		return Posting{Path: p, Agency: all}
	}
	year, _ := strconv.Atoi(m[1])
	return Posting{Path: p, FiscalYear: year, Agency: strings.ToUpper(m[2]), Award: strings.ToUpper(m[3]), Delta: strings.EqualFold(m[4], "Delta"),
		Posted: m[5], part: m[6]}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *Posting) follow(newer *Posting) {
	full := newer.Posted != "" && !newer.Delta && newer.Award == p.Award && (newer.Agency == p.Agency || newer.Agency == all)
	switch {
	case !full:
	case p.Delta && newer.FiscalYear > 0:
		if p.covered == nil {
			p.covered = make(map[int]bool)
		}
		p.covered[newer.FiscalYear] = true
	case newer.FiscalYear == p.FiscalYear && !p.besides(newer):
		p.Superseded = true
	}
}

// rest records what a delta corrects. Alone, a delta has only the changed
// transactions of a year, which do not add up to that year.
func (p *Posting) rest(full *Posting) {
	if !p.Delta || full.Delta || full.Superseded || !p.overlaps(full) {
		return
	}
	if p.based == nil {
		p.based = make(map[int]bool)
	}
	p.based[full.FiscalYear] = true
}

// overlaps reports whether two postings may hold the same transaction.
func (p *Posting) overlaps(o *Posting) bool {
	award := p.Award == o.Award || p.Award == "" || o.Award == ""
	year := p.FiscalYear == o.FiscalYear || p.FiscalYear == 0 || o.FiscalYear == 0
	agency := p.Agency == o.Agency || p.Agency == all || o.Agency == all
	return award && year && agency
}

// besides reports whether two files are parts of one posting.
func (p *Posting) besides(o *Posting) bool {
	return p.part != o.part && p.Posted == o.Posted && p.FiscalYear == o.FiscalYear && p.Agency == o.Agency && p.Award == o.Award && p.Delta == o.Delta
}

// metAgain reports whether rows of p may also be in the older posting, and their year does not tell them apart.
func (p *Posting) metAgain(older *Posting) bool {
	if p.Superseded || older.Superseded || p.besides(older) {
		return false
	}
	told := !p.Delta && p.FiscalYear > 0 && older.covered[p.FiscalYear] && (p.Agency == older.Agency || p.Agency == all)
	return p.overlaps(older) && !told
}

// Repeats reports whether a Deduplicator must remember the rows of the posting.
// Postings that need no remembering may be read concurrently, after all others.
func (p *Posting) Repeats() bool { return p.repeats }

// Deduplicator remembers transactions that older postings may repeat, so that each counts once, as it was
// last posted. It holds a 64-bit hash of each transaction's key, about twenty bytes. Full postings that do
// not overlap need no memory. The deltas of a month, with up to twenty million rows, need about four hundred
// megabytes. With that many rows, two transactions share a hash in about one of ten thousand builds.
type Deduplicator struct{ seen map[uint64]struct{} }

func NewDeduplicator() *Deduplicator { return &Deduplicator{seen: make(map[uint64]struct{})} }

// admit reports whether a row counts, given the newer postings. It also remembers rows that do not count: a
// grant that became a loan, or moved to another year, is outdated in an older posting.
func (l *Deduplicator) admit(p *Posting, a *Award, reason string) string {
	if len(l.seen) > 0 || p.repeats {
		key := hashKey(a.Transaction)
		if _, ok := l.seen[key]; ok {
			return ReasonReplaced
		}
		if p.repeats {
			l.seen[key] = struct{}{}
		}
	}
	if p.covered[a.FiscalYear] {
		return ReasonReplaced
	}
	if p.Delta && a.FiscalYear != 0 && !p.based[a.FiscalYear] && !p.based[0] {
		return ReasonBase
	}
	return reason
}

// hashKey is the hash of a key without regard to case, which differs between postings.
func hashKey(key string) uint64 {
	h := hash.Start
	for i := range len(key) {
		c := key[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		h = hash.Byte(h, c)
	}
	return h
}

// Read calls fn for every transaction of a posting that counts: one that no posting read earlier had.
// Postings must be read in the order of Plan. in is one CSV file of the posting.
func (l *Deduplicator) Read(p *Posting, in io.Reader, fn func(*Award) error) (rows.Tally, error) {
	return read(in, l, p, fn)
}

// ReadFile reads all CSVs of a posting: the members of a zip, or a single plain or gzipped file. path is where the file is.
func (l *Deduplicator) ReadFile(ctx context.Context, p *Posting, path string, fn func(*Award) error) (rows.Tally, error) {
	packed := rows.Packed{Format: ErrFormat, Extensions: []string{".csv"}, None: "the zip holds no CSV"}
	return rows.ReadPacked(ctx, packed, path, func(in io.Reader, fn func(*Award) error) (rows.Tally, error) { return l.Read(p, in, fn) }, fn)
}
