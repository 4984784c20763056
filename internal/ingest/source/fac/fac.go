// Package fac reads the Federal Audit Clearinghouse: the one public source that names the EIN and the federal
// identifier of an organization together. Organizations that spend federal money above a threshold file an
// audit each year and state both. The package reads the general table of the present clearinghouse, which has
// the UEI, and the older one of the Census Bureau, which has the DUNS number.
package fac

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
)

// Pair holds the identifiers that one audit states for its auditee.
type Pair struct {
	UEI   string // 12 letters and digits; empty in older rows
	DUNS  string // nine digits; empty in newer rows
	EIN   ein.EIN
	Name  string
	State string
	Year  int // of the audit
}

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonEIN        = "no usable EIN"
	ReasonIdentifier = "no UEI or DUNS number"
	ReasonYear       = "no audit year"
)

// Errors that mean that a file is not the general table.
var (
	ErrFormat = errors.New("not a general table of the Federal Audit Clearinghouse")
	// ErrTable reports another table of the clearinghouse, which we cannot use: the lists of additional UEIs
	// and EINs of an audit do not say which UEI belongs to which EIN.
	ErrTable = errors.New("another table of the Federal Audit Clearinghouse")
)

// Indexes of the columns that are read, and their names in both tables.
const (
	taxID = iota
	year
	uei
	duns
	name
	state
	knownColumns
)

var columns = [knownColumns][2]string{
	taxID: {"auditee_ein", "EIN"},
	year:  {"audit_year", "AUDITYEAR"},
	uei:   {"auditee_uei", "UEI"},
	duns:  {"auditee_duns", "DUNS"},
	name:  {"auditee_name", "AUDITEENAME"},
	state: {"auditee_state", "STATE"},
}

const maxRow = 64 << 10

// Read reads, as package rows promises, the audits of a general table that name an EIN and a federal identifier. The file may
// be CSV or have bars between the fields, as the Census Bureau wrote it, plain or gzipped.
func Read(r io.Reader, fn func(*Pair) error) (tally rows.Tally, err error) {
	plain, err := rows.Inflate(r)
	if err != nil {
		return tally, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	var pair Pair
	var place [knownColumns]int
	header := func(names []string) (err error) { place, err = findColumns(names); return err }
	text := bufio.NewReaderSize(plain, maxRow)
	general := rows.Headed{Name: "the general table", Format: ErrFormat}
	take := func(fields []string) string { return pair.take(fields, place) }
	return general.Scan(rows.NewScanner(text, layout(text)), header, take, func() error { return fn(&pair) })
}

// ReadFile reads a general table from a file: plain, gzipped, or a zip. It skips other tables in a zip. The
// error is ErrTable if the zip has only other tables.
func ReadFile(ctx context.Context, path string, fn func(*Pair) error) (rows.Tally, error) {
	packed := rows.Packed{Format: ErrFormat, Extensions: []string{".csv", ".txt"}, None: "the zip holds no CSV or text file", Other: ErrTable}
	return rows.ReadPacked(ctx, packed, path, Read, fn)
}

// layout tells the two forms apart by the first line.
func layout(text *bufio.Reader) rows.Layout {
	head, _ := text.Peek(maxRow) // the reader meets the same error and reports it
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte("\n"))
	if bytes.Count(line, []byte("|")) > bytes.Count(line, []byte(",")) {
		return rows.Layout{Separator: '|', MaxRow: maxRow}
	}
	return rows.Layout{Separator: ',', Quotes: true, MaxRow: maxRow}
}

// findColumns finds the position of each column. Names of the present
// clearinghouse take precedence over those of the Census Bureau.
func findColumns(names []string) (place [knownColumns]int, err error) {
	for i, c := range columns {
		if place[i] = rows.Find(names, c[0])[0]; place[i] < 0 {
			place[i] = rows.Find(names, c[1])[0]
		}
	}
	if place[taxID] >= 0 && place[year] >= 0 && (place[uei] >= 0 || place[duns] >= 0) {
		return place, nil
	}
	// Every table of the clearinghouse is keyed by the audit.
	if key := rows.Find(names, "report_id", "DBKEY"); key[0] >= 0 || key[1] >= 0 {
		return place, ErrTable
	}
	return place, fmt.Errorf("%w: the header lacks auditee_ein, audit_year or auditee_uei (EIN, AUDITYEAR and DUNS in files of the Census Bureau)", ErrFormat)
}

func (p *Pair) take(fields []string, place [knownColumns]int) (reason string) {
	field := func(column int) string {
		if at := place[column]; at >= 0 {
			return strings.TrimSpace(fields[at])
		}
		return ""
	}
	*p = Pair{UEI: UEI(field(uei)), DUNS: DUNS(field(duns)), Name: rows.Clean(field(name)), State: rows.Clean(field(state))}
	if p.UEI == "" && p.DUNS == "" {
		return ReasonIdentifier
	}
	ok := false
	if p.EIN, ok = ein.Filed(field(taxID)); !ok {
		return ReasonEIN
	}
	n, err := strconv.Atoi(strings.TrimSuffix(field(year), ".0"))
	if err != nil || n < 1990 || n > 2200 {
		return ReasonYear
	}
	p.Year = n
	return ""
}

// UEI returns a unique entity identifier in capitals, or "" if s is not a UEI.
// The clearinghouse writes GSA_MIGRATION for old audits without a UEI.
func UEI(s string) string {
	if len(s) != 12 {
		return ""
	}
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		default:
			return ""
		}
	}
	if digits == len(s) && strings.Trim(s, s[:1]) == "" {
		return "" // one digit twelve times
	}
	return strings.ToUpper(s)
}

// DUNS returns a DUNS number in nine digits, or "" if s is not a DUNS number. It drops hyphens and the four
// extra digits of a site, and restores leading zeros that a spreadsheet lost.
func DUNS(s string) string {
	var b [9]byte
	n, total := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			if total++; n < len(b) {
				b[n] = c
				n++
			}
		case c != '-' && c != ' ':
			return ""
		}
	}
	if total != 13 && (total < 7 || total > 9) {
		return ""
	}
	out := strings.Repeat("0", len(b)-n) + string(b[:n])
	if strings.Trim(out, out[:1]) == "" {
		return "" // one digit nine times: a placeholder
	}
	return out
}

// Crosswalk maps a federal identifier to an EIN. The newest audit that names an identifier counts, because an
// organization that changes its EIN keeps its identifier. If audits of that year disagree, the identifier has
// no EIN. Audits may be added in any order.
type Crosswalk struct {
	uei, duns map[string]claim
}

// claim is what the newest audits say about an identifier.
type claim struct {
	year      int
	ein       ein.EIN
	ambiguous bool
}

func NewCrosswalk() *Crosswalk {
	return &Crosswalk{uei: make(map[string]claim), duns: make(map[string]claim)}
}

func (c *Crosswalk) Add(p *Pair) {
	if p.EIN == ein.None {
		return
	}
	add(c.uei, p.UEI, p)
	add(c.duns, p.DUNS, p)
}

func add(claims map[string]claim, id string, p *Pair) {
	if id == "" {
		return
	}
	old, ok := claims[id]
	switch {
	case !ok, p.Year > old.year:
		claims[strings.Clone(id)] = claim{year: p.Year, ein: p.EIN}
	case p.Year == old.year && p.EIN != old.ein:
		old.ambiguous = true
		claims[id] = old
	}
}

// Find returns the EIN of a recipient by its UEI, or by its DUNS number if the UEI is unknown or absent, and says which of the
// two matched. If audits disagree about a UEI, the DUNS number is not tried: the disagreement concerns the same organization.
func (c *Crosswalk) Find(uei, duns string) (e ein.EIN, byUEI, ok bool) {
	k, byUEI := c.uei[UEI(uei)] // no identifier is empty
	known := byUEI
	if !byUEI {
		k, known = c.duns[DUNS(duns)]
	}
	if !known || k.ambiguous {
		return ein.None, byUEI, false
	}
	return k.ein, byUEI, true
}

// Size says how many identifiers a crosswalk knows.
type Size struct {
	UEI       int `json:"uei"`
	DUNS      int `json:"duns"`
	Ambiguous int `json:"ambiguous"` // of both: audits of the newest year disagree, so they have no EIN
}

// Size counts the identifiers. The first two figures exclude ambiguous identifiers.
func (c *Crosswalk) Size() (n Size) {
	count := func(claims map[string]claim) (known int) {
		for _, k := range claims {
			if k.ambiguous {
				n.Ambiguous++
			} else {
				known++
			}
		}
		return known
	}
	n.UEI, n.DUNS = count(c.uei), count(c.duns)
	return n
}
