package graph

import (
	"bytes"

	"grantgraph/internal/radix"
)

// orderRows sorts the rows by key, and by amount with the largest first.
func (b *builder) orderRows() error {
	list := make([]radix.Item, b.rows)
	for i := range list {
		list[i] = radix.Item{Key: radix.Prefix(b.key(uint32(i))), Of: uint32(i)}
	}
	radix.Texts(list, func(x, y uint32) int { return bytes.Compare(b.key(x), b.key(y)) })
	b.byKey = make([]uint32, b.rows)
	for i, x := range list {
		if i > 0 && bytes.Equal(b.key(x.Of), b.key(b.byKey[i-1])) {
			return inconsistent("two grants have the key %s", b.key(x.Of))
		}
		b.byKey[i] = x.Of
	}
	for i, row := range b.byKey {
		list[i] = radix.Item{Key: radix.Falling(b.amounts[row]), Of: row}
	}
	radix.Sort(list) // rows of one amount stay in the order of keys
	b.byAmount, b.rank = make([]uint32, b.rows), make([]uint32, b.rows)
	for i, x := range list {
		b.byAmount[i], b.rank[x.Of] = x.Of, uint32(i)
	}
	return nil
}

// byTotal orders funders or recipients by their total, largest first.
func byTotal(list []partyTotals) []uint32 {
	return radix.Order(len(list), func(i uint32) uint64 { return radix.Falling(list[i].Amount) }, nil)
}
