package api_test

import (
	"encoding/json"
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestEveryParameterIsRead checks that a handler reads what its table entry
// declares; that it declares what it reads, the reader checks by itself.
func TestEveryParameterIsRead(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	for _, op := range w.Operations() {
		read, err := w.Reads(&op, url.Values{"q": {"x"}, "geo_id_type": {"zip"}, "location_type": {"funder"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range op.Params {
			if !read[p.Name] {
				t.Errorf("%s does not read %s", op.ID, p.Name)
			}
		}
	}
}

// TestEmptyValues checks the one rule for every parameter that is there but
// empty: the answer is that without it, and a warning says so. Two of them mean
// something when they are empty: q, which is shorter than two characters, and
// example, which is set.
func TestEmptyValues(t *testing.T) {
	t.Parallel()
	real, invented := apitest.Real(t), apitest.New(t)
	// sent is a request to an operation: the answer without its extension
	// block, and that block.
	sent := func(op *api.Operation, query url.Values) (status int, rest string, s client.Service) {
		t.Helper()
		e := &op.Examples[0]
		r := httptest.NewRequest(op.Method, op.At(e)+"?"+query.Encode(), strings.NewReader(e.Body))
		r.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
		w := real
		switch {
		case op.Access == api.Agent:
			w = invented
			r.Header.Set("X-API-Key", "gg_test_agent")
		case op.Access == api.Admin || op.ForAgents:
			w = invented
		case op.Tag == "Profiles": // whose organizations nobody knows in a built world
			w = invented
			r.Header.Set("X-API-Key", "gg_test_pro")
		default:
			r.Header.Set("X-API-Key", "gg_test_pro")
		}
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		var members map[string]json.RawMessage
		if err := json.Unmarshal(rec.Body.Bytes(), &members); err != nil {
			t.Fatal(err)
		}
		if raw := members["x_service"]; raw != nil {
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"x_service", "elapsed_ms", "request_id"} {
			delete(members, name)
		}
		b, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		return rec.Code, string(b), s
	}
	for _, operation := range invented.Operations() {
		op := &operation
		if op.Tag == "Lists" {
			continue // their own tests have accounts that keep lists
		}
		query := url.Values{}
		if op.ID == "searchOrganizations" {
			query.Set("q", "school")
		}
		for _, p := range op.Params {
			// What goes with a parameter must not fare otherwise because it is empty.
			switch p.Name {
			case "geo_id_type", "location_type":
				query.Set("location", "CA")
			case "sort_by":
				query.Set("sort_order", "asc")
			}
		}
		status, without, before := sent(op, query)
		if status != 200 {
			t.Errorf("%s: %d %s", op.ID, status, without)
		}
		for _, p := range op.Params {
			if p.In == "path" || p.Required || p.Name == "example" || query.Has(p.Name) {
				continue
			}
			for _, value := range []string{"", " \t"} {
				query.Set(p.Name, value)
				status, with, s := sent(op, query)
				// Without compliance lists, what an example asks of them is not applied either.
				also := slices.DeleteFunc(slices.Clone(s.Unsupported), func(name string) bool { return name == p.Name })
				if status != 200 || with != without || len(s.Unsupported) != len(also)+1 || !slices.Equal(also, before.Unsupported) {
					t.Errorf("%s %s=%q: %d, not applied %v", op.ID, p.Name, value, status, s.Unsupported)
				}
				query.Set("strict", "1")
				if p.Name != "strict" {
					if status, _, _ := sent(op, query); status != 400 {
						t.Errorf("%s strict=1 %s=%q: %d", op.ID, p.Name, value, status)
					}
				}
				query.Del("strict")
				query.Del(p.Name)
			}
		}
	}
}

// FuzzReader sends any query to every operation: whatever it is, it is answered
// or refused in words, within bounds.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"year=2020&min_amt=5", "location=Springfield,IL&geo_id_type=city", "cursor=AAAA&fields=amount", "a=%ff", "x=1;y", "subject=SA", "query=%22", "min_match_prob=1e400"} {
		f.Add(seed)
	}
	w := apitest.New(f)
	operations := w.Operations()
	f.Fuzz(func(t *testing.T, query string) {
		for _, op := range operations {
			e := &op.Examples[0]
			r := httptest.NewRequest(op.Method, op.At(e), strings.NewReader(e.Body))
			r.URL.RawQuery = query
			r.Header.Set("X-API-Key", "gg_test_pro")
			if op.Access == api.Agent {
				r.Header.Set("X-API-Key", "gg_test_agent")
			}
			r.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, r)
			if rec.Code >= 500 {
				t.Fatalf("%s %q: %d %s", op.ID, query, rec.Code, rec.Body)
			}
			for name, values := range rec.Header() {
				if strings.ContainsAny(strings.Join(values, ""), "\r\n") {
					t.Fatalf("%q breaks the header %s", query, name)
				}
			}
			if rec.Body.Len() > 1<<20 {
				t.Fatalf("%q has an answer of %d bytes", query, rec.Body.Len())
			}
		}
	})
}
