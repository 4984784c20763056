package resolve

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/fault"
)

const overrideHeader = "kx,state,zip5,filed_ein,funder_ein,ein,action,reason,source_url,author,date\n"

// overrides reads rows given without their last three columns.
func overrides(rows string) (*Overrides, error) {
	var b strings.Builder
	b.WriteString(overrideHeader)
	for line := range strings.Lines(rows) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + ",,someone,2026-01-02\n")
		}
	}
	return ReadOverrides(strings.NewReader(b.String()), "human.csv")
}

func mustOverrides(t *testing.T, rows string) *Overrides {
	t.Helper()
	o, err := overrides(rows)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOverridePrecedence(t *testing.T) {
	t.Parallel()
	r := New(testUniverse(), Options{Human: mustOverrides(t, `
RIVERTRUST,,,,,07-0000001,set,any state
RIVERTRUST,PA,,,,07-0000002,set,Pennsylvania
RIVERTRUST,PA,15001,,,07-0000003,set,one ZIP
RIVERTRUST,,44101,,,07-0000004,set,as specific as Pennsylvania but later
,,,07-0000009,,07-0000001,set,filed wrong for years
BOATCLUB,,,,,,none,a boat
`)})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"no state":                   {Recipient{Name1: "RIVER TRUST"}, found(OverrideHuman, 70000001)},
		"state":                      {Recipient{Name1: "River Trust Inc", State: "PA"}, found(OverrideHuman, 70000002)},
		"state and ZIP":              {Recipient{Name1: "RIVER TRUST", State: "PA", ZIP: "15001-1234"}, found(OverrideHuman, 70000003)},
		"ZIP alone":                  {Recipient{Name1: "RIVER TRUST", State: "OH", ZIP: "441010001"}, found(OverrideHuman, 70000004)},
		"other state":                {Recipient{Name1: "RIVER TRUST", State: "VT"}, found(OverrideHuman, 70000001)},
		"filed EIN":                  {Recipient{Name1: "WHATEVER", Filed: 70000009}, found(OverrideHuman, 70000001)},
		"filed EIN, foreign":         {Recipient{Name1: "WHATEVER", Country: "UK", Filed: 70000009}, found(OverrideHuman, 70000001)},
		"none, though one was filed": {Recipient{Name1: "BOAT CLUB", Filed: 70000001}, Match{Barred: true}},
		"not selected":               {Recipient{Name1: "RIVER TRUSTS", State: "PA"}, Match{}},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestReadOverridesRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, about string }{
		{",OH,,,,07-0000001,set,why", "kx or filed_ein"},
		{"River Trust,,,,,07-0000001,set,why", `"RIVERTRUST"`},
		{"RIVERTRUST,Ohioo,,,,07-0000001,set,why", "state"},
		{"RIVERTRUST,,4410,,,07-0000001,set,why", "zip5"},
		{"RIVERTRUST,,,12,,07-0000001,set,why", "filed_ein"},
		{"RIVERTRUST,,,,x,07-0000001,set,why", "funder_ein"},
		{"RIVERTRUST,,,,,,set,why", "needs an ein"},
		{"RIVERTRUST,,,,,07-0000001,none,why", "takes no ein"},
		{"RIVERTRUST,,,,,07-0000001,maybe,why", "action"},
		{"RIVERTRUST,,,,,07-0000001,set,", "reason"},
		{"RIVERTRUST,OH,,,,07-0000001,set,why\nRIVERTRUST,OH,,,,07-0000002,set,why", "same lines as line 2"},
		{"RIVERTRUST,OH,,,,07-0000001,set", "wrong number of fields"},
	} {
		_, err := overrides(c.rows)
		if !errors.Is(err, ErrOverride) || !strings.Contains(err.Error(), c.about) || !strings.Contains(err.Error(), "human.csv") {
			t.Errorf("%q: %v, want an error about %q", c.rows, err, c.about)
		}
	}
	for _, text := range []string{"", "a,b\n", "kx\n", overrideHeader + "A,,,,,07-0000001,set,why,,me,yesterday\n"} {
		if _, err := ReadOverrides(strings.NewReader(text), "human.csv"); !errors.Is(err, ErrOverride) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Spreadsheets begin a file with a mark, end lines with two characters and may
// quote every cell.
func TestReadOverridesOfSpreadsheets(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":  overrideHeader + "RIVERTRUST,OH,,,,07-0000001,set,\"why, indeed\",,me,2026-01-02\n",
		"marked": "\ufeff" + strings.ReplaceAll(overrideHeader+"RIVERTRUST,OH,,,,07-0000001,set,why,,me,2026-01-02\n", "\n", "\r\n"),
		"quoted": "\ufeff\"kx\"" + overrideHeader[len("kx"):] + "\"RIVERTRUST\",OH,,,,07-0000001,set,why,,me,2026-01-02\n",
	} {
		if o, err := ReadOverrides(strings.NewReader(text), "human.csv"); err != nil || o.Len() != 1 {
			t.Errorf("%s: %d rulings, %v", name, o.Len(), err)
		}
	}
	for _, header := range []string{"kx,ein\n", strings.TrimSpace(overrideHeader) + ",more\n"} {
		if _, err := ReadOverrides(strings.NewReader(header), "human.csv"); err == nil || !strings.Contains(err.Error(), "expected "+strings.TrimSpace(overrideHeader)) {
			t.Errorf("header %q: %v", header, err)
		}
	}
}

func TestCheckOverrides(t *testing.T) {
	t.Parallel()
	u := testUniverse()
	if err := mustOverrides(t, "A,,,,,07-0000001,set,known\nB,,,,,13-0000001,set_unknown,no list has it\nC,,,,,,none,nobody").Check(u); err != nil {
		t.Error(err)
	}
	if err := mustOverrides(t, "A,,,,,13-0000001,set,mistyped").Check(u); !errors.Is(err, ErrOverride) || !strings.Contains(err.Error(), "13-0000001") {
		t.Errorf("got %v", err)
	}
	var none *Overrides
	if err := none.Check(u); err != nil || none.Len() != 0 {
		t.Errorf("no overrides: %v", err)
	}
}

func FuzzReadOverrides(f *testing.F) {
	f.Add(overrideHeader + "RIVERTRUST,OH,44101,07-0000001,08-0000001,07-0000002,set,why,,me,2026-01-02\n")
	f.Add(overrideHeader + ",,,07-0000001,,,none,why,,,\n")
	f.Add("\ufeff" + overrideHeader)
	f.Add("kx,\"state\n")
	u := testUniverse()
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ReadOverrides(strings.NewReader(text), "fuzz")
		if (o == nil) == (err == nil) {
			t.Fatalf("%v and %v", o, err)
		}
		if err != nil {
			return
		}
		_ = o.Check(u)
		r := New(u, Options{Human: o})
		for i := range o.rows {
			row := &o.rows[i]
			line := Recipient{Name1: row.kx, State: row.state, ZIP: row.zip5, Filed: row.filed}
			m := r.Resolve(&line, parse(&line))
			if (m.EIN == 0) != (m.Rule == None) {
				t.Errorf("%+v", m)
			}
		}
	})
}

// TestAddRuling adds rows to a file of rulings as accepted corrections do.
func TestAddRuling(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "overrides", "human.csv")
	const rest = `,"a ""reason"", with commas",,ann,2026-01-02`
	for _, c := range []struct {
		row     string
		refused bool
		rows    int
	}{
		{"LIBRARY,OH,,,070000001,070000002,set_unknown", false, 1}, // the file is made
		{"LIBRARY,OH,,,070000001,070000002,set_unknown", false, 1}, // the row is there
		{"LIBRARY,OH,,,070000001,070000003,set_unknown", true, 1},
		{"LIBRARY,OH,,,070000001,,none", true, 1},
		{"LIBRARY,PA,,,070000001,070000003,set_unknown", false, 2},
		{"LIBRARY,OH,43001,,070000001,070000003,set_unknown", false, 3},
		{",,,,070000009,,none", true, 3},
		{"library,,,,070000009,,none", true, 3},
		{"MUSEUM,,,,070000009,,set", true, 3},
	} {
		err := AddRuling(path, c.row+rest)
		if f, _ := fault.Of(err); (err != nil) != c.refused || c.refused && f.Slug != "bad_rulings" {
			t.Errorf("%s: %v", c.row, err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := ReadOverrides(bytes.NewReader(text), path); err != nil || o.Len() != c.rows {
			t.Errorf("%s: %d rows, %v", c.row, o.Len(), err)
		}
	}
	// A file of a spreadsheet, with a byte order mark and no line end, is kept as it is; one that no build can read is left alone.
	text := "\ufeffkx,state,zip5,filed_ein,funder_ein,ein,action,reason,source_url,author,date\r\nA,,,,,,none,because,,,"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := AddRuling(path, "B,,,,,,none"+rest); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text+"\nB,,,,,,none"+rest+"\n" {
		t.Errorf("%q %v", got, err)
	}
	if err := os.WriteFile(path, []byte("ein\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, _ := fault.Of(AddRuling(path, "B,,,,,,none"+rest)); f.Slug != "bad_rulings" {
		t.Errorf("%v", f)
	}
}
