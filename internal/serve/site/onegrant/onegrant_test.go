package onegrant_test

import (
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/graph"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// open is the service over the small world, and its graph.
func open(t *testing.T) (http.Handler, *graph.Graph) {
	t.Helper()
	data := t.TempDir()
	snap := world.Small.Publish(t, data)
	s, err := serve.Open(serve.Options{Data: data, Addr: "127.0.0.1:0", BaseURL: "https://grants.example", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	g, err := graph.Open(snap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return s.Handler(), g
}

// get returns the status of a page, its header, and its text without entities.
func get(t *testing.T, h http.Handler, method, path string) (int, http.Header, string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr = "127.0.0.1:1" // from localhost, which has no limit
	h.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, w.Header(), html.UnescapeString(string(body))
}

// every is all grants of a graph.
func every(t *testing.T, g *graph.Graph) []graph.Grant {
	t.Helper()
	rows, hits, err := g.Transactions(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: int(g.Rows())})
	if err != nil || hits != int64(len(rows)) {
		t.Fatalf("%d of %d rows: %v", len(rows), hits, err)
	}
	return rows
}

// TestGrant checks the pages of grants of every rule, to private persons and with
// no named recipient. A page shows what the engine says of the grant, and nothing
// about a private person.
func TestGrant(t *testing.T) {
	t.Parallel()
	h, g := open(t)
	seen, doubtful := map[string]int{}, 0
	for _, row := range every(t, g) {
		kind := fmt.Sprint(row.Rule, row.Classes&graph.Individuals != 0, row.Purpose == "", row.Conflict, row.Outvoted)
		if seen[kind]++; seen[kind] > 3 {
			continue
		}
		status, header, body := get(t, h, "GET", "/grant/"+row.Key)
		if status != 200 {
			t.Fatalf("%s: %d", row.Key, status)
		}
		has := []string{money.Dollars(row.Amount), orgname.Display(row.Funder.Name), fmt.Sprintf("fiscal year %d", row.FiscalYear)}
		if row.Classes&graph.Individuals != 0 {
			has = append(has, "to an individual", row.State)
			if header.Get("X-Robots-Tag") != "noindex" || strings.Contains(body, "canonical") || strings.Contains(body, "human.csv") || strings.Contains(body, "curl") {
				t.Errorf("%s leads to a person", row.Key)
			}
			for _, text := range []string{row.NameFiled, orgname.Display(row.NameFiled), row.Recipient.Name, row.Recipient.ID, row.Purpose, row.ZIP, row.ObjectID} {
				if text != "" && strings.Contains(body, text) {
					t.Errorf("%s shows %q of a person", row.Key, text)
				}
			}
		} else {
			has = append(has, row.NameFiled, row.Purpose, row.ObjectID, row.ZIP, row.Rule.String(), `<link rel="canonical" href="https://grants.example/grant/`+row.Key+`">`, "grant_key="+row.Key)
			if row.Recipient.EIN != 0 {
				has = append(has, row.Recipient.EIN.Hyphenated(), "/org/"+row.Recipient.EIN.String(), fmt.Sprintf("%.1f%%", 100*row.Prob))
			} else {
				has = append(has, "Not identified")
			}
			if row.Conflict != grant.NoConflict {
				has = append(has, "the one that the funder stated")
				doubtful++
			}
			if row.Outvoted {
				has = append(has, "another state than its city and ZIP code")
				doubtful++
			}
		}
		for _, text := range has {
			if !strings.Contains(body, text) {
				t.Errorf("%s: no %q", row.Key, text)
			}
		}
	}
	if len(seen) < 8 || doubtful == 0 {
		t.Errorf("only %v: this world shows little", seen)
	}
}

// TestOther asks for keys that are not grants.
func TestOther(t *testing.T) {
	t.Parallel()
	h, g := open(t)
	key := every(t, g)[0].Key
	for _, tc := range []struct {
		method, path string
		status       int
	}{
		{"HEAD", "/grant/" + key, 200},
		{"GET", "/grant/" + strings.ToUpper(key) + "x", 404},
		{"GET", "/grant/%00", 404},
		{"GET", "/grant/" + strings.Repeat("a", 5000), 404},
		{"GET", "/grant/" + key + "/more", 404},
		{"GET", "/grant/", 404},
		{"POST", "/grant/" + key, 405},
	} {
		if status, _, _ := get(t, h, tc.method, tc.path); status != tc.status {
			t.Errorf("%s %.60s: %d, want %d", tc.method, tc.path, status, tc.status)
		}
	}
}

// TestRulings reads the lines for the corrections file as a build does. One is
// complete, and the other is complete once an EIN is filled in.
func TestRulings(t *testing.T) {
	t.Parallel()
	h, g := open(t)
	const header = "kx,state,zip5,filed_ein,funder_ein,ein,action,reason,source_url,author,date\n"
	read := 0
	for i, row := range every(t, g) {
		if i%97 != 0 || row.Classes&graph.Individuals != 0 {
			continue
		}
		_, _, body := get(t, h, "GET", "/grant/"+row.Key)
		_, body, _ = strings.Cut(body, "human.csv")
		for _, part := range strings.Split(body, `<pre class="wrapped" tabindex="0">`)[1:] {
			line, _, _ := strings.Cut(part, "</pre>")
			if strings.HasPrefix(line, "curl") {
				continue
			}
			read++
			line = strings.Replace(line, ",EIN,set,", ","+row.Funder.EIN.String()+",set,", 1)
			if _, err := resolve.ReadOverrides(strings.NewReader(header+line+"\n"), "human.csv"); err != nil {
				t.Errorf("%s: %v in %s", row.Key, err, line)
			}
		}
	}
	if read < 20 {
		t.Errorf("%d lines read", read)
	}
}
