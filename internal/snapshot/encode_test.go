package snapshot

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// written has a field of each kind that is written: those that are read column by
// column, and those that are left to the library.
type written struct {
	Plain    string `parquet:"plain"`
	Absent   string `parquet:"absent,optional"`
	Word     string `parquet:"word,dict"`
	Maybe    string `parquet:"maybe,optional,dict"`
	Never    string `parquet:"never,optional,dict"`
	Yes      bool   `parquet:"yes"`
	Small    int32  `parquet:"small"`
	Year     int32  `parquet:"year,dict"`
	Untagged int64
	Unsigned uint32   `parquet:"unsigned"`
	Large    int64    `parquet:"large,optional"`
	Float    float64  `parquet:"float"`
	Prob     float64  `parquet:"prob,optional,dict"`
	Figure   *int64   `parquet:"figure,optional"`
	Share    *float64 `parquet:"share"`
	Day      *int32   `parquet:"day,optional,date"`
	Known    *bool    `parquet:"known,optional"`
	At       *int64   `parquet:"at,optional,timestamp(millisecond:local)"`
	List     []string `parquet:"list,list"`
}

func invent(r *rand.Rand) written {
	text := func() string { return strings.Repeat("x", r.IntN(40)) + string(rune('a'+r.IntN(3))) }
	w := written{
		Plain: text(), Word: text(), Yes: r.IntN(2) == 0, Small: r.Int32() - r.Int32(), Year: 2000 + r.Int32N(20), Unsigned: r.Uint32(),
		Untagged: r.Int64(), Large: int64(r.IntN(3)), Float: r.Float64() - 0.5, List: []string{},
	}
	if r.IntN(3) == 0 {
		w.Absent, w.Maybe, w.Prob = text(), text(), float64(r.IntN(20))/20
	}
	if r.IntN(3) == 0 {
		n, f, d, k := r.Int64(), r.Float64(), r.Int32(), r.IntN(2) == 0
		w.Figure, w.Share, w.Day, w.Known, w.At = &n, &f, &d, &k, &n
	}
	for range r.IntN(4) {
		w.List = append(w.List, text())
	}
	return w
}

// TestEncoder holds files against what the library makes of the same rows, one at
// a time: the rows, as the library reads them, and the bounds of the columns.
func TestEncoder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, stride - 1, stride, stride + 1, 40 * stride, rowGroup, rowGroup + 3} {
		rows := make([]written, n)
		var ours, theirs bytes.Buffer
		e, err := newEncoder(&ours, reflect.TypeFor[written]())
		must(t, err)
		w := parquet.NewGenericWriter[written](&theirs, parquet.Compression(&parquet.Zstd))
		for i := range rows {
			rows[i] = invent(r)
			_, err := w.Write(rows[i : i+1])
			must(t, err)
			if (i+1)%rowGroup == 0 {
				must(t, w.Flush())
			}
		}
		must(t, w.Close())
		for rest := rows; len(rest) > 0; {
			part := min(len(rest), 1+r.IntN(3*stride))
			must(t, e.write(unsafe.Pointer(&rest[0]), unsafe.Sizeof(rest[0]), part))
			rest = rest[part:]
		}
		must(t, e.close())

		file := openParquet(t, ours.Bytes())
		got := parquet.NewGenericReader[written](file)
		for i := range rows {
			var row [1]written
			if n, err := got.Read(row[:]); n != 1 || err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("row %d of %d: %v", i, len(rows), err)
			}
			if !reflect.DeepEqual(row[0], rows[i]) {
				t.Fatalf("row %d of %d:\n%+v\n%+v", i, n, row[0], rows[i])
			}
		}
		must(t, got.Close())
		compareFooters(t, file.Metadata(), openParquet(t, theirs.Bytes()).Metadata())
	}
}

func openParquet(t *testing.T, b []byte) *parquet.File {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	return f
}

// compareFooters holds what readers go by against what the library writes.
func compareFooters(t *testing.T, got, want *format.FileMetaData) {
	t.Helper()
	if !reflect.DeepEqual(got.Schema, want.Schema) || got.NumRows != want.NumRows || len(got.RowGroups) != len(want.RowGroups) {
		t.Fatalf("%d rows in %d groups, not %d in %d, or another schema", got.NumRows, len(got.RowGroups), want.NumRows, len(want.RowGroups))
	}
	for i := range got.RowGroups {
		g, w := &got.RowGroups[i], &want.RowGroups[i]
		if g.NumRows != w.NumRows {
			t.Errorf("group %d has %d rows, not %d", i, g.NumRows, w.NumRows)
		}
		for j := range g.Columns {
			c, l := &g.Columns[j].MetaData, &w.Columns[j].MetaData
			if c.Type != l.Type || c.Codec != l.Codec || c.NumValues != l.NumValues || !reflect.DeepEqual(c.PathInSchema, l.PathInSchema) || !reflect.DeepEqual(c.Statistics, l.Statistics) {
				t.Errorf("group %d:\n%+v\n%+v", i, c, l)
			}
		}
	}
}

// TestEncoderRefuses lists row types that no table can have.
func TestEncoderRefuses(t *testing.T) {
	t.Parallel()
	_, deep := newEncoder(io.Discard, reflect.TypeFor[struct {
		Inner struct {
			A string `parquet:"a"`
		} `parquet:"inner"`
	}]())
	_, small := newEncoder(io.Discard, reflect.TypeFor[struct {
		A int16 `parquet:"a"`
	}]())
	if deep == nil || small == nil {
		t.Errorf("a record: %v, a small number: %v", deep, small)
	}
}

// TestBoundsOfNumbers holds that a column with what is not a number has no bounds,
// which such a value would not be within, and that the next row group has its own.
func TestBoundsOfNumbers(t *testing.T) {
	t.Parallel()
	type number struct {
		Share float64 `parquet:"share"`
		Text  string  `parquet:"text"`
	}
	rows := make([]number, rowGroup+2)
	for i := range rows {
		rows[i] = number{float64(i), "short"}
	}
	rows[3].Share = math.NaN()
	rows[4].Text = strings.Repeat("long ", pageSize)
	var out bytes.Buffer
	e, err := newEncoder(&out, reflect.TypeFor[number]())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(e.write(unsafe.Pointer(&rows[0]), unsafe.Sizeof(rows[0]), len(rows)), e.close()); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.Read[number](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for i := range got {
		if got[i] != rows[i] && i != 3 || i == 3 && !math.IsNaN(got[i].Share) {
			t.Fatalf("row %d differs", i)
		}
	}
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	groups := f.Metadata().RowGroups
	if first := groups[0].Columns[0].MetaData.Statistics; first.MinValue != nil || first.MaxValue != nil {
		t.Error("a column with a NaN has bounds")
	}
	if second := groups[1].Columns[0].MetaData.Statistics; !bytes.Equal(second.MinValue, boundOf(float64(rowGroup))) {
		t.Error("the row group after it has none")
	}
}
