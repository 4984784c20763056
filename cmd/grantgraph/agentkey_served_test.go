package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"grantgraph/client"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/terminal"
)

// TestAgentServed gets keys of each kind from a service with an invented world,
// all of it real but the passing of time.
func TestAgentServed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	t.Run("anonymous", func(t *testing.T) { anonymousWalk(t, data) })
	t.Run("signed", func(t *testing.T) { signedWalk(t, data) })
}

// anonymousWalk takes a key from locked to unlocked to spent to unlocked.
func anonymousWalk(t *testing.T, data string) {
	var nanos atomic.Int64
	nanos.Store(time.Now().UnixNano())
	s := serveWorld(t, serve.Options{Data: data, Clock: func() time.Time { return time.Unix(0, nanos.Load()) }})
	var waits []time.Duration
	pass := func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		nanos.Add(int64(d))
		return nil
	}
	yes := true
	service, talk := agentServiceFlags{URL: s.URL()}, agentDialogFlags{&yes}

	// Three wrong answers, a new challenge, and right ones.
	var out bytes.Buffer
	mint := &agentMintCmd{agentServiceFlags: service, agentDialogFlags: talk, Purpose: "a test", Source: "its author"}
	if err := mint.run(&terminal.App{Ctx: t.Context(), In: &scholar{out: &out, wrong: 3}, Out: &out, Err: io.Discard}, pass); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	contains(t, "the output", out.String(), "locked: ", "Attempts left: 2.", "Attempts left: 1.", "There is a new challenge.", "All answers are right.", "unlocked: 10 of 10 calls are left")
	if fmt.Sprint(waits) != "[5s 10s]" {
		t.Errorf("waited %v", waits)
	}
	key, _, _ := strings.Cut(out.String(), "\n")

	// A challenge is not due before the calls are spent.
	if code, _, errs := command(t, "agent-key", "challenge", "--url", s.URL(), "--key", key); code != 1 || !strings.Contains(errs, "10 calls left") {
		t.Errorf("exit %d: %s", code, errs)
	}
	info, err := s.Store().Find(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Charge(t.Context(), info.ID, 10); err != nil {
		t.Fatal(err)
	}

	// Spent: the next challenge, told, answered with one too many, wrong, too soon, and right.
	code, said, errs := command(t, "agent-key", "challenge", "--url", s.URL(), "--key", key, "--json")
	var state client.AgentKeyAnswer
	if err := json.Unmarshal([]byte(said), &state); code != 0 || err != nil || state.Challenge == nil {
		t.Fatalf("exit %d: %s%s", code, said, errs)
	}
	args := []string{"agent-key", "answer", "--url", s.URL(), "--key", key}
	for range state.Challenge.Questions {
		args = append(args, "17")
	}
	if code, _, errs := command(t, append(args, "17")...); code != 1 || !strings.Contains(errs, "answers were sent") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, errs := command(t, args...); code != 1 || !strings.Contains(errs, "Not every answer is right") || !strings.Contains(errs, "Try: ") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, errs := command(t, args...); code != 1 || !strings.Contains(errs, "too soon") {
		t.Errorf("exit %d: %s", code, errs)
	}
	out.Reset()
	waits = nil
	next := &agentChallengeCmd{agentServiceFlags: service, agentDialogFlags: talk, Key: secret.New(key)}
	if err := next.run(&terminal.App{Ctx: t.Context(), In: &scholar{out: &out}, Out: &out, Err: io.Discard}, pass); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	contains(t, "the output", out.String(), "Waiting 5 seconds", "unlocked: 10 of 10 calls are left")
	if len(waits) != 1 || strings.Contains(out.String(), key) {
		t.Errorf("waited %v\n%s", waits, out.String())
	}
}

// signedWalk gets keys with signatures, from a service that reads directories
// on this machine.
func signedWalk(t *testing.T, data string) {
	path, _, _ := keygen(t)
	stranger, _, _ := keygen(t)
	address, roots := serveDirectory(t, path)
	url := serveWorld(t, serve.Options{Data: data, Directory: httpsig.NewDirectory(httpsig.Options{Roots: roots, Loopback: true})}).URL()
	mint := func(flags ...string) (int, string, string) {
		return command(t, append([]string{"agent-key", "mint", "--url", url, "--purpose", "p", "--source", "s", "--agent", address}, flags...)...)
	}
	for _, flags := range [][]string{{"--jwk", path}, {"--jwk", path, "--bare"}} {
		code, out, errs := mint(flags...)
		if code != 0 || !strings.HasPrefix(out, "gg_a_") || !strings.Contains(out, "attested tier, unlocked: 1,000 of 1,000 calls") {
			t.Errorf("%v: exit %d: %s%s", flags, code, out, errs)
		}
	}
	if code, out, errs := mint("--jwk", stranger); code != 1 || out != "" || !strings.Contains(errs, "does not list") || !strings.Contains(errs, "Try: ") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}

	// The headers that sign prints are as good.
	code, headers, errs := command(t, "agent-key", "sign", "--jwk", path, "--agent", address, "POST", url+"/api/v1/agent-key")
	if code != 0 {
		t.Fatal(errs)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/v1/agent-key", strings.NewReader(`{"purpose":"p","source":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || !strings.Contains(string(body), `"attested"`) {
		t.Errorf("%s: %s", resp.Status, body)
	}
}

// serveWorld serves on any free port for the time of the test.
// homeLine is a command that the guide for agents begins with.
var homeLine = regexp.MustCompile("(?m)^   (grantgraph .*)$")

// TestAgentAtHome runs the commands that docs/guide/agents.md begins with, on a demo and a directory of this machine.
func TestAgentAtHome(t *testing.T) {
	t.Parallel()
	data, jwk := t.TempDir(), filepath.Join(t.TempDir(), "agent.jwk")
	world.Small.Publish(t, data)
	s := serveWorld(t, serve.Options{Data: data, LocalDirectories: true})
	directory, ran := "", map[string]bool{}
	for _, m := range homeLine.FindAllStringSubmatch(textOf(t, "../../docs/guide/agents.md"), -1) {
		fill := strings.NewReplacer("agent.jwk", jwk, "https://127.0.0.1:8443", directory, guideBase, s.URL())
		args := strings.Fields(fill.Replace(m[1]))[1:]
		ran[strings.Join(args[:min(2, len(args))], " ")] = true
		switch args[1] {
		case "--allow-local-directories": // the demo, which runs
			var c cli
			parser, err := kong.New(&c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(args); err != nil || !c.Demo.LocalDirectories {
				t.Errorf("%v: %v", args, err)
			}
		case "directory":
			directory = beginDirectory(t, jwk)
		case "mint":
			if code, out, errs := command(t, args...); code != 0 || !strings.Contains(out, "attested tier, unlocked: 1,000 of 1,000 calls") {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
		case "sign":
			code, headers, errs := command(t, args...)
			if code != 0 {
				t.Fatal(errs)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/v1/agent-key", strings.NewReader(`{"purpose":"p","source":"s"}`))
			if err != nil {
				t.Fatal(err)
			}
			for text := range strings.Lines(headers) {
				name, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ": ")
				r.Header.Set(name, value)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != 200 || resp.Header.Get("X-Local-Directories") != "allowed" || !strings.Contains(string(body), "_local_directories") {
				t.Errorf("%v %d %v %s", err, resp.StatusCode, resp.Header, body)
			}
		default:
			if code, _, errs := command(t, args...); code != 0 {
				t.Errorf("%v: exit %d: %s", args, code, errs)
			}
		}
	}
	if len(ran) != 5 {
		t.Errorf("the guide begins with %v", ran)
	}
	// Others are refused: an address that other machines reach, and a proxy.
	for _, opt := range []serve.Options{{Addr: "0.0.0.0:0"}, {Addr: "127.0.0.1:0", Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, {}} {
		opt.Data, opt.LocalDirectories, opt.Log = data, true, slog.New(slog.DiscardHandler)
		if s, err := serve.Open(opt); err == nil || !strings.Contains(err.Error(), "--allow-local-directories") {
			t.Errorf("%q: %v", opt.Addr, err)
			if err == nil {
				s.Close()
			}
		}
	}
}

func serveWorld(t *testing.T, opt serve.Options) *serve.Server {
	t.Helper()
	opt.Addr, opt.Log = "127.0.0.1:0", slog.New(slog.DiscardHandler)
	s, err := serve.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s
}

// scholar is somebody at the keyboard who reads what is printed and answers
// from it alone. It is asked for a line only when a question stands there.
type scholar struct {
	out   *bytes.Buffer
	wrong int // how many rounds of questions to answer wrong
}

var (
	lastQuestion = regexp.MustCompile(`(?s).*\nQuestion (\d) of (\d): (.*)\n\[[^\n]*\] > $`)
	gaps         = regexp.MustCompile(`  +`)
)

func (s *scholar) Read(p []byte) (int, error) {
	text := s.out.String()
	m := lastQuestion.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("no question stands there: %.200s", text)
	}
	answer := "17"
	if s.wrong == 0 {
		if answer = s.solve(m[3], tables(text)); answer == "" {
			return 0, fmt.Errorf("what does %q mean?", m[3])
		}
	} else if m[1] == m[2] {
		s.wrong--
	}
	return copy(p, answer+"\n"), nil
}

// tables reads the tables of the last three calls. Each row is a list of cells;
// the first is the name of the columns.
func tables(text string) (all [3][][]string) {
	for i := range all {
		at := strings.LastIndex(text, fmt.Sprintf("\nCall %d: ", i+1))
		_, body, _ := strings.Cut(text[at+1:], "\n\n")
		body, _, _ = strings.Cut(body, "\n\n")
		for row := range strings.Lines(body) {
			if !strings.Contains(row, "───") {
				all[i] = append(all[i], gaps.Split(strings.TrimSpace(row), -1))
			}
		}
	}
	return all
}

// solve is what a careful reader says to a question.
func (s *scholar) solve(question string, calls [3][][]string) string {
	number := func(text string) int {
		n, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		return n
	}
	// cell is the field of a row of a call, all of them counted from 1.
	cell := func(call, row int, field string) string {
		for i, name := range calls[call-1][0] {
			if name == field {
				return calls[call-1][row][i]
			}
		}
		return ""
	}
	ask := func(pattern string) []string { return regexp.MustCompile(pattern).FindStringSubmatch(question) }
	if m := ask(`amount, .* recip_name is "(.*)"\?$`); m != nil {
		for row := 1; row < len(calls[0]); row++ {
			if cell(1, row, "recip_name") == m[1] {
				return cell(1, row, "amount")
			}
		}
	}
	if m := ask(`which recipient got a grant of exactly \$([0-9,]+)\?`); m != nil {
		for row := 1; row < len(calls[0]); row++ {
			if cell(1, row, "amount") == m[1] {
				return cell(1, row, "recip_name")
			}
		}
	}
	if m := ask(`what purpose is filed on row (\d+),`); m != nil {
		return cell(1, number(m[1]), "purpose")
	}
	if m := ask(`call 2, what is the total_amount, .* on row (\d+),`); m != nil {
		return "$" + cell(2, number(m[1]), "total_amount")
	}
	if ask(`both in the rows of call 1 and in the rows of call 2`) != nil {
		for one := 1; one < len(calls[0]); one++ {
			for two := 1; two < len(calls[1]); two++ {
				if cell(1, one, "recip_name") == cell(2, two, "recip_name") && cell(1, one, "recip_ein") == cell(2, two, "recip_ein") {
					return cell(1, one, "recip_name")
				}
			}
		}
	}
	if ask(`call 3, which funder has the latest first_fiscal_year`) != nil {
		latest := 1
		for row := 1; row < len(calls[2]); row++ {
			if cell(3, row, "first_fiscal_year") > cell(3, latest, "first_fiscal_year") {
				latest = row
			}
		}
		return cell(3, latest, "funder_ein")
	}
	if m := ask(`total_amount of row (\d+) larger than that of row (\d+),`); m != nil {
		return strconv.Itoa(number(cell(3, number(m[1]), "total_amount")) - number(cell(3, number(m[2]), "total_amount")))
	}
	return ""
}
