package account

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
)

// tablesOf are the tables of a store that a copy has to bring along.
func tablesOf(t *testing.T, s *Store) (names []string) {
	t.Helper()
	text := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if _, ok := s.engine.(*postgresEngine); ok {
		text = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('commits', 'layout')"
	}
	err := all(s.view(t.Context()), text, nil, func(scan scanner) error {
		var name string
		err := scan(&name)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(slices.Values(names))
}

// fill makes at least one row in the tables that people, agents and operators write.
func fill(t *testing.T, s *Store) (key KeyInfo, plain string) {
	t.Helper()
	plain, key = create(t, s, Plus)
	if _, err := s.Charge(t.Context(), key.ID, 7); err != nil {
		t.Fatal(err)
	}
	gone, other := create(t, s, Free)
	if _, err := s.Delete(t.Context(), other.ID); err != nil {
		t.Fatal(err)
	}
	_ = gone
	for i := range 2 {
		seed := make([]byte, 32)
		seed[0] = byte(i)
		k := SigningKey{ID: strings.Repeat("k", i+1), Seed: secret.New(string(seed)), Created: time.Unix(1_700_000_000+int64(i), 0)}
		var err error
		if i == 0 {
			err = s.FirstSigningKey(t.Context(), k)
		} else {
			_, err = s.RotateSigningKey(t.Context(), k, time.Time{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	now := s.clock().UnixNano()
	err := s.update(t.Context(), func(t *tx) {
		t.exec("INSERT INTO accounts (id, email, password, verified, plan, created, active) VALUES ('acc_1', 'a''@example.org', '$argon', 1, 'pro', $1, 1)", now)
		t.exec("INSERT INTO sessions (hash, account, created, expires) SELECT $1, seq, $2, $2 FROM accounts", []byte{0, 1, 255}, now)
		t.exec("INSERT INTO tokens (hash, account, purpose, expires) SELECT $1, seq, 'verify', $2 FROM accounts", []byte{9}, now)
		t.exec("INSERT INTO account_usage (account, hour, calls) SELECT seq, 3600, 5 FROM accounts")
		t.exec("UPDATE keys SET account = (SELECT seq FROM accounts) WHERE id = $1", key.ID)
		t.exec("INSERT INTO tries (kind, who, start, made) VALUES ('sign_in', $1, $2, 3)", []byte("x"), now)
		t.exec("INSERT INTO nonces (hash, until) VALUES ($1, $2)", []byte("y"), now)
		t.exec("INSERT INTO screens (owner, at) VALUES ('o', $1)", now)
		t.exec("INSERT INTO questions (kind, who, day, asked) VALUES ('visitor', $1, 86400, 2)", []byte("z"))
		t.exec("INSERT INTO lists (id, account, name, created, changed) SELECT 'lst_1', seq, 'Grantees', $1, $1 FROM accounts", now)
		t.exec("INSERT INTO list_members (list, position, ein, name, note) SELECT seq, 1, '070000001', 'A', '' FROM lists")
		t.exec("INSERT INTO list_runs (id, list, started, ended, expires, members, screened, reached, dataset, summary)"+
			" SELECT 'run_1', seq, $1, 0, $1, 1, 0, 0, '', '{}' FROM lists", now)
		t.exec("INSERT INTO list_reports (run, part, reports) SELECT seq, 0, $1 FROM list_runs", []byte{0, 255})
		t.exec("INSERT INTO watches (list, edition, feed) SELECT seq, '20260101T000000Z', $1 FROM lists", []byte{1, 0})
		t.exec("INSERT INTO watch_members (list, ein, name, address) SELECT seq, '070000001', 'A', 'B' FROM lists")
		t.exec("INSERT INTO alerts (list, at, kind, source, ein, name, reference, was, is_now, count, from_version, to_version)"+
			" SELECT seq, $1, 'revoked', 'revocation', '070000001', 'A', '', '', 'revoked', 0, 'x', 'y' FROM lists", now)
		t.exec("INSERT INTO watch_channels (list, channel, target, sent, next) SELECT seq, 'email', '', 0, $1 FROM lists", now)
		t.exec("INSERT INTO agents (key, tier, purpose, source, thumbprint, host, status, expires, allowance, remaining, challenge, dataset, params, salt,"+
			" answers, calls, made, attempts, next_allowed, drawn, answered) SELECT seq, 'anonymous', 'p', 's', '', '', 'locked', $1, 10, 3, 0, '', '{}', $2,"+
			" '[]', '[]', 0, 0, 0, 0, 0 FROM keys", now, []byte{})
		t.exec("INSERT INTO corrections (id, state, sent, times, dataset, grant_key, line, filed, was_ein, was_rule, was_prob, proposal, ein, name, reason, source, account)"+
			" SELECT id, 'waiting', $1, 1, 'v', 'k', 'A,,,,1', 'A', '', '', '', 'other', '', '', 'r', '', seq FROM accounts", now)
		t.exec("INSERT INTO corrections (id, state, sent, times, dataset, grant_key, line, filed, was_ein, was_rule, was_prob, proposal, ein, name, reason, source)"+
			" VALUES ('cor_2', 'rejected', $1, 3, 'v', 'k', 'A,,,,1', 'A', '070000001', 'name', '0.970', 'nobody', '', '', 'r', '')", now)
		// More rows than one statement writes.
		for i := range copiedAtOnce + 17 {
			t.later("INSERT INTO spent (owner, period, start, calls) VALUES ($1, 'day', $2, 1)", "key_"+strings.Repeat("x", i%5), int64(i))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return key, plain
}

// TestCopyThereAndBack copies a store from SQLite to PostgreSQL and into another file,
// and compares all that it holds. Afterward the copies work as stores.
func TestCopyThereAndBack(t *testing.T) {
	t.Parallel()
	first := openAt(t, place{dir: t.TempDir()}, Options{})
	middle := openAt(t, place{dsn: newSchema(t)}, Options{})
	last := openAt(t, place{dir: t.TempDir()}, Options{})
	key, plain := fill(t, first)
	want, err := first.Balance(t.Context(), key.ID)
	if err != nil {
		t.Fatal(err)
	}
	signing, err := first.SigningKeys(t.Context())
	if err != nil || len(signing) != 2 {
		t.Fatal(len(signing), err)
	}
	var before []CopiedTable
	for _, step := range []struct{ from, to *Store }{{first, middle}, {middle, last}} {
		tables, again, err := Copy(t.Context(), step.from, step.to)
		if err != nil || again {
			t.Fatal(again, err)
		}
		if before == nil {
			before = tables
		}
		if !slices.Equal(tables, before) {
			t.Errorf("%v\nis not\n%v", tables, before)
		}
		names := []string{}
		for _, c := range tables {
			if names = append(names, c.Name); c.Rows == 0 {
				t.Errorf("%s was copied empty", c.Name)
			}
		}
		if slices.Sort(names); !slices.Equal(names, tablesOf(t, step.to)) {
			t.Errorf("copied are %v of %v", names, tablesOf(t, step.to))
		}
		tables, again, err = Copy(t.Context(), step.from, step.to)
		if err != nil || !again || !slices.Equal(tables, before) {
			t.Errorf("once more: %v %v", again, err)
		}
		has, err := step.to.SigningKeys(t.Context())
		if err != nil || len(has) != 2 || has[0].ID != signing[0].ID || has[1].Seed.Reveal() != signing[1].Seed.Reveal() {
			t.Errorf("signing keys %v, %v", has, err)
		}
		found, err := step.to.Find(t.Context(), plain)
		if err != nil || found.ID != key.ID {
			t.Errorf("the key is %v, %v", found, err)
		}
		if b, err := step.to.Balance(t.Context(), key.ID); err != nil || b != want {
			t.Errorf("balance %v, %v, want %v", b, err, want)
		}
	}
	// The copies go on where the source stopped: numbers are not given twice.
	for _, s := range []*Store{middle, last} {
		if _, k := create(t, s, Pro); k.ID == "" {
			t.Error("no new key")
		}
		if _, _, err := Copy(t.Context(), first, s); slug(err) != "not_empty" {
			t.Errorf("into a store that has more: %v", err)
		}
	}
}

func slug(err error) string {
	f, _ := fault.Of(err)
	if f == nil {
		return ""
	}
	return f.Slug
}

// TestCopyTakesItsTime looks at the time limits under which a large store is read: PostgreSQL must not end
// the transaction while the rows are written elsewhere.
func TestCopyTakesItsTime(t *testing.T) {
	t.Parallel()
	s := openAt(t, place{dsn: newSchema(t)}, Options{})
	rules := s.engine.copyRules()
	tx, err := beginCopy(t.Context(), s.read.db, rules.read, rules.begin)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var limits string
	err = tx.QueryRow("SELECT current_setting('statement_timeout') || ' ' || current_setting('idle_in_transaction_session_timeout')").Scan(&limits)
	if err != nil || limits != "0 0" {
		t.Errorf("%q, %v", limits, err)
	}
}

// TestCopyIsWhole stops a copy in the middle: nothing of it stays.
func TestCopyIsWhole(t *testing.T) {
	t.Parallel()
	first := openAt(t, place{dir: t.TempDir()}, Options{})
	fill(t, first)
	folder := t.TempDir()
	target := openAt(t, place{dir: folder}, Options{})
	db, err := sql.Open("sqlite", filepath.Join(folder, "accounts.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TRIGGER stop BEFORE INSERT ON signing_keys BEGIN SELECT RAISE(ABORT, 'no'); END"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Copy(context.Background(), first, target); err == nil {
		t.Fatal("it was copied")
	}
	if keys, err := target.List(t.Context()); err != nil || len(keys) != 0 {
		t.Errorf("%d keys stay, %v", len(keys), err)
	}
	if _, err := db.Exec("DROP TRIGGER stop"); err != nil {
		t.Fatal(err)
	}
	if _, again, err := Copy(t.Context(), first, target); err != nil || again {
		t.Errorf("after that: %v %v", again, err)
	}
}
