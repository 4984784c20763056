package account

import (
	"errors"
	"testing"
	"time"
)

// TestStoreNames takes the names of addresses, in parts and by days.
func TestStoreNames(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		s := openAt(t, p, Options{Clock: c.now})
		for i, step := range []struct {
			after   time.Duration
			address string
			n       int
			left    int // -1 when it is refused
		}{
			{0, "192.0.2.1:99", 10, 990},
			{0, "192.0.2.1", 980, 10},
			{0, "192.0.2.1", 11, -1},
			{0, "192.0.2.1", 10, 0}, // what was refused took nothing
			{0, "192.0.2.1", 1, -1},
			{0, "192.0.2.2", 1, 999},
			{0, "2001:db8:1:2::1", 999, 1}, // a household of the new kind
			{0, "2001:db8:1:2:ffff::9", 2, -1},
			{24 * time.Hour, "192.0.2.1", 10, 990},
		} {
			c.add(step.after)
			left, err := s.TakeNames(t.Context(), step.address, step.n)
			if step.left >= 0 {
				if left != step.left || err != nil {
					t.Errorf("step %d: left %d, %v, want %d", i, left, err, step.left)
				}
				continue
			}
			var wait *WaitError
			if slugOf(err) != "names_spent" || !errors.Is(err, ErrSpent) || !errors.As(err, &wait) || wait.Wait <= 0 || wait.Wait > 24*time.Hour {
				t.Errorf("step %d is not refused: %v", i, err)
			}
		}
		// Names and questions are counted apart.
		if left, err := s.QuestionsLeft(t.Context(), Asking{"ann", "192.0.2.1"}); left != FreeQuestions || err != nil {
			t.Errorf("%d questions left, %v", left, err)
		}
	})
}
