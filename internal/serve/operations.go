package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/release"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/admin"
	"grantgraph/internal/serve/api/agentkeys"
	"grantgraph/internal/serve/api/changes"
	"grantgraph/internal/serve/api/grants"
	grantees "grantgraph/internal/serve/api/lists"
	"grantgraph/internal/serve/api/meta"
	"grantgraph/internal/serve/api/organizations"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/api/query"
	"grantgraph/internal/serve/api/screening"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/listrun"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/asking"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Dataset is a dataset as the operations read it, nil where a part is out of service.
type Dataset struct {
	Manifest   snapshot.Manifest
	Graph      grants.Graph
	Search     Search
	Directory  *directory.Index
	Profiles   *profile.Index
	SQL        query.Warehouse
	Compliance *lists.Current
	Screen     *screen.Screener
	Standing   *screen.Standing // of the organizations of Directory
	Changes    *change.Index    // since earlier builds
	ListLog    *change.Log      // since earlier editions of Compliance
}

// Search finds organizations, by name and by EIN.
type Search interface {
	organizations.Searcher
	screening.Names
	Modes() []search.Mode
	Encoder() (name string, documents int)
}

func (d *Dataset) Snapshot() *snapshot.Manifest { return &d.Manifest }

// Lists names the editions of the compliance lists in it.
func (d *Dataset) Lists() string { return d.Compliance.Stamp() }

// asRead is a dataset that is held for a request, as the operations read it.
func asRead(d *dataset.Dataset) api.Dataset {
	if d == nil {
		return nil
	}
	to := &Dataset{
		Manifest: d.Snapshot.Manifest, Directory: d.Directory, Profiles: d.Profiles, Compliance: d.Lists, Screen: d.Screen, Standing: d.Standing,
		Changes: d.Changes, ListLog: d.ListLog,
	}
	if d.Graph != nil {
		to.Graph = d.Graph
	}
	if d.Search != nil {
		to.Search = d.Search
	}
	if d.SQL != nil {
		to.SQL = d.SQL
	}
	return to
}

// parts are what the operations of a service work with, beside its dataset.
type parts struct {
	base    string
	agents  *agent.Keys
	orders  admin.Parts
	trials  screening.Trials
	lists   grantees.Store
	watcher grantees.Watcher
	desk    *listrun.Desk
	ring    *keyring.Ring
	clock   func() time.Time
	samples screening.Samples
	release release.Info
	sql     bool
}

// operations are all operations, in the order in which they are listed. A new package of operations adds its group here.
func operations(p parts) []api.Group {
	screener := func(d api.Dataset) *screen.Screener { return d.(*Dataset).Screen }
	return []api.Group{
		organizations.Group(organizations.Parts{
			Search:    func(d api.Dataset) organizations.Searcher { return d.(*Dataset).Search },
			Directory: func(d api.Dataset) *directory.Index { return d.(*Dataset).Directory },
			Standing:  func(d api.Dataset) *screen.Standing { return d.(*Dataset).Standing },
			Screener:  screener, Clock: p.clock,
		}),
		meta.Group(meta.Parts{
			Lists: func(d api.Dataset) *lists.Current { return d.(*Dataset).Compliance }, Ring: p.ring, Clock: p.clock, Search: searchInfo, Release: p.release,
		}),
		changes.Group(changes.Parts{
			Changes: func(d api.Dataset) *change.Index { return d.(*Dataset).Changes },
			Log:     func(d api.Dataset) *change.Log { return d.(*Dataset).ListLog },
			Names:   func(d api.Dataset) changes.Names { return d.(*Dataset).Search }, Screener: screener, Clock: p.clock,
		}),
		grants.Group(func(d api.Dataset) grants.Graph { return d.(*Dataset).Graph },
			func(d api.Dataset, e ein.EIN, wanted func(int) bool) grant.Sums {
				return d.(*Dataset).Profiles.Account(e).Sums(wanted)
			}),
		screening.Group(screening.Parts{
			Screener: screener, Names: func(d api.Dataset) screening.Names { return d.(*Dataset).Search },
			Trials: p.trials, Ring: p.ring, Base: p.base, Clock: p.clock, Samples: p.samples,
		}),
		grantees.Group(grantees.Parts{
			Store: p.lists, Watcher: p.watcher, Desk: p.desk,
			Names: func(d api.Dataset) grantees.Names {
				names, _ := d.(*Dataset).Search.(grantees.Names)
				return names
			},
			Data: func(d api.Dataset) listrun.Data {
				data := listrun.Data{Screener: screener(d), Version: d.Snapshot().Version}
				if names := d.(*Dataset).Search; names != nil {
					data.Lookup = names.Lookup
				}
				return data
			},
		}),
		profiles.Group(profiles.Parts{
			Profiles: func(d api.Dataset) *profile.Index { return d.(*Dataset).Profiles },
			Graph: func(d api.Dataset) profiles.Graph {
				if g, ok := d.(*Dataset).Graph.(*graph.Graph); ok {
					return profiles.In(g)
				}
				g, _ := d.(*Dataset).Graph.(profiles.Graph)
				return g
			},
			Nearest: func(d api.Dataset) profile.Nearest {
				if x, ok := d.(*Dataset).Search.(*search.Index); ok && slices.Contains(x.Modes(), search.Semantic) {
					return x
				}
				return nil
			},
			Screener: screener, Clock: p.clock,
		}),
		agentkeys.Group(p.agents, func(d api.Dataset) agent.Asker { return d.(*Dataset).Graph }, p.base),
		query.Group(func(d api.Dataset) query.Warehouse { return d.(*Dataset).SQL }, p.sql),
		admin.Group(p.orders),
		{
			Tag: "Questions", About: "Questions in plain English, which the page /ask answers. No part of the public API.",
			Withheld: []api.Withheld{asking.Described},
		},
	}
}

// unkept has the examples of lists and of operators offered, which are answered without a store.
type (
	unkept struct {
		grantees.Store
		grantees.Watcher
	}
	unfound struct {
		admin.Store
		admin.Desk
	}
)

func searchInfo(d api.Dataset) client.SearchInfo {
	info := client.SearchInfo{Modes: []string{}}
	x := d.(*Dataset).Search
	if x == nil {
		return info
	}
	for _, m := range x.Modes() {
		info.Modes = append(info.Modes, string(m))
	}
	name, documents := x.Encoder()
	info.Encoder, info.DocumentsEmbedded = api.OrNull(name), documents
	return info
}

// Examples are all operations over invented parts, also those that a service does not offer.
func Examples(base string) (api.Examples, error) {
	agents, err := example.Agents(base)
	if err != nil {
		return api.Examples{}, err
	}
	samples, err := example.Samples(base)
	if err != nil {
		return api.Examples{}, err
	}
	groups := operations(parts{
		base: base, agents: agents, trials: example.Store{}, lists: unkept{},
		orders:  admin.Parts{Registry: example.Store{}, Store: unfound{}, Desk: unfound{}, Clock: example.Now},
		watcher: unkept{}, ring: example.Ring(), clock: example.Now, samples: samples, sql: true,
		release: release.Info{Version: "v1.0.0", Commit: "3f5c0a1d9e7b24680ace13579bdf02468ace1357", Date: "2026-11-02T09:00:00Z"},
	})
	return api.Examples{Groups: groups, Data: Invented(), Key: example.Key}, nil
}

func Invented() *Dataset {
	orgs, standing := example.Directory()
	return &Dataset{
		Manifest: example.Manifest(), Graph: example.Grants(), Search: example.Organizations(), Directory: orgs, Standing: standing,
		Profiles: example.Profiles(), SQL: example.Warehouse{}, Compliance: example.Lists(), Screen: example.Screener(),
		Changes: example.Changes(), ListLog: example.ListLog(),
	}
}

// OpenAPI is the OpenAPI document of a service at an address.
func OpenAPI(base string) ([]byte, error) { return openAPI(base, false) }

// AdminOpenAPI is that of the operations for its administrators.
func AdminOpenAPI(base string) ([]byte, error) { return openAPI(base, true) }

func openAPI(base string, admin bool) ([]byte, error) {
	base, err := api.CheckBase(base)
	if err != nil {
		return nil, err
	}
	all, err := Examples(base)
	if err != nil {
		return nil, err
	}
	return api.OpenAPI(base, all, admin)
}

type API struct {
	api.Config // without Groups, Examples and Admit

	// Agents and Registry default to Accounts. Without Agents the service issues no keys to agents.
	Agents   account.Agents
	Registry admin.Registry

	// Operators is what operators look for; nil uses Accounts. Without Desk they see no status and no datasets.
	Operators admin.Store
	Desk      admin.Desk

	// Lists keeps the lists of accounts; nil uses Accounts, if it keeps lists. Nobody watches lists without Watcher.
	Lists   grantees.Store
	Watcher grantees.Watcher

	// Ring has the keys that sign reports; nil uses the ring of Accounts, if it keeps one. Without keys nothing can be signed.
	Ring *keyring.Ring

	// SQL says whether the service runs the queries of POST /sql, on datasets that have a warehouse.
	SQL bool

	// Examiner draws the challenges of agents; nil makes one with its own secret.
	Examiner agent.Drawer
	// Directory finds the keys of agents that sign; nil asks their hosts.
	Directory httpsig.Keys
	// Trusted are the hosts of signature agents whose keys are of the trusted tier, such as agent.example.
	Trusted []string
}

func NewAPI(c API) (*api.Handler, error) {
	base, err := api.CheckBase(c.BaseURL)
	if err != nil {
		return nil, err
	}
	if c.Agents == nil {
		c.Agents, _ = c.Accounts.(account.Agents)
	}
	if c.Registry == nil {
		c.Registry, _ = c.Accounts.(admin.Registry)
	}
	if c.Lists == nil {
		c.Lists, _ = c.Accounts.(grantees.Store)
	}
	if c.AdminToken.Empty() {
		c.Registry = nil // without a token, nobody could call its operations
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Ring == nil {
		if c.Ring, err = openRing(c.Accounts, c.Clock); err != nil {
			return nil, err
		}
	}
	if c.Config.Examples, err = Examples(base); err != nil {
		return nil, err
	}
	samples, err := example.Samples(base)
	if err != nil {
		return nil, err
	}
	agents, err := c.agentKeys(base)
	if err != nil {
		return nil, err
	}
	if agents != nil {
		c.Admit = agentkeys.Admit(agents)
	}
	if c.Operators == nil {
		c.Operators, _ = c.Accounts.(admin.Store)
	}
	c.Groups = operations(parts{
		base: base, agents: agents, orders: admin.Parts{Registry: c.Registry, Store: c.Operators, Desk: c.Desk, Clock: c.Clock}, trials: c.Accounts,
		lists: c.Lists, watcher: c.Watcher,
		desk: &listrun.Desk{Store: c.Lists, Signer: c.Ring, Base: base, Clock: c.Clock}, ring: c.Ring, clock: c.Clock, samples: samples, sql: c.SQL,
		release: release.Current(),
	})
	return api.New(c.Config)
}

// NewAdmin answers the operations of operators alone, without a dataset, for the commands of actor on the machine of a service.
func NewAdmin(store *account.Store, desk admin.Desk, token secret.Text, actor string) (http.Handler, []api.Operation, error) {
	g := admin.Group(admin.Parts{Registry: store, Store: store, Desk: desk, Clock: time.Now, Actor: actor})
	h, err := api.New(api.Config{
		BaseURL: "http://localhost", Accounts: store, AdminToken: token, Groups: []api.Group{g}, Examples: api.Examples{Groups: []api.Group{g}},
		Acquire: func() (api.Dataset, func()) { return &Dataset{Compliance: &lists.Current{}}, func() {} },
		Address: func(*http.Request) string { return "" },
	})
	return h, g.Operations, err
}

func openRing(store api.Accounts, clock func() time.Time) (*keyring.Ring, error) {
	signing, ok := store.(account.Signing)
	if !ok {
		return keyring.Fixed(), nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return keyring.Open(ctx, signing, clock)
}

func (c *API) agentKeys(base string) (*agent.Keys, error) {
	if c.Agents == nil {
		return nil, nil
	}
	o := agent.KeyOptions{Store: c.Agents, Examiner: c.Examiner, Trusted: c.Trusted, URL: agentkeys.URL(base), Clock: c.Clock, Log: c.Log}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Examiner == nil {
		// Challenges are kept with the keys, so nobody needs the secret again.
		secret := make([]byte, 2*agent.MinSecret)
		rand.Read(secret) // never fails
		var err error
		if o.Examiner, err = agent.NewExaminer(secret); err != nil {
			return nil, err
		}
	}
	directory := c.Directory
	if directory == nil {
		directory = httpsig.NewDirectory(httpsig.Options{Now: o.Clock})
	}
	var err error
	if o.Verifier, err = httpsig.NewVerifier(base, directory, c.Agents); err != nil {
		return nil, err
	}
	o.Verifier.Now = o.Clock
	return agent.NewKeys(o), nil
}
