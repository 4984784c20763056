package ingest

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/snapshot"
)

// private is a world in which two persons were paid, one of them in two years
// and once too much.
func private() world {
	student := given{name: "Quillbert Zanzibarro", state: "OH", zip: "43299", purpose: "Zorbification scholarship", status: "I", relation: "NONE", amount: 1500}
	refund, other := student, student
	refund.amount = -40
	other.name = "Wilhelmina Zanzibarro"
	w := sample()
	town := func(doc string) string {
		head, tail, _ := strings.Cut(doc, "Quillbert")
		return head + "Quillbert" + strings.Replace(tail, "COLUMBUS", "XYLOPHONIA", 1)
	}
	w["990/2023_TEOS_XML_01A.zip"] = map[string]string{
		"202300019349100001_public.xml": town(pf("070000001", "ALDER FAMILY FOUNDATION", "2022-12-31", "2023-05-01T10:00:00-05:00", false, student, refund, other)),
		"202300019349100002_public.xml": town(pf("070000001", "ALDER FAMILY FOUNDATION", "2023-12-31", "2024-05-01T10:00:00-05:00", false, student)),
	}
	return w
}

// told are words that say who the persons of that world are.
var told = []string{"QUILLBERT", "ZANZIBARRO", "WILHELMINA", "XYLOPHONIA", "ZORBIFICATION"}

// findings looks for those words in every file of a snapshot, as they lie there
// and as they are read: a table is compressed, and so is a database.
func findings(t *testing.T, s *snapshot.Snapshot) []string {
	t.Helper()
	return findingsOf(t, s, told)
}

func findingsOf(t *testing.T, s *snapshot.Snapshot, told []string) (found []string) {
	t.Helper()
	note := func(file string, text []byte) {
		text = bytes.ToUpper(text)
		for _, w := range told {
			if bytes.Contains(text, []byte(w)) {
				found = append(found, file+" has "+w)
			}
		}
	}
	err := filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(s.Dir, path)
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		note(name, raw)
		switch filepath.Ext(name) {
		case ".parquet":
			note(name+" as rows", parquetText(t, raw))
		case ".duckdb":
			for _, table := range duckTables(t, path) {
				note(name+" as table "+table.name, []byte(table.text))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// parquetText is every value of a table.
func parquetText(t *testing.T, raw []byte) []byte {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				for _, v := range row {
					text = append(append(text, v.String()...), '\n')
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return text
}

type duckTable struct{ name, text string }

// duckTables is every row of every table of a database as text.
func duckTables(t *testing.T, path string) (list []duckTable) {
	t.Helper()
	db, err := sql.Open("duckdb", path+"?access_mode=read_only")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	column := func(query string) (out []string) {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			out = append(out, s)
		}
		return out
	}
	for _, name := range column("SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'") {
		list = append(list, duckTable{name, strings.Join(column(fmt.Sprintf("SELECT CAST(x AS VARCHAR) FROM %q x", name)), "\n")})
	}
	return list
}

// TestMaskedIndividuals reads every byte of a snapshot for the persons it must
// not tell of, and makes sure by a build that tells of them that it would see.
func TestMaskedIndividuals(t *testing.T) {
	t.Parallel()
	sources := private().lay(t)
	opt := Options{Sources: sources, Data: t.TempDir(), Indexers: indexes.Reading(0), ListIndexers: indexes.Lists()}
	open := run(t, opt)
	seen := strings.Join(findings(t, open.Snapshot), "\n")
	for _, where := range []string{"tables/grants.parquet as rows has QUILLBERT", "tables/grants.parquet as rows has XYLOPHONIA", "tables/grant_purpose.parquet as rows has ZORBIFICATION",
		"tables/grant_adjustments.parquet as rows has QUILLBERT", "graph/index has ZANZIBARRO", "warehouse.duckdb as table grants has QUILLBERT", "has ZORBIFICATION"} {
		if !strings.Contains(seen, where) {
			t.Errorf("the search misses that %s; it finds\n%s", where, seen)
		}
	}
	opt.Data, opt.MaskIndividuals = t.TempDir(), true
	masked := run(t, opt)
	for _, f := range findings(t, masked.Snapshot) {
		t.Errorf("the masked snapshot tells: %s", f)
	}
	checkInvariants(t, masked)

	m, r := masked.Snapshot.Manifest, masked.Report
	if m.Individuals != snapshot.IndividualsMasked || open.Snapshot.Manifest.Individuals != snapshot.IndividualsFiled {
		t.Errorf("individuals are %q, and %q where nothing is masked", m.Individuals, open.Snapshot.Manifest.Individuals)
	}
	if r.Masked.Grants != 4 || r.Masked.TotalAmount != 6000 || r.Masked.Adjustments != 1 {
		t.Errorf("masked are %+v", r.Masked)
	}
	if a, b := open.Snapshot.Manifest.Counts, m.Counts; fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("masking changes the counts from %+v to %+v", a, b)
	}
	if a, b := fmt.Sprint(open.Report.Classes, open.Report.Supports), fmt.Sprint(r.Classes, r.Supports); a != b {
		t.Errorf("masking changes classes from %s to %s", a, b)
	}
	ids := map[string]int{}
	before := map[string]string{}
	for _, g := range rowsOf[snapshot.Grant](t, open.Snapshot, snapshot.Grants) {
		before[g.Key] = g.RecipID
	}
	for _, g := range rowsOf[snapshot.Grant](t, masked.Snapshot, snapshot.Grants) {
		if !g.IsIndividual {
			if g.RecipID != before[g.Key] {
				t.Errorf("%s has another identity", g.RecipientRaw)
			}
			continue
		}
		ids[g.RecipID]++
		if g.RecipientRaw != maskedName || g.RecipientCity != "" || g.RecipientZIP != "" || g.RecipientCounty != "" || g.Purpose != "" || g.RecipientState != "OH" || g.Support == 0 || g.RecipID == before[g.Key] {
			t.Errorf("%+v", g)
		}
	}
	if counts := fmt.Sprint(ids); len(ids) != 3 || !strings.Contains(counts, ":2") {
		t.Errorf("three persons are %s", counts)
	}
}

// TestMaskedLines masks single lines in a build that masks nothing else.
func TestMaskedLines(t *testing.T) {
	t.Parallel()
	w := private()
	plain := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	var key string
	for _, g := range rowsOf[snapshot.Grant](t, plain.Snapshot, snapshot.Grants) {
		if g.TaxYear == 2023 {
			key = g.Key
		}
	}
	// A line with an EIN is masked as well, and names nobody afterwards.
	w["overrides/masked.csv"] = map[string]string{"": "object_id,line,grant_key,reason\n" +
		"202300019349100001,1,,asked for it\n202300019349100001,2,,asked for it\n202300019349100001,3,,asked for it\n" +
		",," + key + ",at risk\n202200019349100002,2,,at risk\n,,aaaaaaaaaaaaa,no such line\n"}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir(), Indexers: indexes.Reading(0), ListIndexers: indexes.Lists()})
	for _, f := range findings(t, result.Snapshot) {
		t.Errorf("the snapshot tells: %s", f)
	}
	checkInvariants(t, result)
	if k := result.Report.Masked; k.Individuals != snapshot.IndividualsFiled || k.Grants != 4 || k.Listed != 6 || k.Unmet != 1 || k.Adjustments != 1 {
		t.Errorf("masked are %+v", k)
	}
	if !slices.ContainsFunc(result.Report.Warnings, func(s string) bool { return strings.Contains(s, "1 of 6 entries of overrides/masked.csv") }) {
		t.Errorf("nobody is told of the entry that names no line: %v", result.Report.Warnings)
	}
	body, _ := json.Marshal(result.Snapshot.Manifest.Sources)
	if !strings.Contains(string(body), `"override_masked"`) {
		t.Error("the manifest does not list the file")
	}
	for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
		if g.Filing == "202200019349100002" && g.Line == 2 && (!g.IsIndividual || g.RecipientEIN != "" || g.RecipientRaw != maskedName) {
			t.Errorf("%+v", g)
		}
	}
	if o := rowsOf[snapshot.Organization](t, result.Snapshot, snapshot.Organizations); slices.ContainsFunc(o, func(o snapshot.Organization) bool { return strings.Contains(o.Name, "STATE UNIVERSITY") }) {
		t.Error("who is masked is in the list of organizations")
	}
}

func TestReadMaskList(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "empty",
		"object_id,line\n":                   "expected object_id,line,reason",
		"object_id,reason\n":                 "expected object_id,line,reason",
		"name,reason\n":                      "is not one of",
		"reason,reason\n":                    "twice",
		"grant_key,reason\nabc,why\n":        "line 2: grant_key",
		"grant_key,reason\nabcdefghijklm,\n": "line 2: the reason is empty",
		"object_id,line,reason\n12,0,why\n":  "18 digits",
		"object_id,line,reason\n202300019349100001,x,why\n":                                   "number of a line",
		"object_id,line,reason\n202300019349100001,application 0,why\n":                       "number of a line",
		"object_id,line,reason\n202300019349100001,application 2,why\n":                       "",
		"object_id,line,reason\n202300019349100001,,why\n":                                    "an object_id and a line",
		"object_id,line,grant_key,reason\n202300019349100001,1,abcdefghijklm,why\n":           "an object_id and a line",
		"object_id,line,reason\n202300019349100001,1\n":                                       "wrong number of fields",
		"grant_key,reason\nabcdefghijklm,why\n":                                               "",
		"\ufeffReason, Line ,OBJECT_ID\nwhy,1,202300019349100001\nwhy,2,202300019349100001\n": "",
	} {
		_, err := readMaskList(strings.NewReader(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadMaskList(f *testing.F) {
	f.Add("object_id,line,reason\n202300019349100001,0,why\n")
	f.Add("grant_key,reason\nabcdefghijklm,\"w\nhy\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readMaskList(strings.NewReader(text))
		if err == nil && (m.len() < len(m.byKey)+len(m.byLine) || m.unmet() != int64(m.len())) {
			t.Errorf("%q gives %d entries", text, m.len())
		}
	})
}
