package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalSemantic measures a small set of invented organizations.
func TestEvalSemantic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	documents := write("documents.jsonl", `{"ein":"070000001","name":"THORNTON FOOD BANK","state":"OH","form":"990","mission":["Groceries for hungry families."],"program":["Soup kitchens"],"purposes":[]}
{"ein":"070000002","name":"PAWS OF LARKSPUR","state":"CA","form":"990EZ","mission":["Rescues stray dogs and finds them homes."],"program":[],"purposes":[]}
{"ein":"070000003","name":"VANCE FAMILY FOUNDATION","state":"NY","form":"990PF","mission":[],"program":[],"purposes":["OPERA","SYMPHONY CONCERTS"]}
`)
	queries := write("queries.jsonl", `{"id":"1","query":"give a puppy a family","judged":{"070000002":2}}
{"id":"2","query":"somewhere to get a free meal","judged":{"070000001":2,"070000003":0}}
`)
	code, out, errs := command(t, "eval", "--semantic", "--queries", queries, "--documents", documents)
	if code != 0 {
		t.Fatalf("%d: %s\n%s", code, errs, out)
	}
	var s struct {
		Semantic, Hybrid, Text struct {
			NDCG10   float64 `json:"ndcg10"`
			Recall20 float64 `json:"recall20"`
		}
	}
	lastLine(t, out, &s)
	if s.Semantic.NDCG10 != 1 || s.Hybrid.NDCG10 != 1 || s.Semantic.Recall20 != 1 || s.Text.NDCG10 > 1 || !strings.Contains(out, "| hybrid | 1.000 |") {
		t.Errorf("%+v\n%s", s, out)
	}
	wrong := write("wrong.jsonl", `{"id":"1","query":"give a puppy a family","judged":{"070000003":2}}`)
	if code, out, errs := command(t, "eval", "--semantic", "--queries", wrong, "--documents", documents, "--json"); code == 0 || !strings.Contains(errs, "nDCG@10") || !strings.HasPrefix(out, "{") {
		t.Errorf("a gate fails: %d %s %s", code, errs, out)
	}
	for what, args := range map[string][]string{
		"half a set":           {"--semantic", "--queries", queries},
		"no file of questions": {"--semantic", "--queries", documents, "--documents", documents},
		"no documents":         {"--semantic", "--queries", queries, "--documents", queries},
		"an empty set":         {"--semantic", "--queries", write("none", "\n"), "--documents", documents},
		"a set without":        {"--queries", queries, "--documents", documents},
		"two things at once":   {"--semantic", "--screening"},
	} {
		if code, _, errs := command(t, append([]string{"eval"}, args...)...); code == 0 || errs == "" {
			t.Errorf("%s is measured", what)
		}
	}
}
