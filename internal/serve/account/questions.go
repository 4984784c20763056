package account

import (
	"context"
	"fmt"
	"time"
)

// How many questions on the page of questions are free in a day of UTC: of one
// visitor, and of all visitors at one network address, who may have thrown their
// cookie away.
const (
	FreeQuestions    = 3
	AddressQuestions = 30
)

// receiptHolds is for how long a question that was paid may be asked again
// without being paid again: its answer may have been lost on the way.
const receiptHolds = 10 * time.Minute

// Asking is who asks a question.
type Asking struct {
	Visitor string // what the cookie of the visitor says
	Address string // network address; empty is not counted
}

// counters are what a free question is taken from, always in this order, so that
// no two servers wait for each other.
func (s *store) counters(q Asking) (list []questionCounter) {
	add := func(kind, who string, most int) {
		list = append(list, questionCounter{kind: kind, who: s.pepperedHash("question "+kind, who), most: most})
	}
	add("visitor", q.Visitor, FreeQuestions)
	if q.Address != "" {
		add("address", networkOf(q.Address), AddressQuestions)
	}
	return list
}

// questionCounter counts the free questions of somebody in a day.
type questionCounter struct {
	kind string
	who  []byte
	most int
}

func (s *store) QuestionsLeft(ctx context.Context, q Asking) (left int, err error) {
	from, day := s.view(ctx), Day.Start(s.clock()).Unix()
	left = FreeQuestions
	for _, c := range s.counters(q) {
		var asked int
		if _, err := from.get("SELECT asked FROM questions WHERE kind = $1 AND who = $2 AND day = $3", []any{c.kind, c.who, day}, &asked); err != nil {
			return 0, err
		}
		left = max(0, min(left, c.most-asked))
	}
	return left, nil
}

func (s *store) TakeQuestion(ctx context.Context, q Asking, receipt string) (left int, err error) {
	err = s.update(ctx, func(t *tx) error {
		left = FreeQuestions
		day := Day.Start(t.now).Unix()
		paid := false
		for i, c := range s.counters(q) {
			// Adding nothing locks the row, and makes one where there is none.
			var asked int
			t.wrote = true
			_, err := t.get("INSERT INTO questions (kind, who, day, asked) VALUES ($1, $2, $3, 0)"+
				" ON CONFLICT (kind, who, day) DO UPDATE SET asked = questions.asked RETURNING asked", []any{c.kind, c.who, day}, &asked)
			if err != nil {
				return err
			}
			if i == 0 {
				if paid, err = t.receipted(s.receiptHash(receipt)); err != nil {
					return err
				}
			}
			if !paid {
				if asked >= c.most {
					return questionsSpent(c.kind, c.most, Day.Reset(t.now).Sub(t.now))
				}
				asked++
				if err := t.later("UPDATE questions SET asked = asked + 1 WHERE kind = $1 AND who = $2 AND day = $3", c.kind, c.who, day); err != nil {
					return err
				}
			}
			left = max(0, min(left, c.most-asked))
		}
		if paid {
			return nil
		}
		return t.writeReceipt(s.receiptHash(receipt))
	})
	if err != nil {
		return 0, err
	}
	return left, nil
}

func (s *store) ChargeOnce(ctx context.Context, id string, cost int, receipt string) (Balance, error) {
	if receipt == "" {
		return Balance{}, fmt.Errorf("a charge without a receipt")
	}
	return s.charge(ctx, &charge{id: id, cost: cost, receipt: s.receiptHash(receipt)})
}

// receiptHash is what is kept of a receipt.
func (s *store) receiptHash(receipt string) []byte { return s.pepperedHash("receipt", receipt) }

// receipted says whether there is a receipt that holds.
func (t *tx) receipted(hash []byte) (bool, error) {
	var until int64
	found, err := t.get("SELECT until FROM nonces WHERE hash = $1", []any{hash}, &until)
	return found && until > t.now.UnixNano(), err
}

// writeReceipt notes that something was paid.
func (t *tx) writeReceipt(hash []byte) error {
	return t.later("INSERT INTO nonces (hash, until) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET until = excluded.until", hash, t.now.Add(receiptHolds).UnixNano())
}
