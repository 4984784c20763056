package resolve

import "testing"

func TestStandingOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]TaxStatus{
		"": StatusUnsaid, "-": StatusUnsaid, "N/A": StatusUnsaid, "501(c)": StatusUnsaid, "see attached": StatusUnsaid, "501(c)(33)": StatusUnsaid, "EXEMPT": StatusUnsaid,
		"501(C)(3)": 3, "501C3": 3, "501 (C) (3)": 3, "(C)(3)": 3, "501(C )3": 3, "IRC 501(C)(3)": 3, "Section 501(c)(3)": 3, "Sec. 501(c)3": 3, "3": 3, "03": 3, "501(c)(3) public c": 3,
		"501(C)(4)": 4, "IRC 501(C)(4)": 4, "501(c)(19)": 19, "501(C)6": 6,
		"501(C)(1)": Government, "GOV": Government, "gov't": Government, "Government or p": Government, "US GOVT": Government, "115": Government, "115 TRIBAL": Government,
		"170(C)(1)": Government, "STATE OF WI": Government, "State Govt": Government, "Tribe": Government,
		"PC": PublicCharity, "Public Charity": PublicCharity, "SO I": PublicCharity, "SO III FI": PublicCharity, "509(a)(1)": PublicCharity, "170(b)(1)(A)(vi)": PublicCharity,
		"PC - EQUIVALENCY DET": PublicCharity,
		"PF":                   PrivateFoundation, "POF": PrivateFoundation, "Private Foundation": PrivateFoundation,
		"NC": NotExempt, "I": NotExempt, "527": NotExempt, "FOR PROFIT": NotExempt, "NOT REGISTERED": NotExempt,
	} {
		if got := ReadTaxStatus(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestStandingGoesWith(t *testing.T) {
	t.Parallel()
	charity := &Org{Subsection: "03", Foundation: "15"}
	private := &Org{Subsection: "03", Foundation: "04"}
	league := &Org{Subsection: "06", Foundation: "00"}
	unknown := &Org{}
	for _, tc := range []struct {
		said         TaxStatus
		o            *Org
		agree, clash bool
	}{
		{StatusUnsaid, charity, false, false}, {Exempt3, unknown, false, false}, {Government, unknown, false, false},
		{Exempt3, charity, true, false}, {Exempt3, private, true, false}, {Exempt3, league, false, true},
		{6, league, true, false}, {PublicCharity, charity, true, false}, {PublicCharity, private, false, true}, {PublicCharity, league, false, true},
		{PrivateFoundation, private, true, false}, {PrivateFoundation, charity, false, true},
		{Government, charity, false, true}, {NotExempt, league, false, true},
	} {
		facts := factsOf(tc.o)
		if agree, clash := tc.said.compareWith(&facts); agree != tc.agree || clash != tc.clash {
			t.Errorf("%d with %+v: %v and %v", tc.said, tc.o, agree, clash)
		}
	}
}

func FuzzStandingOf(f *testing.F) {
	for _, s := range []string{"501(C)(3)", "GOV", "170(c)(1)", "PC - EQUIVALENCY DET", "IRC"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s := ReadTaxStatus(text); s > 29 && (s < Government || s > NotExempt) {
			t.Errorf("%q says %d", text, s)
		}
	})
}

func TestIsGovernment(t *testing.T) {
	t.Parallel()
	for k2, want := range map[string]bool{
		"CITY ELM": true, "ELM SCHOOL DISTRICT 7": true, "OHIO DEPARTMENT FISH": true, "LANTERN TRIBE": true,
		"ELM CITY CHOIR": false, "LANTERN SOCIETY": false, "": false,
	} {
		if isGovernment(k2) != want {
			t.Errorf("%q: %v", k2, !want)
		}
	}
}

func TestSpelledOut(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Lantern Club of Central NM": "LANTERN CLUB CENTRAL NEW MEXICO",
		"Lantern Club of Ottawa Co":  "LANTERN CLUB OTTAWA COUNTY",
		"Lantern Club of Ottawa Co.": "LANTERN CLUB OTTAWA COUNTY",
		"Lantern Glass Co":           "",
		"Lantern Club of Central TX": "",
		"Lantern Club of New Mexico": "",
	} {
		line := Recipient{Name1: name, State: "NM", City: "HOBBS"}
		q := &query{t: &line, n: parse(&line)}
		q.prepare()
		if got := q.spelledOut(); got != want {
			t.Errorf("%q is spelled out as %q, want %q", name, got, want)
		}
	}
}
