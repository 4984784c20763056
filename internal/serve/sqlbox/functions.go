package sqlbox

import (
	_ "embed"
	"maps"
	"slices"

	"grantgraph/internal/table"
)

//go:embed functions.txt
var functionList string

// functions are the functions that a query may call. The gate refuses every
// other function of the engine. The list omits on purpose all functions that
// read a file, take SQL or the name of a table as text, show the catalog, the
// settings or the session, wait, write a log, or export the state of an
// aggregate.
var functions = table.Set("functions.txt", functionList)

var tableFunctions = table.SetOf("unnest range generate_series find_org")

// Functions returns the names of the functions that a query may call, sorted
// and without operators.
func Functions() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(functions)), func(name string) bool { return !letter(name[0]) })
}
