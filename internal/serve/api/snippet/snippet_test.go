package snippet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/paste"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/snippet"
)

// requestID differs from answer to answer.
var (
	requestID = regexp.MustCompile(`"request_id": ?"[^"]*"`)
	noID      = []byte(`"request_id":""`)
)

// tools run the codes of a request, by their title. The command line is run
// with the command, in cmd/grantgraph.
var tools = map[string]paste.Language{"curl": paste.Shell, "Python": paste.Python, "JavaScript": paste.Node}

// TestExamples runs every example of every operation in every language, and
// holds what it prints against what the engine answers.
func TestExamples(t *testing.T) {
	t.Parallel()
	paste.Needs(t, "curl")
	service := apitest.New(t)
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	type one struct {
		name, code string
		want       []byte
		file       bool
	}
	all := map[string][]one{}
	for _, op := range apitest.Operations(t) {
		for _, e := range service.Cases(t, &op) {
			codes := snippet.Case(&op, &e, server.URL, "")
			if e.Case == "1" && !reflect.DeepEqual(codes, snippet.Of(&op, server.URL, "")) {
				t.Errorf("%s: Of is not its first example", op.ID)
			}
			address := api.Versioned + op.Path
			for name, value := range e.Path {
				address = strings.ReplaceAll(address, "{"+name+"}", value)
			}
			file := strings.Contains(e.Query, "format=pdf")
			rec := service.Send(t, op.Method, address+"?example="+e.Case, "", e.Body)
			for _, c := range codes {
				if c.Title != "Command line" {
					all[c.Title] = append(all[c.Title], one{op.ID + " " + e.Case, c.Source, rec.Body.Bytes(), file})
				}
			}
		}
	}
	for title, tool := range tools {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			if len(all[title]) < 80 {
				t.Fatalf("only %d examples", len(all[title]))
			}
			var code []string
			for _, x := range all[title] {
				code = append(code, x.code)
			}
			for i, ran := range tool.Run(t, code) {
				x, got := all[title][i], []byte(ran.Out)
				if x.file {
					var err error
					if got, err = os.ReadFile(filepath.Join(ran.Dir, "answer.pdf")); err != nil {
						t.Error(err)
					}
				}
				if ran.Failed != "" || !same(got, x.want) {
					t.Errorf("%s: %s\n%s\nprints\n%.2000s\nthe engine answers\n%.2000s", x.name, ran.Failed, x.code, got, x.want)
				}
			}
		})
	}
}

// same compares two answers, JSON by its values.
func same(a, b []byte) bool {
	var x, y any
	a, b = requestID.ReplaceAll(a, noID), requestID.ReplaceAll(b, noID)
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	return reflect.DeepEqual(x, y)
}

// TestKey looks at what a request for data shows instead of the invented one.
func TestKey(t *testing.T) {
	t.Parallel()
	for _, op := range apitest.Operations(t) {
		for _, c := range snippet.Of(&op, "https://grants.example.org", snippet.Key) {
			keyed := strings.Contains(c.Source, snippet.Key)
			token := strings.Contains(c.Source, "GRANTGRAPH_ADMIN_TOKEN")
			if strings.Contains(c.Source, "example=") || strings.Contains(c.Source, `"example":`) ||
				token != (op.Access == api.Admin) || keyed != (op.Access != api.Open && op.Access != api.Admin) {
				t.Errorf("%s, which is for %s:\n%s", op.ID, op.Access, c.Source)
			}
		}
	}
}

// TestReport verifies a report, which is too long to paste, from a file.
func TestReport(t *testing.T) {
	t.Parallel()
	paste.Needs(t, "curl")
	service := apitest.New(t)
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	all := apitest.Operations(t)
	op := &all[slices.IndexFunc(all, func(op api.Operation) bool { return op.ID == "verifyReport" })]
	kept, err := json.Marshal(op.Examples[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	saved := map[string]string{
		"curl":       "cat > report.json <<'END'\n" + op.Examples[0].Body + "\nEND\n",
		"Python":     "open('report.json', 'w').write(" + string(kept) + ")\n",
		"JavaScript": "require('fs').writeFileSync('report.json', " + string(kept) + ");\n",
	}
	for _, c := range snippet.Of(op, server.URL, snippet.Key) {
		if tool, ok := tools[c.Title]; ok {
			if ran := tool.Run(t, []string{saved[c.Title] + c.Source})[0]; ran.Failed != "" || !strings.Contains(strings.ReplaceAll(ran.Out, `": "`, `":"`), `"status":"valid"`) {
				t.Errorf("%s%s", ran.Failed, ran.Out)
			}
		}
	}
}

// heard is a request as it arrives.
type heard struct {
	Method, Path, Key string
	Query             url.Values
	Body              any
}

// TestQuoting sends values that mean something to a shell, a language or an
// address through the real ones: they arrive as they were given.
func TestQuoting(t *testing.T) {
	t.Parallel()
	paste.Needs(t, "curl")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := heard{r.Method, r.URL.EscapedPath(), r.Header.Get("X-API-Key"), r.URL.Query(), nil}
		if raw, _ := io.ReadAll(r.Body); len(raw) > 0 {
			if err := json.Unmarshal(raw, &h.Body); err != nil {
				h.Body = err.Error()
			}
		}
		_ = json.NewEncoder(w).Encode(h)
	}))
	t.Cleanup(server.Close)
	random := rand.New(rand.NewPCG(1, 2))
	values := slices.Clone(hostile)
	for range 60 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(hostile[random.IntN(len(hostile))])
		}
		values = append(values, b.String())
	}
	var requests []snippet.Request
	for i, v := range values {
		body, err := json.Marshal(map[string]any{"text": v, v: []any{v, true, nil, i}, "more": map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests,
			snippet.Request{Method: "GET", Base: server.URL, Path: "/x/" + url.PathEscape(v), Query: [][2]string{{"a", v}, {"b", "1"}}, Key: "A_KEY"},
			snippet.Request{Method: "POST", Base: server.URL, Path: "/x", Query: [][2]string{{"a", v}, {"a", "2"}, {"__proto__", v}}, Body: string(body)},
			snippet.Request{Method: "DELETE", Base: server.URL, Path: "/x", Query: [][2]string{{v, v}}})
	}
	for _, body := range []string{`[]`, `{}`, `"x"`, `-1.50`, `{"a":12345678901234567890,"b":1e400}`, `{"a":{"__proto__":[1]}}`, `[[[]],{"a":[{}]}]`, `"@file"`} {
		requests = append(requests, snippet.Request{Method: "POST", Base: server.URL, Path: "/", Body: body})
	}
	code := map[string][]string{}
	for _, r := range requests {
		for _, c := range r.Code() {
			code[c.Title] = append(code[c.Title], c.Source)
		}
	}
	for title, tool := range tools {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			for i, ran := range tool.Run(t, code[title], "A_KEY=a 'key'") {
				r := requests[i]
				want := heard{Method: r.Method, Path: r.Path, Query: url.Values{}}
				for _, p := range r.Query {
					want.Query.Add(p[0], p[1])
				}
				if r.Key != "" {
					want.Key = "a 'key'"
				}
				if r.Body != "" {
					if json.Unmarshal([]byte(r.Body), &want.Body) != nil {
						continue // a number that nobody has; that it is sent is enough
					}
				}
				var got heard
				if err := json.Unmarshal([]byte(ran.Out), &got); err != nil || ran.Failed != "" || !reflect.DeepEqual(got, want) {
					t.Errorf("%v %s\n%s\narrives as %+v, not as %+v", err, ran.Failed, code[title][i], got, want)
				}
			}
		})
	}
}

// hostile are texts that are easily read as something else.
var hostile = []string{
	"", "plain", "two words", "'", `"`, "`id`", "$HOME", "$(id)", "${x}", `\`, `\n`, `\'`, "\n", "\r\n", "\t", "\x01", "\x7f", "!!", "#", ";", "&", "|", "<x>", "*", "?", "~",
	"[1-3]", "{a,b}", "{", "%", "%41", "%s", "+", "a,b", "a=b", "@file", "-x", "--data", "/../x", "//", "é", "灯台", "🏛️", "\u2028", "\u00a0", "\ufeff", "\u202e", `"""`, "'''", "*/", "</script>", "\\u0041", "${`x`}",
}

// FuzzQuoting reads the literals back by the rules of each language.
func FuzzQuoting(f *testing.F) {
	for _, v := range hostile {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		if strings.ToValidUTF8(v, "") != v {
			t.Skip("no text") // and never a value, which the API refuses
		}
		body, err := json.Marshal(map[string]string{"text": v})
		if err != nil {
			t.Fatal(err)
		}
		r := snippet.Request{Method: "POST", Base: "http://h", Path: "/", Query: [][2]string{{"a", v}}, Body: string(body)}
		for _, c := range r.Code() {
			var found []string
			switch c.Language {
			case "bash":
				words, err := split(c.Source)
				if err != nil {
					t.Fatalf("%v: %s", err, c.Source)
				}
				for _, w := range words {
					if u, err := url.Parse(w); err == nil && u.Query().Has("a") {
						found = append(found, u.Query().Get("a"))
					}
					var got struct{ Text *string }
					if json.Unmarshal([]byte(w), &got) == nil && got.Text != nil {
						found = append(found, *got.Text)
					}
				}
			default:
				// A literal of both languages is one of JSON, so a line with one ends
				// where JSON says that it does.
				for _, name := range []string{`"a": `, `"text": `} {
					_, rest, _ := strings.Cut(c.Source, name)
					var got string
					if err := json.NewDecoder(strings.NewReader(rest)).Decode(&got); err != nil {
						t.Fatalf("%v: %s", err, c.Source)
					}
					found = append(found, got)
				}
			}
			if len(found) != 2 || found[0] != v || found[1] != v {
				t.Fatalf("%q becomes %q in\n%s", v, found, c.Source)
			}
		}
	})
}

// split takes a command apart as a shell does, as far as these commands go:
// words, single quotes, and a backslash before a quote or at the end of a line.
func split(line string) (words []string, err error) {
	var word strings.Builder
	in, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\'':
			quoted = false
		case quoted:
			word.WriteByte(c)
		case c == '\'':
			in, quoted = true, true
		case c == '\\' && i+1 < len(line) && line[i+1] == '\'':
			in = true
			word.WriteByte('\'')
			i++
		case c == '\\' && i+1 < len(line) && line[i+1] == '\n':
			i++
		case c == ' ' || c == '\n':
			if in {
				words = append(words, word.String())
			}
			word.Reset()
			in = false
		case strings.IndexByte("$`\"\\;&|<>()*?[]{}#~!", c) >= 0:
			return nil, fmt.Errorf("%q is not quoted", c)
		default:
			in = true
			word.WriteByte(c)
		}
	}
	if quoted || in {
		return nil, fmt.Errorf("it does not end")
	}
	return words, nil
}
