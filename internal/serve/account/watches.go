package account

import (
	"context"
	"math"
	"time"

	"grantgraph/internal/ein"
)

// WatchMark is what the members of a list were last compared with.
type WatchMark struct {
	Edition string // of the compliance lists
	Build   string // of the dataset
}

// WatchedMember is a member of a watched list that has an EIN.
type WatchedMember struct {
	EIN           ein.EIN
	Listed        string // its name in the list
	Name, Address string // as last seen; empty before the first time
}

// Alert says what changed for a member of a list, or for the whole list if it has no EIN.
// From and To are the editions, or the builds, between which it changed.
type Alert struct {
	Seq       int64 // its number, in order
	At        time.Time
	Kind      string
	Source    string
	EIN       ein.EIN
	Name      string
	Reference string
	Was, Is   string
	Count     int64
	From, To  string
}

// How long alerts are kept, and how many of one list.
const (
	AlertsKept = 400 * 24 * time.Hour
	MostAlerts = 5000
)

// The channels of a watched list beside its feed.
const (
	ByEmail   = "email"
	ByWebhook = "webhook"
)

// Channel is a way by which the alerts of a list are sent.
type Channel struct {
	Target   string    // address of the webhook; empty for email
	Failures int       // since the last success
	Error    string    // of the last try; empty after a success
	Next     time.Time // no try before this time
	Stopped  bool      // after too many failures, until the owner sets the channel again
}

// Watch is how a list is watched.
type Watch struct {
	Mark    WatchMark
	Feed    bool // it has an Atom feed
	Email   *Channel
	Webhook *Channel
}

// never is the time of the next try of a channel that has stopped.
const never = math.MaxInt64

const channelColumns = "SELECT channel, target, failures, error, next FROM watch_channels WHERE list = $1"

// watchOf reads how a list is watched; it is nil for a list that is not watched.
func watchOf(from reader, list int64) *Watch {
	var found Watch
	watched := from.get("SELECT edition, build, feed <> $2 FROM watches WHERE list = $1", []any{list, []byte{}},
		&found.Mark.Edition, &found.Mark.Build, &found.Feed)
	if !watched {
		return nil
	}
	from.each(channelColumns, []any{list}, func(scan scanner) error {
		var c Channel
		var channel string
		var next int64
		err := scan(&channel, &c.Target, &c.Failures, &c.Error, &next)
		if c.Stopped = next == never; !c.Stopped {
			c.Next = timeOf(next)
		}
		if channel == ByEmail {
			found.Email = &c
		} else {
			found.Webhook = &c
		}
		return err
	})
	return &found
}

// WatchOf is how a list is watched, nil if it is not.
func (s *Store) WatchOf(ctx context.Context, account, list string) (*Watch, error) {
	v := s.view(ctx)
	return resultOf(v, watchOf(v, listOf(v, account, list).seq))
}

// WatchChange is a change of how a list is watched; nil leaves a setting as it is.
type WatchChange struct {
	On      *bool
	Email   *bool
	Webhook *string // address, already checked; empty for none
	Feed    *bool   // true draws a new secret, which ends the address before; false ends the feed
}

// ChangeWatch changes how a list is watched. Email, a webhook and an Atom feed need a list
// that is watched, so they turn watching on. A new channel sends alerts from now on.
// feed is the secret of the Atom feed if it was drawn; the store keeps only its hash.
func (s *Store) ChangeWatch(ctx context.Context, account, list string, c WatchChange) (w *Watch, feed string, err error) {
	drawn := newSecret()
	w, err = updated(ctx, s, func(t *tx) *Watch {
		l := t.lockList(account, list)
		wants := func(b *bool) bool { return b != nil && *b }
		if wants(c.On) || wants(c.Email) || wants(c.Feed) || c.Webhook != nil && *c.Webhook != "" {
			t.exec("INSERT INTO watches (list) VALUES ($1) ON CONFLICT (list) DO NOTHING", l.seq)
		}
		if c.On != nil && !*c.On {
			t.exec("DELETE FROM watches WHERE list = $1", l.seq)
			return nil
		}
		if c.Feed != nil {
			hash := []byte{}
			if *c.Feed {
				hash, feed = hashSecret(drawn), drawn
			}
			t.exec("UPDATE watches SET feed = $2 WHERE list = $1", l.seq, hash)
		}
		if c.Email != nil {
			t.setChannel(l.seq, ByEmail, "", *c.Email)
		}
		if c.Webhook != nil {
			t.setChannel(l.seq, ByWebhook, *c.Webhook, *c.Webhook != "")
		}
		return watchOf(t, l.seq)
	})
	return w, feed, err
}

// setChannel turns a channel on or off. A channel that was on goes on where it was, with its failures forgotten.
func (t *tx) setChannel(list int64, channel, target string, on bool) {
	if !on {
		t.exec("DELETE FROM watch_channels WHERE list = $1 AND channel = $2", list, channel)
		return
	}
	t.exec("INSERT INTO watch_channels (list, channel, target, sent, next) SELECT $1, $2, $3, COALESCE(MAX(seq), 0), 0 FROM alerts WHERE list = $1"+
		" ON CONFLICT (list, channel) DO UPDATE SET target = excluded.target, next = 0, failures = 0, error = ''", list, channel, target)
}

// StopEmail ends the email of a list, for whoever has the link in one of its emails.
func (s *Store) StopEmail(ctx context.Context, list string) error {
	return s.update(ctx, func(t *tx) {
		t.exec("DELETE FROM watch_channels WHERE channel = $1 AND list = (SELECT seq FROM lists WHERE id = $2)", ByEmail, list)
	})
}

const alertColumns = "SELECT seq, at, kind, source, ein, name, reference, was, is_now, count, from_version, to_version FROM alerts WHERE list = $1 "

func scanAlert(scan scanner) (a Alert, err error) {
	var at int64
	var number string
	err = scan(&a.Seq, &at, &a.Kind, &a.Source, &number, &a.Name, &a.Reference, &a.Was, &a.Is, &a.Count, &a.From, &a.To)
	a.At, a.EIN = timeOf(at), ein.Stored(number)
	return a, err
}

// Alerts returns the alerts of a list after a number and before another (0 for the latest), latest first, and at most so many;
// and how many there are after the first. A list that is no longer watched keeps the alerts it has.
func (s *Store) Alerts(ctx context.Context, account, list string, after, before int64, most int) (page []Alert, all int, err error) {
	v := s.view(ctx)
	l := listOf(v, account, list)
	if before <= 0 {
		before = never
	}
	v.get("SELECT COUNT(*) FROM alerts WHERE list = $1 AND seq > $2", []any{l.seq, after}, &all)
	page = collect(v, alertColumns+"AND seq < $2 AND seq > $3 ORDER BY seq DESC LIMIT $4", []any{l.seq, before, after, most}, scanAlert)
	return page, all, v.err
}

// hookTests is how often an account may test its webhooks, which call hosts of its choice.
var hookTests = limit{"webhook_test", 20, time.Hour}

// CountHookTest counts a test of a webhook.
func (s *Store) CountHookTest(ctx context.Context, account string) error {
	return s.counted(ctx, "tests of webhooks", func(t *tx) (time.Duration, bool) { return s.countTry(t, hookTests, account) })
}

// FeedBySecret returns the account and the list of an Atom feed, empty for an unknown secret.
func (s *Store) FeedBySecret(ctx context.Context, secret string) (account string, list List, err error) {
	var id string
	v := s.view(ctx)
	v.get("SELECT a.id, l.id FROM watches w JOIN lists l ON l.seq = w.list JOIN accounts a ON a.seq = l.account"+
		" WHERE w.feed = $1 AND a.active = 1", []any{hashSecret(secret)}, &account, &id)
	if account != "" {
		list = listOf(v, account, id).List
	}
	return account, list, v.err
}

// StaleWatch is a watched list whose members are to be compared.
type StaleWatch struct {
	Mark    WatchMark
	Members []WatchedMember

	list, changed int64
}

// StaleWatches returns the numbers of the watched lists that were last compared with
// something older than now, or whose members have changed since.
func (s *Store) StaleWatches(ctx context.Context, now WatchMark) ([]int64, error) {
	v := s.view(ctx)
	return resultOf(v, collect(v, "SELECT w.list FROM watches w JOIN lists l ON l.seq = w.list JOIN accounts a ON a.seq = l.account"+
		" WHERE a.active = 1 AND (w.edition < $1 OR w.build < $2 OR w.seen < l.changed) ORDER BY w.list",
		[]any{now.Edition, now.Build}, scanNumber))
}

func scanNumber(scan scanner) (n int64, err error) {
	err = scan(&n)
	return n, err
}

// ReadWatch reads a watched list by its number. It is nil if the list is no longer watched.
func (s *Store) ReadWatch(ctx context.Context, list int64) (*StaleWatch, error) {
	w := StaleWatch{list: list}
	v := s.view(ctx)
	found := v.get("SELECT w.edition, w.build, l.changed FROM watches w JOIN lists l ON l.seq = w.list WHERE w.list = $1",
		[]any{list}, &w.Mark.Edition, &w.Mark.Build, &w.changed)
	if !found {
		return nil, v.err
	}
	w.Members = collect(v, "SELECT m.ein, m.name, COALESCE(x.name, ''), COALESCE(x.address, '') FROM list_members m"+
		" LEFT JOIN watch_members x ON x.list = m.list AND x.ein = m.ein WHERE m.list = $1 AND m.ein <> '' ORDER BY m.ein",
		[]any{list}, func(scan scanner) (m WatchedMember, err error) {
			var number string
			err = scan(&number, &m.Listed, &m.Name, &m.Address)
			m.EIN = ein.Stored(number)
			return m, err
		})
	return resultOf(v, &w)
}

// Record writes the alerts of a list, and in the same transaction what its members were compared with. If the list has been
// compared by another server meanwhile, or with something newer, it writes nothing, and written is 0: so each alert is written exactly once, however
// many servers compare the same list and whenever they are killed.
func (s *Store) Record(ctx context.Context, w *StaleWatch, alerts []Alert, seen []WatchedMember, to WatchMark) (written int, err error) {
	return updated(ctx, s, func(t *tx) int {
		var now WatchMark
		watched := t.get("SELECT edition, build FROM watches WHERE list = $1"+t.lock, []any{w.list}, &now.Edition, &now.Build)
		// A server that is behind another would tell every change backward.
		if !watched || now != w.Mark || to.Edition < now.Edition || to.Build < now.Build {
			return 0
		}
		for _, a := range alerts {
			t.later("INSERT INTO alerts (list, at, kind, source, ein, name, reference, was, is_now, count, from_version, to_version)"+
				" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING",
				w.list, t.now.UnixNano(), a.Kind, a.Source, storedEIN(a.EIN), a.Name, a.Reference, a.Was, a.Is, a.Count, a.From, a.To)
		}
		for _, m := range seen {
			t.later("INSERT INTO watch_members (list, ein, name, address) VALUES ($1, $2, $3, $4)"+
				" ON CONFLICT (list, ein) DO UPDATE SET name = excluded.name, address = excluded.address", w.list, m.EIN.String(), m.Name, m.Address)
		}
		t.later("DELETE FROM watch_members WHERE list = $1 AND ein NOT IN (SELECT ein FROM list_members WHERE list = $1)", w.list)
		t.later("DELETE FROM alerts WHERE list = $1 AND seq <= (SELECT seq FROM alerts WHERE list = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2)",
			w.list, MostAlerts)
		t.exec("UPDATE watches SET edition = $2, build = $3, seen = $4 WHERE list = $1", w.list, to.Edition, to.Build, w.changed)
		return len(alerts)
	})
}
