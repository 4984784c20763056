package organization_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/site/frame"
)

// TestCompare puts organizations side by side, and checks against the graph what
// they have in common.
func TestCompare(t *testing.T) {
	t.Parallel()
	p := open(t)
	top, _, err := p.set.Graph.Funders(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 6})
	if err != nil || len(top) < 6 {
		t.Fatal(err)
	}
	var eins []string
	var list []ein.EIN
	for _, f := range top {
		eins, list = append(eins, f.EIN.String()), append(list, f.EIN)
	}
	path := "/compare?ein=" + strings.Join(eins[:5], ",")
	page := p.get(t, path)
	page.want(t, path, 200, "You are comparing five organizations.")
	shared, err := neighbors.ReadShared(t.Context(), p.set.Graph, list[:5], graph.Gave, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range top[:5] {
		page.want(t, path, 200, "<b>"+frame.Short(f.Total)+"</b>", orgname.Display(f.Name), `aria-label="Remove `+orgname.Display(f.Name)+`"`,
			"/compare?ein="+strings.Join(append(append([]string{}, eins[:i]...), eins[i+1:5]...), ","))
		for j, n := range shared.Counts[i] {
			if i != j {
				page.want(t, path, 200, "<td>"+money.Grouped(n)+"</td>")
			}
		}
	}
	first := shared.Parties[0]
	page.want(t, path, 200, orgname.Display(first.Name), "By year, as a table or a file")
	for i, b := range first.By {
		if b.Grants > 0 {
			page.want(t, path, 200, "/explore?funder_id="+eins[i]+"&recip_id="+first.EIN.String()+`">`+money.Dollars(b.Amount)+"</a>")
		}
	}
	for path, want := range map[string]string{
		"/compare?ein=" + strings.Join(eins, ","):                         "Up to five organizations can be compared; one was left out.",
		"/compare?ein=" + strings.Join(eins[:5], ",") + "&add=" + eins[5]: "You can compare up to five organizations. Remove one",
		"/compare?ein=12,abc":                                             "“abc” is not an EIN",
		"/compare?ein=" + url.QueryEscape("<script>alert(1)</script>"):    "is not an EIN",
		"/compare?ein=999999998":                                          "No organization with the EIN 99-9999998 is known.",
		"/compare?add=999999998":                                          "No organization with the EIN 99-9999998 is known.",
		"/compare?add=" + strings.Repeat("x", 201):                        "too long to be a name",
	} {
		page := p.get(t, path)
		page.want(t, path, 422, want)
	}
	if body := p.get(t, "/compare?ein="+url.QueryEscape("<script>alert(1)</script>")).body; strings.Count(body, "<script>") > 0 && !strings.Contains(body, "“<script>") {
		t.Error("what was typed is markup")
	}
	// Repeated parameters and repeated organizations give one list.
	p.get(t, fmt.Sprintf("/compare?ein=%s,%s&ein=%s", eins[0], eins[0], eins[1])).want(t, path, 200, `name="ein" value="`+eins[0]+","+eins[1]+`"`)
	p.get(t, "/compare").want(t, path, 200, "Compare organizations")
	added := p.get(t, "/compare?ein="+eins[0]+"&add="+top[1].EIN.Hyphenated())
	if added.status != 303 || added.header.Get("Location") != "/compare?ein="+eins[0]+","+eins[1] {
		t.Errorf("adding an EIN: %d %v", added.status, added.header)
	}
	if named := p.get(t, "/compare?ein="+eins[0]+"&add="+url.QueryEscape(top[1].Name)); named.status != 303 || named.header.Get("Location") != added.header.Get("Location") {
		t.Errorf("adding a name: %d %v", named.status, named.header)
	}
	word, _, _ := strings.Cut(top[1].Name, " ")
	p.get(t, "/compare?ein="+eins[0]+"&add="+url.QueryEscape(word)).want(t, path, 200, "Which one?", "/compare?ein="+eins[0]+",", "/search?q=")
	p.get(t, "/compare?add=zzqxv+wwkjq").want(t, path, 200, "We found no organization with that name.")
}
