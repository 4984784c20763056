// Package hostile is a collection of attacks on the SQL endpoint, and of careless
// statements, for the tests of every stage that SQL from outside passes.
package hostile

import (
	_ "embed"
	"fmt"
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
var Heavy = append(table.Words("heavy.txt", heavy),
	"SELECT "+strings.Repeat("(SELECT count(*) FROM grants) + ", 300)+"1",
	"SELECT * FROM "+strings.Repeat("grants CROSS JOIN ", 12)+"grants",
	"SELECT 1 WHERE 1 IN ("+strings.Repeat("1,", 20000)+"1)",
	"SELECT 1 "+strings.Repeat("UNION ALL SELECT 1 ", 1000),
	"SELECT approx_quantile(n, ["+strings.Repeat("0.5,", 5000)+"0.5]) FROM range(10000000) t(n)",
)

// Oversized returns statements that are too long or nested too deeply.
func Oversized() []string {
	rep := strings.Repeat
	return []string{
		"SELECT " + rep("1", 1<<20),
		"SELECT '" + rep("x", 1<<20) + "'",
		"SELECT 1" + rep(" ", 1<<20),
		"SELECT 1 --" + rep("x", 1<<20),
		"SELECT " + rep("(", 65) + "1" + rep(")", 65),
		NestedLambdas(30),
		NestedLambdas(20),
		"SELECT " + rep("(", 30000) + "1" + rep(")", 30000),
		"SELECT " + rep("(", 60000),
		"SELECT " + rep("[", 20000) + rep("]", 20000),
		"SELECT " + rep("{'a':", 10000) + "1" + rep("}", 10000),
		"SELECT * FROM " + rep("(SELECT * FROM ", 3000) + "grants" + rep(")", 3000),
		"SELECT " + rep("abs(", 10000) + "1" + rep(")", 10000),
		"SELECT " + rep("NOT ", 15000) + "true",
		"SELECT " + rep("- ", 30000) + "1",
		"SELECT " + rep("~ ", 30000) + "1",
		"SELECT 1" + rep("+1", 30000),
		"SELECT 1" + rep("::INT", 10000),
		"SELECT x" + rep("[1]", 20000),
		"SELECT " + rep("CASE WHEN true THEN ", 2000) + "1" + rep(" END", 2000),
		"WITH " + rep("a AS (WITH ", 3000) + "b AS (SELECT 1) SELECT 1" + rep(") SELECT 1", 3000),
		"SELECT a" + rep(".a", 30000),
		"SELECT NULL::" + rep("STRUCT(a ", 5000) + "INT" + rep(")", 5000),
		"SELECT NULL::INT" + rep("[]", 30000) + " FROM nowhere",
		"SELECT 1 " + rep("UNION SELECT 1 ", 4000) + "FROM nowhere",
		"SELECT * FROM nowhere " + rep("JOIN grants ON true ", 3000),
		"SELECT * FROM nowhere" + rep(", grants", 8000),
		"SELECT 1 WHERE nowhere" + rep(" OR true", 8000),
		rep("/*", 30000) + " SELECT 1",
	}
}

// Costly returns short statements that use only what the gate allows, and that
// take the engine very long to parse and bind.
func Costly() []string {
	structs := "SELECT 1 AS x"
	for range 28 {
		structs = "SELECT {'a': x, 'b': x} AS x FROM (" + structs + ")"
	}
	lists := "SELECT [1] AS x"
	for range 28 {
		lists = "SELECT {'a': [x], 'b': [x]} AS x FROM (" + lists + ")"
	}
	var columns, many, more []string
	for i := range 200 {
		columns = append(columns, fmt.Sprintf("1 AS c%d", i))
	}
	for i := range 60 {
		many = append(many, fmt.Sprintf("a AS a%d", i))
		more = append(more, fmt.Sprintf("b AS b%d", i))
	}
	wide := "WITH a AS (SELECT " + strings.Join(columns, ", ") + "), b AS (SELECT * FROM " + strings.Join(many, ", ") +
		") SELECT * FROM " + strings.Join(more, ", ")
	return []string{structs, lists, wide}
}

// NestedLambdas returns a statement with lambdas inside lambdas. Each level
// doubles the engine's work to bind the statement.
func NestedLambdas(deep int) string {
	s := "1"
	for i := range deep {
		s = fmt.Sprintf("list_transform([1], lambda x%d: %s)", i, s)
	}
	return "SELECT " + s
}
