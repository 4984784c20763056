package account

import (
	"context"
	"fmt"
	"time"

	"grantgraph/internal/serve/network"
)

// How many questions are free in a day of UTC: for one visitor, and for all at one address, who may have deleted cookies.
const (
	FreeQuestions    = 3
	AddressQuestions = 30
)

// receiptHolds is for how long a paid question may be asked again: its answer may have been lost on the way.
const receiptHolds = 10 * time.Minute

type Asking struct {
	Visitor string // the value of the visitor's cookie
	Address string // network address; empty is not counted
}

type dailyCounter struct {
	kind string
	who  []byte
	most int
}

func (s *Store) dailyCounter(kind, who string, most int) dailyCounter {
	return dailyCounter{kind: kind, who: s.pepperedHash("question "+kind, who), most: most}
}

// lockCount reads a counter of today and locks its row, which it inserts if it is missing.
func (t *tx) lockCount(c dailyCounter) (taken int) {
	t.returning("INSERT INTO questions (kind, who, day, asked) VALUES ($1, $2, $3, 0)"+
		" ON CONFLICT (kind, who, day) DO UPDATE SET asked = questions.asked RETURNING asked",
		[]any{c.kind, c.who, Day.Start(t.now).Unix()}, &taken)
	return taken
}

func (t *tx) addCount(c dailyCounter, n int) {
	t.later("UPDATE questions SET asked = asked + $4 WHERE kind = $1 AND who = $2 AND day = $3", c.kind, c.who, Day.Start(t.now).Unix(), n)
}

// counters returns the counters of a free question, always in the same order, so that no two servers wait for each other.
func (s *Store) counters(q Asking) []dailyCounter {
	list := []dailyCounter{s.dailyCounter("visitor", q.Visitor, FreeQuestions)}
	if q.Address != "" {
		list = append(list, s.dailyCounter("address", network.Near(q.Address), AddressQuestions))
	}
	return list
}

// QuestionsLeft returns how many free questions of the question page are left today. Nobody pays twice: a receipt names a
// question of a visitor, and for ten minutes after the question was paid, free or not, it costs nothing more.
func (s *Store) QuestionsLeft(ctx context.Context, q Asking) (left int, err error) {
	from, day := s.view(ctx), Day.Start(s.clock()).Unix()
	left = FreeQuestions
	for _, c := range s.counters(q) {
		var asked int
		const text = "SELECT asked FROM questions WHERE kind = $1 AND who = $2 AND day = $3"
		from.get(text, []any{c.kind, c.who, day}, &asked)
		left = max(0, min(left, c.most-asked))
	}
	return left, from.err
}

// TakeQuestion takes a free question, or none: then the error wraps ErrSpent. It returns when the count is on the disk.
func (s *Store) TakeQuestion(ctx context.Context, q Asking, receipt string) (left int, err error) {
	return updated(ctx, s, func(t *tx) int {
		left, paid := FreeQuestions, false
		for i, c := range s.counters(q) {
			asked := t.lockCount(c)
			if i == 0 {
				paid = t.receipted(s.receiptHash(receipt))
			}
			if !paid {
				if asked >= c.most {
					t.fail(questionsSpent(c.kind, c.most, Day.Reset(t.now).Sub(t.now)))
				}
				asked++
				t.addCount(c, 1)
			}
			left = max(0, min(left, c.most-asked))
		}
		if !paid {
			t.writeReceipt(s.receiptHash(receipt))
		}
		return left
	})
}

// ChargeOnce is Charge for a question that is not free.
func (s *Store) ChargeOnce(ctx context.Context, id string, cost int, receipt string) (Balance, error) {
	if receipt == "" {
		return Balance{}, fmt.Errorf("a charge without a receipt")
	}
	return s.charge(ctx, &charge{id: id, cost: cost, receipt: s.receiptHash(receipt)})
}

func (s *Store) receiptHash(receipt string) []byte { return s.pepperedHash("receipt", receipt) }

func (t *tx) receipted(hash []byte) bool {
	var until int64
	return t.get("SELECT until FROM nonces WHERE hash = $1", []any{hash}, &until) && until > t.now.UnixNano()
}

func (t *tx) writeReceipt(hash []byte) {
	t.later("INSERT INTO nonces (hash, until) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET until = excluded.until",
		hash, t.now.Add(receiptHolds).UnixNano())
}

// FreeNames is how many names a network address may look up without a key in a day of UTC.
const FreeNames = 1_000

// TakeNames takes n of the names that an address may look up today, or none: then the error wraps ErrSpent.
func (s *Store) TakeNames(ctx context.Context, address string, n int) (left int, err error) {
	c := s.dailyCounter("names", network.Near(address), FreeNames)
	return updated(ctx, s, func(t *tx) int {
		taken := t.lockCount(c)
		left := max(0, c.most-taken)
		if n > left {
			t.fail(refuse(spent(Day.Reset(t.now).Sub(t.now)), "names_spent", FreeNames, left, n))
		}
		t.addCount(c, n)
		return left - n
	})
}
