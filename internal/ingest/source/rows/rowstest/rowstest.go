// Package rowstest tests the common contract of all readers of upstream lists: the same rows from every
// compression format, refusal of other files, an error for a truncated download, and errors that keep their
// cause. A reader's own tests cover only its fields.
package rowstest

import (
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"grantgraph/internal/ingest/source/rows"
)

type Reader struct {
	// Read reads a file and calls each with the record of every usable row.
	Read   func(r io.Reader, each func(record any) error) (rows.Tally, error)
	Format error            // wrapped by every error for another kind of file
	Head   string           // with its line end; empty when the file has no header
	Row    func(int) string // a usable row with its line end, another for each number
}

// Of is the Read of a reader that hands on records of one type.
func Of[T any](read func(io.Reader, func(*T) error) (rows.Tally, error)) func(io.Reader, func(any) error) (rows.Tally, error) {
	return func(r io.Reader, each func(any) error) (rows.Tally, error) {
		return read(r, func(record *T) error { return each(*record) })
	}
}

// lines is how many rows the contract is tried with.
const lines = 500

func (r Reader) Hold(t *testing.T) {
	for name, check := range map[string]func(*testing.T){
		"forms": r.forms, "refusals": r.refusals, "gives up": r.givesUp, "errors": r.errors, "cut short": r.cutShort,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

func (r Reader) text() string {
	var b strings.Builder
	b.WriteString(r.Head)
	for i := range lines {
		b.WriteString(r.Row(i))
	}
	return b.String()
}

func (r Reader) all(in io.Reader) (list []string, tally rows.Tally, err error) {
	tally, err = r.Read(in, func(record any) error {
		list = append(list, fmt.Sprintf("%+v", record))
		return nil
	})
	return list, tally, err
}

func Gzip(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err) // memory takes everything
	}
	return b.String()
}

// Zip packs files, each given by its name and its text, in this order.
func Zip(files ...string) string {
	var b strings.Builder
	z := zip.NewWriter(&b)
	var err error
	for i := 0; i < len(files) && err == nil; i += 2 {
		var w io.Writer
		if w, err = z.Create(files[i]); err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
	}
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err) // memory takes everything
	}
	return b.String()
}

// ZipMap packs files, given by their names, in the order of these.
func ZipMap(files map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, name, files[name])
	}
	return Zip(list...)
}

// forms reads the same rows from every format a file may have.
func (r Reader) forms(t *testing.T) {
	text := r.text()
	want, tally, err := r.all(strings.NewReader(text))
	if err != nil || tally.Rows != lines || tally.Lost() != 0 || len(want) != lines {
		t.Fatalf("%d rows of %d: %+v, %v", len(want), lines, tally, err)
	}
	feeds := strings.ReplaceAll(text, "\r\n", "\n")
	for name, in := range map[string]io.Reader{
		"byte by byte":     iotest.OneByteReader(strings.NewReader(text)),
		"halves":           iotest.HalfReader(strings.NewReader(text)),
		"late end":         iotest.DataErrReader(strings.NewReader(text)),
		"line feeds":       strings.NewReader(feeds),
		"carriage returns": strings.NewReader(strings.ReplaceAll(feeds, "\n", "\r\n")),
		"no last line end": strings.NewReader(strings.TrimSuffix(feeds, "\n")),
		"byte order mark":  strings.NewReader("\ufeff" + text),
		"mark, then blank": strings.NewReader("\ufeff\r\n" + text),
		"blank lines":      strings.NewReader("\r\n" + strings.Replace(text, "\n", "\n\r\n", 3) + "\r\n\r\n"),
		"gzip":             strings.NewReader(Gzip(text)),
	} {
		if got, tally, err := r.all(in); err != nil || !slices.Equal(got, want) || tally.Rows != lines || tally.Lost() != 0 {
			t.Errorf("%s: %d rows, %+v, %v", name, len(got), tally, err)
		}
	}
}

func (r Reader) refusals(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"nothing":      {"", "empty"},
		"blank lines":  {"\r\n\r\n\r\n", "empty"},
		"web page":     {"\n<!DOCTYPE html>\n<html><body>Service unavailable</body></html>", "web page"},
		"damaged gzip": {"\x1f\x8bnot really", "damaged"},
		"other table":  {"colour,height\nblue,4\n", ""},
		"one long row": {strings.Repeat("x", 1<<20), ""},
		"program":      {"\x7fELF\x02\x01\x01\x00\x00\x00", ""},
	} {
		list, tally, err := r.all(strings.NewReader(c.text))
		if !errors.Is(err, r.Format) || !strings.Contains(err.Error(), c.says) || len(err.Error()) > 2000 {
			t.Errorf("%s: error %.500v, want one of the format that says %q", name, err, c.says)
		}
		if len(list) != 0 || tally.Rows != 0 {
			t.Errorf("%s: %d rows, %+v", name, len(list), tally)
		}
	}
}

// givesUp checks that a large file of another kind is refused before its end.
func (r Reader) givesUp(t *testing.T) {
	end := errors.New("read to the end")
	_, tally, err := r.all(io.MultiReader(strings.NewReader(strings.Repeat("a,b,c\n", 1<<20)), iotest.ErrReader(end)))
	if !errors.Is(err, r.Format) || errors.Is(err, end) || tally.Lost() > 1000 {
		t.Errorf("%+v, %v", tally, err)
	}
}

func (r Reader) errors(t *testing.T) {
	stop := errors.New("enough")
	calls := 0
	tally, err := r.Read(strings.NewReader(r.text()), func(any) error { calls++; return stop })
	if err != stop || calls != 1 || tally.Rows != 0 {
		t.Errorf("error %v after %d calls, %+v; want that of the caller as it is", err, calls, tally)
	}
	for _, text := range []string{r.Head, r.Head + r.Row(0), r.text()} {
		if _, _, err := r.all(io.MultiReader(strings.NewReader(text), iotest.ErrReader(stop))); !errors.Is(err, stop) {
			t.Errorf("error %v after %d bytes, want that of the stream", err, len(text))
		}
	}
}

// cutShort ends a packed file early, everywhere for gzip and at many places for the zip that rows.Open reads.
func (r Reader) cutShort(t *testing.T) {
	whole := Gzip(r.text())
	for n := 3; n < len(whole); n += 7 {
		if _, tally, err := r.all(strings.NewReader(whole[:n])); err == nil {
			t.Fatalf("gzip cut to %d of %d bytes gives %+v and no error", n, len(whole), tally)
		}
	}
	whole = Zip("list.txt", r.text())
	dir := t.TempDir()
	read := func(data string) (rows.Tally, error) {
		path := filepath.Join(dir, "list.zip")
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := rows.Open(path)
		if err != nil {
			return rows.Tally{}, err
		}
		defer f.Close()
		_, tally, err := r.all(f)
		return tally, err
	}
	for n := 0; n <= len(whole); n++ {
		if n%97 != 0 && n < len(whole)-30 {
			continue
		}
		tally, err := read(whole[:n])
		if (err == nil) != (n == len(whole)) || err == nil && tally.Rows != lines {
			t.Errorf("zip cut to %d of %d bytes gives %+v, %v", n, len(whole), tally, err)
		}
	}
	damaged := []byte(whole)
	damaged[len(damaged)/2] ^= 0x55
	if tally, err := read(string(damaged)); err == nil {
		t.Errorf("a zip with a wrong byte gives %+v and no error", tally)
	}
}
