// Package hostile is a collection of attacks on the SQL endpoint, and of careless
// statements, for the tests of every stage that SQL from outside passes.
package hostile

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"grantgraph/internal/table"
)

var (
	//go:embed refused.tsv
	refused string
	//go:embed pro_tables.txt
	proTables string
	//go:embed heavy.txt
	heavy string
	//go:embed oversized.txt
	oversized string
)

// Refused holds the statements that the gate must refuse, by what they try to do.
var Refused = func() map[string][]string {
	all := map[string][]string{}
	for _, row := range table.Read("refused.tsv", refused, "tries_to", "statement") {
		statement := row.Text("statement")
		if strings.HasPrefix(statement, `"`) { // a Go string literal, for characters that a table cannot show
			var err error
			if statement, err = strconv.Unquote(statement); err != nil {
				row.Fail("%v", err)
			}
		}
		all[row.Text("tries_to")] = append(all[row.Text("tries_to")], statement)
	}
	return all
}()

// ProTries holds formats of statements that reach for a Pro table, whose name they take.
var ProTries = table.Words("pro_tables.txt", proTables)

// Heavy holds statements that the gate lets pass and that try to exhaust the
// machine. Each must end within its time limit, with an answer or an error.
var Heavy = repeated(table.Words("heavy.txt", heavy))

// Oversized returns statements that are too long or nested too deeply.
func Oversized() []string {
	return append(repeated(table.Words("oversized.txt", oversized)), NestedLambdas(30), NestedLambdas(20))
}

// repetition is a text in a statement that stands there many times: «x×3» is xxx.
var repetition = regexp.MustCompile(`«(.*?)×([0-9]+)»`)

func repeated(statements []string) []string {
	for i, s := range statements {
		statements[i] = repetition.ReplaceAllStringFunc(s, func(r string) string {
			m := repetition.FindStringSubmatch(r)
			n, _ := strconv.Atoi(m[2])
			return strings.Repeat(m[1], n)
		})
	}
	return statements
}

// NestedLambdas returns a statement with lambdas inside lambdas. Each level doubles the engine's work to bind the statement.
func NestedLambdas(deep int) string {
	s := "1"
	for i := range deep {
		s = fmt.Sprintf("list_transform([1], lambda x%d: %s)", i, s)
	}
	return "SELECT " + s
}
