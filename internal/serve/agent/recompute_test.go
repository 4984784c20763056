package agent

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

const nextVersion = "20260201T000000Z"

// drawn finds a challenge with a question of the family, and what it asks.
func drawn(t *testing.T, want family) (*Challenge, params, spec) {
	t.Helper()
	e := examiner(t)
	for i := range 500 {
		c, err := e.Draw(t.Context(), small, fmt.Sprint("key", i), 1, version)
		if err != nil {
			t.Fatal(err)
		}
		var made params
		if err := json.Unmarshal(c.Params, &made); err != nil {
			t.Fatal(err)
		}
		if k := slices.IndexFunc(made.Asked, func(s spec) bool { return s.Family == want }); k >= 0 {
			return c, made, made.Asked[k]
		}
	}
	t.Fatalf("no question of family %s", want)
	return nil, params{}, spec{}
}

// again recomputes a challenge from another graph.
func again(t *testing.T, g *graph.Graph, c *Challenge) *Challenge {
	t.Helper()
	next, err := Recompute(t.Context(), g, c, nextVersion)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// TestRecomputeUnchanged checks that nothing is lost where no answer changes.
func TestRecomputeUnchanged(t *testing.T) {
	t.Parallel()
	more := changed(t, func(w *tables) { // the next year is filed
		for _, g := range slices.Clone(w.grants) {
			if g.TaxYear == partialYear {
				g.Key, g.TaxYear, g.RecipID, g.RecipientEIN, g.EINSource, g.MatchProb = "n"+g.Key, partialYear+1, "nm-new", "", "", 0
				w.grants = append(w.grants, g)
			}
		}
	})
	e := examiner(t)
	for i := range 100 {
		c, err := e.Draw(t.Context(), small, fmt.Sprint("key", i), 1, version)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := Recompute(t.Context(), nil, c, version); err != nil || same != c {
			t.Fatalf("the same version is asked: %v", err)
		}
		for _, g := range []*graph.Graph{small, more} {
			before, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			next := again(t, g, c)
			if next == nil {
				t.Fatalf("%+v is not valid any more", c.Questions)
			}
			if after, err := json.Marshal(c); err != nil || string(after) != string(before) {
				t.Error("the challenge itself was changed")
			}
			if next.Version != nextVersion {
				t.Errorf("its version is %s", next.Version)
			}
			if next.Version = version; !reflect.DeepEqual(next, c) {
				t.Errorf("%+v has become %+v", c, next)
			}
		}
	}
}

// TestRecomputeChanged checks every family against a dataset in which its
// answer is another one, or is gone.
func TestRecomputeChanged(t *testing.T) {
	t.Parallel()
	in := func(g *snapshot.Grant, funder ein.EIN, from, to int) bool {
		return g.FunderEIN == funder.String() && int(g.TaxYear) >= from && int(g.TaxYear) <= to
	}
	for _, x := range []struct {
		family family
		change func(w *tables, p params, s spec)
	}{
		{amountOf, func(w *tables, p params, s spec) {
			for i := range w.grants {
				if g := &w.grants[i]; in(g, p.Trio.Funder, p.Trio.Year, p.Trio.Year) && g.RecipID == s.Recipient {
					g.Amount++
				}
			}
		}},
		{receiverOf, func(w *tables, p params, s spec) {
			for i := range w.grants {
				if g := &w.grants[i]; in(g, p.Trio.Funder, p.Trio.Year, p.Trio.Year) && g.Amount == s.Amount {
					g.RecipientEIN = testRecipient(worldRecipients - 1).String()
					g.RecipID = "ein-" + g.RecipientEIN
				}
			}
		}},
		{purposeOf, func(w *tables, p params, s spec) {
			for i := range w.grants {
				if g := &w.grants[i]; in(g, p.Trio.Funder, p.Trio.Year, p.Trio.Year) {
					g.Purpose = "something else altogether"
				}
			}
		}},
		{totalOf, func(w *tables, p params, s spec) {
			for i := range w.grants {
				if g := &w.grants[i]; in(g, p.Trio.Other, p.Trio.From, p.Trio.To) {
					g.Amount++
				}
			}
		}},
		{sharedBy, func(w *tables, p params, s spec) {
			w.grants = slices.DeleteFunc(w.grants, func(g snapshot.Grant) bool { return in(&g, p.Trio.Other, p.Trio.From, p.Trio.To) })
		}},
		{newcomerIn, func(w *tables, p params, s spec) {
			w.grants = slices.DeleteFunc(w.grants, func(g snapshot.Grant) bool {
				return g.RecipientEIN == p.Trio.Recipient.String() && g.TaxYear > 2018
			})
		}},
		{gapBetween, func(w *tables, p params, s spec) {
			for i := range w.grants {
				if g := &w.grants[i]; g.RecipientEIN == p.Trio.Recipient.String() {
					g.Amount += g.Amount / 2
				}
			}
		}},
	} {
		t.Run(string(x.family), func(t *testing.T) {
			t.Parallel()
			c, made, asked := drawn(t, x.family)
			g := changed(t, func(w *tables) { x.change(w, made, asked) })
			if next := again(t, g, c); next != nil {
				t.Errorf("%+v is still valid", next.Questions)
			}
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		t.Parallel()
		c := draw(t, small, "key", 1)
		for _, bad := range []string{"", "{", `[]`, `{"calls":{"funder":"x"}}`} {
			c.Params = json.RawMessage(bad)
			if _, err := Recompute(t.Context(), small, c, nextVersion); err == nil {
				t.Errorf("%q is read", bad)
			}
		}
		c.Params = json.RawMessage(`{"asked":[{"family":"Z9"},{"family":"A3","row":-1},{"family":"B1","row":99},{"family":"C2","row":5,"than":2}]}`)
		if next := again(t, small, c); next != nil {
			t.Errorf("%+v", next)
		}
	})
}
