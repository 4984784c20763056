// Package usaspending reads the award archive of USAspending.gov: every federal obligation of a fiscal year,
// one transaction a row, as zips of CSV by year and agency, with deltas that correct them. It knows the
// columns of assistance and of contracts, which transactions are grants and contracts, and which posting of a
// transaction counts. This data has no EINs; a crosswalk identifies the recipients.
package usaspending

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
