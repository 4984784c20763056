package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/paste"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/snippet"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/terminal"
)

// pastedID differs from answer to answer.
var pastedID = regexp.MustCompile(`"request_id": ?"[^"]*"`)

// TestExamplesOnCommandLine runs every example of every operation as the
// command that its page shows, and holds what it prints against what the engine
// answers. The shell takes the commands apart; the other languages are run with
// package snippet.
func TestExamplesOnCommandLine(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	service := apitest.New(t)
	// Whoever has the address of the command signs what it does.
	s, err := serve.Open(serve.Options{Data: data, BaseURL: "http://localhost", SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var code, names, want []string
	for _, op := range apitest.Operations(t) {
		for _, e := range service.Cases(t, &op) {
			for _, c := range snippet.Case(&op, &e, apitest.Base, "") {
				if c.Title != "Command line" {
					continue
				}
				path := api.Versioned + op.Path
				for name, value := range e.Path {
					path = strings.ReplaceAll(path, "{"+name+"}", value)
				}
				names = append(names, op.ID+" "+e.Case)
				rec := httptest.NewRecorder()
				s.Handler().ServeHTTP(rec, httptest.NewRequest(op.Method, path+"?example="+e.Case, strings.NewReader(e.Body)))
				want = append(want, rec.Body.String())
				code = append(code, "grantgraph() { for word; do printf '%s\\0' \"$word\"; done; }\n"+strings.Replace(c.Source, " > answer.pdf", "", 1))
			}
		}
	}
	if len(code) < 80 {
		t.Fatalf("only %d examples", len(code))
	}
	for i, ran := range paste.Shell.Run(t, code) {
		args := strings.Split(strings.TrimSuffix(ran.Out, "\x00"), "\x00")
		if ran.Failed != "" || args[0] != "get" {
			t.Errorf("%s: %s\n%s", names[i], ran.Failed, code[i])
			continue
		}
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(args); err != nil {
			t.Errorf("%s: %v\n%s", names[i], err, code[i])
			continue
		}
		var out bytes.Buffer
		a := &terminal.App{Ctx: t.Context(), Out: &out}
		r, err := c.Get.request(a)
		if err != nil {
			t.Errorf("%s: %v", names[i], err)
			continue
		}
		if err := c.Get.send(a, s.Handler(), r); !sameAnswer(out.String(), want[i]) {
			t.Errorf("%s: %v\n%s\nthe engine answers\n%.2000s", names[i], err, &out, want[i])
		}
	}
	// The same by the command as a whole, which opens what a body needs.
	ran, out, errs := command(t, "get", "--data", data, "/api/v1/sql?example=1", "--body", `{"sql": "SELECT 1"}`)
	if ran != 0 || !strings.Contains(out, `"row_count"`) {
		t.Errorf("exit %d: %s%s", ran, out, errs)
	}
	for _, wrong := range [][]string{{"-X", "GE T", "/api/v1/meta"}, {"api/v1/meta"}, {"/api/v1/me\x7fta"}, {"-H", "Accept", "/api/v1/meta"}} {
		if code, _, errs := command(t, append([]string{"get", "--data", data}, wrong...)...); code != 1 || !strings.Contains(errs, "Try: ") {
			t.Errorf("%q: exit %d: %s", wrong, code, errs)
		}
	}
}

// sameAnswer compares two answers, JSON by its values.
func sameAnswer(a, b string) bool {
	var x, y any
	a, b = pastedID.ReplaceAllString(a, `"request_id":""`), pastedID.ReplaceAllString(b, `"request_id":""`)
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return reflect.DeepEqual(x, y)
}
