package serve

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
)

// Entrance holds the addresses of a service. That for operators is open from the beginning. That for clients opens when there
// is a dataset: a load balancer finds it closed and asks another server.
type Entrance struct {
	addr          string       // of clients
	public, admin net.Listener // nil where there is none
	operators     *http.Server // answers at admin; nil where there is none
	handler       atomic.Pointer[http.Handler]
	failed        chan error // why operators are no longer answered
	metrics       *metrics
	state         atomic.Pointer[func() string]
}

// Bind binds the address for operators, and checks at once that the address for clients is free.
func Bind(opt Options) (_ *Entrance, err error) {
	e := &Entrance{addr: opt.Addr, metrics: newMetrics(opt.Budget), failed: make(chan error, 1)}
	e.Say(func() string { return "starting" })
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	for _, more := range opt.Metrics {
		if err := e.metrics.registry.Register(more); err != nil {
			return nil, fmt.Errorf("setting up the metrics: %w", err)
		}
	}
	if opt.Addr != "" {
		if err := Probe(opt.Addr); err != nil {
			return nil, err
		}
	}
	if opt.Admin != "" {
		if e.admin, err = listen("--admin", opt.Admin); err != nil {
			return nil, err
		}
		e.wait(opt.Log)
		_, admin := e.Addresses()
		opt.Log.Info("listening", "admin", admin)
	}
	return e, nil
}

func (e *Entrance) open() (err error) {
	if e.addr != "" {
		e.public, err = listen("--addr", e.addr)
	}
	return err
}

// Say sets the reason why the service is not ready, in a few words.
func (e *Entrance) Say(state func() string) { e.state.Store(&state) }

// Addresses are the bound addresses, as a client on this machine writes them. An address that is not bound is empty.
func (e *Entrance) Addresses() (public, admin string) {
	if e.public != nil {
		public = "http://" + reachable(e.public.Addr())
	}
	if e.admin != nil {
		admin = "http://" + reachable(e.admin.Addr())
	}
	return public, admin
}

// wait answers operators until the service answers them. One HTTP server does both, so that no request is lost in between.
func (e *Entrance) wait(log *slog.Logger) {
	mux := e.mux()
	alive(mux)
	notReady := func(w http.ResponseWriter, r *http.Request) {
		unavailable(w, r, "starting", "Not ready: "+(*e.state.Load())()+".", otherServer)
	}
	mux.HandleFunc("GET /readyz", notReady)
	mux.HandleFunc("GET /readyz/accounts", notReady)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		unavailable(w, r, "no_dataset", "No dataset is being served yet.", "ask again in a moment")
	})
	e.answer(mux)
	e.operators = &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*e.handler.Load()).ServeHTTP(w, r) }),
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readHeaderTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() { e.failed <- e.operators.Serve(e.admin) }()
}

// mux answers with the metrics, which exist before the service does.
func (e *Entrance) mux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", e.metrics.handler())
	return mux
}

func (e *Entrance) answer(h http.Handler) { e.handler.Store(&h) }

// Close gives the addresses back. It may be called more than once.
func (e *Entrance) Close() {
	if e.operators != nil {
		_ = e.operators.Close()
	}
	for _, l := range []net.Listener{e.public, e.admin} {
		if l != nil {
			_ = l.Close()
		}
	}
}
