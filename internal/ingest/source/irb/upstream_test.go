package irb

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/bmf"
)

// TestRealText reads what there is of real bulletins: excerpts of text, the
// announcement one cut off in the middle of its first row.
func TestRealText(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(upstream.Dir(t), "irb")
	read := func(name, as string) (Bulletin, error) {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Skipf("no such excerpt: %v", err)
		}
		defer f.Close()
		return ReadNamed(f, as)
	}
	for _, c := range []struct {
		file, as string
		want     Bulletin
		names    int
	}{
		{"announcement_2022-16_EXCERPT.txt", "2022-33_IRB", Bulletin{Number: "2022-33", Date: "2022-08-15"}, 1},
		{"irb_2010-25_highlights_EXCERPT.txt", "", Bulletin{Number: "2010-25", Date: "2010-06-21"}, 0},
		{"irb_2023-41_highlights_EXCERPT.txt", "", Bulletin{Number: "2023-41", Date: "2023-10-10"}, 0},
	} {
		got, err := read(c.file, c.as)
		if err != nil || got.Number != c.want.Number || got.Date != c.want.Date || len(got.Deletions) != c.names {
			t.Errorf("%s: %+v, err %v; want %+v and %d names", c.file, got, err, c.want, c.names)
		}
		for _, d := range got.Deletions {
			// The row is cut before the state.
			if !strings.HasSuffix(d.Name, ", Inc.") || len(d.Name) != 10 || len(d.City) != 8 || d.State != "" || d.Effective != "2017-01-01" || d.Announcement != "2022-16" {
				t.Errorf("%s: %+v", c.file, d)
			}
		}
	}
	if b, err := read("announcement_2022-16_EXCERPT.txt", "announcement_2022-16_EXCERPT.txt"); !errors.Is(err, ErrFormat) {
		t.Errorf("an announcement without its bulletin's number gives %+v, err %v", b, err)
	}
}

// TestRealNames prints names and cities of the real master file as a list and
// reads them back: nearly all come through in plain lines, all in tables.
func TestRealNames(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join(upstream.Dir(t), "bmf", "2026-04", "eo_wy.csv.gz"))
	if err != nil {
		t.Skipf("no extract of the master file to take names from: %v", err)
	}
	defer f.Close()
	var list []Deletion
	if _, err := bmf.Read(f, func(r *bmf.Record) error {
		list = append(list, Deletion{strings.Clone(r.Name), strings.Clone(r.City), strings.Clone(r.State), "2020-02-15", "2031-16"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for layout := range layouts {
		lost := 0
		for chunk := range slices.Chunk(list, 25) {
			got, err := reread(layout, chunk)
			if err != nil {
				t.Fatalf("%s: %v", layout, err)
			}
			for _, d := range chunk {
				if !slices.Contains(got, d) {
					lost++
				}
			}
		}
		t.Logf("%s: %d of %d lost", layout, lost, len(list))
		if lost > 0 && (layout == "HTML table" || layout == "bars") || lost*200 > len(list) {
			t.Errorf("%s: %d of %d names do not come back", layout, lost, len(list))
		}
	}
}
