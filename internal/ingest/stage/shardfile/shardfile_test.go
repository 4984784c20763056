package shardfile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"grantgraph/internal/ingest/source/irs990"
)

type head struct {
	Seq  int32
	Name string
	Paid irs990.Amount
}

type whole struct {
	head
	Flag   bool
	EIN    uint32
	Sum    int64
	Texts  []string
	Remark string
}

// part has some of the columns of whole, in another order.
type part struct {
	Remark string
	Sum    int64
	Seq    int32
}

// invent makes rows with everything that is hard: extremes, long and empty texts.
func invent(seed uint64, n int) []whole {
	r := rand.New(rand.NewPCG(seed, 1))
	number := func() int64 {
		switch r.IntN(4) {
		case 0:
			return [...]int64{0, 1, -1, math.MaxInt64, math.MinInt64}[r.IntN(5)]
		case 1:
			return int64(r.Uint64())
		}
		return r.Int64N(1000)
	}
	text := func() string {
		return strings.Repeat([...]string{"", "a", "é", "word ", "\x00\xff"}[r.IntN(5)], r.IntN(3)*r.IntN(60))
	}
	rows := make([]whole, n)
	for i := range rows {
		w := &rows[i]
		*w = whole{head: head{int32(number()), text(), irs990.Amount{}}, Flag: r.IntN(2) == 0, EIN: uint32(number()), Sum: number(), Texts: []string{}, Remark: text()}
		if r.IntN(3) > 0 {
			w.Paid = irs990.Amount{Value: number(), Set: true}
		}
		for range r.IntN(3) {
			w.Texts = append(w.Texts, text())
		}
		if r.IntN(5000) == 0 {
			w.Remark = strings.Repeat("long", blockBytes/8)
		}
	}
	return rows
}

func encode[T any](t testing.TB, rows []T) []byte {
	var out bytes.Buffer
	w := NewWriter[T]()
	w.Reset(io.Discard) // nothing of a table that was given up may show in the next
	for i := range rows[:min(len(rows), 10)] {
		_ = w.Add(&rows[i])
	}
	w.Reset(&out)
	for i := range rows {
		if err := w.Add(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func decode[T any](body []byte) (rows []T, err error) {
	for row, err := range rowsOf[T](bytes.NewReader(body)) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed, n := range []int{0, 1, 2, batchRows, batchRows + 1, 5000, blockRows + 1} {
		rows := invent(uint64(seed), n)
		body := encode(t, rows)
		got, err := decode[whole](body)
		if err != nil || len(got) != n {
			t.Fatalf("%d rows: %d, %v", n, len(got), err)
		}
		parts, err := decode[part](body)
		if err != nil || len(parts) != n {
			t.Fatalf("%d rows: %d in part, %v", n, len(parts), err)
		}
		for i := range rows {
			if !reflect.DeepEqual(got[i], rows[i]) {
				t.Fatalf("row %d of %d: %+v, not %+v", i, n, got[i], rows[i])
			}
			if want := (part{rows[i].Remark, rows[i].Sum, rows[i].Seq}); parts[i] != want {
				t.Fatalf("row %d of %d in part: %+v, not %+v", i, n, parts[i], want)
			}
			Own(&got[i])
			if !reflect.DeepEqual(got[i], rows[i]) {
				t.Fatalf("row %d of %d changed when it got its own texts", i, n)
			}
		}
	}
}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	if a, b := encode(t, invent(7, 5000)), encode(t, invent(7, 5000)); !bytes.Equal(a, b) {
		t.Error("the same rows gave two files")
	}
}

func TestReadingStopsEarly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, encode(t, invent(3, 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range Read[whole](path) {
		if n++; n == 300 {
			break
		}
	}
	if n != 300 {
		t.Error(n)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	body := encode(t, invent(5, 40))
	for n := range body {
		if _, err := decode[whole](body[:n]); err == nil {
			t.Fatalf("cut off at %d of %d, it is read", n, len(body))
		}
	}
	for _, err := range Read[whole](filepath.Join(t.TempDir(), "none")) {
		if !os.IsNotExist(err) {
			t.Error(err)
		}
	}
	type other struct{ Sum string }
	if _, err := decode[other](body); err == nil || !strings.Contains(err.Error(), "no column Sum") {
		t.Errorf("a column of another kind: %v", err)
	}
}

// TestBounds reads files that are small when packed and would be large.
func TestBounds(t *testing.T) {
	t.Parallel()
	type list struct{ Words []string }
	if rows, err := decode[list](encode(t, []list{{make([]string, maxTexts)}})); err != nil || len(rows[0].Words) != maxTexts {
		t.Errorf("a list of %d texts: %v", maxTexts, err)
	}
	if _, err := decode[list](encode(t, []list{{make([]string, maxTexts+1)}})); !errors.Is(err, errDamaged) {
		t.Errorf("a longer list: %v", err)
	}
	type wide struct{ A, B, C string }
	long := strings.Repeat("x", maxBlock/3-16)
	if _, err := decode[wide](encode(t, []wide{{long, long, long}})); err != nil {
		t.Error("a row as large as is read:", err)
	}
	if _, err := decode[wide](encode(t, []wide{{long, long, long + long}})); !errors.Is(err, errDamaged) {
		t.Errorf("a larger row: %v", err)
	}
}

// FuzzRead holds that no file, whoever made it, is more than an error.
func FuzzRead(f *testing.F) {
	f.Add(encode(f, invent(1, 0)))
	f.Add(encode(f, invent(2, 20)))
	f.Add(encode(f, []part{{"x", 1, 2}}))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = decode[whole](body)
		_, _ = decode[part](body)
	})
}
