package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/snapshot"
)

// fleet is a service on several machines, each of which is a process here:
// HAProxy with the configuration of deploy/, nodes, PostgreSQL and an object store.
type fleet struct {
	front    string // where clients reach it
	database *postgres.Server
	accounts *account.Store
	store    *objectStore
	gateway  *gateway // the store as a process; nil when it is in this one
	nodes    []*fleetNode
	balancer *exec.Cmd
	stats    string // of the balancer
	from     string // data directory of the machine that builds
	model    string // a server of its own on that directory, which nothing happens to
}

// fleetNode is one server of a fleet. It keeps its address when it is started
// again.
type fleetNode struct {
	name  string // as the balancer calls it
	addr  string
	admin string
	data  string
	cmd   *exec.Cmd
	log   *listening
	ended <-chan error
	all   strings.Builder // logs of the processes before

	mounted bool // its data is on a small disk of its own
}

// startFleet starts everything but the nodes. What a machine lacks is told by
// leaving the test out, which continuous integration does not: scripts/require
// sees to that.
func startFleet(t *testing.T, nodes int) *fleet {
	t.Helper()
	proxy := haproxy()
	if proxy == "" {
		t.Skip("no HAProxy to put in front of a fleet; scripts/require installs it")
	}
	database, err := postgres.Start(t.Context())
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to keep the ledger in: %v; scripts/require installs it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := database.Stop(); err != nil {
			t.Error(err)
		}
	})
	f := &fleet{database: database, from: filepath.Join(t.TempDir(), "data")}
	if f.accounts, err = serve.OpenAccounts("", secret.NewURL(database.DSN), account.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.accounts.Close() })
	if program := os.Getenv("GRANTGRAPH_TEST_GATEWAY"); program != "" {
		f.gateway = startGateway(t, program)
		f.store = f.gateway.store()
	} else {
		f.store = startObjectStore(t)
	}
	world.Small.Publish(t, f.from)
	f.store.publish(t, "--data", f.from)
	for n := range nodes {
		f.nodes = append(f.nodes, &fleetNode{
			name: fmt.Sprintf("node%d", n+1), addr: loopback(t), admin: loopback(t), data: filepath.Join(t.TempDir(), "node"),
		})
	}
	f.startBalancer(t, proxy)
	cmd := exec.Command(os.Args[0], "serve", "--data", f.from, "--base-url", f.front, "--addr", loopback(t))
	f.model = "http://" + cmd.Args[len(cmd.Args)-1]
	_, _, ended := startServing(t, cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return f
}

// haproxy is the program; Debian has it where only root looks.
func haproxy() string {
	for _, name := range []string{"haproxy", "/usr/sbin/haproxy"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// loopback is an address that is nobody else's as long as the machine runs, also
// while nobody listens there: its host is one of the sixteen million that a
// machine has for itself.
func loopback(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startBalancer starts HAProxy with the configuration that operators get. It is
// handed its listeners: nobody can take their ports from it.
func (f *fleet) startBalancer(t *testing.T, program string) {
	t.Helper()
	cmd := exec.Command(program, "-db", "-f", "../../deploy/haproxy.cfg")
	cmd.Env = append(os.Environ(), "FRONT=fd@3", "STATS=fd@4")
	for _, to := range []*string{&f.front, &f.stats} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		file, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
		*to = "http://" + l.Addr().String()
	}
	for n := range 3 {
		addr := loopback(t) // where nobody is
		if n < len(f.nodes) {
			addr = f.nodes[n].addr
		}
		cmd.Env = append(cmd.Env, fmt.Sprintf("NODE%d=%s", n+1, addr))
	}
	said := &listening{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f.balancer = cmd
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("HAProxy:\n%s", tail(said.String()))
		}
	})
	until(t, "HAProxy to answer", func() (bool, error) {
		_, err := f.states()
		return err == nil, nil
	})
}

// states are those of the servers, as the balancer sees them.
func (f *fleet) states() (map[string]string, error) {
	r, err := http.Get(f.stats + "/;csv")
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	rows, err := csv.NewReader(r.Body).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("the state of the balancer: %w", err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[strings.TrimPrefix(name, "# ")] = i
	}
	states := map[string]string{}
	for _, row := range rows[1:] {
		states[row[column["pxname"]]+"/"+row[column["svname"]]] = row[column["status"]]
	}
	return states, nil
}

// awaitBalancer waits until the balancer sends requests to a node, or does not.
func (f *fleet) awaitBalancer(t *testing.T, n *fleetNode, state string) {
	t.Helper()
	until(t, "the balancer to say "+state+" of "+n.name+"\n"+n.log.String(), func() (bool, error) {
		states, err := f.states()
		return states["servers/"+n.name] == state && states["without_accounts/"+n.name] == state, err
	})
}

// drain is for how long nodes go on when they are told to stop, as deploy/ has it.
const drain = "5s"

// start starts a node, for the first time or again, and waits until requests are
// sent to it.
func (f *fleet) start(t *testing.T, n *fleetNode, through ...string) {
	t.Helper()
	args := append(through, os.Args[0], "serve", "--snapshots", f.store.address, "--data", n.data, "--database", f.database.DSN,
		"--secrets", filepath.Join(filepath.Dir(f.from), "secrets.json"), "--base-url", f.front, "--proxy", "127.0.0.0/8", "--drain", drain, "--addr", n.addr, "--admin", n.admin)
	if n.log != nil {
		n.all.WriteString(n.log.String())
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = f.store.env
	_, n.log, n.ended = startServing(t, cmd)
	if n.cmd == nil {
		t.Cleanup(func() {
			_ = n.cmd.Process.Kill()
			if t.Failed() {
				t.Logf("%s:\n%s", n.name, tail(n.all.String()+n.log.String()))
			}
		})
	}
	n.cmd = cmd
	f.awaitBalancer(t, n, "UP")
}

// kill ends a node in the middle of whatever it does.
func (n *fleetNode) kill(t *testing.T) {
	t.Helper()
	if err := n.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-n.ended
}

// stop ends a node as a service manager does, and waits.
func (n *fleetNode) stop(t *testing.T) {
	t.Helper()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-n.ended; err != nil {
		t.Errorf("%s ends badly: %v\n%s", n.name, err, n.log)
	}
}

// metric is a number that a node tells operators.
func (n *fleetNode) metric(name string) (float64, error) {
	r, err := http.Get("http://" + n.admin + "/metrics")
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(rest), 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

// awaitAll waits until every node serves a version.
func (f *fleet) awaitAll(t *testing.T, version string) {
	t.Helper()
	for _, n := range f.nodes {
		f.awaitNode(t, n, version)
	}
}

func (f *fleet) awaitNode(t *testing.T, n *fleetNode, version string) {
	t.Helper()
	until(t, n.name+" to serve "+version, func() (bool, error) {
		got, err := servedVersion("http://" + n.addr)
		return got == version, err
	})
}

// until waits for something, for as long as the test may run.
func until(t *testing.T, what string, there func() (bool, error)) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := there()
		if err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		if ok {
			return
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// tail is the end of a log.
func tail(log string) string {
	const most = 6000
	if len(log) > most {
		return "…" + log[len(log)-most:]
	}
	return log
}

// gateway is an object store as a process of its own: Versity's, on a folder.
type gateway struct {
	program string
	folder  string
	addr    string
	cmd     *exec.Cmd
}

// bucket and prefix are where a fleet keeps everything.
const bucket, prefix = "fleet", "production"

func startGateway(t *testing.T, program string) *gateway {
	t.Helper()
	g := &gateway{program: program, folder: t.TempDir(), addr: loopback(t)}
	if err := os.Mkdir(filepath.Join(g.folder, bucket), 0o755); err != nil {
		t.Fatal(err)
	}
	g.start(t)
	t.Cleanup(g.stop)
	return g
}

func (g *gateway) start(t *testing.T) {
	t.Helper()
	g.cmd = exec.Command(g.program, "--port", g.addr, "--quiet", "posix", g.folder)
	g.cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY=tester-secret")
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the object store to answer", func() (bool, error) {
		r, err := http.Get("http://" + g.addr)
		if err != nil {
			return false, nil
		}
		r.Body.Close()
		return r.StatusCode == http.StatusForbidden, nil // who did not sign is refused
	})
}

// stop ends it; what it holds stays in its folder.
func (g *gateway) stop() {
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
}

func (g *gateway) store() *objectStore {
	return &objectStore{address: "s3://" + bucket + "/" + prefix + "?endpoint=http://" + g.addr, env: storeCredentials}
}

// version is the one that was built last.
func (f *fleet) version(t *testing.T) string {
	t.Helper()
	s, err := snapshot.Open(f.from)
	if err != nil {
		t.Fatal(err)
	}
	return s.Manifest.Version
}

// timeTaken is what a process and its children have taken of the processors, in seconds.
func timeTaken(t *testing.T, pid int) (seconds float64) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Fatalf("the system does not tell what processes take: %v", err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest) // from the state on, the third field
		if len(fields) < 15 {
			t.Fatalf("%s: %s", path, text)
		}
		of := func(i int) float64 {
			ticks, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return ticks / 100 // of the kernel's interface, whatever its own are
		}
		switch {
		case filepath.Base(filepath.Dir(path)) == strconv.Itoa(pid):
			seconds += of(11) + of(12) + of(13) + of(14) // and of children that have ended
		case fields[1] == strconv.Itoa(pid):
			seconds += of(11) + of(12)
		}
	}
	return seconds
}
