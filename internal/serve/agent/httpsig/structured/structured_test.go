package structured

import (
	"reflect"
	"strings"
	"testing"
)

func TestDictionary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{``, ``},
		{`   `, ``},
		{`a=1`, `a=1`},
		{`a=1,b=2`, `a=1, b=2`},
		{"a=1 \t,\t b=2  ", `a=1, b=2`},
		{`a`, `a`},
		{`a;x;y=2`, `a;x;y=2`},
		{`a=?1;x=?1`, `a;x`},
		{`a=?0;x=?0`, `a=?0;x=?0`},
		{`a=007`, `a=7`},
		{`a=-0`, `a=0`},
		{`a=-999999999999999`, `a=-999999999999999`},
		{`a="q\"\\q"`, `a="q\"\\q"`},
		{`a=tok/en:*`, `a=tok/en:*`},
		{`a=*t`, `a=*t`},
		{`a=:aGVsbG8=:`, `a=:aGVsbG8=:`},
		{`a=::`, `a=::`},
		{`a=()`, `a=()`},
		{`a=( "x"  y;z=1 );p=2`, `a=("x" y;z=1);p=2`},
		{`*a_-.b9=1`, `*a_-.b9=1`},
		{`sig1=("@authority" "signature-agent";key="sig1"); created=1; keyid="k"`, `sig1=("@authority" "signature-agent";key="sig1");created=1;keyid="k"`},
	} {
		d, err := ParseDictionary(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := string(d.Append(nil)); got != c.want {
			t.Errorf("%q: written as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestDictionaryRefuses(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("a,", MaxMembers)
	for i := range MaxMembers + 1 {
		many += "k" + strings.Repeat("x", i) + ","
	}
	for _, text := range []string{
		`,`, `a=1,`, `a=1 b=2`, `A=1`, `=1`, `1a=1`, `a=`, `a==1`, `a=1,a=2`, `a;x=1;x=2`, `a=1.5`, `a=1.`, `a=-`, `a=--1`,
		`a=1000000000000000`, `a="`, `a="\x"`, `a="\`, "a=\"\x7f\"", "a=\"\u00e9\"", "a=\"\n\"", `a=:`, `a=:a:`, `a=:aGVsbG8:`, `a=:aGVsbG9=:`,
		"a=:aGVs\nbG8=:", `a=:*:`, `a=?`, `a=?2`, `a=?true`, `a=(`, `a=(1`, `a=(1,2)`, `a=("x""y")`, `a=((1))`, `a=(1 `, `a=@1`, `a=%"x"`,
		`a;`, `a;;b`, `a; =1`, `a;X=1`, "a\x00", "a=1\x00", `é=1`, `a="x"y`, "\ta=1,", many,
		`a=` + strings.Repeat(`1`, MaxText), strings.Repeat("k", MaxKey+1), "a" + strings.Repeat(";p", 2),
	} {
		if d, err := ParseDictionary(text); err == nil {
			t.Errorf("%.60q: accepted as %q", text, d.Append(nil))
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	name := func(i int) string { return "k" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }
	build := func(n int, sep string) string {
		var parts []string
		for i := range n {
			parts = append(parts, name(i))
		}
		return strings.Join(parts, sep)
	}
	for _, c := range []struct {
		what string
		at   func(n int) string
		max  int
	}{
		{"members", func(n int) string { return build(n, ",") }, MaxMembers},
		{"items", func(n int) string { return "a=(" + build(n, " ") + ")" }, MaxMembers},
		{"parameters", func(n int) string { return "a;" + build(n, ";") }, MaxParams},
		{"item parameters", func(n int) string { return "a=(1;" + build(n, ";") + ")" }, MaxParams},
		{"key", func(n int) string { return strings.Repeat("k", n) }, MaxKey},
		{"text", func(n int) string { return `a="` + strings.Repeat("x", n-6) + `"` }, MaxText},
	} {
		if _, err := ParseDictionary(c.at(c.max)); err != nil {
			t.Errorf("%s: %d refused: %v", c.what, c.max, err)
		}
		if _, err := ParseDictionary(c.at(c.max + 1)); err == nil {
			t.Errorf("%s: %d accepted", c.what, c.max+1)
		}
	}
}

func TestLinesAreOneValue(t *testing.T) {
	t.Parallel()
	d, err := ParseDictionary(" a=1 ", "b=2")
	if err != nil || string(d.Append(nil)) != "a=1, b=2" {
		t.Errorf("%q, %v", d.Append(nil), err)
	}
	if _, err := ParseDictionary("a=1", "a=2"); err == nil {
		t.Error("a key repeated on another line was accepted")
	}
	if _, err := ParseItem(`"a"`, `"b"`); err == nil {
		t.Error("two items were taken for one")
	}
}

func TestItem(t *testing.T) {
	t.Parallel()
	item, err := ParseItem(` "https://agent.example";type=directory `)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := item.Value.Text(); !ok || s != "https://agent.example" {
		t.Errorf("text %q, %v", s, ok)
	}
	kind, _ := item.Params.Get("type")
	if s, ok := kind.Token(); !ok || s != "directory" {
		t.Errorf("type %q, %v", s, ok)
	}
	// A value of another kind gives nothing, even to a caller who does not ask.
	if s, ok := kind.Text(); ok || s != "" {
		t.Error("a token passed for a string")
	}
	if n, ok := True().Int(); ok || n != 0 {
		t.Error("a boolean passed for an integer")
	}
	if b, ok := item.Value.Bytes(); ok || len(b) != 0 {
		t.Error("a string passed for bytes")
	}
	if s, ok := item.Value.Token(); ok || s != "" {
		t.Error("a string passed for a token")
	}
	for _, text := range []string{``, `a b`, `(1)`, `1;`, `"x",`} {
		if _, err := ParseItem(text); err == nil {
			t.Errorf("%q accepted", text)
		}
	}
}

func FuzzDictionary(f *testing.F) {
	for _, s := range []string{
		`sig1=("@authority" "signature-agent";key="sig1");created=1735689600;keyid="k";alg="ed25519";nonce="n==";tag="web-bot-auth"`,
		`sig1=:aGVsbG8=:, b=?0;x`, `a="\"\\";y=*t/:, c=-12`, `a=( 1  b )`, "a\t,\tb",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDictionary(s)
		if err != nil {
			return
		}
		first := string(d.Append(nil))
		again, err := ParseDictionary(first)
		if err != nil {
			// Spaces between members grow, so a value at the bound may pass it.
			if len(first)+2 > MaxText {
				return
			}
			t.Fatalf("%q was written as %q, which is refused: %v", s, first, err)
		}
		if !reflect.DeepEqual(d, again) {
			t.Fatalf("%q and its written form %q differ", s, first)
		}
		if second := string(again.Append(nil)); second != first {
			t.Fatalf("%q has two written forms, %q and %q", s, first, second)
		}
	})
}
