package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"grantgraph/internal/fault"
)

// How the fetcher behaves towards servers.
const (
	agent        = "grantgraph-fetch/1.0"
	maxRedirects = 10
	maxTries     = 5                      // in a row without any new bytes
	firstWait    = time.Second            // before the second try; doubled for each after it
	longestWait  = time.Minute            // longest wait that the fetcher chooses
	longestAsked = 10 * time.Minute       // longest wait that a server may ask for
	idle         = time.Minute            // silence after which we close a connection
	pause        = 200 * time.Millisecond // between requests
	maxPage      = 16 << 20
)

// transient is a failure that may pass.
type transient struct {
	err   error
	after time.Duration // that the server asked to wait, 0 when it did not
}

func (t *transient) Error() string { return t.err.Error() }
func (t *transient) Unwrap() error { return t.err }

// errAbsent means that a server has nothing at an address.
var errAbsent = errors.New("there is no such file")

var (
	errRedirects = fmt.Errorf("redirected more than %d times", maxRedirects)
	errDowngrade = errors.New("redirected from a secure to an insecure address")
	errIdle      = fmt.Errorf("the server was silent for %s", idle)
)

func checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return errRedirects
	case req.URL.Scheme != "https" && via[0].URL.Scheme == "https":
		return errDowngrade
	}
	return nil
}

type request struct {
	method string
	url    string
	header map[string]string
	body   []byte
}

// exchange sends one request, after any pause that is due, and passes the
// answer to read. Meanwhile it watches for a silent server.
func (r *run) exchange(ctx context.Context, q request, read func(*http.Response) error) error {
	if r.asked {
		if err := r.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	r.asked = true
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, q.method, q.url, bytes.NewReader(q.body))
	if err != nil {
		return fault.New("fetch_address", "%q is not an address: %w", q.url, err).Try("check the --mirror")
	}
	if q.body == nil {
		req.Body = http.NoBody
	}
	req.Header.Set("User-Agent", agent)
	// We hash and resume the bytes as stored, so the transport must not compress them.
	req.Header.Set("Accept-Encoding", "identity")
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	var heard atomic.Int64
	go r.watch(ctx, &heard, cancel)
	resp, err := r.client.Do(req)
	if err == nil {
		resp.Body = &activityReader{resp.Body, &heard}
		heard.Add(1)
		err = statusError(resp, r.Now)
		if err == nil {
			err = read(resp)
		}
		resp.Body.Close()
	}
	switch {
	case err == nil:
		return nil
	case outer.Err() != nil:
		return context.Cause(outer)
	case errors.Is(context.Cause(ctx), errIdle):
		return &transient{err: errIdle}
	}
	if failure := (*url.Error)(nil); errors.As(err, &failure) {
		if errors.Is(failure.Err, errRedirects) || errors.Is(failure.Err, errDowngrade) {
			return failure.Err
		}
		return &transient{err: failure.Err} // without the address, which the caller names
	}
	return err
}

// watch cancels the exchange if nothing arrived between two ticks.
func (r *run) watch(ctx context.Context, heard *atomic.Int64, cancel context.CancelCauseFunc) {
	for last := int64(-1); ; {
		select {
		case <-ctx.Done():
			return
		case <-r.After(idle):
		}
		now := heard.Load()
		if now == last {
			cancel(errIdle)
			return
		}
		last = now
	}
}

type activityReader struct {
	io.ReadCloser
	heard *atomic.Int64
}

func (l *activityReader) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if n > 0 {
		l.heard.Add(1)
	}
	return n, err
}

func statusError(resp *http.Response, now func() time.Time) error {
	switch code := resp.StatusCode; {
	case code == http.StatusOK, code == http.StatusPartialContent, code == http.StatusNotModified, code == http.StatusRequestedRangeNotSatisfiable:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return errAbsent
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		after, err := retryAfter(resp.Header.Get("Retry-After"), now())
		err = errors.Join(fmt.Errorf("the server answered %s", resp.Status), err)
		if after > longestAsked {
			return fmt.Errorf("the server answered %s and asks to come back in %s", resp.Status, after.Round(time.Second))
		}
		return &transient{err, after}
	default:
		return fmt.Errorf("the server answered %s", resp.Status)
	}
}

func retryAfter(s string, now time.Time) (time.Duration, error) {
	if s = strings.TrimSpace(s); s == "" {
		return 0, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
		return time.Duration(min(n, math.MaxInt64/int64(time.Second))) * time.Second, nil
	}
	t, err := http.ParseTime(s)
	if err != nil {
		return 0, fmt.Errorf("with an unreadable Retry-After %q", s)
	}
	return max(0, t.Sub(now)), nil
}

// retry retries until success, a permanent failure, or too many failures in a row without progress.
func (r *run) retry(ctx context.Context, once func() (progress bool, err error)) error {
	for failures := 0; ; {
		progress, err := once()
		var passing *transient
		if err == nil || !errors.As(err, &passing) {
			return err
		}
		if progress {
			failures = 0
		}
		if failures++; failures == maxTries {
			return fmt.Errorf("%w (tried %d times)", passing.err, maxTries)
		}
		wait := min(longestWait, firstWait<<(failures-1))
		wait = wait/2 + time.Duration(r.Jitter()*float64(wait)) // half to one and a half
		if err := r.Sleep(ctx, max(wait, passing.after)); err != nil {
			return err
		}
	}
}

type web struct{ *run }

func (w web) Page(ctx context.Context, url string) ([]byte, error) {
	return w.readSmall(ctx, request{method: http.MethodGet, url: url})
}

func (w web) Post(ctx context.Context, url string, body []byte) ([]byte, error) {
	return w.readSmall(ctx, request{method: http.MethodPost, url: url, body: body, header: map[string]string{"Content-Type": "application/json"}})
}

func (w web) readSmall(ctx context.Context, q request) (text []byte, err error) {
	err = w.retry(ctx, func() (bool, error) {
		return false, w.exchange(ctx, q, func(resp *http.Response) (err error) {
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("the server answered %s", resp.Status)
			}
			text, err = io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
			if err != nil {
				return &transient{err: err}
			}
			if len(text) > maxPage {
				return fmt.Errorf("the answer is longer than %d bytes", maxPage)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.url, err)
	}
	return text, nil
}
