package sqlbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/fault"
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
