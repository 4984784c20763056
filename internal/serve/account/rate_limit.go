package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
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
