package ask

import (
	"embed"
	"iter"
	"strings"
	"sync"

	"grantgraph/internal/table"
)

//go:embed *.tsv plan_schema.json
var files embed.FS

// The tables behind answers, by the cells of their first column. The head of each file says what it holds.
var (
	kinds     = read("kinds.tsv", "kind", "run", "request", "rows", "columns", "chart", "orders", "say", "none", "warn")
	answers   = read("answers.tsv", "key", "figures", "text")
	columns   = read("columns.tsv", "name", "label", "unit", "field")
	facts     = read("facts.tsv", "fact", "unit", "field", "noun", "text")
	figures   = read("figures.tsv", "figure", "noun", "start", "column")
	groups    = read("groups.tsv", "of", "by", "one", "several", "count")
	labels    = read("labels.tsv", "word", "label")
	sentences = read("sentences.tsv", "key", "text")
	planParts = rows("parts.tsv", "field", "side", "label", "phrase")
	nicknames = read("short_names.tsv", "name", "words")
	examples  = rows("examples.tsv", "of", "question")
)

func fileText(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // a file that is not embedded
	}
	return string(text)
}

func rows(file string, columns ...string) []table.Row {
	return table.Read(file, fileText(file), columns...)
}

// phrases are the phrases of a table, each with its row. They are in its last column, with commas between them.
func phrases(file string, columns ...string) iter.Seq2[string, table.Row] {
	return func(yield func(string, table.Row) bool) {
		for _, r := range rows(file, columns...) {
			for p := range strings.SplitSeq(r.Text(columns[len(columns)-1]), ", ") {
				if !yield(p, r) {
					return
				}
			}
		}
	}
}

// lookup is a table by the cells of its first column.
type lookup map[string]table.Row

func read(file string, columns ...string) lookup {
	m := lookup{}
	for _, r := range rows(file, columns...) {
		if _, twice := m[r.Text(columns[0])]; twice {
			r.Fail("%q is there twice", r.Text(columns[0]))
		}
		m[r.Text(columns[0])] = r
	}
	return m
}

// text is a cell, or empty if there is no such row.
func (l lookup) text(key, column string) string {
	if r, ok := l[key]; ok {
		return r.Text(column)
	}
	return ""
}

// wordLists are the short lists of words that the reader uses, by name.
var wordLists = sync.OnceValue(func() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for _, r := range rows("word_lists.tsv", "list", "words") {
		m[r.Text("list")] = table.SetOf(r.Text("words"))
	}
	return m
})

// is reports whether a word is in a list of word_lists.tsv.
func is(list, word string) bool { return wordLists()[list][word] }
