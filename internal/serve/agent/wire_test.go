package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// page is the rows of a call as an agent reads them.
type page struct {
	Results []struct {
		RecipName   string  `json:"recip_name"`
		RecipEIN    *string `json:"recip_ein"`
		RecipID     string  `json:"recip_id"`
		FunderName  string  `json:"funder_name"`
		FunderEIN   string  `json:"funder_ein"`
		Amount      int64   `json:"amount"`
		TotalAmount int64   `json:"total_amount"`
		FirstYear   int     `json:"first_fiscal_year"`
		Purpose     *string `json:"purpose"`
	} `json:"results"`
	Service struct {
		Unsupported []string `json:"unsupported"`
	} `json:"x_service"`
}

// door lets everybody in and charges nothing.
type door struct{ api.Accounts }

func (door) Authenticate(context.Context, string) (account.KeyInfo, error) {
	return account.KeyInfo{ID: "pupil", Plan: account.Pro, Active: true}, nil
}

func (door) Balance(context.Context, string) (account.Balance, error) { return account.Balance{}, nil }
func (door) Charge(context.Context, string, int) (account.Balance, error) {
	return account.Balance{}, nil
}

// pupil answers challenges with nothing but what the service sends it.
type pupil struct{ service http.Handler }

func newPupil(t testing.TB) *pupil {
	t.Helper()
	data := &serve.Dataset{Manifest: snapshot.Manifest{Version: agent.Version}, Graph: agent.World(), Compliance: &lists.Current{}}
	h, err := serve.NewAPI(serve.API{Config: api.Config{BaseURL: "https://grants.example.org", Accounts: door{}, Acquire: func() (api.Dataset, func()) { return data, func() {} }}})
	if err != nil {
		t.Fatal(err)
	}
	return &pupil{h}
}

// read makes the calls of a challenge.
func (p *pupil) read(t testing.TB, c *agent.Challenge) []page {
	t.Helper()
	pages := make([]page, len(c.Calls))
	for i, call := range c.Calls {
		u, err := url.Parse(call.URL())
		if err != nil {
			t.Fatal(err)
		}
		if !c.Allows(call.Method, u.Path, u.Query()) {
			t.Fatalf("%s is not allowed", call.URL())
		}
		r := httptest.NewRequest(call.Method, call.URL(), nil)
		r.Header.Set("X-API-Key", "any")
		w := httptest.NewRecorder()
		p.service.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", call.URL(), w.Code, w.Body)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &pages[i]); err != nil {
			t.Fatal(err)
		}
		if len(pages[i].Service.Unsupported) > 0 {
			t.Fatalf("%s: %v did not run", call.URL(), pages[i].Service.Unsupported)
		}
	}
	return pages
}

var (
	askAmount   = regexp.MustCompile(`^In the rows of call 1, what is the amount, .* recip_name is "(.*)"\?$`)
	askReceiver = regexp.MustCompile(`^In the rows of call 1, which recipient got a grant of exactly \$([0-9,]+)\?`)
	askPurpose  = regexp.MustCompile(`^In the rows of call 1, what purpose is filed on row (\d+),`)
	askTotal    = regexp.MustCompile(`^In the rows of call 2, what is the total_amount, .* recipient on row (\d+),`)
	askShared   = regexp.MustCompile(`^Which organization is a recipient both in the rows of call 1 and in the rows of call 2\?`)
	askNewcomer = regexp.MustCompile(`^In the rows of call 3, which funder has the latest first_fiscal_year\?`)
	askGap      = regexp.MustCompile(`^In the rows of call 3, by how many whole dollars is the total_amount of row (\d+) larger than that of row (\d+),`)
)

// solve finds every answer that the pages give to a question.
func solve(t testing.TB, q agent.Question, pages []page) (family string, found []string) {
	t.Helper()
	number := func(s string) int {
		n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	grants, recipients, funders := pages[0].Results, pages[1].Results, pages[2].Results
	if m := askAmount.FindStringSubmatch(q.Text); m != nil {
		for _, g := range grants {
			if g.RecipName == m[1] {
				found = append(found, fmt.Sprint(g.Amount))
			}
		}
		return "A1", found
	}
	if m := askReceiver.FindStringSubmatch(q.Text); m != nil {
		for _, g := range grants {
			if g.Amount == int64(number(m[1])) {
				found = append(found, g.RecipName)
			}
		}
		return "A2", found
	}
	if m := askPurpose.FindStringSubmatch(q.Text); m != nil {
		return "A3", []string{*grants[number(m[1])-1].Purpose}
	}
	if m := askTotal.FindStringSubmatch(q.Text); m != nil {
		return "B1", []string{fmt.Sprint(recipients[number(m[1])-1].TotalAmount)}
	}
	if askShared.MatchString(q.Text) {
		seen := map[string]bool{}
		for _, g := range grants {
			for _, r := range recipients {
				if g.RecipID == r.RecipID && !seen[r.RecipID] {
					seen[r.RecipID] = true
					found = append(found, *r.RecipEIN)
				}
			}
		}
		return "X1", found
	}
	if askNewcomer.MatchString(q.Text) {
		latest := 0
		for _, f := range funders {
			latest = max(latest, f.FirstYear)
		}
		for _, f := range funders {
			if f.FirstYear == latest {
				found = append(found, f.FunderName)
			}
		}
		return "C1", found
	}
	if m := askGap.FindStringSubmatch(q.Text); m != nil {
		return "C2", []string{fmt.Sprint(funders[number(m[1])-1].TotalAmount - funders[number(m[2])-1].TotalAmount)}
	}
	t.Fatalf("what does %q mean?", q.Text)
	return "", nil
}

// TestSolvable draws two thousand challenges and answers them from the rows
// that the service sends, by a reading of the questions that knows nothing of
// how they are made.
func TestSolvable(t *testing.T) {
	t.Parallel()
	e, err := agent.NewExaminer(agent.Secret)
	if err != nil {
		t.Fatal(err)
	}
	p := newPupil(t)
	families, sizes := map[string]int{}, map[int]int{}
	for i := range 2000 {
		c, err := e.Draw(t.Context(), agent.World(), fmt.Sprint("key", i/3), 1+i%3, agent.Version)
		if err != nil {
			t.Fatal(err)
		}
		pages := p.read(t, c)
		answers := make([]string, len(c.Questions))
		text := ""
		calls := map[byte]bool{}
		for k, q := range c.Questions {
			family, found := solve(t, q, pages)
			if len(found) != 1 {
				t.Fatalf("%q has the answers %q", q.Text, found)
			}
			answers[k] = found[0]
			families[family]++
			if calls[family[0]] {
				t.Errorf("two questions about one call: %+v", c.Questions)
			}
			calls[family[0]] = true
			text += q.Text + "\n"
		}
		sizes[len(answers)]++
		if !c.Check(answers) {
			t.Fatalf("%+v: not %q", c.Questions, answers)
		}
		for k, right := range answers {
			if strings.Contains(strings.ToUpper(strings.ReplaceAll(text, ",", "")), strings.ToUpper(right)) {
				t.Errorf("%q tells %q", text, right)
			}
			if i%10 != 0 {
				continue
			}
			wrong := append([]string{}, answers...)
			for _, other := range []string{"", "0", "1", "12345", "some wording of mine", "Some Other Fund"} {
				if wrong[k] = other; c.Check(wrong) {
					t.Errorf("%q is accepted for %q", wrong, answers)
				}
			}
		}
	}
	for _, f := range []string{"A1", "A2", "A3", "B1", "C1", "C2", "X1"} {
		if families[f] < 20 {
			t.Errorf("family %s was drawn %d times in %v", f, families[f], families)
		}
	}
	if sizes[2] < 200 || sizes[3] < 200 || sizes[2]+sizes[3] != 2000 {
		t.Errorf("sizes %v", sizes)
	}
}
