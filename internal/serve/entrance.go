package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Entrance holds the addresses of a service. The address for operators is open from
// the beginning, and says why the service is not ready. The address for clients
// opens when there is a dataset to serve: a load balancer that has not noticed the
// restart finds the port closed and asks another server, instead of passing on a
// 503.
type Entrance struct {
	addr          string       // of clients
	public, admin net.Listener // nil where there is none
	metrics       *metrics
	log           *slog.Logger
	state         atomic.Pointer[func() string]
	waiting       []*http.Server
	running       sync.WaitGroup
}

// Bind binds the address for operators and answers there that the service is not
// ready, until a Server with this entrance runs. It also checks at once that the
// address for clients is free.
func Bind(opt Options) (_ *Entrance, err error) {
	e := &Entrance{addr: opt.Addr, metrics: newMetrics(opt.Budget), log: opt.Log}
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
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", e.metrics.handler())
		e.wait(e.admin, mux)
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

// Addresses are the bound addresses, as a client on this machine writes them. An
// address that is not bound is empty.
func (e *Entrance) Addresses() (public, admin string) {
	if e.public != nil {
		public = "http://" + reachable(e.public.Addr())
	}
	if e.admin != nil {
		admin = "http://" + reachable(e.admin.Addr())
	}
	return public, admin
}

// wait answers at an address until the server takes over.
func (e *Entrance) wait(l net.Listener, mux *http.ServeMux) {
	alive(mux)
	notReady := func(w http.ResponseWriter, r *http.Request) {
		unavailable(w, r, "starting", "Not ready: "+(*e.state.Load())()+".", otherServer)
	}
	mux.HandleFunc("GET /readyz", notReady)
	mux.HandleFunc("GET /readyz/accounts", notReady)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		unavailable(w, r, "no_dataset", "No dataset is being served yet.", "ask again in a moment")
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readHeaderTimeout, WriteTimeout: writeTimeout,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(e.log.Handler(), slog.LevelWarn)}
	srv.SetKeepAlivesEnabled(false) // the next request of this client goes to the service
	e.waiting = append(e.waiting, srv)
	e.running.Go(func() {
		if err := srv.Serve(kept{l}); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error("an address is no longer answered", "addr", l.Addr().String(), "error", err)
		}
	})
}

// handOver ends the waiting. The addresses stay bound, so a connection that arrives
// in between waits for the server.
func (e *Entrance) handOver() error {
	// Answers here are short. A connection that has not sent a request by then is
	// closed, because clients are waiting already.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, srv := range e.waiting {
		if srv.Shutdown(ctx) != nil {
			_ = srv.Close()
		}
	}
	e.waiting = nil
	e.running.Wait()
	for _, l := range []net.Listener{e.public, e.admin} {
		if l == nil {
			continue
		}
		if err := (kept{l}).deadline(time.Time{}); err != nil {
			return fmt.Errorf("listening on %s: %w", l.Addr(), err)
		}
	}
	return nil
}

// Close gives the addresses back. It may be called more than once.
func (e *Entrance) Close() {
	for _, srv := range e.waiting {
		_ = srv.Close()
	}
	for _, l := range []net.Listener{e.public, e.admin} {
		if l != nil {
			_ = l.Close()
		}
	}
	e.running.Wait()
}

// kept is a listener that outlives the server it is given to: closed, it no longer
// accepts, and stays bound.
type kept struct{ net.Listener }

func (k kept) Close() error { return k.deadline(time.Unix(1, 0)) }

func (k kept) deadline(t time.Time) error { return k.Listener.(*net.TCPListener).SetDeadline(t) }
