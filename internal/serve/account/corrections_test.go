package account

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func proposal(name, to string) Correction {
	return Correction{
		Dataset: "20260301T000000Z", GrantKey: "abc", Line: []string{name, "OH", "", "", "070000001"}, Filed: name + " · Harlow, OH", WasEIN: "070000002",
		WasRule: "name", WasProb: "0.970", Proposal: AnOrganization, EIN: to, Name: "Lake Fund", Reason: "  its\naddress ", Source: "https://lake.example.org/about", Address: "192.0.2.1",
	}
}

// corrections are the IDs of corrections in a state, and how often each was sent.
func corrections(t *testing.T, s *Store, state string) (ids []string, times int) {
	t.Helper()
	rows, err := s.View(t.Context(), "corrections", map[string]any{"state": state})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		var c struct {
			ID    string `json:"id"`
			Times int    `json:"times"`
		}
		if err := json.Unmarshal(r.JSON, &c); err != nil {
			t.Fatal(err)
		}
		ids, times = append(ids, c.ID), times+c.Times
	}
	return ids, times
}

// TestStoreCorrections sends corrections as visitors do, and decides on them as an operator does.
func TestStoreCorrections(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := As(t.Context(), Actor{Name: "admin"})
		ann := signUp(t, s, "ann@lake.example.org")

		for name, change := range map[string]func(*Correction){
			"no_reason":     func(c *Correction) { c.Reason = " \n " },
			"bad_list_text": func(c *Correction) { c.Reason = strings.Repeat("x", MostReason+1) },
			"bad_source":    func(c *Correction) { c.Source = "javascript:alert(1)" },
		} {
			bad := proposal("LIBRARY", "070000003")
			if change(&bad); slugOf(s.Correct(ctx, bad)) != name {
				t.Errorf("%s: %v", name, s.Correct(ctx, bad))
			}
		}
		for _, source := range []string{"/about", "https://", "https://a.example.org/" + strings.Repeat("x", 600)} {
			bad := proposal("LIBRARY", "070000003")
			if bad.Source = source; slugOf(s.Correct(ctx, bad)) != "bad_source" {
				t.Errorf("%q is taken for a source", source)
			}
		}
		if ids, _ := corrections(t, s, ""); len(ids) != 0 {
			t.Errorf("kept: %v", ids)
		}

		// The same correction is kept once, whoever sends it and at whatever moment.
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				one := proposal("LIBRARY", "070000003")
				one.Address, one.Account = fmt.Sprintf("192.0.2.%d", i), map[bool]string{true: ann.ID}[i == 0]
				if err := s.Correct(ctx, one); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		ids, times := corrections(t, s, "waiting")
		if len(ids) != 1 || times != 8 {
			t.Fatalf("%v, %d times", ids, times)
		}
		// Another organization for the same line is another correction.
		if err := s.Correct(ctx, proposal("LIBRARY", "070000004")); err != nil {
			t.Fatal(err)
		}
		if q, err := s.Queue(ctx, "corrections"); err != nil || q.Entries != 2 || !q.Oldest.Equal(c.now()) {
			t.Errorf("%v %v", q, err)
		}

		// Accepting marks it only once the row is written, and may be repeated.
		var rows []string
		keep := func(row string) error { rows = append(rows, row); return nil }
		broken := errors.New("a full disk")
		if _, err := s.AcceptCorrection(ctx, ids[0], func(string) error { return broken }); !errors.Is(err, broken) {
			t.Error(err)
		}
		row, err := s.AcceptCorrection(ctx, ids[0], nil)
		if err != nil || row != "LIBRARY,OH,,,070000001,070000003,set_unknown,its address,https://lake.example.org/about,admin,2026-03-10" {
			t.Errorf("%q %v", row, err)
		}
		if later, _ := corrections(t, s, "unwritten"); len(later) != 1 {
			t.Errorf("to be written: %v", later)
		}
		c.add(time.Hour)
		if _, err := s.AcceptCorrection(ctx, ids[0], keep); err != nil || len(rows) != 1 || rows[0] != row {
			t.Errorf("%v %v", rows, err)
		}
		if later, _ := corrections(t, s, "unwritten"); len(later) != 0 {
			t.Errorf("to be written: %v", later)
		}
		if err := s.RejectCorrection(ctx, ids[0], "no"); slugOf(err) != "correction_decided" {
			t.Error(err)
		}
		// Until the next build it is counted; after that it waits again.
		if err := s.Correct(ctx, proposal("LIBRARY", "070000003")); err != nil {
			t.Fatal(err)
		}
		if _, times := corrections(t, s, "accepted"); times != 9 {
			t.Errorf("accepted: sent %d times", times)
		}
		again := proposal("LIBRARY", "070000003")
		again.Dataset = "20260401T000000Z"
		if err := s.Correct(ctx, again); err != nil {
			t.Fatal(err)
		}

		// A rejected one keeps the reason, and may be sent again.
		waiting, _ := corrections(t, s, "waiting")
		if err := s.RejectCorrection(ctx, waiting[1], "The address is the other one's"); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{second(s.AcceptCorrection(ctx, waiting[1], keep)), s.RejectCorrection(ctx, waiting[1], "")} {
			if slugOf(err) != "correction_decided" {
				t.Error(err)
			}
		}
		for _, id := range []string{"", "cor_1", "cor_AAAAAAAAAAAA", "\x00"} {
			if err := s.RejectCorrection(ctx, id, ""); slugOf(err) != "no_such_correction" {
				t.Errorf("%q: %v", id, err)
			}
		}
		one, err := s.View(ctx, "correction", map[string]any{"id": waiting[1]})
		if err != nil || len(one) != 1 || !strings.Contains(string(one[0].JSON), `"note":"The address is the other one's"`) || !strings.Contains(string(one[0].JSON), `"was_prob":"0.970"`) {
			t.Errorf("%+v %v", one, err)
		}
		// What begins like a formula is none in a spreadsheet.
		odd := proposal("LIBRARY", "")
		odd.Proposal, odd.Reason = Nobody, `=HYPERLINK("https://x")`
		if err := s.Correct(ctx, odd); err != nil {
			t.Fatal(err)
		}
		waiting, _ = corrections(t, s, "waiting")
		if row, err := s.AcceptCorrection(ctx, waiting[0], keep); err != nil || !strings.Contains(row, `,,none,"'=HYPERLINK(""https://x"")"`) {
			t.Errorf("%s %v", row, err)
		}

		events, err := s.AuditTrail(ctx, EventFilter{Kind: EventCorrection, Actor: "admin"})
		if err != nil || len(events) != 4 {
			t.Errorf("%v %v", events, err)
		}
		// Decided ones go with the audit trail; others stay.
		c.add(AuditKept + time.Hour)
		if err := s.sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if ids, _ := corrections(t, s, ""); len(ids) != 1 {
			t.Errorf("after a year: %v", ids)
		}
	})
}

// TestStoreManyCorrections fills the queue as strangers would. Members may send theirs nevertheless.
func TestStoreManyCorrections(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		s := openAt(t, p, Options{Clock: newClock("2026-03-10T12:00:00Z").now})
		ctx := t.Context()
		ann := signUp(t, s, "ann@lake.example.org")
		for i := range CorrectionsADay {
			if err := s.Correct(ctx, proposal("LIBRARY", fmt.Sprintf("07%07d", i))); err != nil {
				t.Fatal(err)
			}
		}
		err := s.Correct(ctx, proposal("LIBRARY", "070000000")) // a repeat counts too
		if wait, ok := errors.AsType[*WaitError](err); !ok || wait.Wait != 12*time.Hour || slugOf(err) != "corrections_spent" {
			t.Error(err)
		}
		if err := s.update(ctx, func(t *tx) {
			for i := CorrectionsADay; i < MostCorrections/2; i++ {
				t.later("INSERT INTO corrections (id, state, sent, times, dataset, grant_key, line, filed, was_ein, was_rule, was_prob, proposal, ein, name, reason, source)"+
					" VALUES ($1, 'waiting', 1, 1, 'v', 'k', $1, 'A', '', '', '', 'nobody', '', '', 'r', '')", fmt.Sprint(i))
			}
		}); err != nil {
			t.Fatal(err)
		}
		other := proposal("MUSEUM", "070000001")
		other.Address = "192.0.2.2"
		for range CorrectionsADay + 1 { // a refusal uses up nothing
			if err := s.Correct(ctx, other); slugOf(err) != "corrections_full" {
				t.Fatal(err)
			}
		}
		if other.Account = ann.ID; s.Correct(ctx, other) != nil {
			t.Error("a member cannot send a correction")
		}
	})
}
