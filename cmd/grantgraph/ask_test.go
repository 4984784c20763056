package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
)

// TestAsk answers questions on the terminal.
func TestAsk(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"Who funds education in Florida?"}, 0, []string{"funders made grants to recipients in Florida for Education", "[Recipients in: Florida]", "Request: GET http://localhost/api/v1/grants/funders?", "Funder"}},
		{[]string{"How", "much", "was", "given", "in", "2022"}, 0, []string{"Grants in fiscal year 2022 come to $", "[Fiscal year: 2022]"}},
		{[]string{"How much was given in 2025?"}, 0, []string{"Note: "}},
		{[]string{"Why did giving fall?"}, 1, []string{"Filings cannot answer this question. Filings don't tell why", "Try one of these questions:"}},
		{[]string{""}, 1, []string{"Please type a question."}},
		{[]string{strings.Repeat("x", 10_000)}, 1, []string{"we read at most 500"}},
	} {
		var out, errw bytes.Buffer
		code := run(context.Background(), append([]string{"ask", "--data", data}, c.args...), strings.NewReader(""), &out, &errw)
		if code != c.code || errw.Len() > 0 {
			t.Errorf("%.60q: %d %s", c.args, code, errw.String())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%.60q: no %q in %s", c.args, want, out.String())
			}
		}
	}
	var out, errw bytes.Buffer
	if code := run(context.Background(), []string{"ask", "--json", "--data", data, "top 3 funders in Florida"}, strings.NewReader(""), &out, &errw); code != 0 {
		t.Fatal(code, errw.String())
	}
	var object map[string]any
	if err := json.Unmarshal(out.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"understood", "plan", "request", "figures", "rows", "answer", "caveats"} {
		if _, ok := object[field]; !ok {
			t.Errorf("no %s in %s", field, out.String())
		}
	}
	if rows, _ := object["rows"].([]any); len(object) != 7 || object["understood"] != true || len(rows) != 3 {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	if code := run(context.Background(), []string{"ask", "--json", "--data", data, "which charity is best"}, strings.NewReader(""), &out, &errw); code != 1 || !strings.Contains(out.String(), `"understood": false`) || !strings.Contains(out.String(), `"try": [`) {
		t.Errorf("%d %s", code, out.String())
	}
	if code := run(context.Background(), []string{"ask", "--data", t.TempDir(), "how much"}, strings.NewReader(""), &out, &errw); code != 1 || !strings.Contains(errw.String(), "grantgraph") {
		t.Errorf("%d %s", code, errw.String())
	}
}
