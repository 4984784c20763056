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

// allWords are all changes that any list may have, each once.
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

// sourceOf is the list that a change is of, on the wire: whom the sanctions list
// may mean is told with it.
func sourceOf(list string) string {
	if list == change.Matches {
		return lists.OFAC
	}
	return list
}

func (p Parts) lists() api.Operation {
	return api.Operation{
		ID: "listComplianceChanges", Method: "GET", Path: "/changes/lists", Access: api.Paid, Cost: 1, Lists: true, Needs: p.missing,
		Summary: "What is new on the compliance lists",
		Description: "Lists the entries of the compliance lists that are different between an earlier edition and the one being served: organizations that were added to the master file or to Publication 78 or left them, that were revoked or reinstated, or whose standing in California changed; " +
			"names that came onto the sanctions list or off it, or that bulletins announced, which have no EIN; and organizations that a screening by the names on the lists now matches to an entity of the sanctions list, with what strength, or no longer does. A name alone does not identify, so look closer before you act on one. Rows of the lists of California without an EIN are not followed.",
		Params: slices.Concat(sinceParams(), []api.Param{
			{Name: "source", Also: api.Words("sources list lists"), Type: api.String, List: true, Enum: lists.Names(), Example: "revocation", Description: "Only these lists, comma-separated."},
			{Name: "change", Also: api.Words("changes status event kind"), Type: api.String, List: true, Enum: allWords(), Example: "revoked", Description: "Only entries that are this now, comma-separated; delisted for not on the list any more, potential_match and no_longer_matched for organizations that may be an entity of the sanctions list."},
		}, api.PageParams(), []api.Param{api.FormatParam(api.Formats...)}),
		Response: api.List[client.ListChange]{}, Formats: api.Formats, Refusals: refusals,
		Examples: []api.Example{
			{Case: "1", Description: "What is new on the lists since the build before", Query: "since=20251201T000000Z"},
			{Case: "revoked", Description: "Organizations that were revoked", Query: "since=20251201T000000Z&source=revocation&change=revoked"},
			{Case: "matched", Description: "Organizations that may match the sanctions list and did not before", Query: "since=20251201T000000Z&source=ofac&change=potential_match"},
		},
		Plan: p.planLists,
	}
}

// Bounds of looking for organizations by a name that is new on the sanctions list.
const (
	mostLooked     = 50 // names in a page
	mostCandidates = 10 // organizations for each
)

// matches are the organizations that a name of a sanctioned entity may mean: those
// that the search finds by it, of which a screening by name finds the entity. It is
// nil where one of both is out of service.
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
	now := ""
	if e := p.edition(c); e != nil {
		now = *e
	}
	slices.Sort(sources)
	slices.Sort(words)
	// The edition is part of the question: another one has other rows, and a
	// cursor into these says nothing of them.
	asked := []byte(strings.Join([]string{s.edition, now, strings.Join(sources, ","), strings.Join(words, ",")}, " "))
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
					c.Caveat("source", "Potential matches with the sanctions list are not known for one of the editions, or were found by names from other lists, so none are reported.")
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
