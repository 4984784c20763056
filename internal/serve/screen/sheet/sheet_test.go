package sheet

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot/lists"
)

// einsOf reads the EIN cells of a sheet.
func einsOf(t *testing.T, text, column string) (s *Sheet, eins []string) {
	t.Helper()
	s, err := Survey(strings.NewReader(text), column)
	if err != nil {
		t.Fatalf("%q: %v", fault.Clip(text, 60), err)
	}
	rows, err := s.Rows(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return s, eins
		}
		if err != nil {
			t.Fatal(err)
		}
		if !row.Blank {
			eins = append(eins, row.EIN)
		}
	}
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, column string
		at                 int
		headed, guessed    bool
		eins               string
	}{
		{"comma", "Name,EIN\nAlder,000000001\nBirch,000000002\n", "", 1, true, false, "000000001 000000002"},
		{"semicolon", "Name;Tax ID\nAlder, Inc.;00-0000001\n", "", 1, true, false, "00-0000001"},
		{"tab", "FEIN\tName\n1234567\tAlder; a fund\n", "", 0, true, false, "1234567"},
		{"CRLF, BOM and no line end", "\ufeffEIN,Name\r\n000000001,Alder\r\n000000002,Birch", "", 0, true, false, "000000001 000000002"},
		{"carriage returns alone", "EIN,Name\r000000001,Alder\r", "", 0, true, false, "000000001"},
		{"quoted, with a line break", "Name,EIN\n\"Alder\n\"\"Fund\"\", The\",\"00-0000001\"\n", "", 1, true, false, "00-0000001"},
		{"quotation marks inside", "Name,EIN\nAlder \"A\" Fund,000000001\n\"Big\" Fund,000000002\n", "", 1, true, false, "000000001 000000002"},
		{"no header", "000000001\n000000002\n", "", 0, false, true, "000000001 000000002"},
		{"no header, two columns", "Alder,00-0000001\nBirch,00-0000002\n", "", 1, false, true, "00-0000001 00-0000002"},
		{"by content", "Who,Number,ZIP+4\nAlder,00-0000001,123456789\n", "", 1, true, true, "00-0000001"},
		{"longer header", "Grantee name,Grantee EIN (required)\nAlder,1\n", "", 1, true, false, "1"},
		{"plain before perhaps", "Sponsor EIN,EIN\n000000001,000000002\n", "", 1, true, false, "000000002"},
		{"the one with EINs", "Grantee EIN,Sponsor EIN\n000000001,\n", "", 0, true, false, "000000001"},
		{"employer", "Employer Identification Number (EIN),x\n000000001,\n", "", 0, true, false, "000000001"},
		{"asked by name", "Sponsor EIN,EIN\n000000001,000000002\n", "sponsor ein", 0, true, false, "000000001"},
		{"asked by number", "Sponsor EIN,EIN\n000000001,000000002\n", "1", 0, true, false, "000000001"},
		{"separator line", "sep=;\r\nName;EIN\r\nAlder;000000001\r\n", "", 1, true, false, "000000001"},
		{"short and long rows", "Name,EIN\nAlder\nBirch,000000002,more,still more\n", "", 1, true, false, " 000000002"},
		{"blank lines", "\nEIN\n\n000000001\n\n", "", 0, true, false, "000000001"},
	} {
		s, eins := einsOf(t, c.text, c.column)
		if s.Column != c.at || s.Headed != c.headed || s.Guessed != c.guessed || strings.Join(eins, " ") != c.eins {
			t.Errorf("%s: column %d, headed %v, guessed %v, %q", c.name, s.Column, s.Headed, s.Guessed, eins)
		}
		if int(s.Count) != len(eins) {
			t.Errorf("%s: %d rows were counted, %d read", c.name, s.Count, len(eins))
		}
	}
}

// endless is a file of one byte, as long as it is asked for.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		in     io.Reader
		column string
		slug   string
		says   string
	}{
		{"empty", strings.NewReader(""), "", "sheet_empty", "empty"},
		{"only a mark", strings.NewReader("\ufeff\n\n"), "", "sheet_empty", "empty"},
		{"no EINs", strings.NewReader("Name,City\nAlder,Salem\n"), "", "no_ein_column", `1 "Name", 2 "City"`},
		{"two", strings.NewReader("Grantee EIN,Sponsor EIN\n000000001,000000002\n"), "", "which_column", `1 "Grantee EIN", 2 "Sponsor EIN"`},
		{"two without names", strings.NewReader("000000001,000000002\n"), "", "which_column", "1, 2"},
		{"two of one name", strings.NewReader("EIN,EIN\n000000001,000000002\n"), "ein", "which_column", "number"},
		{"no such column", strings.NewReader("EIN\n000000001\n"), "tax", "no_such_column", `"EIN"`},
		{"a number too high", strings.NewReader("EIN\n000000001\n"), "2", "no_such_column", `"EIN"`},
		{"workbook", strings.NewReader("PK\x03\x04rest"), "", "sheet_format", "Excel"},
		{"UTF-16", strings.NewReader("\xff\xfeE\x00I\x00"), "", "sheet_format", "UTF-16"},
		{"binary", strings.NewReader("\x7fELF\x01\x00\x00"), "", "sheet_format", "binary"},
		{"binary further down", strings.NewReader("EIN\n" + strings.Repeat("000000001\n", 20_000) + "\x00"), "", "sheet_format", "binary"},
		{"one line", io.LimitReader(endless('7'), 1<<30), "", "sheet_row_too_long", "line 1"},
		{"one cell", io.MultiReader(strings.NewReader("EIN\n\""), io.LimitReader(endless('7'), 1<<30)), "", "sheet_row_too_long", "quotation mark"},
		{"a million columns", io.LimitReader(endless(','), 1<<30), "", "sheet_too_wide", "columns"},
		{"never closed", strings.NewReader("EIN,Name\n000000001,\"Alder\n000000002,Birch\n"), "", "sheet_quotes", "line 2"},
		{"closed by the next", strings.NewReader("EIN,Name\n000000001,\"Alder\n000000002,\"Birch\n"), "", "sheet_quotes", "line 2"},
	} {
		_, err := Survey(c.in, c.column)
		f, ok := fault.Of(err)
		if !ok || f.Slug != c.slug || !strings.Contains(f.Message+f.Hint, c.says) || f.Hint == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cell string
		want ein.EIN
		says string
	}{
		{"12-3456789", 123456789, ""},
		{" 3456789 ", 3456789, ""},
		{"3456789.0", 3456789, ""},
		{"123456789.00", 123456789, ""},
		{`="003456789"`, 3456789, ""},
		{"'003456789", 3456789, ""},
		{"12–3456789", 123456789, ""},
		{"12\u00a03456789", 123456789, ""},
		{"", ein.None, "no EIN in this row"},
		{"n/a", ein.None, "not an EIN"},
		{"1.23457E+08", ein.None, "rounded"},
		{"1234567890", ein.None, "more than nine"},
		{"0", ein.None, "digits"},
	} {
		got, err := Parse(c.cell)
		if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, %v", c.cell, got, err)
		}
	}
}

func yes() *bool           { b := true; return &b }
func no() *bool            { b := false; return &b }
func say(s string) *string { return &s }

var screened = client.ScreenProvenance{Screened: true, Status: screen.Clear, Revised: say("2026-10-01")}

// invented is a record in which every list was used and nothing was found.
func invented(e string) *client.ScreeningRecord {
	listed := screened
	listed.Status = screen.Listed
	notListed := screened
	notListed.Status = screen.NotListed
	r := &client.ScreeningRecord{EIN: e, Found: true, Organization: client.ScreenedOrganization{EIN: e, OrganizationName: say("Alder Fund")}}
	c := &r.Compliance
	c.InBMF, c.Pub78Verified, c.Revoked, c.Conflict = yes(), yes(), no(), no()
	c.BMF = client.MasterFileScreen{ScreenProvenance: listed, SubsectionCode: say("03"), SubsectionDescription: say("501(c)(3)"), FoundationTypeCode: say("PC"), DeductibilityCode: say("1"), DeductibilityDescription: say("deductible")}
	c.Pub78.ScreenProvenance, c.Revocation.ScreenProvenance = listed, notListed
	c.OFACSanctionsScreen = client.SanctionsScreen{ScreenProvenance: screened, PotentialMatches: []client.SanctionsMatch{}}
	c.IRBScreen = client.BulletinScreen{ScreenProvenance: screened, CoversThrough: say("2026-40")}
	c.StateRegistration.California = client.CaliforniaScreen{ScreenProvenance: notListed, FTB: notListed}
	c.Reliance = client.Reliance{RelianceAvailable: yes(), ReportComplete: yes()}
	return r
}

// cellOf is a cell of a result by the name of its column.
func cellOf(r *Result, name string) string {
	i := slices.Index((&Sheet{}).names(), name)
	return r.Cells()[i]
}

func TestCells(t *testing.T) {
	t.Parallel()
	r := &Result{Record: invented("000000001"), At: time.Date(2026, 10, 2, 3, 4, 5, 0, time.UTC)}
	for name, want := range map[string]string{
		"found": "true", "organization_name": "Alder Fund", "revoked": "false", "ofac_status": "clear", "ofac_best_match": "", "ca_may_operate": "not listed",
		"subsection": "501(c)(3)", "screened_at": "2026-10-02T03:04:05Z", "bmf_revised": "2026-10-01", "irb_covers_through": "2026-40", "error": "",
	} {
		if got := cellOf(r, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	o := &r.Record.Compliance.OFACSanctionsScreen
	o.Status, o.PotentialMatches = screen.PotentialMatch, []client.SanctionsMatch{{Name: "=cmd|' /C calc'!A0", Score: 0.91}}
	if name, score := cellOf(r, "ofac_best_match"), cellOf(r, "ofac_best_score"); name != "'=cmd|' /C calc'!A0" || score != "0.91" {
		t.Errorf("best match %q, %q", name, score)
	}
	one := 1
	o.PotentialMatches, o.MatchCount = nil, &one
	if got := cellOf(r, "ofac_best_match"); got != "withheld" {
		t.Errorf("evidence that is withheld is %q", got)
	}
}

// TestNotScreened takes lists away: every cell that rests on one says so.
func TestNotScreened(t *testing.T) {
	t.Parallel()
	r := &Result{Record: &client.ScreeningRecord{EIN: "000000001"}}
	for _, c := range (&Sheet{}).names() {
		switch got := cellOf(r, c); c {
		case "found", "organization_name", "screened_at", "flags", "report_id", "error":
		default:
			if got != "not screened" {
				t.Errorf("%s is %q where nothing was screened", c, got)
			}
		}
	}
	unread := &Result{Problem: "no EIN in this row"}
	for _, c := range (&Sheet{}).names() {
		if got := cellOf(unread, c); got != "not screened" && c != "report_id" && c != "error" {
			t.Errorf("%s is %q where there is no EIN", c, got)
		}
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	with := func(change func(*client.ScreeningRecord)) *Result {
		r := invented("000000001")
		change(r)
		return &Result{Record: r}
	}
	for _, c := range []struct {
		name string
		row  *Result
		want Tally
	}{
		{"unreadable", &Result{Problem: "x"}, Tally{All: 1, Unreadable: 1}},
		{"nothing", with(func(*client.ScreeningRecord) {}), Tally{All: 1, NoFindings: 1}},
		{"revoked", with(func(r *client.ScreeningRecord) { r.Compliance.Revocation.Status = screen.Revoked }), Tally{All: 1, CloserLook: 1}},
		{"sanctions", with(func(r *client.ScreeningRecord) { r.Compliance.OFACSanctionsScreen.Status = screen.PotentialMatch }), Tally{All: 1, CloserLook: 1}},
		{"not in Publication 78", with(func(r *client.ScreeningRecord) { r.Compliance.Pub78.Status = screen.NotListed }), Tally{All: 1, CloserLook: 1}},
		{"California", with(func(r *client.ScreeningRecord) {
			ca := &r.Compliance.StateRegistration.California
			ca.Status, ca.MayOperate = screen.Listed, no()
		}), Tally{All: 1, CloserLook: 1}},
		{"lists that disagree", with(func(r *client.ScreeningRecord) { r.Compliance.Conflict = yes() }), Tally{All: 1, CloserLook: 1}},
		{"no sanctions list", with(func(r *client.ScreeningRecord) { r.Compliance.OFACSanctionsScreen.Screened = false }), Tally{All: 1, NotScreened: 1, Unused: map[string]int64{lists.OFAC: 1}}},
		{"found and not screened", with(func(r *client.ScreeningRecord) {
			r.Compliance.Revocation.Status = screen.Revoked
			r.Compliance.IRBScreen.Screened = false
		}), Tally{All: 1, CloserLook: 1, Unused: map[string]int64{lists.IRB: 1}}},
		{"not found", with(func(r *client.ScreeningRecord) { r.Found = false; r.Compliance.BMF.Status = screen.NotListed }), Tally{All: 1, NotFound: 1}},
	} {
		var got Tally
		if got.Add(c.row); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// screenAll writes the output of a sheet, with a checkpoint after every so many
// rows, and stops without a word where stop says so.
func screenAll(t *testing.T, text, path string, work Work, every int, stop func(lines int64) bool) (o *Output, finished bool) {
	t.Helper()
	s, err := Survey(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	if o, err = s.Create(path, work); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Rows(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(0); ; n++ {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n < o.Resumed {
			continue
		}
		if stop != nil && stop(n) {
			_ = o.w.Flush() // as if the system had written what it was given
			o.Abandon()
			return o, false
		}
		result := &Result{Problem: "no EIN"}
		if e, err := Parse(row.EIN); err == nil {
			result = &Result{Record: invented(e.String()), At: time.Unix(1, 0)}
		}
		if err := o.Write(row, result); err != nil {
			t.Fatal(err)
		}
		if (n+1)%int64(every) == 0 {
			if err := o.Checkpoint(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := o.Publish(); err != nil {
		t.Fatal(err)
	}
	return o, true
}

func TestOutput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, first, second string }{
		{"as it was", "EIN,Name\r\n00-0000001,\"Alder, \"\"A\"\"\"\r\n", "EIN,Name,found,organization_name,", "00-0000001,\"Alder, \"\"A\"\"\",true,Alder Fund,"},
		{"collisions", "EIN,Found,error,gg_error\n1,2,3,4\n", "EIN,Found,error,gg_error,gg_found,", "1,2,3,4,not screened,"},
		{"short and long rows", "EIN,Name\n000000001\n000000002,Birch,more\n", "EIN,Name,,found,", "000000001,,,true,"},
		{"no header", "000000001\n000000002\n", "column 1,found,", "000000001,true,"},
		{"Windows", "EIN;Name\n000000001;Fundaci\xf3n \x93Alder\x94\n", "\ufeffEIN;Name;found;", "000000001;Fundación “Alder”;true;"},
		{"separator line", "sep=;\nEIN;Name\n000000001;Alder\n", "sep=;", "EIN;Name;found;"},
	} {
		path := filepath.Join(t.TempDir(), "results.csv")
		screenAll(t, c.in, path, Work{}, 10, nil)
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(got), "\n")
		if !strings.HasPrefix(lines[0], c.first) || !strings.HasPrefix(lines[1], c.second) {
			t.Errorf("%s:\n%s", c.name, got)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
			t.Errorf("%s: left behind: %v", c.name, left)
		}
	}
}

// TestResume stops a run behind every row, and in the middle of what it writes
// there: the next goes on, and the result is that of a run that was not stopped.
func TestResume(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("Name,EIN\n")
	for i := range 25 {
		fmt.Fprintf(&b, "\"Fund\n%d\",%09d\n", i, i) // the first has no EIN
		if i%7 == 0 {
			b.WriteString("\n")
		}
	}
	text := b.String()
	whole := filepath.Join(t.TempDir(), "whole.csv")
	screenAll(t, text, whole, Work{}, 4, nil)
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for at := range int64(29) {
		path := filepath.Join(t.TempDir(), "results.csv")
		if _, finished := screenAll(t, text, path, Work{}, 4, func(n int64) bool { return n == at }); finished {
			t.Fatalf("not stopped at %d", at)
		}
		// What was written after the last checkpoint may have been cut anywhere.
		partial, err := os.OpenFile(partialPath(path), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = partial.WriteString("\"half a row")
		_ = partial.Close()
		journal, err := os.OpenFile(journalPath(path), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = journal.WriteString(`{"lines":99,"by`)
		_ = journal.Close()
		o, _ := screenAll(t, text, path, Work{}, 4, nil)
		if o.Resumed != at/4*4 || o.Anew != "" {
			t.Errorf("stopped at %d, gone on from %d: %s", at, o.Resumed, o.Anew)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("stopped at %d:\n%s", at, got)
		}
		if o.Tally.All != 25 || o.Tally.Unreadable != 1 {
			t.Errorf("stopped at %d: %+v", at, o.Tally)
		}
	}
}

// TestAnew changes something between two runs: the second begins again and says
// why.
func TestAnew(t *testing.T) {
	t.Parallel()
	text := "EIN\n" + strings.Repeat("000000001\n", 9)
	stop := func(n int64) bool { return n == 7 }
	for _, c := range []struct {
		name, text string
		work       Work
		spoil      func(path string) error
		says       string
	}{
		{name: "the input", text: text + "000000002\n", says: "input"},
		{name: "the lists", text: text, work: Work{Source: "another"}, says: "lists"},
		{name: "the settings", text: text, work: Work{Settings: "another"}, says: "differently"},
		{name: "the rows", text: text, says: "changed", spoil: func(path string) error {
			return os.WriteFile(partialPath(path), bytes.Repeat([]byte("x"), 4000), 0o644)
		}},
		{name: "the rows are gone", text: text, says: "changed", spoil: func(path string) error { return os.Remove(partialPath(path)) }},
		{name: "the journal", text: text, says: "journal", spoil: func(path string) error { return os.WriteFile(journalPath(path), []byte("{\n"), 0o644) }},
	} {
		path := filepath.Join(t.TempDir(), "results.csv")
		screenAll(t, text, path, Work{}, 2, stop)
		if c.spoil != nil {
			if err := c.spoil(path); err != nil {
				t.Fatal(err)
			}
		}
		o, _ := screenAll(t, c.text, path, c.work, 2, nil)
		if o.Resumed != 0 || !strings.Contains(o.Anew, c.says) || o.Tally.All != int64(strings.Count(c.text, "\n")-1) {
			t.Errorf("%s: gone on from %d: %q, %+v", c.name, o.Resumed, o.Anew, o.Tally)
		}
	}
}

// TestLocked begins a second run while the first is under way.
func TestLocked(t *testing.T) {
	t.Parallel()
	s, err := Survey(strings.NewReader("EIN\n000000001\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "results.csv")
	o, err := s.Create(path, Work{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Abandon()
	if _, err := s.Create(path, Work{}); err == nil {
		t.Error("two runs write the same file")
	} else if f, ok := fault.Of(err); !ok || f.Slug != "locked" {
		t.Error(err)
	}
}

func TestChangedWhileRead(t *testing.T) {
	t.Parallel()
	s, err := Survey(strings.NewReader("EIN\n000000001\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.Rows(strings.NewReader("EIN\n000000002\n"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = rows.Next()
	}
	if f, ok := fault.Of(err); !ok || f.Slug != "sheet_changed" {
		t.Error(err)
	}
}

// FuzzSheet takes any bytes for a sheet: what is accepted is read to its end,
// the same number of rows both times, and what is written can be read by others
// and has the cells of the sheet in it.
func FuzzSheet(f *testing.F) {
	for _, s := range []string{
		"Name,EIN\nAlder,000000001\n", "\ufeffEIN;Name\r\n000000001;\"A\r\nB\"\r\n", "EIN\r000000001\r", "sep=;\nEIN;x\n1;2\n", "000000001\t\"a\"b\n",
		"EIN,Name\n000000001,\x93Alder\x94\n\n,\n", "EIN\n\"000000001", "\"\"\"\"\n000000001\n", "EIN,\"x\"\"y\"\n000000001, \"q\" ,more\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := Survey(bytes.NewReader(in), "1")
		if err != nil {
			if _, ok := fault.Of(err); !ok {
				t.Fatalf("%v is not for people", err)
			}
			return
		}
		var out bytes.Buffer
		o := &Output{sheet: s, w: bufio.NewWriter(&out), sum: sha256.New()}
		if err := o.writeHeader(); err != nil {
			t.Fatal(err)
		}
		read, err := s.Rows(bytes.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for {
			row, err := read.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if !row.Blank {
				cells = append(cells, row.EIN)
			}
			if err := o.Write(row, &Result{Problem: "a, \"reason\""}); err != nil {
				t.Fatal(err)
			}
		}
		if int64(len(cells)) != s.Count || o.Tally.All != s.Count || s.width < 1 {
			t.Fatalf("%d rows, %d counted, %d written, %d wide", len(cells), s.Count, o.Tally.All, s.width)
		}
		_ = o.w.Flush()
		if !utf8.Valid(out.Bytes()) {
			t.Fatal("the output is not UTF-8")
		}
		again := (&Sheet{layout: s.layout}).records(&out)
		if err := again.next(); err != nil {
			t.Fatal(err)
		}
		for _, want := range cells {
			err := again.next()
			for err == nil && len(again.raw) == 0 {
				err = again.next()
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := string(again.cell(s.Column)); got != want || len(again.ends) != s.width+len(added)+len(appended) || string(again.cell(len(again.ends)-1)) != "a, \"reason\"" {
				t.Fatalf("%q was %q, in a row of %d", got, want, len(again.ends))
			}
		}
	})
}
