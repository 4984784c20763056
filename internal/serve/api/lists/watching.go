package lists

import (
	"context"

	"grantgraph/client"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

// Watcher changes how lists are watched; *watch.Watcher is one.
type Watcher interface {
	Set(ctx context.Context, owner, list string, c account.WatchChange) (now *account.Watch, atom string, err error)
	TestHook(ctx context.Context, owner, list string) error
	Shown(a *account.Alert) client.Alert
}

// watchAnswer is how a list is watched; atom is the address of its feed if it was drawn.
func watchAnswer(c *call, w *account.Watch, atom string) *client.WatchAnswer {
	a := &client.WatchAnswer{Head: api.Success, Tail: c.Tail()}
	if w == nil {
		return a
	}
	channel := func(x *account.Channel) *client.WatchChannel {
		if x == nil {
			return nil
		}
		return &client.WatchChannel{Target: api.OrNull(x.Target), Failures: x.Failures, Error: api.OrNull(x.Error), Stopped: x.Stopped}
	}
	a.Watch = client.ListWatch{Watched: true, Edition: api.OrNull(w.Mark.Edition), Build: api.OrNull(w.Mark.Build), Atom: w.Feed,
		AtomURL: api.OrNull(atom), Email: channel(w.Email), Webhook: channel(w.Webhook)}
	return a
}

// planWatch answers how a list is watched, after its webhook was tested if that is asked for.
func (o *operations) planWatch(test bool) func(*call) (api.Run, error) {
	return func(c *call) (api.Run, error) {
		return func(ctx context.Context) (client.Answer, error) {
			if test {
				if err := o.Watcher.TestHook(ctx, c.owner, c.list); err != nil {
					return nil, err
				}
			}
			w, err := o.Store.WatchOf(ctx, c.owner, c.list)
			return watchAnswer(c, w, ""), err
		}, nil
	}
}

func (o *operations) planSetWatch(c *call) (api.Run, error) {
	var change account.WatchChange
	f := c.ReadForm()
	f.Optional("watched", &change.On, "bool_type", notBoolean)
	f.Optional("email", &change.Email, "bool_type", notBoolean)
	f.Optional("atom", &change.Feed, "bool_type", notBoolean)
	f.Optional("webhook", &change.Webhook, "string_type", "the value is not a text")
	f.Finish()
	return func(ctx context.Context) (client.Answer, error) {
		w, atom, err := o.Watcher.Set(ctx, c.owner, c.list, change)
		return watchAnswer(c, w, atom), err
	}, nil
}

// planAlerts answers the alerts of a list, latest first.
func (o *operations) planAlerts(c *call) (api.Run, error) {
	after, _ := c.Params.Integer("after")
	limit := int(c.ReadLimit(mostMembers, "alerts are served in a page"))
	before, _, err := c.ReadCursor([]byte(c.list))
	c.Weight = int64(limit) * rowWeight
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.ListByID(ctx, c.owner, c.list)
		if err != nil {
			return nil, err
		}
		alerts, all, err := o.Store.Alerts(ctx, c.owner, c.list, after, before, limit+1)
		if err != nil {
			return nil, err
		}
		next := int64(0)
		if len(alerts) > limit {
			alerts = alerts[:limit]
			next = alerts[limit-1].Seq
		}
		rows := make([]client.Alert, len(alerts))
		for i := range alerts {
			rows[i] = o.Watcher.Shown(&alerts[i])
		}
		return page(c, l, rows, all, c.list, next), nil
	}, err
}
