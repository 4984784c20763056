package account

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestStoreViews looks for accounts and keys as an operator does, in pages.
func TestStoreViews(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		ann, bob := signUp(t, s, "ann@lake.example.org"), signUp(t, s, "bob_1@hill.example.org")
		_, mine, err := s.CreateFor(ctx, ann.ID, "Nightly 100%")
		if err != nil {
			t.Fatal(err)
		}
		_, loose, err := s.Create(ctx, Pro, "cy@dale.example.org", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Invite(ctx, "dot@lake.example.org"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.SetAccountPlan(ctx, bob.ID, Plus); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DeactivateAccount(ctx, bob.ID); err != nil {
			t.Fatal(err)
		}
		_, agent := mintAnonymous(t, s)
		for _, v := range []struct {
			view  string
			given map[string]any
			want  string // the member of each row that says most
		}{
			{"accounts", nil, "dot@lake.example.org bob_1@hill.example.org ann@lake.example.org"},
			{"accounts", map[string]any{"limit": int64(2)}, "dot@lake.example.org bob_1@hill.example.org"},
			{"accounts", map[string]any{"q": " LAKE.example"}, "dot@lake.example.org ann@lake.example.org"},
			{"accounts", map[string]any{"q": "b_1"}, "bob_1@hill.example.org"},
			{"accounts", map[string]any{"q": "b%1"}, ""},
			{"accounts", map[string]any{"q": bob.ID}, "bob_1@hill.example.org"},
			{"accounts", map[string]any{"q": mine.ID}, "ann@lake.example.org"},
			{"accounts", map[string]any{"plan": "plus"}, "bob_1@hill.example.org"},
			{"accounts", map[string]any{"plan": "plus", "q": "ann"}, ""},
			{"accounts", map[string]any{"state": "invited"}, "dot@lake.example.org"},
			{"accounts", map[string]any{"state": "inactive"}, "bob_1@hill.example.org"},
			{"accounts", map[string]any{"state": "unverified"}, "bob_1@hill.example.org ann@lake.example.org"},
			{"accounts", map[string]any{"state": "active"}, ""},
			{"accounts", map[string]any{"q": "a\x00"}, ""},
			{"keys", nil, loose.ID + " " + mine.ID},
			{"keys", map[string]any{"q": "100%"}, mine.ID},
			{"keys", map[string]any{"q": "ann@"}, mine.ID},
			{"keys", map[string]any{"q": ann.ID}, mine.ID},
			{"keys", map[string]any{"q": "CY@"}, loose.ID},
			{"keys", map[string]any{"plan": "pro"}, loose.ID},
			{"keys", map[string]any{"plan": "agent"}, agent.ID},
			{"keys", map[string]any{"plan": "plus"}, ""},
			{"events", map[string]any{"kind": "invite"}, "invite"},
			{"events", map[string]any{"key": mine.ID}, "mint"},
			{"events", map[string]any{"actor": "nobody"}, ""},
		} {
			rows, err := s.View(ctx, v.view, v.given)
			var said []string
			for _, r := range rows {
				var row map[string]any
				if err := json.Unmarshal(r.JSON, &row); err != nil || row["seq"] != float64(r.First) {
					t.Fatal(string(r.JSON), err)
				}
				said = append(said, row[map[string]string{"accounts": "email", "keys": "id", "events": "kind"}[v.view]].(string))
			}
			if got := strings.Join(said, " "); got != v.want || err != nil {
				t.Errorf("%s %v: %q, %v", v.view, v.given, got, err)
			}
		}
		first, err := s.View(ctx, "accounts", map[string]any{"limit": int64(2)})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(first[0].JSON); !strings.Contains(got, `"verified":false,"plan":"free","active":true,"created_at":"2026-03-10T12:00:00Z","keys":0,"invited":true,"invitation_ends_at":"2026-03-24T12:00:00Z"}`) {
			t.Errorf("%s", got)
		}
		if rest, err := s.View(ctx, "accounts", map[string]any{"before": first[1].First}); err != nil || len(rest) != 1 || !strings.Contains(string(rest[0].JSON), ann.ID+`","email":"ann@lake.example.org","verified":false`) ||
			!strings.Contains(string(rest[0].JSON), `"keys":1,"invited":false,"invitation_ends_at":null}`) {
			t.Errorf("%d rows, %v", len(rest), err)
		}

		if _, err := s.Charge(ctx, mine.ID, 3); err != nil {
			t.Fatal(err)
		}
		c.add(24 * time.Hour)
		if _, err := s.Charge(ctx, ann.ID, 2); err != nil { // without a key
			t.Fatal(err)
		}
		if _, err := s.Charge(ctx, mine.ID, 1); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]string{mine.ID: "3 1", ann.ID: "3 3", bob.ID: ""} {
			view := "key_usage"
			if id != mine.ID {
				view = "account_usage"
			}
			rows, err := s.View(ctx, view, map[string]any{"id": id, "from": c.now().Add(-48 * time.Hour).Unix()})
			var calls []string
			for i, r := range rows {
				day := []string{"2026-03-10", "2026-03-11"}[i]
				calls = append(calls, strings.TrimSuffix(strings.TrimPrefix(string(r.JSON), `{"day_at":"`+day+`T00:00:00Z","calls":`), "}"))
			}
			if got := strings.Join(calls, " "); got != want || err != nil {
				t.Errorf("%s: %q, %v", id, got, err)
			}
		}
		if n, err := s.Size(ctx); err != nil || n < 10_000 {
			t.Errorf("%d bytes, %v", n, err)
		}
	})
}

// TestStoreAlertQueue counts alerts that wait to be sent, until they are sent or their channel is stopped.
func TestStoreAlertQueue(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		ann, l := watched(t, s, "ann@example.org")
		if _, _, err := s.ChangeWatch(ctx, ann, l.ID, WatchChange{Webhook: new("https://hooks.example.org/x")}); err != nil {
			t.Fatal(err)
		}
		if q, err := s.Queue(ctx, "alerts"); err != nil || q.Entries != 0 || q.Oldest != nil {
			t.Fatal(q, err)
		}
		compareAll(t, s, 1)
		at := c.now()
		compareAll(t, s, 3)
		c.add(time.Hour)
		if q, err := s.Queue(ctx, "alerts"); err != nil || q.Entries != 2 || !q.Oldest.Equal(at) {
			t.Errorf("%+v, %v", q, err)
		}
		due, err := s.DueDeliveries(ctx, 10)
		if err != nil || len(due) != 1 {
			t.Fatal(due, err)
		}
		d, err := s.TakeDelivery(ctx, due[0], time.Minute, 10)
		if err != nil || d == nil {
			t.Fatal(d, err)
		}
		if err := s.Undelivered(ctx, d, "refused", time.Time{}); err != nil {
			t.Fatal(err)
		}
		if q, err := s.Queue(ctx, "alerts"); err != nil || q.Entries != 0 || q.Oldest != nil {
			t.Errorf("stopped: %+v, %v", q, err)
		}
	})
}
