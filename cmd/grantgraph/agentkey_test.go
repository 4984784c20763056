package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/terminal"
)

// What a service says, in the shapes of the wire.
const (
	saidKey       = "gg_a_0000000000000000000000000000000A_000000"
	saidChallenge = `{"id":"key_1.1","questions":[{"id":"q1","text":"What is the amount on row 1 of call 1?","answer_type":"integer"},
		{"id":"q2","text":"Which funder came last?","answer_type":"organization"}],
		"calls":[{"method":"GET","url":"%[1]s/api/v1/grants/transactions?funder_id=070000001&limit=10"},
		{"method":"GET","url":"%[1]s/api/v1/grants/recipients?funder_id=070000001"},{"method":"GET","url":"%[1]s/api/v1/grants/funders?recip_id=070000002"}],
		"attempts_left":3,"retry_after_s":0}`
	saidLocked = `{"code":200,"message":"OK","api_key":"` + saidKey + `","status":"locked","tier":"anonymous","expires_at":"2026-11-16T12:00:00Z",
		"calls":{"limit":10,"remaining":0},"challenge":` + saidChallenge + `,"x_service":{"later":"unknown to this client"}}`
	saidUnlocked = `{"code":200,"message":"OK","api_key":"` + saidKey + `","status":"unlocked","tier":"anonymous","expires_at":"2026-11-16T12:00:00Z",
		"calls":{"limit":10,"remaining":10},"x_service":{}}`
	saidSpent = `{"code":200,"message":"OK","api_key":"` + saidKey + `","status":"spent","tier":"anonymous","expires_at":"2026-11-16T12:00:00Z",
		"calls":{"limit":10,"remaining":0},"x_service":{}}`
	saidWrong    = `{"code":400,"message":"Not every answer is right.","error":"wrong_answer","hint":"read the rows again","request_id":"r1","attempts_left":2,"retry_after_s":5}`
	saidSoon     = `{"code":429,"message":"This answer came too soon.","error":"answer_too_soon","hint":"send it again","request_id":"r2","attempts_left":2,"retry_after_s":0}`
	saidRenewed  = `{"code":400,"message":"All attempts are used up.","error":"wrong_answer","hint":"answer the new challenge","request_id":"r3","attempts_left":0,"retry_after_s":0,"challenge":` + saidChallenge + `}`
	saidReplaced = `{"code":409,"message":"The dataset has changed.","error":"challenge_replaced","hint":"answer the new challenge","request_id":"r4","attempts_left":0,"retry_after_s":0,"challenge":` + saidChallenge + `}`
	saidRows     = `{"code":200,"results":[{"recip_name":"OAK  LIBRARY","recip_ein":"070000002","amount":12500,"purpose":null,"filing":{}},
		{"recip_name":"ELM \u001b[31mSCHOOL","recip_ein":null,"amount":9007199254740993,"purpose":"books"}]}`
)

// script is a service that answers the requests to agent-key with one answer
// after another, and every other request with rows.
type script struct {
	*httptest.Server
	mu      sync.Mutex
	answers []line
	asked   []string // method, address, key and body
	signed  []*http.Request
}

// line is one answer; %s in it is the address of the service.
type line struct {
	status int
	body   string
}

func newScript(t *testing.T, answers ...line) *script {
	t.Helper()
	s := &script{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.asked = append(s.asked, strings.TrimSpace(fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("X-API-Key"), " ", string(body))))
	s.signed = append(s.signed, r)
	if !strings.HasPrefix(r.URL.Path, "/api/v1/agent-key") {
		fmt.Fprint(w, saidRows)
		return
	}
	if len(s.answers) == 0 {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	if next.status >= 300 && next.status < 400 {
		w.Header().Set("Location", next.body)
	}
	w.WriteHeader(next.status)
	if strings.Contains(next.body, "%[1]s") {
		next.body = fmt.Sprintf(next.body, s.URL)
	}
	fmt.Fprint(w, next.body)
}

func contains(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

func TestAgentMint(t *testing.T) {
	t.Parallel()
	s := newScript(t, line{200, saidLocked})
	code, out, errs := command(t, "agent-key", "mint", "--url", s.URL+"/api/v1/", "--purpose", "a test", "--source", "its author")
	if code != 0 || errs != "" || !strings.HasPrefix(out, saidKey+"\n") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	contains(t, "the output", out, "anonymous tier, locked", "unlock 10 calls", "2026-11-16T12:00:00Z",
		"  1  GET "+s.URL+"/api/v1/grants/transactions?funder_id=070000001&limit=10\n", "  3  GET ",
		"  2  Which funder came last? [a name or an EIN]\n", "Attempts left: 3.", "agent-key answer --url "+s.URL+" --key KEY 'ANSWER' 'ANSWER'\n")
	if want := `POST /api/v1/agent-key  {"purpose":"a test","source":"its author"}`; len(s.asked) != 1 || s.asked[0] != want {
		t.Errorf("asked %q, want %q", s.asked, want)
	}
	if h := s.signed[0].Header; !strings.HasPrefix(h.Get("User-Agent"), "grantgraph/") || h.Get("Content-Type") != "application/json" || h.Get("Signature") != "" {
		t.Errorf("the headers: %v", h)
	}
}

func TestAgentJSON(t *testing.T) {
	t.Parallel()
	s := newScript(t, line{200, saidLocked}, line{429, saidSoon}, line{200, saidLocked}, line{400, saidRenewed}, line{200, saidUnlocked}, line{502, "<html>"})
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"mint", "--purpose", "p", "--source", "s"}, 0, `"later": "unknown to this client"`},
		{[]string{"mint", "--purpose", "p", "--source", "s"}, 1, `"error": "answer_too_soon"`},
		{[]string{"challenge", "--key", saidKey}, 0, `"attempts_left": 3`},
		{[]string{"answer", "--key", saidKey, "1", "2"}, 1, `"error": "wrong_answer"`},
		{[]string{"answer", "--key", saidKey, "1", "2"}, 0, `"status": "unlocked"`},
	} {
		code, out, errs := command(t, slices.Concat([]string{"agent-key"}, tc.args, []string{"--json", "--url", s.URL})...)
		if code != tc.code || (code == 1) != strings.Contains(errs, "Try: ") || !json.Valid([]byte(out)) || !strings.Contains(out, tc.want) {
			t.Errorf("%v: exit %d: %s%s", tc.args, code, out, errs)
		}
	}
	if code, out, errs := command(t, "agent-key", "challenge", "--json", "--url", s.URL, "--key", saidKey); code != 1 || out != "" || !strings.Contains(errs, "502") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

func TestAgentAnswer(t *testing.T) {
	t.Parallel()
	s := newScript(t, line{400, saidWrong}, line{400, saidRenewed}, line{200, saidUnlocked}, line{200, saidSpent}, line{200, saidLocked})
	for _, tc := range []struct {
		args      []string
		code      int
		out, errs string
	}{
		{[]string{"answer", "$120,000", "Oak, Elm & Co"}, 1, "", "grantgraph: Not every answer is right.\nTry: read the rows again\n"},
		{[]string{"answer", "1", "2"}, 1, "Which funder came last?", "All attempts are used up."},
		{[]string{"answer", "--", "-1", "2"}, 0, "unlocked: 10 of 10 calls are left", ""},
		{[]string{"challenge"}, 0, "none of its 10 calls are left", ""},
		{[]string{"challenge"}, 0, "Which funder came last?", ""},
	} {
		args := slices.Concat([]string{"agent-key", tc.args[0], "--url", s.URL, "--key", saidKey}, tc.args[1:])
		code, out, errs := command(t, args...)
		if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errs, tc.errs) || strings.Contains(out, saidKey) {
			t.Errorf("%v: exit %d: %s%s", tc.args, code, out, errs)
		}
	}
	want := []string{
		`POST /api/v1/agent-key/answer ` + saidKey + ` {"answers":["$120,000","Oak, Elm \u0026 Co"]}`,
		`POST /api/v1/agent-key/answer ` + saidKey + ` {"answers":["1","2"]}`,
		`POST /api/v1/agent-key/answer ` + saidKey + ` {"answers":["-1","2"]}`,
		`POST /api/v1/agent-key/challenge ` + saidKey,
		`POST /api/v1/agent-key/challenge ` + saidKey,
	}
	if !slices.Equal(s.asked, want) {
		t.Errorf("asked %q", s.asked)
	}
}

// TestAgentRefusals sees every kind of bad answer told in one line that says
// what was wrong and one that says what to do.
func TestAgentRefusals(t *testing.T) {
	t.Parallel()
	elsewhere := newScript(t, line{200, saidUnlocked})
	for _, tc := range []struct {
		name   string
		answer line
		want   []string
	}{
		{"limit", line{429, `{"code":429,"message":"Too many keys.","error":"too_many_mints","hint":"ask again in 60 seconds"}`}, []string{"Too many keys.", "Try: ask again in 60 seconds"}},
		{"signature", line{401, `{"code":401,"message":"It does not match.","error":"bad_signature","hint":"sign this:\nx\ny"}`}, []string{"It does not match.", "sign this:\nx\ny"}},
		{"422", line{422, `{"detail":[{"loc":["body","purpose"],"msg":"too long","type":"t"}],"code":422,"message":"purpose: too long","error":"invalid_request"}`}, []string{"purpose: too long"}},
		{"no such endpoint", line{404, `{"code":404,"message":"There is no such endpoint.","error":"not_found"}`}, []string{"no such endpoint", "Try: check --url"}},
		{"proxy", line{502, "<html>bad gateway</html>"}, []string{"502 Bad Gateway", "Try: check --url"}},
		{"nothing", line{500, ""}, []string{"500 Internal Server Error"}},
		{"escapes", line{400, `{"code":400,"message":"\u001b[2Jgone\u202e","error":"x","hint":"\u0007"}`}, []string{"?[2Jgone?"}},
		{"another service", line{200, "<html>welcome</html>"}, []string{"not about the key of an agent", "Try: check --url"}},
		{"no key", line{200, `{"code":200}`}, []string{"not about the key of an agent"}},
		{"no challenge", line{200, `{"api_key":"k","status":"locked"}`}, []string{"not about the key of an agent"}},
		{"no questions", line{200, `{"api_key":"k","status":"locked","challenge":{}}`}, []string{"not about the key of an agent"}},
		{"endless challenge", line{400, `{"message":"m","error":"wrong_answer","challenge":{"questions":[` + strings.Repeat("{},", 99) + `{}]}}`}, []string{"a challenge that cannot be answered"}},
		{"endless", line{200, strings.Repeat(" ", maxReply+1)}, []string{"more than 1048576 bytes"}},
		{"redirect", line{307, elsewhere.URL + "/api/v1/agent-key"}, []string{"redirects to another address, " + elsewhere.URL, "Try: that address for --url"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, tc.answer)
			code, out, errs := command(t, "agent-key", "mint", "--url", s.URL, "--purpose", "p", "--source", "s")
			if code != 1 || out != "" || strings.ContainsAny(errs, "\x1b\x07\u202e") {
				t.Errorf("exit %d: %q %q", code, out, errs)
			}
			contains(t, "the error", errs, tc.want...)
		})
	}
	t.Run("not sent on", func(t *testing.T) {
		s := newScript(t, line{308, elsewhere.URL})
		if code, _, errs := command(t, "agent-key", "challenge", "--url", s.URL, "--key", saidKey); code != 1 || len(elsewhere.asked) != 0 {
			t.Errorf("exit %d: %s; the key went to %q", code, errs, elsewhere.asked)
		}
	})
	gone := newScript(t)
	gone.Close()
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"mint", "--url", gone.URL, "--purpose", "p", "--source", "s"}, 1, gone.URL + " does not respond"},
		{[]string{"mint", "--url", "grants.example.org", "--purpose", "p", "--source", "s"}, 1, "not the address of a service"},
		{[]string{"mint", "--url", "https://user:word@grants.example.org", "--purpose", "p", "--source", "s"}, 1, "not the address of a service"},
		{[]string{"mint", "--url", gone.URL, "--purpose", "p"}, 2, "--source"},
		{[]string{"mint", "--url", gone.URL, "--purpose", "p", "--source", "s", "--json", "--interactive"}, 1, "cannot be combined"},
		{[]string{"mint", "--url", gone.URL, "--purpose", "p", "--source", "s", "--agent", "https://agent.example"}, 1, "needs both --jwk and --agent"},
		{[]string{"mint", "--url", gone.URL, "--purpose", "p", "--source", "s", "--bare"}, 1, "needs both --jwk and --agent"},
		{[]string{"answer", "--url", gone.URL, "--key", saidKey}, 2, "answer"},
	} {
		code, _, errs := command(t, append([]string{"agent-key"}, tc.args...)...)
		if code != tc.code || !strings.Contains(errs, tc.want) || !strings.Contains(errs, "Try:") || strings.Contains(errs, saidKey) {
			t.Errorf("%v: exit %d: %s", tc.args, code, errs)
		}
	}
}

// sit goes through an interview with what is typed, and tells how long it
// waited.
func sit(ctx context.Context, url string, in io.Reader) (out string, waits []time.Duration, err error) {
	yes := true
	var o bytes.Buffer
	c := &agentMintCmd{agentServiceFlags: agentServiceFlags{URL: url}, agentDialogFlags: agentDialogFlags{&yes}, Purpose: "p", Source: "s"}
	err = c.run(&terminal.App{Ctx: ctx, In: in, Out: &o, Err: io.Discard}, func(ctx context.Context, d time.Duration) error {
		waits = append(waits, d)
		return ctx.Err()
	})
	return o.String(), waits, err
}

func TestInterview(t *testing.T) {
	t.Parallel()
	s := newScript(t, line{200, saidLocked}, line{400, saidWrong}, line{429, saidSoon}, line{400, saidRenewed}, line{409, saidReplaced}, line{200, saidUnlocked})
	out, waits, err := sit(t.Context(), s.URL, strings.NewReader("\n 1 \n2\n3\n4\n5\n6\n7\n8\n"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	contains(t, "the output", out, saidKey+"\n", "Call 1: GET "+s.URL+"/api/v1/grants/transactions",
		"row  recip_name       recip_ein                 amount  purpose", "  1  OAK LIBRARY      070000002                 12,500  –",
		"  2  ELM ?[31mSCHOOL  –          9,007,199,254,740,993  books",
		"Question 2 of 2: Which funder came last?\n[a name or an EIN] > ", "Not every answer is right.\nAttempts left: 2.\nWaiting 5 seconds before the next answer.",
		"came too soon.", "Waiting 1 second ", "All attempts are used up.", "The dataset has changed.", "There is a new challenge.",
		"All answers are right.\nA key of the anonymous tier, unlocked: 10 of 10 calls are left.")
	if strings.Contains(out, "\x1b") {
		t.Error("what a service says moves the cursor")
	}
	if want := []time.Duration{5 * time.Second, time.Second}; !slices.Equal(waits, want) {
		t.Errorf("waited %v, want %v", waits, want)
	}
	var sent []string
	calls := 0
	for _, a := range s.asked {
		if _, body, ok := strings.Cut(a, "/answer "+saidKey+" "); ok {
			sent = append(sent, body)
		} else if strings.HasPrefix(a, "GET ") {
			calls++
			if !strings.HasSuffix(a, saidKey) {
				t.Errorf("without the key: %s", a)
			}
		}
	}
	want := []string{`{"answers":["1","2"]}`, `{"answers":["3","4"]}`, `{"answers":["3","4"]}`, `{"answers":["5","6"]}`, `{"answers":["7","8"]}`}
	if !slices.Equal(sent, want) || calls != 9 {
		t.Errorf("sent %q and made %d calls", sent, calls)
	}
}

// TestInterviewOver checks every way in which an interview ends before its
// time. The key is printed by then.
func TestInterviewOver(t *testing.T) {
	t.Parallel()
	locked := line{200, saidLocked}
	elsewhere := newScript(t)
	for _, tc := range []struct {
		name    string
		answers []line
		in      string
		slug    string
	}{
		{"the input ends", []line{locked}, "1\n", "no_answer"},
		{"a line without end", []line{locked}, strings.Repeat("x", 1<<17), "no_answer"},
		{"a wait without end", []line{locked, {400, strings.Replace(saidWrong, `"retry_after_s":5`, `"retry_after_s":100000000`, 1)}}, "1\n2\n", "long_wait"},
		{"always too soon", []line{locked, {429, saidSoon}, {429, saidSoon}, {429, saidSoon}, {429, saidSoon}, {429, saidSoon}}, "1\n2\n", "answer_too_soon"},
		{"the key ends", []line{locked, {401, `{"code":401,"message":"The key is over.","error":"key_expired"}`}}, "1\n2\n", "key_expired"},
		{"a call that changes things", []line{{200, strings.Replace(saidLocked, `"method":"GET"`, `"method":"DELETE"`, 1)}}, "", "answer_"},
		{"a call that is no address", []line{{200, strings.Replace(saidLocked, `"url":"%[1]s/api`, `"url":"%[1]s /:api`, 1)}}, "", "answer_"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, tc.answers...)
			out, _, err := sit(t.Context(), s.URL, strings.NewReader(tc.in))
			if f, ok := fault.Of(err); !ok || f.Slug != strings.TrimSuffix(tc.slug, "_") || !strings.HasPrefix(out, saidKey+"\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	t.Run("calls elsewhere", func(t *testing.T) {
		// The address of the service behind its proxy is not the one we use.
		s := newScript(t, line{200, fmt.Sprintf(saidLocked, elsewhere.URL)}, line{200, saidUnlocked})
		if _, _, err := sit(t.Context(), s.URL, strings.NewReader("1\n2\n")); err != nil || len(elsewhere.asked) != 0 || len(s.asked) != 5 {
			t.Errorf("%v: asked %q, and elsewhere %q", err, s.asked, elsewhere.asked)
		}
	})
	t.Run("interrupted at the keyboard", func(t *testing.T) {
		t.Parallel()
		s := newScript(t, locked)
		ctx, stop := context.WithCancel(t.Context())
		in, keys := io.Pipe()
		defer keys.Close()
		reads := readFunc(func(p []byte) (int, error) { stop(); return in.Read(p) })
		if _, _, err := sit(ctx, s.URL, reads); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("interrupted while waiting", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := parallel.Pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := parallel.Pause(t.Context(), time.Nanosecond); err != nil {
			t.Error(err)
		}
	})
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// FuzzClean checks that nothing from elsewhere moves the cursor, and that
// clean text stays as it is.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"Oak Library", "\x1b[2J", "two\nlines", "\u202egnp", "\xff\xfe", "a\tb\r\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := printable(s)
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }) || printable(got) != got {
			t.Errorf("%q became %q", s, got)
		}
	})
}
