package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/account"
	"grantgraph/internal/server"
)

var (
	docBlock = regexp.MustCompile("(?ms)^```\n\\$ grantgraph get '([^']+)'\n(.*?)^```$")
	// What differs from build to build and from request to request.
	stamps = regexp.MustCompile(`"(version|generated_at|request_id|next_cursor)": "[^"]*"`)
)

// shownLines is how much of a long answer the page shows.
const shownLines = 60

// TestDocs runs every example of docs/api.md on the demo and holds the answer
// against what the page shows. UPDATE_DOCS=1 writes the answers into the page.
func TestDocs(t *testing.T) {
	t.Parallel()
	const page = "../../docs/api.md"
	data := filepath.Join(t.TempDir(), "demo")
	if code, _, errs := command(t, "demo", "--once", "--quiet", "--data", data); code != 0 {
		t.Fatal(errs)
	}
	store, err := account.OpenSQLite(server.Accounts(data), account.Options{})
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
		path, shown := string(m[1]), string(m[2])
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
		if answer != shown && os.Getenv("UPDATE_DOCS") == "" {
			t.Errorf("%s: the page shows\n%s, the answer is\n%s", path, shown, answer)
		}
		return []byte("```\n$ grantgraph get '" + path + "'\n" + answer + "```")
	})
	if blocks < 6 {
		t.Errorf("only %d examples found", blocks)
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(page, updated, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
