package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/election"
	"grantgraph/internal/ingest/refresh"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/ask/model"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/serve/site/asking"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/site/operator"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/snapshot/remote"
	"grantgraph/internal/terminal"
)

type serveCmd struct {
	Data        string        `help:"Data directory with snapshots, lists and accounts." default:"data" placeholder:"DIR"`
	Snapshots   string        `placeholder:"STORE"`
	StoreHeader []secret.Text `name:"store-header" help:"Header of server-side encryption that the store needs for reading." placeholder:"NAME:VALUE"`
	Sources     string        `placeholder:"DIR"`
	Mirror      []secret.URL  `help:"Fetch a list from this address instead of its publisher's." placeholder:"NAME=URL"`
	Floor       []string      `help:"Accept a list with as few rows as this, for mirrors of small worlds." placeholder:"NAME=ROWS"`
	Addr        string        `help:"Address to serve on; port 0 picks a free one." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Admin       string        `help:"Address for metrics and health checks; empty for none." default:"" placeholder:"HOST:PORT"`
	BaseURL     string        `name:"base-url" help:"Address that clients use, if the service is behind a proxy." placeholder:"URL"`
	Proxy       []string      `help:"Networks of trusted proxies, whose X-Forwarded-For is used." placeholder:"CIDR"`

	Drain time.Duration `default:"0s" placeholder:"TIME"`

	Database secret.URL `help:"PostgreSQL database for the accounts, shared by several servers; by default they are in the data directory." placeholder:"URL"`
	Secrets  string     `placeholder:"FILE"`

	NewAccounts bool `name:"new-accounts" help:"Begin without accounts where accounts.db was lost; without this flag the server does not start."`

	AdminToken       secret.Text `placeholder:"TOKEN"`
	Trusted          []string    `name:"trusted-agent" help:"Hosts of agents whose signed keys get the trusted tier." placeholder:"HOST"`
	LocalDirectories bool        `name:"allow-local-directories"`

	Mail     secret.URL `help:"Mail server for emails to users; without one they are printed to the console." placeholder:"smtp://USER:PASSWORD@HOST:587"`
	MailFrom string     `help:"Sender of these emails." placeholder:"ADDRESS"`

	Contact      string `placeholder:"ADDRESS"`
	OperatorName string `name:"operator-name" help:"Who runs the service, shown on the site and in emails." placeholder:"NAME"`
	Texts        string `placeholder:"DIR"`
	Private      bool   `help:"Show pages only to people who are signed in, and answer programs only with an API key."`
	SignUp       string `name:"sign-up" help:"Who may sign up: open, invited, closed, or domains=example.org,example.net." default:"open" placeholder:"MODE"`

	AskModel        string `name:"ask-model" placeholder:"URL"`
	AskModelName    string `name:"ask-model-name" help:"Name of that model, as its API knows it." placeholder:"NAME"`
	AskModelKeyFile string `name:"ask-model-key-file" help:"File with the key of that API." placeholder:"FILE"`

	Memory string `help:"Memory that all requests together may use, such as 2GiB; beyond it they get 503. Default: a quarter of the machine's." placeholder:"SIZE"`

	Backups string `help:"Folder of the backups, for the status that operators see." placeholder:"DIR"`

	AuditDays int `name:"audit-days" help:"Days that the audit trail keeps an event, at least 31." default:"365" placeholder:"DAYS"`

	allowances `embed:""`
	Log        string `help:"Log as text or json." enum:"text,json" default:"text"`
	Print      bool   `name:"print-config" help:"Print the effective settings and where each comes from, then exit."`
}

// maxDrain bounds how long a server that was told to stop may go on.
const maxDrain = 10 * time.Minute

const maxAuditDays = 36_500

func (c *serveCmd) Run(a *terminal.App, config *configFile, parsed *kong.Context) error {
	if c.Print {
		printSettings(a.Out, config.settings(parsed))
		return nil
	}
	opt, err := c.options(logger(a.Err, c.Log))
	if err != nil {
		return err
	}
	return c.serve(a.Ctx, opt)
}

func printSettings(w io.Writer, settings []setting) {
	t := terminal.NewTable("setting", "value", "from")
	for _, s := range settings {
		if s.name == "memory" && s.value == "" {
			s.value = terminal.Bytes(defaultMemory())
		}
		t.Add(s.name, s.value, s.origin)
	}
	t.Print(w)
}

// options reads the flags. It refuses those that contradict one another and warns of those that have no effect.
func (c *serveCmd) options(log *slog.Logger) (opt serve.Options, err error) {
	if c.Addr == "" {
		return opt, fault.New("bad_flag", "--addr is empty").Try("--addr 127.0.0.1:8080")
	}
	if c.Drain < 0 || c.Drain > maxDrain {
		return opt, fault.New("bad_flag", "--drain %s is not between 0s and %s", c.Drain, maxDrain).
			Try("--drain 15s: a little more than a load balancer takes to notice")
	}
	memory, err := parseMemory(c.Memory)
	if err != nil {
		return opt, err
	}
	auditKept := time.Duration(c.AuditDays) * 24 * time.Hour
	if c.AuditDays > maxAuditDays || auditKept < account.LeastAuditKept {
		return opt, fault.New("bad_flag", "--audit-days %d is not between 31 and %d", c.AuditDays, maxAuditDays).Try("--audit-days 365")
	}
	if c.Mail.Empty() && c.MailFrom != "" {
		return opt, fault.New("bad_flag", "--mail-from is set, but no mail server").
			Try("--mail smtp://USER:PASSWORD@HOST:587, or omit --mail-from: emails are printed to the console")
	}
	if c.Sources == "" && len(c.Mirror)+len(c.Floor) > 0 {
		// Only a warning: the configuration file may set them for fetch.
		log.Warn("--mirror and --floor do nothing without --sources: the compliance lists are not kept current")
	}
	if host, _, err := net.SplitHostPort(c.Addr); err == nil && c.BaseURL == "" && (host == "" || net.ParseIP(host).IsUnspecified()) {
		log.Warn("served to other machines, but links in responses and emails point to this one; set the address that clients use with --base-url")
	}
	opt = serve.Options{
		Data: c.Data, Addr: c.Addr, Admin: c.Admin, BaseURL: c.BaseURL, Drain: c.Drain, Log: log,
		Database: c.Database, Secrets: c.Secrets, AdminToken: c.AdminToken, Trusted: c.Trusted, LocalDirectories: c.LocalDirectories, SQL: &sqlbox.Options{},
		Contact: c.Contact, Name: c.OperatorName, Private: c.Private, Backups: c.Backups, Returns: returnsWaiting(c.Database),
		Budget: budget.New(memory, budget.Options{}), Version: programVersion(),
	}
	for _, item := range c.Proxy {
		network, err := netip.ParsePrefix(item)
		if err != nil {
			return opt, fault.New("bad_flag", "--proxy %s is not a network", item).Try("--proxy 10.0.0.0/8, or --proxy 127.0.0.1/32 for one address")
		}
		opt.Proxies = append(opt.Proxies, network)
	}
	if !c.Mail.Empty() {
		post, err := mail.Open(c.Mail.Reveal(), c.MailFrom)
		if err != nil {
			return opt, err
		}
		opt.Mail = post
	}
	if opt.SignUp, err = site.ParseAdmission(c.SignUp); err != nil {
		return opt, err
	}
	if opt.Texts, err = operator.ReadTexts(c.Texts); err != nil {
		return opt, err
	}
	if opt.Accounts, err = c.allowances.options(); err != nil {
		return opt, err
	}
	if c.Snapshots == "" { // otherwise the builds are made elsewhere
		opt.Sources = ingest.Rulings(c.Sources)
	}
	opt.Accounts.AuditKept = auditKept
	opt.Model, err = c.askModel(log)
	return opt, err
}

// serve runs the server, and beside it what keeps its snapshot and lists current.
func (c *serveCmd) serve(ctx context.Context, opt serve.Options) error {
	if !c.NewAccounts {
		if err := refuseLostAccounts(c.Data, c.Database); err != nil {
			return err
		}
	}
	store, err := c.store()
	if err != nil {
		return err
	}
	var follower *remote.Follower
	if store != nil {
		if follower, err = remote.NewFollower(remote.FollowOptions{Store: store, Data: c.Data, Log: opt.Log}); err != nil {
			return err
		}
		opt.Metrics = append(opt.Metrics, follower)
		opt.Downloads = store
	}
	lists, metric, err := c.lists(store, opt.Log)
	if err != nil {
		return err
	}
	if metric != nil {
		opt.Metrics = append(opt.Metrics, metric)
	}
	if opt.Entrance, err = serve.Bind(opt); err != nil {
		return err
	}
	defer opt.Entrance.Close()
	if follower != nil {
		opt.Entrance.Say(follower.State)
		// The accounts come first: a server that is killed between the two would find
		// snapshots without accounts, as if they were lost.
		accounts, err := serve.OpenAccounts(c.Data, c.Database, account.Options{})
		if err == nil {
			err = accounts.Close()
		}
		if err == nil {
			err = follower.First(ctx)
		}
		if err != nil {
			return err
		}
	}
	s, err := serve.Open(opt)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	if lists != nil {
		beside.Go(func() { lists(ctx) })
	}
	if follower != nil {
		beside.Go(func() { follower.Run(ctx) })
	}
	err = s.Run(ctx)
	stop()
	beside.Wait()
	return serverError(err)
}

// refuseLostAccounts refuses a data directory that has lost its accounts. A new store
// would have none of the keys, and other keys would sign reports.
func refuseLostAccounts(data string, database secret.URL) error {
	if !database.Empty() || !serve.AccountsLost(data) {
		return nil
	}
	return fault.New("accounts_lost", "%s is missing or empty, although %s had accounts: accounts, keys and signing keys are lost", serve.Accounts(data), data).
		Try("restore it from a backup, or confirm with grantgraph serve --new-accounts that the server begins without accounts")
}

// store returns the store that snapshots and lists come from, or nil if they are made on this machine.
func (c *serveCmd) store() (remote.Store, error) {
	if c.Snapshots == "" {
		if len(c.StoreHeader) > 0 {
			return nil, fault.New("bad_flag", "--store-header is for a store, and none is set").Try("--snapshots s3://bucket/prefix")
		}
		return nil, nil
	}
	if c.Sources != "" && c.Database.Empty() {
		return nil, fault.New("bad_flag", "--sources with --snapshots needs --database: there the servers agree on which of them looks for new lists").
			Try("--database postgres://…; or leave out --sources, keep the lists current on the machine that publishes, and run grantgraph publish there")
	}
	return remote.Open(c.Snapshots, remote.Options{Headers: c.StoreHeader})
}

// keptEditions is how many editions of the lists a server that publishes them leaves in the store, as grantgraph publish does.
const keptEditions = 3

// lists returns the function that keeps the compliance lists current, or nil if this server does not. Of the
// servers that share a store, one at a time does this and publishes for all; metric shows which one.
func (c *serveCmd) lists(store remote.Store, log *slog.Logger) (run func(context.Context), metric prometheus.Collector, err error) {
	if c.Sources == "" {
		return nil, nil, nil
	}
	from, err := (&fetchCmd{Sources: c.Sources, Mirror: c.Mirror, Floor: c.Floor}).options()
	if err != nil {
		return nil, nil, err
	}
	if store == nil {
		return refresh.New(refresh.Options{Data: c.Data, Fetch: from, Indexers: indexes.Lists(), Log: log}).Run, nil, nil
	}
	one, err := election.New(election.Options{Database: c.Database, Name: "lists", Log: log})
	if err != nil {
		return nil, nil, err
	}
	publisher := &refresh.Publisher{Store: store, Dir: filepath.Join(c.Data, "upstream"), Fetch: from, Indexers: indexes.Lists(), Keep: keptEditions, Log: log}
	gauge := prometheus.GaugeOpts{Name: "grantgraph_lists_leader", Help: "1 on the server that checks for new lists and publishes them."}
	metric = prometheus.NewGaugeFunc(gauge, func() float64 { return map[bool]float64{true: 1}[one.Leading()] })
	return func(ctx context.Context) { one.Run(ctx, publisher.Run) }, metric, nil
}

// askModel returns the language model for questions that the reader does not understand, or nil if none is set.
func (c *serveCmd) askModel(log *slog.Logger) (asking.Model, error) {
	if c.AskModel == "" {
		if c.AskModelName != "" || c.AskModelKeyFile != "" {
			return nil, fault.New("bad_flag", "--ask-model-name and --ask-model-key-file need a model, and none is set").
				Try("--ask-model https://models.example.org/v1")
		}
		return nil, nil
	}
	o := model.Options{URL: c.AskModel, Name: c.AskModelName, Log: log}
	if c.AskModelKeyFile != "" {
		key, err := readKeyFile(c.AskModelKeyFile, "write the key, and nothing else, into the file")
		if err != nil {
			return nil, err
		}
		o.Key = secret.New(key)
	}
	m, err := model.Open(o)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Requests may take a quarter of the memory there is: the SQL workers have a
// quarter, and the index wants the rest for the page cache.
const memoryDivisor = 4

func defaultMemory() int64 {
	if all := budget.Machine(); all > 0 {
		return max(all/memoryDivisor, leastMemory)
	}
	return 1 << 30
}

// leastMemory is what a few ordinary requests at a time need.
const leastMemory = 64 << 20

func parseMemory(text string) (int64, error) {
	if text == "" {
		return defaultMemory(), nil
	}
	digits := strings.TrimRight(text, "KMGTiB ")
	scale, known := map[string]int64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}[strings.TrimSpace(text[len(digits):])]
	n, err := strconv.ParseFloat(digits, 64)
	n *= float64(scale)
	if err != nil || !known || !(n >= leastMemory && n <= 1<<50) { // also no number at all
		return 0, fault.New("bad_flag", "--memory %s is not an amount of memory of at least %s", text, terminal.Bytes(leastMemory)).Try("--memory 2GiB")
	}
	return int64(n), nil
}

func serverError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New("cut_off", "stopped; responses that clients had not finished reading in time were cut off")
	}
	return err
}

func logger(w io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}
