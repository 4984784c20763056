package ask

import (
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ntee"
)

// TestCauseMeant reads phrases that are in no list: those that mean a cause, and those
// that are near one, or near two, and mean something else.
func TestCauseMeant(t *testing.T) {
	t.Parallel()
	for phrase, want := range map[string]string{
		"kids sports leagues": "N6", "youth athletics": "N6", "sports for kids": "N6", "drug rehabilitation": "F2", "abused women": "P43", "battered wives": "P43",
		"teaching kids to read": "B92", "early childhood": "B21", "stray dogs": "D2", "rescue dogs": "D2", "horse rescue": "D2", "injured soldiers": "W3",
		"sight loss": "G41", "tumor research": "H3", "lakes and streams": "C32", "choir": "A6B", "fighting hunger": "K", "solar power": "C35", "parkinsons": "G48",
		"engineers": "U42", "opioid epidemic": "F2", "drunk driving": "I23",
		"disabled people": "", "catholic schools": "", "senior citizens": "", "helping veterans with housing": "", "queer youth": "", "jewish schools": "",
		"teen pregnancy": "", "gun violence": "", "covid relief": "", "global warming": "", "blind veterans": "", "women": "", "kids": "", "elderly": "", "the poor": "",
		"school lunches": "", "wildfire victims": "", "clean elections": "", "ocean conservation": "", "rural hospitals": "", "nonprofits": "", "buildings": "",
		"blockchain": "", "shoes": "", "tuesday": "", "red": "", "my dad": "", "quickly": "", "taxes": "", "money": "", "best": "", "growth": "", "weather": "", "war": "",
		"salary": "", "president": "", "lottery": "", "": "", "zzzz qqqq": "",
	} {
		if got, name := causeMeant(phrase, false); got != want || got != "" && name == "" {
			t.Errorf("%s: %q (%s), want %q", phrase, got, name, want)
		}
	}
	for _, phrase := range []string{"happy paws animal rescue", "second chance dog rescue", "johnson food bank", "valley youth soccer", "big cat rescue", "midtown theater", "sunrise hospice", "friends of the library"} {
		if got, _ := causeMeant(phrase, true); got != "" {
			t.Errorf("%s, perhaps a name, is read as %s", phrase, got)
		}
	}
}

// TestCauseTable holds causes.tsv: every code is one, no phrase has two, and each is
// read as it says.
func TestCauseTable(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, w := range causeTable() {
		if before, ok := seen[w.phrase]; ok {
			t.Errorf("%q stands for %q and %q", w.phrase, before, w.code)
		}
		seen[w.phrase] = w.code
		if w.phrase != strings.ToLower(strings.TrimSpace(w.phrase)) || w.phrase == "" {
			t.Errorf("%q is not written as it is looked up", w.phrase)
		}
		got, _, ok := causeOf(joinTokens(tokens(w.phrase)))
		if ok != (w.code != "") || ok && got != w.code {
			t.Errorf("%q is read as %q, want %q", w.phrase, got, w.code)
		}
		if c := ntee.Code(w.code); w.code != "" && w.code != "Health" && !slices.ContainsFunc(ntee.Codes(), func(e ntee.Entry) bool { return strings.HasPrefix(string(e.Code), string(c)) }) {
			t.Errorf("%q stands for %s, which begins no code", w.phrase, w.code)
		}
	}
}
