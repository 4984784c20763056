package changes

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot/lists"
)

func allWords() (words []string) {
	for _, name := range lists.Names() {
		for _, word := range change.Words(name) {
			if word != change.Delisted && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return slices.Concat(words, []string{change.Delisted}, change.Words(change.Matches))
}

// sourceOf is the list of a change on the wire. Matches belong to the sanctions list.
func sourceOf(list string) string {
	if list == change.Matches {
		return lists.OFAC
	}
	return list
}

// Bounds of looking for organizations by a name that is new on the sanctions list.
const (
	mostLooked     = 50 // names in a page
	mostCandidates = 10 // organizations for each
)

// matches are the organizations that a name on the sanctions list may mean. The search finds candidates by the name, and a
// candidate counts when screening its name finds the entity. It is nil when the search or the screening is out of service.
func (p Parts) matches(ctx context.Context, c *api.Call, x *change.ListChange) ([]client.SanctionsNameMatch, error) {
	names := p.Names(c.Data)
	if names == nil {
		return nil, nil
	}
	found, err := names.Search(ctx, search.Ask{Text: x.Name, Mode: search.Text, Limit: mostCandidates})
	if err != nil {
		return nil, err
	}
	list := []client.SanctionsNameMatch{}
	for _, org := range found.Results {
		block := p.Screener(c.Data).ScreenName(client.ScreenedName{Name: org.Name}, nil, p.Clock()).Compliance.OFACSanctionsScreen
		if !block.Screened {
			return nil, nil
		}
		for _, m := range block.PotentialMatches {
			if strconv.FormatInt(m.EntNum, 10) == x.Reference {
				list = append(list, client.SanctionsNameMatch{EIN: org.EIN.String(), Name: org.Name, Score: m.Score})
			}
		}
	}
	return list, nil
}

func (p Parts) planLists(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	sources, words := c.Params.Choices("source"), c.Params.Choices("change")
	s, err := p.read(c)
	if err != nil {
		return nil, err
	}
	slices.Sort(sources)
	slices.Sort(words)
	// The edition is part of the question: another edition has other rows, so a cursor of this one must not be used there.
	asked := []byte(strings.Join([]string{s.edition, p.edition(c), strings.Join(sources, ","), strings.Join(words, ",")}, " "))
	offset, limit, err := c.ReadPage(asked)
	if err != nil {
		return nil, err
	}
	c.Question = fmt.Sprintf("%s %d %d", asked, offset, limit)
	c.Weight = int64(limit)*rowWeight + p.Log(c.Data).Weight(s.edition)
	return func(ctx context.Context) (client.Answer, error) {
		rows, hits, looked := []client.ListChange{}, 0, 0
		if p.compared(c, s) {
			found, _ := p.Log(c.Data).Since(s.edition)
			for _, t := range found.Lists {
				switch {
				case t.Compared || len(sources) > 0 && !slices.Contains(sources, sourceOf(t.Name)):
				case t.Name == change.Matches:
					c.Caveat("source", "Potential matches with the sanctions list are not known for one of the editions, or were found by names from other "+
						"lists, so none are reported.")
				default:
					c.Caveat("source", "The list "+t.Name+" was not loaded in one of the editions, so nothing is reported about its changes.")
				}
			}
			for i := range found.List {
				x := &found.List[i]
				if len(sources) > 0 && !slices.Contains(sources, sourceOf(x.List)) || len(words) > 0 && !slices.Contains(words, x.Change) {
					continue
				}
				if hits++; hits <= offset || len(rows) == limit {
					continue
				}
				row := p.listRow(c, x)
				if x.List == lists.OFAC && x.Change != change.Delisted && looked < mostLooked {
					looked++
					alike, err := p.matches(ctx, c, x)
					if err != nil {
						return nil, err
					}
					row.Matches = &alike
				}
				rows = append(rows, row)
			}
		}
		list := api.ListOf(c, asked, rows, int64(hits), offset, limit)
		list.Tail = c.Tail()
		return list, nil
	}, nil
}

func (p Parts) listRow(c *api.Call, x *change.ListChange) client.ListChange {
	row := client.ListChange{Source: sourceOf(x.List), Change: x.Change, Was: api.OrNull(x.Was), Name: api.OrNull(x.Name), Reference: api.OrNull(x.Reference)}
	if !change.ByName(x.List) {
		row.EIN = api.OrNull(x.EIN.String())
		row.Name, row.City, row.State, row.URL = p.whois(c, x.EIN)
	}
	if m := x.Match; m != nil {
		row.MatchedName, row.QueryName, row.Score, row.Strength = &m.Listed, &m.Name, &m.Score, &m.Strength
	}
	return row
}
