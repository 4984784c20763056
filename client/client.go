// Package client calls a Grantgraph service from Go. It holds the types of the wire, which the service itself answers with, and
// takes care of what every caller would have to write: pages become an iterator, a busy service is asked again when it says so,
// an answer that has not changed is not sent nor counted again, and a failure is an *Error that names its cause.
//
//	c, err := client.New("https://grants.example.org", client.Options{Key: os.Getenv("GRANTGRAPH_KEY")})
//	if err != nil {
//		return err
//	}
//	for grant, err := range c.ListTransactions(ctx, url.Values{"funder_id": {"00-0000001"}}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(grant.RecipName, grant.Amount)
//	}
//
// A method that returns an iterator yields all rows, however many pages they take; a loop that ends early asks for no further
// page. What the service does not honor is an error there, because a loop sees no warnings, unless the query says strict=0.
//
// The methods of the operations are in the module that a service serves, at the address of the service followed by /clients/go.
//
// Types have the names of the schemas in the OpenAPI document of the service. The tag doc describes a field; where it ends with
// an ellipsis, that document has the rest. The package imports the standard library and nothing else.
package client

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const versioned = "/api/v1"

// Options say how a service is called. The zero value works without a key.
type Options struct {
	Key       string // API key; operations that need no key work without it
	UserAgent string // what the program calls itself; grantgraph-go when empty

	// PlainHTTP lets the key travel unencrypted to another host, which New refuses otherwise.
	PlainHTTP bool

	Timeout     time.Duration // of one attempt; a minute when 0
	Attempts    int           // in all, where the service is busy or the connection breaks; 4 when 0
	LongestWait time.Duration // between two attempts; a service that asks for a longer wait is an error. A minute when 0
	MaxAnswer   int64         // bytes of an answer; 64 MiB when 0
	CacheBytes  int64         // of answers kept to be asked for again by their ETag; 16 MiB when 0, no cache when negative

	Transport http.RoundTripper                                // nil for http.DefaultTransport
	Pause     func(ctx context.Context, d time.Duration) error // waits; nil for a timer of package time
}

// The defaults.
const (
	defaultTimeout     = time.Minute
	defaultAttempts    = 4
	defaultLongestWait = time.Minute
	defaultMaxAnswer   = 64 << 20
	defaultCacheBytes  = 16 << 20

	firstWait = time.Second // where the service does not say how long; doubled each time
	doublings = 6
)

// Client calls one service. Several goroutines may use it at a time.
type Client struct {
	base    *url.URL
	options Options
	http    *http.Client
	cache   *cache // nil for none
}

// New is a client of the service at an address, with or without the path of its API.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimRight(address, "/"), versioned))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		told := strconv.Quote(address)
		if strings.Contains(address, "@") {
			// The text before the @ may be a password, and messages end up in logs.
			told = "an address with a user name or a password"
		}
		return nil, &Error{Slug: SlugBadAddress, Message: told + " is not the address of a service", Hint: "give one such as https://grants.example.org"}
	}
	o.UserAgent = cmp.Or(o.UserAgent, "grantgraph-go")
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Attempts = cmp.Or(o.Attempts, defaultAttempts)
	o.LongestWait = cmp.Or(o.LongestWait, defaultLongestWait)
	o.MaxAnswer = min(cmp.Or(o.MaxAnswer, defaultMaxAnswer), math.MaxInt64-1) // a byte more is read
	o.CacheBytes = cmp.Or(o.CacheBytes, defaultCacheBytes)
	if o.Pause == nil {
		o.Pause = pause
	}
	c := &Client{base: u, options: o, http: &http.Client{
		Transport: o.Transport,
		Timeout:   o.Timeout,
		// A key goes to the address it was given for, and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	return c.WithKey(o.Key)
}

// WithKey is the same client with another key. Answers to one key are not kept for another.
func (c *Client) WithKey(key string) (*Client, error) {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &Error{Slug: SlugBadKey, Message: "the key has characters that no key has", Hint: "check that it was read whole, with nothing around it"}
	}
	if key != "" && c.base.Scheme == "http" && !loopback(c.base.Hostname()) && !c.options.PlainHTTP {
		return nil, &Error{
			Slug: SlugPlainHTTP, Message: "a key is not sent to " + c.base.String() + ", because the connection is not encrypted",
			Hint: "use an address that begins with https, or allow it where you trust the network",
		}
	}
	other := *c
	other.options.Key, other.cache = key, nil
	if c.options.CacheBytes > 0 {
		other.cache = &cache{limit: c.options.CacheBytes, order: list.New(), at: map[string]*list.Element{}}
	}
	return &other, nil
}

// loopback reports whether a host is this machine, to which net/http uses no proxy.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Address is the address of the service, without the path of its API.
func (c *Client) Address() string { return c.base.String() }

// Request is a call of any operation.
type Request struct {
	Method string // GET, or POST where there is a body, when empty
	Path   string // of the operation, such as /grants/summary
	Query  url.Values
	Body   any                       // sent as JSON
	Once   bool                      // a failed request is not sent again, because the service may have carried it out
	Sign   func(*http.Request) error // is called last, on every attempt; may be nil
}

// Response is a success.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // not to be changed
	Kept   bool   // the service confirmed an answer that was kept, and counted nothing
}

// Do calls an operation, and tries again where the service asks for it. What is no answer of such a service is an *Error.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return nil, err
		}
	}
	for attempt := 1; ; attempt++ {
		answer, err := c.try(ctx, &r, body)
		if err == nil {
			return answer, nil
		}
		err.Attempts = attempt
		wait := cmp.Or(err.RetryAfter, firstWait<<min(attempt-1, doublings))
		if !err.again || r.Once || attempt >= c.options.Attempts || wait > c.options.LongestWait && err.RetryAfter > 0 {
			return nil, err
		}
		if stopped := c.options.Pause(ctx, min(wait, max(c.options.LongestWait, firstWait))); stopped != nil {
			return nil, c.unanswered(ctx, stopped)
		}
	}
}

func (c *Client) try(ctx context.Context, r *Request, body []byte) (*Response, *Error) {
	q, err := c.request(ctx, r, body)
	if err != nil {
		return nil, &Error{Slug: SlugBadRequest, Message: "the request cannot be made: " + err.Error(), Err: err}
	}
	var kept *keptAnswer
	if c.cache != nil && q.Method == http.MethodGet {
		if kept = c.cache.find(q.URL.String()); kept != nil {
			q.Header.Set("If-None-Match", kept.tag)
		}
	}
	resp, err := c.http.Do(q)
	if err != nil {
		return nil, c.unanswered(ctx, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, c.options.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, c.unanswered(ctx, err)
	case int64(len(raw)) > c.options.MaxAnswer:
		return nil, c.unexpected(resp, "has more than "+strconv.FormatInt(c.options.MaxAnswer, 10)+" bytes")
	case resp.StatusCode == http.StatusNotModified && kept != nil:
		return &Response{Status: http.StatusOK, Header: resp.Header, Body: kept.body, Kept: true}, nil
	case resp.StatusCode == http.StatusOK:
		if c.cache != nil && q.Method == http.MethodGet {
			c.cache.keep(q.URL.String(), resp.Header.Get("ETag"), raw)
		}
		return &Response{Status: resp.StatusCode, Header: resp.Header, Body: raw}, nil
	}
	return nil, c.refusal(resp, raw)
}

func (c *Client) request(ctx context.Context, r *Request, body []byte) (*http.Request, error) {
	address, method := c.base.String()+versioned+r.Path, r.Method
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	switch {
	case method == "" && body == nil:
		method = http.MethodGet
	case method == "":
		method = http.MethodPost
	}
	q, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Accept", "application/json")
	q.Header.Set("User-Agent", c.options.UserAgent)
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	if c.options.Key != "" {
		q.Header.Set("X-API-Key", c.options.Key)
	}
	if r.Sign != nil {
		err = r.Sign(q)
	}
	return q, err
}

func (c *Client) refusal(resp *http.Response, raw []byte) *Error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e := c.unexpected(resp, "")
		e.Slug, e.Message = SlugRedirect, c.base.String()+" redirects to another address, "+resp.Header.Get("Location")+", and nothing is sent there"
		e.Hint = "use that address, if you trust it"
		return e
	}
	var said struct {
		Failure
		Detail json.RawMessage `json:"detail"` // a list on a 422; other services may send a text
	}
	again := slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, resp.StatusCode)
	var e *Error
	if err := json.Unmarshal(raw, &said); err != nil || said.Message == "" {
		e = c.unexpected(resp, "is "+resp.Status+", and not in the format of this service")
	} else {
		e = &Error{
			Slug: cmp.Or(said.Error, SlugUnexpected), Message: said.Message, Hint: said.Hint, Docs: said.Docs, Status: resp.StatusCode,
			RequestID: cmp.Or(said.RequestID, resp.Header.Get("X-Request-Id")), Body: raw,
		}
		_ = json.Unmarshal(said.Detail, &e.Problems) // the message says what is wrong even without the problems
	}
	e.again, e.RetryAfter = again, retryAfter(resp.Header)
	return e
}

// retryAfter is how long a service asks to wait: seconds, or a date by its own clock; 0 when it does not say.
func retryAfter(h http.Header) time.Duration {
	said := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(said, 10, 31); err == nil {
		return max(time.Duration(seconds)*time.Second, time.Nanosecond)
	}
	date, err := http.ParseTime(said)
	now, noClock := http.ParseTime(h.Get("Date"))
	if err != nil || noClock != nil {
		return 0
	}
	return max(date.Sub(now), time.Nanosecond)
}

// unanswered is the error of a request without an answer. Another attempt makes sense only after a broken connection.
func (c *Client) unanswered(ctx context.Context, err error) *Error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // the message names the request already
	}
	// The deadline of the context is the caller's; the deadline of an attempt is ours.
	if ended := ctx.Err(); ended != nil || errors.Is(err, context.Canceled) {
		return &Error{Slug: SlugStopped, Message: "stopped before " + c.base.String() + " responded", Err: errors.Join(ended, err)}
	}
	e := &Error{
		Slug: SlugUnreachable, Message: c.base.String() + " does not respond: " + err.Error(),
		Hint: "check the address, and that the service is running", Err: err,
	}
	var n net.Error
	e.again = errors.As(err, &n) && n.Timeout() || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
	return e
}

// unexpected is the error of an answer that does not come from such a service.
func (c *Client) unexpected(resp *http.Response, what string) *Error {
	e := &Error{
		Slug: SlugUnexpected, Message: "the response of " + c.base.String() + " " + what,
		Hint: "check the address: it should be that of a Grantgraph service, and a proxy in front of it may be the cause",
	}
	if resp != nil {
		e.Status, e.RequestID = resp.StatusCode, resp.Header.Get("X-Request-Id")
	}
	return e
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Error says why there is no answer. Slug names the cause and never changes; some slugs are of this package alone.
type Error struct {
	Slug       string        // stable identifier of the cause
	Message    string        // what went wrong
	Hint       string        // what to do about it; may be empty
	Docs       string        // where the cause is described; may be empty
	Status     int           // of HTTP; 0 without an answer
	RequestID  string        // to quote when asking for help; may be empty
	RetryAfter time.Duration // how long the service asks to wait; 0 when it does not say
	Problems   []Problem     // what could not be read of the request, on a 422
	Attempts   int           // how often it was tried
	Body       []byte        // the answer as it came; nil when it does not come from the service
	Err        error         // the cause, for errors.Is; may be nil

	again bool // another attempt may succeed
}

// Slugs of what does not come from the service.
const (
	SlugBadAddress  = "bad_address"       // the address is not that of a service
	SlugBadKey      = "bad_key"           // the key cannot be sent
	SlugBadRequest  = "bad_request"       // the request cannot be made
	SlugPlainHTTP   = "plain_http"        // the key would travel unencrypted
	SlugRedirect    = "redirect"          // the service is somewhere else, and the key is not sent there
	SlugUnreachable = "unreachable"       // nothing answered, or the connection broke
	SlugStopped     = "stopped"           // the context ended
	SlugUnexpected  = "unexpected_answer" // the answer does not come from such a service
)

func (e *Error) Error() string {
	s := e.Slug + ": " + e.Message
	if e.Status != 0 {
		s = strconv.Itoa(e.Status) + " " + s
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// SlugOf returns the slug of an error of this package, and an empty text for any other error.
func SlugOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Slug
	}
	return ""
}

// cache keeps the answers that were used last, with their ETags, within a number of bytes.
type cache struct {
	limit int64 // bytes

	mu    sync.Mutex
	used  int64
	order *list.List // of *keptAnswer, the latest in front
	at    map[string]*list.Element
}

type keptAnswer struct {
	address, tag string
	body         []byte
}

// size is how many bytes an answer takes, with its share of the map and the list.
func (k *keptAnswer) size() int64 { return int64(len(k.body)+len(k.address)+len(k.tag)) + 256 }

func (c *cache) find(address string) *keptAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[address]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*keptAnswer)
}

// keep stores an answer with a tag, unless it is larger than a quarter of the cache and would displace all others.
func (c *cache) keep(address, tag string, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &keptAnswer{address, tag, body}
	if e := c.at[address]; e != nil {
		c.drop(e)
	}
	if tag == "" || k.size() > c.limit/4 {
		return
	}
	c.at[address] = c.order.PushFront(k)
	for c.used += k.size(); c.used > c.limit; {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(e *list.Element) {
	k := c.order.Remove(e).(*keptAnswer)
	delete(c.at, k.address)
	c.used -= k.size()
}
