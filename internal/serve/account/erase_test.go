package account

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// leftBy lists where a text is found in a store: in its files, or in the rows of all tables.
func leftBy(t *testing.T, s *Store, p place, texts ...string) (found []string) {
	t.Helper()
	look := func(where string, body []byte) {
		for _, text := range texts {
			if bytes.Contains(body, []byte(text)) {
				found = append(found, where+": "+text)
			}
		}
	}
	if p.dsn == "" {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(p.dir), "*", "*"))
		if err != nil || len(files) == 0 {
			t.Fatal("no files", err)
		}
		for _, f := range files {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			look(filepath.Base(f), body)
		}
		return found
	}
	for _, table := range tablesOf(t, s) {
		err := all(s.view(t.Context()), "SELECT row_to_json(x)::text FROM "+table+" x", nil, func(scan scanner) error {
			var row string
			err := scan(&row)
			look(table, []byte(row))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestStoreErase(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		const email, label, kept = "wilhelmina@erased.example", "notebook of Wilhelmina", "stays@example.org"
		// Neighbors on both sides, so that pages of the file are split and joined.
		for i := range 40 {
			signUp(t, s, strings.Repeat("n", i%7+1)+string(rune('a'+i%26))+"@"+strings.Repeat("x", i+1)+".example")
		}
		a, stays := signUp(t, s, email), signUp(t, s, kept)
		var secrets []string
		for _, of := range []Account{a, stays} {
			secret, k, err := s.CreateFor(As(ctx, Actor{Name: of.ID, Address: "192.0.2.1"}), of.ID, label+" "+of.Email)
			session, _, signedIn := s.SignIn(ctx, of.Email, password, "192.0.2.1")
			_, link := s.ResetToken(ctx, of.ID)
			_, charged := s.Charge(ctx, k.ID, 3)
			_, keyless := s.Charge(ctx, of.ID, 2)
			_, screened := s.TakeScreen(ctx, of.ID)
			corrected := s.Correct(ctx, Correction{Line: []string{"A", "", "", "", "070000001"}, Proposal: Nobody, Reason: "I know", Account: of.ID, GrantKey: of.ID})
			if err := errors.Join(err, corrected, signedIn, link, charged, keyless, screened); err != nil {
				t.Fatal(err)
			}
			secrets = append(secrets, secret, session)
			err = s.update(ctx, func(t *tx) {
				for _, text := range []string{
					"INSERT INTO lists (id, account, name, created, changed) SELECT 'list_' || id, seq, email || ' list', created, created FROM accounts WHERE id = $1",
					"INSERT INTO list_members (list, position, ein, name, note) SELECT seq, 1, '', 'a member', 'a note of ' || name FROM lists WHERE id = 'list_' || $1",
					"INSERT INTO list_runs (id, list, started, ended, expires, members, screened, reached, dataset, summary)" +
						" SELECT 'run_' || id, seq, created, 0, created, 1, 0, 0, 'v', '{}' FROM lists WHERE id = 'list_' || $1",
					"INSERT INTO watches (list) SELECT seq FROM lists WHERE id = 'list_' || $1",
					"INSERT INTO watch_channels (list, channel, target, sent, next) SELECT seq, 'webhook', 'https://' || name, 0, 0 FROM lists WHERE id = 'list_' || $1",
					"INSERT INTO alerts (list, at, kind, source, ein, name, reference, was, is_now, count, from_version, to_version)" +
						" SELECT seq, created, 'k', 's', '', 'alert of ' || name, '', '', '', 1, '', '' FROM lists WHERE id = 'list_' || $1",
				} {
					t.exec(text, of.ID)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}

		// The export has everything but secrets.
		export, err := s.ExportAccount(ctx, email)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(export)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			email, label, `"verified":false`, `"active":true`, `"created_at":"2026-03-10T12:00:00Z"`, `"calls":3`, `"calls":2`, `"calls":5`, `"screened_at":"2026`,
			`"kind":"mint"`, `"expires_at":"2026-03-24T12:00:00Z"`,
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("the export lacks %s: %s", want, text)
			}
		}
		for _, not := range append(secrets, kept, "argon2id", stays.ID) {
			if strings.Contains(string(text), not) {
				t.Errorf("the export has %s", not)
			}
		}
		for _, part := range personal {
			if len(export.Parts[part.Text("part")]) == 0 {
				t.Errorf("the export has no %s", part.Text("part"))
			}
		}

		// A session alone is not enough.
		if err := s.ConfirmPassword(ctx, a.ID, "another password"); slugOf(err) != "bad_credentials" {
			t.Error(err)
		}
		if err := s.ConfirmPassword(ctx, a.ID, password); err != nil {
			t.Error(err)
		}
		if len(leftBy(t, s, p, email, label)) == 0 {
			t.Error("the test does not find what is there")
		}
		if _, err := s.EraseAccount(As(ctx, Actor{Name: a.ID}), a.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Scrub(ctx); err != nil {
			t.Fatal(err)
		}
		if found := leftBy(t, s, p, email, label+" "+email); len(found) > 0 {
			t.Errorf("after erasing: %v", found)
		}
		for _, err := range []error{
			second(s.AccountOf(ctx, email)), second(s.ExportAccount(ctx, a.ID)), second(s.EraseAccount(ctx, a.ID)), second(s.Session(ctx, secrets[1])),
			second(s.Authenticate(ctx, secrets[0])), second(s.Charge(ctx, a.ID, 1)),
		} {
			if err == nil {
				t.Error("something of the account still works")
			}
		}
		// The calls stay, without a name, and others keep everything.
		var calls int
		if err := one(s.view(ctx), "SELECT calls FROM spent WHERE owner = $1", []any{"erased"}, &calls); err != nil || calls != 5 {
			t.Error(calls, err)
		}
		if _, err := s.Authenticate(ctx, secrets[2]); err != nil {
			t.Error(err)
		}
		if b, err := s.Balance(ctx, stays.ID); err != nil || b.Remaining != 45 {
			t.Error(b, err)
		}
		// The address can sign up again and is new. Another scrub has nothing to do.
		if signUp(t, s, email).ID == a.ID {
			t.Error("the account is back")
		}
		if err := s.Scrub(ctx); err != nil {
			t.Error(err)
		}
		events, err := s.AuditTrail(ctx, EventFilter{})
		if err != nil || len(events) < 3 || events[1].Kind != EventScrub || events[2].Kind != EventErase || events[2].Details != a.ID {
			t.Errorf("%+v %v", events[:3], err)
		}
	})
}

// TestStoreAuditKept checks that old events go, and that nobody can remove young ones.
func TestStoreAuditKept(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2020-01-01T00:00:00Z")
		s := openAt(t, p, Options{Clock: c.now, AuditKept: time.Hour})
		create(t, s, Free)
		c.add(LeastAuditKept)
		if err := s.sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if events, err := s.AuditTrail(t.Context(), EventFilter{}); err != nil || len(events) != 1 {
			t.Errorf("%+v %v", events, err)
		}
		c.add(time.Second)
		if err := s.sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if events, err := s.AuditTrail(t.Context(), EventFilter{}); err != nil || len(events) != 0 {
			t.Errorf("%+v %v", events, err)
		}
		c.nanos.Store(time.Now().UnixNano())
		create(t, s, Free)
		for _, text := range []string{"DELETE FROM events", "UPDATE events SET actor = 'x'"} {
			if err := s.update(t.Context(), func(t *tx) { t.exec(text) }); err == nil {
				t.Errorf("%s is allowed", text)
			}
		}
	})
}
