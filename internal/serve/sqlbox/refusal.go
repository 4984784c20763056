package sqlbox

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/typo"
)

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
