package graph

import (
	"cmp"
	"slices"
)

// orderRows sorts the rows by key and by amount.
func (b *builder) orderRows() error {
	type prefixed struct {
		prefix uint64
		row    uint32
	}
	keys := make([]prefixed, b.rows)
	for i := range keys {
		var p uint64
		k := b.key(uint32(i))
		for j := range 8 {
			p <<= 8
			if j < len(k) {
				p |= uint64(k[j])
			}
		}
		keys[i] = prefixed{p, uint32(i)}
	}
	slices.SortFunc(keys, func(x, y prefixed) int {
		if x.prefix != y.prefix {
			return cmp.Compare(x.prefix, y.prefix)
		}
		return cmp.Or(slices.Compare(b.key(x.row), b.key(y.row)), cmp.Compare(x.row, y.row))
	})
	b.byKey = make([]uint32, b.rows)
	type priced struct {
		amount int64
		key    uint32
	}
	order := make([]priced, b.rows)
	for i, k := range keys {
		if i > 0 && string(b.key(k.row)) == string(b.key(keys[i-1].row)) {
			return inconsistent("two grants have the key %s", b.key(k.row))
		}
		b.byKey[i] = k.row
		order[i] = priced{b.amounts[k.row], uint32(i)}
	}
	slices.SortFunc(order, func(x, y priced) int {
		if x.amount != y.amount {
			return cmp.Compare(y.amount, x.amount)
		}
		return cmp.Compare(x.key, y.key)
	})
	b.byAmount, b.rank = make([]uint32, b.rows), make([]uint32, b.rows)
	for i, p := range order {
		row := b.byKey[p.key]
		b.byAmount[i], b.rank[row] = row, uint32(i)
	}
	return nil
}

// byTotal orders funders or recipients by their total, largest first.
func byTotal(list []partyTotals) []uint32 {
	order := make([]uint32, len(list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(list[y].Amount, list[x].Amount), cmp.Compare(x, y))
	})
	return order
}
