package graph

import (
	"context"
	"math/bits"
	"slices"
)

// rowset is the rows that satisfy a filter: all of them, a short ascending
// list, or a set, which is empty outside of the rows from lo to hi-1.
type rowset struct {
	all   bool
	short bool
	list  []uint32
	set   bitset
	lo    uint32
	hi    uint32
	count int64
}

func (r *rowset) has(row uint32) bool {
	switch {
	case r.all:
		return true
	case r.short:
		_, ok := slices.BinarySearch(r.list, row)
		return ok
	}
	return r.set.has(row)
}

// bounds is a range outside of which the set has no rows.
func (r *rowset) bounds() (lo, hi uint32) {
	if !r.short {
		return r.lo, r.hi
	}
	if len(r.list) == 0 {
		return 0, 0
	}
	return r.list[0], r.list[len(r.list)-1] + 1
}

const blockRows = 4096

// each passes the rows from lo to hi-1 to take in ascending blocks. A block is valid until the next call.
func (r *rowset) each(lo, hi uint32, take func(rows []uint32)) {
	if r.short {
		from, _ := slices.BinarySearch(r.list, lo)
		to, _ := slices.BinarySearch(r.list, hi)
		if from < to {
			take(r.list[from:to])
		}
		return
	}
	lo, hi = max(lo, r.lo), min(hi, r.hi)
	var buf [blockRows]uint32
	for at := lo; at < hi; {
		end := min(hi, (at+blockRows)&^63)
		if rows := buf[:r.unpack(&buf, at, end)]; len(rows) > 0 {
			take(rows)
		}
		at = end
	}
}

// unpack writes the rows from at to end-1, at most a block, and returns their number.
func (r *rowset) unpack(buf *[blockRows]uint32, at, end uint32) (n int) {
	if r.all {
		for row := at; row < end; row++ {
			buf[n] = row
			n++
		}
		return n
	}
	for w := at >> 6; w<<6 < end; w++ {
		m, base := r.set[w], w<<6
		if w == at>>6 {
			m &= ^uint64(0) << (at & 63)
		}
		if w == (end-1)>>6 {
			m &= ^uint64(0) >> (63 - (end-1)&63)
		}
		if m == ^uint64(0) {
			// Whole funders are long runs of ones.
			full := buf[n : n+64]
			for i := range full {
				full[i] = base + uint32(i)
			}
			n += 64
			continue
		}
		for ; m != 0; m &= m - 1 {
			buf[n] = base + uint32(bits.TrailingZeros64(m))
			n++
		}
	}
	return n
}

// chunks passes all rows to take in ascending blocks. It stops when the context ends.
func (r *rowset) chunks(ctx context.Context, chunk int, take func(rows []uint32)) error {
	lo, hi := r.bounds()
	for at := uint64(lo); at < uint64(hi); at += uint64(chunk) {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.each(uint32(at), uint32(min(uint64(hi), at+uint64(chunk))), take)
	}
	return nil
}
