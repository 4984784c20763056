package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/terminal"
)

// fakeScreening is a service that screens by rule: an EIN that ends in 7 is
// revoked, one that ends in 8 is not found.
type fakeScreening struct {
	mu    sync.Mutex
	calls int
	sent  []int // EINs of each call that was answered
	keys  map[string]bool

	before func(w http.ResponseWriter, call int) (done bool)
}

func (f *fakeScreening) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.keys == nil {
		f.keys = map[string]bool{}
	}
	f.keys[r.Header.Get("X-API-Key")] = true
	w.Header().Set("Date", "Mon, 05 Oct 2026 01:02:03 GMT")
	if f.before != nil && f.before(w, f.calls) {
		return
	}
	var ask struct {
		EINs    []string
		Reports bool
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.URL.Path != "/api/v1/screening/bulk" || len(ask.EINs) > 100 {
		http.Error(w, "bad", http.StatusBadRequest)
		return
	}
	f.sent = append(f.sent, len(ask.EINs))
	var list []map[string]any
	for _, e := range ask.EINs {
		name, revoked, found := "Fund "+e, strings.HasSuffix(e, "7"), !strings.HasSuffix(e, "8")
		status := screen.NotListed
		if revoked {
			status = screen.Revoked
		}
		one := map[string]any{
			"ein": e, "found": found, "error": nil, "organization": client.ScreenedOrganization{EIN: e, OrganizationName: &name},
			"compliance": client.Compliance{Revoked: &revoked, Revocation: client.RevocationScreen{ScreenProvenance: client.ScreenProvenance{Screened: true, Status: status}}},
		}
		if ask.Reports {
			one["report"] = map[string]any{"report_id": fmt.Sprintf("%064s", e), "b": 1, "a": "é"}
		}
		list = append(list, one)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"results": list})
}

// counted is how many calls there were, and the EINs of those answered. It waits
// for a call that the client has given up.
func (f *fakeScreening) counted() (calls int, sent string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, fmt.Sprint(f.sent)
}

// refuse answers as the service does where it does not answer.
func refuse(w http.ResponseWriter, status int, slug, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "error", "error": slug, "message": message, "hint": "do something"})
}

// screenArgs are a spreadsheet of so many rows, and the arguments that screen it.
func screenArgs(t *testing.T, url string, rows int) (out string, args []string) {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("Name;EIN;Amount\r\n")
	for i := range rows {
		fmt.Fprintf(&b, "\"Fund; %d\";%d;1,5\r\n", i, 1_000_000+i*3)
		if i == 4 {
			b.WriteString("Nameless;n/a;\r\n\r\n")
		}
	}
	in, key := filepath.Join(dir, "grantees.csv"), filepath.Join(dir, "key")
	for path, text := range map[string]string{in: b.String(), key: "gg_test\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out = filepath.Join(dir, "results.csv")
	return out, []string{"screen", in, "--out", out, "--url", url, "--key-file", key}
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestScreenService(t *testing.T) {
	t.Parallel()
	fake := &fakeScreening{}
	server := httptest.NewServer(fake)
	defer server.Close()
	out, args := screenArgs(t, server.URL, 250)
	reports := filepath.Join(t.TempDir(), "reports")
	code, said, errs := command(t, append(args, "--reports", reports)...)
	if code != 0 || !strings.Contains(said, "251 rows: 25 need a closer look, 200 not screened against every list, 25 not found, 1 without a readable EIN") {
		t.Fatalf("exit %d: %s%s", code, said, errs)
	}
	if _, sent := fake.counted(); sent != "[100 100 50]" || len(fake.keys) != 1 || !fake.keys["gg_test"] {
		t.Errorf("sent %v with the keys %v", sent, fake.keys)
	}
	text := textOf(t, out)
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = ';'
	rows, err := r.ReadAll()
	if err != nil || len(rows) != 252 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	cell := func(row int, name string) string { return rows[row][column[name]] }
	if cell(1, "Name") != "Fund; 0" || cell(1, "EIN") != "1000000" || cell(1, "organization_name") != "Fund 001000000" ||
		cell(1, "screened_at") != "2026-10-05T01:02:03Z" || cell(1, "ofac_status") != "not screened" || cell(1, "revoked") != "false" {
		t.Errorf("the first row is %q", rows[1])
	}
	if cell(6, "Name") != "Nameless" || !strings.Contains(cell(6, "error"), "not an EIN") || cell(6, "revoked") != "not screened" {
		t.Errorf("the row without an EIN is %q", rows[6])
	}
	if !strings.Contains(text, "\r\n\r\n") {
		t.Error("the blank line is gone")
	}
	kept, _ := filepath.Glob(filepath.Join(reports, "*.json"))
	if len(kept) != 250 || textOf(t, filepath.Join(reports, "001000000-"+strings.Repeat("0", 16)+".json")) != `{"a":"é","b":1,"report_id":"`+cell(1, "report_id")+`"}` {
		t.Errorf("%d reports were kept", len(kept))
	}
}

func TestScreenServiceRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before func(w http.ResponseWriter, call int) bool
		says   string
		waits  string
		calls  int
	}{
		{"the key", func(w http.ResponseWriter, _ int) bool { refuse(w, 401, "invalid_key", "No such key."); return true }, "does not accept the key", "[]", 1},
		{"the plan", func(w http.ResponseWriter, call int) bool {
			if call > 1 {
				refuse(w, 402, "calls_exhausted", "No calls are left.")
			}
			return call > 1
		}, "No calls are left", "[]", 2},
		{"too long a wait", func(w http.ResponseWriter, _ int) bool {
			w.Header().Set("Retry-After", "7200")
			refuse(w, 429, "rate_limited", "Too fast.")
			return true
		}, "asks to wait 2h0m0s", "[]", 1},
		{"a date", func(w http.ResponseWriter, call int) bool {
			w.Header().Set("Retry-After", "Mon, 05 Oct 2026 01:02:08 GMT")
			refuse(w, 503, "server_busy", "Busy.")
			return true
		}, "8 attempts", "[5s 5s 5s 5s 5s 5s 5s]", 8},
		{"no word", func(w http.ResponseWriter, call int) bool { refuse(w, 503, "server_busy", "Busy."); return true }, "Busy.", "[1s 2s 4s 8s 16s 32s 1m4s]", 8},
		{"not ours", func(w http.ResponseWriter, _ int) bool { http.Error(w, "<html>", 500); return true }, "500 Internal", "[]", 1},
		{"elsewhere", func(w http.ResponseWriter, _ int) bool {
			w.Header().Set("Location", "https://elsewhere.example/")
			w.WriteHeader(302)
			return true
		}, "redirects", "[]", 1},
		{"nonsense", func(w http.ResponseWriter, _ int) bool { _, _ = w.Write([]byte(`{"results":[]}`)); return true }, "not a screening", "[]", 1},
	} {
		fake := &fakeScreening{before: c.before}
		server := httptest.NewServer(fake)
		_, args := screenArgs(t, server.URL, 150)
		cmd := screenCmd{File: args[1], Out: args[3], URL: args[5], KeyFile: args[7], Quiet: true}
		waits := []time.Duration{}
		var errs bytes.Buffer
		err := cmd.run(&terminal.App{Ctx: t.Context(), Out: &errs, Err: &errs}, func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil })
		server.Close()
		f, ok := fault.Of(err)
		calls, _ := fake.counted()
		if !ok || !strings.Contains(f.Message, c.says) || f.Hint == "" || fmt.Sprint(waits) != c.waits || calls != c.calls {
			t.Errorf("%s: %v, %+v, %d calls, waits %v", c.name, err, f, calls, waits)
		}
		if c.calls == 2 && !strings.Contains(errs.String(), "101 of 151 rows are screened and kept") {
			t.Errorf("%s: %s", c.name, errs.String())
		}
	}
}

// TestScreenRetries is refused a few times, and goes on at the pace it is told.
func TestScreenRetries(t *testing.T) {
	t.Parallel()
	fake := &fakeScreening{before: func(w http.ResponseWriter, call int) bool {
		if call%2 == 1 {
			w.Header().Set("Retry-After", fmt.Sprint(call))
			refuse(w, 429, "rate_limited", "Too fast.")
		}
		return call%2 == 1
	}}
	server := httptest.NewServer(fake)
	defer server.Close()
	out, args := screenArgs(t, server.URL, 250)
	cmd := screenCmd{File: args[1], Out: out, URL: args[5], KeyFile: args[7], Quiet: true}
	var waits []time.Duration
	err := cmd.run(&terminal.App{Ctx: t.Context(), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil })
	if err != nil || fmt.Sprint(waits) != "[1s 3s 5s]" {
		t.Errorf("%v, waits %v", err, waits)
	}
}

// TestScreenInterrupted stops the command in the middle: the next run goes on,
// pays for no row twice, and its result is that of a run that was not stopped.
func TestScreenInterrupted(t *testing.T) {
	t.Parallel()
	whole := httptest.NewServer(&fakeScreening{})
	defer whole.Close()
	wholeOut, args := screenArgs(t, whole.URL, 450)
	if code, _, errs := command(t, args...); code != 0 {
		t.Fatal(errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopAt := 3
	fake := &fakeScreening{before: func(_ http.ResponseWriter, call int) bool {
		if call == stopAt {
			cancel()
			panic(http.ErrAbortHandler) // no answer, which might still be taken
		}
		return false
	}}
	server := httptest.NewServer(fake)
	defer server.Close()
	out, args := screenArgs(t, server.URL, 450)
	var said, errs bytes.Buffer
	if code := run(ctx, args, strings.NewReader(""), &said, &errs); code != terminal.Interrupted || !strings.Contains(errs.String(), "run the same command again to continue") {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Error("half a result has the name of a whole one")
	}
	code, text, more := command(t, append(args, "--json")...)
	if code != 0 || !strings.Contains(more, "Continuing after 201 rows") || !strings.Contains(text, `"resumed_rows": 201`) || !strings.Contains(text, `"rows": 451`) {
		t.Errorf("exit %d: %s%s", code, text, more)
	}
	if textOf(t, out) != textOf(t, wholeOut) {
		t.Error("the result is not that of a run that was not stopped")
	}
	calls, _ := fake.counted()
	if calls > 6 {
		t.Errorf("%d calls for 5 batches", calls)
	}
	// Stopped again, and the spreadsheet is another one when it goes on.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	stopAt += calls
	errs.Reset()
	if code := run(ctx, args, strings.NewReader(""), &said, &errs); code != terminal.Interrupted {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if err := os.WriteFile(args[1], []byte("EIN\n000000001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, text, more = command(t, args...)
	if code != 0 || !strings.Contains(more, "the input has changed: starting from the beginning") || !strings.HasPrefix(text, "1 row: ") {
		t.Errorf("exit %d: %s%s", code, text, more)
	}
}

// TestScreenKilled kills the program itself while it screens.
func TestScreenKilled(t *testing.T) {
	t.Parallel()
	whole := httptest.NewServer(&fakeScreening{})
	defer whole.Close()
	wholeOut, args := screenArgs(t, whole.URL, 450)
	if code, _, errs := command(t, args...); code != 0 {
		t.Fatal(errs)
	}
	var program *exec.Cmd
	fake := &fakeScreening{}
	fake.before = func(_ http.ResponseWriter, call int) bool {
		if call == 4 {
			_ = program.Process.Kill()
			panic(http.ErrAbortHandler) // no answer, which might still be taken
		}
		return false
	}
	server := httptest.NewServer(fake)
	defer server.Close()
	out, args := screenArgs(t, server.URL, 450)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fake.mu.Lock() // no call before the process is known here
	program = exec.Command(self, args...)
	program.Env = append(os.Environ(), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	err = program.Start()
	fake.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err == nil {
		t.Fatal("it was not killed")
	}
	if code, _, errs := command(t, args...); code != 0 || !strings.Contains(errs, "Continuing after 301 rows") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if textOf(t, out) != textOf(t, wholeOut) {
		t.Error("the result is not that of a run that was not killed")
	}
}

func TestScreenRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.csv", "EIN\n000000001\n")
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"no file", []string{filepath.Join(dir, "none.csv")}, "does not exist"},
		{"a folder", []string{dir}, "is not a file"},
		{"empty", []string{write("empty.csv", "")}, "empty.csv: the file is empty"},
		{"no EINs", []string{write("names.csv", "Name\nAlder\n")}, "--column"},
		{"onto itself", []string{good, "--out", good}, "the spreadsheet itself"},
		{"a folder to write to", []string{good, "--out", dir}, "is a folder"},
		{"no lists", []string{good, "--data", filepath.Join(dir, "nothing")}, "no compliance lists"},
		{"a key for nothing", []string{good, "--key-file", good}, "--url"},
		{"reports of nothing", []string{good, "--reports", dir}, "needs --url"},
		{"a bad address", []string{good, "--url", "ftp://x", "--key-file", write("key", "gg_x")}, "not the address of a service"},
		{"an empty key", []string{good, "--url", "http://x.example", "--key-file", write("nokey", "\n")}, "one API key"},
	} {
		args := append([]string{"screen"}, c.args...)
		if !strings.Contains(strings.Join(args, " "), "--out") {
			args = append(args, "--out", filepath.Join(dir, "out.csv"))
		}
		code, _, errs := command(t, args...)
		if code != 1 || !strings.Contains(errs, c.says) || !strings.Contains(errs, "Try: ") {
			t.Errorf("%s: exit %d, %s", c.name, code, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out.csv*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestScreenLists screens with the lists of a data directory, and holds the rows
// against what the screener says.
func TestScreenLists(t *testing.T) {
	t.Parallel()
	data := world.Small.Data(t)
	by, err := openLocalScreening(data)
	if err != nil {
		t.Fatal(err)
	}
	defer by.close()
	var b strings.Builder
	b.WriteString("organization\ttax id\n")
	var eins []ein.EIN
	for _, org := range by.names.Find("foundation", "", 40) {
		eins = append(eins, org.EIN)
		fmt.Fprintf(&b, "%s\t%s\n", strings.ReplaceAll(org.Name, `"`, ""), strings.TrimLeft(org.EIN.String(), "0"))
	}
	eins = append(eins, 999_999_998)
	b.WriteString("Nobody\t99-9999998\n")
	in, out := filepath.Join(t.TempDir(), "in.tsv"), filepath.Join(t.TempDir(), "out.tsv")
	if err := os.WriteFile(in, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, said, errs := command(t, "screen", in, "--out", out, "--data", data, "--json")
	var summary screenSummary
	if err := json.Unmarshal([]byte(said), &summary); code != 0 || err != nil || summary.All != int64(len(eins)) || summary.NotFound != 1 || summary.Column != "tax id" {
		t.Fatalf("exit %d: %s%s", code, said, errs)
	}
	r := csv.NewReader(strings.NewReader(textOf(t, out)))
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil || len(rows) != len(eins)+1 || len(eins) < 20 {
		t.Fatalf("%d rows for %d EINs: %v", len(rows), len(eins), err)
	}
	want, err := by.screen(t.Context(), eins)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "screened_at")
	for i, e := range eins {
		cells := want[e].Cells()
		cells[at-2] = rows[i+1][at] // the moment differs
		if !slices.Equal(rows[i+1][2:], cells) {
			t.Errorf("%s:\n%q, the screener says\n%q", e, rows[i+1][2:], cells)
		}
	}
}

// TestScreenServed screens with the real service, and holds the rows against
// those of the same lists on this machine, and the reports against its keys.
func TestScreenServed(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	url, key := serveForTest(t, data)
	by, err := openLocalScreening(data)
	if err != nil {
		t.Fatal(err)
	}
	defer by.close()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := "EIN\n"
	for _, org := range by.names.Find("community", "", 30) {
		text += org.EIN.String() + "\n"
	}
	text += "99-9999998\n12-34\n"
	in, keyFile, reports := write("in.csv", text), write("key", key), filepath.Join(dir, "reports")
	served, local := filepath.Join(dir, "served.csv"), filepath.Join(dir, "local.csv")
	if code, _, errs := command(t, "screen", in, "--out", served, "--url", url, "--key-file", keyFile, "--reports", reports, "-q"); code != 0 {
		t.Fatal(errs)
	}
	if code, _, errs := command(t, "screen", in, "--out", local, "--data", data, "-q"); code != 0 {
		t.Fatal(errs)
	}
	a, b := csvOf(t, served), csvOf(t, local)
	at, id := slices.Index(a[0], "screened_at"), slices.Index(a[0], "report_id")
	for i := range a {
		if i > 0 {
			a[i][at], a[i][id], b[i][at], b[i][id] = "", "", "", ""
		}
		if !slices.Equal(a[i], b[i]) {
			t.Errorf("row %d:\n%q here,\n%q by the service", i, b[i], a[i])
		}
	}
	kept, _ := filepath.Glob(filepath.Join(reports, "*.json"))
	if len(kept) != len(a)-2 {
		t.Errorf("%d reports for %d rows", len(kept), len(a)-1)
	}
	resp, err := http.Get(url + "/.well-known/jwks.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	document, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	published, err := keyring.ParseKeys(document)
	if err != nil {
		t.Fatal(err)
	}
	var keys []report.PublicKey
	for _, k := range published {
		keys = append(keys, report.PublicKey(k))
	}
	for _, path := range kept {
		v, err := report.Verify(t.Context(), []byte(textOf(t, path)), keys)
		if err != nil || v.Status() != report.Valid || !strings.HasPrefix(filepath.Base(path), *v.Subject.EIN+"-"+v.ReportID[:16]) {
			t.Errorf("%s: %+v, %v", path, v, err)
		}
	}
}

func csvOf(t *testing.T, path string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(textOf(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// serveForTest serves a data directory, and gives the address and a paid key.
func serveForTest(t *testing.T, data string) (url, key string) {
	t.Helper()
	store, err := account.OpenSQLite(serve.Accounts(data), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if key, _, err = store.Create(t.Context(), account.Pro, "", ""); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := serve.Open(serve.Options{Data: data, BaseURL: "http://grants.example", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		s.Close()
	})
	return server.URL, key
}
