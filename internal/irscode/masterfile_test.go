package irscode

import (
	"strings"
	"testing"
)

func TestMasterFile(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"00": "", "02": "POF", "03": "POF", "04": "PF", "09": "", "10": "PC", "15": "PC", "16": "PC",
		"17": "SO", "18": "PC", "21": "SO", "24": "SO", "25": "PC", "99": "", "": "", "4": ""} {
		if got := FoundationType(code); got != want {
			t.Errorf("foundation %q is %q, want %q", code, got, want)
		}
		if got := PrivateFoundation(code); got != (want == "PF" || want == "POF") {
			t.Errorf("foundation %q is a private foundation: %v", code, got)
		}
		if want != "" && FoundationLabel(code) == "" {
			t.Errorf("foundation %q has no label", code)
		}
	}
	for code, want := range map[string]string{"03": "501(c)(3)", "19": "501(c)(19)", "29": "501(c)(29)", "92": "4947(a)(1)", "00": "", "": "", "3": "", "ab": "", "30": ""} {
		if got := SubsectionLabel(code); got != want {
			t.Errorf("subsection %q is %q, want %q", code, got, want)
		}
	}
	for _, l := range []struct {
		label func(string) string
		codes string
	}{{DeductibilityLabel, "1 2 4"}, {StatusLabel, "01 02 12 25"}, {AffiliationLabel, "1 2 3 6 7 8 9"},
		{FilingLabel, "00 01 02 03 04 06 07 13 14"}, {PFFilingLabel, "0 1"}, {OrganizationLabel, "1 2 3 4 5"}, {BandLabel, "0 1 2 3 4 5 6 7 8 9"}} {
		for code := range strings.FieldsSeq(l.codes) {
			if l.label(code) == "" {
				t.Errorf("code %s has no label", code)
			}
		}
		if l.label("?") != "" || l.label("") != "" {
			t.Error("an unknown code has a label")
		}
	}
	if !InGroup("9") || !InGroup("7") || InGroup("3") || InGroup("") {
		t.Error("only subordinates and intermediates of a group are in it")
	}
}
