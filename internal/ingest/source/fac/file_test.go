package fac

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ingest/source/rows/rowstest"
)

func pack(t *testing.T, files ...string) string {
	t.Helper()
	return save(t, "fac.zip", rowstest.Zip(files...))
}

func save(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	const row = "r,EXAMPLE00001,2023,A,,OH,070000001,\n"
	const other = "report_id,auditee_uei,audit_year,additional_uei\n"
	for _, c := range []struct {
		name, path string
		rows       int64
		is         error
		says       string
	}{
		{"plain", save(t, "general.csv", general+row), 1, nil, ""},
		{"zip", pack(t, "general.csv", general+row, "additional_ueis.csv", other, "gen23.txt", "AUDITYEAR|DBKEY|EIN|DUNS\n2014|1|70000001|70000009\n", "read.me", "x"), 2, nil, ""},
		{"other tables", pack(t, "additional_ueis.csv", other), 0, ErrTable, "another table"},
		{"nothing", pack(t, "read.me", "x"), 0, ErrFormat, "no CSV"},
		{"something else", pack(t, "a.csv", "EIN\n"), 0, ErrFormat, "a.csv: "},
		{"damaged", save(t, "a.zip", "PK\x03\x04"), 0, ErrFormat, "damaged"},
	} {
		tally, err := ReadFile(t.Context(), c.path, func(*Pair) error { return nil })
		if !errors.Is(err, c.is) || tally.Rows != c.rows || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v", c.name, tally, err)
		}
	}
	if _, err := ReadFile(t.Context(), filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("no error for a file that is not there")
	}
}
