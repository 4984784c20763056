package rows_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

// read collects the rows of a text, fields joined by a slash.
func read(text string, l rows.Layout, columns int) (list []string, tally rows.Tally, err error) {
	s := rows.NewScanner(strings.NewReader(text), l)
	err = rows.Each(s, &tally, columns, func(f []string) (string, error) {
		if f[0] == "refuse" {
			return "refused", nil
		}
		list = append(list, strings.Join(f, "/"))
		return "", nil
	})
	return list, tally, err
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		layout rows.Layout
		want   []string
	}{
		"csv":                 {"a,b\r\n\"c,d\",\"e \"\"f\"\"\"\n", rows.CSV, []string{"a/b", `c,d/e "f"`}},
		"quoted line break":   {"\"a\nb\",c\nd,e\n", rows.CSV, []string{"a\nb/c", "d/e"}},
		"bare quotes":         {"a,\"b\nc\",d\n", rows.BareCSV, []string{`a/"b`, `c"/d`}},
		"pipes":               {"\r\n\r\na|b\r\nc|d\r\n\r\n", rows.Pipes, []string{"a/b", "c/d"}},
		"byte order mark":     {"\xef\xbb\xbfa|b\n", rows.Pipes, []string{"a/b"}},
		"tabs":                {"a\tb", rows.TabTable, []string{"a/b"}},
		"text after a quote":  {`"a"x,b` + "\n", rows.CSV, []string{"ax/b"}},
		"quote inside a word": {`a"b,c` + "\n", rows.CSV, []string{`a"b/c`}},
		"nothing":             {"", rows.CSV, nil},
		"only blank lines":    {"\n \r\n\n", rows.Pipes, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, tally, err := read(c.text, c.layout, 2)
			if err != nil || !slices.Equal(got, c.want) || tally.Rows != int64(len(c.want)) || tally.Lost() != 0 {
				t.Errorf("rows %q, tally %+v, err %v", got, tally, err)
			}
		})
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	_, tally, err := read("a|b\nrefuse|b\none\nx|"+strings.Repeat("y", 20<<10)+"\nc|d\nrefuse|e\n", rows.Pipes, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []rows.Rejection{{Reason: "refused", Count: 2}, {Reason: rows.ReasonOverlong, Count: 1}, {Reason: rows.ReasonColumns, Count: 1}}
	if tally.Rows != 2 || !slices.Equal(tally.Rejected, want) || tally.Lost() != 4 {
		t.Errorf("%+v", tally)
	}
	sum := rows.Tally{Rows: 5, Rejected: []rows.Rejection{{Reason: "refused", Count: 1}, {Reason: "zebra", Count: 1}}}
	sum.Add(tally)
	want = []rows.Rejection{{Reason: "refused", Count: 3}, {Reason: rows.ReasonOverlong, Count: 1}, {Reason: rows.ReasonColumns, Count: 1}, {Reason: "zebra", Count: 1}}
	if sum.Rows != 7 || !slices.Equal(sum.Rejected, want) {
		t.Errorf("%+v", sum)
	}
}

func TestPageIsRefused(t *testing.T) {
	t.Parallel()
	for _, l := range []rows.Layout{rows.CSV, rows.Pipes} {
		if _, _, err := read("\n  <!DOCTYPE html><title>Moved</title>", l, 0); !errors.Is(err, rows.ErrPage) {
			t.Errorf("err %v", err)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{"": "", " \t\r": "", " LANTERN  HOUSE ": "LANTERN  HOUSE", "CAF\xc9 \xff\xfe": "CAF\ufffd \ufffd", "Café": "Café"} {
		if got := rows.Clean(field); got != want {
			t.Errorf("%q becomes %q, want %q", field, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if got := rows.Find([]string{"\ufeffEIN", " Name ", "city"}, "name", "EIN", "zip"); !slices.Equal(got, []int{1, 0, -1}) {
		t.Errorf("%v", got)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	const text = "a|b\nc|d\n"
	gzipped := rowstest.Gzip(text)
	whole := rowstest.Zip("folder/", "", "folder/list.txt", text)
	for name, c := range map[string]struct {
		data  string
		fails string
	}{
		"plain":         {text, ""},
		"gzip":          {gzipped, ""},
		"zip":           {rowstest.Zip("list.txt", text), ""},
		"two files":     {rowstest.Zip("a.txt", text, "b.txt", text), "where one file was expected"},
		"no file":       {rowstest.Zip(), "no file"},
		"cut zip":       {whole[:len(whole)-30], "cut short"},
		"cut gzip":      {gzipped[:len(gzipped)-6], "EOF"},
		"gzip nonsense": {"\x1f\x8bnonsense", "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "list")
			if err := os.WriteFile(path, []byte(c.data), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := rows.Open(path)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(r)
				r.Close()
			}
			switch {
			case c.fails == "" && (err != nil || string(got) != text):
				t.Errorf("%q, err %v", got, err)
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("err %v, want one about %q", err, c.fails)
			}
		})
	}
	if _, err := rows.Open(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("an absent file was opened")
	}
}

// Whatever the bytes, reading ends, loses nothing silently, and gives the same
// rows when the bytes come one at a time.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{"", "a,b\n", "\"a\n\",b\n", "\"never closed\na,b\n", "a|b\r\n\r\n", "<html>", "\xef\xbb\xbfa,b", strings.Repeat("x", 700)} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, quotes bool) {
		l := rows.Layout{Separator: ',', Quotes: quotes, MaxRow: 256}
		scan := func(r io.Reader) (list [][]string, tally rows.Tally, err error) {
			err = rows.Each(rows.NewScanner(r, l), &tally, 0, func(fields []string) (string, error) {
				list = append(list, slices.Clone(fields))
				return "", nil
			})
			return
		}
		list, tally, err := scan(strings.NewReader(text))
		if err != nil && !errors.Is(err, rows.ErrPage) {
			t.Fatal(err)
		}
		if tally.Rows != int64(len(list)) {
			t.Fatalf("%d rows, %d counted", len(list), tally.Rows)
		}
		again, twice, err2 := scan(iotest.OneByteReader(strings.NewReader(text)))
		if (err == nil) != (err2 == nil) || !slices.EqualFunc(list, again, slices.Equal) || tally.Lost() != twice.Lost() {
			t.Fatalf("in one piece %q %+v, byte by byte %q %+v", list, tally, again, twice)
		}
	})
}
