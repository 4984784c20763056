package refresh_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ingest/election"
	"grantgraph/internal/ingest/refresh"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/remote"
)

// TestPublisher has three servers that share a store and a database: exactly one
// of them looks upstream, and all of them get what it publishes. It is taken away:
// another one goes on from what is published, and what it cannot fetch is not lost.
func TestPublisher(t *testing.T) {
	t.Parallel()
	pg, err := postgres.Start(t.Context(), "shared_buffers=16MB")
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to compete in: %v; scripts/require installs it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop()
	store, err := remote.Open(t.TempDir(), remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	build := filepath.Join(t.TempDir(), "data")
	if _, err := (remote.Publication{Store: store, Area: remote.Snapshots}).Publish(t.Context(), world.Small.Publish(t, build)); err != nil {
		t.Fatal(err)
	}
	upstream := startUpstream(t, world.Small.CopySources(t))
	clock := &clock{now: time.Date(2026, 10, 14, 12, 0, 0, 0, time.UTC)}

	type node struct {
		name string
		data string
		one  *election.Candidate
		stop context.CancelFunc
		done sync.WaitGroup
	}
	nodes := make([]*node, 3)
	for i := range nodes {
		n := &node{name: "node" + strconv.Itoa(i), data: t.TempDir()}
		log := slog.New(slog.DiscardHandler)
		if n.one, err = election.New(election.Options{Database: secret.NewURL(pg.DSN), Name: "lists", Poll: 20 * time.Millisecond, Patience: 5 * time.Minute, Log: log}); err != nil {
			t.Fatal(err)
		}
		from := fetch.Options{Dir: t.TempDir(), Client: upstream.Client(), Now: clock.Now, Since: time.Date(2025, 8, 1, 0, 0, 0, 0, time.UTC),
			Base: upstream.mirrors(n.name), Floor: map[string]int64{}, Sleep: func(context.Context, time.Duration) error { return nil }}
		for name := range from.Base {
			from.Floor[name] = 1
		}
		p := &refresh.Publisher{Store: store, Dir: filepath.Join(n.data, "upstream"), Fetch: from, Indexers: indexes.Lists(), Keep: 3, Log: log}
		follower, err := remote.NewFollower(remote.FollowOptions{Store: store, Data: n.data, Poll: 20 * time.Millisecond, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		var ctx context.Context
		ctx, n.stop = context.WithCancel(t.Context())
		n.done.Go(func() { n.one.Run(ctx, p.Run) })
		n.done.Go(func() { follower.Run(ctx) })
		nodes[i] = n
		defer n.done.Wait()
		defer n.stop()
	}

	// await waits until a condition holds, for as long as the test may run.
	await := func(what string, ok func() bool) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for !ok() {
			select {
			case <-tick.C:
			case <-t.Context().Done():
				t.Fatal(what)
			}
		}
	}
	edition := func(data string) *lists.Edition {
		e, err := lists.Open(data)
		if err != nil {
			return nil
		}
		return e
	}
	published := func() string {
		p, err := remote.Current(t.Context(), store, remote.Lists)
		if err != nil {
			return ""
		}
		return p.Version
	}
	leader := func() (one *node) {
		for _, n := range nodes {
			if n.one.Leading() {
				one = n
			}
		}
		return one
	}
	// everywhere waits until all that run have what is published, and looks at it.
	everywhere := func(version string, running []*node) {
		t.Helper()
		for _, n := range running {
			await(n.name+" has "+version, func() bool { e := edition(n.data); return e != nil && e.Manifest.Version == version })
			await(n.name+" knows when upstream was looked at", func() bool {
				checks, err := lists.ReadChecks(n.data)
				return err == nil && len(checks) == len(lists.Names())
			})
		}
	}

	await("an edition is published", func() bool { return published() != "" && leader() != nil })
	first, v1 := leader(), published()
	everywhere(v1, nodes)
	for _, n := range nodes {
		if asked := upstream.requests(n.name); (asked > 0) != (n == first) {
			t.Errorf("%s has asked upstream %d times; %s is the one", n.name, asked, first.name)
		}
	}
	rows := map[string]int64{}
	for _, l := range edition(first.data).Lists {
		if rows[l.Name] = l.Rows; !l.Loaded || l.Rows == 0 {
			t.Errorf("%+v", l)
		}
	}

	// There is a new entry, and another list is spoiled, when the first is gone. The
	// next has fetched nothing yet.
	sdn, err := os.ReadFile(filepath.Join(world.Small.Sources(t), "ofac", "sdn.csv"))
	if err != nil {
		t.Fatal(err)
	}
	sdn = append(bytes.TrimRight(sdn, "\x1a\r\n"), []byte("\r\n99999999,\"ZORVANT TRADING\",-0- ,\"SDGT\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n\x1a")...)
	upstream.set("ofac/sdn.csv", sdn, time.Date(2026, 10, 14, 9, 0, 0, 0, time.UTC))
	upstream.set("pub78/data-download-pub78.zip", nil, time.Date(2026, 10, 14, 9, 0, 0, 0, time.UTC))
	clock.advance(20 * time.Minute)
	first.stop()
	first.done.Wait()
	before := upstream.requests(first.name)
	await("another edition is published", func() bool { return published() > v1 && leader() != nil })
	second, v2 := leader(), published()
	if second == nil || second == first {
		t.Fatal("nobody else is the one")
	}
	var rest []*node
	for _, n := range nodes {
		if n != first {
			rest = append(rest, n)
		}
		if asked := upstream.requests(n.name); n != second && n != first && asked > 0 || n == first && asked != before || n == second && asked == 0 {
			t.Errorf("%s has asked upstream %d times; %s is the one", n.name, asked, second.name)
		}
	}
	everywhere(v2, rest)
	e := edition(second.data)
	if got := e.Status(lists.OFAC); got.Rows != rows[lists.OFAC]+1 {
		t.Errorf("%+v", got)
	}
	if got := e.Status(lists.Pub78); !got.Loaded || got.Rows != rows[lists.Pub78] || got.Problem == "" {
		t.Errorf("the list that cannot be fetched: %+v", got)
	}

	// An operator goes back: that stays until there is something newer.
	if _, err := (remote.Publication{Store: store, Area: remote.Lists}).Rollback(t.Context(), v1); err != nil {
		t.Fatal(err)
	}
	asked := upstream.requests(second.name)
	everywhere(v1, rest)
	if published() != v1 {
		t.Error("what was rolled back is published again")
	}
	if now := upstream.requests(second.name); now != asked {
		t.Errorf("upstream was asked before its time: %d, %d", asked, now)
	}
}
