package site

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
)

// matched is a grant of the place that was matched to an organization, and one to a person.
func (p *place) matched(t *testing.T) (g, person graph.Grant) {
	t.Helper()
	d, release := p.Acquire()
	defer release()
	rows, _, err := d.Graph.Transactions(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 2000})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Classes&graph.Individuals != 0 {
			person = row
		} else if row.Recipient.EIN != 0 && row.Rule.String() == "name" {
			g = row
		}
	}
	if g.Key == "" || person.Key == "" {
		t.Fatal("this world shows little")
	}
	return g, person
}

// waiting are the corrections that wait.
func (p *place) waiting(t *testing.T) (list []map[string]any) {
	t.Helper()
	rows, err := p.store.View(t.Context(), "corrections", map[string]any{"state": "waiting"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		one, err := p.store.View(t.Context(), "correction", map[string]any{"id": jsonOf(t, r.JSON)["id"]})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, jsonOf(t, one[0].JSON))
	}
	return list
}

func jsonOf(t *testing.T, text []byte) (row map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &row); err != nil {
		t.Fatal(err)
	}
	return row
}

// TestCorrection sends corrections without a script: by a name, by an EIN, and for a line that names nobody.
func TestCorrection(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.visitor(t)
	g, person := p.matched(t)
	at := "/grant/" + g.Key + "/correction"
	if body := v.get("/grant/" + g.Key).body; !strings.Contains(body, `action="`+at+`"`) || v.cookies[visitCookie] != "" {
		t.Error("the page of the grant does not lead to the form, or sets a cookie")
	}
	found := v.get(at + "?q=library").body
	_, ein, _ := strings.Cut(found, `<li><a href="`+at+`?ein=`)
	if ein, _, _ = strings.Cut(ein, `"`); len(ein) != 9 {
		t.Fatalf("nothing to choose: %s", found)
	}
	sent := map[string]string{"reason": "It is " + nasty, "source": "https://lake.example.org/"}
	if got := v.fill(at+"?ein="+ein, at, sent); got.status != http.StatusSeeOther || got.header.Get("Location") != at {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if body := v.get(at).body; !strings.Contains(body, "Thank you") || strings.Contains(v.get(at).body, "Thank you") {
		t.Error("no thanks, or twice")
	}
	// A member is known; the same correction is counted.
	ann := p.member(t, "ann@example.org")
	if got := ann.fill(at+"?q="+ein[:2]+"-"+ein[2:], at, sent); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	ann.get(at)
	if got := ann.fill(at+"?proposal=nobody", at, sent); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.body)
	}
	list := p.waiting(t)
	if len(list) != 2 || list[1]["times"] != 2.0 || list[1]["ein"] != ein || list[1]["account"] != "" || list[1]["reason"] != sent["reason"] ||
		list[1]["was_ein"] != g.Recipient.EIN.String() || list[1]["was_rule"] != "name" || list[1]["grant_key"] != g.Key || list[1]["name"] == "" ||
		!strings.HasPrefix(list[1]["filed"].(string), g.NameFiled) || list[0]["proposal"] != account.Nobody || !strings.HasPrefix(list[0]["account"].(string), "acc_") {
		t.Errorf("%v", list)
	}

	// What cannot be a correction shows the form again, with what was typed.
	for name, c := range map[string]struct {
		at   string
		send map[string]string
		says string
	}{
		"no reason":      {"?ein=" + ein, map[string]string{"reason": " "}, "needs a reason"},
		"a long reason":  {"?ein=" + ein, map[string]string{"reason": strings.Repeat("x", account.MostReason+1)}, "the maximum is 2000"},
		"no page":        {"?ein=" + ein, map[string]string{"reason": nasty, "source": "javascript:alert(1)"}, "not an address on the web"},
		"the same":       {"?ein=" + g.Recipient.EIN.String(), sent, "already matched to this organization"},
		"the funder":     {"?q=" + g.Funder.EIN.String(), sent, "the funder itself"},
		"nobody to find": {"?q=qxzqxz", sent, "Choose an organization first"},
	} {
		fields := url.Values{}
		for _, m := range hidden.FindAllStringSubmatch(v.get(at+"?proposal=nobody").body, 1) {
			fields.Set(m[1], m[2])
		}
		from, _ := url.ParseQuery(c.at[1:])
		for k := range from {
			fields.Set(k, from.Get(k))
		}
		for k, text := range c.send {
			fields.Set(k, text)
		}
		if got := v.post(at, fields); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, c.says) || strings.Contains(got.body, "<script>alert") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	// A stranger's page sends nothing, and nobody corrects a grant to a person, or one that does not exist.
	for name, status := range map[string]int{at: 403, "/grant/" + person.Key + "/correction": 404, "/grant/nosuchkey/correction": 404} {
		if status == 404 && v.get(name).status != 404 {
			t.Errorf("%s has a form", name)
		}
		if got := v.post(name, url.Values{"proposal": {account.Nobody}, "reason": {"x"}, "csrf": {"x"}}); got.status != 403 {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	if body := v.get("/grant/" + person.Key).body; strings.Contains(body, "/correction") {
		t.Error("the page of a grant to a person has a form")
	}
	if list := p.waiting(t); len(list) != 2 {
		t.Errorf("%d wait", len(list))
	}
}

// TestCorrectionLimit sends more corrections than a visitor may in a day.
func TestCorrectionLimit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	g, _ := p.matched(t)
	at := "/grant/" + g.Key + "/correction"
	send := func(i int) page {
		v := p.visitor(t) // without the cookies of the one before
		return v.fill(fmt.Sprintf("%s?ein=07%07d", at, i), at, map[string]string{"reason": "because"})
	}
	for i := range account.CorrectionsADay {
		if got := send(i); got.status != http.StatusSeeOther {
			t.Fatalf("%d: %d %s", i, got.status, got.body)
		}
	}
	if got := send(11); got.status != http.StatusTooManyRequests || !strings.Contains(got.body, "maximum for one day") || !strings.Contains(got.body, "because") {
		t.Errorf("%d %s", got.status, got.body)
	}
	p.clock.forward(24 * time.Hour)
	if got := send(11); got.status != http.StatusSeeOther {
		t.Errorf("the next day: %d", got.status)
	}
}

// TestCorrectionWalk finds the right organization in Chromium and sends a correction.
func TestCorrectionWalk(t *testing.T) {
	t.Parallel()
	walk := Walker(t)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	p := newPlace(t, func(c *Config) { c.BaseURL = server.URL })
	mux.HandleFunc("GET /api/v1/search", searches(p))
	mux.Handle("/", p.Site)
	g, _ := p.matched(t)
	walk(t.Context(), "correction.mjs", server.URL, g.Key)
	if list := p.waiting(t); len(list) != 1 || list[0]["reason"] != "The address is that of the library." {
		t.Errorf("%v", list)
	}
}
