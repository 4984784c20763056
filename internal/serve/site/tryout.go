package site

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/manual"
)

// routeManual adds the documentation, and the page on which a member runs an
// operation on live data. It returns the paths of the pages that are always there.
func (s *Site) routeManual(mux *http.ServeMux) []string {
	var reference *api.Reference
	if s.API != nil {
		reference = s.API.Reference()
		mux.HandleFunc("GET /docs/api/{operation}/run", s.members(plainForm, trying(reference, s.showTryout)))
		mux.HandleFunc("POST /docs/api/{operation}/run", s.members(tryoutForm, trying(reference, s.tryOut)))
	}
	room := manual.New(s.frame, reference)
	room.Route(mux)
	return room.Addresses()
}

var tryoutForm = bound{most: 64 << 10}

// mostTried bounds the part of an answer that the page shows, in bytes.
const mostTried = 64 << 10

type tryoutPage struct {
	form
	Op     *api.Operation
	Path   []pathField
	Params string // query string
	Hint   string // example of the query string
	Body   string
	Left   account.Balance
	Per    string
	Answer *tried
}

type pathField struct{ Name, Value, Means string }

type tried struct {
	Request string
	Status  int
	Text    string
	Cut     bool
}

// trying finds the operation that a member wants to run.
func trying(reference *api.Reference, serve func(*visit, *api.Operation) error) func(*visit) error {
	return func(v *visit) error {
		op := reference.Operation(v.r.PathValue("operation"))
		if op == nil || !manual.Live(op) {
			return frame.Missing
		}
		return serve(v, op)
	}
}

func (s *Site) newTryout(v *visit, op *api.Operation, given func(string) string) *tryoutPage {
	p := &tryoutPage{form: *s.form(v, "Run "+op.Method+" "+op.Path), Op: op, Params: strings.TrimPrefix(strings.TrimSpace(given("query")), "?"),
		Body: given("body"), Per: period(s.window(v.account.Plan))}
	p.Section, p.Styles = "docs", []string{"manual.css"}
	for _, one := range op.Params {
		if one.In == "path" {
			p.Path = append(p.Path, pathField{one.Name, strings.TrimSpace(given("path-" + one.Name)), one.Description})
		} else if one.Name == "location" {
			p.Hint = "location=OH&limit=5"
		}
	}
	return p
}

func (s *Site) drawTryout(v *visit, p *tryoutPage) error {
	var err error
	if p.Left, err = s.Accounts.Balance(v.r.Context(), v.account.ID); err != nil {
		return s.fail(v, err)
	}
	return s.pages.Render(v.w, http.StatusOK, "tryout", p)
}

func (s *Site) showTryout(v *visit, op *api.Operation) error {
	p := s.newTryout(v, op, func(string) string { return "" })
	p.Body = op.Examples[0].Body
	return s.drawTryout(v, p)
}

// tryOut sends the request as the visitor's account. The API answers, refuses and counts as for a key of the account.
func (s *Site) tryOut(v *visit, op *api.Operation) error {
	p := s.newTryout(v, op, v.field)
	hold, err := s.Budget.Take(v.r.Context(), 4*mostTried)
	if err != nil {
		return err
	}
	defer hold.Release()
	path := api.Versioned + op.Path
	for _, f := range p.Path {
		if f.Value == "" {
			p.Problem = "Fill in " + f.Name + ". Nothing was sent and nothing was counted."
			return s.drawTryout(v, p)
		}
		path = strings.ReplaceAll(path, "{"+f.Name+"}", url.PathEscape(f.Value))
	}
	if strings.ContainsAny(p.Params, " #\r\n\x00") {
		p.Problem = "Write the parameters as in an address, such as location=OH&limit=5, with %20 or + for a space. Nothing was sent and nothing was counted."
		return s.drawTryout(v, p)
	}
	p.Answer = s.send(v, op.Method, path, p.Params, p.Body)
	return s.drawTryout(v, p)
}

func (s *Site) send(v *visit, method, path, query, body string) *tried {
	u := &url.URL{Path: path, RawQuery: query}
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
	}
	// The visitor's own cookies and keys are not passed on.
	r := (&http.Request{Method: method, URL: u, Host: v.r.Host, Header: http.Header{"Accept": {"application/json"}}, RemoteAddr: v.r.RemoteAddr,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}).WithContext(v.r.Context())
	if method == http.MethodGet {
		r.Body, r.ContentLength = http.NoBody, 0
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	out := api.Keep(s.API, api.For(r, v.account), mostTried+1)
	t := &tried{Request: method + " " + fault.Clip(u.RequestURI(), 2000), Status: out.Status}
	t.Text, t.Cut = manual.LaidOut(out.Body.Bytes()[:min(mostTried, out.Body.Len())])
	t.Cut = t.Cut || out.Body.Len() > mostTried
	return t
}
