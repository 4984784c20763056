package watch

import (
	"context"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"text/template"

	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/site/mail"
)

// FeedPath is where Atom feeds are read; the secret of a list follows. It is in the query, which is never logged.
const FeedPath = "/lists/feed.atom?secret="

// mostTold is how many alerts a digest spells out.
const mostTold = 50

//go:embed digest.tmpl
var digestFile string

var digests = template.Must(template.New("").Parse(digestFile))

// digest sends the alerts of a list by email, at most once a day.
func (w *Watcher) digest(ctx context.Context, d *account.Delivery) error {
	if len(d.Alerts) == 0 {
		return w.Store.Delivered(ctx, d, w.Clock())
	}
	type told struct{ Name, EIN, Title, Text, URL string }
	page := struct {
		Number, Name, Feed, Stop, Base string
		Alerts                         []told
		More                           bool
	}{Number: plural.Count(len(d.Alerts), "change", "changes"), Name: d.ListName, Feed: w.BaseURL + "/lists/" + d.List + "/feed", Stop: w.StopLink(d.List),
		Base: w.BaseURL, More: d.More || len(d.Alerts) > mostTold}
	for i := range d.Alerts[:min(len(d.Alerts), mostTold)] {
		a := &d.Alerts[i]
		to := told{Name: a.Name, Title: Title(a), Text: fault.Clip(Text(a), 500)}
		if shown := w.Shown(a); shown.URL != nil {
			to.EIN, to.URL = a.EIN.Hyphenated(), *shown.URL
		}
		page.Alerts = append(page.Alerts, to)
	}
	var b strings.Builder
	if err := digests.Execute(&b, page); err != nil {
		return err
	}
	subject, text, _ := strings.Cut(b.String(), "\n")
	if err := w.Mail.Send(ctx, mail.Email{To: d.Email, Subject: subject, Text: text, Stop: page.Stop}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // the turn ends by itself
		}
		w.Log.Error("sending a digest", "list", d.List, "error", err)
		return w.failed(ctx, d, "the mail server did not take the email", false)
	}
	return w.Store.Delivered(ctx, d, w.Clock().Add(daily))
}

// The elements of an Atom feed (RFC 4287).
type (
	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		ID      string    `xml:"id"`
		Title   string    `xml:"title"`
		Updated string    `xml:"updated"`
		Link    *atomLink `xml:"link"`
		Summary string    `xml:"summary"`
	}
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  string      `xml:"author>name"`
		Link    atomLink    `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}
)

// Atom writes the feed of a list, whose alerts are latest first.
func (w *Watcher) Atom(out io.Writer, list account.List, alerts []account.Alert) error {
	page := w.BaseURL + "/lists/" + list.ID + "/feed"
	feed := atomFeed{ID: page, Title: list.Name, Updated: api.Instant(list.Created), Author: "Grantgraph", Link: atomLink{"alternate", page}}
	for i := range alerts {
		a := w.Shown(&alerts[i])
		e := atomEntry{ID: fmt.Sprintf("%s#%d", page, a.ID), Title: strings.TrimPrefix(a.Name+": "+a.Title, ": "), Updated: a.At, Summary: a.Text}
		if a.URL != nil {
			e.Link = &atomLink{"alternate", *a.URL}
		}
		feed.Entries = append(feed.Entries, e)
	}
	if len(alerts) > 0 {
		feed.Updated = feed.Entries[0].Updated
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(out).Encode(feed)
}
