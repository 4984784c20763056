package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	miniocredentials "github.com/minio/minio-go/v7/pkg/credentials"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

// whole is whether the whole proof is asked for (make fleet), not the short form
// that runs with all tests. It needs an object store that can be stopped.
func whole() bool { return os.Getenv("GRANTGRAPH_TEST_GATEWAY") != "" }

// proof is a fleet under load, and what is done to it.
type proof struct {
	*testing.T
	fleet *fleet
	load  *fleetLoad
	dice  *rand.Rand

	builds int // that were made after the first
	rates  []fleetRate
}

// TestFleetUnderLoad is the proof that several machines are one service. Clients
// ask through the load balancer all the time while things happen to the rest. No
// answer is wrong, none is uncharged, and none fails but those that needed what
// was gone, in the words that are documented for it.
func TestFleetUnderLoad(t *testing.T) {
	t.Parallel()
	nodes, clients, pace := 2, 4, 40*time.Millisecond
	if whole() {
		nodes, clients, pace = 3, 8, 100*time.Millisecond
	}
	f := startFleet(t, nodes)
	p := &proof{T: t, fleet: f, load: newLoad(t, f, clients, 2, whole()), dice: rand.New(rand.NewPCG(seed(t), 3))}
	version := f.version(t)
	p.load.learn(t, f, version)
	if whole() {
		f.nodes[2].smallDisk(t)
	}
	for _, n := range f.nodes {
		f.start(t, n)
	}
	f.awaitAll(t, version)
	stop := p.load.start(pace)
	defer stop()
	p.load.event(t, &fleetEvent{name: "nothing happens"}, func() { p.load.more(t, 100) })
	p.killNode()
	p.restartAll()
	p.publish()
	if whole() {
		for range 4 {
			p.killNode()
		}
		p.killFetching()
		p.publishDamaged()
		p.stopDatabase(10 * time.Second)
		p.stopStore(time.Minute)
		p.fillDisk(f.nodes[2])
		p.read()
	}
	stop()
	p.load.settle(t, f)
	for len(f.nodes) > 0 {
		if whole() {
			p.measure()
		}
		f.nodes[len(f.nodes)-1].stop(t)
		f.nodes = f.nodes[:len(f.nodes)-1]
	}
	if whole() {
		p.printRates()
		p.measureReading()
	}
}

// killNode kills a node in the middle of what it does, and starts it again.
func (p *proof) killNode() {
	p.load.event(p.T, &fleetEvent{name: "a node is killed and started again", cut: true}, func() {
		victim := p.fleet.nodes[p.dice.IntN(len(p.fleet.nodes))]
		p.load.more(p.T, p.dice.IntN(50))
		victim.kill(p.T)
		p.load.more(p.T, 100)
		p.fleet.start(p.T, victim)
	})
}

// restartAll is what an upgrade does.
func (p *proof) restartAll() {
	p.load.event(p.T, &fleetEvent{name: "all are restarted, one after the other"}, func() {
		for _, n := range p.fleet.nodes {
			n.stop(p.T)
			p.fleet.start(p.T, n)
		}
	})
}

// make makes another build on the machine that builds. No two that follow each
// other have content in common, so that nodes fetch it.
func (p *proof) make() (version string) {
	worlds := []world.World{world.Small, world.Other}
	p.builds++
	return worlds[p.builds%len(worlds)].Publish(p.T, p.fleet.from).Manifest.Version
}

// build makes another build, and asks the model what is right in it.
func (p *proof) build() (version string) {
	version = p.make()
	p.load.learn(p.T, p.fleet, version)
	return version
}

// publish publishes a build, which all nodes take up.
func (p *proof) publish() {
	p.load.event(p.T, &fleetEvent{name: "a build is published"}, func() {
		next := p.build()
		p.fleet.store.publish(p.T, "--data", p.fleet.from)
		began := time.Now()
		p.fleet.awaitAll(p.T, next)
		p.figure("Published, and served by all %d nodes after %.1f seconds: a node looks at the pointer every five seconds, and at its disk every two.\n", len(p.fleet.nodes), time.Since(began).Seconds())
	})
}

// killFetching kills a node as soon as it holds something of a new build, which
// it goes on with when it is started again.
func (p *proof) killFetching() {
	p.load.event(p.T, &fleetEvent{name: "a node is killed while it fetches", cut: true}, func() {
		next := p.build()
		victim := p.fleet.nodes[p.dice.IntN(len(p.fleet.nodes))]
		p.fleet.store.publish(p.T, "--data", p.fleet.from)
		until(p.T, "a node to fetch", func() (bool, error) {
			got, err := os.ReadDir(filepath.Join(victim.data, "builds"))
			return len(got) > 1, err
		})
		victim.kill(p.T)
		p.load.more(p.T, 100)
		p.fleet.start(p.T, victim)
		p.fleet.awaitAll(p.T, next)
	})
}

// publishDamaged has a build in the store that is not what it was when it was
// sent. All nodes refuse it and say so; once it was sent again, they take it.
func (p *proof) publishDamaged() {
	p.load.event(p.T, &fleetEvent{name: "a damaged build is published, then mended"}, func() {
		before := p.fleet.version(p.T)
		failures := make([]float64, len(p.fleet.nodes))
		for i, n := range p.fleet.nodes {
			failures[i] = p.failures(n)
			// What an older version has on the disk is not fetched, and sound.
			until(p.T, n.name+" to have one version", func() (bool, error) {
				versions, err := snapshot.Versions(n.data)
				return len(versions) == 1, err
			})
		}
		next := p.make()
		p.spoil()
		p.fleet.store.publish(p.T, "--data", p.fleet.from)
		for i, n := range p.fleet.nodes {
			until(p.T, n.name+" to refuse what is damaged", func() (bool, error) {
				return p.failures(n) > failures[i] && strings.Contains(n.log.String(), "does not match its checksum"), nil
			})
			if got, err := servedVersion("http://" + n.addr); err != nil || got != before {
				p.Errorf("%s serves %s, not %s: %v", n.name, got, before, err)
			}
		}
		p.load.more(p.T, 100)
		p.load.learn(p.T, p.fleet, next)
		p.fleet.store.publish(p.T, "--data", p.fleet.from, "--resend")
		p.fleet.awaitAll(p.T, next)
	})
}

// failures is how often a node says that it could not take something.
func (p *proof) failures(n *fleetNode) float64 {
	v, err := n.metric(`grantgraph_store_failures_total{what="snapshots"}`)
	if err != nil {
		p.Fatal(err)
	}
	return v
}

// spoil puts another byte into the longest file of the newest build, in the store.
func (p *proof) spoil() {
	s, err := snapshot.Open(p.fleet.from)
	if err != nil {
		p.Fatal(err)
	}
	file := slices.MaxFunc(s.Manifest.Files, func(a, b snapshot.File) int { return int(a.Bytes - b.Bytes) })
	body, err := os.ReadFile(filepath.Join(s.Dir, filepath.FromSlash(file.Path)))
	if err != nil {
		p.Fatal(err)
	}
	body[len(body)/2] ^= 1
	client, err := minio.New(p.fleet.gateway.addr, &minio.Options{Creds: miniocredentials.NewStaticV4("tester", "tester-secret", ""), Region: "us-east-1"})
	if err != nil {
		p.Fatal(err)
	}
	if _, err := client.PutObject(p.Context(), bucket, prefix+"/snapshots/objects/"+file.SHA256, strings.NewReader(string(body)), file.Bytes, minio.PutObjectOptions{}); err != nil {
		p.Fatal(err)
	}
}

// stopDatabase has PostgreSQL away: what is charged is refused, all else goes on.
func (p *proof) stopDatabase(long time.Duration) {
	e := &fleetEvent{name: fmt.Sprintf("PostgreSQL is stopped for %s", long), lost: true}
	p.load.event(p.T, e, func() {
		p.fleet.database.Halt()
		p.hold(long)
		p.load.more(p.T, 50) // which need no database
		if err := p.fleet.database.Resume(p.Context()); err != nil {
			p.Fatal(err)
		}
		for _, n := range p.fleet.nodes {
			p.fleet.awaitBalancer(p.T, n, "UP")
		}
	})
	if e.failures["503 store_unavailable"] == 0 {
		p.Error("nobody was told that the database is away")
	}
}

// stopStore has the object store away. What is served stays, a node that is
// started meanwhile serves what is on its disk, and who publishes is told; then
// everything goes on.
func (p *proof) stopStore(long time.Duration) {
	p.load.event(p.T, &fleetEvent{name: fmt.Sprintf("the object store is stopped for %s", long)}, func() {
		p.fleet.gateway.stop()
		ctx, cancel := context.WithTimeout(p.Context(), long)
		defer cancel()
		next := p.build()
		if out, err := p.fleet.store.tryPublish("--data", p.fleet.from); err == nil || !strings.Contains(out, "Try: ") {
			p.Errorf("published nowhere: %v\n%s", err, out)
		}
		n := p.fleet.nodes[p.dice.IntN(len(p.fleet.nodes))]
		n.stop(p.T)
		p.fleet.start(p.T, n)
		<-ctx.Done()
		p.fleet.gateway.start(p.T)
		p.fleet.store.publish(p.T, "--data", p.fleet.from)
		p.fleet.awaitAll(p.T, next)
	})
}

// fillDisk leaves no room on the disk of a node, which stays with the version it
// has while the others go on to the next, and follows when there is room.
func (p *proof) fillDisk(n *fleetNode) {
	way := "a disk of its own"
	if !n.mounted {
		way = "a limit on the size of its files"
	}
	p.load.event(p.T, &fleetEvent{name: "the disk of a node is full (" + way + ")"}, func() {
		before := p.fleet.version(p.T)
		filler := filepath.Join(n.data, "filler")
		if n.mounted {
			fill(p.T, filler)
		} else {
			n.stop(p.T)
			p.fleet.start(p.T, n, "bash", "-c", `ulimit -f 256; exec "$@"`, "bash")
		}
		next := p.build()
		p.fleet.store.publish(p.T, "--data", p.fleet.from)
		for _, other := range p.fleet.nodes {
			if other != n {
				p.fleet.awaitNode(p.T, other, next)
			}
		}
		until(p.T, n.name+" to say that its disk is full", func() (bool, error) {
			return strings.Contains(n.log.String(), "MB are free") || strings.Contains(n.log.String(), "no space left"), nil
		})
		p.load.more(p.T, 100)
		if got, err := servedVersion("http://" + n.addr); err != nil || got != before {
			p.Errorf("%s serves %s, not %s: %v", n.name, got, before, err)
		}
		// Also when it is started with a full disk.
		if n.mounted {
			n.stop(p.T)
			p.fleet.start(p.T, n)
			p.load.more(p.T, 100)
			if err := os.Remove(filler); err != nil {
				p.Fatal(err)
			}
		} else {
			n.stop(p.T)
			p.fleet.start(p.T, n)
		}
		p.fleet.awaitAll(p.T, next)
	})
}

// reading is a build whose returns are read by workers: where its parts are.
type reading struct {
	*proof
	sources  string
	database string
	stage    string
}

// reading begins one with a queue and a stage of its own.
func (p *proof) reading(name string) *reading {
	database, err := p.fleet.database.Create(p.Context(), name)
	if err != nil {
		p.Fatal(err)
	}
	at, options, _ := strings.Cut(p.fleet.store.address, "?")
	return &reading{p, world.Medium.Sources(p.T), database, at + "/" + name + "?" + options}
}

// run runs a command as a process of its own, and says what it printed and took
// of the processors.
func (p *proof) run(args ...string) (out []byte, seconds float64) {
	cmd := p.command(args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.Fatalf("%v: %v\n%s%s", args, err, out, errs.String())
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

func (p *proof) command(args ...string) *exec.Cmd {
	cmd := p.fleet.store.program(args...)
	cmd.Env = append(append(os.Environ(), cmd.Env...), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	return cmd
}

func (r *reading) plan() (seconds float64) {
	_, seconds = r.run("ingest", "plan", "--sources", r.sources, "--database", r.database, "--stage", r.stage, "--quiet")
	return seconds
}

// worker reads on one core, and is soon given up when it is gone.
func (r *reading) worker() []string {
	return []string{"ingest", "work", "--database", r.database, "--stage", r.stage, "--workers", "1", "--lease", "2s", "--json"}
}

// build is the content of a build, from what workers have read or without them.
func (r *reading) build(args ...string) (content string, seconds float64) {
	data := filepath.Join(r.TempDir(), "built")
	_, seconds = r.run(append([]string{"build", "--sources", r.sources, "--data", data, "--meaning-documents", "0", "--quiet"}, args...)...)
	s, err := snapshot.Open(data)
	if err != nil {
		r.Fatal(err)
	}
	return s.Manifest.Content, seconds
}

// read has two workers read returns for a build. One is killed, another comes, and
// the build is that of one machine.
func (p *proof) read() {
	p.load.event(p.T, &fleetEvent{name: "two workers read returns, one is killed"}, func() {
		r := p.reading("read")
		r.plan()
		start := func() *exec.Cmd {
			cmd := r.command(r.worker()...)
			if err := cmd.Start(); err != nil {
				p.Fatal(err)
			}
			return cmd
		}
		first, second := start(), start()
		until(p.T, "something to be read", func() (bool, error) {
			var status struct{ Running, Staged struct{ Shards int } }
			out, _ := r.run("ingest", "status", "--database", r.database, "--json")
			err := json.Unmarshal(out, &status)
			return status.Running.Shards+status.Staged.Shards > 0, err
		})
		if err := first.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			p.Fatal(err)
		}
		_ = first.Wait()
		for _, w := range []*exec.Cmd{second, start()} {
			if err := w.Wait(); err != nil {
				p.Error("a worker fails:", err)
			}
		}
		got, _ := r.build("--stage", r.stage)
		if want, _ := r.build(); got != want {
			p.Errorf("workers make %s, one machine makes %s", got, want)
		}
	})
}

// measureReading has one worker read everything, and compares what that takes with
// the reading of a build on one machine: what it takes more than one that finds
// everything read.
func (p *proof) measureReading() {
	r := p.reading("measured")
	plan := r.plan()
	out, work := r.run(r.worker()...)
	var done struct {
		Bytes   float64 `json:"xml_bytes"`
		Seconds float64 `json:"seconds"`
	}
	if err := json.Unmarshal(out, &done); err != nil {
		p.Fatal(err)
	}
	staged, shared := r.build("--stage", r.stage)
	alone, whole := r.build()
	if staged != alone {
		p.Errorf("a worker makes %s, one machine makes %s", staged, alone)
	}
	p.figure("A worker on one core staged %.1f MB of XML in %.1f seconds of which it took %.1f of the processor: %.1f MB for each of those. Planning took %.1f more. "+
		"The same build on one machine took %.1f seconds of the processor, and %.1f from what was staged: reading by the queue takes %.2f times what reading by the build takes.\n\n",
		done.Bytes/1e6, done.Seconds, work, done.Bytes/1e6/work, plan, whole, shared, (plan+work)/(whole-shared))
}

// smallDisk gives a node a disk of its own, where we may: root can mount one.
func (n *fleetNode) smallDisk(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll(n.data, 0o755); err != nil {
		t.Fatal(err)
	}
	if syscall.Mount("tmpfs", n.data, "tmpfs", 0, "size=256m") != nil {
		return
	}
	n.mounted = true
	t.Cleanup(func() {
		if err := syscall.Unmount(n.data, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// fill writes a file until the disk takes no more.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	block := make([]byte, 4096)
	for err == nil {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// hold lets time pass, for what is a matter of time.
func (p *proof) hold(long time.Duration) {
	ctx, cancel := context.WithTimeout(p.Context(), long)
	defer cancel()
	<-ctx.Done()
}

// figure adds to the figures of docs/benchmarks.md, where they are asked for.
func (p *proof) figure(format string, args ...any) {
	path := os.Getenv("GRANTGRAPH_TEST_FIGURES")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = io.WriteString(file, fmt.Sprintf(format, args...))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		p.Fatal(err)
	}
}

// measure asks as fast as the fleet answers, and adds what its parts took for it.
func (p *proof) measure() {
	const clients, each = 12, 250
	nodes := len(p.fleet.nodes)
	l := newLoad(p.T, p.fleet, clients, 1, false)
	l.learn(p.T, p.fleet, p.fleet.version(p.T))
	of := func() (node, proxy, database float64) {
		for _, n := range p.fleet.nodes {
			node += timeTaken(p.T, n.cmd.Process.Pid)
		}
		return node, timeTaken(p.T, p.fleet.balancer.Process.Pid), timeTaken(p.T, p.fleet.database.PID())
	}
	for range 2 { // the first fills caches and connections
		node, proxy, database := of()
		began := time.Now()
		l.burst(each)
		took := time.Since(began).Seconds()
		node2, proxy2, database2 := of()
		p.rates = append(p.rates, fleetRate{nodes, clients * each / took, clients * each / (node2 - node), clients * each / (proxy2 - proxy), clients * each / (database2 - database)})
	}
	p.rates = slices.Delete(p.rates, len(p.rates)-2, len(p.rates)-1)
	l.settle(p.T, p.fleet)
}

// printRates prints what was measured, the fewest nodes first.
func (p *proof) printRates() {
	slices.Reverse(p.rates)
	p.figure("%d cores, load %s.\n\n", runtime.NumCPU(), terminal.HostLoad())
	p.figure("| nodes | requests a second | for each second of the nodes' processors | to one node | for each second of HAProxy's | of PostgreSQL's |\n|---|---|---|---|---|---|\n")
	for _, r := range p.rates {
		p.figure("| %d | %.0f | %.0f | %.2f | %.0f | %.0f |\n", r.nodes, r.wall, r.node, r.node/p.rates[0].node, r.proxy, r.database)
	}
	p.figure("\n")
}

// fleetRate is how many requests were answered in a second, by the clock and by
// the processor time of the parts of a fleet.
type fleetRate struct {
	nodes                       int
	wall, node, proxy, database float64
}
