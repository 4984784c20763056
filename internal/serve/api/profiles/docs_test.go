package profiles_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/profiles"
)

// TestPage runs the examples of docs/profiles.md: what the page shows of an
// answer is in it. The page tells of every part and of every reason.
func TestPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	w := apitest.New(t)
	found := regexp.MustCompile("(?s)```sh\ncurl -sS \"\\$BASE(\\S+)\"\n```\n\n```json\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(found) < 5 || len(found) != strings.Count(page, "```json") || len(found) != strings.Count(page, "```sh") {
		t.Fatalf("%d examples", len(found))
	}
	for _, m := range found {
		var want, got any
		if err := json.Unmarshal([]byte(m[2]), &want); err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		rec := w.Get(t, "GET", m[1], "")
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != 200 {
			t.Fatalf("%s: %d %v", m[1], rec.Code, err)
		}
		if path, ok := within(want, got); !ok {
			t.Errorf("%s: the page shows another %s than the answer has: %s", m[1], path, rec.Body)
		}
	}
	for _, v := range []any{client.ProfileCore{}, profiles.PremierAnswer{}, client.GrantsOut{}, client.FundingIn{}, client.GovernmentCoverage{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "" || name == "code" || name == "message" || name == "top_recipients" || name == "top_funders" {
				continue
			}
			if !strings.Contains(page, "`"+name+"`") && name != "x_service" {
				t.Errorf("the page does not tell of %s", name)
			}
		}
	}
	for m := range api.Members(reflect.TypeFor[client.Absent]()) {
		for _, word := range m.Enum {
			if !strings.Contains(page, "| `"+word+"` |") {
				t.Errorf("the page does not explain %s", word)
			}
		}
	}
}

// within reports whether an answer has all that is wanted of it; of a list, those
// elements somewhere, in this order.
func within(want, got any) (path string, ok bool) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return "object", false
		}
		for name, v := range w {
			if path, ok := within(v, g[name]); !ok {
				return name + "." + path, false
			}
		}
		return "", true
	case []any:
		g, ok := got.([]any)
		if !ok {
			return "list", false
		}
		for _, v := range w {
			for {
				if len(g) == 0 {
					return "element", false
				}
				_, ok := within(v, g[0])
				if g = g[1:]; ok {
					break
				}
			}
		}
		return "", true
	}
	return "", reflect.DeepEqual(want, got)
}
