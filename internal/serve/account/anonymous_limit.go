package account

import (
	"context"
	"time"
)

// Anyone may mint an anonymous key, so each transaction that adds one removes a few old ones, counted apart for keys that
// answered and for others: a flood of mints does not remove a key in use.
const (
	// MostAnonymous is the default number of anonymous keys of each kind: that answered, and that did not.
	MostAnonymous = 100_000
	// mostEvicted is how many old keys one mint or answer removes, so that the store also shrinks to a lower bound.
	mostEvicted = 4
	// keptWords is how many bytes the store keeps of an anonymous agent's texts.
	keptWords = 200
	// sweptAtOnce bounds how long one transaction of the sweeper makes others wait.
	sweptAtOnce = 1000
)

// The two kinds of anonymous keys, in the words of their indexes.
const (
	unanswered = "thumbprint = '' AND answered = 0"
	answered   = "thumbprint = '' AND answered > 0"
)

// markAnswered numbers a key that answered for the first time, and removes old ones.
func (s *Store) markAnswered(t *tx, seq int64) {
	var last int64
	t.get("SELECT answered FROM agents WHERE "+answered+" ORDER BY answered DESC LIMIT 1", nil, &last)
	if t.exec("UPDATE agents SET answered = $2 WHERE key = $1 AND answered = 0", seq, last+1) > 0 {
		t.removeAgents(answered+" AND answered <= $1 ORDER BY answered", mostEvicted, last+1-int64(s.anonymous))
	}
}

func (t *tx) removeAgents(where string, most int, arg int64) (n int) {
	keys := collect(t, "SELECT key FROM agents WHERE "+where+" LIMIT $2", []any{arg, most}, scanNumber)
	for _, key := range keys {
		t.later("DELETE FROM screens WHERE owner = (SELECT id FROM keys WHERE seq = $1)", key)
		t.later("DELETE FROM keys WHERE seq = $1", key)
	}
	return len(keys)
}

// rememberAnswered is how long an anonymous key that answered a challenge is kept after it has expired. Others go at once.
const rememberAnswered = 30 * 24 * time.Hour

func (s *Store) sweepAnonymous(ctx context.Context) error {
	now := s.clock()
	for _, d := range []struct {
		where  string
		before time.Time
	}{
		{unanswered + " AND expires <= $1", now},
		{answered + " AND expires <= $1", now.Add(-rememberAnswered)},
	} {
		for n := sweptAtOnce; n == sweptAtOnce; {
			err := s.update(ctx, func(t *tx) { n = t.removeAgents(d.where, sweptAtOnce, d.before.UnixNano()) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
