package ask

import (
	"cmp"
	"embed"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"grantgraph/internal/ntee"
	"grantgraph/internal/table"
)

//go:embed *.tsv plan_schema.json
var files embed.FS

// The tables behind answers, by the cells of their first column. The head of each file says what it holds.
var (
	kinds     = read("kinds.tsv", "kind", "run", "each", "request", "rows", "columns", "shown", "chart", "orders", "say", "none", "warn")
	columns   = read("columns.tsv", "name", "label", "unit", "field")
	facts     = read("facts.tsv", "fact", "unit", "field", "noun", "text")
	figures   = read("figures.tsv", "figure", "noun", "start", "column")
	groups    = read("groups.tsv", "of", "by", "one", "several", "count")
	labels    = read("labels.tsv", "word", "label")
	sentences = read("sentences.tsv", "key", "figures", "text")
	planParts = rows("parts.tsv", "field", "side", "label", "phrase")
	nicknames = read("short_names.tsv", "name", "words")
	examples  = rows("examples.tsv", "of", "order", "question")
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

// token is one word of a question.
type token struct {
	text  string // in lower case, without a possessive ending
	typed string // as it was typed
	from  int    // position in the question
	to    int
	cap   bool   // it begins with a capital letter
	poss  bool   // it ends in 's
	comma bool   // a comma follows
	dash  bool   // a dash follows, which may join numbers
	quote int    // number of the quotation around it, or 0
	meant string // the word of the lexicon that this word misspells
	known bool   // it has a meaning outside of names
}

// pieces matches what a question is made of: words, numbers, and the marks that matter.
var pieces = regexp.MustCompile(`["“”]|[-–—]|[,;:]|&(?:amp;)?|\+|` +
	`\$?\d+(?:,\d{3})*(?:\.\d+)?[\p{L}\d]*|` + // 1,000 2.5m $50k 2022
	`\p{L}{3,}-\d{1,2}\b|` + // COVID-19
	`[<>]=?|\p{L}(?:\.\p{L})+(?:\.\p{L})*|` + // U.S
	`[\p{L}][\p{L}\p{Mn}\d]*(?:['’-][\p{L}][\p{L}\p{Mn}\d]*)*|\$`)

// tokens splits a question into words. It drops punctuation, except in numbers.
func tokens(q string) (list []token) {
	quote, quotes := 0, 0
	for _, at := range pieces.FindAllStringIndex(q, -1) {
		typed := q[at[0]:at[1]]
		last := &token{}
		if len(list) > 0 {
			last = &list[len(list)-1]
		}
		switch r, _ := utf8.DecodeRuneInString(typed); {
		case strings.ContainsRune(`"“”`, r):
			if quote == 0 {
				quotes++
				quote = quotes
			} else {
				quote = 0
			}
		case strings.ContainsRune("-–—", r):
			last.dash = true
		case strings.ContainsRune(",;:", r):
			last.comma = true
		case r == '+' && (last.to != at[0] || !strings.ContainsAny(last.text, "0123456789")):
		default:
			list = append(list, newToken(q, at[0], at[1], quote))
		}
	}
	return list
}

func newToken(q string, from, to, quote int) token {
	t := token{typed: q[from:to], from: from, to: to, quote: quote}
	first, _ := utf8.DecodeRuneInString(t.typed)
	t.cap = unicode.IsUpper(first)
	t.text = strings.ToLower(strings.ReplaceAll(t.typed, "’", "'"))
	t.text, t.poss = strings.CutSuffix(t.text, "'s")
	t.poss = t.poss && !is("contracted", t.text)
	// "foundations' giving"
	if after, _ := utf8.DecodeRuneInString(q[to:]); strings.HasSuffix(t.text, "s") && (after == '\'' || after == '’') {
		t.poss = true
	}
	return t
}

func (t token) word() string { return t.text }

func joinTokens(list []token) string { return strings.Join(each(list, token.word), " ") }

// entry is what a phrase of the lexicon stands for.
type entry struct{ tag, value string }

// words is the lexicon: what each phrase stands for.
type words struct {
	phrases map[string]entry
	longest int // phrase, in words
}

var lexicon = sync.OnceValue(func() *words {
	w := &words{phrases: map[string]entry{}}
	for phrase, r := range phrases("lexicon.tsv", "tag", "value", "phrases") {
		toks := tokens(phrase)
		key := cmp.Or(joinTokens(toks), phrase)
		if w.phrases[key].tag != "" {
			r.Fail("%q is there twice", phrase)
		}
		w.phrases[key], w.longest = entry{r.Text("tag"), r.Text("value")}, max(w.longest, len(toks))
	}
	return w
})

// spelling are the words that a misspelled word may mean, in three lists: of the
// lexicon, of causes, and states. The known words are no misspellings.
var spelling = sync.OnceValue(func() (v struct {
	spelled [3][]string
	known   map[string]bool
}) {
	v.known = map[string]bool{}
	add := func(list, shortest int, text string) {
		for _, t := range tokens(text) {
			if list < 3 && len(t.text) >= shortest && (list == 0 || t.text == text) {
				v.spelled[list] = append(v.spelled[list], t.text)
			}
			v.known[t.text], v.known[t.text+"s"] = true, true
		}
	}
	for text, e := range lexicon().phrases {
		if e.tag != "fill" {
			add(0, 5, text)
		}
	}
	for text := range causeWords() {
		add(1, 6, text)
	}
	for text, p := range knownPlaces() {
		if p.Kind == "state" {
			add(2, 5, text)
		} else {
			add(3, 0, text)
		}
	}
	for _, e := range ntee.Codes() {
		add(3, 0, e.Title)
	}
	for i := range v.spelled {
		slices.Sort(v.spelled[i])
		v.spelled[i] = slices.Compact(v.spelled[i])
	}
	return v
})

// said is what a phrase stands for in the lexicon; its tag is empty if the phrase is not there.
func said(phrase string) entry { return lexicon().phrases[phrase] }
