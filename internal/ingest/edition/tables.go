package edition

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// WriteTables writes the warehouse tables that follow directly from the
// lists. A list that is not loaded leaves its table empty; the report says why.
func WriteTables(ctx context.Context, w *snapshot.Writer, e *lists.Edition) error {
	revocation := func(r lists.RevocationRow) (row snapshot.AutoRevocation, err error) {
		row.EIN = r.EIN
		if row.Revoked, err = daysSince1970(r.Revoked); err != nil || r.Reinstated == "" {
			return row, err
		}
		back, err := daysSince1970(r.Reinstated)
		row.Reinstated = &back
		return row, err
	}
	return cmp.Or(
		copyListTable(ctx, w, e, lists.BMF, lists.Masters, snapshot.OrgBMFs, func(m lists.Master) (snapshot.OrgBMF, error) {
			return snapshot.OrgBMF{EIN: m.EIN, Name: m.Name, City: m.City, Subsection: m.Subsection, Classification: m.Classification,
				Foundation: m.Foundation, Deductibility: m.Deductibility, Status: m.Status, Ruling: m.Ruling, NTEE: m.NTEE}, nil
		}),
		copyListTable(ctx, w, e, lists.Pub78, lists.Deductibles, snapshot.Pub78s, func(d lists.Deductible) (snapshot.Pub78, error) {
			return snapshot.Pub78{EIN: d.EIN, Codes: d.Codes}, nil
		}),
		copyListTable(ctx, w, e, lists.Revocation, lists.Revocations, snapshot.AutoRevocations, revocation),
		copyListTable(ctx, w, e, lists.OFAC, lists.Sanctions, snapshot.OFACSDNs, func(s lists.Sanction) (snapshot.OFACSDN, error) {
			return snapshot.OFACSDN{Num: s.Num, Name: s.Name, Program: strings.Join(s.Programs, "; "), Type: s.Type}, nil
		}),
	)
}

func copyListTable[From, To any](ctx context.Context, w *snapshot.Writer, e *lists.Edition, list, from, to string, row func(From) (To, error)) error {
	return snapshot.WriteRows(ctx, w, to, func(yield func(To, error) bool) {
		if !e.Status(list).Loaded {
			return
		}
		for r, err := range snapshot.Rows[From](e.Snapshot, from) {
			var out To
			if err == nil {
				if out, err = row(r); err != nil {
					err = fmt.Errorf("table %s: %w", to, err)
				}
			}
			if !yield(out, err) {
				return
			}
		}
	})
}

func daysSince1970(iso string) (int32, error) {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date", iso)
	}
	return int32(t.Unix() / (24 * 60 * 60)), nil
}
