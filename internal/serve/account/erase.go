package account

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"grantgraph/internal/table"
)

//go:embed personal.tsv
var personalTable string

var personal = table.Read("personal.tsv", personalTable, "part", "fields", "statement")

// Export is everything that the store keeps about an account, without secrets and hashes.
type Export struct {
	At    time.Time                   `json:"exported_at"`
	Parts map[string][]map[string]any `json:"parts"`
}

// ExportAccount returns what the store keeps about an account, for its owner.
func (s *Store) ExportAccount(ctx context.Context, idOrEmail string) (Export, error) {
	out := Export{At: s.clock().UTC(), Parts: map[string][]map[string]any{}}
	v := s.view(ctx)
	p := personOf(v, idOrEmail, "")
	for _, part := range personal {
		fields := strings.Fields(part.Text("fields"))
		out.Parts[part.Text("part")] = collect(v, part.Text("statement"), []any{p.seq},
			func(scan scanner) (map[string]any, error) { return exportedRow(fields, scan) })
	}
	if v.err != nil {
		return Export{}, v.err
	}
	return out, s.update(ctx, func(t *tx) { s.note(t, EventExport, "", p.ID) })
}

func exportedRow(fields []string, scan scanner) (map[string]any, error) {
	values, into, row := make([]any, len(fields)), make([]any, len(fields)), map[string]any{}
	for i := range into {
		into[i] = &values[i]
	}
	err := scan(into...)
	for i, field := range fields {
		n, _ := values[i].(int64)
		name, isFlag := strings.CutSuffix(field, "?")
		row[name] = values[i]
		switch isTime := strings.HasSuffix(field, "_at"); {
		case isFlag:
			row[name] = n == 1
		case isTime && n == 0:
			row[name] = nil // it has not happened
		case isTime && n < 1e15: // Some columns are in seconds; others are in nanoseconds.
			row[name] = time.Unix(n, 0).UTC()
		case isTime:
			row[name] = time.Unix(0, n).UTC()
		}
	}
	return row, err
}

// erasing removes an account by its number and its ID, in this order. The number of its calls stays under another name.
var erasing = []struct {
	byID bool
	text string
}{
	{true, "INSERT INTO spent (owner, period, start, calls) SELECT 'erased', period, start, calls FROM spent WHERE owner = $1" +
		" ON CONFLICT (owner, period, start) DO UPDATE SET calls = spent.calls + excluded.calls"},
	{true, "DELETE FROM spent WHERE owner = $1"},
	{true, "DELETE FROM screens WHERE owner = $1"},
	{false, "DELETE FROM sessions WHERE account = $1"},
	{false, "DELETE FROM tokens WHERE account = $1"},
	{false, "DELETE FROM keys WHERE account = $1"},
	{false, "DELETE FROM accounts WHERE seq = $1"},
}

// EraseAccount removes an account with everything that belongs to it. The audit trail keeps the ID
// of the account until its events expire. Traces in the files of the store go with the next Scrub.
func (s *Store) EraseAccount(ctx context.Context, idOrEmail string) (Account, error) {
	p, err := s.person(ctx, idOrEmail)
	if err != nil {
		return Account{}, err
	}
	return updated(ctx, s, func(t *tx) Account {
		// Charges lock the keys before the account, and write their usage after that.
		t.each("SELECT seq FROM keys WHERE account = $1 ORDER BY seq"+t.lock, []any{p.seq}, func(scanner) error { return nil })
		p := personOf(t, p.ID, t.lock)
		for _, step := range erasing {
			if step.byID {
				t.exec(step.text, p.ID)
			} else {
				t.exec(step.text, p.seq)
			}
		}
		s.note(t, EventErase, "", p.ID)
		return p.Account
	})
}

// Scrub removes the traces that deleted rows leave in the files of the store, if an account was erased since the last time.
func (s *Store) Scrub(ctx context.Context) error {
	var last Kind
	v := s.view(ctx)
	v.get("SELECT kind FROM events WHERE kind IN ($1, $2) ORDER BY seq DESC LIMIT 1", []any{string(EventErase), string(EventScrub)}, &last)
	if last != EventErase {
		return v.err
	}
	if done, err := s.engine.scrub(ctx, s); err != nil || !done {
		return err
	}
	return s.update(ctx, func(t *tx) { s.append(t, Event{Kind: EventScrub, Actor: "server"}) })
}
