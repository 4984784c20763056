// Package asking is the page on which people ask in plain English. Package ask reads the question and answers it. This package
// draws the page, streams the same answer as events, and charges for it: a few questions a day are free, and a question without
// an answer costs nothing.
//
// The address of an answer has the question, or the plan that it was read as, so that a link can change a part of the plan. The
// page shows the words of a plan, so a plan in an address carries a seal that only this service can make.
package asking

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/snippet"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/visitor"
)

//go:embed pages/*.html
var pages embed.FS

var templates = frame.PagesOf(pages, template.FuncMap{"quoted": snippet.Shell, "party": partyOf, "address": addressOf})

// Paths are where the script of the page sends a question; the second is older.
var Paths = []string{"/api/v1/analyze", "/api/analyze"}

// Described is the entry of the API description for the stream, which refuses callers other than the page.
var Described = api.Withheld{
	ID: "analyze", Method: http.MethodPost, Path: "/analyze", Body: Question{}, Answers: "text/event-stream",
	Summary: "Answers a question in plain English, on the page /ask only",
	Description: "Not a public endpoint: it serves the page /ask of this site, and only when the page itself asks. Anything else is 403 not_public. " +
		"The answer is a stream of the events understood, request, rows, chart, answer and done, or unclear, or error. " +
		"Three questions a day are free for a visitor; after them each costs one call of a paid plan.",
}

// Bounds of a question.
const (
	mostBody = 64 << 10         // of a request with a question, in bytes
	weight   = 4 << 20          // bytes that an answer takes while it is drawn
	patience = 25 * time.Second // for an answer, including a model
)

// How many questions are answered at a time, in all and for one network.
const (
	atOnce     = 16
	atOnceEach = 3
)

// models is how often a visitor may send a question to the model. The operator pays
// for the model, even if the question gets no answer and costs the visitor nothing.
var models = visitor.Rate{Burst: 10, Every: time.Minute}

// Model puts questions that the reader does not understand into other words.
type Model interface {
	// Fill finds a wording of a question that read understands.
	Fill(ctx context.Context, question string, read func(wording string) (*ask.Plan, error)) (*ask.Plan, error)
	// Name says which model it is.
	Name() string
}

// Config is what the page needs of the site.
type Config struct {
	Accounts *account.Store
	// Visitor identifies the visitor by a signed cookie, which it sets if there is none.
	Visitor func(w http.ResponseWriter, r *http.Request) string
	// Token is the token in the form of the page. Ours reports whether the script of the page sent a request.
	Token func(w http.ResponseWriter, r *http.Request) string
	Ours  func(r *http.Request) bool
	// Seal is the seal of a plan that this service made.
	Seal func(plan string) string
	// Form reads the form, and refuses it if another visitor was shown it.
	Form  func(w http.ResponseWriter, r *http.Request) error
	Model Model // nil for none
	Clock func() time.Time
}

type room struct {
	*frame.Frame
	Config
	pages  frame.Pages
	reader func(ask.Source) reader
	atOnce *budget.AtOnce
	models *visitor.Limit

	starting sync.Mutex
	starters []string // questions to try of the dataset of the version, which cost nothing
	version  string
}

// Route adds the page and its stream.
func Route(mux *http.ServeMux, f *frame.Frame, c Config) { newRoom(f, c).route(mux) }

func newRoom(f *frame.Frame, c Config) *room {
	return &room{Frame: f, Config: c, reader: func(from ask.Source) reader { return ask.New(from) },
		pages:  templates,
		atOnce: budget.NewAtOnce(atOnce, atOnceEach), models: visitor.New(models, c.Clock)}
}

func (s *room) route(mux *http.ServeMux) {
	mux.HandleFunc("GET /ask", s.Handle(s.show))
	mux.HandleFunc("POST /ask", s.Handle(s.send))
	for _, path := range Paths {
		mux.HandleFunc("POST "+path, s.stream)
	}
}

// page is everything that the template draws.
type page struct {
	frame.Head
	Token    string
	Typed    string   // in the field
	Examples []string // questions to try
	Left     int      // free questions
	Free     int      // in a day
	Paying   bool     // the visitor has calls to pay with
	reply             // empty before a question was asked
}

// Answered reports whether there is an answer.
func (p *reply) Answered() bool { return p.view != nil }

// addressOf is the address that answers a question, or a plan in its place.
func addressOf(text, plan string) string {
	q := url.Values{}
	if text != "" {
		q.Set("q", text)
	}
	if plan != "" {
		q.Set("plan", plan)
	}
	return "/ask?" + q.Encode()
}

// show draws the page, with the answer if the address has a question. An answer uses up a question, so only a visit to the
// address gets one: a prefetch or a page that embeds the address does not.
func (s *room) show(w http.ResponseWriter, r *http.Request) error {
	private(w)
	if strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose")+r.Header.Get("X-Moz"), "prefetch") {
		return frame.Refuse(http.StatusServiceUnavailable, "Not looked up ahead", "An answer is looked up when its page is opened.")
	}
	v := r.URL.Query()
	asked := Question{Text: v.Get("q"), Plan: v.Get("plan")}
	if dest := r.Header.Get("Sec-Fetch-Dest"); r.Method != http.MethodGet || dest != "" && dest != "document" {
		return s.draw(w, r, asked, false)
	}
	return s.draw(w, r, asked, asked.Text != "" || asked.Plan != "" || v.Has("q"))
}

// send is show for a form with a key. A key must not be in an address.
func (s *room) send(w http.ResponseWriter, r *http.Request) error {
	private(w)
	if err := s.Form(w, r); err != nil {
		return err
	}
	f := r.PostForm
	return s.draw(w, r, Question{Text: f.Get("q"), Plan: f.Get("plan"), Key: strings.TrimSpace(f.Get("key"))}, true)
}

// private keeps an answer out of caches and search engines.
func private(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "same-origin")
}

func (s *room) draw(w http.ResponseWriter, r *http.Request, q Question, answer bool) error {
	p := &page{Head: s.Head(r, "Ask in plain English"), Typed: clip(q.Text), Free: account.FreeQuestions}
	p.Section, p.Canonical = "ask", "/ask"
	p.Styles, p.Scripts = []string{"ask.css"}, []string{"ask.js"}
	p.Description = "Ask in plain English who funds whom. Every figure in the answer comes from the filings, and you can see the request behind it."
	p.Token = s.Token(w, r)
	a, err := s.asker(w, r, q.Key)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if answer {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		s.answer(ctx, a, q, &p.reply, func(string) bool { return true })
		if p.Problem != nil {
			status = p.Problem.Status
		}
		if p.Problem != nil && p.Problem.Slug == budget.Busy {
			w.Header().Set("Retry-After", "5")
		}
		w.Header().Set("X-Robots-Tag", "noindex")
		p.Canonical = ""
		if q.Text != "" && p.Problem == nil {
			p.Title = clip(q.Text)
		}
	}
	if !answer && frame.DatasetOf(r).Browsable() {
		p.Examples = s.startersOf(r.Context(), a)
	}
	if p.Left, err = s.Accounts.QuestionsLeft(r.Context(), a.who); err != nil {
		return err
	}
	p.Paying = a.pays()
	return s.pages.Render(w, status, "ask", p)
}

// startersOf are the questions to try of the dataset that is asked.
func (s *room) startersOf(ctx context.Context, a *asker) []string {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.version != a.data.Version() || len(s.starters) < 3 {
		_, unclear := a.Read(ctx, "") // an empty question lists questions to try
		if s.version = a.data.Version(); unclear != nil {
			s.starters = unclear.Try
		}
	}
	return s.starters
}

// clip shortens a typed text that the page repeats.
func clip(text string) string {
	const most = 600
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
