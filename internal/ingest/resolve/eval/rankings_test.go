package eval

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"grantgraph/internal/snapshot"
)

func each[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// TestRank ranks a handful of lines, of which some name somebody else.
func TestRank(t *testing.T) {
	t.Parallel()
	line := func(ein, name, state, rule string, prob float64, amount int64) snapshot.Grant {
		id := ein
		if ein == "" {
			id = "n:" + name
		}
		return snapshot.Grant{RecipID: id, RecipientEIN: ein, RecipientRaw: name, RecipientState: state, EINSource: rule, MatchProb: prob, Amount: amount}
	}
	person := line("", "DANA QUILLFEATHER", "OH", "", 0, 9000)
	person.IsIndividual = true
	nobody := line("", "SEE ATTACHED", "OH", "", 0, 8000)
	nobody.IsUnidentified = true
	lines := []snapshot.Grant{
		line("070000001", "Lantern House", "OH", "name", 0.97, 100),
		line("070000001", "LANTERN HOUSE AKRON", "OH", "model", 0.8, 50),
		line("070000001", "LHA", "OH", "model", 0.7, 40),
		line("070000001", "WINDWARD RELIEF FUND", "OH", "model", 0.6, 500),
		line("070000001", "LANTERN PRESS", "PA", "model", 0.6, 30),
		line("070000002", "MARSH WARBLER TRUST", "PA", "street", 0.834, 300),
		line("070000003", "SOMETHING ELSE", "PA", "filed", 0.995, 200),
		line("", "UNKNOWN SOCIETY", "NY", "", 0, 250),
		person, nobody,
	}
	orgs := []snapshot.Organization{
		{EIN: "070000001", Name: "LANTERN HOUSE OF AKRON INC", AlsoKnown: []string{"LIGHT HOUSE OF ADULTS"}, City: "AKRON", State: "OH"},
		{EIN: "070000002", Name: "HARBOR LIGHTS", City: "ERIE", State: "PA"},
		{EIN: "070000003", Name: "PIER SIX", City: "ERIE", State: "PA"},
	}
	res, err := rank(func() iter.Seq2[snapshot.Grant, error] { return each(lines) }, each(orgs))
	if err != nil {
		t.Fatal(err)
	}
	if res.Individuals != 9000 || res.Unsaid != 8000 || len(res.Lists) != 4 {
		t.Fatalf("%+v", res)
	}
	nation := res.Lists[0]
	if nation.Place != "" || nation.Dollars != 1470 || len(nation.Rows) != 4 || nation.Rows[0].EIN != "070000001" {
		t.Fatalf("%+v", nation)
	}
	first := nation.Rows[0]
	if first.Dollars != 720 || first.Unnamed != 500 || first.Partly != 30 || first.Lines != 5 || first.Names[0].Name != "WINDWARD RELIEF FUND" {
		t.Errorf("%+v", first)
	}
	if res.Lists[1].Place != "OH" || res.Lists[1].Rows[0].Dollars != 690 {
		t.Errorf("%+v", res.Lists[1])
	}
	var text, line1 strings.Builder
	if err := errors.Join(res.Print(&text, false), res.Print(&line1, true)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Nation: $1,470", "LANTERN HOUSE OF AKRON INC (070000001), AKRON OH: $720, lines: 5, NOT NAMED: $500, in part: $30",
		"?             $500  model             0.600", "~             $200  filed", "/              $30  model", "UNKNOWN SOCIETY (no EIN)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "QUILLFEATHER") {
		t.Error("a person is named")
	}
	var s rankingsSummary
	if err := json.Unmarshal([]byte(line1.String()), &s); err != nil {
		t.Fatal(err)
	}
	if s.Ranked != 3+1+3 || s.NeverNamed != 2 || s.MostlyUnnamed != 4 || s.UnnamedDollars != 800 || len(s.Doubts) != 4 {
		t.Errorf("%+v", s)
	}
}
