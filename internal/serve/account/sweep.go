package account

import (
	"context"
	"time"
)

// How often expired rows are removed: the marks of transactions, which are many, and
// all others.
const (
	sweepMarks = 5 * time.Minute
	sweepAll   = time.Hour
)

func (s *store) sweepRegularly() {
	defer close(s.swept)
	tick := time.NewTicker(sweepMarks)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-tick.C:
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			// Rows that could not be removed now are removed the next time.
			_ = s.update(ctx, s.engine.sweep)
			if n%int(sweepAll/sweepMarks) == 1 {
				_ = s.sweep(ctx)
			}
			cancel()
		case <-s.quit:
			return
		}
	}
}

// sweep removes expired rows. It keeps events.
func (s *store) sweep(ctx context.Context) error {
	now := s.clock()
	for _, d := range []struct {
		text string
		arg  int64
	}{
		{"DELETE FROM usage WHERE hour < $1", now.Add(-UsageKept).Unix()},
		{"DELETE FROM account_usage WHERE hour < $1", now.Add(-UsageKept).Unix()},
		{"DELETE FROM spent WHERE start < $1", now.Add(-UsageKept).Unix()},
		{"DELETE FROM sessions WHERE expires < $1", now.UnixNano()},
		{"DELETE FROM tokens WHERE expires < $1", now.UnixNano()},
		{"DELETE FROM nonces WHERE until <= $1", now.UnixNano()},
		{"DELETE FROM tries WHERE start < $1", now.Add(-24 * time.Hour).UnixNano()},
		{"DELETE FROM questions WHERE day < $1", now.Add(-48 * time.Hour).Unix()},
		// Rows of the future, written by a clock that has been set back since: nobody
		// can have begun these windows yet.
		{"DELETE FROM tries WHERE start > $1", now.Add(skew).UnixNano()},
		{"DELETE FROM spent WHERE start > $1", now.Add(skew).Unix()},
		{"DELETE FROM questions WHERE day > $1", now.Add(skew).Unix()},
	} {
		// Each statement has its own transaction, so that charges do not wait long.
		err := s.update(ctx, func(t *tx) error {
			t.exec(d.text, d.arg)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.sweepAnonymous(ctx)
}
