package screen

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped/packed"
)

// Standing is how all organizations of a dataset stand with the IRS's lists, for
// those who filter by it: a set each, in which organization i is bit i%64 of
// word i/64. A set is nil when its list is not loaded. Whether a list is too old
// to be used depends on the moment, which Sources is asked.
type Standing struct {
	InBMF   []uint64 // in the master file
	Pub78   []uint64 // in Publication 78
	Revoked []uint64 // on the list of automatic revocations, and not reinstated
}

// NewStanding makes the standing of organizations, whose EINs are in rising order,
// from the edition of a screener. An edition that has a row which cannot be read
// is refused: what is not read must not pass for what is not there.
func NewStanding(eins []ein.EIN, s *Screener) (*Standing, error) {
	loaded := func(list string) bool { st := s.now.Status(list); return st.Loaded && st.Rows > 0 }
	set := func() []uint64 { return make([]uint64, (len(eins)+63)/64) }
	st := &Standing{}
	x, indexed := s.tables.(*index)
	if loaded(lists.BMF) {
		if st.InBMF = set(); indexed {
			x.masters.mark(st.InBMF, eins)
		} else {
			markEach(st.InBMF, eins, func(e ein.EIN) bool { _, in := s.tables.Master(e); return in })
		}
	}
	if loaded(lists.Pub78) {
		if st.Pub78 = set(); indexed {
			x.deductibles.mark(st.Pub78, eins)
		} else {
			markEach(st.Pub78, eins, func(e ein.EIN) bool { return len(s.tables.Deductibles(e)) > 0 })
		}
	}
	if loaded(lists.Revocation) {
		st.Revoked = set()
		if indexed {
			return st, markRevoked(st.Revoked, eins, &x.revocations)
		}
		markEach(st.Revoked, eins, func(e ein.EIN) bool {
			return (&rowsOf{revocations: s.tables.Revocations(e)}).revoked()
		})
	}
	return st, nil
}

func markEach(set []uint64, eins []ein.EIN, is func(ein.EIN) bool) {
	for i, e := range eins {
		if is(e) {
			set[i>>6] |= 1 << (i & 63)
		}
	}
}

// mark adds the organizations that the section has a row of. Both are in order,
// so they are read side by side, and no row is looked at.
func (s *section[T]) mark(set []uint64, eins []ein.EIN) {
	at := 0
	for i, e := range eins {
		for at < len(s.keys) && s.keys[at] < uint64(e) {
			at++
		}
		if at < len(s.keys) && s.keys[at] == uint64(e) {
			set[i>>6] |= 1 << (i & 63)
		}
	}
}

// markRevoked adds the organizations whose revocation stands. Every row is read,
// also of those that the dataset does not know.
func markRevoked(set []uint64, eins []ein.EIN, s *section[lists.RevocationRow]) error {
	var rows rowsOf
	for from := 0; from < len(s.keys); {
		key, to := s.keys[from], from
		rows.revocations = rows.revocations[:0]
		for ; to < len(s.keys) && s.keys[to] == key; to++ {
			row, rest, ok := packed.Decode[lists.RevocationRow](s.rows[s.starts[to]:s.starts[to+1]])
			if !ok || len(rest) != 0 {
				return fault.New(Damaged, "row %d of the revocation list cannot be read", to).Try("build the lists again")
			}
			rows.revocations = append(rows.revocations, row)
		}
		from = to
		if i, known := slices.BinarySearch(eins, ein.EIN(key)); known && key <= maxEIN && rows.revoked() {
			set[i>>6] |= 1 << (i & 63)
		}
	}
	return nil
}

// maxEIN is the largest EIN.
const maxEIN = 999_999_999
