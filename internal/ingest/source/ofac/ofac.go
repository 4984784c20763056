// Package ofac reads the sanctions lists of the Office of Foreign Assets Control in delimited form: one file
// of entries, and three files with other names, addresses and long remarks. The list of Specially Designated
// Nationals and the consolidated list have the same layout. The package joins the files in memory: a list has
// about 15,000 entries, and its rows mean little without the others.
//
// A damaged list must never pass for a complete one, because an organization missing from it would be called clear. So the
// package refuses a file that is empty, a web page or of another layout, and counts every row that it leaves out.
package ofac

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ingest/source/rows"
)

// Files are the parts of one list, plain or gzipped. Only Primary is required;
// without Comments, remarks over a thousand characters stay cut off.
type Files struct {
	Primary   io.Reader // sdn.csv or cons_prim.csv
	Aliases   io.Reader // alt.csv or cons_alt.csv
	Addresses io.Reader // add.csv or cons_add.csv
	Comments  io.Reader // sdn_comments.csv or cons_comments.csv
}

type List struct {
	Entries   []Entry    // in order of their numbers
	Tally     rows.Tally // of the primary file
	Aliases   rows.Tally
	Addresses rows.Tally
	Comments  rows.Tally
}

// Entry is one sanctioned person, organization, vessel or aircraft.
type Entry struct {
	Num        int64
	Name       string // as published; of a person, "LAST, First"
	Type       string // individual, vessel or aircraft; empty for an entity
	Programs   []string
	Title      string
	CallSign   string // this and the five after it are about vessels and aircraft
	VesselType string
	Tonnage    string
	GRT        string
	Flag       string
	Owner      string
	Remarks    string // complete where the list's comments were read
	Aliases    []Alias
	Addresses  []Address
}

// Entity reports whether the entry is an organization. Names of organizations are compared with such entries.
func (e *Entry) Entity() bool { return e.Type == "" }

// Weak is the type of an alias that is stated only in the remarks. The office
// sets such names apart because they are broad and often match by accident.
const Weak = "weak"

type Alias struct {
	Num     int64  // 0 for a weak alias
	Type    string // aka, fka, nka or Weak
	Name    string
	Remarks string
}

type Address struct {
	Num     int64
	Street  string
	City    string // with state, province and postal code
	Country string
	Remarks string
}

// Reasons to leave out a row, in addition to those of package rows.
const (
	ReasonNumber    = "malformed entry number"
	ReasonName      = "empty name"
	ReasonRepeated  = "entry number seen before"
	ReasonOrphan    = "belongs to no entry"
	ReasonUnrelated = "continues remarks that are complete"
)

// ErrFormat is wrapped by every error for a file that is not part of a list.
var ErrFormat = errors.New("not a sanctions list")

// Columns of the four files. None of them has a header.
const (
	primaryColumns = 12
	aliasColumns   = 5
	addressColumns = 6
	commentColumns = 2
)

// cutAt is the length at which the primary file cuts remarks.
const cutAt = 1000

// Read reads and joins the files of a list. It counts unusable rows and leaves them out. These include rows
// that belong to no entry, which happens when the files are of different days.
func Read(f Files) (*List, error) {
	if f.Primary == nil {
		return nil, fmt.Errorf("%w: the primary file is missing", ErrFormat)
	}
	b := &builder{place: map[int64]int{}, budget: budget{rows: maxRows, bytes: maxBytes}}
	for _, part := range []listFile{
		{"primary", f.Primary, primaryColumns, &b.list.Tally, b.entry},
		{"alias", f.Aliases, aliasColumns, &b.list.Aliases, b.alias},
		{"address", f.Addresses, addressColumns, &b.list.Addresses, b.address},
		{"comment", f.Comments, commentColumns, &b.list.Comments, b.comment},
	} {
		if part.r == nil {
			continue
		}
		if err := part.read(&b.budget); err != nil {
			return nil, err
		}
	}
	if b.list.Tally.Rows == 0 {
		return nil, fmt.Errorf("%w: the primary file holds no usable row; fetch it again", ErrFormat)
	}
	for i := range b.list.Entries {
		e := &b.list.Entries[i]
		e.Remarks = strings.TrimSpace(e.Remarks)
		e.Aliases = appendWeak(e.Aliases, e.Remarks)
	}
	slices.SortFunc(b.list.Entries, func(a, b Entry) int { return cmp.Compare(a.Num, b.Num) })
	return &b.list, nil
}

type builder struct {
	list   List
	place  map[int64]int // entry number to its index in the list
	budget budget
}

func (b *builder) entry(f []string) (reason string) {
	num, ok := number(f[0])
	if !ok {
		return ReasonNumber
	}
	name := value(f[1])
	if name == "" {
		return ReasonName
	}
	if _, seen := b.place[num]; seen {
		return ReasonRepeated
	}
	b.place[num] = len(b.list.Entries)
	e := Entry{Num: num, Name: name, Type: strings.ToLower(value(f[2])), Programs: programs(value(f[3])), Title: value(f[4]),
		CallSign: value(f[5]), VesselType: value(f[6]), Tonnage: value(f[7]), GRT: value(f[8]), Flag: value(f[9]), Owner: value(f[10])}
	// Do not trim yet: a cut may fall beside a space that separates two words. The remarks are trimmed when they are complete.
	if value(f[11]) != "" {
		e.Remarks = f[11]
	}
	b.list.Entries = append(b.list.Entries, e)
	return ""
}

func (b *builder) alias(f []string) (reason string) {
	e, reason := b.find(f[0])
	if reason != "" {
		return reason
	}
	name := value(f[3])
	if name == "" {
		return ReasonName
	}
	num, _ := number(f[1])
	e.Aliases = append(e.Aliases, Alias{Num: num, Type: strings.ToLower(value(f[2])), Name: name, Remarks: value(f[4])})
	return ""
}

// address reads a row of the address file. Many rows only say that no address is known; these add no address.
func (b *builder) address(f []string) (reason string) {
	e, reason := b.find(f[0])
	if reason != "" {
		return reason
	}
	a := Address{Street: value(f[2]), City: value(f[3]), Country: value(f[4]), Remarks: value(f[5])}
	if a == (Address{}) {
		return ""
	}
	a.Num, _ = number(f[1])
	e.Addresses = append(e.Addresses, a)
	return ""
}

// comment completes the remarks of an entry. If the remarks were not cut off,
// the comment belongs to another day's list and would garble them.
func (b *builder) comment(f []string) (reason string) {
	e, reason := b.find(f[0])
	if reason != "" {
		return reason
	}
	if len(e.Remarks) < cutAt && strings.HasSuffix(e.Remarks, ".") {
		return ReasonUnrelated
	}
	if value(f[1]) != "" {
		e.Remarks += f[1]
	}
	return ""
}

func (b *builder) find(num string) (e *Entry, reason string) {
	n, ok := number(num)
	if !ok {
		return nil, ReasonNumber
	}
	i, ok := b.place[n]
	if !ok {
		return nil, ReasonOrphan
	}
	return &b.list.Entries[i], ""
}

// value is the text of a field. Null is written "-0- "; a file that was cut or
// retyped may have lost the last hyphen or end its last row with the end mark.
func value(field string) string {
	s := strings.Trim(field, " \t\r\n"+endMark)
	if s == "-0-" || s == "-0" {
		return ""
	}
	return s
}

// number reads the number of an entry, which is positive.
func number(field string) (n int64, ok bool) {
	n, err := strconv.ParseInt(value(field), 10, 64)
	return n, err == nil && n > 0
}

// programs splits the list of sanctions programs, which is written with
// brackets between its items and none around it: NPWMD] [IFSR.
func programs(s string) (list []string) {
	for p := range strings.SplitSeq(s, "] [") {
		if p = strings.Trim(p, " []"); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// appendWeak adds the aliases that remarks state. Remarks are items between
// semicolons with a period at the end; an alias is an item such as
//
//	a.k.a. 'PEOPLE'S ARMY'
//
// Names may contain apostrophes, so the name ends at the first apostrophe that ends its item. A name without
// an end was cut off with the remarks and is ignored.
func appendWeak(list []Alias, remarks string) []Alias {
	for rest := remarks; rest != ""; {
		quoted, ok := cutAlias(rest)
		if !ok {
			_, rest, _ = strings.Cut(rest, ";")
			rest = strings.TrimLeft(rest, " ")
			continue
		}
		n := nameEnd(quoted)
		if n < 0 {
			return list
		}
		if name := bare(quoted[:n]); name != "" {
			list = append(list, Alias{Type: Weak, Name: name})
		}
		rest = strings.TrimLeft(quoted[n+1:], "; ")
	}
	return list
}

func cutAlias(item string) (quoted string, ok bool) {
	for _, intro := range [...]string{"a.k.a. '", "f.k.a. '", "n.k.a. '"} {
		if len(item) > len(intro) && strings.EqualFold(item[:len(intro)], intro) {
			return item[len(intro):], true
		}
	}
	return "", false
}

// nameEnd returns the index of the quote that closes the name s begins with, or -1.
func nameEnd(s string) int {
	for i := range len(s) {
		if s[i] != '\'' {
			continue
		}
		if after := strings.TrimLeft(s[i+1:], " "); after == "" || after == "." || after[0] == ';' {
			return i
		}
	}
	return -1
}

// bare removes a second pair of quotes, which some names have.
func bare(name string) string {
	name = strings.TrimSpace(name)
	if len(name) > 2 && name[0] == '\'' && name[len(name)-1] == '\'' {
		name = strings.TrimSpace(name[1 : len(name)-1])
	}
	return name
}

// endMark is the Ctrl-Z that closes each file, alone on its last line. Copies that went through an editor may have lost it.
const endMark = "\x1a"

// Limits on all files of one list together. Real lists have fifty thousand rows
// in eight megabytes; the limits guard against other files.
const (
	maxRows  = 2_000_000
	maxBytes = 256 << 20
	maxRow   = 64 << 10
)

type budget struct {
	rows  int
	bytes int64
}

var errTooLarge = fmt.Errorf("it is larger than any sanctions list (%d rows or %d MB in all its files)", maxRows, maxBytes>>20)

type listFile struct {
	name    string
	r       io.Reader
	columns int
	tally   *rows.Tally
	take    func(fields []string) (reason string)
}

// read passes on every row of the file. The first row decides whether this is the expected file. A later row
// with another number of columns is damaged and counted.
func (p listFile) read(b *budget) error {
	plain, err := rows.Inflate(p.r)
	if err != nil {
		return p.refuse(err)
	}
	s := rows.NewScanner(metered{plain, b}, rows.Layout{Separator: ',', Quotes: true, MaxRow: maxRow})
	for begun, ended := false, false; ; begun = true {
		fields, err := s.Fields()
		reason := (rows.RowError)("")
		switch {
		case err == io.EOF && !begun:
			return p.refuse(rows.ErrEmpty)
		case err == io.EOF:
			return nil
		case errors.Is(err, rows.ErrPage), errors.Is(err, errTooLarge):
			return p.refuse(err)
		case errors.As(err, &reason):
		case err != nil:
			return fmt.Errorf("reading the %s file of a sanctions list after row %d: %w", p.name, p.tally.Rows, err)
		}
		if ended {
			return p.refuse(errors.New("it goes on after its end mark, as if two files had been joined; fetch it again"))
		}
		if b.rows--; b.rows < 0 {
			return p.refuse(errTooLarge)
		}
		switch {
		case reason != "":
			p.tally.Reject(string(reason))
		case len(fields) == 1 && strings.Contains(fields[0], endMark) && strings.Trim(fields[0], " \t\r"+endMark) == "":
			ended = true
		case len(fields) != p.columns && !begun:
			return p.refuse(fmt.Errorf("its first row has %d columns where %d were expected", len(fields), p.columns))
		case len(fields) != p.columns:
			p.tally.Reject(rows.ReasonColumns)
		default:
			if why := p.take(fields); why != "" {
				p.tally.Reject(why)
			} else {
				p.tally.Rows++
			}
		}
	}
}

func (p listFile) refuse(err error) error {
	return fmt.Errorf("%w: the %s file: %w", ErrFormat, p.name, err)
}

type metered struct {
	r io.Reader
	b *budget
}

func (m metered) Read(p []byte) (int, error) {
	if m.b.bytes <= 0 {
		// The file is too large only if it has more bytes.
		var one [1]byte
		n, err := m.r.Read(one[:])
		if n > 0 {
			err = errTooLarge
		}
		return 0, err
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.b.bytes)])
	m.b.bytes -= int64(n)
	return n, err
}
