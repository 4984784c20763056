package graph_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/graph"
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

func TestStem(t *testing.T) {
	t.Parallel()
	for _, same := range []string{"HOUSE HOUSES HOUSING HOUSED", "GRANT GRANTS GRANTED GRANTING", "CLASS CLASSES", "CHURCH CHURCHES", "TRAIN TRAINING TRAINED", "CARE CARES"} {
		words := strings.Fields(same)
		for _, w := range words[1:] {
			if graph.Stem(w) != graph.Stem(words[0]) {
				t.Errorf("%s is %s, %s is %s", w, graph.Stem(w), words[0], graph.Stem(words[0]))
			}
		}
	}
	for _, w := range []string{"", "A", "AS", "GAS", "ARTS", "BUS", "RED", "KING", "ABCD", "1990"} {
		if graph.Stem(w) != w {
			t.Errorf("%s is cut to %s", w, graph.Stem(w))
		}
	}
}

func TestTermIn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 900) + "needle point"
	for _, c := range []struct {
		term, text string
		want       bool
	}{
		{"HOUSE", "Housing for all", true},
		{"HOUSE", "greenhouse", false},
		{"GENERAL OPERATING", "for general-operating support", true},
		{"GENERAL OPERATING", "operating general", false},
		{"A A B", "a a a b", true},
		{"NEEDLE POINT", long, true},
		{"CAFE", "CAFÉ", true},
		{"FIRST", "", false},
	} {
		if got := (graph.Term{Words: strings.Fields(c.term)}).In(c.text); got != c.want {
			t.Errorf("%q in %.40q: %v", c.term, c.text, got)
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
			// A term is made of words, and finds itself, unless it has a
			// word so long that texts are cut within it.
			if slices.ContainsFunc(term.Words, func(w string) bool { return len(w) > 1024 }) {
				continue
			}
			text := strings.Join(term.Words, " ")
			if !slices.Equal(graph.Words(text), term.Words) || !term.In(text) {
				t.Fatalf("%q does not find itself", text)
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
