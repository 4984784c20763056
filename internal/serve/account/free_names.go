package account

import "context"

// FreeNames is how many names all visitors at one network address may look up
// without a key in a day of UTC.
const FreeNames = 1_000

func (s *store) TakeNames(ctx context.Context, address string, n int) (left int, err error) {
	c := s.dailyCounter("names", networkOf(address), FreeNames)
	return updated(ctx, s, func(t *tx) (int, error) {
		taken, err := t.lockCount(c)
		if err != nil {
			return 0, err
		}
		left := max(0, c.most-taken)
		if n > left {
			return 0, namesSpent(n, left, Day.Reset(t.now).Sub(t.now))
		}
		t.addCount(c, n)
		return left - n, nil
	})
}
