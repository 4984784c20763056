package client

import "encoding/json"

// SQLRequest is the body of a query.
type SQLRequest struct {
	SQL    string          `json:"sql" doc:"One statement that begins with SELECT, WITH or DESCRIBE, in the dialect of DuckDB."`
	Params json.RawMessage `json:"params,omitempty" doc:"Values for the parameters of the statement: an array for ?, an object for $name. They are texts, …"`
}

// SQLAnswer is what a query found.
type SQLAnswer struct {
	Head
	Columns   []SQLResultColumn `json:"columns" doc:"The columns, in the order of the query."`
	Rows      []json.RawMessage `json:"rows" items:"object" doc:"The rows: an object each, with a member per column. …"`
	RowCount  int               `json:"row_count" doc:"Rows in this answer."`
	Truncated bool              `json:"truncated" doc:"Whether there were more rows than the 2,000 an answer may have."`
	ElapsedMS float64           `json:"elapsed_ms" doc:"How long the query ran, in milliseconds."`
	Tail
}

// SQLResultColumn is a column of an answer.
type SQLResultColumn struct {
	Name string `json:"name" doc:"Name of the column."`
	Type string `json:"type" doc:"Its type, in the words of DuckDB."`
}

// SQLSchemaAnswer describes the warehouse.
type SQLSchemaAnswer struct {
	Head
	Dialect   string        `json:"dialect" doc:"The dialect of SQL."`
	Rules     []string      `json:"rules" doc:"Query rules."`
	Functions []SQLFunction `json:"functions" doc:"Functions beyond those of the dialect."`
	Tables    []SQLTable    `json:"tables" doc:"The tables."`
	Tail
}

// SQLFunction is a function that queries may call.
type SQLFunction struct {
	Name    string `json:"name" doc:"Name of the function."`
	Meaning string `json:"meaning" doc:"What it does and how to call it."`
}

// SQLTable is one table.
type SQLTable struct {
	Name     string       `json:"name" doc:"Name of the table."`
	Group    string       `json:"group" doc:"What it belongs with."`
	Plan     string       `json:"plan" enum:"paid,pro" doc:"Who may read it: paid is a key of any paid plan, pro one of the Pro plan."`
	Meaning  string       `json:"meaning" doc:"What one row is."`
	Columns  []SQLColumn  `json:"columns" doc:"Its columns."`
	Traps    []string     `json:"traps" doc:"What is easily got wrong."`
	Examples []SQLExample `json:"examples" doc:"Queries to begin with."`
}

// SQLColumn is a column of a table.
type SQLColumn struct {
	Name     string `json:"name" doc:"Name of the column."`
	Type     string `json:"type" doc:"Its type, in the words of DuckDB."`
	Nullable bool   `json:"nullable" doc:"Whether it may be null."`
	Meaning  string `json:"meaning" doc:"What it holds."`
}

// SQLExample is a question and the query that answers it.
type SQLExample struct {
	Question string `json:"question" doc:"The question."`
	SQL      string `json:"sql" doc:"The query."`
}
