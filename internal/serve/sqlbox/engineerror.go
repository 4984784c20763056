package sqlbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"grantgraph/internal/fault"
)

var (
	kindPattern   = regexp.MustCompile(`^([A-Z][A-Za-z ]*?)(?: \([A-Z_]+\))? Error: `)
	columnPattern = regexp.MustCompile(`Referenced column "([^"]*)" (?:was )?not found`)
	valuePattern  = regexp.MustCompile(`(?:[Tt]able|Values list) "([^"]*)" does not have a column named "([^"]*)"`)
	tablePattern  = regexp.MustCompile(`Referenced table "([^"]*)" not found`)
	boundPattern  = regexp.MustCompile(`Candidate (?:binding|table)s?: ?:? ?(.*)`)
	memoryPattern = regexp.MustCompile(`^(?:[Ff]ailed to allocate|[Cc]ould not allocate|std::bad_alloc|\{"exception_type":"\w+","exception_message":"std::bad_alloc")`)
	pathPattern   = regexp.MustCompile(`(?:/[\w.@+-]+){2,}|[\w./-]+\.duckdb\b`)
	catalogs      = strings.NewReplacer("warehouse_pro.main.", "", "warehouse.main.", "", "memory.main.", "")
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
				where = positionIn(sql, offset-before)
			}
		} else if m := kindPattern.FindStringSubmatch(text); m != nil {
			kind, text = m[1], text[len(m[0]):]
		}
	}
	if tooDeep(text) {
		return kind, nestedTooDeep + where
	}
	head := firstLine(text)
	if m := columnPattern.FindStringSubmatch(text); m != nil {
		head = fmt.Sprintf("unknown column %q", m[1])
	} else if m := valuePattern.FindStringSubmatch(text); m != nil {
		head = fmt.Sprintf("unknown column %q of %q", m[2], m[1])
	} else if m := tablePattern.FindStringSubmatch(text); m != nil {
		head = fmt.Sprintf("%q names no table in FROM", m[1])
	}
	if m := columnPattern.FindStringSubmatch(text); m != nil && strings.Contains(sql, `"`+m[1]+`"`) {
		head += fmt.Sprintf("; if it is text and not a name, put it in single quotes: '%s'", m[1])
	} else if m := boundPattern.FindStringSubmatch(text); m != nil {
		head += "; did you mean " + strings.TrimRight(m[1], ". ") + "?"
	}
	return kind, fault.Clip(hidePaths(head, sql), maxQuoted) + where
}

// firstLine is the first line of what the engine says, without its advice to
// change a setting.
func firstLine(text string) string {
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

// isOutOfMemory says whether the engine failed for want of memory.
func isOutOfMemory(kind, message string) bool {
	return kind == "Out of Memory" || memoryPattern.MatchString(message)
}

// hidePaths takes out what tells where the files are. What the statement itself
// says may be said back.
func hidePaths(s, sql string) string {
	s = catalogs.Replace(s)
	return pathPattern.ReplaceAllStringFunc(s, func(p string) string {
		if strings.Contains(sql, p) {
			return p
		}
		return "…"
	})
}

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

// statementErrors are the kinds of errors that a statement brings about by what
// it says or by what it meets in the data. After any other, and after one that
// has no kind, the engine is not trusted with another statement.
var statementErrors = map[string]bool{
	"Binder": true, "Parser": true, "Catalog": true, "Syntax": true, "Conversion": true, "Invalid Input": true, "Out of Range": true,
	"Not implemented": true, "Mismatch Type": true, "Invalid type": true, "Divide by Zero": true, "Decimal": true, "Constraint": true,
	"Expression": true, "Parameter Not Resolved": true, "Parameter Not Allowed": true, "Permission": true, "Object Size": true,
	"INTERRUPT": true, "Out of Memory": true,
}
