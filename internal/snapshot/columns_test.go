package snapshot

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// everything has a field of each kind that is read column by column.
type everything struct {
	Plain    string   `parquet:"plain"`
	Absent   string   `parquet:"absent,optional"`
	Word     string   `parquet:"word,dict"`
	Maybe    string   `parquet:"maybe,optional,dict"`
	Yes      bool     `parquet:"yes"`
	Small    int32    `parquet:"small"`
	Year     int32    `parquet:"year,dict"`
	Unsigned uint32   `parquet:"unsigned"`
	Large    int64    `parquet:"large"`
	Float    float64  `parquet:"float"`
	Prob     float64  `parquet:"prob,optional,dict"`
	Figure   *int64   `parquet:"figure,optional"`
	Share    *float64 `parquet:"share,optional"`
	List     []string `parquet:"list,list"`
}

func anything(r *rand.Rand) everything {
	text := func() string { return strings.Repeat("x", r.IntN(40)) }
	e := everything{
		Plain: text(), Word: text(), Yes: r.IntN(2) == 0, Small: r.Int32(), Year: 2000 + r.Int32N(20), Unsigned: r.Uint32(),
		Large: r.Int64(), Float: r.Float64(), List: []string{},
	}
	if r.IntN(3) == 0 {
		e.Absent, e.Maybe, e.Prob = text(), text(), r.Float64()
	}
	if r.IntN(3) == 0 {
		n, f := r.Int64(), r.Float64()
		e.Figure, e.Share = &n, &f
	}
	for range r.IntN(4) {
		e.List = append(e.List, text())
	}
	return e
}

// TestColumns holds what is read column by column against what was written, over
// pages and row groups of several sizes.
func TestColumns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, batch - 1, batch, batch + 1, 5*batch + 7} {
		for _, page := range []int{200, 4 << 10, 1 << 20} {
			rows := make([]everything, n)
			var file bytes.Buffer
			w := parquet.NewGenericWriter[everything](&file, parquet.PageBufferSize(page), parquet.Compression(&parquet.Zstd))
			for i := range rows {
				rows[i] = anything(r)
				if _, err := w.Write(rows[i : i+1]); err != nil {
					t.Fatal(err)
				}
				if r.IntN(2000) == 0 {
					must(t, w.Flush())
				}
			}
			must(t, w.Close())
			path := filepath.Join(t.TempDir(), "t.parquet")
			must(t, os.WriteFile(path, file.Bytes(), 0o600))
			f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
			must(t, err)
			if _, ok := columnsOf(reflect.TypeFor[everything](), f); !ok {
				t.Fatal("the columns cannot be read")
			}
			i := 0
			for row, err := range ReadParquet[everything](path) {
				must(t, err)
				if !reflect.DeepEqual(row, rows[i]) {
					t.Fatalf("row %d of %d in pages of %d bytes:\n%+v\n%+v", i, n, page, row, rows[i])
				}
				i++
			}
			if i != n {
				t.Fatalf("%d of %d rows", i, n)
			}
			checkWords(t, path, rows)
		}
	}
}

// checkWords reads the texts of a file as words, all of them at once, and holds
// them against the rows. In a column with a dictionary, a text is one word to the
// next row group.
func checkWords(t *testing.T, path string, rows []everything) {
	type worded struct {
		Plain  *Word `parquet:"plain"`
		Absent *Word `parquet:"absent,optional"`
		Word   *Word `parquet:"word,dict"`
		Maybe  *Word `parquet:"maybe,optional,dict"`
	}
	i := 0
	words := map[*Word]string{}
	for batch, err := range readBatches[worded](path) {
		must(t, err)
		for _, r := range batch {
			want := &rows[i]
			if r.Plain.Text != want.Plain || r.Absent.Text != want.Absent || r.Word.Text != want.Word || r.Maybe.Text != want.Maybe {
				t.Fatalf("row %d has the words %q, %q, %q and %q, and is %+v", i, r.Plain.Text, r.Absent.Text, r.Word.Text, r.Maybe.Text, want)
			}
			r.Plain.Note, r.Word.Note = r.Plain.Note+1, r.Word.Note+1
			if r.Plain.Note != 1 {
				t.Fatalf("a word without a dictionary is that of %d rows", r.Plain.Note)
			}
			words[r.Word] = r.Word.Text
			i++
		}
	}
	if i != len(rows) {
		t.Fatalf("%d of %d rows as words", i, len(rows))
	}
	noted := 0
	for w, text := range words {
		if noted += int(w.Note); w.Text != text {
			t.Fatalf("the word %q has become %q", text, w.Text)
		}
	}
	if noted != len(rows) || len(rows) > 3*batch && len(words) > len(rows)/2 {
		t.Fatalf("%d rows have %d words, noted for %d rows", len(rows), len(words), noted)
	}
}

// TestWordsOfAnotherTable refuses a table without a column that is read as words.
func TestWordsOfAnotherTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.parquet")
	must(t, parquet.WriteFile(path, []everything{anything(rand.New(rand.NewPCG(1, 1)))}))
	type other struct {
		Other *Word `parquet:"other"`
	}
	for _, err := range readBatches[other](path) {
		if err == nil {
			t.Fatal("words are read from a column that is not there")
		}
	}
}

// TestColumnsLeftToTheLibrary lists what is not read: a column that the file lacks
// stays zero, and another type is refused.
func TestColumnsLeftToTheLibrary(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	must(t, parquet.Write(&file, []everything{anything(rand.New(rand.NewPCG(1, 1)))}))
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	must(t, err)
	type missing struct {
		Other string `parquet:"other"`
	}
	type retyped struct {
		Large string `parquet:"large"`
	}
	type nested struct {
		Inner struct {
			A string `parquet:"a"`
		} `parquet:"inner"`
	}
	if columns, ok := columnsOf(reflect.TypeFor[missing](), f); !ok || len(columns) != 0 {
		t.Error("a column that is not there is read")
	}
	for name, ok := range map[string]bool{
		"another type": second(columnsOf(reflect.TypeFor[retyped](), f)), "a record": second(columnsOf(reflect.TypeFor[nested](), f)),
	} {
		if ok {
			t.Errorf("%s is read column by column", name)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }
