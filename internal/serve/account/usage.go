package account

import (
	"context"
	"fmt"
	"time"
)

// Bucket is how many calls a key or an account paid in a span of time.
type Bucket struct {
	Start time.Time
	Calls int
}

// UsageKept is how long the store keeps usage.
const UsageKept = 60 * 24 * time.Hour

func (s *store) Usage(ctx context.Context, id string, from, to time.Time, step time.Duration) ([]Bucket, error) {
	if step != time.Hour && step != 24*time.Hour {
		return nil, fmt.Errorf("usage is kept by the hour and by the day, not by %v", step)
	}
	view := s.view(ctx)
	r, err := payerOf(view, id)
	if err != nil {
		return nil, err
	}
	now := s.clock()
	if oldest := now.Add(-UsageKept); from.Before(oldest) {
		from = oldest
	}
	if last := now.Add(step); to.After(last) {
		to = last
	}
	// Truncate counts from a midnight, so its days are days of UTC.
	from = from.UTC().Truncate(step)
	buckets := []Bucket{}
	for at := from; at.Before(to); at = at.Add(step) {
		buckets = append(buckets, Bucket{Start: at})
	}
	table, whose := r.usedIn()
	text := "SELECT hour, calls FROM " + table.name + " WHERE " + table.column + " = $1 AND hour >= $2"
	err = view.each(text, []any{whose, from.Unix()}, func(scan scanner) error {
		var hour, calls int64
		if err := scan(&hour, &calls); err != nil {
			return err
		}
		if i := int(time.Unix(hour, 0).Sub(from) / step); i < len(buckets) {
			buckets[i].Calls += int(calls)
		}
		return nil
	})
	return buckets, err
}
