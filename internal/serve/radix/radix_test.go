package radix_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/serve/radix"
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
