package change

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func lineOf(place uint32, content uint64) line {
	return line{place, [2]uint32{uint32(content), uint32(content >> 32)}}
}

func TestCompareRows(t *testing.T) {
	t.Parallel()
	list := func(contents ...uint64) (l []line) {
		for i, c := range contents {
			if c != 0 {
				l = append(l, lineOf(uint32(i), c))
			}
		}
		return l
	}
	for _, c := range []struct {
		name                    string
		was, is                 []line
		added, removed, changed uint32
	}{
		{"nothing", nil, nil, 0, 0, 0},
		{"the same", list(1, 2, 3), list(1, 2, 3), 0, 0, 0},
		{"all new", nil, list(1, 2), 2, 0, 0},
		{"all gone", list(1, 2), nil, 0, 2, 0},
		{"one changed", list(1, 2, 3), list(1, 9, 3), 0, 0, 1},
		{"one inserted on top", list(1, 2, 3), list(9, 1, 2, 3), 1, 0, 0},
		{"the first withdrawn", list(1, 2, 3), list(2, 3), 0, 1, 0},
		{"two exchanged", list(1, 2, 3), list(2, 1, 3), 0, 0, 0},
		{"a line doubled", list(1, 2), list(1, 2, 1), 1, 0, 0},
		{"a double removed", list(1, 1, 2), list(1, 2), 0, 1, 0},
		// 1 has moved from the first line to the second; no line has both 2, which is
		// gone, and 9, which is new.
		{"one moved, one in its place", list(1, 2), list(9, 1), 1, 1, 0},
		{"a gap filled", list(1, 0, 3), list(1, 2, 3), 1, 0, 0},
		{"halves that differ", []line{lineOf(1, 1<<40|1)}, []line{lineOf(1, 1<<41|1)}, 0, 0, 1},
	} {
		var n Counts
		new(comparison).rows(&n, c.was, c.is)
		if n.RowsAdded != c.added || n.RowsRemoved != c.removed || n.RowsChanged != c.changed {
			t.Errorf("%s: %+v", c.name, n)
		}
	}
}

// TestCompareAdds compares lists drawn by lot: what was, less what was removed,
// plus what was added, is what is; to exchange them exchanges the counts; and a
// comparison leaves nothing behind for the next one.
func TestCompareAdds(t *testing.T) {
	t.Parallel()
	lot := rand.New(rand.NewPCG(1, 2))
	draw := func() (l []line) {
		for place := range uint32(lot.IntN(12)) {
			if lot.IntN(4) > 0 {
				l = append(l, lineOf(place, uint64(1+lot.IntN(5))))
			}
		}
		return l
	}
	var c comparison
	for range 20_000 {
		was, is := draw(), draw()
		kept := slices.Clone(was)
		var there, back Counts
		c.rows(&there, was, is)
		c.rows(&back, is, was)
		if len(was)+int(there.RowsAdded)-int(there.RowsRemoved) != len(is) || !slices.Equal(kept, was) {
			t.Fatalf("%v to %v: %+v", was, is, there)
		}
		if there.RowsAdded != back.RowsRemoved || there.RowsRemoved != back.RowsAdded || there.RowsChanged != back.RowsChanged {
			t.Fatalf("%v to %v: %+v, and back %+v", was, is, there, back)
		}
	}
}
