package stateaward

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestMappings says that the nine states are there and that each mapping tells
// where its data comes from and what is uncertain about it.
func TestMappings(t *testing.T) {
	t.Parallel()
	var states []string
	for _, m := range Mappings() {
		states = append(states, m.State)
		if m.Title == "" || !strings.HasPrefix(m.Page, "https://") || m.Licence == "" || !m.Verified && m.Note == "" {
			t.Errorf("%s: title, page, licence or note is missing", m.State)
		}
		if header := m.Header(); Find(header, m.Columns.Payee) < 0 || Find(header, m.Columns.Amount) < 0 {
			t.Errorf("%s: header %q lacks the payee or the amount", m.State, header)
		}
		if again, ok := For(strings.ToLower(m.State)); !ok || again.Title != m.Title {
			t.Errorf("For(%s) = %q, %v", m.State, again.Title, ok)
		}
	}
	if want := []string{"CT", "DE", "FL", "MA", "MD", "NJ", "OK", "OR", "VT"}; !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	if _, ok := For("ZZ"); ok {
		t.Error("there is a mapping for ZZ")
	}
}

const least = `state = "VT"
[columns]
payee = "Vendor"
amount = "Amount"
date = "Paid|Paid On"
`

func TestReadMapping(t *testing.T) {
	t.Parallel()
	m, err := ReadMapping(strings.NewReader(least + "[[filter]]\ncolumn = \"Kind\"\nkeep = [\"Grant\"]\n"))
	if err != nil || m.Separator != "," || m.Encoding != "utf-8" || m.YearStart != 7 {
		t.Fatalf("%+v, %v", m, err)
	}
	if got, want := m.Header(), []string{"Vendor", "Paid", "Amount", "Kind"}; !slices.Equal(got, want) {
		t.Errorf("header %q, want %q", got, want)
	}
	for name, c := range map[string]struct{ text, says string }{
		"not TOML":         {"state = [", "mapping"},
		"unknown setting":  {least + "paye = \"x\"", "columns.paye"},
		"no state":         {strings.Replace(least, `"VT"`, `""`, 1), "two capital letters"},
		"state in words":   {strings.Replace(least, `"VT"`, `"Vermont"`, 1), "two capital letters"},
		"no payee":         {strings.Replace(least, "payee", "city", 1), "columns.payee"},
		"no amount":        {strings.Replace(least, "amount", "city", 1), "columns.amount"},
		"no year":          {strings.Replace(least, "date", "city", 1), "columns.fiscal_year"},
		"wide separator":   {"separator = \"||\"\n" + least, "one character"},
		"quote separator":  {"separator = \"\\\"\"\n" + least, "one character"},
		"unknown encoding": {"encoding = \"ebcdic\"\n" + least, "windows-1252"},
		"month 13":         {"year_start = 13\n" + least, "1 to 12"},
		"empty filter":     {least + "[[filter]]\ncolumn = \"x\"\n", "keep or drop"},
		"header lacks":     {"header = [\"Vendor\", \"Amount\"]\n" + least, "no column Paid"},
		"too long":         {least + strings.Repeat("# comment\n", 8000), "longer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadMapping(strings.NewReader(c.text))
			if !errors.Is(err, ErrMapping) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

// TestByHand: a mapping that was not read from a file has the same defaults.
func TestByHand(t *testing.T) {
	t.Parallel()
	m := Mapping{State: "VT", Columns: Columns{Payee: "who", Date: "when", Amount: "paid"}}
	list, _, err := read(&m, strings.NewReader(strings.Join(m.Header(), ",")+"\nLANTERN HOUSE,2023-07-01,5\n"))
	if err != nil || len(list) != 1 || list[0].FiscalYear != 2024 || list[0].Amount != 500 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, value string
		want           bool
	}{
		{"grant", "GRANT", true}, {"grant", "grants", false}, {"grant*", "Grants paid", true}, {"*grant*", "Direct Grant Expense", true},
		{"*grant", "state grant", true}, {"*grant", "grant state", false}, {"55*", "551120", true}, {"55*", "155", false},
		{"a*b*c", "aXbYc", true}, {"a*b*c", "acb", false}, {"ab*b", "ab", false}, {"*", "", true}, {"", "", true}, {"", "x", false},
	} {
		if got := match(c.pattern, c.value); got != c.want {
			t.Errorf("match(%q, %q) = %v", c.pattern, c.value, got)
		}
	}
}

func FuzzMapping(f *testing.F) {
	f.Add(least)
	f.Add("separator = \"\\u00e9\"\n" + least)
	f.Add("state = 3")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadMapping(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrMapping) {
				t.Errorf("error %v", err)
			}
			return
		}
		if len(m.Separator) != 1 || len(m.Header()) == 0 {
			t.Errorf("mapping %+v", m)
		}
	})
}
