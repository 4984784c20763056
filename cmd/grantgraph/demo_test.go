package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServedDemo starts the demo as a newcomer would whose first run ended after
// making it, runs the calls it prints and stops it.
func TestServedDemo(t *testing.T) {
	t.Parallel()
	data, _ := madeDemo(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int, 1)
	var out, errs bytes.Buffer
	go func() {
		done <- run(ctx, []string{"demo", "--data", data, "--addr", "127.0.0.1:0", "--quiet"}, strings.NewReader(""), &out, &errs)
	}()
	d := awaitDemo(t, data, done, &errs)
	for _, tc := range []struct {
		path, plan string
		status     int
		want       string
	}{
		{"/", "", 200, "Who funds whom"},
		{"/api/v1/search?q=county+library", "", 200, `"mode":"text"`},
		{"/api/v1/grants/summary", "free", 200, `"by_year"`},
		{"/api/v1/grants/funders?limit=2", "plus", 200, `"funder_ein"`},
		{"/api/v1/grants/recipients?limit=2", "pro", 200, `"recip_id"`},
		{"/api/v1/grants/recipients", "", 401, `"no_key"`},
	} {
		r, err := http.NewRequest(http.MethodGet, d.BaseURL+tc.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", d.Keys[tc.plan])
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != tc.status || !strings.Contains(string(body), tc.want) {
			t.Errorf("%s: %d, %.300s", tc.path, answer.StatusCode, body)
		}
	}
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	for _, want := range []string{d.BaseURL, d.Keys["free"], "curl"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the greeting lacks %q:\n%s", want, out.String())
		}
	}

	// The next run is not ready because the one before was.
	ctx, stop = context.WithCancel(t.Context())
	defer stop()
	go func() {
		done <- run(ctx, []string{"demo", "--data", data, "--addr", "127.0.0.1:0", "--quiet"}, strings.NewReader(""), &out, &errs)
	}()
	for tick := time.Tick(time.Millisecond); ; <-tick {
		body, err := os.ReadFile(filepath.Join(data, "demo.json"))
		if err != nil {
			break
		}
		if !strings.Contains(string(body), d.BaseURL) {
			t.Error("demo.json of the run before stood until the next was ready")
			break
		}
	}
	again := awaitDemo(t, data, done, &errs)
	if !maps.Equal(again.Keys, d.Keys) {
		t.Errorf("the keys %v became %v", d.Keys, again.Keys)
	}
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit %d: %s", code, errs.String())
	}

	code, answer, errText := command(t, "get", "--data", data, "/api/v1/search?q=library")
	if code != 0 || !strings.Contains(answer, "\n  \"results\": [\n") {
		t.Errorf("get: exit %d, %s%s", code, answer, errText)
	}
	if code, answer, errText = command(t, "get", "-i", "--data", data, "/api/v1/grants/summary"); code != 1 || !strings.Contains(answer, "401") || !strings.Contains(errText, "Try:") {
		t.Errorf("get without a key: exit %d, %s%s", code, answer, errText)
	}
	if code, answer, errText = command(t, "get", "--data", data, "--key", d.Keys["pro"], "/api/v1/grants/summary?year=2022"); code != 0 || !strings.Contains(answer, `"grant_count"`) {
		t.Errorf("get with a key: exit %d, %s%s", code, answer, errText)
	}
	if code, _, errText = command(t, "get", "--data", data, "-H", "Accept: text/html, application/json", "-H", "X-API-Key: "+d.Keys["pro"], "/api/v1/grants/summary?year=2022"); code != 0 {
		t.Errorf("get with a header that holds a comma, and another: exit %d, %s", code, errText)
	}
	if code, _, errText = command(t, "get", "--data", data, "--database", "postgres://127.0.0.1:1/none", "/api/v1/meta"); code != 1 || !strings.Contains(errText, "cannot reach the key store") {
		t.Errorf("get with the accounts elsewhere: exit %d, %s", code, errText)
	}
}

// awaitDemo waits for demo.json, which is written when the demo is ready.
func awaitDemo(t *testing.T, data string, done <-chan int, errs *bytes.Buffer) (d demo) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(10 * time.Minute); ; {
		select {
		case code := <-done:
			t.Fatalf("the demo ended with %d: %s", code, errs.String())
		case <-late:
			t.Fatal("the demo was not ready in time")
		case <-tick.C:
			body, err := os.ReadFile(filepath.Join(data, "demo.json"))
			if err == nil && json.Unmarshal(body, &d) == nil {
				return d
			}
		}
	}
}

// TestDemoAddressTaken has another program at the address: that is said before
// a world is made.
func TestDemoAddressTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := filepath.Join(t.TempDir(), "demo")
	if code, _, errs := command(t, "demo", "--addr", l.Addr().String(), "--data", dir); code == 0 || !strings.Contains(errs, "cannot listen on") {
		t.Errorf("%d: %s", code, errs)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
}

// TestDemoRefusesOtherData gives the demo folders that are not its own, such as
// the data directory of a service: it does not touch them.
func TestDemoRefusesOtherData(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"current", "notes.txt", "world-small-1"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), []byte("20260101T000000Z\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--once"}, {"--addr", "127.0.0.1:0"}} {
			if code, _, errs := command(t, append([]string{"demo", "--quiet", "--data", dir}, args...)...); code != 1 || !strings.Contains(errs, "was not made by a demo") || !strings.Contains(errs, "Try:") {
				t.Errorf("%s, %q: exit %d, %s", file, args, code, errs)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("something was made: %v, %v", entries, err)
		}
	}
	for _, file := range []string{"", demoMarker, "world-small-1/world.json"} {
		dir := t.TempDir()
		if file != "" {
			path := filepath.Join(dir, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := (&demoCmd{Data: dir}).refuseOtherData(); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
}
