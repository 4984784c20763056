// Package award gathers what governments award to organizations: federal grants
// and contracts, and payments of states; award by award, and summed by agency
// and program. The sums are made in whole cents and held by group and award, so
// memory follows the number of groups and of awards, not of transactions, and no
// order of reading shows in them.
//
// An award belongs to an organization only when a source says so: by the EIN
// the payer gives, by the identifier that the organization states in its
// audits, or by a name that is the only one in the state. What cannot be placed
// is counted with its dollars and never guessed.
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

// Flow is a number of transactions and what they come to.
type Flow struct {
	Rows   int64
	Amount money.Cents
}

func (f *Flow) add(amount money.Cents) {
	f.Rows++
	f.Amount = f.Amount.Plus(amount)
}

// group is one row of sums in the making.
type group[K comparable] struct {
	key    K
	amount money.Cents
	awards int64
}

// sums gathers amounts and awards by key. An award takes about ninety bytes,
// its identifier included; there are a few million of them, and they are held
// until they are written.
type sums[K comparable] struct {
	groups map[K]uint32 // place in list
	list   []group[K]
	seen   map[uint64]uint32 // award in its group, to its place in awards
	awards []single
	ids    []byte
}

// single is one award in its group, or all payments of a group that no
// identifier tells apart.
type single struct {
	amount     money.Cents
	from, to   uint64 // of its identifier in ids
	group      uint32
	date       int32  // of the latest action, YYYYMMDD; 0 when not known
	confidence uint16 // in thousandths, the least of its transactions
	basis      Basis  // the weakest of its transactions
}

// joined says how a transaction came to its organization.
type joined struct {
	basis      Basis
	confidence uint16
}

func newSums[K comparable]() sums[K] {
	return sums[K]{groups: make(map[K]uint32), seen: make(map[uint64]uint32)}
}

// add adds an amount to a group. The digest tells the award from others of the
// group; 0 means that nothing does, and every amount is an award of its own.
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

// sorted are the places of all awards in an order that is the same however they
// came.
func (s *sums[K]) sorted(compare func(a, b *single) int) []uint32 {
	order := make([]uint32, len(s.awards))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return compare(&s.awards[x], &s.awards[y]) })
	return order
}

func (s *sums[K]) id(a *single) string { return string(s.ids[a.from:a.to]) }

// Basis is what an award was joined to an organization by, the surest first.
type Basis uint8

const (
	ByEIN Basis = iota
	ByUEI
	ByDUNS
	ByName
)

// String is the word of the table.
func (b Basis) String() string { return [...]string{"ein", "uei", "duns", "name"}[b] }

// How sure an award is to belong to the organization, in thousandths. A name is
// as sure as its finder says. The parent of a recipient is never looked for: the
// money went to the recipient.
const (
	// The payer's own file has the number. What is left is keying errors.
	confidentEIN = 990
	// The organization itself stated both numbers in its audit. A few audits
	// cover a whole group, and name the group's EIN beside a member's UEI.
	confidentUEI = 980
	// The same, but the numbers were retired in 2022 and some had by then passed
	// to a successor.
	confidentDUNS = 960
)

// day reads the date of an action, YYYY-MM-DD, as a number; 0 when it is none.
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

// dayText writes it back.
func dayText(n int32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100)
}

// Awards are the awards of both levels, in the order of their table: EIN, level,
// fiscal year from the latest, amount from the largest, agency and award.
func Awards(f *Federal, s *State) iter.Seq[snapshot.GovAward] {
	return func(yield func(snapshot.GovAward) bool) {
		next, stop := iter.Pull(s.awards())
		defer stop()
		state, more := next()
		for federal := range f.awards() {
			for ; more && state.EIN < federal.EIN; state, more = next() {
				if !yield(state) {
					return
				}
			}
			if !yield(federal) {
				return
			}
		}
		for ; more; state, more = next() {
			if !yield(state) {
				return
			}
		}
	}
}

// names numbers the texts that many groups share.
type names struct {
	list []string
	at   map[string]uint32
}

// number is the number of a text; that of the empty one is 0.
func (n *names) number(s string) uint32 {
	if i, ok := n.at[s]; ok {
		return i
	}
	if n.at == nil {
		n.at, n.list = map[string]uint32{"": 0}, []string{""}
		if s == "" {
			return 0
		}
	}
	// The text is part of a row, which is not to be kept.
	s = string([]byte(s))
	i := uint32(len(n.list))
	n.list, n.at[s] = append(n.list, s), i
	return i
}

// digest is a hash of texts and numbers. The length of a text follows it, so that
// different texts cannot run together.
type digest uint64

const start = digest(hash.Start)

func (d digest) text(s string) digest {
	return digest(hash.Add(uint64(d), s)).number(uint64(len(s)))
}

func (d digest) number(n uint64) digest {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return digest(hash.Add(uint64(d), b[:]))
}

func (d digest) id() uint64 { return max(uint64(d), 1) }
