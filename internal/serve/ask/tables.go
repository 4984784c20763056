package ask

import (
	"embed"
	"strings"

	"grantgraph/internal/table"
)

//go:embed answers.tsv columns.tsv facts.tsv figures.tsv groups.tsv kinds.tsv labels.tsv parts.tsv
var files embed.FS

// The tables behind answers, by the cells of their first column. The head of each
// file says what it holds.
var (
	kinds   = byFirst(read("kinds.tsv", "kind", "run", "request", "rows", "columns", "chart", "orders", "say", "none", "warn"))
	answers = byFirst(read("answers.tsv", "key", "figures", "text"))
	columns = byFirst(read("columns.tsv", "name", "label", "unit", "field"))
	facts   = byFirst(read("facts.tsv", "fact", "unit", "field", "noun", "text"))
	figures = byFirst(read("figures.tsv", "figure", "noun", "start", "column"))
	groups  = byFirst(read("groups.tsv", "of", "by", "one", "several", "count"))
	labels  = byFirst(read("labels.tsv", "word", "label"))
)

var _, planParts = read("parts.tsv", "field", "side", "label", "phrase")

func read(file string, columns ...string) (first string, rows []table.Row) {
	text, err := files.ReadFile(file)
	if err != nil {
		panic(err) // a file that is not embedded
	}
	return columns[0], table.Read(file, string(text), columns...)
}

func byFirst(first string, rows []table.Row) map[string]table.Row {
	m := map[string]table.Row{}
	for _, r := range rows {
		m[r.Text(first)] = r
	}
	return m
}

// FigureName is what people call a figure.
func FigureName(name string) string {
	if c, ok := columns[name]; ok {
		return c.Text("label")
	}
	return capital(label("figure", name))
}

// label is what a word of a plan is called; words that are in no table are called
// by themselves.
func label(field, word string) string {
	if r, ok := labels[strings.TrimSpace(field+" "+word)]; ok {
		return r.Text("label")
	}
	return strings.ReplaceAll(word, "_", " ")
}
