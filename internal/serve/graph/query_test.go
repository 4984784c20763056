package graph_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	terms := func(list ...string) (out []graph.Term) {
		for _, s := range list {
			out = append(out, graph.Term{Words: strings.Fields(s)})
		}
		return out
	}
	for _, c := range []struct {
		in        string
		must, not []graph.Term
	}{
		{"climate", terms("CLIMATE"), nil},
		{"  climate  Change ", terms("CLIMATE", "CHANGE"), nil},
		{`"climate change" now`, terms("CLIMATE CHANGE", "NOW"), nil},
		{`"climate change`, terms("CLIMATE CHANGE"), nil},
		{`arts -youth`, terms("ARTS"), terms("YOUTH")},
		{`-"general operating" arts`, terms("ARTS"), terms("GENERAL OPERATING")},
		{`after-school`, terms("AFTER", "SCHOOL"), nil},
		{`-after-school`, nil, terms("AFTER SCHOOL")},
		{`--x`, nil, terms("X")},
		{`Café & crème`, terms("CAFE", "CREME"), nil},
		{`housing"first aid"now`, terms("HOUSING", "FIRST AID", "NOW"), nil},
		{"K-12", terms("K", "12"), nil},
		{"", nil, nil},
		{`"" - & "-"`, nil, nil},
		{"日本", nil, nil},
		{strings.Repeat("-a ", graph.MaxTerms) + "b", terms("B"), terms(strings.Fields(strings.Repeat("A ", graph.MaxTerms))...)},
	} {
		q, ok := graph.ParseQuery(c.in)
		if !reflect.DeepEqual(q, graph.Query{Must: c.must, MustNot: c.not}) || ok != (c.must != nil || c.not != nil) {
			t.Errorf("%q is %v %v", c.in, q, ok)
		}
	}
}

// TestTerm asks for words and phrases that stand in one purpose and not in
// another.
func TestTerm(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"none": "", "all": "Housing for all", "green": "greenhouse", "general": "for general-operating support", "operating": "operating general",
		"aaab": "a a a b", "long": strings.Repeat("word ", 900) + "needle point", "cafe": "CAFÉ",
	}
	c := &corpus{}
	for key, text := range texts {
		c.grants = append(c.grants, snapshot.Grant{Key: key, FunderEIN: "070000001", RecipID: "nm-" + key, Purpose: text, TaxYear: 2022})
	}
	g := open(t, c.write(t, t.TempDir()))
	for query, want := range map[string]string{
		"HOUSE":               "all",
		`"general operating"`: "general",
		`"A A B"`:             "aaab",
		`"needle point"`:      "long",
		"cafe":                "cafe",
		`"point needle"`:      "",
	} {
		q, _ := graph.ParseQuery(query)
		rows, _, err := g.Transactions(t.Context(), &graph.Filter{Query: q}, graph.Sort{}, graph.Page{Limit: 10})
		var got []string
		for _, r := range rows {
			got = append(got, r.Key)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is in %q, want %q; %v", query, got, want, err)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range queries {
		f.Add(s)
	}
	f.Add(`-"a -b" "c`)
	f.Add("\xff\x00\"-")
	f.Add(strings.Repeat("0 ", 31) + "0-0-0")
	f.Add(strings.Repeat("ß", 600))
	f.Fuzz(func(t *testing.T, s string) {
		q, ok := graph.ParseQuery(s)
		if ok != (len(q.Must)+len(q.MustNot) > 0) {
			t.Fatalf("ok is %v for %v", ok, q)
		}
		if n := len(q.Must) + len(q.MustNot); n > 512 {
			t.Fatalf("%d terms", n)
		}
		for _, term := range slices.Concat(q.Must, q.MustNot) {
			if len(term.Words) == 0 {
				t.Fatal("a term without words")
			}
			// A term is made of words, unless it has one so long that texts are
			// cut within it.
			if slices.ContainsFunc(term.Words, func(w string) bool { return len(w) > 1024 }) {
				continue
			}
			if text := strings.Join(term.Words, " "); !slices.Equal(graph.WordsOf(text), term.Words) {
				t.Fatalf("%q has the words %q", text, graph.WordsOf(text))
			}
		}
		// What was understood, written out, is understood the same way.
		if len(q.Must) > 0 {
			var list []string
			for _, term := range q.Must {
				list = append(list, `"`+strings.Join(term.Words, " ")+`"`)
			}
			if text := strings.Join(list, " "); len(text) <= 1024 {
				if again, _ := graph.ParseQuery(text); !reflect.DeepEqual(again.Must, q.Must) {
					t.Fatalf("%q is read as %v", text, again.Must)
				}
			}
		}
	})
}
