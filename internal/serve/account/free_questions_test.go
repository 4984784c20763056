package account

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestStoreQuestions takes the free questions of visitors and of addresses.
func TestStoreQuestions(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		left := func(q Asking, want int) {
			t.Helper()
			if got, err := s.QuestionsLeft(ctx, q); got != want || err != nil {
				t.Fatalf("left %d, %v, want %d", got, err, want)
			}
		}
		take := func(q Asking, receipt string, want int) {
			t.Helper()
			if got, err := s.TakeQuestion(ctx, q, receipt); got != want || err != nil {
				t.Fatalf("left after it %d, %v, want %d", got, err, want)
			}
			left(q, want)
		}
		refused := func(q Asking, receipt string) {
			t.Helper()
			_, err := s.TakeQuestion(ctx, q, receipt)
			var wait *WaitError
			if slugOf(err) != "questions_spent" || !errors.Is(err, ErrSpent) || !errors.As(err, &wait) || wait.Wait <= 0 || wait.Wait > 24*time.Hour {
				t.Fatalf("not refused: %v", err)
			}
		}
		ann := Asking{"ann", "192.0.2.1:99"}
		left(ann, 3)
		take(ann, "q1", 2)
		take(ann, "q1", 2) // again within ten minutes
		take(ann, "q2", 1)
		take(ann, "q3", 0)
		refused(ann, "q4")
		take(ann, "q3", 0) // still paid
		c.add(receiptHolds)
		refused(ann, "q3")
		take(Asking{"ann's phone", "192.0.2.1"}, "q1 by phone", 2)

		// At one address there are thirty, whoever asks.
		for i := 4; i < AddressQuestions; i++ {
			if _, err := s.TakeQuestion(ctx, Asking{fmt.Sprint("visitor ", i), "192.0.2.1"}, fmt.Sprint(i)); err != nil {
				t.Fatal(i, err)
			}
		}
		left(Asking{"another", "192.0.2.1"}, 0)
		refused(Asking{"another", "192.0.2.1"}, "q")
		take(Asking{"another", "192.0.2.2"}, "q", 2) // what was refused cost nothing
		take(Asking{"another", ""}, "q5", 1)         // without an address only the visitor counts

		// A household of the new kind has one address.
		for i := range AddressQuestions {
			if _, err := s.TakeQuestion(ctx, Asking{fmt.Sprint("six ", i), fmt.Sprintf("2001:db8:1:2::%x", i)}, fmt.Sprint("six ", i)); err != nil {
				t.Fatal(i, err)
			}
		}
		refused(Asking{"six", "2001:db8:1:2:ffff::1"}, "six")
		take(Asking{"six", "2001:db8:1:3::1"}, "six", 2)

		// The day is that of UTC.
		c.add(24 * time.Hour)
		left(ann, 3)
		take(ann, "q1", 2)
	})
}

// TestStoreQuestionsRace lets twenty questions be asked at once through two
// stores, with three free ones left: three are granted, and when they pay with an
// account, each receipt is paid once.
func TestStoreQuestionsRace(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		both := []*Store{openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})}
		_, k := create(t, both[0], Plus)
		before, err := both[0].Balance(t.Context(), k.ID)
		if err != nil {
			t.Fatal(err)
		}
		var free, spent atomic.Int64
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				s := both[i%2]
				_, err := s.TakeQuestion(t.Context(), Asking{"ann", "192.0.2.1"}, fmt.Sprint("question ", i))
				switch {
				case err == nil:
					free.Add(1)
				case errors.Is(err, ErrSpent):
					spent.Add(1)
				default:
					t.Error(err)
				}
				// Five questions, each asked four times.
				if _, err := s.ChargeOnce(t.Context(), k.ID, 1, fmt.Sprint("paid ", i%5)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if free.Load() != FreeQuestions || spent.Load() != 20-FreeQuestions {
			t.Errorf("%d were free, %d refused", free.Load(), spent.Load())
		}
		after, err := both[1].Balance(t.Context(), k.ID)
		if err != nil || before.Remaining-after.Remaining != 5 {
			t.Errorf("%d calls were charged, %v", before.Remaining-after.Remaining, err)
		}
	})
}

// TestStoreChargeOnce charges a question once, and again when its receipt is old.
func TestStoreChargeOnce(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-05-05T05:05:05Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		_, k := create(t, s, Free)
		charge := func(receipt string, remaining int) {
			t.Helper()
			if b, err := s.ChargeOnce(ctx, k.ID, 1, receipt); err != nil || b.Remaining != remaining {
				t.Fatalf("%+v, %v, want %d", b, err, remaining)
			}
		}
		charge("a", 49)
		charge("a", 49)
		charge("b", 48)
		c.add(receiptHolds)
		charge("a", 47)
		if _, err := s.Charge(ctx, k.ID, 47); err != nil {
			t.Fatal(err)
		}
		charge("a", 0) // paid already, and nothing is left
		if _, err := s.ChargeOnce(ctx, k.ID, 1, "c"); !errors.Is(err, ErrSpent) {
			t.Errorf("%v", err)
		}
		c.add(24 * time.Hour)
		charge("c", 49) // what was refused left no receipt
		// A receipt of a free question holds for the one that is paid, and the other way round.
		if _, err := s.TakeQuestion(ctx, Asking{Visitor: "ann"}, "d"); err != nil {
			t.Fatal(err)
		}
		charge("d", 49)
		charge("e", 48)
		if left, err := s.TakeQuestion(ctx, Asking{Visitor: "ann"}, "e"); err != nil || left != 2 {
			t.Errorf("%d, %v", left, err)
		}
		if _, err := s.ChargeOnce(ctx, k.ID, 1, ""); err == nil {
			t.Error("charged without a receipt")
		}
	})
}
