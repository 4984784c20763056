package sqlbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/typo"
	"grantgraph/internal/warehouse"
)

// Slugs of the faults that a query may end in. Rejected, TooComplex and ProTable
// are found before any data is read; Busy and Concurrent before anything at all.
// TooComplex is the one refusal of Check that costs a call: it took as much of
// the machine as a query does.
const (
	Rejected    = "sql_rejected"    // 400: not a query that may run
	TooComplex  = "sql_too_complex" // 400: takes more to be read than a statement may
	ProTable    = "pro_table"       // 403: names a table of the Pro plan
	TimedOut    = "sql_timeout"     // 400: stopped at the time limit
	Failed      = "sql_failed"      // 400: went wrong while it ran
	OutOfMemory = "sql_memory"      // 400: needed more memory than it may use
	TooLarge    = "sql_too_large"   // 400: the answer has too many bytes
	Busy        = "sql_busy"        // 503: every worker is at work and the queue is full
	Concurrent  = "sql_concurrent"  // 429: the owner of the key has queries running already
	Unavailable = "sql_unavailable" // 503: there is no warehouse to ask
)

func reject(format string, args ...any) *fault.Fault { return fault.New(Rejected, format, args...) }

// at says where in the statement a byte is, for the end of a message.
func at(sql string, offset int) string {
	if offset < 0 || offset > len(sql) {
		return ""
	}
	before := sql[:offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf(" (line %d, column %d)", line, column)
}

var (
	kindPattern    = regexp.MustCompile(`^([A-Z][A-Za-z ]*?)(?: \([A-Z_]+\))? Error: `)
	columnPattern  = regexp.MustCompile(`Referenced column "([^"]*)" (?:was )?not found`)
	valuePattern   = regexp.MustCompile(`(?:[Tt]able|Values list) "([^"]*)" does not have a column named "([^"]*)"`)
	tablePattern   = regexp.MustCompile(`Referenced table "([^"]*)" not found`)
	boundPattern   = regexp.MustCompile(`Candidate (?:binding|table)s?: ?:? ?(.*)`)
	starvedPattern = regexp.MustCompile(`^(?:[Ff]ailed to allocate|[Cc]ould not allocate|std::bad_alloc|\{"exception_type":"\w+","exception_message":"std::bad_alloc")`)
	pathPattern    = regexp.MustCompile(`(?:/[\w.@+-]+){2,}|[\w./-]+\.duckdb\b`)
	catalogs       = strings.NewReplacer("warehouse_pro.main.", "", "warehouse.main.", "", "memory.main.", "")
)

// explain turns what the engine says into something fit to be read, without
// the engine's stack of hints and without any path. The engine, which is told
// to speak JSON, counts from the first byte of what it was sent; the statement
// begins so many bytes later.
func explain(err error, sql string, before int) (kind, message string) {
	text, where := strings.ReplaceAll(err.Error(), "database/sql/driver: ", ""), ""
	// What the engine raises in its parser it wraps twice.
	for range 3 {
		var said struct {
			Kind     string `json:"exception_type"`
			Message  string `json:"exception_message"`
			Position string `json:"position"`
		}
		if i := strings.Index(text, `{"exception_type"`); i >= 0 && json.Unmarshal([]byte(text[i:]), &said) == nil {
			kind, text = said.Kind, said.Message
			if offset, err := strconv.Atoi(said.Position); err == nil {
				where = at(sql, offset-before)
			}
		} else if m := kindPattern.FindStringSubmatch(text); m != nil {
			kind, text = m[1], text[len(m[0]):]
		}
	}
	if tooDeep(text) {
		return kind, nestedTooDeep + where
	}
	head := headline(text)
	if m := columnPattern.FindStringSubmatch(text); m != nil {
		head = fmt.Sprintf("unknown column %q", m[1])
	} else if m := valuePattern.FindStringSubmatch(text); m != nil {
		head = fmt.Sprintf("unknown column %q of %q", m[2], m[1])
	} else if m := tablePattern.FindStringSubmatch(text); m != nil {
		head = fmt.Sprintf("%q names no table in FROM", m[1])
	}
	if m := columnPattern.FindStringSubmatch(text); m != nil && strings.Contains(sql, `"`+m[1]+`"`) {
		head += fmt.Sprintf("; if it is text and no name, it stands in single quotes: '%s'", m[1])
	} else if m := boundPattern.FindStringSubmatch(text); m != nil {
		head += "; did you mean " + strings.TrimRight(m[1], ". ") + "?"
	}
	return kind, fault.Clip(scrub(head, sql), maxQuoted) + where
}

// headline is the first line of what the engine says, without its advice to
// change a setting.
func headline(text string) string {
	head, _, _ := strings.Cut(text, "\n")
	head, _, _ = strings.Cut(head, ` Use "SET `)
	return strings.TrimRight(strings.TrimSpace(head), "!.")
}

// nestedTooDeep is said when the engine meets its own bound of depth, whose
// name and setting are no business of the caller's.
const nestedTooDeep = "the statement is nested too deeply"

func tooDeep(text string) bool {
	return strings.Contains(text, "Max expression depth") || strings.HasPrefix(text, "memory exhausted at or near") || strings.Contains(text, "maximum recursion depth")
}

// starved says whether the engine failed for want of memory.
func starved(kind, message string) bool {
	return kind == "Out of Memory" || starvedPattern.MatchString(message)
}

// scrub takes out what tells where the files are. What the statement itself
// says may be said back.
func scrub(s, sql string) string {
	s = catalogs.Replace(s)
	return pathPattern.ReplaceAllStringFunc(s, func(p string) string {
		if strings.Contains(sql, p) {
			return p
		}
		return "…"
	})
}

// maxQuoted bounds what a message repeats of a statement or of the engine, in
// bytes.
const maxQuoted = 500

// failure is the fault for an error of a query that ran, sent to the engine
// after so many bytes of ours.
func failure(err error, sql string, before int) *fault.Fault {
	if strings.HasSuffix(err.Error(), "empty name") { // the driver's only way to say it
		return fault.New(Failed, "a row whose fields have no names cannot be returned").Try("name them: {'a': …, 'b': …} in place of (…, …) or row(…, …)")
	}
	if strings.Contains(err.Error(), "unsupported data type") { // the driver's as well
		return fault.New(Failed, "a column has a type that cannot be returned").Try("cast it to VARCHAR")
	}
	kind, message := explain(err, sql, before)
	switch {
	case kind == "INTERRUPT" || strings.Contains(message, "Interrupted"):
		return timeout()
	case starved(kind, message):
		return memory()
	case kind == "Binder" || kind == "Parser" || kind == "Catalog" || kind == "Syntax":
		return fault.New(Rejected, "%s", message)
	case !itsOwn[kind]:
		return unfit()
	}
	return fault.New(Failed, "the query failed: %s", message)
}

// itsOwn are the kinds of errors that a statement brings about by what it says
// or by what it meets in the data. After any other, and after one that has no
// kind, the engine is not trusted with another statement.
var itsOwn = map[string]bool{
	"Binder": true, "Parser": true, "Catalog": true, "Syntax": true, "Conversion": true, "Invalid Input": true, "Out of Range": true,
	"Not implemented": true, "Mismatch Type": true, "Invalid type": true, "Divide by Zero": true, "Decimal": true, "Constraint": true,
	"Expression": true, "Parameter Not Resolved": true, "Parameter Not Allowed": true, "Permission": true, "Object Size": true,
	"INTERRUPT": true, "Out of Memory": true,
}

// errBroken is the cause of a fault after which the engine that had it is ended.
var errBroken = errors.New("the engine broke")

func unfit() *fault.Fault {
	f := fault.New(Failed, "the engine could not run this query").Try("write it another way")
	f.Err = errBroken
	return f
}

func tooComplex() *fault.Fault {
	return fault.New(TooComplex, "the statement takes more to be read than a statement may: about a second of processor time").
		Try("nest less, select fewer columns, or split it into smaller queries")
}

func timeout() *fault.Fault {
	return fault.New(TimedOut, "the query was stopped at the time limit").
		Try("narrow the query with a tax_year or funder_ein filter and retry")
}

func memory() *fault.Fault {
	return fault.New(OutOfMemory, "the query needs more memory than a query may use").
		Try("select fewer columns, filter earlier, or aggregate before joining")
}

// unknownTable explains a name that is no view.
func unknownTable(name string) *fault.Fault {
	f := reject("unknown table %q", fault.Clip(name, maxQuoted))
	var names []string
	for _, v := range warehouse.Views() {
		names = append(names, v.Name)
	}
	meant := typo.Meant(name, names)
	if meant == "" {
		return f.Try("GET /sql/schema lists the tables; names are lower-case")
	}
	f.Message += fmt.Sprintf("; did you mean %q?", meant)
	return f.Try("names of tables are lower-case and case-sensitive")
}
