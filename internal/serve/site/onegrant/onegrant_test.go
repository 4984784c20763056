package onegrant_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/serve/site/onegrant"
	"grantgraph/internal/snapshot"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// open is the service over the small world, and its graph.
func open(t *testing.T) (http.Handler, *graph.Graph) {
	t.Helper()
	h, g, _ := openWithTables(t)
	return h, g
}

func openWithTables(t *testing.T) (http.Handler, *graph.Graph, *snapshot.Snapshot) {
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
	return s.Handler(), g, snap
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
			if header.Get("X-Robots-Tag") != "noindex" || strings.Contains(body, "canonical") || strings.Contains(body, "/correction") || strings.Contains(body, "curl") {
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

// TestLines compares the line of the return that the index finds for every grant with the table of grants, and the length of
// the list with the lines read of the return. Pages show both, and cite them in three forms.
func TestLines(t *testing.T) {
	t.Parallel()
	h, g, snap := openWithTables(t)
	read, shown := map[string]int32{}, map[string]int{}
	for r, err := range snapshot.Rows[snapshot.Return](snap, snapshot.Returns) {
		if err != nil {
			t.Fatal(err)
		}
		read[r.Filing] = max(read[r.Filing], r.Lines)
	}
	for r, err := range snapshot.Rows[snapshot.Grant](snap, snapshot.Grants) {
		if err != nil {
			t.Fatal(err)
		}
		row, ok := g.Grant(r.Key)
		if !ok || row.Line() != int(r.Line) || row.Part != r.Part || row.Lines != int(r.PartLines) || r.PartLines < r.Line || r.PartLines > read[r.Filing] {
			t.Fatalf("%s is line %d of %d in %s, not line %d of %d in %s of %d lines", r.Key, row.Line(), row.Lines, row.Part, r.Line, r.PartLines, r.Part, read[r.Filing])
		}
		if r.Part == "SI2" && r.ReturnType != "990PF" && r.PartLines != read[r.Filing] {
			t.Errorf("%s is of %d lines, not %d", r.Key, r.PartLines, read[r.Filing])
		}
		if shown[r.Part]++; row.Classes&graph.Individuals != 0 || shown[r.Part] > 20 {
			continue
		}
		says := map[string]string{"SI2": "Schedule I, Part II, line %d of %d", "PF3a": "Part XIV (Part XV on earlier forms), line %d of %d of the grants paid"}
		_, _, body := get(t, h, "GET", "/grant/"+r.Key)
		if line := fmt.Sprintf(says[r.Part], r.Line, r.PartLines); strings.Count(body, line) != 4 {
			t.Errorf("%s: %q is there %d times, not once and in three citations", r.Key, line, strings.Count(body, line))
		}
		_, csl, _ := strings.Cut(body, `tabindex="0">[{`)
		csl, _, _ = strings.Cut(csl, "</pre>")
		var cited []struct{ ID, Title, URL string }
		if err := json.Unmarshal([]byte("[{"+csl), &cited); err != nil || len(cited) != 1 || cited[0].ID != r.Key || cited[0].URL != "https://grants.example/grant/"+r.Key {
			t.Errorf("%s: %v %v", r.Key, err, cited)
		}
		if !strings.Contains(body, "@misc{grantgraph-"+r.Key) || !strings.Contains(body, `Grant of \$`) {
			t.Errorf("%s is not cited in BibTeX", r.Key)
		}
	}
	if shown["SI2"] == 0 || shown["PF3a"] == 0 {
		t.Errorf("only %v: this world shows little", shown)
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

// TestCorrections corrects grants of every rule as visitors and an operator do: with the form, the queue, and a build of the
// sources after it. Then each goes to the right organization.
func TestCorrections(t *testing.T) {
	t.Parallel()
	const token = "a token of the operator"
	data, sources := t.TempDir(), world.Small.CopySources(t)
	g, err := graph.Open(world.Small.Publish(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s, err := serve.Open(serve.Options{Data: data, Addr: "127.0.0.1:0", BaseURL: "https://grants.example", Log: slog.New(slog.DiscardHandler),
		AdminToken: secret.New(token), Sources: ingest.Rulings(sources)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	order := func(method, path string, into any) int {
		t.Helper()
		r := httptest.NewRequest(method, "/api/v1/admin/corrections"+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatal(err)
		}
		return w.Code
	}
	// Organizations that many lines name are right for some others.
	var right []graph.Grant
	rows := every(t, g)
	for _, row := range rows {
		if row.Rule == grant.Filed && len(right) < 8 && row.Classes&graph.Individuals == 0 {
			right = append(right, row)
		}
	}
	type fix struct {
		proposal string
		to       ein.EIN
	}
	want, lines, rules := map[string]fix{}, map[string]bool{}, map[grant.Rule]int{}
	for i, row := range rows {
		line := strings.Join(onegrant.Selects(&row), ",")
		if row.Classes&graph.Individuals != 0 {
			if status, _, _ := get(t, s.Handler(), "GET", "/grant/"+row.Key+"/correction"); line != "" || status != 404 {
				t.Fatalf("%s: a correction of a person, %d", row.Key, status)
			}
			continue
		}
		if line == "" || lines[line] || rules[row.Rule] > 3 || i%7 != 0 && rules[row.Rule] > 0 {
			continue
		}
		to := fix{"", right[i%len(right)].Recipient.EIN}
		if i%5 == 0 {
			to = fix{account.Nobody, ein.None}
		}
		if to.to == row.Recipient.EIN || to.to == row.Funder.EIN {
			continue
		}
		lines[line], want[row.Key] = true, to
		rules[row.Rule]++
		visit := func(r *http.Request, cookies []*http.Cookie) *httptest.ResponseRecorder {
			r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", len(lines))
			for _, c := range cookies {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			return w
		}
		path, sent := "/grant/"+row.Key+"/correction", url.Values{"reason": {"The test knows"}, "proposal": {to.proposal}, "ein": {to.to.String()}}
		form := visit(httptest.NewRequest("GET", path+"?"+sent.Encode(), nil), nil)
		_, csrf, _ := strings.Cut(form.Body.String(), `name="csrf" value="`)
		csrf, _, _ = strings.Cut(csrf, `"`)
		sent.Set("csrf", csrf)
		r := httptest.NewRequest("POST", path, strings.NewReader(sent.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if w := visit(r, form.Result().Cookies()); w.Code != 303 {
			t.Fatalf("%s: %d %s", row.Key, w.Code, w.Body)
		}
	}
	var queue struct{ Results []struct{ ID string } }
	order("GET", "?state=waiting", &queue)
	if len(queue.Results) != len(want) || len(want) < 20 || rules[grant.OverrideHuman] == 0 || rules[grant.None] == 0 {
		t.Fatalf("%d of %d wait: %v", len(queue.Results), len(want), rules)
	}
	for _, c := range queue.Results {
		for range 2 { // the second changes nothing
			var a client.CorrectionAnswer
			if status := order("POST", "/"+c.ID+"/accept", &a); status != 200 || a.Row == nil || a.Next != nil || strings.Contains(string(a.Correction), `"written_at":null`) {
				t.Errorf("%+v", a)
			}
		}
	}
	built := t.TempDir()
	_, err = ingest.Run(t.Context(), ingest.Options{Sources: sources, Data: built, Indexers: world.Indexers(), ListIndexers: indexes.Lists(),
		Now: func() time.Time { return world.Built.Add(time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	snap, err := snapshot.Open(built)
	if err != nil {
		t.Fatal(err)
	}
	after, err := graph.Open(snap)
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	for key, to := range want {
		row, ok := after.Grant(key)
		rule := grant.OverrideHuman
		if to.to == ein.None {
			rule = grant.None
		}
		if !ok || row.Rule != rule || row.Recipient.EIN != to.to {
			was, _ := g.Grant(key)
			t.Errorf("%s: %q in %s, %s %s, by %s: %s by %s, want %v", key, row.NameFiled, was.City, was.State, was.ZIP, was.Rule, row.Recipient.EIN, row.Rule, to)
		}
	}
}
