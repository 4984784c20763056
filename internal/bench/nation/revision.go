package nation

import (
	"context"
	"slices"
	"time"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

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
