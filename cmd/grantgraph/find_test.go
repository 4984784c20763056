package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/reconcile"
	"grantgraph/internal/serve/sqlbox"
)

// asked is who a text means, as one face of the service tells it.
type asked struct {
	verdict, ein string
	probability  float64
}

// faces asks every face of a service.
type faces struct {
	t         *testing.T
	data, url string
	key       string
	tools     func(q string) found
}

// call asks the service and reads its answer into to.
func (f *faces) call(method, path string, body []byte, to any) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.url+path, bytes.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("X-API-Key", f.key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		f.t.Fatalf("%s: %s %s %v", path, resp.Status, text, err)
	}
	if page, ok := to.(*string); ok {
		*page = string(text)
	} else if err := json.Unmarshal(text, to); err != nil {
		f.t.Fatal(err)
	}
}

// searched is an answer of /search.
type searched struct {
	Verdict string
	Results []struct {
		EIN         string
		Probability float64
	}
}

func (s searched) asked() asked {
	if len(s.Results) == 0 {
		return asked{verdict: s.Verdict}
	}
	return asked{s.Verdict, s.Results[0].EIN, s.Results[0].Probability}
}

// terminal is grantgraph find.
func (f *faces) terminal(text string) asked {
	_, out, _ := command(f.t, "find", "--json", "--data", f.data, text)
	var a struct {
		Verdict    string
		Candidates []struct {
			EIN         string
			Probability float64
		}
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		f.t.Fatal(err)
	}
	if len(a.Candidates) == 0 {
		return asked{verdict: a.Verdict}
	}
	return asked{a.Verdict, strings.ReplaceAll(a.Candidates[0].EIN, "-", ""), a.Candidates[0].Probability}
}

// query is find_org in SQL, as a value and as a table.
func (f *faces) query(text string) (value any, first asked) {
	var a struct{ Rows []map[string]any }
	ask := func(sql string) {
		body, err := json.Marshal(map[string]any{"sql": sql, "params": map[string]any{"name": text}})
		if err != nil {
			f.t.Fatal(err)
		}
		a.Rows = nil
		f.call("POST", "/api/v1/sql", body, &a)
	}
	ask("SELECT find_org($name) AS ein")
	value = a.Rows[0]["ein"]
	ask("SELECT ein, probability FROM find_org($name)")
	if len(a.Rows) > 0 {
		first = asked{ein: a.Rows[0]["ein"].(string), probability: a.Rows[0]["probability"].(float64)}
	}
	return value, first
}

// TestFacesAgree holds that search, SQL, reconciliation, MCP, questions, the pages and
// the terminal agree on who is meant and how sure that is.
func TestFacesAgree(t *testing.T) {
	t.Parallel()
	data, _ := madeDemo(t)
	s := serveWorld(t, serve.Options{Data: data, SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}})
	key, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	session := pipes(t, "--data", data)
	f := &faces{t: t, data: data, url: s.URL(), key: key, tools: func(q string) found {
		return use(t, session, "identify_organization", map[string]any{"q": q})
	}}
	const redfern, vista = "073630398", "096825605"
	for _, c := range []struct{ text, verdict, ein string }{
		{"Vista Hollow Community Foundation", "certain", vista},
		{"High Street", "likely", "963735427"},
		{"Upper Nevada State University", "several", ""},
		{"Gramercy Ferret Rescue League", "nobody", ""},
		{"Vista Holow Community Foundation", "certain", vista}, // a typing error
		{"Redfern", "certain", redfern},                        // a short form
		{"Decatur Public Library", "certain", "491288558"},     // named like a city
		{"Redfern Foundation, WI", "certain", redfern},
		{"c/o Jane Smith, Redfern Foundation", "certain", redfern},
		{"Redfern Foundation (formerly Gramercy Ferrets)", "certain", redfern},
	} {
		want := f.terminal(c.text)
		if want.verdict != c.verdict || c.ein != "" && want.ein != c.ein {
			t.Errorf("%q: %+v, not %s %s", c.text, want, c.verdict, c.ein)
			continue
		}
		f.compare(c.text, c.ein, want)
	}
}

// compare asks every other face about a text. ein is empty if the text is not clear.
func (f *faces) compare(text, ein string, want asked) {
	f.t.Helper()
	agree := func(face string, got asked) {
		f.t.Helper()
		if ein == "" && want.verdict == "nobody" {
			got.ein, got.probability = want.ein, want.probability // whatever has some of the words
		}
		if got.verdict != want.verdict || got.ein != want.ein || math.Abs(got.probability-want.probability) > 0.001 {
			f.t.Errorf("%q in %s: %+v, not %+v", text, face, got, want)
		}
	}
	q := url.QueryEscape(text)
	var result searched
	f.call("GET", "/api/v1/search?q="+q, nil, &result)
	agree("search", result.asked())
	tool := f.tools(text)
	mcp := asked{verdict: tool["verdict"].(string)}
	if rows := tool.rows("candidates"); len(rows) > 0 {
		mcp.ein, mcp.probability = rows[0]["ein"].(string), rows[0]["probability"].(float64)
	}
	agree("MCP", mcp)
	value, first := f.query(text)
	first.verdict = want.verdict
	agree("SQL", first)
	if value != any(ein) && (value != nil || ein != "") {
		f.t.Errorf("find_org(%q) is %v, not %q", text, value, ein)
	}
	var page string
	f.call("GET", "/search?q="+q, nil, &page)
	var suggested struct{ Result []struct{ ID string } }
	f.call("GET", reconcile.Root02+"/suggest/entity?prefix="+q, nil, &suggested)
	var reconciled map[string]struct {
		Result []struct {
			ID    string
			Score float64
			Match bool
		}
	}
	queries, err := json.Marshal(map[string]any{"q": map[string]string{"query": text}})
	if err != nil {
		f.t.Fatal(err)
	}
	f.call("GET", reconcile.Root02+"?queries="+url.QueryEscape(string(queries)), nil, &reconciled)
	best := asked{verdict: want.verdict}
	for i, r := range reconciled["q"].Result {
		if i == 0 {
			best.ein, best.probability = r.ID, r.Score/100
		}
		if r.Match && (i > 0 || want.verdict != "certain") {
			f.t.Errorf("%q is reconciled with %s, and %s", text, r.ID, want.verdict)
		}
	}
	agree("reconciliation", best)
	if strings.HasPrefix(text, "c/o") {
		text = text[strings.Index(text, ",")+1:] // not part of a question
	}
	_, answer, _ := command(f.t, "ask", "--json", "--data", f.data, "What is the EIN of "+text+"?")
	planned := regexp.MustCompile(`"ein": "(\d{9})"`).FindStringSubmatch(answer)
	if ein == "" && planned != nil || ein != "" && (planned == nil || planned[1] != ein) {
		f.t.Errorf("asked for %q: %v, not %q", text, planned, ein)
	}
	if ein == "" {
		return
	}
	if m := regexp.MustCompile(`/org/(\d{9})`).FindStringSubmatch(page); m == nil || m[1] != ein {
		f.t.Errorf("%q: the page has %v first", text, m)
	}
	if len(suggested.Result) == 0 || suggested.Result[0].ID != ein {
		f.t.Errorf("%q: %+v is suggested", text, suggested)
	}
}
