package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/golden"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/sqlbox"
)

var (
	// An example is a command, and its answer folded away.
	docBlock = regexp.MustCompile("(?ms)^```\n\\$ grantgraph get '([^']+)'\n```\n\n" + folded + "(.*?)^" + unfolded + "$")
	sqlBlock = regexp.MustCompile("(?ms)^```\n(\\$ curl -X POST -H \"X-API-Key: \\$KEY\" \\$BASE/sql -d '([^']+)')\n```\n\n" + folded + "(.*?)^" + unfolded + "$")
	// What differs from build to build and from request to request.
	stamps  = regexp.MustCompile(`"(version|generated_at|request_id|next_cursor)": "[^"]*"`)
	elapsed = regexp.MustCompile(`"elapsed_ms": [0-9.]+`)
)

// What is around an answer.
const (
	folded   = "<details><summary>The answer</summary>\n\n```json\n"
	unfolded = "```\n\n</details>"
)

// shownLines is how much of a long answer the page shows.
const shownLines = 60

// TestDocs runs every example of docs/api.md on the demo and holds the answer
// against what the page shows.
func TestDocs(t *testing.T) {
	t.Parallel()
	const page = "../../docs/api.md"
	data, _ := madeDemo(t)
	store, err := account.OpenSQLite(serve.Accounts(data), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := store.Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	updated := docBlock.ReplaceAllFunc(text, func(block []byte) []byte {
		blocks++
		m := docBlock.FindSubmatch(block)
		path := string(m[1])
		_, out, errs := command(t, "get", "--data", data, "--key", key, path)
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, []byte(strings.TrimSpace(out)), "", "  "); err != nil {
			t.Errorf("%s: %v: %s%s", path, err, out, errs)
			return block
		}
		answer := stamps.ReplaceAllString(pretty.String(), `"$1": "…"`) + "\n"
		if lines := strings.SplitAfter(answer, "\n"); len(lines) > 2*shownLines {
			answer = strings.Join(lines[:shownLines], "") + "…\n"
		}
		return []byte("```\n$ grantgraph get '" + path + "'\n```\n\n" + folded + answer + unfolded)
	})
	if blocks < 6 {
		t.Errorf("only %d examples found", blocks)
	}
	updated = checkVocabularies(t, checkQueries(t, updated, data, key))
	golden.Check(t, page, string(updated))
}

// checkQueries does the same for the examples in SQL, which are not GETs.
func checkQueries(t *testing.T, text []byte, data, key string) []byte {
	t.Helper()
	s, err := serve.Open(serve.Options{Data: data, BaseURL: "http://localhost", SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	blocks := 0
	text = sqlBlock.ReplaceAllFunc(text, func(block []byte) []byte {
		blocks++
		m := sqlBlock.FindSubmatch(block)
		r := httptest.NewRequest("POST", "/api/v1/sql", bytes.NewReader(m[2]))
		r.Header.Set("X-API-Key", key)
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, r)
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, bytes.TrimSpace(rec.Body.Bytes()), "", "  "); err != nil {
			t.Errorf("%s: %v: %s", m[2], err, rec.Body)
			return block
		}
		answer := stamps.ReplaceAllString(pretty.String(), `"$1": "…"`) + "\n"
		answer = elapsed.ReplaceAllString(answer, `"elapsed_ms": …`)
		return []byte("```\n" + string(m[1]) + "\n```\n\n" + folded + answer + unfolded)
	})
	if blocks < 3 {
		t.Errorf("only %d examples in SQL found", blocks)
	}
	return text
}

// checkVocabularies holds the words that parameters take against the table of
// operations.
func checkVocabularies(t *testing.T, text []byte) []byte {
	t.Helper()
	list := vocabularies(t)
	return generated.ReplaceAllFunc(text, func(b []byte) []byte {
		m := generated.FindSubmatch(b)
		return slices.Concat(m[1], []byte("\n"+list+"\n"), m[2])
	})
}

// vocabularies is a table of the words that parameters take, with the endpoints
// where a name has others elsewhere.
func vocabularies(t *testing.T) string {
	t.Helper()
	examples, err := serve.Examples("http://localhost")
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		name, words string
		at          []string
	}
	var list []entry
	count := map[string]int{}
	for _, g := range examples.Groups {
		for _, op := range g.Operations {
			for _, p := range op.Params {
				words := "`" + strings.Join(p.Enum, "`, `") + "`"
				if len(p.Enum) == 0 || p.Name == "fields" { // any field of a row
					continue
				}
				i := slices.IndexFunc(list, func(e entry) bool { return e.name == p.Name && e.words == words })
				if i < 0 {
					i, list = len(list), append(list, entry{name: p.Name, words: words})
					count[p.Name]++
				}
				list[i].at = append(list[i].at, "`"+op.Path+"`")
			}
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	b.WriteString("| Parameter | Values |\n|---|---|\n")
	for _, e := range list {
		b.WriteString("| `" + e.name + "`")
		if count[e.name] > 1 {
			b.WriteString(" of " + strings.Join(e.at, ", "))
		}
		b.WriteString(" | " + e.words + " |\n")
	}
	b.WriteString("\n`subject` takes an NTEE code (`B42`), its letter, or its cause:\n\n")
	for letter := byte('A'); letter <= 'Z'; letter++ {
		b.WriteString("`" + string(rune(letter)) + "` " + ntee.Label(letter) + map[bool]string{true: ".\n", false: ",\n"}[letter == 'Z'])
	}
	return b.String()
}

var generated = regexp.MustCompile(`(?s)(<!-- generated by [^>]*-->\n).*?(<!-- end -->)`)
