package account

import (
	"context"
	"time"
)

// Anyone may mint an anonymous key, so what all of them take is bounded, with a
// little work in each transaction that adds one. Keys that never answered a
// challenge give way to younger ones; keys that did, only to as many that
// answered after them. A flood of mints therefore ends no key that is in use,
// and leaves whoever means to answer the time of a hundred thousand mints.
const (
	// MostAnonymous is how many anonymous keys are kept of each kind, those that
	// answered and those that did not, when nothing else is said.
	MostAnonymous = 100_000
	// mostEvicted bounds the work that one mint or one answer does for the bound.
	// More than one, so that a bound that was lowered is come down to.
	mostEvicted = 4
	// keptWords is how much of what an anonymous agent says of itself is kept.
	keptWords = 200
	// sweptAtOnce bounds how long one transaction of the sweeper keeps others
	// waiting.
	sweptAtOnce = 1000
)

// The two kinds of anonymous keys, in the words of the indexes over them.
const (
	unanswered = "thumbprint = '' AND answered = 0"
	answered   = "thumbprint = '' AND answered > 0"
)

// evictUnanswered makes room for the anonymous key that was just stored.
func (s *store) evictUnanswered(t *tx, seq int64) error {
	_, err := t.removeAgents(unanswered+" AND key <= $1 ORDER BY key", mostEvicted, seq-int64(s.anonymous))
	return err
}

// markAnswered numbers a key that has answered for the first time, and makes room
// for it among those that did.
func (s *store) markAnswered(t *tx, seq int64) error {
	var last int64
	if _, err := t.get("SELECT answered FROM agents WHERE "+answered+" ORDER BY answered DESC LIMIT 1", nil, &last); err != nil {
		return err
	}
	n, err := t.exec("UPDATE agents SET answered = $2 WHERE key = $1 AND answered = 0", seq, last+1)
	if err != nil || n == 0 {
		return err
	}
	_, err = t.removeAgents(answered+" AND answered <= $1 ORDER BY answered", mostEvicted, last+1-int64(s.anonymous))
	return err
}

// removeAgents removes as many keys of agents, with what belongs to them.
func (t *tx) removeAgents(where string, most int, arg int64) (n int, err error) {
	var keys []int64
	err = t.each("SELECT key FROM agents WHERE "+where+" LIMIT $2", []any{arg, most}, func(scan func(...any) error) error {
		var key int64
		err := scan(&key)
		keys = append(keys, key)
		return err
	})
	for _, key := range keys {
		if err == nil {
			err = t.later("DELETE FROM screens WHERE owner = (SELECT id FROM keys WHERE seq = $1)", key)
		}
		if err == nil {
			err = t.later("DELETE FROM keys WHERE seq = $1", key)
		}
	}
	return len(keys), err
}

// rememberAnswered is how long an anonymous key that was in use is remembered
// after its end. One that never was is forgotten with it.
const rememberAnswered = 30 * 24 * time.Hour

// sweepAnonymous forgets anonymous keys that have had their time, a number in
// each transaction.
func (s *store) sweepAnonymous(ctx context.Context) error {
	now := s.clock()
	for _, d := range []struct {
		where  string
		before time.Time
	}{
		{unanswered + " AND expires <= $1", now},
		{answered + " AND expires <= $1", now.Add(-rememberAnswered)},
	} {
		for n := sweptAtOnce; n == sweptAtOnce; {
			err := s.update(ctx, func(t *tx) (err error) {
				n, err = t.removeAgents(d.where, sweptAtOnce, d.before.UnixNano())
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
