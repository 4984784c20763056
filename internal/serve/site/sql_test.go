package site

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/serve/warehouse"
)

// TestSQLPage looks for every table, column and example on the page: it has to
// be of use without a script.
func TestSQLPage(t *testing.T) {
	t.Parallel()
	got := newPlace(t).visitor(t).get("/sql")
	want(t, got, 200, "Ask in SQL")
	body := html.UnescapeString(got.body)
	has := func(what, text string) {
		t.Helper()
		if !strings.Contains(body, text) {
			t.Errorf("%s: %q is missing", what, text)
		}
	}
	schema := warehouse.Describe()
	if len(schema.Tables) == 0 {
		t.Fatal("there are no tables")
	}
	for _, v := range schema.Tables {
		start := strings.Index(body, `<details class="table" id="table-`+v.Name+`"`)
		if start < 0 {
			t.Errorf("table %s is missing", v.Name)
			continue
		}
		table, _, _ := strings.Cut(body[start:], "</details>")
		for _, c := range v.Columns {
			if !strings.Contains(table, `<code data-insert="`+c.Name+`">`+c.Name+`</code> <small class="type">`+c.Type) || !strings.Contains(table, c.Meaning) {
				t.Errorf("column %s.%s is missing", v.Name, c.Name)
			}
		}
		if pro := strings.Contains(table, ">Pro<"); pro != v.Pro {
			t.Errorf("table %s is marked as Pro: %t", v.Name, pro)
		}
		for _, e := range v.Examples {
			if !strings.Contains(table, e.Question) || !strings.Contains(table, e.SQL) {
				t.Errorf("example %q of %s is missing", e.Question, v.Name)
			}
		}
	}
	for _, r := range schema.Rules {
		has("rule", r)
	}
	has("curl", "'https://grants.example/api/v1/sql'")
	has("function", "<code>find_org(name)</code>")
}

// TestSQLPageIsStrict makes sure that nothing on the page needs a looser
// policy, and that no field of the form can end up in an address.
func TestSQLPageIsStrict(t *testing.T) {
	t.Parallel()
	got := newPlace(t).visitor(t).get("/sql")
	policy := got.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "script-src 'self'") || !strings.Contains(policy, "style-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, bad := range []*regexp.Regexp{
		regexp.MustCompile(`<script(?:>| [^>]*>)\s*[^<\s]`), regexp.MustCompile(`<style`), regexp.MustCompile(`<[^>]* style=`), regexp.MustCompile(`<[^>]* on[a-z]+=`),
	} {
		if found := bad.FindString(got.body); found != "" {
			t.Errorf("the policy forbids %q", found)
		}
	}
	if form := regexp.MustCompile(`(?s)<form id="sql".*?</form>`).FindString(got.body); form == "" || regexp.MustCompile(`<(?:input|textarea)[^>]* name=`).MatchString(form) {
		t.Errorf("a field of the form has a name:\n%s", form)
	}
}

var exampleIn = regexp.MustCompile(`<a class="example" href="#q=([^"]*)"`)

// TestSQLExamplesInLinks reads the links of the examples as the script does.
func TestSQLExamplesInLinks(t *testing.T) {
	t.Parallel()
	got := newPlace(t).visitor(t).get("/sql")
	var linked []string
	for _, m := range exampleIn.FindAllStringSubmatch(got.body, -1) {
		sql, err := url.PathUnescape(html.UnescapeString(m[1]))
		if err != nil {
			t.Fatalf("%q: %v", m[1], err)
		}
		linked = append(linked, sql)
	}
	for _, v := range warehouse.Views() {
		for _, e := range v.Examples {
			if !slices.Contains(linked, e.SQL) {
				t.Errorf("no link fills in %q", e.SQL)
			}
		}
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]phrase{
		"":                nil,
		"plain":           {{"plain", false}},
		"`a` and `b`":     {{"a", true}, {" and ", false}, {"b", true}},
		"never `closed":   {{"never ", false}, {"closed", false}},
		"``":              nil,
		"call `f('x')`: ": {{"call ", false}, {"f('x')", true}, {": ", false}},
	} {
		if got := phrases(in); !slices.Equal(got, want) {
			t.Errorf("%q: %v", in, got)
		}
	}
}
