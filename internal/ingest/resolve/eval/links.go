package eval

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"

	"grantgraph/internal/grant"
	"grantgraph/internal/hash"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/snapshot"
)

const drawnLinks = 100

// Draw is a list of links for people to judge: the largest, or links of one rule drawn at random.
type Draw struct {
	Rule  string  `json:"rule,omitempty"` // empty for the largest
	Of    int     `json:"of"`             // links of this kind
	Drawn int     `json:"drawn"`
	Mean  float64 `json:"claimed"` // mean probability of those drawn
	Links []*Link `json:"-"`
}

// Link is what lines of one name and place lead to.
type Link struct {
	Name, City, State, ZIP, EIN, Rule string
	Prob                              float64
	Lines                             int
	Dollars                           int64
	Found                             *snapshot.Organization
}

// DrawLinks draws the links of a snapshot that rules have made. The same seed draws the same links.
func DrawLinks(s *snapshot.Snapshot, seed uint64) ([]*Draw, error) {
	by := map[Link]*Link{}
	for g, err := range snapshot.Rows[snapshot.Grant](s, snapshot.Grants) {
		if err != nil {
			return nil, err
		}
		if rule, _ := grant.ParseRule(g.EINSource); rule <= grant.OverrideKeyError {
			continue
		}
		key := Link{Name: g.RecipientRaw, City: g.RecipientCity, State: g.RecipientState, ZIP: g.RecipientZIP, EIN: g.RecipientEIN, Rule: g.EINSource}
		l := by[key]
		if l == nil {
			l = &key
			by[key] = l
		}
		l.Lines, l.Dollars, l.Prob = l.Lines+1, l.Dollars+g.Amount, max(l.Prob, g.MatchProb)
	}
	ticket := func(l *Link) uint64 {
		return hash.Parts(hash.Start, strconv.FormatUint(seed, 10), l.Name, l.City, l.State, l.ZIP, l.EIN, l.Rule)
	}
	all := slices.SortedFunc(maps.Values(by), func(a, b *Link) int { return cmp.Compare(ticket(a), ticket(b)) })
	largest := slices.SortedFunc(slices.Values(all), func(a, b *Link) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(a.Name, b.Name), cmp.Compare(a.State, b.State),
			cmp.Compare(a.City, b.City), cmp.Compare(a.ZIP, b.ZIP), cmp.Compare(a.EIN, b.EIN), cmp.Compare(a.Rule, b.Rule))
	})
	draws := []*Draw{{Links: largest}}
	for _, rule := range []grant.Rule{grant.Address, grant.ZIP, grant.Street, grant.Model} {
		of := slices.DeleteFunc(slices.Clone(all), func(l *Link) bool { return l.Rule != rule.String() })
		draws = append(draws, &Draw{Rule: rule.String(), Links: of})
	}
	shown := map[string][]*Link{}
	for _, d := range draws {
		d.Of = len(d.Links)
		d.Links = d.Links[:min(d.Of, drawnLinks)]
		d.Drawn = len(d.Links)
		for _, l := range d.Links {
			d.Mean += l.Prob / float64(d.Drawn)
			shown[l.EIN] = append(shown[l.EIN], l)
		}
	}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			return nil, err
		}
		for _, l := range shown[o.EIN] {
			l.Found = &o
		}
	}
	return draws, nil
}

func PrintLinks(w io.Writer, draws []*Draw, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("links"), draws, draws, onlyJSON)
}
