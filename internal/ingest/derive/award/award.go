// Package award sums what governments award to organizations: federal grants
// and contracts by agency and program, and payments of states. The sums are
// made in whole cents and held by group, so memory follows the number of groups
// and of awards, not of transactions, and no order of reading shows in them.
//
// An award belongs to an organization only when a source says so: by the EIN
// the payer gives, by the identifier that the organization states in its
// audits, or by a name that is the only one in the state. What cannot be placed
// is counted with its dollars and never guessed.
package award

import (
	"grantgraph/internal/money"
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

// Plus is both flows together.
func (f Flow) Plus(o Flow) Flow { return Flow{f.Rows + o.Rows, f.Amount.Plus(o.Amount)} }

// group is one row in the making.
type group struct {
	amount money.Cents
	awards int64
}

// sums gathers amounts and distinct awards by key.
type sums[K comparable] struct {
	groups map[K]*group
	seen   map[uint64]struct{} // awards counted, with their group
}

func newSums[K comparable]() sums[K] {
	return sums[K]{groups: make(map[K]*group), seen: make(map[uint64]struct{})}
}

// add adds an amount to a group. id tells the award from others of the group; 0
// means that nothing does, and every amount is an award of its own.
func (s *sums[K]) add(k K, amount money.Cents, id uint64) {
	g := s.groups[k]
	if g == nil {
		g = &group{}
		s.groups[k] = g
	}
	g.amount = g.amount.Plus(amount)
	if id != 0 {
		if _, ok := s.seen[id]; ok {
			return
		}
		s.seen[id] = struct{}{}
	}
	g.awards++
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

// digest is an FNV-1a hash over texts, each closed off from the next. It is
// never 0.
type digest uint64

const start digest = 14695981039346656037

func (d digest) text(s string) digest {
	for i := range len(s) {
		d = (d ^ digest(s[i])) * 1099511628211
	}
	return d.number(uint64(len(s)))
}

func (d digest) number(n uint64) digest {
	for range 8 {
		d = (d ^ digest(n&0xff)) * 1099511628211
		n >>= 8
	}
	return d
}

func (d digest) id() uint64 { return max(uint64(d), 1) }
