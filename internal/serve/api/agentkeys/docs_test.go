package agentkeys_test

import (
	"encoding/json"
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	walkLine = regexp.MustCompile(`^(?:for n in ([0-9 ]+); do )?(curl .*?)(?:; done)?\s+# (\d+)(?: (\w+))?$`)
	word     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|\S+`)
)

// TestWalkPage runs the lines that docs/api.md shows for the keys of agents,
// one after the other, and holds the answers against what it says of them.
func TestWalkPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n## Keys for agents\n")
	_, rest, fenced := strings.Cut(rest, "```sh\n")
	script, _, _ := strings.Cut(rest, "```\n")
	if !found || !fenced {
		t.Fatal("the page has no lines for the keys of agents")
	}
	k := apitest.NewLive(t, nil)
	env := map[string]string{}
	var key string
	var challenge *client.AgentChallenge
	lines := 0
	for line := range strings.SplitSeq(script, "\n") {
		seconds, pause := strings.CutPrefix(line, "sleep ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "BASE="):
			env["BASE"] = k.Base + "/api/v1"
			continue
		case pause:
			n, err := strconv.Atoi(seconds)
			if err != nil {
				t.Fatal(err)
			}
			k.Clock.Forward(time.Duration(n) * time.Second)
			continue
		}
		m := walkLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("what does %q do?", line)
		}
		if strings.Contains(line, "$ANSWERS") {
			env["ANSWERS"] = list(t, k.Solve(key, challenge))
		}
		times := max(1, len(strings.Fields(m[1])))
		for range times {
			method, address, sent, body := "GET", "", "", ""
			words := word.FindAllString(m[2], -1)
			value := func(s string) string {
				if quoted, ok := strings.CutPrefix(s, "'"); ok {
					return strings.TrimSuffix(quoted, "'")
				}
				s = strings.ReplaceAll(strings.Trim(s, `"`), `\"`, `"`)
				return os.Expand(s, func(name string) string {
					v, ok := env[name]
					if !ok {
						t.Fatalf("%s is not set before %q", name, line)
					}
					return v
				})
			}
			for i := 1; i < len(words); i++ {
				switch words[i] {
				case "-X":
					i++
					method = words[i]
				case "-H":
					i++
					_, sent, _ = strings.Cut(value(words[i]), ": ")
				case "-d":
					i++
					body = value(words[i])
				default:
					address = value(words[i])
				}
			}
			got := k.Send(method, address, sent, body)
			lines++
			if got.APIKey != "" {
				key, env["KEY"] = got.APIKey, got.APIKey
			}
			if got.Challenge != nil {
				challenge = got.Challenge
				for i, c := range challenge.Calls {
					env["CALL_"+strconv.Itoa(i+1)] = c.URL
				}
				env["WRONG"] = list(t, apitest.WrongAnswers(challenge))
			}
			state := got.Error
			if state == "" {
				state = got.Status
			}
			if strconv.Itoa(got.StatusCode) != m[3] || state != m[4] {
				t.Fatalf("%s: %d %s %s", line, got.StatusCode, state, got.Text)
			}
		}
	}
	if lines < 25 {
		t.Errorf("only %d requests", lines)
	}
}

// list is a JSON list of texts.
func list(t *testing.T, texts []string) string {
	t.Helper()
	b, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
