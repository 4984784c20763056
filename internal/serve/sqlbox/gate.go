package sqlbox

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

// gate decides whether a statement may run. The engine's own parser parses it, every part of the tree must be known to be
// harmless, and the engine binds it to empty tables. It holds no data, and reads each statement in a connection of its own, so
// that nothing of the statement remains.
type gate struct {
	db   *sql.DB
	conn *sql.Conn // keeps the database open; no statement is read in it
}

func openGate(ctx context.Context, memory int64) (*gate, error) {
	db, conn, err := openEngine(ctx)
	if err != nil {
		return nil, err
	}
	g := &gate{db, conn}
	db.SetMaxOpenConns(2)
	db.SetMaxIdleConns(-1) // a connection that is given back is closed
	statements := each.Append(nil, warehouse.Views(), func(v warehouse.View) string { return v.DDL() })
	statements = append(statements,
		"CREATE MACRO find_org(name) AS CAST(NULL AS VARCHAR)",
		"CREATE TABLE find_org_columns ("+FindOrgColumns+")",
		"CREATE MACRO find_org(name) AS TABLE SELECT * FROM find_org_columns",
	)
	statements = append(statements, hardening(memory, 1)...)
	if err := run(ctx, conn, statements...); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *gate) connect(ctx context.Context) (*sql.Conn, error) {
	conn, err := g.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	// The optimizer would compute constants. The binder still computes constants that are arguments of
	// functions, to see whether they are null. The budget and the limits of the process bound that work.
	if err := run(ctx, conn, "PRAGMA disable_optimizer"); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (g *gate) close() {
	g.conn.Close()
	g.db.Close()
}

// check refuses a statement with a fault. Any other error is a failure of the gate itself.
func (g *gate) check(ctx context.Context, text string, pro bool, params Params) error {
	if f := precheck(text); f != nil {
		return f
	}
	conn, err := g.connect(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return timedOut()
		}
		return fmt.Errorf("connecting to the engine: %w", err)
	}
	defer conn.Close()
	var tree string
	const serialize = "SELECT json_serialize_sql(CAST(? AS VARCHAR), skip_null := true, skip_empty := true)::VARCHAR"
	err = conn.QueryRowContext(ctx, serialize, text).Scan(&tree)
	if ctx.Err() != nil {
		return timedOut()
	}
	if err != nil {
		return fmt.Errorf("reading a statement: %w", err)
	}
	var parsed struct {
		Error      bool   `json:"error"`
		Type       string `json:"error_type"`
		Message    string `json:"error_message"`
		Position   string `json:"position"`
		Statements []struct {
			Node   map[string]any `json:"node"`
			Params []struct {
				Key string `json:"key"`
			} `json:"named_param_map"`
		} `json:"statements"`
	}
	d := json.NewDecoder(strings.NewReader(finite.Replace(tree)))
	d.UseNumber()
	if err := d.Decode(&parsed); err != nil {
		return reject(nestedTooDeep) // encoding/json bounds the depth as well
	}
	switch {
	case parsed.Error && (parsed.Type == "internal" || parsed.Type == "fatal"):
		return engineFailed()
	case parsed.Error && tooDeep(parsed.Message):
		return reject(nestedTooDeep)
	// The parser also does not implement a mix of named and numbered parameters.
	case parsed.Error && parsed.Type == "not implemented" && !strings.Contains(parsed.Message, "parameters"):
		return reject("only a query that reads may run: SELECT, WITH … SELECT or DESCRIBE").Try("one SELECT")
	case parsed.Error && isOutOfMemory("", parsed.Message):
		return outOfMemory()
	case parsed.Error:
		where := ""
		var offset int
		if _, err := fmt.Sscan(parsed.Position, &offset); err == nil {
			where = positionIn(text, offset)
		}
		message := firstLine(strings.TrimPrefix(parsed.Message, "Parser Error: "))
		return reject("%s%s", fault.Clip(hidePaths(message, text), maxQuoted), where)
	case len(parsed.Statements) != 1:
		return reject("the text holds %d statements; send one at a time", len(parsed.Statements))
	}
	w := walker{sql: text, pro: pro}
	if f := w.statement(parsed.Statements[0].Node); f != nil {
		return f
	}
	var names []string
	for _, p := range parsed.Statements[0].Params {
		names = append(names, p.Key)
	}
	if f := params.checkAgainst(names); f != nil {
		return f
	}
	return bind(ctx, conn, text)
}

// finite removes the infinities and NaNs that the engine writes and that JSON does
// not have. It does not change a text, in which the quotes are escaped.
var finite = strings.NewReplacer(`"value":Infinity`, `"value":null`, `"value":-Infinity`, `"value":null`,
	`"value":NaN`, `"value":null`, `"value":-NaN`, `"value":null`)

func bind(ctx context.Context, conn *sql.Conn, text string) error {
	stmt, err := conn.PrepareContext(ctx, text)
	if err != nil {
		if ctx.Err() != nil {
			return timedOut()
		}
		kind, message := explain(err, text, 0)
		switch {
		case isOutOfMemory(kind, message):
			return outOfMemory()
		case !statementErrors[kind]:
			return engineFailed()
		}
		return reject("%s", message)
	}
	return stmt.Close()
}

type walker struct {
	sql     string
	pro     bool
	lambdas int            // how many lambdas the walk is inside of
	cast    map[string]any // the last cast: a type has no position of its own
}

// maxLambdas bounds lambdas within lambdas: each level doubles the work to bind a statement.
const maxLambdas = 8

// scope is the names of the common table expressions that are visible.
type scope struct {
	name string
	up   *scope
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.up {
		if strings.EqualFold(s.name, name) {
			return true
		}
	}
	return false
}

// statement checks the outermost query. Only the outermost query may be DESCRIBE.
func (w *walker) statement(node map[string]any) *fault.Fault {
	if from, ok := node["from_table"].(map[string]any); ok && from["type"] == "SHOW_REF" {
		query, ok := from["query"].(map[string]any)
		if !ok || from["show_type"] != "DESCRIBE" {
			return reject("only a query that reads may run: SELECT, WITH … SELECT or DESCRIBE").Try("DESCRIBE grants")
		}
		return w.walk(query, nil)
	}
	return w.walk(node, nil)
}

// position says where in the text a node is, for the end of a message.
func (w *walker) position(n map[string]any) string {
	if n, ok := n["query_location"].(json.Number); ok {
		if off, err := strconv.Atoi(n.String()); err == nil {
			return positionIn(w.sql, off)
		}
	}
	return ""
}

func (w *walker) walk(v any, sc *scope) *fault.Fault {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if f := w.walk(x, sc); f != nil {
				return f
			}
		}
	case map[string]any:
		if class, ok := v["class"].(string); ok {
			return w.expression(class, v, sc)
		}
		if id, ok := v["id"].(string); ok {
			return w.typ(id, v, sc)
		}
		typ, ok := v["type"].(string)
		switch {
		case !ok:
		case queryNodes[typ]:
			return w.query(v, sc)
		case typ == "BASE_TABLE":
			return w.table(v, sc)
		case typ == "TABLE_FUNCTION":
			return w.tableFunction(v, sc)
		case typ == "SHOW_REF":
			return reject("DESCRIBE, SHOW and SUMMARIZE cannot be used inside a query").Try("DESCRIBE grants, as a statement of its own")
		case !plainTypes[typ] && !strings.HasSuffix(typ, "_TYPE_INFO"):
			return reject("%s is not available%s", strings.ToLower(strings.ReplaceAll(typ, "_", " ")), w.position(v))
		}
		if v["table_name"] != nil || v["function_name"] != nil || v["cte_map"] != nil {
			return reject("the statement has a part that is not available%s", w.position(v))
		}
		return w.inside(v, sc)
	}
	return nil
}

func (w *walker) inside(v map[string]any, sc *scope, except ...string) *fault.Fault {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if slices.Contains(except, key) {
			continue
		}
		if f := w.walk(v[key], sc); f != nil {
			return f
		}
	}
	return nil
}

var queryNodes = table.SetOf("SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE CTE_NODE")

// plainTypes are the parts of a query that do not themselves name a table or call a function.
var plainTypes = table.SetOf(`SUBQUERY JOIN EMPTY EXPRESSION_LIST PIVOT
	ORDER_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER
	ORDER_DEFAULT ASCENDING DESCENDING ORDER_ASCENDING ORDER_DESCENDING`)

var classes = table.SetOf(`CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA LAMBDA_REF OPERATOR PARAMETER
	POSITIONAL_REFERENCE STAR SUBQUERY WINDOW BETWEEN`)

// query checks a query and its common table expressions, which the rest sees.
func (w *walker) query(v map[string]any, sc *scope) *fault.Fault {
	if ctes, ok := v["cte_map"].(map[string]any); ok {
		list, _ := ctes["map"].([]any)
		for _, e := range list {
			entry, _ := e.(map[string]any)
			name, _ := entry["key"].(string)
			if !identifier(name) {
				return reject("%q cannot name a common table expression", fault.Clip(name, maxQuoted)).Try("letters, digits and underscores")
			}
			inner := sc
			if recursive(entry["value"]) {
				inner = &scope{name, sc}
			}
			if f := w.walk(entry["value"], inner); f != nil {
				return f
			}
			sc = &scope{name, sc}
		}
	}
	if v["type"] == "CTE_NODE" || v["table_name"] != nil || v["function_name"] != nil {
		return reject("the statement has a part that is not available%s", w.position(v))
	}
	return w.inside(v, sc, "cte_map")
}

// recursive reports whether a common table expression may name itself.
func recursive(value any) bool {
	v, _ := value.(map[string]any)
	q, _ := v["query"].(map[string]any)
	n, _ := q["node"].(map[string]any)
	return n["type"] == "RECURSIVE_CTE_NODE"
}

func (w *walker) table(v map[string]any, sc *scope) *fault.Fault {
	name, _ := v["table_name"].(string)
	schema, _ := v["schema_name"].(string)
	catalog, _ := v["catalog_name"].(string)
	if catalog != "" || schema != "" && schema != "main" {
		full := strings.Join([]string{catalog, schema, name}, ".")
		return unknownTable(strings.Trim(full, "."))
	}
	if v["at_clause"] != nil {
		return reject("a table cannot be asked for another time%s", w.position(v))
	}
	if schema == "" && sc.has(name) {
		return nil
	}
	view, ok := warehouse.Find(name)
	if !ok {
		f := unknownTable(name)
		f.Message += w.position(v)
		return f
	}
	if view.Pro && !w.pro {
		return fault.New(ProTable, "the table %s needs the Pro plan", view.Name).
			Try("take it out of the query, or use a key of the Pro plan")
	}
	return w.walk(v["sample"], sc)
}

func (w *walker) tableFunction(v map[string]any, sc *scope) *fault.Fault {
	f, _ := v["function"].(map[string]any)
	name, _ := f["function_name"].(string)
	if f["class"] != "FUNCTION" || !tableFunctions[strings.ToLower(name)] || foreign(f) {
		return reject("the table function %s is not available%s", called(f), w.position(v)).
			Try("unnest, range, generate_series or find_org")
	}
	if x := w.inside(f, sc, "function_name"); x != nil {
		return x
	}
	return w.inside(v, sc, "function")
}

func (w *walker) expression(class string, v map[string]any, sc *scope) *fault.Fault {
	if !classes[class] || v["table_name"] != nil && class != "COLUMN_REF" && class != "STAR" {
		return reject("an expression of kind %s is not available%s", strings.ToLower(class), w.position(v))
	}
	if name, ok := v["function_name"].(string); ok {
		if class != "FUNCTION" && class != "WINDOW" || !functions[strings.ToLower(name)] || foreign(v) {
			return w.noFunction(name, v)
		}
		if v["export_state"] == true {
			return reject("the state of an aggregate cannot be exported%s", w.position(v))
		}
	} else if class == "FUNCTION" {
		return reject("a function without a name is not available%s", w.position(v))
	}
	switch {
	case class == "CAST":
		w.cast = v
	case class == "FUNCTION" && byStructure[strings.ToLower(v["function_name"].(string))]:
		if f := w.structure(v); f != nil {
			return f
		}
	case class == "LAMBDA":
		if w.lambdas++; w.lambdas > maxLambdas {
			return reject("lambdas are nested more than %d deep%s", maxLambdas, w.position(v)).
				Try("compute the inner lists in a subquery")
		}
		defer func() { w.lambdas-- }()
	}
	if names, _ := v["column_names"].([]any); len(names) > 0 {
		name, _ := names[len(names)-1].(string)
		name = strings.ToLower(name)
		if name == "rowid" || len(names) == 1 && session[name] {
			return reject("%s is not available%s", name, w.position(v))
		}
	}
	return w.inside(v, sc)
}

// session are names that the engine reads as functions when no column has the name. They reveal the catalog
// and the session. The column rowid, which every table has, reveals the layout of the file.
var session = table.SetOf("current_catalog current_database current_schema current_user current_role session_user")

func (w *walker) noFunction(name string, v map[string]any) *fault.Fault {
	f := reject("the function %s is not available", called(v)).
		Try("functions that compute on values are available; those that read files, run text as SQL or show the catalog are not")
	lower := strings.ToLower(name)
	if functions[lower] { // called as a method, or in another schema
		f.Hint = lower + "(…)"
	} else if meant := typo.Meant(lower, Functions()); meant != "" {
		f.Message += fmt.Sprintf("; did you mean %s?", meant)
	}
	f.Message += w.position(v)
	return f
}

// called returns the name of a function as the statement wrote it, for a message.
func called(v map[string]any) string {
	var parts []string
	for _, key := range []string{"catalog", "schema", "function_name"} {
		if s, _ := v[key].(string); s != "" && (s != "main" || key == "function_name") {
			parts = append(parts, s)
		}
	}
	return fault.Clip(strings.Join(parts, "."), maxQuoted)
}

// foreign reports whether the name of a function lies outside the main schema.
func foreign(v map[string]any) bool {
	schema, _ := v["schema"].(string)
	catalog, _ := v["catalog"].(string)
	return catalog != "" || schema != "" && schema != "main"
}

// identifier reports whether a name is a plain word and not the name of a view of
// the engine, so that a common table expression cannot be mistaken for such a view.
func identifier(name string) bool {
	lower := strings.ToLower(name)
	internal := []string{"duckdb_", "pg_", "pragma_", "sqlite_", "information_schema", "find_org_columns"}
	return name != "" && (name[0] < '0' || name[0] > '9') &&
		!slices.ContainsFunc(internal, func(p string) bool { return strings.HasPrefix(lower, p) }) &&
		!slices.ContainsFunc([]byte(name), func(c byte) bool { return !letter(c) || c >= 0x80 })
}

//go:embed functions.txt
var functionList string

// functions are the functions that a query may call: none that reads a file, takes SQL or a table's name as text, shows the
// catalog, the settings or the session, waits, writes a log, or exports the state of an aggregate.
var functions = table.Set("functions.txt", functionList)

var tableFunctions = table.SetOf("unnest range generate_series find_org")

// Functions returns the names of the functions that a query may call, sorted and without operators.
func Functions() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(functions)), func(name string) bool { return !letter(name[0]) })
}
