package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/secret"
	"grantgraph/internal/serve/ask"
)

const question = "Which outfits handed over 50k or more to Mapleton Food Bank around 2021?"

// read understands what is faithful to the question.
func read(wording string) (*ask.Plan, error) {
	if err := ask.Faithful(question, wording); err != nil {
		return nil, err
	}
	return &ask.Plan{Measure: "which", Of: "funders", Words: wording}, nil
}

const good = `{"question":"Which funders gave at least 50k to Mapleton Food Bank in 2021?"}`

// said is an answer of an endpoint in which a model says something.
func said(content string) string {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return `{"id":"x","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + string(text) + `}}]}`
}

// endpoint is a server that misbehaves.
func endpoint(t *testing.T, h http.HandlerFunc, change ...func(*Options)) (*Model, *bytes.Buffer) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	var log bytes.Buffer
	o := Options{URL: server.URL + "/v1", Name: "small-1", Key: secret.New("hunter2"), Log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, f := range change {
		f(&o)
	}
	m, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return m, &log
}

func answers(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, body)
	}
}

// TestFill has a model that does what it was asked.
func TestFill(t *testing.T) {
	t.Parallel()
	m, _ := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var sent struct {
			Model       string
			Temperature *float64
			Messages    []message
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Error(err)
		}
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer hunter2" || sent.Model != "small-1" || sent.Temperature == nil ||
			len(sent.Messages) != 2 {
			t.Errorf("%s %v %s", r.URL, r.Header, body)
		}
		if system := sent.Messages[0].Content; !strings.Contains(system, "How much did NAME give") || strings.Contains(system, "Mapleton") {
			t.Errorf("it is told %s", system)
		}
		answers(said(good))(w, r)
	})
	p, err := m.Fill(t.Context(), question, read)
	if err != nil {
		t.Fatal(err)
	}
	if p.Words != "Which funders gave at least 50k to Mapleton Food Bank in 2021?" || m.Name() != "small-1" {
		t.Errorf("%s", p)
	}
}

// TestMisbehaving has endpoints that do all that they should not: there is never
// a plan, never a wait without end, and never a word of the question in the log.
func TestMisbehaving(t *testing.T) {
	t.Parallel()
	wording := func(text string) http.HandlerFunc { return answers(said(`{"question":"` + text + `"}`)) }
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Error("the question was sent elsewhere")
		answers(said(good))(w, r)
	}))
	t.Cleanup(elsewhere.Close)
	for name, h := range map[string]http.HandlerFunc{
		"hangs": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"drips": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.Copy(io.Discard, r.Body)
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					_, _ = w.Write([]byte(" "))
					_ = http.NewResponseController(w).Flush()
				case <-r.Context().Done():
					return
				}
			}
		},
		"streams without end": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"); err != nil {
					return
				}
			}
		},
		"sends without end": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte("["), 4096)); err != nil {
					return
				}
			}
		},
		"sends too much": answers(said(good + strings.Repeat(" ", mostAnswer))),
		"sends a page":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>"+said(good)) },
		"says nothing of its type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			fmt.Fprint(w, said(good))
		},
		"fails":         func(w http.ResponseWriter, _ *http.Request) { http.Error(w, question, 500) },
		"is overloaded": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusTooManyRequests) },
		"wants no key":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusUnauthorized) },
		"sends nothing": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"is elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"breaks off":            func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is no model":           answers(`{"status":"ok"}`),
		"is an array":           answers(`[]`),
		"is not JSON":           answers(`choices: none`),
		"was cut":               answers(strings.Replace(said(good), `"stop"`, `"length"`, 1)),
		"chats":                 answers(said("Sure! Here is the question: " + good)),
		"fences":                answers(said("```json\n" + good + "\n```")),
		"says more":             answers(said(good + good)),
		"answers itself":        answers(said(strings.Replace(good, "}", `,"answer":"$5 million"}`, 1))),
		"writes a plan":         answers(said(`{"plan":{"measure":"how_much","of":"grants"}}`)),
		"has no words":          answers(said(`{"question":null}`)),
		"has empty words":       wording(""),
		"has another type":      answers(said(`{"question":7}`)),
		"has its own words":     wording("Drop the table of Mapleton Food Bank 50k 2021"),
		"writes to people":      wording("Send money over 50k to evil.example in 2021"),
		"has an EIN":            wording("Which funders gave 50k or more to 000000001 in 2021?"),
		"names another":         wording("Which funders gave 50k or more to Harlow Library in 2021?"),
		"has another year":      wording("Which funders gave 50k or more to Mapleton Food Bank in 2020?"),
		"adds a year":           wording("Which funders gave 50k or more to Mapleton Food Bank from 2020 to 2021?"),
		"leaves the year out":   wording("Which funders gave 50k or more to Mapleton Food Bank?"),
		"has another amount":    wording("Which funders gave $500,000 or more to Mapleton Food Bank in 2021?"),
		"leaves the amount out": wording("Which funders gave to Mapleton Food Bank in 2021?"),
		"adds a place":          wording("Which funders gave 50k or more to Mapleton Food Bank in Ohio in 2021?"),
		"adds a cause":          wording("Which funders gave 50k or more for schools to Mapleton Food Bank in 2021?"),
		"adds a kind":           wording("Which private foundations gave 50k or more to Mapleton Food Bank in 2021?"),
		"leaves something out":  wording("Which funders gave 50k or more to Mapleton Food Bank in 2021 excluding individuals?"),
		"adds words":            wording("Which funders gave 50k or more for mittens to Mapleton Food Bank in 2021?"),
		"goes without end":      wording(strings.Repeat("Which funders gave 50k to Mapleton Food Bank in 2021? ", 20)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, log := endpoint(t, h)
			m.wait = 100 * time.Millisecond
			p, err := m.Fill(t.Context(), question, read)
			if err == nil {
				t.Fatalf("a plan: %s", p)
			}
			for _, word := range []string{"Mapleton", "outfits", "hunter2", "evil"} {
				if strings.Contains(log.String(), word) {
					t.Errorf("the log has %q: %s", word, log)
				}
			}
			if log.Len() == 0 {
				t.Error("nothing is in the log")
			}
		})
	}
}

// TestNoTLS has an endpoint whose certificate nobody vouches for.
func TestNoTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the question was sent") }))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	m, err := Open(Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fill(t.Context(), question, read); err == nil {
		t.Error("a plan")
	}
}

// TestAgain asks twice where that may help, and no more often.
func TestAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first http.HandlerFunc
		calls int64
		ok    bool
	}{
		{"at once", answers(said(good)), 1, true},
		{"after a failure", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) }, 2, true},
		{"without a format", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", 400) }, 2, true},
		{"not after a refusal", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusForbidden) }, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			m, _ := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if calls.Add(1) == 1 {
					c.first(w, r)
					return
				}
				if c.name == "without a format" && bytes.Contains(body, []byte("response_format")) {
					t.Error("it was sent the format again")
				}
				answers(said(good))(w, r)
			})
			if _, err := m.Fill(t.Context(), question, read); (err == nil) != c.ok || calls.Load() != c.calls {
				t.Errorf("%d calls, %v", calls.Load(), err)
			}
		})
	}
}

// TestBreaker leaves an endpoint alone that fails, and tries it again.
func TestBreaker(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	var well atomic.Bool
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	m, _ := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if well.Load() {
			answers(said(good))(w, r)
			return
		}
		http.Error(w, "", 404)
	}, func(o *Options) { o.Clock = func() time.Time { return now } })
	fill := func(ok bool, want int64) {
		t.Helper()
		if _, err := m.Fill(t.Context(), question, read); (err == nil) != ok || calls.Load() != want {
			t.Fatalf("%d calls, %v", calls.Load(), err)
		}
	}
	for i := range int64(mostFailures) {
		fill(false, i+1)
	}
	fill(false, mostFailures)
	well.Store(true)
	fill(false, mostFailures)
	now = now.Add(rest)
	fill(true, mostFailures+1)
	fill(true, mostFailures+2)
	// A visitor that leaves says nothing of the endpoint.
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 * mostFailures {
		if _, err := m.Fill(gone, question, read); err == nil {
			t.Error("a plan for nobody")
		}
	}
	fill(true, mostFailures+3)
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url, key string
		ok       bool
	}{
		{"https://models.example/v1", "k", true},
		{"http://127.0.0.1:11434/v1", "k", true},
		{"http://models.example/v1", "", true},
		{"http://models.example/v1", "k", false},
		{"https://user:pass@models.example/v1", "", false},
		{"models.example", "", false},
		{"ftp://models.example", "", false},
		{"", "", false},
	} {
		if _, err := Open(Options{URL: c.url, Key: secret.New(c.key)}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}

// FuzzFaithful takes what a model may say: whatever it is, it has the numbers of the
// question and names nothing new.
func FuzzFaithful(f *testing.F) {
	f.Add("Which funders gave at least 50k to Mapleton Food Bank in 2021?", question)
	f.Add("How much went to Akron OH?", "what went to Akron OH")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, wording, question string) {
		if ask.Faithful(question, wording) != nil {
			return
		}
		lower := strings.ToLower(wording)
		if strings.Contains(lower, "ohio") && !strings.Contains(strings.ToLower(question), "ohio") {
			t.Fatalf("%q is put as %q", question, wording)
		}
	})
}
