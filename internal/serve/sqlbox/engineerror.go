package sqlbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/typo"
)

var (
	kindPattern   = regexp.MustCompile(`^([A-Z][A-Za-z ]*?)(?: \([A-Z_]+\))? Error: `)
	columnPattern = regexp.MustCompile(`Referenced column "([^"]*)" (?:was )?not found`)
	valuePattern  = regexp.MustCompile(`(?:[Tt]able|Values list) "([^"]*)" does not have a column named "([^"]*)"`)
	tablePattern  = regexp.MustCompile(`Referenced table "([^"]*)" not found`)
	boundPattern  = regexp.MustCompile(`Candidate (?:binding|table)s?: ?:? ?(.*)`)
	memoryPattern = regexp.MustCompile(`^(?:[Ff]ailed to allocate|[Cc]ould not allocate|std::bad_alloc|` +
		`\{"exception_type":"\w+","exception_message":"std::bad_alloc")`)
	pathPattern = regexp.MustCompile(`(?:/[\w.@+-]+){2,}|[\w./-]+\.duckdb\b`)
	catalogs    = strings.NewReplacer("warehouse_pro.main.", "", "warehouse.main.", "", "memory.main.", "")
)

// explain turns an error of the engine into a message for people, without the engine's hints and any path. The engine reports
// errors as JSON and counts positions from the first byte it was sent, before bytes earlier than the statement.
func explain(err error, sql string, before int) (kind, message string) {
	text, where := strings.ReplaceAll(err.Error(), "database/sql/driver: ", ""), ""
	// The engine wraps an error of its parser twice.
	for range 3 {
		var said struct {
			Kind     string `json:"exception_type"`
			Message  string `json:"exception_message"`
			Position string `json:"position"`
		}
		if i := strings.Index(text, `{"exception_type"`); i >= 0 && json.Unmarshal([]byte(text[i:]), &said) == nil {
			kind, text = said.Kind, said.Message
			if offset, err := strconv.Atoi(said.Position); err == nil {
				where = positionIn(sql, offset-before)
			}
		} else if m := kindPattern.FindStringSubmatch(text); m != nil {
			kind, text = m[1], text[len(m[0]):]
		}
	}
	if tooDeep(text) {
		return kind, nestedTooDeep + where
	}
	head, column := firstLine(text), ""
	if m := columnPattern.FindStringSubmatch(text); m != nil {
		head, column = fmt.Sprintf("unknown column %q", m[1]), m[1]
	} else if m := valuePattern.FindStringSubmatch(text); m != nil {
		head, column = fmt.Sprintf("unknown column %q of %q", m[2], m[1]), m[2]
	} else if m := tablePattern.FindStringSubmatch(text); m != nil {
		head = fmt.Sprintf("%q names no table in FROM", m[1])
	}
	if m := columnPattern.FindStringSubmatch(text); m != nil && strings.Contains(sql, `"`+m[1]+`"`) {
		head += fmt.Sprintf("; if it is text and not a name, put it in single quotes: '%s'", m[1])
	} else if m := boundPattern.FindStringSubmatch(text); m != nil {
		names := strings.Split(strings.TrimRight(m[1], ". "), ", ")
		if alike := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !alike(column, strings.Trim(n, `"`)) }); len(alike) > 0 {
			names = alike
		}
		head += "; did you mean " + strings.Join(names, ", ") + "?"
	}
	return kind, fault.Clip(hidePaths(head, sql), maxQuoted) + where
}

// alike reports whether two columns share a word or nearly all letters. The engine also proposes columns that share neither.
func alike(a, b string) bool {
	words := strings.Split(strings.ToLower(b), "_")
	return typo.Distance(strings.ToLower(a), strings.ToLower(b)) <= 1+len(a)/6 ||
		slices.ContainsFunc(strings.Split(strings.ToLower(a), "_"), func(w string) bool { return slices.Contains(words, w) })
}

// firstLine returns the first line of a message, without advice to change a setting.
func firstLine(text string) string {
	head, _, _ := strings.Cut(text, "\n")
	head, _, _ = strings.Cut(head, ` Use "SET `)
	return strings.TrimRight(strings.TrimSpace(head), "!.")
}

// nestedTooDeep is the message when the engine reaches its own bound of depth.
// It does not name the engine's setting, which callers cannot change.
const nestedTooDeep = "the statement is nested too deeply"

func tooDeep(text string) bool {
	return strings.Contains(text, "Max expression depth") || strings.HasPrefix(text, "memory exhausted at or near") ||
		strings.Contains(text, "maximum recursion depth")
}

// isOutOfMemory reports whether the engine failed because it had too little memory.
func isOutOfMemory(kind, message string) bool {
	return kind == "Out of Memory" || memoryPattern.MatchString(message)
}

// hidePaths removes paths from a message, except those of the statement itself.
func hidePaths(s, sql string) string {
	s = catalogs.Replace(s)
	return pathPattern.ReplaceAllStringFunc(s, func(p string) string {
		if strings.Contains(sql, p) {
			return p
		}
		return "…"
	})
}

// failure is the fault of a query that ran after before bytes of ours.
func failure(err error, sql string, before int) *fault.Fault {
	if strings.HasSuffix(err.Error(), "empty name") { // the driver reports it only by this text
		return fault.New(Failed, "a row whose fields have no names cannot be returned").Try("name them: {'a': …, 'b': …} in place of (…, …) or row(…, …)")
	}
	if strings.Contains(err.Error(), "unsupported data type") { // the driver reports it only by this text
		return fault.New(Failed, "a column has a type that cannot be returned").Try("cast it to VARCHAR")
	}
	kind, message := explain(err, sql, before)
	switch {
	case kind == "INTERRUPT" || strings.Contains(message, "Interrupted"):
		return timedOut()
	case isOutOfMemory(kind, message):
		return outOfMemory()
	case kind == "Binder" || kind == "Parser" || kind == "Catalog" || kind == "Syntax":
		return fault.New(Rejected, "%s", message)
	case !statementErrors[kind]:
		return engineFailed()
	}
	return fault.New(Failed, "the query failed: %s", message)
}

// statementErrors are the kinds of errors that a statement or the data can cause. After another
// error, the engine runs no further statement.
var statementErrors = map[string]bool{
	"Binder": true, "Parser": true, "Catalog": true, "Syntax": true, "Conversion": true, "Invalid Input": true, "Out of Range": true,
	"Not implemented": true, "Mismatch Type": true, "Invalid type": true, "Divide by Zero": true, "Decimal": true, "Constraint": true,
	"Expression": true, "Parameter Not Resolved": true, "Parameter Not Allowed": true, "Permission": true, "Object Size": true,
	"INTERRUPT": true, "Out of Memory": true,
}

// Slugs of the faults of a query. TooComplex is the only refusal of Check that costs a call, because it takes as much
// processor time as a query.
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

// maxQuoted is how many bytes of a statement or an engine's message a message may repeat.
const maxQuoted = 500

func reject(format string, args ...any) *fault.Fault { return fault.New(Rejected, format, args...) }

// positionIn says where in the statement a byte is, for the end of a message.
func positionIn(sql string, offset int) string {
	if offset < 0 || offset > len(sql) {
		return ""
	}
	before := sql[:offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf(" (line %d, column %d)", line, column)
}

func tooComplex() *fault.Fault {
	return fault.New(TooComplex, "the statement takes more to be read than a statement may: about a second of processor time").
		Try("nest less, select fewer columns, or split it into smaller queries")
}

func timedOut() *fault.Fault {
	return fault.New(TimedOut, "the query was stopped at the time limit").
		Try("narrow the query with a tax_year or funder_ein filter and retry")
}

func outOfMemory() *fault.Fault {
	return fault.New(OutOfMemory, "the query needs more memory than a query may use").
		Try("select fewer columns, filter earlier, or aggregate before joining")
}

func unknownTable(name string) *fault.Fault {
	f := reject("unknown table %q", fault.Clip(name, maxQuoted))
	names := each.Append(nil, warehouse.Views(), func(v warehouse.View) string { return v.Name })
	meant := typo.Meant(name, names)
	if meant == "" {
		return f.Try("GET /sql/schema lists the tables; names are lower-case")
	}
	f.Message += fmt.Sprintf("; did you mean %q?", meant)
	return f.Try("names of tables are lower-case and case-sensitive")
}

func busy() *fault.Fault {
	return fault.New(Busy, "too many queries are running").Try("retry in %d seconds", RetryAfter)
}

func noWorker(err error) error {
	f := fault.New(Unavailable, "no worker could be started").Try("retry in a minute")
	f.Err = err
	return f
}

// errBroken is the cause of a fault after which the engine must not be used again.
var errBroken = errors.New("the engine broke")

func engineFailed() *fault.Fault {
	f := fault.New(Failed, "the engine could not run this query").Try("write it another way")
	f.Err = errBroken
	return f
}
