package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// TestBrokenBody sends bodies that end too early: one that the server has waited
// for long enough, and one that was cut off.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		slug   string
	}{
		{fmt.Errorf("read tcp: %w", os.ErrDeadlineExceeded), 408, "request_timeout"},
		{io.ErrUnexpectedEOF, 400, "malformed_query"},
	} {
		r := httptest.NewRequest("POST", "/api/v1/agent-key", io.MultiReader(strings.NewReader(plea[:5]), iotest.ErrReader(c.err)))
		rec := httptest.NewRecorder()
		newWorld(t).ServeHTTP(rec, r)
		if got := unmarshal[Failure](t, rec); rec.Code != c.status || got.Error != c.slug || got.Hint == "" {
			t.Errorf("%v: %d %s", c.err, rec.Code, rec.Body)
		}
		declared(t, "POST", "/api/v1/agent-key", rec.Code)
	}
}

// FuzzForm reads any bytes as the body of every kind of request: what is taken
// is fit to be kept, and what is not is told where it is.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"", plea, `{"answers":["1","2"]}`, `{"plan":"PRO"}`, `{"purpose":1,"answers":[1,null],"plan":["x"]}`, `[]`, `{"purpose":"\u202e","source":"\ud800"}`, "{\"\xff\":1}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c := &call{op: &Operation{}, warn: &warnings{}, body: body}
		c.params = &reader{op: c.op, warn: c.warn}
		form := c.readForm()
		purpose, source := form.text("purpose", maxPurpose), form.text("source", maxPurpose)
		answers := form.texts("answers", maxAnswers)
		plan := form.word("plan", []string{"free", "plus", "pro"})
		form.finish()
		for _, s := range []string{purpose, source} {
			if len(s) > maxPurpose || !legible(s) || strings.TrimSpace(s) != s {
				t.Errorf("%q was taken", s)
			}
		}
		if len(answers) > maxAnswers || plan != "" && plan != "free" && plan != "plus" && plan != "pro" {
			t.Errorf("%q %q", answers, plan)
		}
		if form.members == nil && len(c.params.problems) != 1 {
			t.Errorf("%+v", c.params.problems)
		}
		if (purpose == "" || source == "" || plan == "") && len(c.params.problems) == 0 {
			t.Error("nothing is said of what was not taken")
		}
		for _, p := range c.params.problems {
			if len(p.Loc) == 0 || p.Loc[0] != "body" || p.Msg == "" || p.Type == "" {
				t.Errorf("%+v", p)
			}
		}
		if b, err := json.Marshal(Invalid{Detail: c.params.problems}); err != nil || !utf8.Valid(b) {
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
	for body, want := range map[string]bool{`{}`: true, ` {"a":[1,{}],"b":null} `: true, ``: false, `null`: false, `[]`: false, `{"a":1`: false, `{"a" 1}`: false, `{"a":1,}`: false, `{} {}`: false, `{1:2}`: false} {
		if got, err := members([]byte(body)); (err == nil) != want || want == (got == nil) {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
}
