package packed_test

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"grantgraph/internal/snapshot/mapped/packed"
)

type row struct {
	Name   string
	Year   int32
	Amount int64
	Share  float64
	Large  bool
	Figure *int64
	Months *float64
	Names  []string
}

func sample() []row {
	n, m := int64(-7), 2.5
	return []row{
		{},
		{Name: "EXAMPLE", Year: 2022, Amount: math.MinInt64, Share: 0.1, Large: true, Figure: &n, Months: &m, Names: []string{"A", "", "É"}},
		{Year: math.MaxInt32, Figure: new(int64), Names: []string{""}},
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	var b []byte
	for _, r := range sample() {
		b = packed.Append(b, &r)
	}
	rest := b
	for i, want := range sample() {
		got, left, ok := packed.Decode[row](rest)
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("row %d is %+v, want %+v", i, got, want)
		}
		rest = left
	}
	if len(rest) != 0 {
		t.Errorf("%d bytes are left", len(rest))
	}
	one := sample()[1]
	whole := packed.Append(nil, &one)
	for i := range whole {
		if _, _, ok := packed.Decode[row](whole[:i]); ok {
			t.Errorf("a row is read from %d of %d bytes", i, len(whole))
		}
	}
}

func TestUnknownType(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a row with a map was written")
		}
	}()
	packed.Append(nil, &struct{ M map[string]int }{})
}

// FuzzDecode reads whatever it is given; what is read is written the same.
func FuzzDecode(f *testing.F) {
	for _, r := range sample() {
		f.Add(packed.Append(nil, &r))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, rest, ok := packed.Decode[row](data)
		if !ok {
			return
		}
		again, left, ok := packed.Decode[row](packed.Append(nil, &r))
		if !ok || len(left) != 0 {
			t.Fatalf("%+v is not read again", r)
		}
		if math.IsNaN(r.Share) || r.Months != nil && math.IsNaN(*r.Months) {
			return
		}
		if !reflect.DeepEqual(r, again) || len(rest) > len(data) || !bytes.HasSuffix(data, rest) {
			t.Fatalf("%+v is read as %+v", r, again)
		}
	})
}
