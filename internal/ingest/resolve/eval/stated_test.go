package eval

import (
	"iter"
	"testing"

	"grantgraph/internal/snapshot"
)

// TestStated counts lines that agree with the only stated EIN, that do not, and that are not linked.
func TestStated(t *testing.T) {
	t.Parallel()
	line := func(funder, name, state, ein, rule string) snapshot.Grant {
		return snapshot.Grant{FunderEIN: funder, RecipientRaw: name, RecipientState: state, RecipientEIN: ein, EINSource: rule, Amount: 10}
	}
	person := line("3", "LANTERN HOUSE", "OH", "", "")
	person.IsIndividual = true
	lines := []snapshot.Grant{
		line("1", "LANTERN HOUSE INC", "OH", "070000001", "filed"), line("2", "Lantern House", "OH", "070000001", "filed"),
		line("3", "LANTERN HOUSE", "OH", "070000001", "registry"), line("3", "LANTERN HOUSE", "OH", "070000009", "street"),
		line("3", "LANTERN HOUSE", "OH", "", ""), line("3", "LANTERN HOUSE", "PA", "", ""), person,
		line("1", "PIER SIX", "OH", "070000002", "filed"), line("2", "PIER SIX", "OH", "070000003", "filed"), line("3", "PIER SIX", "OH", "", ""),
		line("1", "HILL CHAPEL", "OH", "070000004", "filed"), line("3", "HILL CHAPEL", "OH", "070000005", "name"),
		line("4", "GIVING FUND", "OH", "4", "filed"),
	}
	orgs := []snapshot.Organization{{EIN: "070000005", Name: "HILL CHAPEL INC", Sources: snapshot.SourceBMF}, {EIN: "070000004", Name: "HILL CHAPEL", Sources: snapshot.SourceLine}}
	res, err := stated(func() iter.Seq2[snapshot.Grant, error] { return each(lines) }, each(orgs))
	if err != nil {
		t.Fatal(err)
	}
	if res.Names != 2 || res.Linked != 3 || res.Disagree != 2 || res.Unlinked != 1 || res.UnlinkedPaid != 10 || len(res.Open) != 1 || len(res.Rules) != 3 {
		t.Errorf("%+v", res)
	}
	for _, d := range res.Disagreements {
		want := map[string]string{
			"name":   "a register has the name for the one found; the stated EIN is in no register",
			"street": "the stated EIN belongs to an organization with another name",
		}[d.Rule]
		if d.Why != want {
			t.Errorf("%+v, want %s", d, want)
		}
	}
	if !res.Gates[0].Pass {
		t.Errorf("%+v", res.Gates)
	}
}
