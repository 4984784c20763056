package irscode

import (
	"slices"
	"testing"
)

func TestPub78(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][]string{"": nil, "PC": {"PC"}, "EO,GROUP,LODGE": {"EO", "GROUP", "LODGE"}, " PF , NEW ,": {"PF", "NEW"}, ",": nil} {
		if got := Pub78Codes(s); !slices.Equal(got, want) {
			t.Errorf("%q splits into %q", s, got)
		}
	}
	for _, code := range Pub78Codes("PC,POF,PF,GROUP,LODGE,EO,FED,FORGN,SO,SONFI,SOUNK,UNKWN") {
		if Pub78Label(code) == "" {
			t.Errorf("code %s has no label", code)
		}
	}
	for _, code := range []string{"", "pc", "NEW"} {
		if Pub78Label(code) != "" {
			t.Errorf("the unknown code %q has a label", code)
		}
	}
}
