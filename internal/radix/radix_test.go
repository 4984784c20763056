package radix_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/radix"
)

// TestSort holds lists of keys that differ in all bytes, in some and in none
// against the library's stable sort.
func TestSort(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, mask := range []uint64{0, 0xff, 0xf0f, 0xff << 56, 0xff00ff, math.MaxUint64} {
		for _, n := range []int{0, 1, 2, 3, 255, 5000} {
			list := make([]radix.Item, n)
			for i := range list {
				list[i] = radix.Item{Key: 7<<40 ^ r.Uint64()&mask, Of: uint32(i)}
			}
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(a, b radix.Item) int { return cmp.Compare(a.Key, b.Key) })
			if radix.Sort(list); !slices.Equal(list, want) {
				t.Errorf("%d keys that differ in %x are not in order", n, mask)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	rising := []int64{math.MinInt64, math.MinInt64 + 1, -256, -1, 0, 1, 255, 256, math.MaxInt64}
	for i, n := range rising[1:] {
		if m := rising[i]; radix.Rising(m) >= radix.Rising(n) || radix.Falling(m) <= radix.Falling(n) {
			t.Errorf("%d and %d are out of order", m, n)
		}
	}
}

// FuzzTexts sorts the lines of a text.
func FuzzTexts(f *testing.F) {
	f.Add("FOOD BANK OF AKRON\nFOOD BANK\n\nFOOD BAN\x00\nFOOD BAN\nFOOD BANK OF\xff\nZOO")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		list := make([]radix.Item, len(lines))
		for i, s := range lines {
			list[i] = radix.Item{Key: radix.Prefix(s), Of: uint32(i)}
		}
		radix.Texts(list, func(a, b uint32) int { return strings.Compare(lines[a], lines[b]) })
		sorted := make([]string, len(list))
		for i, x := range list {
			sorted[i] = lines[x.Of]
		}
		if slices.Sort(lines); !slices.Equal(sorted, lines) {
			t.Errorf("%q, want %q", sorted, lines)
		}
	})
}

// TestSortedByKey compares Order with a plain sort.
func TestSortedByKey(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 1000, 32<<10 - 1, 32 << 10, 100_003} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = r.Uint64N(uint64(n)/3 + 1)
		}
		key := func(i uint32) uint64 { return keys[i] }
		want := make([]uint32, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		if got := radix.Order(n, key, nil); !slices.Equal(got, want) {
			t.Errorf("%d numbers are not in order", n)
		}
		if got := radix.Order(n, key, cmp.Compare); !slices.Equal(got, want) {
			t.Errorf("%d numbers that are compared are not in order", n)
		}
		falling := radix.Order(n, key, func(a, b uint32) int { return cmp.Compare(b, a) })
		slices.SortFunc(want, func(a, b uint32) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(b, a)) })
		if !slices.Equal(falling, want) {
			t.Errorf("%d numbers do not fall where their keys are equal", n)
		}
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	starts, positions := radix.Group([]uint32{2, 0, 2, 4, 0}, 5)
	if !slices.Equal(starts, []uint32{0, 2, 2, 4, 4, 5}) || !slices.Equal(positions, []uint32{1, 4, 0, 2, 3}) {
		t.Errorf("groups start at %v: %v", starts, positions)
	}
	if starts, positions = radix.Group(nil, 0); len(starts) != 1 || len(positions) != 0 {
		t.Errorf("no groups start at %v: %v", starts, positions)
	}
}

// BenchmarkOrder compares with the sort of the library.
func BenchmarkOrder(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint64, 1<<20)
	for i := range keys {
		keys[i] = r.Uint64()
	}
	b.Run("radix", func(b *testing.B) {
		for b.Loop() {
			radix.Order(len(keys), func(i uint32) uint64 { return keys[i] }, nil)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			order := make([]uint32, len(keys))
			for i := range order {
				order[i] = uint32(i)
			}
			slices.SortFunc(order, func(x, y uint32) int { return cmp.Compare(keys[x], keys[y]) })
		}
	})
}
