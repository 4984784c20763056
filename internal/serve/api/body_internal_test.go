package api

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"grantgraph/client"
)

// FuzzForm reads any bytes as the body of every kind of request: what is taken
// is fit to be kept, and what is not is told where it is.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"", `{"purpose":"a test of the service","source":"its documentation"}`, `{"answers":["1","2"]}`, `{"plan":"PRO"}`, `{"purpose":1,"answers":[1,null],"plan":["x"]}`, `[]`, `{"purpose":"\u202e","source":"\ud800"}`, "{\"\xff\":1}"} {
		f.Add([]byte(seed))
	}
	const maxPurpose, maxAnswers = 1000, 16
	f.Fuzz(func(t *testing.T, body []byte) {
		c := &Call{op: &Operation{}, warn: &Warnings{}, body: body}
		c.Params = &Reader{op: c.op, Warn: c.warn}
		form := c.ReadForm()
		purpose, source := form.Text("purpose", maxPurpose), form.Text("source", maxPurpose)
		answers := form.Texts("answers", maxAnswers)
		plan := form.Word("plan", []string{"free", "plus", "pro"})
		form.Finish()
		for _, s := range []string{purpose, source} {
			if len(s) > maxPurpose || !Legible(s) || strings.TrimSpace(s) != s {
				t.Errorf("%q was taken", s)
			}
		}
		if len(answers) > maxAnswers || plan != "" && plan != "free" && plan != "plus" && plan != "pro" {
			t.Errorf("%q %q", answers, plan)
		}
		if form.members == nil && len(c.Params.problems) != 1 {
			t.Errorf("%+v", c.Params.problems)
		}
		if (purpose == "" || source == "" || plan == "") && len(c.Params.problems) == 0 {
			t.Error("nothing is said of what was not taken")
		}
		for _, p := range c.Params.problems {
			if len(p.Loc) == 0 || p.Loc[0] != "body" || p.Msg == "" || p.Type == "" {
				t.Errorf("%+v", p)
			}
		}
		if b, err := json.Marshal(client.Invalid{Detail: c.Params.problems}); err != nil || !utf8.Valid(b) {
			t.Errorf("%v", err)
		}
		if h := headerNames(c.warn.unsupported()); strings.ContainsAny(h, "\r\n") {
			t.Errorf("%q", h)
		}
	})
}

// TestMembers checks that a body of many fields is refused before it takes more
// than its size.
func TestMembers(t *testing.T) {
	many := []byte(`{"sql":"SELECT 1"` + strings.Repeat(`,"x":1`, 100_000) + `}`)
	if _, err := members(many); err != errMembers {
		t.Errorf("%d bytes of fields: %v", len(many), err)
	}
	if n := testing.AllocsPerRun(1, func() { _, _ = members(many) }); n > 5000 {
		t.Errorf("%d bytes of fields take %.0f allocations", len(many), n)
	}
	for body, want := range map[string]bool{`{}`: true, ` {"a":[1,{}],"b":null} `: true, ``: false, `null`: false, `[]`: false, `{"a":1,"b":2,"a":1}`: true, `{"a":1,"b":2,"a":2}`: false, `{"a":1`: false, `{"a" 1}`: false, `{"a":1,}`: false, `{} {}`: false, `{1:2}`: false} {
		if got, err := members([]byte(body)); (err == nil) != want || want == (got == nil) {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
}

// TestMeantInBodies does the same for the fields of request bodies.
func TestMeantInBodies(t *testing.T) {
	t.Parallel()
	words := map[string]string{"query": "sql", "answer": "answers", "plan_name": "plan"}
	for _, c := range []struct{ body, field, want string }{
		{`{"query":"SELECT 1"}`, "sql", "the field is required; query is not a field, send it as sql"},
		{`{"Answer":["1"]}`, "answers", "the field is required; Answer is not a field, send it as answers"},
		{`{"planName":"pro"}`, "plan", "the field is required; planName is not a field, send it as plan"},
		{`{"colour":"blue"}`, "plan", "the field is required"},
	} {
		call := &Call{op: &Operation{BodyWords: words}, warn: &Warnings{}, body: []byte(c.body)}
		call.Params = &Reader{op: call.op, Warn: call.warn}
		form := call.ReadForm()
		form.Text(c.field, maxText)
		form.Finish()
		if p := call.Params.problems; len(p) != 1 || p[0].Msg != c.want {
			t.Errorf("%s: %+v", c.body, p)
		}
		if meant := strings.Contains(call.warn.list[0].Reason, "Did you mean "+c.field+"?"); meant != strings.Contains(c.want, "send it") {
			t.Errorf("%s: %+v", c.body, call.warn.list)
		}
	}
}
