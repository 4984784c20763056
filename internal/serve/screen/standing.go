package screen

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/lists"
)

// Standing says which organizations of a dataset are on the IRS's lists: organization i is bit i%64 of word i/64. A set is nil
// when its list is not loaded. Whether it is too old, callers ask Sources.
type Standing struct {
	InBMF   []uint64 // in the master file
	Partial bool     // the master file covers some states only: who is not in it may be in the rest
	Pub78   []uint64 // in Publication 78
	Revoked []uint64 // on the list of automatic revocations, and not reinstated
}

// NewStanding makes the standing of organizations, whose EINs are in rising order, from the edition of a screener. It refuses
// an edition with a row that cannot be read: such a row must not look like a missing one.
func NewStanding(eins []ein.EIN, s *Screener) (*Standing, error) {
	set := func(list string) []uint64 {
		if st := s.now.Status(list); !st.Loaded || st.Rows == 0 {
			return nil
		}
		return make([]uint64, (len(eins)+63)/64)
	}
	st := &Standing{InBMF: set(lists.BMF), Pub78: set(lists.Pub78), Revoked: set(lists.Revocation)}
	st.Partial = len(s.now.Status(lists.BMF).Parts) > 0
	if st.InBMF != nil {
		mark(&s.tables.Masters, st.InBMF, eins)
	}
	if st.Pub78 != nil {
		mark(&s.tables.Deductibles, st.Pub78, eins)
	}
	if st.Revoked != nil {
		return st, markRevoked(st.Revoked, eins, &s.tables.Revocations)
	}
	return st, nil
}

// mark adds the organizations that have a row in the section. Both are in order, so mark
// reads them side by side and decodes no row.
func mark[T any](s *Section[T], set []uint64, eins []ein.EIN) {
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

// markRevoked adds the organizations whose revocation stands. It reads every row, also
// rows of organizations that the dataset does not have.
func markRevoked(set []uint64, eins []ein.EIN, s *Section[lists.RevocationRow]) error {
	var rows rowsOf
	for from := 0; from < len(s.keys); {
		key, to := s.keys[from], from
		rows.revocations = rows.revocations[:0]
		for ; to < len(s.keys) && s.keys[to] == key; to++ {
			row, ok := rowAt(s, to)
			if !ok {
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

const maxEIN = 999_999_999
