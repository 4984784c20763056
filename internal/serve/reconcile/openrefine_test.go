package reconcile

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
)

// TestOpenRefine plays a session of OpenRefine: its requests are in testdata, one a line, with the name, state and EIN of an
// organization in braces. A column is reconciled although one of its types and one of its properties do not exist, and extended.
func TestOpenRefine(t *testing.T) {
	t.Parallel()
	s := newService(t)
	o := s.some()
	text, err := os.ReadFile("testdata/openrefine.txt")
	if err != nil {
		t.Fatal(err)
	}
	slip := o.Name[:8] + o.Name[9:]
	fill := strings.NewReplacer("{name}", o.Name, "{misspelled}", slip, "{state}", o.State, "{ein}", o.EIN.String())
	steps := map[string]*httptest.ResponseRecorder{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		step, request, _ := strings.Cut(fill.Replace(line), "\t")
		method, rest, _ := strings.Cut(request, " ")
		address, form, _ := strings.Cut(rest, " ")
		r := httptest.NewRequest(method, address, nil)
		if method == http.MethodPost {
			name, value, _ := strings.Cut(form, "=")
			r = httptest.NewRequest(method, address, strings.NewReader(url.Values{name: {value}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
		}
		w := s.do(r, "User-Agent", "OpenRefine 3.8.2 [5.7f5ae86]", "Accept", "application/json, text/javascript, */*; q=0.01")
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", step, w.Code, w.Body)
		}
		steps[step] = w
	}
	found := read[map[string]struct {
		Result []candidate
		Notice string
	}](t, steps["reconcile"])
	for q, want := range map[string]struct {
		match  bool
		notice string
	}{"q0": {true, ""}, "q1": {true, ""}, "q2": {true, ""}, "q3": {true, `property "size"`}, "q4": {false, `type "Q43229"`}} {
		got := found[q]
		if len(got.Result) == 0 || got.Result[0].ID != o.EIN.String() || got.Result[0].Match != want.match || (want.notice == "") != (got.Notice == "") || !strings.Contains(got.Notice, want.notice) {
			t.Errorf("%s, which is %s %s: %+v", q, o.EIN, o.Name, got)
		}
	}
	extended := read[extended02](t, steps["extend"])
	if len(extended.Meta) != 4 || len(extended.Rows) != 1 {
		t.Fatalf("%+v", extended)
	}
	for _, property := range []string{"state", "revenue", "standing", "given_total"} {
		if len(extended.Rows[o.EIN.String()][property]) != 1 {
			t.Errorf("%s: %+v", property, extended.Rows)
		}
	}
	if !strings.Contains(steps["propose"].Body.String(), `"revenue"`) || !strings.Contains(steps["preview"].Body.String(), o.EIN.Hyphenated()) {
		t.Errorf("%s %s", steps["propose"].Body, steps["preview"].Body)
	}
}

// TestMended checks that a slip in a long word does not make another organization, and that another word does.
func TestMended(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"Harlow Foudnation", "HARLOW FOUNDATION INC", "HARLOW FOUNDATION"},
		{"Harlow Oundation", "HARLOW FOUNDATION", "HARLOW FOUNDATION"},
		{"East Harlow Clinic", "WEST HARLOW CLINIC", "EAST HARLOW CLINIC"},
		{"Northern Harlow Clinic", "SOUTHERN HARLOW CLINIC", "NORTHERN HARLOW CLINIC"},
		{"Harlow Hospital", "HARLOW HOSPITAL FOUNDATION", "HARLOW HOSPITAL"},
		{"Harlow Post 121", "HARLOW POST 122", "HARLOW POST 121"},
	} {
		if got := mended(c[0], c[1]); got != c[2] {
			t.Errorf("%s for %s is %s", c[0], c[1], got)
		}
	}
}
