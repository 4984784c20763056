package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/golden"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/serve/site/explore"
)

// writeTables holds the generated parts of a page against what they should be,
// in their order.
func writeTables(t *testing.T, page string, tables ...string) {
	t.Helper()
	text := []byte(textOf(t, page))
	n := 0
	want := generated.ReplaceAllFunc(text, func(old []byte) []byte {
		m := generated.FindSubmatch(old)
		if n++; n > len(tables) {
			return old
		}
		return []byte(string(m[1]) + "\n" + tables[n-1] + "\n" + string(m[2]))
	})
	if n != len(tables) {
		t.Fatalf("%s has places for %d tables, and there are %d", page, n, len(tables))
	}
	golden.Check(t, page, string(want))
}

// limit is a bound that a page states. One that its package keeps to itself is
// looked up where it is defined.
type limit struct {
	what, value string
	room, name  string // of the constant: a package or a file below internal/serve
	is          string // as it is written there
}

// sizes, spans and visits are the bounds of docs/guide/limits.md.
var (
	sizes = []limit{
		{"Rows per page of grants, funders or recipients (`limit`)", "1,000", "api/parameters.json", `"limit", "type": "integer", "min": 1, "cap": `, "1000"},
		{"EINs in `funder_id` or `recip_id`", "1,000", "graph", "maxEINs", "1000"},
		{"Keys in `grant_key`", "1,000", "graph", "maxKeys", "1000"},
		{"Groups in a summary (`top`)", "1,000", "graph", "MaxGroups", "1000"},
		{"Miles in `within`", "500", "graph", "maxMiles", "500"},
		{"Organizations per page of `POST /essentials` (`size`)", "1,000", "api/organizations", "maxSize", "1000"},
		{"Bytes in `search_terms`", "200", "api/organizations", "maxTerms", "200"},
		{"Awards per page of `/gov-funding`", "1,000", "api/profiles/operations.json", `"limit", "type": "integer", "min": 1, "cap": `, "1000"},
		{"EINs in one `POST /screening/bulk`", "100", "api/screening", "maxEINs", "100"},
		{"Names in one `POST /screening/names`", "100", "api/screening", "maxNames", "100"},
		{"Size of a report for `POST /screening/verify`", "2 MB", "api/screening", "maxDocument", "2 << 20"},
		{"Rows in a SQL result", "2,000; `truncated` is true if there were more", "sqlbox", "maxRows", "2000"},
		{"Size of a SQL result", "16 MB", "sqlbox", "maxBytes", "16 << 20"},
		{"Parameters in a request", "100", "api", "maxParameters", "100"},
		{"Items in any other list", "200", "api", "maxList", "200"},
		{"Length of a URL, including the query string", "64 KB", "api", "maxURI", "64 << 10"},
		{"Keys per account", "10", "account", "mostKeys", "10"},
	}
	spans = []limit{
		{"A request", "30 seconds", "api", "timeout", "30 * time.Second"},
		{"Running a SQL query", "30 seconds", "sqlbox", "o.Timeout, ", "30*time.Second"},
		{"SQL queries at the same time, for all keys of an account", "2", "sqlbox", "PerOwner, ", "2"},
		{"Pause in reading the answer before we close the connection", "10 seconds", "api", "c.Patience, ", "10*time.Second"},
		{"Sending the body of a request", "5 seconds, plus a second for every 16 KiB received; 30 seconds in total", "budget", "bodyLongest", "30 * time.Second"},
	}
	visits = []limit{
		{"Lists per account on `/lists`", "50", "account", "MostLists", "50"},
		{"Organizations in a list", "5,000", "account", "MostMembers", "5000"},
		{"Organizations side by side on `/compare`", "5", "site/organization", "mostCompared", "5"},
		{"Free questions per day on `/ask`, for each visitor", "3", "account", "FreeQuestions", "3"},
		{"Free questions per day on `/ask`, for all visitors from one network address", "30", "account", "AddressQuestions", "30"},
		{"Names per request to `/reconcile` without a key", "10", "reconcile", "FreeBatch", "10"},
		{"Names per request to `/reconcile` with a key", "50", "reconcile", "KeyBatch", "50"},
		{"Names per day sent to `/reconcile` without a key, from one network", "1,000", "account", "FreeNames", "1_000"},
		{"Length of a page's URL", "8 KB", "site", "longestAddress", "8 << 10"},
	}
)

// sourceOf reads a file, or the Go files of a package without its tests.
func sourceOf(t *testing.T, room string) string {
	t.Helper()
	if filepath.Ext(room) != "" {
		return textOf(t, room)
	}
	files, err := filepath.Glob(filepath.Join(room, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			b.WriteString(textOf(t, file))
		}
	}
	return b.String()
}

// tableOf writes bounds, and looks each up.
func tableOf(t *testing.T, head string, list []limit) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | At most |\n|---|---|\n", head)
	for _, l := range list {
		fmt.Fprintf(&b, "| %s | %s |\n", l.what, l.value)
		source := sourceOf(t, filepath.Join("../../internal/serve", l.room))
		defined := regexp.MustCompile(`(?m)` + regexp.QuoteMeta(l.name) + `(?:\s*=\s*)?` + regexp.QuoteMeta(l.is) + `\b`)
		if !defined.MatchString(source) {
			t.Errorf("%s: %s is not %s in %s; correct this test and regenerate the page", l.what, l.name, l.is, l.room)
		}
	}
	return b.String()
}

// tiersTable is what the keys of agents allow.
func tiersTable() string {
	shown := map[account.Tier]string{
		account.Anonymous: "answers to a challenge", account.Signed: "a signature by a key in the agent's directory",
		account.Attested: "also a signature by that key on the directory itself", account.Trusted: "a host trusted by the operator",
	}
	var b strings.Builder
	b.WriteString("| Tier | The agent provides | Lifetime | Calls | Rows per page |\n|---|---|---|---|---|\n")
	for _, x := range account.Tiers() {
		calls := thousands(x.Calls) + " total"
		if x.Tier == account.Anonymous {
			calls = fmt.Sprintf("%d, and %d more for each further challenge", x.Calls, x.Calls)
		}
		days := int(x.Lifetime / (24 * time.Hour))
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", x.Tier, shown[x.Tier], plural.Count(days, "day", "days"), calls, thousands(x.Rows))
	}
	return b.String()
}

func thousands(n int) string {
	text := fmt.Sprint(n)
	if len(text) > 3 {
		text = text[:len(text)-3] + "," + text[len(text)-3:]
	}
	return text
}

// TestLimitsPage holds the figures of the guides to limits and for agents
// against the program.
func TestLimitsPage(t *testing.T) {
	t.Parallel()
	opens := map[account.Plan]string{
		account.Free: "grants: `/grants/*`",
		account.Plus: "also the paid endpoints: screening, lists and profiles of organizations, SQL",
		account.Pro:  "also government funding, the Pro parts of profiles and the Pro tables",
	}
	var plans strings.Builder
	plans.WriteString("| Plan | Calls | Includes |\n|---|---|---|\n")
	for _, p := range account.Plans() {
		fmt.Fprintf(&plans, "| %s | %s a %s | %s |\n", p.Plan, thousands(p.Allowance), p.Window, opens[p.Plan])
	}
	pages := fmt.Sprintf("| Pages | At most |\n|---|---|\n| Pages that a visitor can open at once | %d, then %d per second; more for signed-in users |\n| Rows in a download | %s,000 |\n",
		site.Pages.Burst, int(time.Second/site.Pages.Every), thousands(explore.MostRows/1000)) +
		strings.TrimPrefix(tableOf(t, "Pages", visits), "| Pages | At most |\n|---|---|\n")
	writeTables(t, "../../docs/guide/limits.md", plans.String(), tiersTable(), tableOf(t, "Size", sizes), tableOf(t, "Time", spans), pages)
	writeTables(t, "../../docs/guide/agents.md", tiersTable())
}

// TestCandidPage holds the tables of the guide against the map that /meta has.
func TestCandidPage(t *testing.T) {
	t.Parallel()
	const page = "../../docs/guide/candid.md"
	answer := apitest.Unmarshal[struct {
		Compatibility client.Compatibility `json:"candid_compatibility"`
	}](t, apitest.New(t).Get(t, "GET", "/api/v1/meta", ""))
	c := answer.Compatibility
	table := func(list []client.Mapping) string {
		var b strings.Builder
		b.WriteString("| Theirs | Here | Status | Note |\n|---|---|---|---|\n")
		word := func(s *string) string {
			if s == nil {
				return "–"
			}
			return "`" + *s + "`"
		}
		for _, m := range list {
			status := m.Status
			if status == "service" {
				status = "only here"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", word(m.External), word(m.Service), status, m.Note)
		}
		return b.String()
	}
	writeTables(t, page, table(c.Endpoints), table(c.GrantParameters), table(c.EssentialsFilters))

	// The fields on the right are those of a row.
	text := textOf(t, page)
	_, rows, _ := strings.Cut(text, "| Theirs | Here | Differs |\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	quoted := regexp.MustCompile("`([^`]+)`")
	n := 0
	for _, line := range strings.Split(rows, "\n")[1:] {
		for _, m := range quoted.FindAllStringSubmatch(strings.Split(line, "|")[2], -1) {
			n++
			if !hasPath(reflect.TypeFor[grants.GrantRow](), m[1]) {
				t.Errorf("a grant has no %s", m[1])
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d fields are mapped", n)
	}
}

// TestGlossary writes the tables of the glossary from the program: how recipients
// are identified, and what the letters of the NTEE mean.
func TestGlossary(t *testing.T) {
	t.Parallel()
	means := map[grant.Rule]string{
		grant.Filed: "the filer gave the EIN", grant.OverrideHuman: "a person decided", grant.OverrideKeyError: "the filed EIN has one typo; the name identifies the organization",
		grant.Name: "only one organization in the state has exactly this name", grant.RegistryDominant: "several organizations have the name, and filers nearly always mean this one", grant.Fuzzy: "one letter differs from a name in the same ZIP code",
		grant.OverrideLLM: "a language model proposed the organization", grant.Registry: "other filers gave this EIN with the name", grant.Address: "same address, and most of the name matches", grant.ZIP: "several organizations in the state have the name, and only this one is in the ZIP code or town",
		grant.Street: "the only organization at the address", grant.Model: "the model chose among likely organizations",
	}
	var rules strings.Builder
	rules.WriteString("| `ein_source` | `match_prob` | Means |\n|---|---|---|\n")
	for _, r := range grant.Rules() {
		prob := fmt.Sprint(r.Prob())
		if r == grant.Model {
			prob = "varies"
		}
		if means[r] == "" {
			t.Errorf("no text explains %s", r)
		}
		fmt.Fprintf(&rules, "| `%s` | %s | %s |\n", r, prob, means[r])
	}
	var causes strings.Builder
	causes.WriteString("| Letter | Cause |\n|---|---|\n")
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if label := ntee.Label(letter); label != "" {
			fmt.Fprintf(&causes, "| %c | %s |\n", letter, label)
		}
	}
	writeTables(t, "../../docs/glossary.md", rules.String(), causes.String())
}
