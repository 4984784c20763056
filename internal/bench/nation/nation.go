// Package nation makes compliance lists of national size from those of a small
// invented world: the same rows again and again, each time under EINs of their
// own. Screening looks rows up and compares names, and for neither does it
// matter that a name occurs more than once. Only benchmarks use it.
package nation

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Masters is how many organizations the master file has.
const Masters = 1_960_000

// first is the EIN from which the copies are numbered: every number after it
// belongs to one of them.
const first = 10_000_000

// Publish publishes in a data directory an edition with at least so many rows
// of the master file, and the other lists in proportion.
func Publish(ctx context.Context, from *lists.Edition, data string, masters int, now time.Time) (*lists.Edition, error) {
	n, err := newNumbers(from, masters)
	if err != nil {
		return nil, err
	}
	w, err := snapshot.Create(lists.Dir(data), now)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	states := slices.Clone(from.Lists)
	for _, copied := range []struct {
		list string
		make func() (int64, error)
	}{
		{lists.BMF, func() (int64, error) {
			return copyTable(w, from, n, lists.Masters, func(m *lists.Master) *string { return &m.EIN })
		}},
		{lists.Pub78, func() (int64, error) {
			return copyTable(w, from, n, lists.Deductibles, func(p *lists.Deductible) *string { return &p.EIN })
		}},
		{lists.Revocation, func() (int64, error) {
			return copyTable(w, from, n, lists.Revocations, func(v *lists.RevocationRow) *string { return &v.EIN })
		}},
		{lists.CARegistry, func() (int64, error) {
			return copyTable(w, from, n, lists.Registrations, func(c *lists.Registration) *string { return &c.EIN })
		}},
		{lists.CAFTB, func() (int64, error) {
			return copyTable(w, from, n, lists.FTBRecords, func(c *lists.FTBRecord) *string { return &c.EIN })
		}},
	} {
		rows, err := copied.make()
		if err != nil {
			return nil, fmt.Errorf("copying %s: %w", copied.list, err)
		}
		i := slices.IndexFunc(states, func(s lists.Status) bool { return s.Name == copied.list })
		states[i].Rows = rows
	}
	for _, table := range []string{lists.Sanctions, lists.SanctionNames, lists.SanctionPlaces, lists.Deletions, lists.Bulletins} {
		if err := w.Adopt(from.Snapshot, table); err != nil {
			return nil, err
		}
	}
	e, _, err := finish(ctx, w, states, now)
	return e, err
}

// finish indexes an edition and publishes it. It says how long each index took.
func finish(ctx context.Context, w *snapshot.Writer, states []lists.Status, now time.Time) (*lists.Edition, map[string]time.Duration, error) {
	took := map[string]time.Duration{}
	for _, x := range indexes.Lists() {
		began := time.Now()
		if err := x.Write(ctx, w); err != nil {
			return nil, nil, err
		}
		took[x.Name] = time.Since(began)
	}
	for i := range states {
		states[i].FetchedAt = now
	}
	body, err := json.Marshal(lists.Report{Lists: states})
	if err != nil {
		return nil, nil, err
	}
	s, err := w.Publish(snapshot.Manifest{Report: body})
	if err != nil {
		return nil, nil, err
	}
	return &lists.Edition{Snapshot: s, Lists: states}, took, nil
}

// numbers gives the organizations of each copy EINs of their own, in order.
type numbers struct {
	place  map[string]int // of an EIN among all, in order
	copies int
}

func newNumbers(from *lists.Edition, masters int) (*numbers, error) {
	var list []string
	count := 0
	for m, err := range snapshot.Rows[lists.Master](from.Snapshot, lists.Masters) {
		if err != nil {
			return nil, err
		}
		list = append(list, m.EIN)
		count++
	}
	for v, err := range snapshot.Rows[lists.RevocationRow](from.Snapshot, lists.Revocations) {
		if err != nil {
			return nil, err
		}
		list = append(list, v.EIN)
	}
	for p, err := range snapshot.Rows[lists.Deductible](from.Snapshot, lists.Deductibles) {
		if err != nil {
			return nil, err
		}
		list = append(list, p.EIN)
	}
	for c, err := range snapshot.Rows[lists.Registration](from.Snapshot, lists.Registrations) {
		if err != nil {
			return nil, err
		}
		list = append(list, c.EIN)
	}
	for c, err := range snapshot.Rows[lists.FTBRecord](from.Snapshot, lists.FTBRecords) {
		if err != nil {
			return nil, err
		}
		list = append(list, c.EIN)
	}
	slices.Sort(list)
	n := &numbers{place: map[string]int{}, copies: (masters + count - 1) / max(count, 1)}
	for _, text := range slices.Compact(list) {
		if text != "" {
			n.place[text] = len(n.place)
		}
	}
	return n, nil
}

// of is the EIN of an organization in a copy.
func (n *numbers) of(text string, copy int) string {
	if text == "" {
		return ""
	}
	return ein.EIN(first + copy*len(n.place) + n.place[text]).String()
}

// copyTable writes the rows of a table once for each copy, those without an EIN
// in the first alone.
func copyTable[T any](w *snapshot.Writer, from *lists.Edition, n *numbers, table string, id func(*T) *string) (rows int64, err error) {
	var list []T
	for row, err := range snapshot.Rows[T](from.Snapshot, table) {
		if err != nil {
			return 0, err
		}
		list = append(list, row)
	}
	err = snapshot.WriteTable(w, table, copies(list, n, id, &rows))
	return rows, err
}

func copies[T any](list []T, n *numbers, id func(*T) *string, rows *int64) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range n.copies + 1 {
			for _, row := range list {
				// The rows without an EIN come last, after all copies.
				if (*id(&row) == "") != (i == n.copies) {
					continue
				}
				*id(&row) = n.of(*id(&row), i)
				*rows++
				if !yield(row) {
					return
				}
			}
		}
	}
}
