package profile

import "testing"

// TestSaid tells what a filer says from what only points elsewhere.
func TestSaid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "SEE SCHEDULE O", "See Schedule O.", "(SEE SCHEDULE O)", "SEE SCHEDULE O FOR DETAILS", "SEE FORM 990, PART III, LINE 1", "SEE ATTACHED SCHEDULE",
		"See Organization's Primary Exempt Purpose", "NONE", "N/A", "SEE STMT 12",
	} {
		if got := said(text); got != "" {
			t.Errorf("said(%q) = %q", text, got)
		}
	}
	for _, text := range []string{"ENCOURAGEMENT OF ART.", "To see that no child is hungry", "Education (see Schedule O)"} {
		if got := said(text); got != text {
			t.Errorf("said(%q) = %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"": "", "N/A": "", "NONE": "", "N.A.": "", "NOT APPLICABLE": "", "no website": "",
		"WWW.JUNIPER.EXAMPLE": "WWW.JUNIPER.EXAMPLE", "https://juniper.example/": "https://juniper.example/",
	} {
		if got := website(text); got != want {
			t.Errorf("website(%q) = %q, want %q", text, got, want)
		}
	}
}
