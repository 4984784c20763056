package account

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite", in Go

	"grantgraph/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options of a store.
type Options struct {
	Clock      func() time.Time // nil is the clock of the machine
	FreeWindow Window           // window of the free allowance; empty is Day
}

// store is a Store in one SQLite file. All writing goes through one goroutine
// and one connection (see ledger); reading has connections of its own.
type store struct {
	clock      func() time.Time
	freeWindow Window
	write      *sql.DB
	read       *sql.DB
	byHash     *sql.Stmt
	byID       *sql.Stmt
	calls      *sql.Stmt
	ledger     *ledger
	closing    sync.Once
	closed     error
}

const keyColumns = "SELECT seq, id, plan, email, label, active, created, rotated FROM keys "

// OpenSQLite opens the store in the file at path, which is made when it is not
// there and brought up to the present layout when it is older.
func OpenSQLite(path string, opt Options) (Store, error) {
	s := &store{clock: opt.Clock, freeWindow: opt.FreeWindow}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.freeWindow == "" {
		s.freeWindow = Day
	}
	if _, err := ParseWindow(string(s.freeWindow)); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fault.Disk(filepath.Dir(path), err)
	}
	// The file holds e-mail addresses, so it is its owner's alone; SQLite gives
	// its side files the same permissions.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	f.Close()
	if err := s.open(path); err != nil {
		s.Close()
		return nil, fault.New("accounts_unreadable", "cannot open the key store %s: %w", path, err).
			Try("check that it is the key store of this program and that the disk has space")
	}
	return s, nil
}

func (s *store) open(path string) (err error) {
	if s.write, err = connect(path, 1); err != nil {
		return err
	}
	if s.read, err = connect(path, 4); err != nil {
		return err
	}
	if err := migrate(s.write); err != nil {
		return err
	}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&s.byHash, keyColumns + "WHERE hash = ?"},
		{&s.byID, keyColumns + "WHERE id = ?"},
		{&s.calls, "SELECT calls FROM spent WHERE key = ? AND window = ? AND start = ?"},
	} {
		if *p.stmt, err = s.read.Prepare(p.text); err != nil {
			return err
		}
	}
	s.ledger, err = openLedger(s)
	return err
}

// connect opens a pool of connections. A commit is on the disk when it
// returns; a second process that writes is waited for.
func connect(path string, conns int) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}}
	for _, p := range []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"} {
		q.Add("_pragma", p)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// migrate applies the steps that the file has not seen, in one transaction.
func migrate(db *sql.DB) error {
	entries, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var have int
	if err := tx.QueryRow("PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have == len(entries) {
		return nil
	}
	if have > len(entries) {
		return fmt.Errorf("it was written by a later version of the program (layout %d, this one knows %d)", have, len(entries))
	}
	for i := have; i < len(entries); i++ {
		text, err := migrations.ReadFile("migrations/" + entries[i].Name())
		if err != nil {
			return err
		}
		if _, err := tx.Exec(string(text)); err != nil {
			return fmt.Errorf("%s: %w", entries[i].Name(), err)
		}
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", len(entries))); err != nil {
		return err
	}
	return tx.Commit()
}

// Close waits for what was begun and closes the file.
func (s *store) Close() error {
	s.closing.Do(func() {
		if s.ledger != nil {
			s.ledger.close()
		}
		for _, db := range []*sql.DB{s.read, s.write} {
			if db != nil {
				s.closed = errors.Join(s.closed, db.Close())
			}
		}
	})
	return s.closed
}

// record is a row of table keys.
type record struct {
	KeyInfo
	seq int64
}

// scanKey reads one row that begins with keyColumns.
func scanKey(row interface{ Scan(...any) error }) (r record, err error) {
	var created, rotated int64
	err = row.Scan(&r.seq, &r.ID, &r.Plan, &r.Email, &r.Label, &r.Active, &created, &rotated)
	r.Created, r.Rotated = time.Unix(created, 0).UTC(), time.Unix(rotated, 0).UTC()
	if errors.Is(err, sql.ErrNoRows) {
		err = unknownKey("There is no such API key.")
	}
	return r, err
}

// window is the window of a plan in this store.
func (s *store) window(p Plan) Window {
	if p == Free {
		return s.freeWindow
	}
	return p.Terms().Window
}

// balance is the balance of a plan of which calls are spent.
func (s *store) balance(p Plan, now time.Time, calls int64) Balance {
	t := p.Terms()
	return Balance{Limit: t.Allowance, Remaining: int(max(0, int64(t.Allowance)-calls)), Reset: s.window(p).Reset(now)}
}

func (s *store) Authenticate(ctx context.Context, secret string) (KeyInfo, error) {
	if _, err := ParseKey(secret); err != nil {
		return KeyInfo{}, err
	}
	r, err := scanKey(s.byHash.QueryRowContext(ctx, hashKey(secret)))
	return r.KeyInfo, err
}

func (s *store) Find(ctx context.Context, secretOrID string) (KeyInfo, error) {
	r, err := s.find(ctx, secretOrID)
	return r.KeyInfo, err
}

func (s *store) find(ctx context.Context, secretOrID string) (record, error) {
	if strings.HasPrefix(secretOrID, keyPrefix) {
		if _, err := ParseKey(secretOrID); err != nil {
			return record{}, err
		}
		return scanKey(s.byHash.QueryRowContext(ctx, hashKey(secretOrID)))
	}
	return scanKey(s.byID.QueryRowContext(ctx, secretOrID))
}

func (s *store) Balance(ctx context.Context, id string) (Balance, error) {
	r, err := s.find(ctx, id)
	if err != nil {
		return Balance{}, err
	}
	now := s.clock()
	w := s.window(r.Plan)
	var calls int64
	err = s.calls.QueryRowContext(ctx, r.seq, string(w), w.Start(now).Unix()).Scan(&calls)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Balance{}, err
	}
	return s.balance(r.Plan, now, calls), nil
}

func (s *store) List(ctx context.Context) ([]KeyInfo, error) {
	rows, err := s.read.QueryContext(ctx, keyColumns+"ORDER BY seq")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []KeyInfo{}
	for rows.Next() {
		r, err := scanKey(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, r.KeyInfo)
	}
	return list, rows.Err()
}

// Bounds of the texts that come with a key.
const (
	maxEmail = 254
	maxLabel = 200
)

func (s *store) Create(ctx context.Context, plan Plan, email, label string) (string, KeyInfo, error) {
	email, label = strings.TrimSpace(email), strings.TrimSpace(label)
	if len(email) > maxEmail || email != "" && !strings.Contains(email, "@") {
		return "", KeyInfo{}, fault.New("bad_email", "%q is not an e-mail address", clip(email)).Try("leave it out or give one like name@example.org")
	}
	if len(label) > maxLabel {
		return "", KeyInfo{}, fault.New("bad_label", "the label has %d bytes, at most %d are kept", len(label), maxLabel).Try("use a shorter one")
	}
	if _, err := ParsePlan(string(plan)); err != nil {
		return "", KeyInfo{}, err
	}
	secret, err := NewKey(plan, rand.Reader)
	if err != nil {
		return "", KeyInfo{}, err
	}
	id, err := newID(rand.Reader)
	if err != nil {
		return "", KeyInfo{}, err
	}
	now := s.clock().UTC().Truncate(time.Second)
	k := KeyInfo{ID: id, Plan: plan, Email: email, Label: label, Active: true, Created: now, Rotated: now}
	err = s.ledger.do(ctx, func(b *batch) error {
		_, err := b.exec("INSERT INTO keys (id, hash, plan, email, label, active, created, rotated) VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
			id, hashKey(secret), string(plan), email, label, now.Unix(), now.Unix())
		return err
	})
	if err != nil {
		return "", KeyInfo{}, err
	}
	return secret, k, nil
}

func (s *store) Rotate(ctx context.Context, id string) (string, KeyInfo, error) {
	k, err := s.Find(ctx, id)
	if err != nil {
		return "", KeyInfo{}, err
	}
	secret, err := NewKey(k.Plan, rand.Reader)
	if err != nil {
		return "", KeyInfo{}, err
	}
	now := s.clock().UTC().Truncate(time.Second)
	k, err = s.change(ctx, k.ID, "UPDATE keys SET hash = ?, rotated = ? WHERE id = ?", hashKey(secret), now.Unix())
	if err != nil {
		return "", KeyInfo{}, err
	}
	return secret, k, nil
}

func (s *store) Deactivate(ctx context.Context, id string) (KeyInfo, error) {
	return s.set(ctx, id, "UPDATE keys SET active = ? WHERE id = ?", 0)
}

func (s *store) Reactivate(ctx context.Context, id string) (KeyInfo, error) {
	return s.set(ctx, id, "UPDATE keys SET active = ? WHERE id = ?", 1)
}

func (s *store) SetPlan(ctx context.Context, id string, plan Plan) (KeyInfo, error) {
	if _, err := ParsePlan(string(plan)); err != nil {
		return KeyInfo{}, err
	}
	return s.set(ctx, id, "UPDATE keys SET plan = ? WHERE id = ?", string(plan))
}

// set changes the key with this secret or ID.
func (s *store) set(ctx context.Context, id, update string, value any) (KeyInfo, error) {
	k, err := s.Find(ctx, id)
	if err != nil {
		return KeyInfo{}, err
	}
	return s.change(ctx, k.ID, update, value)
}

// change runs an update whose last parameter is the ID, and returns the key as
// it is after it.
func (s *store) change(ctx context.Context, id, update string, values ...any) (KeyInfo, error) {
	var r *record
	err := s.ledger.do(ctx, func(b *batch) error {
		if _, err := b.exec(update, append(values, id)...); err != nil {
			return err
		}
		after, err := scanKey(b.byID.QueryRow(id))
		r = &after
		return err
	})
	if err != nil {
		return KeyInfo{}, err
	}
	return r.KeyInfo, nil
}
