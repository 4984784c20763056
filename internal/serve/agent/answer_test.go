package agent

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/orgname"
)

// sheet is a challenge with one question of each type: the answers are
// $1,204,350, one of three organizations of a page, and a purpose.
func sheet(t testing.TB) *Challenge {
	t.Helper()
	var c cast
	c.add("ein-080000001", testRecipient(0), "St. Mary's Hospital Foundation, Inc.", "SAINT MARYS HOSP FDN OF ALDER")
	c.add("ein-080000002", testRecipient(1), "Saint Mary Hospital")
	c.add("ein-070000001", testFunder(0), "Juniper A Fund")
	who, ok := c.only("ein-080000001")
	if !ok {
		t.Fatal("the organization is ambiguous")
	}
	out := &Challenge{Salt: []byte("0123456789abcdef")}
	err := out.fill(&trio{}, []item{
		number(1_204_350, "How much?"),
		{text: "Who?", kind: Organization, forms: c.forms(who)},
		{text: "What for?", kind: Text, forms: []string{textForm + wording("The children's winter coats, 2nd year")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var right = []string{"1204350", "080000001", "the childrens winter coats 2nd year"}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := sheet(t)
	for _, x := range []struct {
		question         int
		accepted, denied []string
	}{
		{0, []string{
			"1204350", "1,204,350", "$1,204,350", " $ 1,204,350.00 ", "1204350.0", "1204350.", "USD 1204350", "1,204,350 usd", "1 204 350",
			"1204350 dollars", "1,204,350 Dollars", "US$1,204,350", "01204350", "1\u00a0204\u00a0350", "\uff11\uff12\uff10\uff14\uff13\uff15\uff10", "$1,204,350 USD", "1,204,350 $", "1204350$",
		}, []string{
			"", " ", "$", "1204351", "-1204350", "+1204350", "1204350.50", "1.204.350", "1204350.000", "1.2 million", "about 1204350", "1204350 or 1204351",
			"1e6", "0x12607e", "12043500", "120435", "one million", "1204350%", "€1204350", "null", strings.Repeat("1", 500),
		}},
		{1, []string{
			"080000001", "08-0000001", "08 0000001", "80000001", "EIN 08-0000001", "ein-080000001", "(08-0000001)",
			"St. Mary's Hospital Foundation, Inc.", "st marys hospital foundation", "SAINT MARY HOSPITAL FOUNDATION", "The St. Mary’s Hosp. Fdn.",
			"Saint Marys Hosp Fdn of Alder", "St. Mary's Hospital Foundation (08-0000001)", "St. Mary's Hospital Foundation, EIN 08-0000001",
			"St. Mary's Hospital Found",
		}, []string{
			"", "080000002", "08-0000002", "070000001", "08-0000001, 08-0000002", "St. Mary's Hospital", "Saint Mary Hospital", "St. Mary's", "Saint Mary Hosp",
			"St. Mary's Hospital Foundation and others", "Hospital Foundation", "Juniper A Fund", "1080000001", "0800000011", "foundation", "%", "null",
		}},
		{2, []string{
			"The children's winter coats, 2nd year", "THE CHILDRENS WINTER COATS 2ND YEAR", "  the  children’s winter—coats; 2nd year. ",
			"the childrens winter coat 2nd year", "the childrens winter coatss 2nd year", "the childrens wintre coats 2nd year", "the childrens winter boats 2nd year",
			"the childrenswinter coats 2nd year",
		}, []string{
			"", "winter coats", "the childrens winter coats", "the childrens winter boat 2nd year", "the winter coats childrens 2nd year",
			"the childrens winter coats 3rd year",
			"teh childrens wintre coats 2nd year", "childrens winter coats 2nd year", strings.Repeat("the childrens winter coats 2nd year ", 20),
		}},
	} {
		try := func(answer string, want bool) {
			t.Helper()
			answers := slices.Clone(right)
			answers[x.question] = answer
			if c.Check(answers) != want {
				t.Errorf("%s %q: accepted is %v", c.Questions[x.question].AnswerType, answer, !want)
			}
		}
		for _, a := range x.accepted {
			try(a, true)
		}
		for _, a := range x.denied {
			try(a, false)
		}
	}
	for _, answers := range [][]string{nil, {}, right[:2], append(slices.Clone(right), ""), {right[1], right[0], right[2]}, {right[0], right[0], right[0]}} {
		if c.Check(answers) {
			t.Errorf("%q is accepted", answers)
		}
	}
	for _, broken := range []*Challenge{{}, {Questions: c.Questions}, {Questions: c.Questions, Salt: c.Salt, Hashes: make([][][]byte, 3)}, {Questions: c.Questions, Salt: c.Salt, Hashes: [][][]byte{{nil}, {{}}, {{1}}}}} {
		if broken.Check(right) || broken.Check(nil) {
			t.Errorf("%+v accepts answers", broken)
		}
	}
}

// TestForms checks which names and beginnings of names are accepted.
func TestForms(t *testing.T) {
	t.Parallel()
	var c cast
	c.add("a", testRecipient(0), "Copperfield Land Trust")
	c.add("b", testRecipient(1), "Copperfield Land Trustees")
	c.add("c", testRecipient(2), "Lantern", "LANTERN HOUSE OF ALDER")
	c.add("d", testRecipient(3), "Quillon House", "LANTERN HOUSE OF ALDER")
	c.add("e", 0, "Northwind Choir")
	c.add("f", testRecipient(5), "Abc")
	c.add("g", testRecipient(6), "Twin Oaks")
	c.add("h", testRecipient(7), "TWIN OAKS INC")
	for _, x := range []struct {
		id      string
		ok      bool
		forms   []string
		without []string
	}{
		{"a", true, []string{"n:COPPERFIELDLANDTRUST", "e:080000001"}, []string{"n:COPPERFIELDLANDTRUS", "n:COPPERFIEL"}},
		{"b", true, []string{"n:COPPERFIELDLANDTRUSTEES", "n:COPPERFIELDLANDTRUSTE"}, []string{"n:COPPERFIELDLANDTRUST"}},
		{"c", true, []string{"n:LANTERN", "e:080000003"}, []string{"n:LANTERNHOUSEALDER", "n:LANTERNHOU", "n:LANTER"}},
		{"d", true, []string{"n:QUILLONHOUSE", "n:QUILLONHOU"}, []string{"n:LANTERNHOUSEALDER", "n:QUILLONHO"}},
		{"e", false, nil, nil}, {"f", false, nil, nil}, {"g", false, nil, nil}, {"h", false, nil, nil}, {"nobody", false, nil, nil},
	} {
		p, ok := c.only(x.id)
		if ok != x.ok {
			t.Errorf("%s: %v", x.id, ok)
		}
		if !ok {
			continue
		}
		forms := c.forms(p)
		for _, f := range x.forms {
			if !slices.Contains(forms, f) {
				t.Errorf("%s is not accepted as %s: %q", x.id, f, forms)
			}
		}
		for _, f := range x.without {
			if slices.Contains(forms, f) {
				t.Errorf("%s is accepted as %s: %q", x.id, f, forms)
			}
		}
		if p.keys[0] != forms[0][kindLen:] || forms[1] != einForm+p.ein.String() {
			t.Errorf("the first forms of %s are %q", x.id, forms[:2])
		}
	}
}

// TestSlips holds the texts that slips tells against mistaken, which decides
// the same for two texts.
func TestSlips(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"BOOKS AND DESKS FOR", "BOOKS AND DESKS FORX", "BOOKS AND DESKS FOR THE TOWN LIBRARIES", "BOOKS AND DESKS FOR THE TOWN LIBRARIES 1",
		"AAAAAAAAAAAAAAAAAAAA", "ABABABABABABABABABABAB",
	} {
		n := 0
		slips(s, func(b []byte) {
			n++
			if len(b) < slipFrom || len(b) > slipTo || !mistaken(string(b), s) || string(b) == s {
				t.Errorf("%q is told for %q", b, s)
			}
		})
		if n == 0 && len(s) >= slipFrom-1 && len(s) <= slipTo+1 {
			t.Errorf("nothing is told for %q", s)
		}
	}
	for _, x := range []struct {
		right, other string
		want         bool
	}{
		{"SHORT TEXT", "SHORT TEXT", true}, {"SHORT TEXT", "SHORT TEST", false},
		{"A GRANT FOR THE YEAR 2019", "A GRANT FOR THE YEAR 2018", true}, {"A GRANT FOR THE YEAR 2019", "A GRANT FOR THE YEAR 2020", false},
		{"A GRANT FOR THE YEAR 2019", "GRANT FOR THE YEAR 2019", false}, {"A GRANT FOR THE YEAR 2019", "", false},
		{"A GRANT FOR THE YEAR 2019", "A GRANT FOR THE YEAR 2091", true}, {"A GRANT FOR THE YEAR 2019", "A GRANT FOR THE YEAR 2190", false},
		{"A GRANT FOR THE YEAR 2019", "A GRANT FOR TEH YEAR 2019", true},
	} {
		if got := mistaken(x.right, x.other); got != x.want {
			t.Errorf("mistaken(%q, %q) = %v", x.right, x.other, got)
		}
	}
}

func TestAllows(t *testing.T) {
	t.Parallel()
	c := &Challenge{Calls: (&trio{Funder: testFunder(0), Year: 2020, Other: testFunder(1), From: 2018, To: 2020, Recipient: testRecipient(0)}).calls()}
	const (
		a = "/api/v1/grants/transactions?funder_id=070000001&year=2020&sort_by=amount&sort_order=desc&limit=10"
		b = "/api/v1/grants/recipients?funder_id=070000002&min_year=2018&max_year=2020&limit=10"
		d = "/api/v1/grants/funders?recip_id=080000001&limit=10"
	)
	for i, want := range []string{a, b, d} {
		if got := c.Calls[i].URL(); got != want {
			t.Errorf("call %d is %s, want %s", i+1, got, want)
		}
	}
	for _, x := range []struct {
		method, url string
		want        bool
	}{
		{"GET", a, true}, {"GET", b, true}, {"GET", d, true},
		{"GET", "/api/v1/grants/transactions?limit=10&sort_order=desc&year=2020&funder_id=070000001&sort_by=amount", true},
		{"GET", "/api/v1/grants/funders?limit=%31%30&recip_id=080000001", true},
		{"HEAD", a, false}, {"POST", a, false}, {"get", a, false},
		{"GET", a + "&page=2", false}, {"GET", a + "&limit=10", false}, {"GET", a + "&limit=1000", false}, {"GET", a + "&x=", false},
		{"GET", strings.Replace(a, "limit=10", "limit=11", 1), false},
		{"GET", strings.Replace(a, "070000001", "07-0000001", 1), false},
		{"GET", strings.Replace(a, "&limit=10", "", 1), false},
		{"GET", strings.Replace(a, "limit=10", "Limit=10", 1), false},
		{"GET", strings.Replace(a, "limit=10", "limit=", 1), false},
		{"GET", strings.Replace(a, "/v1/", "/", 1), false},
		{"GET", strings.Replace(a, "transactions?", "transactions/?", 1), false},
		{"GET", strings.Replace(a, "transactions", "recipients", 1), false},
		{"GET", strings.Replace(a, "transactions", "summary", 1), false},
		{"GET", strings.Replace(b, "070000002", "070000001", 1), false},
		{"GET", strings.Replace(d, "080000001", "080000001,080000002", 1), false},
		{"GET", "/api/v1/grants/funders", false}, {"GET", "/", false},
	} {
		u, err := url.Parse(x.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Allows(x.method, u.Path, u.Query()); got != x.want {
			t.Errorf("%s %s: %v", x.method, x.url, got)
		}
	}
	if (&Challenge{}).Allows("GET", "/", nil) || (&Challenge{Calls: []Call{{"GET", "/", "%zz"}}}).Allows("GET", "/", nil) {
		t.Error("a challenge without calls allows one")
	}
}

// FuzzCheck tries to have answers accepted that are not right.
func FuzzCheck(f *testing.F) {
	for _, s := range append([]string{"$1,204,350.00", "St. Mary's Hospital Foundation (08-0000001)", "the childrens wintre coats 2nd year", "1\u00a0204", "\xff\x00"}, right...) {
		f.Add(s)
	}
	c := sheet(f)
	f.Fuzz(func(t *testing.T, s string) {
		if c.accepts(0, Integer, s) == 1 {
			digits := strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r
				}
				return -1
			}, strings.SplitN(orgname.Fold(s), ".", 2)[0])
			if strings.TrimLeft(digits, "0") != right[0] {
				t.Errorf("%q is accepted as an amount", s)
			}
		}
		if c.accepts(1, Organization, s) == 1 {
			kx := orgname.Key(s)
			e, ok := einIn(s)
			if named := len(kx) >= minPrefix && strings.HasPrefix(kx, "SAINTMARY"); !named && (!ok || e != testRecipient(0)) {
				t.Errorf("%q is accepted as the organization", s)
			}
		}
		if (c.accepts(2, Text, s) == 1) != (len(s) <= maxAnswer && mistaken(wording(right[2]), wording(s))) {
			t.Errorf("%q: as the text it is accepted or refused wrongly", s)
		}
		if n, ok := integer(s); ok {
			if again, ok := integer(n); !ok || again != n {
				t.Errorf("%q is %q is %q", s, n, again)
			}
		}
		if w := wording(s); wording(w) != w {
			t.Errorf("%q is %q is %q", s, w, wording(w))
		}
	})
}

// TestWholeHashes checks challenges that were drawn when hashes were stored
// whole, and hashes cut so short that they could be guessed.
func TestWholeHashes(t *testing.T) {
	t.Parallel()
	c := sheet(t)
	n := integerForm + right[0]
	for size, want := range map[int]bool{0: false, 1: false, hashLen - 1: false, hashLen: true, hashLen + 1: false, 32: true} {
		h := c.hash(0, n[:kindLen], []byte(n[kindLen:]))
		c.Hashes[0] = [][]byte{h[:size]}
		if c.Check(right) != want {
			t.Errorf("a hash of %d bytes: accepted is %v", size, !want)
		}
	}
}
