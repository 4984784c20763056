package watch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent/httpsig"
)

// maxHook bounds the address of a webhook, and mostRead what is read of an answer, in bytes.
const (
	maxHook  = 500
	mostRead = 16 << 10
)

// CheckHook checks the address of a webhook. The addresses of its host are checked when it is called.
func (w *Watcher) CheckHook(address string) error {
	refuse := func(why string) error {
		return fault.New("bad_webhook", "%q cannot be a webhook: %s.", fault.Clip(address, 80), why).
			Try("use the https address of a public host, such as https://hooks.example.org/grants")
	}
	u, err := url.Parse(address)
	switch {
	case len(address) > maxHook:
		return refuse(fmt.Sprintf("it is longer than %d bytes", maxHook))
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || !fault.Legible(address):
		return refuse("it is not an https address")
	case u.User != nil || u.Fragment != "":
		return refuse("it has a user name or a fragment")
	case w.Outbound.Loopback:
		return nil
	case u.Port() != "" && u.Port() != "443":
		return refuse("it names a port")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, err := netip.ParseAddr(host); err == nil || last == host || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return refuse("its host is not a public domain name")
	}
	return nil
}

// post sends alerts to the webhook of a list. The ID of a delivery follows from what it has, so that one that is sent again
// has the same ID, unless there are more alerts by then: who knows an ID may skip the delivery and must not miss the new ones.
func (w *Watcher) post(ctx context.Context, d *account.Delivery) error {
	if len(d.Alerts) == 0 {
		return w.Store.Delivered(ctx, d, w.Clock())
	}
	to := client.WatchDelivery{Type: "alerts", List: d.List, ListName: d.ListName}
	for i := range d.Alerts {
		to.Alerts = append(to.Alerts, w.Shown(&d.Alerts[i]))
	}
	to.ID = fmt.Sprintf("%s-%d-%d", d.List, to.Alerts[0].ID, to.Alerts[len(to.Alerts)-1].ID)
	why, gone := w.call(ctx, d.Target, to)
	if ctx.Err() != nil {
		return ctx.Err() // the turn ends by itself
	}
	if why != "" {
		return w.failed(ctx, d, why, gone || d.Failures+1 >= stopAfter)
	}
	return w.Store.Delivered(ctx, d, w.Clock())
}

// TestHook sends a test to the webhook of a list.
func (w *Watcher) TestHook(ctx context.Context, owner, list string) error {
	l, err := w.Store.ListByID(ctx, owner, list)
	if err != nil {
		return err
	}
	now, err := w.Store.WatchOf(ctx, owner, list)
	if err != nil {
		return err
	}
	if now == nil || now.Webhook == nil {
		return fault.New("no_webhook", "The list has no webhook.").Try("set one first")
	}
	if err := w.Store.CountHookTest(ctx, owner); err != nil {
		return err
	}
	if why := w.Test(ctx, l, now.Webhook.Target); why != "" {
		return fault.New("webhook_failed", "The webhook did not take the test: %s.", why).Try("repair it, and test it again")
	}
	return nil
}

// Test sends a delivery without alerts, and says why it failed; why is empty if it did not.
func (w *Watcher) Test(ctx context.Context, list account.List, target string) (why string) {
	why, _ = w.call(ctx, target, client.WatchDelivery{
		ID: fmt.Sprintf("%s-test-%d", list.ID, w.Clock().UnixNano()), Type: "test", List: list.ID, ListName: list.Name, Alerts: []client.Alert{}})
	return why
}

// call posts a delivery, signed by RFC 9421. gone says that the host wants no more.
func (w *Watcher) call(ctx context.Context, target string, to client.WatchDelivery) (why string, gone bool) {
	if err := w.CheckHook(target); err != nil { // the rules may be stricter than they were
		return err.Error(), true
	}
	body, err := json.Marshal(to)
	if err != nil {
		return "the alerts cannot be written", false
	}
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return "the address cannot be called", true
	}
	sum := sha256.Sum256(body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	r.Header.Set("User-Agent", "grantgraph")
	r.Header.Set("Idempotency-Key", `"`+to.ID+`"`)
	signer := httpsig.Signer{Key: w.Key, Agent: "https://" + hostOf(w.BaseURL), Now: w.Clock,
		Cover: []string{"@method", "@path", "@query", "content-type", "content-digest"}}
	if err := signer.Sign(r); err != nil {
		w.Log.Error("signing a webhook", "error", err)
		return "the request cannot be signed", false
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return "it " + httpsig.Reason(err), false
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, mostRead) // what it says does not matter
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Sprintf("it answered with status %d", answer.StatusCode), answer.StatusCode == http.StatusGone
	}
	return "", false
}

func hostOf(base string) string {
	_, host, _ := strings.Cut(base, "://")
	host, _, _ = strings.Cut(host, "/")
	return host
}
