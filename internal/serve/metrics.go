package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"grantgraph/internal/each"
	"grantgraph/internal/release"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/site/mail"
)

type metrics struct {
	registry        *prometheus.Registry
	requests        *prometheus.CounterVec
	latency         *prometheus.HistogramVec
	inFlight        prometheus.Gauge
	swaps           prometheus.Counter
	refreshFailures prometheus.Counter
	cutOff          prometheus.Counter
	accountsUp      prometheus.Gauge
	mailFailures    prometheus.Counter
	damaged         *prometheus.GaugeVec

	connections        prometheus.Gauge
	connectionsRefused prometheus.Counter
}

func newMetrics(memory *budget.Budget) *metrics {
	registry := prometheus.NewRegistry()
	to := promauto.With(registry)
	counter := func(name, help string) prometheus.Counter {
		return to.NewCounter(prometheus.CounterOpts{Name: "grantgraph_" + name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return to.NewGauge(prometheus.GaugeOpts{Name: "grantgraph_" + name, Help: help})
	}
	bytes := func(name, help string, of func() int64) {
		to.NewGaugeFunc(prometheus.GaugeOpts{Name: "grantgraph_" + name, Help: help}, func() float64 { return float64(of()) })
	}
	m := &metrics{
		registry: registry,
		requests: to.NewCounterVec(
			prometheus.CounterOpts{Name: "grantgraph_requests_total", Help: "Requests by route and status."}, []string{"route", "status"}),
		latency: to.NewHistogramVec(prometheus.HistogramOpts{
			Name: "grantgraph_request_seconds", Help: "Response time, by route.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30},
		}, []string{"route"}),
		inFlight:        gauge("requests_in_flight", "Requests in progress."),
		swaps:           counter("snapshot_swaps_total", "New snapshots that the running server switched to."),
		refreshFailures: counter("snapshot_refresh_failures_total", "Failed attempts to switch to a new snapshot or new lists."),
		cutOff:          counter("clients_cut_off_total", "Responses cut off because the client did not read them in time."),
		accountsUp:      gauge("accounts_up", "1 while the account database responds."),
		mailFailures:    counter("mail_failures_total", "Emails that the mail server did not accept."),
		damaged: to.NewGaugeVec(
			prometheus.GaugeOpts{Name: "grantgraph_dataset_damaged", Help: "1 while damaged files put this part of the dataset out of service."}, []string{"part"}),

		connections:        gauge("connections", "Open client connections."),
		connectionsRefused: counter("connections_refused_total", "Connections refused because there were too many, in total or from one network."),
	}
	for _, part := range dataset.Parts {
		m.damaged.WithLabelValues(part).Set(0)
	}
	program := release.Current()
	to.NewGauge(prometheus.GaugeOpts{
		Name: "grantgraph_build_info", Help: "Always 1; the labels show which release is running.",
		ConstLabels: prometheus.Labels{"version": program.Version, "commit": program.Commit, "date": program.Date, "go": runtime.Version()},
	}).Set(1)
	bytes("memory_held_bytes", "Memory that requests in progress hold.", memory.Held)
	bytes("memory_budget_bytes", "Memory that all requests together may hold; 0 means no limit.", memory.Size)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// route reduces a request to one of a few names, so that strangers cannot make the metrics grow: the path of an operation, or the
// first part of the pattern by which the page is registered.
func route(r *http.Request, operation func(path string) string) string {
	if op := operation(r.URL.Path); op != "" {
		return op
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		return "/api/other"
	}
	_, pattern, _ := strings.Cut(r.Pattern, "/")
	switch head, _, _ := strings.Cut(pattern, "/"); head {
	case "{$}":
		return "/"
	case "":
		return "/other"
	default:
		return "/" + head
	}
}

// shownPaths are the routes of the site whose paths are logged. Other paths may name a person, or be typed by mistake.
var shownPaths = strings.Fields("org place cause compare check static data docs sql search ask explore mcp reconcile account signin signup " +
	"clients downloads openapi.json openapi-admin.json llms.txt healthz readyz sitemap .well-known robots.txt")

// shown is a path as it is logged: of the API that of the operation, because a path may have a key or an address.
func shown(r *http.Request, operation func(path string) string) string {
	path := r.URL.Path
	if !strings.HasPrefix(path, "/api/") {
		if head, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); head == "" || slices.Contains(shownPaths, head) {
			return path
		}
		return route(r, operation)
	}
	if op := operation(path); op != "" {
		return api.Versioned + op
	}
	part := strings.SplitN(path, "/", 5)
	if len(part) < 5 {
		return path
	}
	return strings.Join(part[:4], "/") + "/…"
}

// statusGone is counted and logged for a request whose client left before the answer. It is no failure.
const statusGone = 499

// watch counts and logs every request. operation is the path of the operation that a request is for, empty for none; from names
// the client without its address. A private service lets no shared cache keep its answers.
func (m *metrics) watch(
	log *slog.Logger, operation func(path string) string, from func(*http.Request) string, panicked func(), private bool, next http.Handler,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.inFlight.Inc()
		defer m.inFlight.Dec()
		start := time.Now()
		ctx, key := api.Noting(r.Context())
		r = r.WithContext(ctx)
		seen := &observed{ResponseWriter: w, status: http.StatusOK, private: private}
		// Pages have no other request ID; the API sets its own.
		seen.Header().Set("X-Request-Id", api.RequestID(r))
		if !survive(log, operation, next, seen, r) {
			panicked()
		}
		took := time.Since(start)
		if seen.status == http.StatusServiceUnavailable && r.Context().Err() != nil {
			seen.status = statusGone
		}
		if seen.cut {
			m.cutOff.Inc()
		}
		name := route(r, operation)
		m.requests.WithLabelValues(name, strconv.Itoa(seen.status)).Inc()
		m.latency.WithLabelValues(name).Observe(took.Seconds())
		// The query may hold anything and is never logged, nor are headers, in which keys travel.
		whose := []slog.Attr{slog.String("from", from(r))}
		if k := key.Load(); k != nil {
			whose = append(whose, slog.String("key", k.ID), slog.String("plan", string(k.Plan)))
		}
		log.LogAttrs(r.Context(), slog.LevelInfo, "request", append(whose,
			slog.String("method", r.Method), slog.String("path", shown(r, operation)), slog.Int("status", seen.status),
			slog.Int64("bytes", seen.bytes), slog.Float64("took_ms", float64(took.Microseconds())/1000),
			slog.String("request_id", seen.Header().Get("X-Request-Id")))...)
	})
}

// survive turns a panic, which may be a memory fault of a mapped file, into a 500. ok is false after it.
func survive(log *slog.Logger, operation func(path string) string, next http.Handler, w *observed, r *http.Request) (ok bool) {
	debug.SetPanicOnFault(true)
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		id := w.Header().Get("X-Request-Id")
		log.Error(
			"a request panicked", slog.String("request_id", id), slog.String("path", shown(r, operation)), slog.Any("panic", p),
			slog.String("stack", string(debug.Stack())),
		)
		if !w.wrote {
			http.Error(w, "Something went wrong on our side. We recorded the error under request ID "+id+".", http.StatusInternalServerError)
		}
	}()
	next.ServeHTTP(w, r)
	return true
}

type observed struct {
	http.ResponseWriter
	status int
	bytes  int64
	wrote  bool
	cut    bool // the client did not read in time

	private bool // no cache that is shared may keep the answer
}

func (o *observed) WriteHeader(status int) {
	if !o.wrote {
		o.status, o.wrote = status, true
		if cache := o.Header().Get("Cache-Control"); o.private {
			o.Header().Set("Cache-Control", strings.Replace(cmp.Or(cache, "private"), "public", "private", 1))
		}
	}
	o.ResponseWriter.WriteHeader(status)
}

func (o *observed) Write(p []byte) (int, error) {
	if !o.wrote {
		o.WriteHeader(o.status)
	}
	n, err := o.ResponseWriter.Write(p)
	o.bytes += int64(n)
	o.cut = o.cut || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// Flush sends the bytes written so far, for answers that come in parts.
func (o *observed) Flush() { _ = http.NewResponseController(o.ResponseWriter).Flush() }

func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// freshness publishes the age of the dataset and of the lists, and the room of the accounts, at each scrape.
type freshness struct{ server *Server }

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("grantgraph_"+name, help, labels, nil)
}

var (
	datasetBuilt  = described("dataset_built_timestamp_seconds", "Time the build of the dataset began.")
	listClears    = described("list_clears", "1 while screenings use this compliance list; 0 while it is missing, damaged or too old.", "list")
	listConfirmed = described("list_confirmed_timestamp_seconds", "Time this compliance list was last confirmed as its publisher's current version.", "list")
	diskFree      = described("disk_free_bytes", "Free bytes on the data directory's disk.")
	accountsBytes = described("accounts_bytes", "Size of the account database, in bytes.", "store")
	refreshed     = described("refreshed_timestamp_seconds", "Time of the last successful check for a new dataset and new lists.")
	queueEntries  = described("queue_entries", "Entries waiting in the queue: alerts of watched lists, or returns for workers to read.", "queue")
	corrections   = described("corrections_waiting", "Match corrections awaiting the operator's review.")
	queueOldest   = described("queue_oldest_timestamp_seconds", "Time the oldest waiting entry was added; the current time if the queue is empty.", "queue")
)

func (f freshness) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{datasetBuilt, listClears, listConfirmed, diskFree, accountsBytes, refreshed, queueEntries, queueOldest, corrections} {
		to <- d
	}
}

func (f freshness) Collect(to chan<- prometheus.Metric) {
	set := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	s := f.server
	d, release := s.holder.Acquire()
	defer release()
	set(datasetBuilt, seconds(d.Snapshot.Manifest.GeneratedAt))
	for _, l := range screen.FreshnessOf(d.Lists, s.opt.Clock()) {
		set(listClears, gauged[l.Clears], l.Name)
		if !l.Confirmed.IsZero() {
			set(listConfirmed, seconds(l.Confirmed), l.Name)
		}
	}
	if free, err := s.opt.free(s.opt.Data); err == nil {
		set(diskFree, float64(free))
	}
	set(refreshed, seconds(time.Unix(0, s.refreshed.Load())))
	f.stored(set)
}

// stored publishes what the store of the accounts has to be asked for. If the store does not answer, accounts_up says so.
func (f freshness) stored(set func(of *prometheus.Desc, value float64, labels ...string)) {
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	s := f.server
	if size, err := s.accounts.Size(ctx); err == nil {
		set(accountsBytes, float64(size), map[bool]string{true: "sqlite", false: "postgresql"}[s.opt.Database.Empty()])
	}
	queues, _ := s.desk().Queues(ctx) // those that could be read
	for _, q := range queues {
		if q.Name == "corrections" {
			set(corrections, float64(q.Entries))
			continue
		}
		set(queueEntries, float64(q.Entries), q.Name)
		set(queueOldest, seconds(*cmp.Or(q.Oldest, new(s.opt.Clock()))), q.Name)
	}
}

// gauged is a state as the value of a gauge.
var gauged = map[bool]float64{true: 1}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

type countedMail struct {
	mail.Mailer
	failed prometheus.Counter
}

func (m countedMail) Send(ctx context.Context, e mail.Email) error {
	err := m.Mailer.Send(ctx, e)
	if err != nil {
		m.failed.Inc()
	}
	return err
}

// masked is a log handler that hides keys in everything that is logged, whatever the care of its callers.
type masked struct{ slog.Handler }

func (m masked) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, account.MaskKeys(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(mask(a))
		return true
	})
	return m.Handler.Handle(ctx, out)
}

func (m masked) WithAttrs(attrs []slog.Attr) slog.Handler {
	return masked{m.Handler.WithAttrs(each.Of(attrs, mask))}
}

func (m masked) WithGroup(name string) slog.Handler { return masked{m.Handler.WithGroup(name)} }

// mask hides keys in an attribute. A value of a type of its own stays as it is, unless its text has a key.
func mask(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(account.MaskKeys(v.String()))
	case slog.KindGroup:
		a.Value = slog.GroupValue(each.Of(v.Group(), mask)...)
	case slog.KindAny:
		said := fmt.Sprintf("%+v", v.Any())
		if safe := account.MaskKeys(said); safe != said {
			a.Value = slog.StringValue(safe)
		}
	}
	return a
}
