package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
)

// scaleSection is a part of docs/scale.md, by its title.
func scaleSection(t *testing.T, title string) string {
	t.Helper()
	_, text, ok := strings.Cut(textOf(t, "../../docs/scale.md"), title+"\n")
	if !ok {
		t.Fatalf("docs/scale.md has no %s", title)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestFetchingIsSaid starts a node whose store is slow: it tells operators that it
// lives and how much has come, and clients find it when all has.
func TestFetchingIsSaid(t *testing.T) {
	t.Parallel()
	store := startObjectStore(t)
	from := filepath.Join(t.TempDir(), "data")
	snap := world.Small.Publish(t, from)
	store.publish(t, "--data", from)
	half := totalBytes(&snap.Manifest) / 2
	store.mu.Lock()
	store.stuck = func(fetched int64) bool { return fetched >= half }
	store.mu.Unlock()
	n := &fleetNode{addr: loopback(t), admin: loopback(t)}
	cmd := store.program("serve", "--snapshots", store.address, "--data", filepath.Join(t.TempDir(), "node"), "--addr", n.addr, "--admin", n.admin)
	cmd.Env = append(append(os.Environ(), cmd.Env...), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	log := &listening{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	said := regexp.MustCompile(`Not ready: fetching (\d+) %\.`)
	share := ""
	until(t, "it to say that it fetches\n"+log.String(), func() (bool, error) {
		status, body := fetched(n.admin, "/readyz")
		m := said.FindStringSubmatch(body)
		if m != nil {
			share = m[1]
		}
		return status == 503 && m != nil && share != "0", nil
	})
	if status, body := fetched(n.admin, "/healthz"); status != 200 {
		t.Errorf("%d, %s", status, body)
	}
	if status, body := fetched(n.addr, "/readyz"); status != 0 {
		t.Errorf("clients are let in: %d, %s", status, body)
	}
	if status, body := fetched(n.admin, "/metrics"); status != 200 || !strings.Contains(body, "grantgraph_store_fetched_bytes_total") {
		t.Errorf("%d, %s", status, body)
	}
	t.Logf("it said %s %%", share)
	store.mu.Lock()
	store.stuck = nil
	close(store.let)
	store.mu.Unlock()
	until(t, "it to be ready\n"+log.String(), func() (bool, error) {
		status, _ := fetched(n.addr, "/readyz")
		return status == 200, nil
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("%v\n%s", err, log)
	}
}

// fetched is what an address answers; 0 is nothing.
func fetched(addr, path string) (status int, body string) {
	r, err := http.Get("http://" + addr + path)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err.Error()
	}
	return r.StatusCode, string(text)
}

// TestUpgradePage follows the list of docs/scale.md under load: no request fails. The
// new release is the same program here.
func TestUpgradePage(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 2)
	l := newLoad(t, f, 2, 1, false)
	l.learn(t, f, f.version(t))
	for _, n := range f.nodes {
		f.start(t, n)
	}
	stop := l.start(100 * time.Millisecond)
	defer stop()
	at := 0 // the server that is being upgraded
	next := ""
	var steps []func()
	do := []struct {
		words string // by which a step is known
		step  func()
	}{
		{"Put the new release on every machine", func() {}},
		{"run `grantgraph build` and `grantgraph publish`", func() {
			world.Other.Publish(t, f.from)
			next = f.version(t)
			l.learn(t, f, next)
			f.store.publish(t, "--data", f.from)
		}},
		{"run `systemctl restart grantgraph`", func() {
			f.nodes[at].stop(t)
			f.start(t, f.nodes[at])
		}},
		{"Wait until `curl -f http://127.0.0.1:9090/readyz/accounts` succeeds", func() {
			until(t, "the server to be ready", func() (bool, error) {
				status, _ := fetched(f.nodes[at].admin, "/readyz/accounts")
				return status == 200, nil
			})
		}},
		{"Repeat steps 3 and 4 on the next server", func() {
			for at++; at < len(f.nodes); at++ {
				steps[2]()
				steps[3]()
			}
		}},
	}
	items := regexp.MustCompile(`(?m)^\d+\. (.*(?:\n   .*)*)`).FindAllStringSubmatch(scaleSection(t, "## 7. Upgrade without downtime"), -1)
	if len(items) != len(do) {
		t.Fatalf("docs/scale.md has %d steps, and %d are known here", len(items), len(do))
	}
	for i, item := range items {
		if !strings.Contains(item[1], do[i].words) {
			t.Fatalf("step %d is not known here: %s", i+1, item[1])
		}
		steps = append(steps, do[i].step)
	}
	l.event(t, &fleetEvent{name: "an upgrade"}, func() {
		for _, step := range steps {
			step()
		}
		f.awaitAll(t, next)
	})
	stop()
	l.settle(t, f)
	for _, n := range f.nodes {
		n.stop(t)
	}
}

// TestBackupPage runs the commands of docs/scale.md by which secrets are made, and
// accounts saved and restored, in the order of the page. What is restored has the
// keys, what was spent by then, and the key that signs.
func TestBackupPage(t *testing.T) {
	t.Parallel()
	pg, err := postgres.Start(t.Context(), "shared_buffers=16MB")
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to save the accounts of: %v; scripts/require installs it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop()
	work := t.TempDir()
	data := filepath.Join(work, "data")
	world.Small.Publish(t, data)
	var blocks []string
	for _, m := range fence.FindAllStringSubmatch(textOf(t, "../../docs/scale.md"), -1) {
		if m[2] == "fleet" {
			blocks = append(blocks, m[3])
		}
	}
	if len(blocks) != 5 {
		t.Fatalf("%d blocks", len(blocks))
	}
	run := func(code, database string) {
		t.Helper()
		cmd := exec.Command("bash", "-euc", code)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "DATABASE="+database, "PATH="+pg.Programs()+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, code, out)
		}
	}
	empty, err := pg.Create(t.Context(), "restored")
	if err != nil {
		t.Fatal(err)
	}
	run(blocks[0], "")
	for _, c := range []struct {
		name             string
		database         string // at first, empty for the file
		save, put, after string
	}{
		{"PostgreSQL", pg.DSN, blocks[1], blocks[2], empty},
		{"SQLite", "", blocks[3], blocks[4], ""},
	} {
		// A server that charges makes them, and is there while they are saved.
		s, err := serve.Open(serve.Options{Data: data, Database: secret.NewURL(c.database), Secrets: filepath.Join(work, "secrets.json"), BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		key, k, err := s.Store().Create(t.Context(), account.Pro, "ann@example.org", "")
		if err != nil {
			t.Fatal(err)
		}
		const before = 7
		for range before {
			if _, err := s.Store().Charge(t.Context(), k.ID, 1); err != nil {
				t.Fatal(err)
			}
		}
		signing, err := s.Store().SigningKeys(t.Context())
		if err != nil || len(signing) != 1 {
			t.Fatalf("%d keys that sign, %v", len(signing), err)
		}
		run(c.save, c.database)
		if _, err := s.Store().Charge(t.Context(), k.ID, 1); err != nil {
			t.Fatal(err)
		}
		s.Close()
		run(c.put, c.after)
		if s, err = serve.Open(serve.Options{Data: data, Database: secret.NewURL(c.after), Secrets: filepath.Join(work, "secrets.json"), BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := s.Store().Authenticate(t.Context(), key)
		if err != nil || got.ID != k.ID {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if b, err := s.Store().Charge(t.Context(), k.ID, 1); err != nil || b.Limit-b.Remaining != before+1 {
			t.Errorf("%s: %+v, %v", c.name, b, err)
		}
		if again, err := s.Store().SigningKeys(t.Context()); err != nil || len(again) != 1 || again[0].ID != signing[0].ID {
			t.Errorf("%s: %v, %v", c.name, again, err)
		}
		s.Close()
	}
}
