package edition

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// WriteTables writes the warehouse tables that follow directly from the
// lists. A list that is not loaded leaves its table empty; the report says why.
func WriteTables(ctx context.Context, w *snapshot.Writer, e *lists.Edition) error {
	err := copyListTable(ctx, w, e, lists.BMF, lists.Masters, snapshot.OrgBMFs, func(m lists.Master) (snapshot.OrgBMF, error) {
		return snapshot.OrgBMF{EIN: m.EIN, Name: m.Name, City: m.City, Subsection: m.Subsection, Classification: m.Classification,
			Foundation: m.Foundation, Deductibility: m.Deductibility, Status: m.Status, Ruling: m.Ruling, NTEE: m.NTEE}, nil
	})
	if err != nil {
		return err
	}
	err = copyListTable(ctx, w, e, lists.Pub78, lists.Deductibles, snapshot.Pub78s, func(d lists.Deductible) (snapshot.Pub78, error) {
		return snapshot.Pub78{EIN: d.EIN, Codes: d.Codes}, nil
	})
	if err != nil {
		return err
	}
	revocation := func(r lists.RevocationRow) (row snapshot.AutoRevocation, err error) {
		row.EIN = r.EIN
		if row.Revoked, err = daysSince1970(r.Revoked); err != nil || r.Reinstated == "" {
			return row, err
		}
		back, err := daysSince1970(r.Reinstated)
		row.Reinstated = &back
		return row, err
	}
	if err := copyListTable(ctx, w, e, lists.Revocation, lists.Revocations, snapshot.AutoRevocations, revocation); err != nil {
		return err
	}
	return copyListTable(ctx, w, e, lists.OFAC, lists.Sanctions, snapshot.OFACSDNs, func(s lists.Sanction) (snapshot.OFACSDN, error) {
		return snapshot.OFACSDN{Num: s.Num, Name: s.Name, Program: strings.Join(s.Programs, "; "), Type: s.Type}, nil
	})
}

func copyListTable[From, To any](ctx context.Context, w *snapshot.Writer, e *lists.Edition, list, from, to string, row func(From) (To, error)) error {
	var source iter.Seq2[From, error] = func(func(From, error) bool) {}
	if e.Status(list).Loaded {
		source = snapshot.Rows[From](e.Snapshot, from)
	}
	t, err := snapshot.Table[To](w, to)
	if err != nil {
		return err
	}
	for r, err := range snapshot.Until(ctx, source) {
		if err != nil {
			return err
		}
		out, err := row(r)
		if err != nil {
			return fmt.Errorf("table %s: %w", to, err)
		}
		if err := t.Add(out); err != nil {
			return err
		}
	}
	return t.Close()
}

func daysSince1970(iso string) (int32, error) {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date", iso)
	}
	return int32(t.Unix() / (24 * 60 * 60)), nil
}
