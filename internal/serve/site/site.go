// Package site is the website: pages drawn on the server from the snapshot being served, with one hand-written stylesheet and a
// little script for the search box and the SQL editor. The pages only read the data.
//
// People also have accounts here: they sign up and in, make and rotate keys, and see what they have used. Those pages are never
// cached, every form is tied to a cookie of its visitor, and no answer reveals whether an email address has an account.
//
// Members screen organizations without a key. This package words the findings of
// package screen and stores none of them. Anybody may verify a report.
package site

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/network"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/site/asking"
	"grantgraph/internal/serve/site/atlas"
	"grantgraph/internal/serve/site/explore"
	"grantgraph/internal/serve/site/find"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/site/onegrant"
	"grantgraph/internal/serve/site/operator"
	"grantgraph/internal/serve/site/organization"
	"grantgraph/internal/serve/site/robots"
	"grantgraph/internal/serve/site/visitor"
	"grantgraph/internal/serve/warehouse"
	watching "grantgraph/internal/serve/watch"
)

//go:embed pages/*.html
var pages embed.FS

var templates = frame.PagesOf(pages, functions)

// Config configures the site.
type Config struct {
	BaseURL string // absolute, without a trailing slash
	Acquire func() (*dataset.Dataset, func())
	// Ask answers operations as the API does.
	Ask func(context.Context, *dataset.Dataset, api.Inquiry) (a client.Answer, release func(), err error)
	// API is the API that the documentation describes and that members call from its pages; nil if there is none.
	API      *api.Handler
	Accounts *account.Store
	Mail     mail.Mailer                // nil writes emails to the console
	Address  func(*http.Request) string // network address of a client; nil uses the connection's
	Secret   []byte                     // key of forms and flashes, the same on every server of a site; nil draws a random one
	Clock    func() time.Time           // nil is the clock of the machine
	Budget   *budget.Budget             // bounds the memory of all requests together; nil is unbounded
	Rate     visitor.Rate               // limit of pages per visitor; zero is Pages
	Operator frame.Operator             // who runs the service
	SignUp   Admission                  // who may sign up; the zero Admission is anybody
	Private  bool                       // every page needs sign-in, which the server sees to
	Texts    operator.Texts             // the operator's own texts; nil shows those of the program
	Ring     *keyring.Ring              // signs reports of screenings, and knows the keys to verify them with
	Model    asking.Model               // plans questions that the parser does not understand; nil for none
	// Downloads is the newest release of the files of the tables; nil where there are none.
	Downloads func(context.Context) (*warehouse.DataPackage, error)
	Watcher   *watching.Watcher // of lists; nil makes one that calls no webhook, since it has no key
	Log       *slog.Logger
}

// Site is the handler of all pages. It must be closed.
type Site struct {
	Config
	handler http.Handler
	frame   *frame.Frame
	pages   frame.Pages
	secure  bool // cookies are Secure
	origin  *http.CrossOriginProtection
	csrfKey []byte
	askKey  []byte // signs the cookies and plans of the Ask page
	flashes cipher.AEAD
	outbox  outbox
	files   downloads
}

// minSecret is the shortest secret that an operator may set, in bytes.
const minSecret = 32

// New makes the handler of all pages.
func New(c Config) (*Site, error) {
	s := &Site{Config: c, origin: http.NewCrossOriginProtection()}
	s.outbox.slots = make(chan struct{}, emailsAtOnce)
	if err := s.configure(); err != nil {
		return nil, err
	}
	s.pages = templates
	s.frame = frame.New(frame.Config{BaseURL: s.BaseURL, Ask: s.Ask, Budget: s.Budget, Log: s.Log, Member: s.memberOf, Address: s.Address,
		Operator: s.Operator, SignedIn: func(r *http.Request) bool { return s.cookie(r, sessionCookie) != "" }})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /data", s.frame.Handle(s.serveData))
	mux.HandleFunc("GET /downloads", s.frame.Handle(s.serveDownloads))
	mux.Handle("GET /static/", frame.Files())
	mux.HandleFunc("/", s.frame.Handle(s.serveOther(mux)))
	s.routeSignIn(mux)
	s.routeAccount(mux)
	s.routeCheck(mux)
	s.routeLists(mux)
	s.routeWatching(mux)
	s.routeVerify(mux)
	s.routeDownload(mux)
	s.routeSQL(mux)
	s.routeAsking(mux)
	s.routeCorrections(mux)
	for _, route := range []func(*http.ServeMux, *frame.Frame){find.Route, explore.Route, organization.Route, onegrant.Route, atlas.Route} {
		route(mux, s.frame)
	}
	robots.Route(mux, s.frame, robots.Config{Clock: s.Clock, Further: s.routeManual(mux)})
	if err := s.routeOperator(mux); err != nil {
		return nil, err
	}
	s.handler = secured(s.acquiring(s.bounded(mux)))
	return s, nil
}

// configure fills in defaults.
func (s *Site) configure() error {
	base, err := url.Parse(s.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return fault.New("bad_base_url", "%q is not the address of a site", s.BaseURL).Try("--base-url https://grants.example.org")
	}
	if err := s.origin.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		return fault.New("bad_base_url", "%q is not the address of a site: %w", s.BaseURL, err).Try("--base-url https://grants.example.org")
	}
	if s.secure = secureAt(base); s.secure && base.Scheme == "http" {
		s.Log.Warn("nobody can sign in over plain http; put a proxy that ends TLS in front and name its address as the base URL", "base_url", s.BaseURL)
	}
	if s.Clock == nil {
		s.Clock = time.Now
	}
	if s.Address == nil {
		s.Address = func(r *http.Request) string {
			at, _ := network.Parse(r.RemoteAddr)
			return at.String()
		}
	}
	if s.Rate == (visitor.Rate{}) {
		s.Rate = Pages
	}
	if s.Watcher == nil {
		if s.Watcher, err = watching.New(watching.Config{Store: s.Accounts, BaseURL: s.BaseURL, Clock: s.Clock}); err != nil {
			return err
		}
	}
	if s.Mail == nil {
		s.Mail = mail.NewConsole(os.Stderr)
		if s.secure {
			s.Log.Warn("no mail server is set: emails to people go to the console")
		}
	}
	secret := s.Secret
	if len(secret) == 0 {
		secret = make([]byte, minSecret)
		rand.Read(secret) // never fails
	}
	if len(secret) < minSecret {
		return fault.New("bad_secret", "the secret of the site has %d bytes, %d are the least", len(secret), minSecret).Try("the output of: openssl rand -hex 32")
	}
	var flashKey []byte
	for purpose, key := range map[string]*[]byte{"forms": &s.csrfKey, "questions": &s.askKey, "flashes": &flashKey} {
		if *key, err = hkdf.Key(sha256.New, secret, nil, purpose, 32); err != nil {
			return err
		}
	}
	block, err := aes.NewCipher(flashKey)
	if err == nil {
		s.flashes, err = cipher.NewGCMWithRandomNonce(block)
	}
	return err
}

// ServeHTTP answers a request for a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close waits for emails that are being sent. No request may come after it.
func (s *Site) Close() { s.outbox.wg.Wait() }

// secured sets the security headers: everything comes from this site only.
func secured(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; font-src 'self'; style-src 'self'; script-src 'self'; frame-ancestors "+
			"'none'; base-uri 'none'; form-action 'self'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		h.ServeHTTP(w, r)
	})
}

// acquiring pins one dataset for the whole of a request, so that a page never mixes
// two. Static files need no dataset, but the page for a missing file does.
func (s *Site) acquiring(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/static/") && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			h.ServeHTTP(w, r)
			return
		}
		d, release := s.Acquire()
		defer release()
		w.Header().Set("X-Dataset-Version", d.Version())
		if d.Snapshot.Manifest.Invented {
			w.Header().Set("X-Robots-Tag", "noindex") // invented data must not appear in search engines
		}
		pinned := frame.Pin(r, d)
		defer func() { r.Pattern = pinned.Pattern }() // for the metrics and the log
		h.ServeHTTP(w, pinned)
	})
}

// Most characters and results of the search box in a form, as its script has them.
const (
	mostTyped = 200
	mostFound = 8
)

// serveOther answers addresses that no page has. It answers 405 if a page has the address for another method, because the
// catch-all pattern hides that from the mux.
func (s *Site) serveOther(mux *http.ServeMux) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		var allow []string
		for _, method := range []string{"GET", "HEAD", "POST"} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" {
				allow = append(allow, method)
			}
		}
		if len(allow) == 0 {
			return frame.Missing
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		return frame.Refuse(http.StatusMethodNotAllowed, "Method not allowed", "This address answers "+strings.Join(allow, " and ")+" only.")
	}
}
