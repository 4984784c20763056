package account

import (
	"context"
	"time"
)

// Delivery is the turn of a server to send the next alerts of a list; More says that there are others after them.
type Delivery struct {
	List, ListName string
	Email          string // of the owner
	Channel        string
	Target         string
	Failures       int
	Alerts         []Alert
	More           bool

	list, sent, until int64
}

// Due names a channel that has something to send.
type Due struct {
	Channel string
	list    int64
}

// DueDeliveries returns channels that may send alerts now. Emails go only to an address that its owner has confirmed.
func (s *Store) DueDeliveries(ctx context.Context, most int) ([]Due, error) {
	v := s.view(ctx)
	return resultOf(v, collect(v, "SELECT c.channel, c.list FROM watch_channels c JOIN lists l ON l.seq = c.list JOIN accounts a ON a.seq = l.account"+
		" WHERE c.next <= $1 AND a.active = 1 AND (a.verified = 1 OR c.channel <> $2)"+
		" AND EXISTS (SELECT 1 FROM alerts x WHERE x.list = c.list AND x.seq > c.sent) ORDER BY c.next, c.list LIMIT $3",
		[]any{s.clock().UnixNano(), ByEmail, most}, func(scan scanner) (d Due, err error) {
			err = scan(&d.Channel, &d.list)
			return d, err
		}))
}

// TakeDelivery makes it this server's turn for a while; it is nil if another server has taken it. If the server is killed, its
// turn ends by itself, and the same alerts are sent again.
func (s *Store) TakeDelivery(ctx context.Context, due Due, turn time.Duration, most int) (*Delivery, error) {
	return updated(ctx, s, func(t *tx) *Delivery {
		d := Delivery{Channel: due.Channel, list: due.list, until: t.now.Add(turn).UnixNano()}
		found := t.returning("UPDATE watch_channels SET next = $3 WHERE list = $1 AND channel = $2 AND next <= $4 RETURNING target, sent, failures",
			[]any{due.list, due.Channel, d.until, t.now.UnixNano()}, &d.Target, &d.sent, &d.Failures)
		if !found {
			return nil
		}
		t.get("SELECT l.id, l.name, a.email FROM lists l JOIN accounts a ON a.seq = l.account WHERE l.seq = $1",
			[]any{due.list}, &d.List, &d.ListName, &d.Email)
		d.Alerts = collect(t, alertColumns+"AND seq > $2 ORDER BY seq LIMIT $3", []any{due.list, d.sent, most + 1}, scanAlert)
		if d.More = len(d.Alerts) > most; d.More {
			d.Alerts = d.Alerts[:most]
		}
		return &d
	})
}

// Delivered records that the alerts were sent, and when the channel may send again.
func (s *Store) Delivered(ctx context.Context, d *Delivery, next time.Time) error {
	sent := d.sent
	if n := len(d.Alerts); n > 0 {
		sent = d.Alerts[n-1].Seq
	}
	return s.finish(ctx, d, sent, next.UnixNano(), 0, "")
}

// Undelivered records a failure, in words for the owner of the list. A zero next stops the channel.
func (s *Store) Undelivered(ctx context.Context, d *Delivery, why string, next time.Time) error {
	at := int64(never)
	if !next.IsZero() {
		at = next.UnixNano()
	}
	return s.finish(ctx, d, d.sent, at, d.Failures+1, why)
}

// finish ends a turn, unless the owner has set the channel again or the turn has passed to another server.
func (s *Store) finish(ctx context.Context, d *Delivery, sent, next int64, failures int, why string) error {
	return s.update(ctx, func(t *tx) {
		t.exec("UPDATE watch_channels SET sent = $3, next = $4, failures = $5, error = $6 WHERE list = $1 AND channel = $2 AND next = $7 AND sent = $8",
			d.list, d.Channel, sent, next, failures, why, d.until, d.sent)
	})
}

// Failing counts the channels of all lists whose last try failed, by channel.
func (s *Store) Failing(ctx context.Context) (map[string]int, error) {
	n, v := map[string]int{}, s.view(ctx)
	v.each("SELECT channel, COUNT(*) FROM watch_channels WHERE failures > 0 GROUP BY channel", nil, func(scan scanner) error {
		var channel string
		var count int
		err := scan(&channel, &count)
		n[channel] = count
		return err
	})
	return resultOf(v, n)
}
