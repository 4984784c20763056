// Package nation makes compliance lists of national size from those of a small invented world: the same rows
// again and again, each time under other EINs. Screening looks rows up and compares names, and neither
// depends on whether a name occurs more than once. Only benchmarks use this package.
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

// first is the first EIN of the copies, which are numbered one by one from there.
const first = 10_000_000

// Publish publishes in a data directory an edition with at least the given number of
// rows of the master file, and the other lists in proportion.
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
	for _, t := range numbered {
		rows, err := t.write(w, from, n)
		if err != nil {
			return nil, fmt.Errorf("copying %s: %w", t.list, err)
		}
		i := slices.IndexFunc(states, func(s lists.Status) bool { return s.Name == t.list })
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

// finish indexes an edition and publishes it. It returns how long each index took.
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

type numberedTable struct {
	list  string
	eins  func(from *lists.Edition) iter.Seq2[string, error]
	write func(w *snapshot.Writer, from *lists.Edition, n *numbers) (rows int64, err error)
}

// numbered are the tables that are copied. The master file comes first.
var numbered = []numberedTable{
	numberedBy(lists.BMF, lists.Masters, func(m *lists.Master) *string { return &m.EIN }),
	numberedBy(lists.Pub78, lists.Deductibles, func(p *lists.Deductible) *string { return &p.EIN }),
	numberedBy(lists.Revocation, lists.Revocations, func(v *lists.RevocationRow) *string { return &v.EIN }),
	numberedBy(lists.CARegistry, lists.Registrations, func(c *lists.Registration) *string { return &c.EIN }),
	numberedBy(lists.CAFTB, lists.FTBRecords, func(c *lists.FTBRecord) *string { return &c.EIN }),
}

// numberedBy describes a table by the field of its rows that holds the EIN.
func numberedBy[T any](list, table string, id func(*T) *string) numberedTable {
	return numberedTable{
		list: list,
		eins: func(from *lists.Edition) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) {
				for row, err := range snapshot.Rows[T](from.Snapshot, table) {
					if !yield(*id(&row), err) {
						return
					}
				}
			}
		},
		write: func(w *snapshot.Writer, from *lists.Edition, n *numbers) (int64, error) {
			return copyTable(w, from, n, table, id)
		},
	}
}

// numbers gives the organizations of each copy EINs of their own, in order.
type numbers struct {
	place  map[string]int // of an EIN among all EINs, in order
	copies int
}

func newNumbers(from *lists.Edition, masters int) (*numbers, error) {
	var list []string
	count := 0 // rows of the master file
	for i, t := range numbered {
		for id, err := range t.eins(from) {
			if err != nil {
				return nil, err
			}
			list = append(list, id)
		}
		if i == 0 {
			count = len(list)
		}
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

func (n *numbers) of(text string, copy int) string {
	if text == "" {
		return ""
	}
	return ein.EIN(first + copy*len(n.place) + n.place[text]).String()
}

// copyTable writes the rows of a table once for each copy. Rows without an EIN are written once, after all copies.
func copyTable[T any](w *snapshot.Writer, from *lists.Edition, n *numbers, table string, id func(*T) *string) (rows int64, err error) {
	var list []T
	for row, err := range snapshot.Rows[T](from.Snapshot, table) {
		if err != nil {
			return 0, err
		}
		list = append(list, row)
	}
	err = snapshot.WriteTable(w, table, func(yield func(T) bool) {
		for i := range n.copies + 1 {
			for _, row := range list {
				if (*id(&row) == "") != (i == n.copies) {
					continue
				}
				*id(&row) = n.of(*id(&row), i)
				rows++
				if !yield(row) {
					return
				}
			}
		}
	})
	return rows, err
}

type Revision struct {
	Renamed    int // organizations of the master file that take the name of a sanctioned entity
	Sanctioned int // new entities on the sanctions list that have the name of an organization
}

// Revise publishes the edition that follows another. It returns how long each of its indexes took.
func Revise(ctx context.Context, from *lists.Edition, data string, r Revision, now time.Time) (*lists.Edition, map[string]time.Duration, error) {
	w, err := snapshot.Create(lists.Dir(data), now)
	if err != nil {
		return nil, nil, err
	}
	defer w.Abandon()
	changed := []string{}
	if r.Renamed > 0 {
		changed = append(changed, lists.Masters)
		if err := rename(ctx, w, from, r.Renamed); err != nil {
			return nil, nil, err
		}
	}
	if r.Sanctioned > 0 {
		changed = append(changed, lists.Sanctions, lists.SanctionNames)
		if err := sanction(ctx, w, from, r.Sanctioned); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range from.Manifest.Files {
		if table := f.Table(); table != "" && !slices.Contains(changed, table) {
			if err := w.Adopt(from.Snapshot, table); err != nil {
				return nil, nil, err
			}
		}
	}
	return finish(ctx, w, slices.Clone(from.Lists), now)
}

// rename gives n organizations, evenly spread over the master file, names of sanctioned entities.
func rename(ctx context.Context, w *snapshot.Writer, from *lists.Edition, n int) (err error) {
	var listed []lists.SanctionName
	for name, err := range snapshot.Rows[lists.SanctionName](from.Snapshot, lists.SanctionNames) {
		if err != nil {
			return err
		}
		listed = append(listed, name)
	}
	every := max(1, int(from.RowsOf(lists.Masters))/n)
	i := len(listed) // so that other organizations are renamed after new entities were added
	return rewrite(ctx, w, from, lists.Masters, func(m *lists.Master) {
		if i%every == 0 {
			m.Name = listed[i/every%len(listed)].Name
		}
		i++
	})
}

func sanction(ctx context.Context, w *snapshot.Writer, from *lists.Edition, n int) error {
	var last int64
	for s, err := range snapshot.Rows[lists.Sanction](from.Snapshot, lists.Sanctions) {
		if err != nil {
			return err
		}
		last = max(last, s.Num)
	}
	var entries []lists.Sanction
	var names []lists.SanctionName
	for m, err := range snapshot.Rows[lists.Master](from.Snapshot, lists.Masters) {
		if err != nil {
			return err
		}
		if len(entries) == n {
			break
		}
		last++
		entries = append(entries, lists.Sanction{Num: last, Name: m.Name})
		names = append(names, lists.SanctionName{Num: last, Kind: "primary", Name: m.Name})
	}
	if err := rewrite(ctx, w, from, lists.Sanctions, nil, entries...); err != nil {
		return err
	}
	return rewrite(ctx, w, from, lists.SanctionNames, nil, names...)
}

// rewrite writes a table of an edition again, with each row changed and more rows at its end.
func rewrite[T any](ctx context.Context, w *snapshot.Writer, from *lists.Edition, table string, change func(*T), more ...T) error {
	return snapshot.WriteRows(ctx, w, table, func(yield func(T, error) bool) {
		for row, err := range snapshot.Rows[T](from.Snapshot, table) {
			if err == nil && change != nil {
				change(&row)
			}
			if !yield(row, err) {
				return
			}
		}
		for _, row := range more {
			if !yield(row, nil) {
				return
			}
		}
	})
}
