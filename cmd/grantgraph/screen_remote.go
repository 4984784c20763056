package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/sheet"
)

// Bounds of a screening by a service.
const (
	bulkEINs      = 100
	bulkTimeout   = 2 * time.Minute
	maxBulkReply  = 64 << 20
	bulkAttempts  = 8
	longestPause  = 10 * time.Minute // a longer one is for the user to decide about
	firstPause    = time.Second
	doubledPauses = 6 // up to a minute or so
)

// remoteScreening screens with a service, a hundred EINs a call. Like the
// client of agents it sends the key to one address alone and follows no redirect.
type remoteScreening struct {
	client  *agentClient
	reports string // folder for them, empty for none
	pause   pauseFunc
}

func newRemoteScreening(address, key, reports string, pause pauseFunc) (*remoteScreening, error) {
	client, err := newAgentClient(address, key)
	if err != nil {
		return nil, err
	}
	client.http.Timeout = bulkTimeout
	return &remoteScreening{client, reports, pause}, nil
}

func (r *remoteScreening) identity() string { return "service " + r.client.base.String() }

func (*remoteScreening) most() int { return bulkEINs }

func (*remoteScreening) close() {}

// bulkReply is the part of the answer that is used.
type bulkReply struct {
	Results []struct {
		EIN          string               `json:"ein"`
		Found        bool                 `json:"found"`
		Organization *screen.Organization `json:"organization"`
		Compliance   *screen.Compliance   `json:"compliance"`
		Report       json.RawMessage      `json:"report"`
		Error        *string              `json:"error"`
	} `json:"results"`
}

func (r *remoteScreening) screen(ctx context.Context, eins []ein.EIN) (map[ein.EIN]*sheet.Result, error) {
	results := make(map[ein.EIN]*sheet.Result, len(eins))
	if len(eins) == 0 {
		return results, nil
	}
	ask := struct {
		EINs    []string `json:"eins"`
		Reports bool     `json:"reports,omitempty"`
	}{Reports: r.reports != ""}
	for _, e := range eins {
		ask.EINs = append(ask.EINs, e.String())
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return nil, err
	}
	raw, at, err := r.post(ctx, body)
	if err != nil {
		return nil, err
	}
	var got bulkReply
	if err := json.Unmarshal(raw, &got); err != nil || len(got.Results) != len(eins) {
		return nil, r.client.unexpected("is not a screening of the EINs that were sent")
	}
	for i, e := range eins {
		g := &got.Results[i]
		switch {
		case g.EIN != e.String():
			return nil, r.client.unexpected("is not a screening of the EINs that were sent")
		case g.Error != nil:
			results[e] = &sheet.Result{Problem: printable(*g.Error)}
			continue
		case g.Organization == nil || g.Compliance == nil:
			return nil, r.client.unexpected("has no record of an EIN, and no reason")
		}
		result := &sheet.Result{Record: &screen.Record{EIN: g.EIN, Found: g.Found, Organization: *g.Organization, Compliance: *g.Compliance}, At: at}
		if r.reports != "" {
			if result.ReportID, err = r.keep(e, g.Report); err != nil {
				return nil, err
			}
		}
		results[e] = result
	}
	return results, nil
}

// post sends a batch until it is answered, at the pace that the service asks for.
// at is when it answered, by its clock.
func (r *remoteScreening) post(ctx context.Context, body []byte) (raw []byte, at time.Time, err error) {
	for attempt := 1; ; attempt++ {
		raw, at, wait, err := r.try(ctx, body)
		switch {
		case err == nil, ctx.Err() != nil, wait == never:
			return raw, at, err
		case attempt == bulkAttempts:
			return nil, at, fault.New("busy", "%w; %d attempts were made", err, attempt).Try("run the same command again later; it continues where it stopped")
		}
		if wait == unsaid {
			wait = firstPause << min(attempt-1, doubledPauses)
		}
		if wait > longestPause {
			return nil, at, fault.New("busy", "%w; it asks to wait %s", err, wait.Round(time.Second)).Try("run the same command again then; it continues where it stopped")
		}
		if err := r.pause(ctx, wait); err != nil {
			return nil, at, err
		}
	}
}

// How long to wait before another attempt, beside what the service says.
const (
	never  = time.Duration(-1) // another attempt would be answered the same
	unsaid = time.Duration(-2) // it does not say
)

// try sends a batch once.
func (r *remoteScreening) try(ctx context.Context, body []byte) (raw []byte, at time.Time, wait time.Duration, err error) {
	c := r.client
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+api.Versioned+"/screening/bulk", bytes.NewReader(body))
	if err != nil {
		return nil, at, never, err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json")
	q.Header.Set("User-Agent", "grantgraph/"+programVersion())
	q.Header.Set("X-API-Key", c.key)
	resp, err := c.http.Do(q)
	if err != nil {
		return nil, at, waitAfter(err), c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	if at, err = http.ParseTime(resp.Header.Get("Date")); err != nil {
		at = time.Now()
	}
	raw, err = io.ReadAll(io.LimitReader(resp.Body, maxBulkReply+1))
	switch {
	case err != nil:
		return nil, at, unsaid, c.unreachable(ctx, err)
	case len(raw) > maxBulkReply:
		return nil, at, never, c.unexpected("has more than " + bytesize(maxBulkReply))
	case resp.StatusCode == http.StatusOK:
		return raw, at, 0, nil
	}
	wait = never
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait = retryAfter(resp.Header.Get("Retry-After"), at)
	}
	return nil, at, wait, r.refusal(resp, raw)
}

// waitAfter tells a connection that broke, which may be there again, from an
// address at which nothing is.
func waitAfter(err error) time.Duration {
	var u *url.Error
	if errors.As(err, &u) && (u.Timeout() || errors.Is(u.Err, io.EOF) || errors.Is(u.Err, io.ErrUnexpectedEOF)) {
		return unsaid
	}
	return never
}

// retryAfter reads how long a service asks to wait: seconds, or a date by its
// clock.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(header), 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return unsaid
}

// refusal puts the answer of a service that is an error into its words, with
// what to do about it here.
func (r *remoteScreening) refusal(resp *http.Response, raw []byte) error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return fault.New("redirect", "%s redirects to another address, %s, and keys are not sent there", r.client.base, printable(resp.Header.Get("Location"))).
			Try("that address for --url, if you trust it")
	}
	var said api.Failure
	if err := json.Unmarshal(raw, &said); err != nil || said.Message == "" {
		return fault.New("answer", "%s responded with %s", r.client.base, printable(resp.Status)).
			Try("check --url; a proxy in front of the service may be the cause")
	}
	f := fault.New(said.Error, "%s", printable(said.Message)).Try("%s", printable(said.Hint))
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		f.Message = "the service does not accept the key: " + f.Message
		f.Try("check --key-file or GRANTGRAPH_KEY")
	case http.StatusPaymentRequired, http.StatusForbidden:
		f.Message = "the plan of the key does not cover this, or its calls are used up: " + f.Message
	case http.StatusNotFound:
		f.Try("check --url; the service may be older than this program and not screen")
	}
	return f
}

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// keep writes a report into the folder, in the form that is signed. Reports of
// earlier days stay: the identifier is part of the name.
func (r *remoteScreening) keep(e ein.EIN, report json.RawMessage) (id string, err error) {
	var said struct {
		ID string `json:"report_id"`
	}
	if err := json.Unmarshal(report, &said); err != nil || !hexDigest.MatchString(said.ID) {
		return "", r.client.unexpected("has no report")
	}
	text, err := jcs.Transform(report)
	if err != nil {
		return "", r.client.unexpected("has a report that cannot be read")
	}
	path := filepath.Join(r.reports, fmt.Sprintf("%s-%s.json", e, said.ID[:16]))
	err = disk.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return said.ID, fault.Disk(path, err)
}
