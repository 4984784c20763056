package site

import (
	"net/http"
	"strconv"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site/frame"
	watching "grantgraph/internal/serve/watch"
)

// routeWatching adds the pages of watched lists, the Atom feed, and the page that ends emails.
func (s *Site) routeWatching(mux *http.ServeMux) {
	mux.HandleFunc("GET /lists/{id}/feed", s.members(plainForm, func(v *visit) error { return s.drawFeed(v, "", "", nil) }))
	mux.HandleFunc("POST /lists/{id}/feed", s.members(plainForm, s.changeFeed))
	mux.HandleFunc("GET /lists/feed.atom", s.frame.Handle(s.sendAtom))
	mux.HandleFunc("GET /lists/stop", s.frame.Handle(s.stopEmail))
	mux.HandleFunc("POST /lists/stop", s.frame.Handle(s.stopEmail))
}

const shownAlerts = 50

// feedPage is the feed of a list, and how it is watched.
type feedPage struct {
	listPage
	Watch    *account.Watch // nil if the list is not watched
	Alerts   []alertView
	Before   int64  // number before which the next page begins; 0 on the last page
	Atom     string // secret address, shown once
	Verified bool
}

type alertView struct {
	account.Alert
	Title, Text string
	URL         string
}

func (s *Site) drawFeed(v *visit, notice, atom string, wrong error) error {
	own, err := s.ownList(v)
	if err != nil {
		return err
	}
	p := &feedPage{listPage: *own, Atom: atom, Verified: v.account.Verified}
	p.Notice = notice
	status := http.StatusOK
	if wrong != nil {
		p.Notice = ""
		status, p.Problem = s.explain(v, wrong)
	}
	if p.Watch, err = s.Accounts.WatchOf(v.r.Context(), v.account.ID, p.List.ID); err != nil {
		return s.fail(v, err)
	}
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("before"), 10, 64)
	alerts, _, err := s.Accounts.Alerts(v.r.Context(), v.account.ID, p.List.ID, 0, before, shownAlerts+1)
	if err != nil {
		return s.fail(v, err)
	}
	if len(alerts) > shownAlerts {
		alerts = alerts[:shownAlerts]
		p.Before = alerts[shownAlerts-1].Seq
	}
	for _, a := range alerts {
		to := alertView{Alert: a, Title: watching.Title(&a), Text: watching.Text(&a)}
		if a.EIN != ein.None {
			to.URL = "/org/" + a.EIN.String()
		}
		p.Alerts = append(p.Alerts, to)
	}
	return s.pages.Render(v.w, status, "list-feed", p)
}

// feedChanges are the buttons of the page, and what each says when it is done.
var feedChanges = map[string]struct {
	change account.WatchChange
	said   string
}{
	"watch":     {account.WatchChange{On: new(true)}, "You are now watching this list."},
	"unwatch":   {account.WatchChange{On: new(false)}, "You are no longer watching this list. We keep its alerts."},
	"email":     {account.WatchChange{Email: new(true)}, "We will email new alerts to your account's address, at most once a day."},
	"no-email":  {account.WatchChange{Email: new(false)}, "You will get no more emails about this list."},
	"no-hook":   {account.WatchChange{Webhook: new("")}, "The webhook is removed."},
	"atom":      {account.WatchChange{Feed: new(true)}, "Copy the address of the feed now: it is shown only once."},
	"no-atom":   {account.WatchChange{Feed: new(false)}, "The Atom feed has ended."},
	"hook":      {account.WatchChange{}, "New alerts are sent to the webhook."},
	"test-hook": {account.WatchChange{}, "The webhook took the test."},
}

// changeFeed does what a button of the page says.
func (s *Site) changeFeed(v *visit) error {
	ctx, do, list := v.r.Context(), v.field("do"), v.r.PathValue("id")
	what, known := feedChanges[do]
	if !known {
		return s.drawFeed(v, "", "", nil)
	}
	if do == "test-hook" {
		return s.drawFeed(v, what.said, "", s.Watcher.TestHook(ctx, v.account.ID, list))
	}
	if do == "hook" {
		what.change.Webhook = new(v.field("webhook"))
	}
	_, atom, err := s.Watcher.Set(ctx, v.account.ID, list, what.change)
	return s.drawFeed(v, what.said, atom, err)
}

func (s *Site) sendAtom(w http.ResponseWriter, r *http.Request) error {
	keepPrivate(w)
	owner, list, err := s.Accounts.FeedBySecret(r.Context(), r.URL.Query().Get("secret"))
	if err != nil {
		return err
	}
	if owner == "" {
		return frame.Missing
	}
	alerts, _, err := s.Accounts.Alerts(r.Context(), owner, list.ID, 0, 0, 2*shownAlerts)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	w.Header().Set("X-Robots-Tag", "noindex")
	return s.Watcher.Atom(w, list, alerts)
}

// stopEmail ends the emails of a list for the person with the link from one of these emails. A mail program
// sends the form without opening the page (RFC 8058), so the link is the only proof.
func (s *Site) stopEmail(w http.ResponseWriter, r *http.Request) error {
	keepPrivate(w)
	list := r.URL.Query().Get("list")
	if !s.Watcher.StopsEmail(list, r.URL.Query().Get("mark")) {
		return frame.Missing
	}
	p := struct {
		frame.Head
		Stopped bool
	}{s.frame.Head(r, "Stop emails"), r.Method == http.MethodPost}
	if p.Stopped {
		if err := s.Accounts.StopEmail(r.Context(), list); err != nil {
			return err
		}
	}
	return s.pages.Render(w, http.StatusOK, "list-stop", p)
}
