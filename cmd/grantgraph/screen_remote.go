package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/screen/sheet"
)

// Bounds of a screening by a service.
const (
	bulkEINs     = 100
	bulkTimeout  = 2 * time.Minute
	maxBulkReply = 64 << 20
	bulkAttempts = 8
	longestPause = 10 * time.Minute // a longer one is for the user to decide about
)

// remoteScreening screens with a service, a hundred EINs a call, at the pace that the service asks for.
type remoteScreening struct {
	client  *client.Client
	reports string // folder for them, empty for none
}

func newRemoteScreening(errs io.Writer, address, key, reports string, pause pauseFunc) (*remoteScreening, error) {
	c, err := newClient(errs, address, client.Options{
		Key: key, Timeout: bulkTimeout, MaxAnswer: maxBulkReply, Attempts: bulkAttempts, LongestWait: longestPause, Pause: pause,
	})
	return &remoteScreening{c, reports}, err
}

func (r *remoteScreening) identity() string { return "service " + r.client.Address() }

func (*remoteScreening) most() int { return bulkEINs }

func (*remoteScreening) close() {}

type bulkReply struct {
	Results []struct {
		client.BulkResult
		Report json.RawMessage `json:"report"` // as it came, because it is signed
	} `json:"results"`
}

func (r *remoteScreening) screen(ctx context.Context, eins []ein.EIN) (map[ein.EIN]*sheet.Result, error) {
	results := make(map[ein.EIN]*sheet.Result, len(eins))
	if len(eins) == 0 {
		return results, nil
	}
	ask := client.BulkRequest{Reports: r.reports != ""}
	for _, e := range eins {
		ask.EINs = append(ask.EINs, e.String())
	}
	resp, err := r.client.Do(ctx, client.Request{Path: "/screening/bulk", Body: ask})
	if err != nil {
		return nil, r.explained(err)
	}
	at, err := http.ParseTime(resp.Header.Get("Date")) // when it answered, by its clock
	if err != nil {
		at = time.Now()
	}
	var got bulkReply
	if err := json.Unmarshal(resp.Body, &got); err != nil || len(got.Results) != len(eins) {
		return nil, unexpected(r.client, "is not a screening of the EINs that were sent")
	}
	for i, e := range eins {
		g := &got.Results[i]
		switch {
		case g.EIN != e.String():
			return nil, unexpected(r.client, "is not a screening of the EINs that were sent")
		case g.Error != nil:
			results[e] = &sheet.Result{Problem: printable(*g.Error)}
			continue
		case g.Organization == nil || g.Compliance == nil:
			return nil, unexpected(r.client, "has no record of an EIN, and no reason")
		}
		result := &sheet.Result{Record: &client.ScreeningRecord{EIN: g.EIN, Found: g.Found, Organization: *g.Organization, Compliance: *g.Compliance}, At: at}
		if r.reports != "" {
			if result.ReportID, err = r.keep(e, g.Report); err != nil {
				return nil, err
			}
		}
		results[e] = result
	}
	return results, nil
}

// explained turns an error of the service into a message that says what to do.
func (*remoteScreening) explained(err error) error {
	var e *client.Error
	f, ok := fault.Of(explained(err))
	if !ok || !errors.As(err, &e) {
		return err
	}
	const continues = "run the same command again %s; it continues where it stopped"
	switch {
	case e.Status == http.StatusUnauthorized:
		f.Message = "the service does not accept the key: " + f.Message
		f.Try("check --key-file or GRANTGRAPH_KEY")
	case e.Status == http.StatusPaymentRequired, e.Status == http.StatusForbidden:
		f.Message = "the plan of the key does not cover this, or its calls are used up: " + f.Message
	case e.Status == http.StatusNotFound:
		f.Try("check --url; the service may be older than this program and not screen")
	case e.RetryAfter > longestPause:
		f.Slug, f.Message = "busy", fmt.Sprintf("%s; it asks to wait %s", f.Message, e.RetryAfter.Round(time.Second))
		f.Try(continues, "then")
	case e.Attempts == bulkAttempts:
		f.Slug, f.Message = "busy", fmt.Sprintf("%s; %d attempts were made", f.Message, e.Attempts)
		f.Try(continues, "later")
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
		return "", unexpected(r.client, "has no report")
	}
	text, err := jcs.Transform(report)
	if err != nil {
		return "", unexpected(r.client, "has a report that cannot be read")
	}
	path := filepath.Join(r.reports, fmt.Sprintf("%s-%s.json", e, said.ID[:16]))
	err = disk.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return said.ID, fault.Disk(path, err)
}
