package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"strings"
	"time"
)

// limit is how often something may be tried in a span of time that begins with
// the first try.
type limit struct {
	kind string
	most int
	span time.Duration
}

// MintsAnHour is how many agent keys an address may mint when nothing else is
// said.
const MintsAnHour = 600

// The limits of people. Ten guesses in a quarter of an hour are none at all
// against a password of eight characters, and more than an honest hand needs.
var (
	signInsOfEmail   = limit{"sign_in_email", 10, 15 * time.Minute}
	signInsOfAddress = limit{"sign_in_address", 60, 15 * time.Minute}
	signUpsOfAddress = limit{"sign_up_address", 30, time.Hour}
	tokensOfAccount  = limit{"token", 5, time.Hour}
	noncesOfKey      = limit{"nonce", 10_000, time.Hour}
)

// networkOf is what counts as one address: a whole IPv4 address, or the 64 bits
// of an IPv6 address that a household has to itself. A port is left out.
func networkOf(address string) string {
	if ap, err := netip.ParseAddrPort(address); err == nil {
		address = ap.Addr().String()
	}
	a, err := netip.ParseAddr(strings.Trim(address, "[]"))
	if err != nil {
		return address
	}
	if a = a.Unmap().WithZone(""); a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Masked().String()
		}
	}
	return a.String()
}

// pepperedHash is a hash of who, keyed with a secret of this store, so that it is
// worth nothing outside it.
func (s *store) pepperedHash(kind, who string) []byte {
	h := hmac.New(sha256.New, s.pepper)
	h.Write([]byte(kind))
	h.Write([]byte{0})
	h.Write([]byte(who))
	return h.Sum(nil)
}

// skew is how far the clocks of servers that share a store may be apart. A
// window that begins further in the future than that was begun by a clock that
// has been set back since.
const skew = time.Minute

// countTry counts one try, and says how long to wait when it is one too many. A
// window that has ended begins anew, and so does one of the future, which would
// else keep its people out until the clock has caught up with it.
func (s *store) countTry(t *tx, l limit, who string) (wait time.Duration, ok bool, err error) {
	t.wrote = true
	var start, made int64
	now := t.now.UnixNano()
	const anew = "CASE WHEN tries.start <= $4 OR tries.start > $5 THEN "
	_, err = t.get("INSERT INTO tries (kind, who, start, made) VALUES ($1, $2, $3, 1) ON CONFLICT (kind, who) DO UPDATE SET"+
		" made = "+anew+"1 WHEN tries.made > $6 THEN tries.made ELSE tries.made + 1 END,"+
		" start = "+anew+"excluded.start ELSE tries.start END RETURNING start, made",
		[]any{l.kind, s.pepperedHash(l.kind, who), now, now - int64(l.span), now + int64(skew), l.most}, &start, &made)
	if err != nil || made <= int64(l.most) {
		return 0, err == nil, err
	}
	return min(time.Duration(start+int64(l.span)-now), l.span), false, nil
}

// takeBack takes tries back: all of them, or one.
func (s *store) takeBack(t *tx, l limit, who string, all bool) error {
	text := "UPDATE tries SET made = made - 1 WHERE kind = $1 AND who = $2 AND made > 0"
	if all {
		text = "DELETE FROM tries WHERE kind = $1 AND who = $2"
	}
	_, err := t.exec(text, l.kind, s.pepperedHash(l.kind, who))
	return err
}

func (s *store) TakeMint(ctx context.Context, address string) (wait time.Duration, ok bool, err error) {
	err = s.update(ctx, func(t *tx) (err error) {
		wait, ok, err = s.countTry(t, limit{"mint", s.mints, time.Hour}, networkOf(address))
		return err
	})
	return wait, ok && err == nil, err
}
