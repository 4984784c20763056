package profile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot/mapped"
)

// someFacts are organizations in the order of EINs, many of them alike.
func someFacts(r *rand.Rand, n int) []fact {
	list := make([]fact, n)
	for i, e := range slices.Sorted(slices.Values(r.Perm(9 * n)[:n])) {
		f := &list[i]
		f.EIN, f.County, f.Revenue = uint32(1+e*(999_999_998/(9*n))), r.Uint32N(4), r.Int64N(7)-3
		copy(f.State[:], []string{"", "OH", "OK"}[r.IntN(3)])
		copy(f.NTEE[:], []string{"", "B20", "B40", "X"}[r.IntN(4)])
	}
	list[0].EIN, list[n-1].EIN = 1, 999_999_999
	return list
}

// TestPeersInOrder holds the order of peers against the one that comparing gives.
func TestPeersInOrder(t *testing.T) {
	t.Parallel()
	facts := someFacts(rand.New(rand.NewPCG(1, 2)), 3000)
	var want []uint32
	for i := range facts {
		if facts[i].cause() != 0 && facts[i].State != [2]byte{} {
			want = append(want, uint32(i))
		}
	}
	slices.SortStableFunc(want, func(a, b uint32) int { return compareFacts(&facts[a], &facts[b]) })
	if got := peersOf(facts); !slices.Equal(got, want) {
		t.Errorf("the peers are\n%v, not\n%v", got, want)
	}
}

// TestNumberOfEIN looks organizations up by ranges of EINs and among all of them.
func TestNumberOfEIN(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	b := &builder{facts: someFacts(r, 5000)}
	b.starts = startsOf(b.facts)
	look := func(e ein.EIN) {
		want, known := numberOf(b.facts, e)
		got, found := b.number(e.String())
		if found != known || known && got != want {
			t.Errorf("%s is number %d, %t, not %d, %t", e, got, found, want, known)
		}
	}
	for i := range b.facts {
		look(ein.EIN(b.facts[i].EIN))
		look(ein.EIN(1 + r.Uint32N(999_999_999)))
	}
}

// TestGatheredInOrder writes rows that came in any order, and holds them against
// those that are sorted by comparing.
func TestGatheredInOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	var g gathered
	for n := range uint64(4000) {
		row := binary.LittleEndian.AppendUint64(nil, n)
		g.entries = append(g.entries, entry{org: r.Uint32N(900), size: 8, at: uint64(len(g.bytes)), rank: r.Int64N(9) - 4})
		g.bytes = append(g.bytes, row...)
	}
	sorted := slices.Clone(g.entries)
	slices.SortStableFunc(sorted, func(x, y entry) int { return cmp.Or(cmp.Compare(x.org, y.org), cmp.Compare(x.rank, y.rank)) })
	var want []byte
	for _, e := range sorted {
		want = append(want, g.bytes[e.at:][:8]...)
	}
	var out bytes.Buffer
	b := &builder{ctx: context.Background(), out: mapped.NewWriter(&out, fileKind)}
	if err := g.write(b, "rows", 1000); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out.Bytes(), want) {
		t.Error("the rows are not in order")
	}
}
