package watch

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"grantgraph/client"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/mail"
)

type Config struct {
	Store    *account.Store
	Acquire  func() (*dataset.Dataset, func())
	Mail     mail.Mailer
	BaseURL  string
	Key      ed25519.PrivateKey // signs webhooks; the service publishes its public half at httpsig.Path
	Secret   []byte             // of the service, for the links that end emails
	Outbound httpsig.Options    // how webhooks are reached; zero for production
	Budget   *budget.Budget
	Clock    func() time.Time
	Log      *slog.Logger
}

// Watcher compares watched lists and sends their alerts. Any number of servers may run
// one over the same store. It is safe for concurrent use.
type Watcher struct {
	Config
	client  *http.Client
	stopKey []byte
}

func New(c Config) (*Watcher, error) {
	c.Outbound.Timeout = hookTimeout
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Clock == nil {
		c.Clock = time.Now
	}
	w := &Watcher{Config: c, client: httpsig.NewClient(c.Outbound)}
	var err error
	w.stopKey, err = hkdf.Key(sha256.New, c.Secret, nil, "emails of watched lists", 32)
	return w, err
}

// every is how often the store is asked what is to do.
const every = 15 * time.Second

func (w *Watcher) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := w.Step(ctx); err != nil && ctx.Err() == nil {
			w.Log.Error("watching lists", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Step does what is to do now: it compares the lists that are behind, then sends alerts.
func (w *Watcher) Step(ctx context.Context) error {
	if err := w.compare(ctx); err != nil {
		return err
	}
	return w.deliver(ctx)
}

func (w *Watcher) compare(ctx context.Context) error {
	d, release := w.Acquire()
	defer release()
	s := StateOf(d)
	stale, err := w.Store.StaleWatches(ctx, s.Mark())
	if err != nil {
		return err
	}
	for _, list := range stale {
		if err := w.compareList(ctx, list, &s); err != nil {
			return err
		}
	}
	return nil
}

// memberWeight is the memory of a member while its list is compared, in bytes.
const memberWeight = 1 << 10

func (w *Watcher) compareList(ctx context.Context, list int64, s *State) error {
	hold, err := w.Budget.Take(ctx, account.MostMembers*memberWeight)
	if err != nil {
		return err
	}
	defer hold.Release()
	stale, err := w.Store.ReadWatch(ctx, list)
	if err != nil || stale == nil {
		return err
	}
	changes, err := w.Budget.Take(ctx, s.Log.Weight(stale.Mark.Edition))
	if err != nil {
		return err
	}
	defer changes.Release()
	alerts, seen, to := Compare(stale.Mark, stale.Members, s)
	_, err = w.Store.Record(ctx, stale, alerts, seen, to)
	return err
}

// Bounds of sending.
const (
	mostDue     = 200 // channels in a step
	atOnce      = 8   // channels at the same time
	turn        = 2 * time.Minute
	hookTimeout = 10 * time.Second
	mostHooked  = 100 // alerts in one delivery
	mostDigest  = 1000
)

func (w *Watcher) deliver(ctx context.Context) error {
	due, err := w.Store.DueDeliveries(ctx, mostDue)
	if err != nil {
		return err
	}
	return parallel.Each(ctx, atOnce, len(due), func(ctx context.Context, i int) error {
		send, most := w.post, mostHooked
		if due[i].Channel == account.ByEmail {
			send, most = w.digest, mostDigest
		}
		d, err := w.Store.TakeDelivery(ctx, due[i], turn, most)
		if err != nil || d == nil {
			return err
		}
		return send(ctx, d)
	})
}

// Waits after failures, each twice the one before. A webhook that fails stopAfter times, for about two days, is stopped. Emails
// fail when the mail server does not answer, which its operator repairs, so they are tried until they are sent.
const (
	firstWait = time.Minute
	mostWait  = 6 * time.Hour
	stopAfter = 16
	daily     = 24 * time.Hour
)

// failed records that alerts were not sent, in words for the owner of the list.
func (w *Watcher) failed(ctx context.Context, d *account.Delivery, why string, last bool) error {
	var next time.Time
	if !last {
		next = w.Clock().Add(min(firstWait<<min(d.Failures, 16), mostWait))
	}
	w.Log.Warn("alerts of a watched list were not sent", "list", d.List, "by", d.Channel, "failures", d.Failures+1, "why", why, "next", next)
	return w.Store.Undelivered(ctx, d, why, next)
}

// Set changes how a list is watched, if its webhook may be called. atom is the address of its feed, if one was drawn.
func (w *Watcher) Set(ctx context.Context, owner, list string, c account.WatchChange) (now *account.Watch, atom string, err error) {
	if c.Webhook != nil && *c.Webhook != "" {
		if err := w.CheckHook(*c.Webhook); err != nil {
			return nil, "", err
		}
	}
	now, secret, err := w.Store.ChangeWatch(ctx, owner, list, c)
	if secret != "" {
		atom = w.BaseURL + FeedPath + url.QueryEscape(secret)
	}
	return now, atom, err
}

// Shown is an alert as others see it.
func (w *Watcher) Shown(a *account.Alert) client.Alert {
	out := client.Alert{ID: a.Seq, At: api.Instant(a.At), Kind: a.Kind, Title: Title(a), Text: Text(a), Source: a.Source, Name: a.Name,
		Reference: api.OrNull(a.Reference), Was: a.Was, Now: a.Is, Count: a.Count, From: a.From, To: a.To}
	if a.EIN != 0 {
		number := a.EIN.String()
		out.EIN, out.URL = &number, new(w.BaseURL+"/org/"+number+"/"+search.Slug(a.Name))
	}
	return out
}

// StopLink is the address that ends the emails of a list.
func (w *Watcher) StopLink(list string) string {
	return w.BaseURL + "/lists/stop?" + url.Values{"list": {list}, "mark": {w.stopMark(list)}}.Encode()
}

func (w *Watcher) stopMark(list string) string {
	h := hmac.New(sha256.New, w.stopKey)
	h.Write([]byte(list))
	return hex.EncodeToString(h.Sum(nil))
}

// StopsEmail reports whether the mark of a link is ours.
func (w *Watcher) StopsEmail(list, mark string) bool {
	return hmac.Equal([]byte(mark), []byte(w.stopMark(list)))
}

var failing = prometheus.NewDesc("grantgraph_watch_failing", "Channels of watched lists whose last try failed.", []string{"channel"}, nil)

// Describe and Collect publish how many channels fail.
func (w *Watcher) Describe(to chan<- *prometheus.Desc) { to <- failing }

func (w *Watcher) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	n, err := w.Store.Failing(ctx)
	if err != nil {
		return // the store has metrics of its own
	}
	for _, channel := range []string{account.ByEmail, account.ByWebhook} {
		to <- prometheus.MustNewConstMetric(failing, prometheus.GaugeValue, float64(n[channel]), channel)
	}
}
