package account

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestHashQueue lets one network send as many passwords as may wait before another sends
// one: the other is next. Who gives up leaves nothing behind, and who sends one more than
// may wait is refused at once.
func TestHashQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &hashQueue{free: 1, begun: map[string]int{}}
		leave, err := q.enter(t.Context(), "greedy")
		if err != nil {
			t.Fatal(err)
		}
		turns := make(chan string, 200)
		wait := func(ctx context.Context, network string) {
			go func() {
				leave, err := q.enter(ctx, network)
				if err != nil {
					turns <- "gave up"
					return
				}
				turns <- network
				leave()
			}()
			synctest.Wait()
		}
		for range mostWaitingHashes {
			wait(t.Context(), "greedy")
		}
		if _, err := q.enter(t.Context(), "greedy"); slugOf(err) != "too_many_attempts" || waitOf(err) == 0 {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		wait(ctx, "gone")
		cancel()
		if got := <-turns; got != "gave up" {
			t.Error(got)
		}
		wait(t.Context(), "other")
		wait(t.Context(), "another")
		leave()
		for _, want := range []string{"other", "another", "greedy"} {
			if got := <-turns; got != want {
				t.Errorf("%s hashes, want %s", got, want)
			}
		}
		for range mostWaitingHashes - 1 {
			<-turns
		}
		synctest.Wait()
		if q.free != 1 || len(q.waiting) != 0 || len(q.begun) != 0 {
			t.Errorf("%d places, %d wait, %v", q.free, len(q.waiting), q.begun)
		}
	})
}
