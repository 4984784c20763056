package client

import "encoding/json"

// SQLRequest is the body of a query.
type SQLRequest struct {
	SQL    string          `json:"sql" doc:"One statement in DuckDB's SQL dialect that begins with SELECT, WITH or DESCRIBE."`
	Params json.RawMessage `json:"params,omitempty" doc:"Values for the parameters of the statement: an array for ?, an object for $name. …"`
}

// SQLAnswer is what a query found.
type SQLAnswer struct {
	Head
	Columns   []SQLResultColumn `json:"columns" doc:"The columns, in the order of the query."`
	Rows      []json.RawMessage `json:"rows" items:"object" doc:"The rows, each an object with one member per column. …"`
	RowCount  int               `json:"row_count" doc:"Number of rows in this response."`
	Truncated bool              `json:"truncated" doc:"Whether the query found more than 2,000 rows, the maximum for a response."`
	ElapsedMS float64           `json:"elapsed_ms" doc:"How long the query ran, in milliseconds."`
	Tail
}

// SQLResultColumn is a column of an answer.
type SQLResultColumn struct {
	Name string `json:"name" doc:"Name of the column."`
	Type string `json:"type" doc:"DuckDB type of the column."`
}

// SQLSchemaAnswer describes the warehouse.
type SQLSchemaAnswer struct {
	Head
	Dialect   string        `json:"dialect" doc:"SQL dialect."`
	Rules     []string      `json:"rules" doc:"Query rules."`
	Functions []SQLFunction `json:"functions" doc:"Functions that the service adds to the dialect."`
	Tables    []SQLTable    `json:"tables" doc:"The tables."`
	Tail
}

// SQLFunction is a function that queries may call.
type SQLFunction struct {
	Name    string `json:"name" doc:"Name of the function."`
	Meaning string `json:"meaning" doc:"What the function does and how to call it."`
}

// SQLTable is one table.
type SQLTable struct {
	Name     string       `json:"name" doc:"Name of the table."`
	Group    string       `json:"group" doc:"Group of tables that the table belongs to."`
	Plan     string       `json:"plan" enum:"paid,pro" doc:"Plan that can read the table. paid: any paid plan. pro: the Pro plan."`
	Meaning  string       `json:"meaning" doc:"What one row represents."`
	Columns  []SQLColumn  `json:"columns" doc:"The table's columns."`
	Traps    []string     `json:"traps" doc:"Common mistakes."`
	Examples []SQLExample `json:"examples" doc:"Example queries."`
}

// SQLColumn is a column of a table.
type SQLColumn struct {
	Name     string `json:"name" doc:"Name of the column."`
	Type     string `json:"type" doc:"DuckDB type of the column."`
	Nullable bool   `json:"nullable" doc:"Whether the column can be null."`
	Meaning  string `json:"meaning" doc:"What the column contains."`
}

// SQLExample is a question and the query that answers it.
type SQLExample struct {
	Question string `json:"question" doc:"The question."`
	SQL      string `json:"sql" doc:"The query."`
}
