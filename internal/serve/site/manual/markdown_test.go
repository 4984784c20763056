package manual

import (
	"strings"
	"testing"
)

// TestRender renders a document with everything that a document may contain.
func TestRender(t *testing.T) {
	t.Parallel()
	const source = "# A title\n\nFirst words, with `code`. More.\n\n## One & two\n\n" +
		"[api](../api.md#filters), [table](../warehouse.md#grants), [rules](../warehouse.md#rules), [changes](../../CHANGELOG.md), [start.md](start.md), [../api.md](../api.md), [place](#one--two), [out](https://example.org/), [site](/check).\n\n" +
		"[code](../../internal/place.go) [wrong](javascript:alert(1)) [upwards](../../../x.md)\n\n" +
		"<!-- a comment -->\n\n<script>alert(1)</script>\n\nText <b>with</b> marks.\n\n" +
		"| A | B |\n|---|--:|\n| `x` | 1 |\n\n```sh\necho '<b>'\n```\n\n<details><summary>The answer</summary>\n\n    indented\n\n</details>\n\n" +
		"## One & two\n\n### find_org\n"
	c, err := render("docs/guide/python.md", "", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if c.Title != "A title" || c.Path != "/docs/guide/python" || c.Lead != "First words, with code." {
		t.Errorf("%q at %q: %q", c.Title, c.Path, c.Lead)
	}
	body := string(c.Body)
	for _, want := range []string{
		`href="/docs/examples#filters"`, `href="/docs/tables/grants"`, `href="/docs/tables#rules"`, `href="/docs/changes"`, `href="/docs/guide/start">Five-minute start</a>`, `href="/docs/examples">The API by example</a>`,
		`href="#one--two"`, `href="https://example.org/"`, `href="/check"`, "code wrong upwards", "Text with marks.",
		`<h2 id="one--two">`, `<h2 id="one--two-1">`, `<h3 id="find_org">`, `<div class="wide fits" tabindex="0" role="region" aria-label="One &amp; two"><table>`, `align="right"`,
		`<pre tabindex="0"><code class="language-sh">echo '&lt;b&gt;'`, "<details><summary>The answer</summary>\n<pre", "</details>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	for _, not := range []string{"script", "comment", "<h1", "<b>", "place.go", "style="} {
		if strings.Contains(body, not) {
			t.Errorf("%s in\n%s", not, body)
		}
	}
	if len(c.Headings) != 3 || c.Headings[2] != (heading{"find_org", "find_org", 3}) || len(c.sections) != 4 {
		t.Errorf("headings %v, %d sections", c.Headings, len(c.sections))
	}
}

// TestRank checks the ranking: titles before texts, all words before some, and
// exact words before prefixes.
func TestRank(t *testing.T) {
	t.Parallel()
	x := newIndex([]section{
		{Title: "Retries", Path: "title"},
		{Title: "Pages", Path: "text", text: []string{"After an error, retry with a pause."}},
		{Title: "Limits", Path: "both", text: []string{"Retry later. The limit of pages."}},
		{Title: "min_amt", Path: "name", text: []string{"Least amount"}},
		{Title: "Amounts", Path: "longer", text: []string{"An amount in dollars"}},
	})
	for question, want := range map[string]string{
		"retry":       "title both text",
		"retry limit": "both title text",
		"min_amt":     "name",
		"MIN AMT":     "name",
		"dollar":      "longer",
		"of the":      "",
		"":            "",
	} {
		var got []string
		for _, f := range x.find(question) {
			got = append(got, f.Path)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q finds %q, want %q", question, s, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("before ", 60) + "the <key> of all " + strings.Repeat("after ", 60)
	got := string(excerpt(long, map[string]bool{"KEY": true}))
	if !strings.HasPrefix(got, "… before") || !strings.HasSuffix(got, " …") || !strings.Contains(got, "&lt;<mark>key</mark>&gt;") || len(got) > 300 {
		t.Errorf("%q", got)
	}
	if got := string(excerpt("short & plain", nil)); got != "short &amp; plain" {
		t.Errorf("%q", got)
	}
}

func TestLaidOut(t *testing.T) {
	t.Parallel()
	if text, cut := LaidOut([]byte(`{"a":[1]}` + "\n")); text != "{\n  \"a\": [\n    1\n  ]\n}" || cut {
		t.Errorf("%q", text)
	}
	if text, cut := LaidOut([]byte("no JSON \xff")); text != "no JSON \uFFFD" || cut {
		t.Errorf("%q", text)
	}
	if text, cut := LaidOut([]byte(`"` + strings.Repeat("é", mostShown) + `"`)); !cut || len(text) > mostShown+8 {
		t.Errorf("%d bytes, %v", len(text), cut)
	}
}
