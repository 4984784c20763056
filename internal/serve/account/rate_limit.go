package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"grantgraph/internal/serve/network"
)

// limit is how many tries are allowed in a span of time, which the first try begins.
type limit struct {
	kind string
	most int
	span time.Duration
}

// MintsAnHour is the default number of agent keys that an address may mint in an hour.
const MintsAnHour = 600

// The limits of people: more guesses than an honest person needs, and hopeless against a password. They are counted by
// network, so that one stranger who guesses does not keep the owner out.
var (
	signInsOfNetwork = limit{"sign_in_network", 10, 15 * time.Minute} // to one account
	signInsOfEmail   = limit{"sign_in_email", 40, 15 * time.Minute}
	signInsOfAddress = limit{"sign_in_address", 60, 15 * time.Minute}
	signUpsOfAddress = limit{"sign_up_address", 30, time.Hour}
	emailsOfAddress  = limit{"emails_address", 30, time.Hour}
	noncesOfKey      = limit{"nonce", 10_000, time.Hour}
)

// Limits of the emails to one account for one purpose. The first emails that a network asks for in a day are counted apart from
// its further ones, so a stranger who asks again and again leaves the owner's network its own.
var (
	firstOfNetwork = limit{"token_network", 2, 24 * time.Hour}
	firstTokens    = limit{"token_first", 20, 24 * time.Hour}
	furtherTokens  = limit{"token", 3, 24 * time.Hour}
)

// countNetwork counts one try of a network. All networks around it have four times as many.
func (s *Store) countNetwork(t *tx, l limit, address string) (wait time.Duration, ok bool) {
	if wait, ok = s.countTry(t, l, network.Near(address)); !ok {
		return wait, ok
	}
	return s.countTry(t, limit{l.kind + "_wide", 4 * l.most, l.span}, network.Wide(address))
}

func (s *Store) countToken(t *tx, who, address string) (wait time.Duration, ok bool) {
	if address != "" {
		if wait, ok = s.countNetwork(t, emailsOfAddress, address); !ok {
			return wait, ok
		}
	}
	_, first := s.countTry(t, firstOfNetwork, who+" "+network.Wide(address))
	if first {
		return s.countTry(t, firstTokens, who)
	}
	return s.countTry(t, furtherTokens, who)
}

// pepperedHash hashes who with a secret of this store: the hash is useless elsewhere.
func (s *Store) pepperedHash(kind, who string) []byte {
	h := hmac.New(sha256.New, s.pepper)
	h.Write([]byte(kind))
	h.Write([]byte{0})
	h.Write([]byte(who))
	return h.Sum(nil)
}

// skew is how far clocks of servers may differ. A window further in the future is of a clock that was set back.
const skew = time.Minute

// countTry counts one try, and returns how long to wait when it is one too many. A window of the future begins anew, too.
func (s *Store) countTry(t *tx, l limit, who string) (wait time.Duration, ok bool) {
	var start, made int64
	now := t.now.UnixNano()
	const anew = "CASE WHEN tries.start <= $4 OR tries.start > $5 THEN "
	t.returning("INSERT INTO tries (kind, who, start, made) VALUES ($1, $2, $3, 1) ON CONFLICT (kind, who) DO UPDATE SET"+
		" made = "+anew+"1 WHEN tries.made > $6 THEN tries.made ELSE tries.made + 1 END,"+
		" start = "+anew+"excluded.start ELSE tries.start END RETURNING start, made",
		[]any{l.kind, s.pepperedHash(l.kind, who), now, now - int64(l.span), now + int64(skew), l.most}, &start, &made)
	if made <= int64(l.most) {
		return 0, true
	}
	return min(time.Duration(start+int64(l.span)-now), l.span), false
}

func (s *Store) takeBack(t *tx, l limit, who string, all bool) {
	text := "UPDATE tries SET made = made - 1 WHERE kind = $1 AND who = $2 AND made > 0"
	if all {
		text = "DELETE FROM tries WHERE kind = $1 AND who = $2"
	}
	t.exec(text, l.kind, s.pepperedHash(l.kind, who))
}

func (s *Store) TakeMint(ctx context.Context, address string) (wait time.Duration, ok bool, err error) {
	err = s.update(ctx, func(t *tx) { wait, ok = s.countTry(t, limit{"mint", s.mints, time.Hour}, network.Near(address)) })
	return wait, ok && err == nil, err
}

func (s *Store) Seen(ctx context.Context, keyid, nonce string, until time.Time) (fresh bool, err error) {
	return updated(ctx, s, func(t *tx) bool {
		if !until.After(t.now) {
			return false
		}
		n := t.exec("INSERT INTO nonces (hash, until) VALUES ($1, $2)"+
			" ON CONFLICT (hash) DO UPDATE SET until = excluded.until WHERE nonces.until <= $3",
			s.pepperedHash("nonce "+keyid, nonce), until.UnixNano(), t.now.UnixNano())
		if n == 0 {
			return false
		}
		if wait, ok := s.countTry(t, noncesOfKey, keyid); !ok {
			t.fail(tooManyAttempts("signed requests of this keypair", wait))
		}
		return true
	})
}

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
