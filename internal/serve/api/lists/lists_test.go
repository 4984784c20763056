package lists_test

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/watch"
)

// caller calls a service over SQLite as an account.
type caller struct {
	*client.Client
	live *apitest.Live
	id   string // of the account
	key  string
}

func open(t *testing.T) *apitest.Live {
	t.Helper()
	return apitest.NewLive(t, func(c *serve.API) {
		w, err := watch.New(watch.Config{Store: c.Accounts.(*account.Store), BaseURL: c.BaseURL, Key: ed25519.NewKeyFromSeed(make([]byte, 32)), Clock: c.Clock})
		if err != nil {
			t.Fatal(err)
		}
		c.Watcher = w
	})
}

func member(t *testing.T, live *apitest.Live, email string, plan account.Plan) caller {
	t.Helper()
	a, err := live.Store.SignUp(t.Context(), email, "a long enough password", "")
	if err == nil {
		_, err = live.Store.SetAccountPlan(t.Context(), a.ID, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := live.Store.CreateFor(t.Context(), a.ID, "test")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(live.Base, client.Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return caller{c, live, a.ID, key}
}

func slugOf(err error) string {
	var e *client.Error
	if errors.As(err, &e) {
		return e.Slug
	}
	return fmt.Sprint(err)
}

func (c caller) left(t *testing.T) int {
	t.Helper()
	b, err := c.live.Store.Balance(t.Context(), c.id)
	if err != nil {
		t.Fatal(err)
	}
	return b.Remaining
}

// TestLists makes, fills, reads, changes and deletes a list, and keeps everybody else out of it.
func TestLists(t *testing.T) {
	t.Parallel()
	live, ctx := open(t), t.Context()
	ann, bob := member(t, live, "ann@example.org", account.Free), member(t, live, "bob@example.org", account.Free)
	before := ann.left(t)
	made, err := ann.CreateList(ctx, client.ListRequest{Name: "Grantees", KeepHistory: new(true)}, nil)
	if err != nil || !made.List.KeepHistory {
		t.Fatalf("%+v, %v", made, err)
	}
	id := made.List.ID
	var add []client.NewMember
	for i := range 12 {
		add = append(add, client.NewMember{EIN: ein.EIN(70_000_001 + i).String()}, client.NewMember{Name: fmt.Sprint("Unnumbered Trust ", i)})
	}
	added, err := ann.AddToList(ctx, id, client.AddRequest{Members: add}, nil)
	if err != nil || added.Changed != 24 || added.List.Members != 24 || len(added.Names) != 10 || added.NamesLeft != 2 || added.Names[0].Verdict == nil {
		t.Fatalf("%+v, %v", added, err)
	}
	if again, err := ann.AddToList(ctx, id, client.AddRequest{Members: add[:3]}, nil); err != nil || again.Changed != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	for _, bad := range []client.NewMember{{}, {EIN: "12-34"}, {Note: "nobody"}} {
		if _, err := ann.AddToList(ctx, id, client.AddRequest{Members: []client.NewMember{bad}}, nil); slugOf(err) != "invalid_request" {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	page, err := ann.GetListPage(ctx, id, url.Values{"limit": {"20"}})
	if err != nil || page.Hits != 24 || len(page.Results) != 20 || page.NextCursor == nil {
		t.Fatalf("%+v, %v", page, err)
	}
	rest, err := ann.GetListPage(ctx, id, url.Values{"cursor": {*page.NextCursor}})
	if err != nil || len(rest.Results) != 4 || rest.Results[0].Position != 21 || rest.NextCursor != nil {
		t.Errorf("%+v, %v", rest, err)
	}
	names := 0
	for m, err := range ann.GetList(ctx, id, url.Values{"names": {"1"}}) {
		if err != nil || m.EIN != nil || m.Verdict == nil {
			t.Fatalf("%+v, %v", m, err)
		}
		names++
	}
	if names != 12 {
		t.Errorf("%d names", names)
	}
	gone, err := ann.RemoveFromList(ctx, id, client.RemoveRequest{Positions: []int64{1, 2, 999}}, nil)
	if err != nil || gone.Changed != 2 || gone.List.Members != 22 {
		t.Errorf("%+v, %v", gone, err)
	}
	if changed, err := ann.ChangeList(ctx, id, client.ListRequest{Name: "Renamed"}, nil); err != nil || changed.List.Name != "Renamed" || !changed.List.KeepHistory {
		t.Errorf("%+v, %v", changed, err)
	}
	if _, err := ann.CreateList(ctx, client.ListRequest{}, nil); slugOf(err) != "invalid_request" {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"read": errOf(bob.GetListPage(ctx, id, nil)), "add": errOf(bob.AddToList(ctx, id, client.AddRequest{Members: add[:1]}, nil)),
		"change": errOf(bob.ChangeList(ctx, id, client.ListRequest{Name: "Mine"}, nil)), "delete": errOf(bob.DeleteList(ctx, id, nil)),
		"remove": errOf(bob.RemoveFromList(ctx, id, client.RemoveRequest{Positions: []int64{3}}, nil)), "runs": errOf(bob.GetListRuns(ctx, id, nil)),
		"watch": errOf(bob.SetWatch(ctx, id, client.WatchRequest{Watched: new(true)}, nil)), "alerts": errOf(bob.GetAlertsPage(ctx, id, nil)),
		"missing": errOf(ann.GetListPage(ctx, "lst_000000000000", nil)),
	} {
		if slugOf(err) != "unknown_list" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ann.ScreenList(ctx, id, nil); slugOf(err) != "plan_required" {
		t.Errorf("a free account screened a list: %v", err)
	}
	secret, _, err := live.Store.Create(ctx, account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	nobody, err := ann.WithKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (caller{Client: nobody}).GetLists(ctx, nil); slugOf(err) != "account_needed" {
		t.Error(err)
	}
	if left, err := ann.DeleteList(ctx, id, nil); err != nil || left.ResultsCount != 0 {
		t.Errorf("%+v, %v", left, err)
	}
	if spent := before - ann.left(t); spent != 0 {
		t.Errorf("lists cost %d calls", spent)
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestScreening screens a list of two parts, and reads what was found in every format.
func TestScreening(t *testing.T) {
	t.Parallel()
	live, ctx := open(t), t.Context()
	ann := member(t, live, "ann@example.org", account.Plus)
	made, err := ann.CreateList(ctx, client.ListRequest{Name: "Grantees"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := made.List.ID
	if _, err := ann.ScreenList(ctx, id, nil); slugOf(err) != "empty_list" {
		t.Error(err)
	}
	add := []client.NewMember{{Name: "Zarvonia Petroleum Trading Co"}}
	for i := range 101 {
		add = append(add, client.NewMember{EIN: ein.EIN(70_000_001 + i).String()})
	}
	if _, err := ann.AddToList(ctx, id, client.AddRequest{Members: add}, nil); err != nil {
		t.Fatal(err)
	}
	before, query, results := ann.left(t), url.Values{}, 0
	var run client.ListRun
	for run.EndedAt == nil {
		part, err := ann.ScreenList(ctx, id, query)
		if err != nil || part.Run == nil {
			t.Fatalf("%+v, %v", part, err)
		}
		run, results = *part.Run, results+len(part.Results)
		query.Set("run", run.ID)
		if run.Screened != results || part.Results[0].Report != nil {
			t.Errorf("%+v after %d results", run, results)
		}
	}
	if again, err := ann.ScreenList(ctx, id, query); err != nil || len(again.Results) != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	if spent := before - ann.left(t); results != 102 || spent != 2 {
		t.Errorf("%d results for %d calls", results, spent)
	}
	seen := 0
	for r, err := range ann.GetListResults(ctx, id, run.ID, nil) {
		if err != nil || r.Report == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		seen++
	}
	if seen != 102 {
		t.Errorf("%d results were read", seen)
	}
	get := func(query string) ([]byte, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, live.Base+"/api/v1/lists/"+id+"/runs/"+run.ID+"?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", ann.key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("%d %.300s, %v", answer.StatusCode, body, err)
		}
		return body, answer.Header
	}
	// The run is in the address. A body that says otherwise is refused, also when it comes in pieces, and nothing is charged.
	left := ann.left(t)
	for _, body := range []io.Reader{strings.NewReader(`{"run":"` + run.ID + `"}`), io.MultiReader(strings.NewReader(`{"run":"` + run.ID + `"}`))} {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, live.Base+"/api/v1/lists/"+id+"/screen", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", ann.key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusRequestEntityTooLarge || ann.left(t) != left {
			t.Errorf("%d, and %d calls are left of %d", answer.StatusCode, ann.left(t), left)
		}
	}
	text, _ := get("format=csv")
	if rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll(); err != nil || len(rows) != 103 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	packed, header := get("format=zip&limit=2")
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(z.File) != 5 || !strings.Contains(header.Get("Link"), `rel="next"`) || header.Get("Content-Type") != "application/zip" {
		t.Errorf("%v, %v", err, header)
	}
	runs, err := ann.GetListRuns(ctx, id, nil)
	if err != nil || len(runs.Runs) != 1 || runs.Runs[0] != run && runs.Runs[0].Counts != run.Counts {
		t.Errorf("%+v, %v", runs, err)
	}
	if left, err := ann.DeleteListRun(ctx, id, run.ID, nil); err != nil || len(left.Runs) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
	if _, err := ann.GetListResultsPage(ctx, id, run.ID, nil); slugOf(err) != "unknown_run" {
		t.Error(err)
	}
}

// TestWatching watches a list and reads its alerts from where the program stopped.
func TestWatching(t *testing.T) {
	t.Parallel()
	live, ctx := open(t), t.Context()
	ann := member(t, live, "ann@example.org", account.Free)
	made, err := ann.CreateList(ctx, client.ListRequest{Name: "Grantees"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := made.List.ID
	if w, err := ann.GetWatch(ctx, id, nil); err != nil || w.Watch.Watched {
		t.Errorf("%+v, %v", w, err)
	}
	for address, slug := range map[string]string{"https://10.0.0.1/": "bad_webhook", "http://hooks.example.org/": "bad_webhook"} {
		if _, err := ann.SetWatch(ctx, id, client.WatchRequest{Webhook: &address}, nil); slugOf(err) != slug {
			t.Errorf("%s: %v", address, err)
		}
	}
	w, err := ann.SetWatch(ctx, id, client.WatchRequest{Webhook: new("https://hooks.invalid/x"), Email: new(true), Atom: new(true)}, nil)
	if err != nil || !w.Watch.Watched || w.Watch.Email == nil || *w.Watch.Webhook.Target != "https://hooks.invalid/x" || w.Watch.AtomURL == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	if w, err = ann.SetWatch(ctx, id, client.WatchRequest{Webhook: new("")}, nil); err != nil || w.Watch.Webhook != nil || w.Watch.AtomURL != nil || !w.Watch.Atom {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := ann.TestWebhook(ctx, id, nil); slugOf(err) != "no_webhook" {
		t.Error(err)
	}
	to := account.WatchMark{Edition: "20260202T000000Z"}
	stale, err := live.Store.StaleWatches(ctx, to)
	if err != nil || len(stale) != 1 {
		t.Fatal(stale, err)
	}
	watched, err := live.Store.ReadWatch(ctx, stale[0])
	if err != nil {
		t.Fatal(err)
	}
	var alerts []account.Alert
	for i := range 3 {
		alerts = append(alerts, account.Alert{Kind: "revoked", Source: "revocation", EIN: ein.EIN(70_000_001 + i), Name: "EXEMPLARY FUND", Is: "revoked", To: "x"})
	}
	if _, err := live.Store.Record(ctx, watched, alerts, nil, to); err != nil {
		t.Fatal(err)
	}
	page, err := ann.GetAlertsPage(ctx, id, url.Values{"limit": {"2"}})
	if err != nil || page.Hits != 3 || len(page.Results) != 2 || page.NextCursor == nil || page.Results[0].ID < page.Results[1].ID {
		t.Fatalf("%+v, %v", page, err)
	}
	later, err := ann.GetAlertsPage(ctx, id, url.Values{"after": {fmt.Sprint(page.Results[1].ID)}})
	if err != nil || later.Hits != 1 || len(later.Results) != 1 || later.Results[0].ID != page.Results[0].ID {
		t.Errorf("%+v, %v", later, err)
	}
	all := 0
	for a, err := range ann.GetAlerts(ctx, id, url.Values{"limit": {"1"}}) {
		if err != nil || a.Title == "" {
			t.Fatalf("%+v, %v", a, err)
		}
		all++
	}
	if all != 3 {
		t.Errorf("%d alerts", all)
	}
}
