// Package reconcile serves the Reconciliation Service API of the W3C community group, version 0.2 and the 1.0 draft, so that
// OpenRefine and similar tools link a spreadsheet of names to EINs. It reads requests, meters them and answers in the form of
// the protocol. Matcher decides which organization a name means, from the indexes of the search page.
//
// Pages of other sites may call this part of the service, and no other: every answer allows any origin. Nothing here reads or
// sets a cookie, and a key is read only from a header. So a page learns only what anybody may ask for.
package reconcile

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/site/visitor"
)

// How many names, or organizations to extend, a request may have.
const (
	FreeBatch = 10 // without a key
	KeyBatch  = 50 // with a key, for one call
)

const (
	patience   = 20 * time.Second // longest time for a request
	weight     = 2 << 20          // memory of a request in bytes, without its body
	bodyCopies = 4                // memory for reading a body, in multiples of its size
	atOnce     = 16               // requests at a time of strangers, and as many of paying callers
	atOnceEach = 3                // requests at a time from one network, or for one account
)

// looks limits suggestions and previews, which come while a person types and points.
var looks = visitor.Rate{Burst: 60, Every: 500 * time.Millisecond}

// Accounts checks keys and counts calls; *account.Store implements it.
type Accounts interface {
	Authenticate(ctx context.Context, secret string) (account.KeyInfo, error)
	Charge(ctx context.Context, id string, cost int) (account.Balance, error)
	TakeNames(ctx context.Context, address string, n int) (left int, err error)
}

type Config struct {
	BaseURL  string
	Acquire  func() (*dataset.Dataset, func())
	Accounts Accounts
	Address  func(*http.Request) string // the address of the caller
	Budget   *budget.Budget             // bounds the memory of all requests together; nil for no bound
	Clock    func() time.Time
	Log      *slog.Logger
}

type Handler struct {
	Config
	mux    *http.ServeMux
	places budget.Places
	looks  *visitor.Limit
}

func New(c Config) *Handler {
	h := &Handler{Config: c, mux: http.NewServeMux(), places: budget.NewPlaces(atOnce, atOnceEach), looks: visitor.New(looks, c.Clock)}
	handle := func(pattern string, serve func(w http.ResponseWriter, r *http.Request) error) {
		h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), patience)
			defer cancel()
			if err := serve(w, r.WithContext(ctx)); err != nil {
				h.fail(w, r, err)
			}
		})
	}
	handle("GET "+Root02, h.get02)
	handle("POST "+Root02, h.withBody("application/x-www-form-urlencoded", h.post02))
	handle("GET "+Root10, func(w http.ResponseWriter, _ *http.Request) error { return h.writeManifest(w, manifest10) })
	handle("POST "+Root10+"/match", h.withBody("application/json", h.match10))
	handle("POST "+Root10+"/extend", h.withBody("application/json", h.extend10))
	for _, root := range []string{Root02, Root10} {
		// For clients that join paths carelessly.
		handle("GET "+root+"/{$}", func(w http.ResponseWriter, r *http.Request) error {
			http.Redirect(w, r, root, http.StatusMovedPermanently)
			return nil
		})
		handle("GET "+root+"/suggest/{kind}", h.suggest)
		handle("GET "+root+"/preview", h.preview)
		handle("GET "+root+"/extend/propose", h.propose)
	}
	handle("GET "+Root02+"/flyout/{kind}", h.flyout)
	h.mux.HandleFunc("GET "+styleAddress, serveStyle)
	handle("/", h.other)
	return h
}

var methods = []string{http.MethodGet, http.MethodPost}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "Retry-After, X-Calls-Limit, X-Calls-Remaining, X-Calls-Reset, X-Dataset-Version, X-Names-Remaining, X-Request-Id")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if r.Method == http.MethodOptions {
		header.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key")
		header.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// other answers an unknown address, or with 405 one that exists for another method.
func (h *Handler) other(w http.ResponseWriter, r *http.Request) error {
	for _, method := range methods {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := h.mux.Handler(other); pattern != "/" {
			w.Header().Set("Allow", method)
			return fault.New(slugMethod, "This address answers %s.", method).Try("use that; %s has the manifest", Root02)
		}
	}
	return h.missing()
}

func (h *Handler) missing() error {
	return fault.New(slugMissing, "There is nothing at this address.").Try("see %s/docs/reconcile for what there is", h.BaseURL)
}

// get02 answers with the manifest or with a query in the address.
func (h *Handler) get02(w http.ResponseWriter, r *http.Request) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return malformed("The query string cannot be decoded.")
	}
	done, err := h.hold(r, int64(len(r.URL.RawQuery)))
	if err != nil {
		return err
	}
	defer done()
	return h.answer02(w, r, values, true)
}

func (h *Handler) post02(w http.ResponseWriter, r *http.Request, body []byte) error {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return malformed("The form cannot be decoded.")
	}
	return h.answer02(w, r, values, false)
}

func (h *Handler) answer02(w http.ResponseWriter, r *http.Request, values url.Values, manifest bool) error {
	switch {
	case values.Has("queries"):
		batch, err := readBatch02([]byte(values.Get("queries")))
		if err != nil {
			return err
		}
		found, err := h.match(w, r, batch)
		if err != nil {
			return err
		}
		answer := make(map[string]result02, len(batch))
		for i, b := range batch {
			answer[b.name] = result02{found[i], b.query.Notice}
		}
		return write(w, answer)
	case values.Has("extend"):
		e, err := readExtension([]byte(values.Get("extend")))
		if err != nil {
			return err
		}
		rows, err := h.extend(w, r, e)
		if err != nil {
			return err
		}
		return write(w, e.answer02(rows))
	case manifest:
		return h.writeManifest(w, manifest02)
	}
	return malformed("The form has neither queries nor extend.")
}

func (h *Handler) match10(w http.ResponseWriter, r *http.Request, body []byte) error {
	batch, err := readBatch10(body)
	if err != nil {
		return err
	}
	found, err := h.match(w, r, batch)
	if err != nil {
		return err
	}
	answer := results10{make([]result10, len(found))}
	for i := range found {
		answer.Results[i] = result10{found[i], batch[i].query.Notice}
	}
	return write(w, answer)
}

func (h *Handler) extend10(w http.ResponseWriter, r *http.Request, body []byte) error {
	e, err := readExtension(body)
	if err != nil {
		return err
	}
	rows, err := h.extend(w, r, e)
	if err != nil {
		return err
	}
	return write(w, e.answer10(rows))
}

type (
	result02 struct {
		Result []candidate `json:"result"`
		Notice string      `json:"notice,omitempty"`
	}
	results10 struct {
		Results []result10 `json:"results"`
	}
	result10 struct {
		Candidates []candidate `json:"candidates"`
		Notice     string      `json:"notice,omitempty"`
	}
)

type candidate struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Type        []Type    `json:"type"`
	Score       float64   `json:"score"`
	Match       bool      `json:"match"`
	Features    []Feature `json:"features,omitempty"`
}

func (h *Handler) match(w http.ResponseWriter, r *http.Request, batch []named) ([][]candidate, error) {
	for i := range batch {
		batch[i].query.known()
	}
	d, release, err := h.admit(w, r, len(batch))
	if err != nil {
		return nil, err
	}
	defer release()
	m := Matcher{Search: d.Search, Directory: d.Directory}
	to := make([][]candidate, len(batch))
	for i := range batch {
		q := &batch[i].query
		if q.impossible {
			to[i] = []candidate{}
			continue
		}
		found, err := m.Match(r.Context(), q)
		if err != nil {
			return nil, err
		}
		to[i] = each.Of(found, func(f Candidate) candidate {
			percent := min(99.9, math.Round(1000*f.Probability)/10) // below 100: no match is certain
			return candidate{f.EIN.String(), nameOf(&f.Result), describe(&f.Result), typesOf(f.Kind), percent, f.Sure && !q.doubtful, f.Features}
		})
	}
	return to, nil
}

// withBody reads the body of a request before it is served, and holds its memory until then.
func (h *Handler) withBody(kind string, serve func(http.ResponseWriter, *http.Request, []byte) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		body, done, err := h.body(r, kind)
		if err != nil {
			return err
		}
		defer done()
		return serve(w, r, body)
	}
}

func (h *Handler) body(r *http.Request, kind string) (body []byte, done func(), err error) {
	given, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if given != kind {
		return nil, nil, fault.New(slugMedia, "The body is not %s.", kind).Try("send Content-Type: %s", kind)
	}
	body, hold, err := h.Budget.ReadBody(r, h.sender(r), maxBody)
	if err == nil { // who sends slowly has no place
		defer hold.Release() // the next hold includes the body
		done, err = h.hold(r, int64(len(body)))
		return body, done, err
	}
	var large *http.MaxBytesError
	if _, refused := fault.Of(err); refused {
		return nil, nil, err
	}
	if errors.As(err, &large) {
		return nil, nil, fault.New(slugBody, "The body is longer than %d bytes.", maxBody).Try("send fewer names at a time")
	}
	return nil, nil, malformed("The body did not arrive whole.")
}

func (h *Handler) sender(r *http.Request) budget.Sender {
	return budget.Sender{Address: h.Address(r), Account: account.Payer(r.Context(), h.Accounts, r.Header)}
}

// hold counts a running request and its memory until done.
func (h *Handler) hold(r *http.Request, size int64) (done func(), err error) {
	end, err := h.places.Begin(h.sender(r))
	if err != nil {
		return nil, err
	}
	hold, err := h.Budget.Take(r.Context(), weight+bodyCopies*size)
	if err != nil {
		end()
		return nil, err
	}
	return func() { hold.Release(); end() }, nil
}

func (h *Handler) writeManifest(w http.ResponseWriter, text string) error {
	m, err := h.manifest(text)
	if err != nil {
		return err
	}
	return write(w, m)
}

func write(w http.ResponseWriter, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing an answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client has gone: nobody reads another answer
	return nil
}

const (
	slugMethod  = "method_not_allowed"
	slugMissing = "not_found"
	slugMedia   = "unsupported_media_type"
	slugBody    = "body_too_large"
	slugRate    = "too_many_requests"
	slugNoData  = "dataset_damaged"
	slugKeyURL  = "key_in_address"
)

var statuses = map[string]int{
	slugMalformed: 400, slugType: 400, slugProperty: 400, slugKeyURL: 400,
	slugTooLarge: 413, slugBody: 413, slugMethod: 405, slugMissing: 404, slugMedia: 415,
	slugRate: 429, "names_spent": 429, slugNoData: 503,
	"no_key": 401, "unknown_key": 401, "key_expired": 401, "account_inactive": 402, "plan_required": 402, "quota_exhausted": 402, "key_locked": 402,
	budget.Busy: 503, "store_unavailable": 503,
}

// fail answers with an error, in the form of the API.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := client.Failure{Code: http.StatusInternalServerError, Error: "internal_error", Message: "Something broke on our side.", RequestID: api.RequestID(r)}
	known, ok := fault.Of(err)
	switch {
	case ok && statuses[known.Slug] != 0:
		f.Code, f.Error, f.Message, f.Hint = statuses[known.Slug], known.Slug, known.Message, known.Hint
	case errors.Is(err, context.DeadlineExceeded) || r.Context().Err() != nil:
		f.Code, f.Error, f.Message = http.StatusServiceUnavailable, "timed_out", "The request took too long and was stopped."
		f.Hint = "send fewer names at a time"
	default:
		// Names belong to the caller and are never logged.
		h.Log.Error("a reconciliation failed", "request_id", f.RequestID, "error", err)
	}
	var wait *account.WaitError
	if errors.As(err, &wait) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Wait.Seconds()))))
	} else if f.Code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("X-Request-Id", f.RequestID)
	header.Set("Cache-Control", "no-store")
	header.Del("Content-Length")
	w.WriteHeader(f.Code)
	_ = json.NewEncoder(w).Encode(f)
}

const (
	Root02 = "/reconcile"
	Root10 = "/reconcile/1.0"
)

const (
	previewWidth  = 400
	previewHeight = 300
)

//go:embed manifest_0.2.json
var manifest02 string

//go:embed manifest_1.0.json
var manifest10 string

// manifest fills in the manifest of a version. With a security scheme in it, clients would always have to send a key.
func (h *Handler) manifest(text string) (json.RawMessage, error) {
	base, err := json.Marshal(h.BaseURL)
	if err != nil {
		return nil, err
	}
	types, err := json.Marshal(each.Of(types, func(t Type) Type { return Type{ID: t.ID, Name: t.Name} }))
	return json.RawMessage(strings.NewReplacer("$BASE", string(base[1:len(base)-1]), `"$TYPES"`, string(types), `"$BATCH"`, fmt.Sprint(FreeBatch),
		`"$WIDTH"`, fmt.Sprint(previewWidth), `"$HEIGHT"`, fmt.Sprint(previewHeight)).Replace(text)), err
}
