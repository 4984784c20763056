package site

import (
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/serve/account"
)

// alert writes alerts of a list as a server does that has compared it.
func (p *place) alert(t *testing.T, edition string, alerts ...account.Alert) {
	t.Helper()
	to := account.WatchMark{Edition: edition}
	stale, err := p.store.StaleWatches(t.Context(), to)
	if err != nil || len(stale) != 1 {
		t.Fatal(stale, err)
	}
	w, err := p.store.ReadWatch(t.Context(), stale[0])
	if err == nil {
		_, err = p.store.Record(t.Context(), w, alerts, nil, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestWatchedList watches a list, reads its alerts, and sets up all ways to be told of them.
func TestWatchedList(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	ann, bob := p.payer(t, "ann@example.org", account.Free), p.payer(t, "bob@example.org", account.Free)
	at := ann.makes("Grantees & friends", "EIN,Name\n00-0000001,Maple & Co\n")
	id, feed := at[len("/lists/"):], at+"/feed"
	want(t, p.visitor(t).get(feed), 303, "/signin?next="+url.QueryEscape(feed))
	want(t, bob.get(feed), 404, "")
	want(t, bob.post(feed, url.Values{"csrf": {bob.csrf("/lists")}, "do": {"watch"}}), 404, "")
	want(t, ann.get(at), 200, "Alerts and watching")
	want(t, ann.get(feed), 200, "You are not watching this list")
	want(t, ann.post(feed, url.Values{"csrf": {"none"}, "do": {"watch"}}), 403, "out of date")
	want(t, ann.fill(feed, feed, map[string]string{"do": "watch"}), 200, "You are now watching this list")
	want(t, ann.fill(feed, feed, map[string]string{"do": "nonsense"}), 200, "There are no alerts")
	p.alert(t, "20260201T000000Z")
	p.alert(t, "20260202T000000Z", account.Alert{Kind: "sanctions_match", Source: "matches", EIN: 1, Name: "MAPLE & CO", Was: "MAPLE & CO", Is: "MAPLE <CO>", Reference: "7", To: "x"},
		account.Alert{Kind: "not_compared", Source: "pub78", Is: "pub78", To: "x"})
	for _, has := range []string{"Potential match with the sanctions list", `Its name "MAPLE & CO" is similar to the sanctioned name "MAPLE <CO>".`, "00-0000001", "20260202T000000Z",
		"Changes unknown"} {
		want(t, ann.get(feed), 200, has)
	}
	want(t, ann.get(feed+"?before=1"), 200, "There are no alerts")

	// A webhook. The site of this test has no key to sign with.
	want(t, ann.fill(feed, feed, map[string]string{"do": "hook", "webhook": "https://10.0.0.1/"}), 422, "not a public domain name")
	want(t, ann.fill(feed, feed, map[string]string{"do": "test-hook"}), 422, "The list has no webhook")
	want(t, ann.fill(feed, feed, map[string]string{"do": "hook", "webhook": "https://hooks.example.org/x"}), 200, "New alerts are sent to the webhook")
	want(t, ann.get(feed), 200, `value="https://hooks.example.org/x"`)
	want(t, ann.fill(feed, feed, map[string]string{"do": "test-hook"}), 422, "The webhook did not take the test: the request cannot be signed")
	want(t, ann.fill(feed, feed, map[string]string{"do": "no-hook"}), 200, "The webhook is removed")

	// An Atom feed at a secret address.
	got := ann.fill(feed, feed, map[string]string{"do": "atom"})
	secret := regexp.MustCompile(`https://grants\.example(/lists/feed\.atom\?secret=[\w-]+)`).FindStringSubmatch(got.body)
	if secret == nil {
		t.Fatal(main(got.body))
	}
	if strings.Contains(ann.get(feed).body, secret[1]) {
		t.Error("the secret is shown again")
	}
	atom := p.visitor(t).get(secret[1])
	var read struct {
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(atom.body), &read); err != nil || atom.status != 200 || len(read.Entries) != 2 || read.Entries[1].Title != "MAPLE & CO: Potential match with the sanctions list" ||
		atom.header.Get("Content-Type") != "application/atom+xml; charset=utf-8" || atom.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v %s %v", atom.status, atom.header, atom.body, err)
	}
	want(t, ann.fill(feed, feed, map[string]string{"do": "atom"}), 200, "shown only once")
	want(t, p.visitor(t).get(secret[1]), 404, "")
	want(t, p.visitor(t).get("/lists/feed.atom"), 404, "")

	// Emails, which end by one click, and by the button of a mail program.
	link := strings.TrimPrefix(p.Watcher.StopLink(id), "https://grants.example")
	for range 2 {
		want(t, ann.fill(feed, feed, map[string]string{"do": "email"}), 200, "Stop the emails")
		want(t, p.visitor(t).get(link), 200, "Stop emails about this list?")
		want(t, ann.get(feed), 200, "Stop the emails") // looking at the page ends nothing
		want(t, p.visitor(t).get(link+"0"), 404, "")
		r := httptest.NewRequest("POST", "https://grants.example"+link, strings.NewReader("List-Unsubscribe=One-Click"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "You will get no more emails") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		want(t, ann.get(feed), 200, "Send me emails")
	}
	want(t, ann.fill(feed, feed, map[string]string{"do": "unwatch"}), 200, "You are no longer watching this list")
	want(t, ann.get(feed), 200, "Potential match")
}
