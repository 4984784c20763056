package result

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/table"
)

type kind int

const (
	text kind = iota
	number
	dollars
	code // a number that names something, such as a year: digits only
	org  // an EIN
	grant
	structure
)

// Column is a column of a table.
type Column struct {
	Name string
	Type string // type in DuckDB

	kind kind
	year bool
	// state reports whether a column's name suggests state codes.
	state bool
}

// Number reports whether the values are aligned right.
func (c Column) Number() bool { return c.kind == number || c.kind == dollars || c.kind == code }

var (
	numeric = regexp.MustCompile(`^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$|^(?:FLOAT|DOUBLE|BIGNUM)$|^DECIMAL`)
	nested  = regexp.MustCompile(`\]$|^(?:STRUCT|MAP|UNION|JSON)`)
)

// Words in a column's name that tell its kind. A column without such words is a plain number: a dollar sign would be a guess.
var (
	codeWords   = table.SetOf("year years fips zip zip5 zip4 zipcode ein id ids key code ruling period phone num ent version duns uei row rownum rank")
	dollarWords = table.SetOf("amount amounts amt dollar dollars usd revenue revenues expense expenses expenditure asset assets liabilities fmv paid surplus " +
		"income contributions giving given gave received spending spent pay salary compensation debt cash savings grants_paid total_out payables receivables " +
		"endowment donations donated")
	countWords = table.SetOf("count counts n number pct percent percentage share shares ratio rate months month days day score prob confidence conf growth " +
		"change times distinct size per rank index")
)

func newColumn(c sqlbox.Column, foreign bool) Column {
	col := Column{Name: clean(c.Name, mostText), Type: clean(c.Type, mostText)}
	parts := strings.FieldsFunc(strings.ToLower(c.Name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	has := func(list map[string]bool) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return list[p] })
	}
	whole := strings.ToLower(c.Name)
	last := ""
	if len(parts) > 0 {
		last = parts[len(parts)-1]
	}
	switch {
	case numeric.MatchString(c.Type):
		counted := has(countWords)
		col.year = (last == "year" || last == "yr") && !counted
		switch {
		case codeWords[last] && !counted && (len(parts) <= 2 || last != "num"):
			col.kind = code
		case !foreign && !counted && (has(dollarWords) || dollarWords[whole]):
			col.kind = dollars
		default:
			col.kind = number
		}
	case nested.MatchString(c.Type):
		col.kind = structure
	case c.Type != "VARCHAR":
	case last == "ein" || whole == "recip_id" || whole == "e1" || whole == "e2":
		col.kind = org
	case whole == "grant_key":
		col.kind = grant
	default:
		col.state = last == "state" || last == "states"
		col.year = last == "year"
	}
	return col
}

// mostBytes is the most bytes that the shown characters of a cell can take, plus one character.
const mostBytes = 4 * (mostText + 1)

var grantKey = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

// cell is a value as the table shows it, and whether it was cut.
func (c Column) cell(raw json.RawMessage, o *Options) (_ Cell, cut bool) {
	if isNull(raw) {
		return Cell{Null: true}, false
	}
	s, isText := textOf(raw, mostText)
	if !isText {
		if c.kind != structure && isNumber(raw) {
			return Cell{Text: c.format(string(raw))}, false
		}
		s = string(raw[:min(len(raw), mostBytes)])
	}
	cell := Cell{Text: clean(s, mostText)}
	switch c.kind {
	case org:
		if e, err := ein.Parse(strings.TrimPrefix(s, "ein-")); err == nil && o.Known != nil && len(s) <= len("ein-")+9 {
			cell.Href, _ = o.Known(e)
		}
	case grant:
		if grantKey.MatchString(s) {
			cell.Href = "/grant/" + s
		}
	}
	return cell, utf8.RuneCountInString(s) > mostText
}

func (c Column) format(s string) string {
	switch c.kind {
	case number:
		return grouped(rounded(s, 4))
	case dollars:
		s = grouped(rounded(s, 2))
		if rest, below := strings.CutPrefix(s, "-"); below {
			return "-$" + rest
		}
		return "$" + s
	}
	return s
}

// rounded limits the decimals of a number, or its digits if it is close to zero. Whole numbers keep all digits.
func rounded(s string, places int) string {
	if !strings.ContainsAny(s, ".eE") {
		return s
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	if size := math.Abs(f); size > 1e15 || size > 0 && size < math.Pow10(-places) {
		return strconv.FormatFloat(f, 'g', places, 64)
	}
	out := strconv.FormatFloat(f, 'f', places, 64)
	if places != 2 || strings.HasSuffix(out, ".00") { // cents have two
		out = strings.TrimSuffix(strings.TrimRight(out, "0"), ".")
	}
	if out == "-0" {
		return "0"
	}
	return out
}

func grouped(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	end := len(s)
	if i := strings.IndexAny(s, ".eE"); i >= 0 {
		end = i
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, r := range s[:end] {
		if i > 0 && (end-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String() + s[end:]
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func isNumber(raw json.RawMessage) bool {
	return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// clean bounds a text. Invisible characters, and those that change the direction of the text, become visible symbols.
func clean(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			s = s[:i] + "…"
			break
		}
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f:
			return utf8.RuneError
		}
		return r
	}, s)
}
