package terminal

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestPages(t *testing.T) {
	t.Parallel()
	pages := ParsePages(fstest.MapFS{
		"pages/list.txt": {Data: []byte(`{{.Title}}

{{$n := len .Names}}
{{if .Names}}
  {{table "name" ">size"}}
  {{range .Names}}
    {{row . 1234}}
  {{end}}
{{else}}
Nothing.
{{end}}
{{titled "Facts" "" ">"}}
{{fact "count" (count $n)}}
{{fact "blank" " "}}
{{titled "Empty" "" ">"}}
{{template "rest" .}}
Done{{if .Names}}, all{{end}}.
{{define "rest"}}
{{percent 1 3}} {{bytes 2048}} {{dollars 5}} {{join .Names}}
{{end}}
`)}}, "pages/*.txt", nil)
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a", "b\nc\x1f\x1e"}, "T\n\n  name    size\n  ─────  ─────\n  a      1,234\n  b c    1,234\n\nFacts\n  count  2\n33.3 % 2.0 KiB $5 a, b\nc\x1f\x1e\nDone, all.\n"},
		{nil, "T\n\nNothing.\n\nFacts\n  count  0\n33.3 % 2.0 KiB $5 \nDone.\n"},
	} {
		var b strings.Builder
		err := pages.Print(&b, "list", map[string]any{"Title": "T", "Names": c.names})
		if got := b.String(); err != nil || got != c.want {
			t.Errorf("%q: %v\n%q\nwant\n%q", c.names, err, got, c.want)
		}
	}
	if err := pages.Print(&strings.Builder{}, "list", 7); err == nil {
		t.Error("a page of something else is printed")
	}
}
