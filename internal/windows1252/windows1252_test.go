package windows1252_test

import (
	"testing"

	"grantgraph/internal/windows1252"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "plain": "plain", "Ni\xf1os": "Niños", "\x80 \x93quoted\x94 \x9f": "€ “quoted” Ÿ", "\x81\x8d\x8f\x90\x9d": "\ufffd\ufffd\ufffd\ufffd\ufffd", "\xa0\xff": "\u00a0ÿ",
	} {
		if got := windows1252.Decode(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
