// Package serve runs Grantgraph as a service: it opens the data directory, puts the API and the site behind one address and the
// operators' pages behind another, switches to new snapshots while it runs, and stops without dropping a request. It imports
// nothing from ingest. The domain logic is in the packages below.
package serve

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"grantgraph/client"
	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/clients"
	"grantgraph/internal/serve/compress"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/downloads"
	"grantgraph/internal/serve/mcp"
	"grantgraph/internal/serve/network"
	"grantgraph/internal/serve/oversight"
	"grantgraph/internal/serve/reconcile"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/serve/site/asking"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/site/operator"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/watch"
	"grantgraph/internal/snapshot/remote"
)

type Options struct {
	Data     string          // data directory
	Addr     string          // address of the API and the site; port 0 picks one
	Admin    string          // address of metrics and health; empty for none
	BaseURL  string          // how clients reach Addr; empty derives it from the listener
	Poll     time.Duration   // how often to look for a new snapshot; 0 means two seconds
	Drain    time.Duration   // how long to keep serving, while reporting "not ready", once told to stop
	Accounts account.Options // what plans allow, and how long the audit trail keeps an event; the clock is that of the server
	Mail     mail.Mailer     // sends emails to people; nil writes them to the console
	Proxies  []netip.Prefix  // proxies whose X-Forwarded-For is trusted
	Contact  string          // email or https address of the operator, published on the site and in security.txt; empty publishes none
	Name     string          // of the operator, published on the site; empty publishes none
	Texts    operator.Texts  // of the operator; nil shows those of the program
	SignUp   site.Admission  // who may sign up; the zero Admission is anybody
	Private  bool            // every page needs sign-in, and every request of a program a key

	Database   secret.URL  // PostgreSQL that keeps the accounts; empty keeps them in the data directory
	Secrets    string      // file of the secrets of the service, drawn when absent; empty is one in the data directory
	AdminToken secret.Text // opens the admin endpoints; empty means that there are none
	Trusted    []string    // hosts of agents whose signed keys are of the trusted tier
	// LocalDirectories reads the keys of agents at localhost too, for invented data at a loopback address. Every answer says so.
	LocalDirectories bool
	Directory        httpsig.Keys    // where the keys of signing agents are found; nil asks their hosts
	Outbound         httpsig.Options // how webhooks of watched lists are reached; zero for production

	Downloads remote.Store // has the files of /downloads; nil is the data directory

	SQL *sqlbox.Options // limits of POST /sql; nil means that there is none

	Model asking.Model // reads questions that the page of questions does not understand; nil for none

	Budget *budget.Budget // holds the memory of all requests together; nil means no limit

	Metrics []prometheus.Collector // published with the metrics of the server

	Backups string                 // folder of the backups, for the status
	Returns oversight.Waiting      // the queue of returns that workers read; nil for none
	Sources func(row string) error // adds a row to human.csv; nil where the builds are made elsewhere

	Entrance *Entrance // the addresses, when they are bound already; nil binds them

	Clock func() time.Time
	Log   *slog.Logger

	Version string // of the program, sent to clients that connect

	after       func(time.Duration) <-chan time.Time // nil is time.After
	connections int                                  // at a time; 0 follows from the limit of open files
	free        func(path string) (int64, error)     // bytes on the disk; nil asks the system
}

// Bounds on a request. The longest answer is an aggregate over the whole
// corpus written to a slow client, or a query that uses all of its time.
const (
	readHeaderTimeout = 5 * time.Second
	writeTimeout      = 60 * time.Second
	shutdownTimeout   = 20 * time.Second
	// More than the API accepts, which refuses in its own words.
	maxHeaderBytes = 160 << 10
)

// Server is an opened service. It must be closed.
type Server struct {
	opt      Options
	log      *slog.Logger
	holder   *dataset.Holder
	accounts *account.Store
	keys     *keyring.Ring // signs screening reports
	handler  http.Handler
	pages    *site.Site
	watcher  *watch.Watcher
	api      *api.Handler
	ask      func(context.Context, *dataset.Dataset, api.Inquiry) (client.Answer, func(), error) // as the API answers, in this process
	secrets  *secrets
	entrance *Entrance
	metrics  *metrics
	stopping atomic.Bool
	lost     atomic.Bool // the accounts do not answer

	recent    *oversight.Recent // errors
	refreshed atomic.Int64      // Unix nanoseconds when nothing new was found that cannot be served

	// refused are the last failures that were logged, so that each is logged once.
	refused struct{ snapshot, lists string }

	// store is the file of the accounts as it was opened; nil in a database, or once it was missed.
	store os.FileInfo
}

// Accounts is where the keys of a data directory are kept.
func Accounts(data string) string { return filepath.Join(data, "accounts.db") }

// AccountsLost reports whether a data directory had accounts and its file of
// accounts is missing or empty. A directory that was only built never had any.
func AccountsLost(data string) bool {
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	// Servers that wrote no note have left the file of secrets.
	had := exists(accountsNote(data)) || exists(filepath.Join(data, "secrets.json"))
	// SQLite would make a new store of an empty file, or of a database without tables.
	return had && (!exists(Accounts(data)) || account.BlankSQLite(Accounts(data)))
}

func accountsNote(data string) string { return filepath.Join(data, "accounts.note") }

// OpenAccounts opens the accounts of a service: in a database of PostgreSQL when one is named, else in the data directory.
func OpenAccounts(data string, database secret.URL, opt account.Options) (*account.Store, error) {
	if !database.Empty() {
		return account.OpenPostgres(context.Background(), database.Reveal(), opt)
	}
	store, err := account.OpenSQLite(Accounts(data), opt)
	if err != nil {
		return nil, err
	}
	note := accountsNote(data)
	if _, err := os.Stat(note); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(note, []byte("This directory has accounts. If accounts.db is missing, it was lost.\n"), 0o600); err != nil {
			store.Close()
			return nil, fault.Disk(note, err)
		}
	}
	return store, nil
}

// Open opens the data directory and binds the addresses. Before Run, only the
// address for operators answers, and says that the service is not ready.
func Open(opt Options) (_ *Server, err error) {
	s := &Server{entrance: opt.Entrance, recent: new(oversight.Recent)}
	opt.Log = slog.New(masked{s.recent.Handler(opt.Log.Handler())})
	s.opt, s.log = opt, opt.Log
	if s.opt.Poll <= 0 {
		s.opt.Poll = 2 * time.Second
	}
	if s.opt.Clock == nil {
		s.opt.Clock = time.Now
	}
	if s.opt.after == nil {
		s.opt.after = time.After
	}
	if s.opt.free == nil {
		s.opt.free = disk.Free
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.entrance == nil {
		if s.entrance, err = Bind(opt); err != nil {
			return nil, err
		}
	}
	s.metrics = s.entrance.metrics
	s.entrance.Say(func() string { return "opening the snapshot" })
	if s.holder, err = dataset.Open(opt.Data, dataset.Options{SQL: opt.SQL, Clock: s.opt.Clock, Log: opt.Log}); err != nil {
		return nil, err
	}
	opt.Accounts.Clock = s.opt.Clock
	if s.accounts, err = OpenAccounts(opt.Data, opt.Database, opt.Accounts); err != nil {
		return nil, err
	}
	if opt.Database.Empty() {
		if s.store, err = os.Stat(Accounts(opt.Data)); err != nil {
			return nil, fault.Disk(Accounts(opt.Data), err)
		}
	}
	// The audit log names the server: nobody asked for the first key.
	starting := account.As(context.Background(), account.Actor{Name: "server"})
	if s.keys, err = keyring.Open(starting, s.accounts, s.opt.Clock); err != nil {
		return nil, err
	}
	opt.Secrets = cmp.Or(opt.Secrets, filepath.Join(opt.Data, "secrets.json"))
	if s.secrets, err = openSecrets(opt.Secrets); err != nil {
		return nil, err
	}
	if err := s.entrance.open(); err != nil {
		return nil, err
	}
	if s.opt.BaseURL == "" {
		s.opt.BaseURL, _ = s.entrance.Addresses()
	}
	s.opt.BaseURL = strings.TrimRight(s.opt.BaseURL, "/")
	if _, console := s.opt.Mail.(*mail.Console); s.opt.Mail != nil && !console {
		s.opt.Mail = countedMail{s.opt.Mail, s.metrics.mailFailures}
	}
	post := s.opt.Mail
	if post == nil {
		post = mail.NewConsole(os.Stderr)
	}
	if s.watcher, err = watch.New(watch.Config{
		Store: s.accounts, Acquire: s.holder.Acquire, Mail: post, BaseURL: s.opt.BaseURL, Key: s.secrets.key(), Secret: s.secrets.Forms,
		Outbound: s.opt.Outbound, Budget: s.opt.Budget, Clock: s.opt.Clock, Log: s.log,
	}); err != nil {
		return nil, err
	}
	if err := s.allowLocal(); err != nil {
		return nil, err
	}
	if err := s.route(); err != nil {
		return nil, err
	}
	for _, c := range []prometheus.Collector{freshness{s}, s.watcher} {
		if err := s.metrics.registry.Register(c); err != nil {
			return nil, fmt.Errorf("setting up the metrics: %w", err)
		}
	}
	s.holder.FinishOpening()
	s.refreshed.Store(s.opt.Clock().UnixNano())
	return s, nil
}

// reachable is an address that a client on this machine can use. A listener on every interface has only an unspecified address.
func reachable(addr net.Addr) string {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil || !at.Addr().IsUnspecified() {
		return addr.String()
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
}

func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fault.New("address", "cannot listen on %s: %w", addr, err).
			Try("another address with %s, such as 127.0.0.1:0 for any free port", flag)
	}
	return l, nil
}

// Probe reports whether a server could listen on an address now.
func Probe(addr string) error {
	l, err := listen("--addr", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

func (s *Server) route() error {
	examiner, err := agent.NewExaminer(s.secrets.Forms)
	if err != nil {
		return fmt.Errorf("setting up challenges: %w", err)
	}
	apiHandler, err := NewAPI(API{
		Config: api.Config{
			BaseURL: s.opt.BaseURL, Accounts: s.accounts, Clock: s.opt.Clock, Log: s.log, Address: s.address, Local: s.opt.LocalDirectories,
			Budget: s.opt.Budget, AdminToken: s.opt.AdminToken, Panicked: s.holder.Suspect,
			Acquire: func() (api.Dataset, func()) {
				d, release := s.holder.Acquire()
				return asRead(d), release
			},
		},
		Examiner: examiner, Directory: s.opt.Directory, Trusted: s.opt.Trusted, SQL: s.opt.SQL != nil, Ring: s.keys, Watcher: s.watcher,
		Desk: s.desk(),
	})
	if err != nil {
		return fmt.Errorf("setting up the API: %w", err)
	}
	s.api = apiHandler
	s.ask = func(ctx context.Context, d *dataset.Dataset, q api.Inquiry) (client.Answer, func(), error) {
		q.Data = asRead(d)
		return apiHandler.Ask(ctx, q)
	}
	whose, err := frame.NewOperator(s.opt.Name, s.opt.Contact)
	if err != nil {
		return err
	}
	if s.opt.Downloads == nil {
		if s.opt.Downloads, err = remote.Open(s.opt.Data, remote.Options{}); err != nil {
			return err
		}
	}
	files := downloads.New(downloads.Config{
		Store: s.opt.Downloads, API: apiHandler, Charge: s.accounts.Charge, Address: s.address, Clock: s.opt.Clock, Log: s.log,
	})
	s.pages, err = site.New(site.Config{
		BaseURL: s.opt.BaseURL, Acquire: s.holder.Acquire, Ask: s.ask,
		API: apiHandler, Accounts: s.accounts,
		Mail: s.opt.Mail, Address: s.address, Secret: s.secrets.Forms, Clock: s.opt.Clock, Log: s.log,
		Budget: s.opt.Budget, Ring: s.keys, Operator: whose, Texts: s.opt.Texts, SignUp: s.opt.SignUp,
		Private: s.opt.Private, Model: s.opt.Model, Watcher: s.watcher, Downloads: files.Latest,
	})
	if err != nil {
		return fmt.Errorf("setting up the site: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", apiHandler)
	for _, path := range asking.Paths {
		// The API refuses every caller but the page.
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if s.pages.Asks(r) {
				s.pages.ServeHTTP(w, r)
				return
			}
			apiHandler.ServeHTTP(w, r)
		})
	}
	tools, err := s.tools(nil)
	if err != nil {
		return fmt.Errorf("setting up the tools: %w", err)
	}
	for _, path := range tools.Paths() {
		mux.Handle(path, tools)
	}
	mux.Handle("/openapi.json", apiHandler)
	mux.Handle(api.AdminDocument, apiHandler)
	mux.Handle("/llms.txt", apiHandler)
	mux.Handle(clients.Root, clients.Handler(clients.Config{
		OpenAPI: OpenAPI, Examples: Examples, BaseURL: s.opt.BaseURL, Failed: func(err error) { s.log.Error("a client could not be made", "error", err) },
	}))
	mux.Handle("/downloads", s.pages)
	mux.HandleFunc("GET "+downloads.Root, func(w http.ResponseWriter, r *http.Request) { files.ServeHTTP(w, s.pages.AsMember(r)) })
	mux.HandleFunc(jwksPath, s.jwks)
	mux.Handle("/.well-known/", apiHandler)
	mux.Handle("/.well-known/security.txt", s.pages)
	directory, err := httpsig.NewPublisher(s.opt.BaseURL, s.secrets.key())
	if err != nil {
		return fmt.Errorf("setting up the key directory: %w", err)
	}
	directory.Now = s.opt.Clock
	mux.Handle(httpsig.Path, directory)
	reconciling := reconcile.New(reconcile.Config{
		BaseURL: s.opt.BaseURL, Acquire: s.holder.Acquire, Accounts: s.accounts, Address: s.address,
		Budget: s.opt.Budget, Clock: s.opt.Clock, Log: s.log,
	})
	mux.Handle(reconcile.Root02, reconciling)
	mux.Handle(reconcile.Root02+"/", reconciling)
	mux.Handle("/", s.pages)
	s.health(mux)
	var all http.Handler = mux
	if s.opt.Private {
		all = s.closed(all)
	}
	s.handler = s.metrics.watch(s.log, apiHandler.Route, s.client, s.holder.Suspect, s.opt.Private, compress.Handler(all))
	return nil
}

// tools are the operations as tools for language models. Without authorize, each call uses the key it carries.
func (s *Server) tools(authorize func(*http.Request, http.Header) *http.Request) (*mcp.Service, error) {
	return mcp.New(mcp.Config{
		Reference: s.api.Reference(), API: mcp.InProcess(s.api), Authorize: authorize, Version: s.opt.Version, Address: s.address, Budget: s.opt.Budget, Log: s.log,
		Payer: func(r *http.Request) string { return account.Payer(r.Context(), s.accounts, r.Header) },
	})
}

// Tools are the same for the owner of the data: nothing is charged.
func (s *Server) Tools() (*mcp.Service, error) {
	return s.tools(func(r *http.Request, _ http.Header) *http.Request { return api.AsOwner(r) })
}

// Asker answers questions in plain English from the current dataset, which is held
// until release is called. It is for the owner of the data, so nothing is charged.
func (s *Server) Asker() (a *ask.Asker, release func()) {
	d, release := s.holder.Acquire()
	return ask.New(ask.Source{Data: d, Ask: s.ask, Caller: api.Caller{Paid: true, Pro: true}, BaseURL: s.opt.BaseURL}), release
}

// address is the address of the client of a request. A trusted proxy appends the address of its client to X-Forwarded-For. The
// addresses before that one cannot be trusted.
func (s *Server) address(r *http.Request) string {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	peer := from.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusts(peer); i-- {
		before, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		peer = before.Unmap()
	}
	return peer.String()
}

// client names the network of a client in the log for a day: a keyed hash, so that the log says which requests belong together
// today, and nobody learns the address or follows a client from day to day.
func (s *Server) client(r *http.Request) string {
	h := hmac.New(sha256.New, s.secrets.Forms)
	fmt.Fprintf(h, "log %s %s", s.opt.Clock().UTC().Format(time.DateOnly), network.Near(s.address(r)))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func (s *Server) trusts(proxy netip.Addr) bool {
	return slices.ContainsFunc(s.opt.Proxies, func(p netip.Prefix) bool { return p.Contains(proxy) })
}

// health adds the questions a load balancer asks.
func (s *Server) health(mux *http.ServeMux) {
	alive(mux)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if version, ok := s.ready(w, r); ok && s.lost.Load() {
			fmt.Fprintf(w, "ready %s\nthe accounts do not answer, or their disk is full: requests that need them get 503, all others are served\n", version)
		} else if ok {
			fmt.Fprintln(w, "ready", version)
		}
	})
	// A load balancer that checks this avoids a server that has lost the account database while other servers have it.
	mux.HandleFunc("GET /readyz/accounts", func(w http.ResponseWriter, r *http.Request) {
		if version, ok := s.ready(w, r); ok && s.lost.Load() {
			unavailable(w, r, "store_unavailable", "The accounts do not answer, or their disk is full.", otherServer)
		} else if ok {
			fmt.Fprintln(w, "ready", version)
		}
	})
}

// alive answers as long as the process does.
func alive(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
}

// ready returns the version being served, or answers why another server should be asked.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) (version string, ok bool) {
	d, release := s.holder.Acquire()
	defer release()
	switch {
	case s.stopping.Load():
		unavailable(w, r, "stopping", "This server is being stopped.", otherServer)
	case len(d.Damaged()) > 0:
		unavailable(w, r, "damaged", "Files of the dataset are damaged or missing: "+strings.Join(d.Damaged(), ", ")+".", otherServer)
	default:
		return d.Version(), true
	}
	return "", false
}

const otherServer = "send requests to another server"

// unavailable answers 503 in the words of the API.
func unavailable(w http.ResponseWriter, r *http.Request, slug, message, hint string) {
	w.Header().Set("Retry-After", "5")
	fail(w, r, client.Failure{Code: http.StatusServiceUnavailable, Message: message, Error: slug, Hint: hint})
}

func fail(w http.ResponseWriter, r *http.Request, f client.Failure) {
	f.RequestID = api.RequestID(r)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", f.RequestID)
	w.WriteHeader(f.Code)
	_ = json.NewEncoder(w).Encode(f)
}

// Handler answers requests in process, without a listener.
func (s *Server) Handler() http.Handler { return s.handler }

// Store is the account store that the server charges against.
func (s *Server) Store() *account.Store { return s.accounts }

func (s *Server) URL() string { return s.opt.BaseURL }

// Run serves until the context ends, keeps serving for the drain time, then finishes the requests under way.
func (s *Server) Run(ctx context.Context) error {
	public := &http.Server{
		Handler: budget.Pace(s.parting(s.handler)), ReadHeaderTimeout: readHeaderTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	clients := s.limited(s.entrance.public)
	public.ConnState = clients.watch
	failed := make(chan error, 1)
	go func() { failed <- public.Serve(clients) }()
	servers := []*http.Server{public}
	if s.entrance.admin != nil {
		mux := s.entrance.mux()
		s.health(mux)
		mux.Handle("GET /{$}", oversight.Page(s.desk().Status))
		s.entrance.answer(mux)
		servers = append(servers, s.entrance.operators)
	}
	s.showDamage()
	s.log.Info("serving", append([]any{"url", s.opt.BaseURL}, s.about()...)...)
	ctx, end := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { s.follow(ctx) })
	following.Go(func() { s.watchAccounts(ctx) })
	following.Go(func() { s.watcher.Run(ctx) })

	var first error
	select {
	case first = <-failed:
	case first = <-s.entrance.failed:
	case <-ctx.Done():
		// Load balancers see that the server is not ready before it refuses connections.
		s.stopping.Store(true)
		if s.opt.Drain > 0 {
			s.log.Info("no longer ready; serving on", "for", s.opt.Drain)
			select {
			case first = <-failed:
			case first = <-s.entrance.failed:
			case <-s.opt.after(s.opt.Drain):
			}
		}
	}
	stop, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	for _, srv := range servers {
		if err := srv.Shutdown(stop); first == nil {
			first = err
		}
	}
	end()
	following.Wait() // so that Close does not close a dataset that is being opened
	s.log.Info("stopped")
	if errors.Is(first, http.ErrServerClosed) {
		return nil
	}
	return first
}

// parting closes keep-alive connections once the server is told to stop, so that clients connect to other servers.
func (s *Server) parting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// pingTimeout is when the account store counts as lost. Requests wait longer.
const pingTimeout = 3 * time.Second

// watchAccounts keeps track of whether the account store answers. Asking here, and
// not on every health check, keeps strangers from asking the database often.
func (s *Server) watchAccounts(ctx context.Context) {
	tick := time.NewTicker(s.opt.Poll)
	defer tick.Stop()
	for {
		ping, cancel := context.WithTimeout(ctx, pingTimeout)
		err := s.accounts.Ping(ping)
		cancel()
		if err == nil {
			err = s.diskFull()
		}
		if ctx.Err() != nil {
			return
		}
		if lost := err != nil; s.lost.Swap(lost) != lost {
			if lost {
				s.log.Error("the accounts do not answer, or their disk is full; requests that need them get 503, all others are served", "error", err)
			} else {
				s.log.Info("the accounts answer again")
			}
		}
		s.metrics.accountsUp.Set(gauged[err == nil])
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// leastDisk is how many bytes must be free on the disk of the accounts. Below that a
// charge may fail at any moment, and with it most requests.
const leastDisk = 16 << 20

// diskFull returns an error when the disk of the accounts is full. It is nil when the accounts are in a database elsewhere.
func (s *Server) diskFull() error {
	if !s.opt.Database.Empty() {
		return nil
	}
	if free, err := s.opt.free(s.opt.Data); err == nil && free < leastDisk {
		return fault.New("disk_full", "the disk of the accounts has only %d bytes left", free).Try("free some space")
	}
	return nil
}

// follow switches to new snapshots and lists as they are published.
func (s *Server) follow(ctx context.Context) {
	tick := time.NewTicker(s.opt.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.refresh()
		}
	}
}

// about is the dataset being served, for the log.
func (s *Server) about() []any {
	d, release := s.holder.Acquire()
	defer release()
	return []any{"dataset", d.Version(), "grants", d.Snapshot.Manifest.Counts.Grants, "lists", d.Lists.Version()}
}

func (s *Server) refresh() {
	swapped, failed := s.holder.Refresh()
	s.complain(&s.refused.snapshot, "the new snapshot cannot be served; the old one stays", failed)
	if swapped {
		s.metrics.swaps.Inc()
		s.log.Info("serving a new snapshot", s.about()...)
	}
	swapped, err := s.holder.RefreshLists()
	s.complain(&s.refused.lists, "the new lists cannot be served; what was served stays", err)
	if swapped {
		s.log.Info("serving new lists", s.about()...)
	}
	if failed == nil && err == nil {
		s.refreshed.Store(s.opt.Clock().UnixNano())
	}
	s.showDamage()
	s.holder.InspectDaily()
	s.guardStore()
}

// showDamage says in the metrics which parts of the dataset are out of service.
func (s *Server) showDamage() {
	d, release := s.holder.Acquire()
	defer release()
	damaged := d.Damaged()
	for _, part := range dataset.Parts {
		s.metrics.damaged.WithLabelValues(part).Set(gauged[slices.Contains(damaged, part)])
	}
}

// guardStore complains once when the file of the accounts was removed or replaced.
// SQLite goes on with the file it has opened, which is lost when the server stops.
func (s *Server) guardStore() {
	if s.store == nil {
		return
	}
	path := Accounts(s.opt.Data)
	if now, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.store) {
		s.store = nil
		s.log.Error("the file of the accounts was removed or replaced under the server, which keeps using the old one; "+
			"what is charged and changed from now on is lost when it stops: start it again soon", "path", path)
	}
}

// complain logs and counts a failure when it is new. The server tries again every
// few seconds, and the same message each time would fill the log.
func (s *Server) complain(last *string, text string, err error) {
	if err == nil {
		*last = ""
	} else if now := err.Error(); now != *last {
		*last = now
		s.metrics.refreshFailures.Inc()
		s.log.Error(text, "error", err)
	}
}

// Close closes everything. Run must have returned.
func (s *Server) Close() {
	if s.entrance != nil {
		s.entrance.Close()
	}
	if s.pages != nil {
		s.pages.Close()
	}
	if s.accounts != nil {
		if err := s.accounts.Close(); err != nil {
			s.log.Error("closing the accounts", "error", err)
		}
	}
	if s.holder != nil {
		s.holder.Close()
	}
}

// jwksPath is the path of the public keys that verify screening reports.
const jwksPath = "/.well-known/jwks.json"

// jwks publishes the keys. Clients may keep the document for five minutes, so a
// client that asks before each report learns of a compromised key within that time.
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "The signing keys are read with GET.", http.StatusMethodNotAllowed)
		return
	}
	keys, err := s.keys.Keys(r.Context())
	if err != nil && r.Context().Err() != nil {
		return // no request waits for it
	}
	if err != nil {
		s.log.Error("the signing keys cannot be read", "error", err)
		unavailable(w, r, "store_unavailable", "The signing keys cannot be read at the moment.", "send the request again in a few seconds")
		return
	}
	h.Set("Content-Type", keyring.MediaType)
	h.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(keyring.JWKS(keys)) // a reader that has gone needs no answer
}

// desk is the service as its operators see it.
type desk struct {
	*oversight.Source
	opt *Options
}

func (s *Server) desk() desk {
	return desk{&oversight.Source{
		Data: s.opt.Data, Backups: s.opt.Backups, Store: oversight.StoreName(Accounts(s.opt.Data), s.opt.Database), Accounts: s.accounts,
		Returns: s.opt.Returns, Refreshed: func() time.Time { return time.Unix(0, s.refreshed.Load()) }, Recent: s.recent, Clock: s.opt.Clock, Sources: s.opt.Sources,
	}, &s.opt}
}

func (d desk) Deliver(ctx context.Context, email, token string, send bool) (link string, err error) {
	if link = site.Link(d.opt.BaseURL, "/reset", token); !send {
		return link, nil
	}
	if d.opt.Mail == nil {
		return "", fault.New("no_mail", "This service has no mail server.").Try("leave out send, and send the link yourself")
	}
	whose, err := frame.NewOperator(d.opt.Name, d.opt.Contact)
	if err != nil {
		return "", err
	}
	e, err := site.Email(d.opt.BaseURL, whose, email, "invitation", link)
	if err == nil {
		err = d.opt.Mail.Send(ctx, e)
	}
	if err != nil {
		return "", fault.New("not_sent", "The mail server did not take the invitation.").Try("leave out send, and send the link yourself")
	}
	return "", nil
}
