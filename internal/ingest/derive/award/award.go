// Package award gathers government awards to organizations: federal grants and contracts, and payments by states. It
// keeps single awards and sums by agency and program. Sums are in whole cents, so they do not depend on the order of
// reading. Memory grows with the number of groups and awards, not with transactions.
//
// An award is assigned to an organization only if a source supports it: the EIN that the payer gives, the identifier
// that the organization states in its audits, or a name that is unique in the state. Other awards are counted with
// their dollars but never guessed.
package award

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"time"

	"grantgraph/internal/hash"
	"grantgraph/internal/money"
	"grantgraph/internal/snapshot"
)

// Flow is a number of transactions and their sum.
type Flow struct {
	Rows   int64
	Amount money.Cents
}

func (f *Flow) add(amount money.Cents) {
	f.Rows++
	f.Amount = f.Amount.Plus(amount)
}

// group is one row of sums while it is computed.
type group[K comparable] struct {
	key    K
	amount money.Cents
	awards int64
}

// sums adds up amounts and awards by key. An award takes about ninety bytes, including its identifier. A few million
// awards are held until they are written.
type sums[K comparable] struct {
	groups map[K]uint32 // place in list
	list   []group[K]
	seen   map[uint64]uint32 // from an award in its group to its position in awards
	awards []single
	ids    []byte
}

// single is one award in its group, or all payments of a group without identifiers.
type single struct {
	amount     money.Cents
	from, to   uint64 // of its identifier in ids
	group      uint32
	date       int32  // day of the latest action, YYYYMMDD; 0 when not known
	confidence uint16 // confidence in thousandths, the lowest of its transactions
	basis      Basis  // the weakest of its transactions
}

// joined is how a transaction was assigned to its organization.
type joined struct {
	basis      Basis
	confidence uint16
}

func newSums[K comparable]() sums[K] {
	return sums[K]{groups: make(map[K]uint32), seen: make(map[uint64]uint32)}
}

// add adds an amount to a group. The digest identifies the award within the group; with digest 0, every amount is an
// award of its own.
func (s *sums[K]) add(k K, amount money.Cents, award uint64, id string, date int32, by joined) {
	at, ok := s.groups[k]
	if !ok {
		at = uint32(len(s.list))
		s.groups[k] = at
		s.list = append(s.list, group[K]{key: k})
	}
	g := &s.list[at]
	g.amount = g.amount.Plus(amount)
	alone := award == 0
	if alone {
		award = start.text("payments").number(uint64(at)).number(uint64(by.basis)).id()
	}
	n, ok := s.seen[award]
	if !ok {
		n = uint32(len(s.awards))
		s.seen[award] = n
		from := uint64(len(s.ids))
		s.ids = append(s.ids, id...)
		s.awards = append(s.awards, single{group: at, from: from, to: uint64(len(s.ids)), basis: by.basis, confidence: by.confidence})
	}
	if alone || !ok {
		g.awards++
	}
	a := &s.awards[n]
	a.amount, a.date = a.amount.Plus(amount), max(a.date, date)
	a.basis, a.confidence = max(a.basis, by.basis), min(a.confidence, by.confidence)
}

// sorted yields a row for each item of a list, in an order that does not depend on how the items arrived.
func sorted[T, Row any](list []T, compare func(a, b *T) int, row func(*T) Row) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		order := make([]*T, len(list))
		for i := range list {
			order[i] = &list[i]
		}
		slices.SortFunc(order, compare)
		for _, item := range order {
			if !yield(row(item)) {
				return
			}
		}
	}
}

func (s *sums[K]) id(a *single) string { return string(s.ids[a.from:a.to]) }

// Basis is the evidence by which an award was assigned to an organization, strongest first.
type Basis uint8

const (
	ByEIN Basis = iota
	ByUEI
	ByDUNS
	ByName
)

func (b Basis) String() string { return [...]string{"ein", "uei", "duns", "name"}[b] }

// The confidence that an award belongs to the organization, in thousandths. For a name, the finder gives the
// confidence. We never look for the recipient's parent, because the money went to the recipient.
const (
	// The payer's own file has the EIN, so only typing errors remain.
	confidentEIN = 990
	// The organization stated both numbers in its audit. A few audits cover a whole group and list the group's EIN
	// beside a member's UEI.
	confidentUEI = 980
	// The same, but these numbers were retired in 2022, and some had passed to a successor by then.
	confidentDUNS = 960
)

// day reads the date of an action, YYYY-MM-DD, as a number; 0 if it is not a date.
func day(s string) int32 {
	if len(s) < len(time.DateOnly) {
		return 0
	}
	t, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)])
	if err != nil {
		return 0
	}
	return int32(t.Year()*10000 + int(t.Month())*100 + t.Day())
}

func dayText(n int32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100)
}

// Awards are the federal and state awards in the order of their table: EIN, level, fiscal year (latest first), amount
// (largest first), agency and award.
func Awards(f *Federal, s *State) iter.Seq[snapshot.GovAward] {
	return snapshot.Merge(f.awards(), s.awards(), func(x, y snapshot.GovAward) bool { return x.EIN < y.EIN })
}

// digest is a hash of texts and numbers. Each text is followed by its length, so that different lists of texts give
// different input.
type digest uint64

const start = digest(hash.Start)

func (d digest) text(s string) digest { return digest(hash.Add(uint64(d), s)).number(uint64(len(s))) }

func (d digest) number(n uint64) digest {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return digest(hash.Add(uint64(d), b[:]))
}

func (d digest) id() uint64 { return max(uint64(d), 1) }
