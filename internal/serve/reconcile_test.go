package serve

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
)

// TestReconcile takes the steps that OpenRefine takes with a service: the manifest,
// a batch as a form and in an address, the preview and data of what was found.
func TestReconcile(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	s := start(t, data)
	ask := func(r *http.Request) []byte {
		t.Helper()
		r.Header.Set("Origin", "https://refine.example")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		body, err := io.ReadAll(got.Body)
		if err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Access-Control-Allow-Origin") != "*" || len(got.Cookies()) != 0 {
			t.Fatalf("%s: %d %v %v\n%.300s", r.URL, got.StatusCode, got.Header, err, body)
		}
		return body
	}
	get := func(address string) []byte {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ask(r)
	}
	form := func(address, name, value string) []byte {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(url.Values{name: {value}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
		return ask(r)
	}
	read := func(body []byte, to any) {
		t.Helper()
		if err := json.Unmarshal(body, to); err != nil {
			t.Fatalf("%v\n%.300s", err, body)
		}
	}
	type service struct {
		URL  string `json:"service_url"`
		Path string `json:"service_path"`
	}
	var manifest struct {
		Versions []string
		Preview  struct{ URL string }
		View     struct{ URL string }
		Suggest  struct{ Entity service }
		Extend   struct {
			Propose service `json:"propose_properties"`
		}
	}
	endpoint := s.URL() + "/reconcile"
	read(get(endpoint), &manifest)
	if len(manifest.Versions) != 1 || manifest.Versions[0] != "0.2" {
		t.Fatalf("%+v", manifest)
	}

	d, release := s.holder.Acquire()
	defer release()
	row, _ := d.Directory.Row(uint32(d.Directory.Len()/2), nil)
	queries, _ := json.Marshal(map[string]any{
		"q0": map[string]any{"query": row.Name, "type": "organization", "type_strict": "should", "limit": 3, "properties": []any{map[string]any{"pid": "state", "v": row.State}, map[string]any{"pid": "city", "v": row.City}}},
		"q1": map[string]any{"query": row.EIN.Hyphenated(), "limit": 3},
	})
	type results map[string]struct {
		Result []struct {
			ID    string
			Match bool
		}
	}
	for how, body := range map[string][]byte{"a form": form(endpoint, "queries", string(queries)), "an address": get(endpoint + "?queries=" + url.QueryEscape(string(queries)))} {
		var found results
		read(body, &found)
		if list := found["q1"].Result; len(found) != 2 || len(found["q0"].Result) == 0 || len(list) != 1 || list[0].ID != row.EIN.String() || !list[0].Match {
			t.Errorf("by %s: %+v", how, found)
		}
	}
	if page := get(strings.ReplaceAll(manifest.Preview.URL, "{{id}}", row.EIN.String())); !strings.Contains(string(page), row.EIN.Hyphenated()) {
		t.Errorf("%.300s", page)
	}
	if page := get(manifest.Suggest.Entity.URL + manifest.Suggest.Entity.Path + "?prefix=" + row.EIN.String()); !strings.Contains(string(page), row.EIN.String()) {
		t.Errorf("%.300s", page)
	}
	var proposed struct{ Properties []struct{ ID string } }
	read(get(manifest.Extend.Propose.URL+manifest.Extend.Propose.Path+"?type=organization"), &proposed)
	extend, _ := json.Marshal(map[string]any{"ids": []string{row.EIN.String()}, "properties": proposed.Properties})
	var extended struct{ Rows map[string]map[string][]any }
	read(form(endpoint, "extend", strings.ReplaceAll(string(extend), `"ID"`, `"id"`)), &extended)
	if len(extended.Rows[row.EIN.String()]) != len(proposed.Properties) || len(proposed.Properties) < 10 {
		t.Errorf("%+v", extended)
	}
	// Only here: the rest of the service has nothing for pages of others.
	for _, path := range []string{"/", "/api/v1", "/docs"} {
		got, err := http.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s allows other origins", path)
		}
	}
}
