// Package changes is the operations that list the changes since an earlier build of the dataset or an earlier edition of the
// compliance lists. A client with a copy then reads only the changes. The comparison was made when the dataset was built.
package changes

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Names finds organizations, by EIN and by name.
type Names interface {
	Lookup(ein.EIN) (search.Result, bool)
	Search(ctx context.Context, a search.Ask) (search.Answer, error)
}

type Parts struct {
	Changes  func(api.Dataset) *change.Index // nil where its file is out of service
	Log      func(api.Dataset) *change.Log
	Names    func(api.Dataset) Names            // nil where they are out of service
	Screener func(api.Dataset) *screen.Screener // knows the names on the lists
	Clock    func() time.Time
}

//go:embed operations.json
var operationsFile []byte

func Group(p Parts) api.Group {
	g := api.ReadGroup(operationsFile, map[string]api.Operation{
		"listChanges":           {Response: ChangesAnswer{}, Plan: p.planBuilds, Needs: api.Has(p.Changes)},
		"listComplianceChanges": {Response: api.List[client.ListChange]{}, Plan: p.planLists, Needs: api.Has(p.Changes)},
	})
	g.SetWords("source", lists.Names())
	g.SetWords("change", allWords())
	return g
}

const unknown = "unknown_version"

type span struct {
	from    string // build, empty where there is none before
	edition string // empty where none is known
}

// read reads which versions to compare, and refuses an unknown one before the charge.
func (p Parts) read(c *api.Call) (s span, err error) {
	log := p.Log(c.Data)
	since, given := p.version(c, "since")
	edition, dated := p.version(c, "lists_since")
	if c.Params.Failed() {
		return s, nil
	}
	now, kept := c.Data.Snapshot().Version, p.Changes(c.Data).Versions()
	switch {
	case given && since != now && !slices.Contains(kept, since):
		f := fault.New(unknown, "The build %s is not one that the build being served was compared with.", since)
		if len(kept) == 0 {
			return s, f.Try("there is none before the one being served, %s; read everything, and ask again after the next build", now)
		}
		return s, f.Try("send one of %s; where yours is older, read everything again", strings.Join(kept, ", "))
	case given:
		s.from = since
	case len(kept) > 0:
		s.from = kept[0]
	}
	if !dated {
		edition = s.from
	}
	if edition == "" {
		return s, nil
	}
	if s.edition = log.At(edition); s.edition == "" && dated {
		f := fault.New(unknown, "We don't have the compliance lists of %s.", edition)
		if all := log.Versions(); len(all) > 0 {
			return s, f.Try("send an edition from %s on; where yours is older, screen everybody again", all[len(all)-1])
		}
		return s, f.Try("there is no edition to compare with; ask again after the lists have changed")
	}
	return s, nil
}

func (p Parts) version(c *api.Call, name string) (string, bool) {
	text, given := c.Params.Text(name)
	if given && !snapshot.IsVersion(text) {
		c.Params.Problem(c.Params.Param(name), -1, "version", text, nil, "the value is not a version, such as 20251201T000000Z")
	}
	return text, given
}

// rowWeight is what a row takes on its way to the wire, in bytes.
const rowWeight = 2 << 10

type ChangesAnswer struct{ client.ChangesAnswer }

func (a *ChangesAnswer) Table() (any, *int64, *string) { return a.Results, &a.Hits, a.NextCursor }

func (p Parts) planBuilds(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	s, err := p.read(c)
	if err != nil {
		return nil, err
	}
	asked := []byte(s.from + " " + s.edition)
	offset, limit, err := c.ReadPage(asked)
	if err != nil {
		return nil, err
	}
	c.Question = fmt.Sprintf("%s %d %d", asked, offset, limit)
	c.Weight = int64(limit)*rowWeight + p.Log(c.Data).Weight(s.edition)
	return func(context.Context) (client.Answer, error) {
		page, _ := p.Changes(c.Data).Page(s.from, offset, limit)
		rows := each.Of(page.List, func(f change.Filer) client.FunderChange { return p.funderRow(c, &f) })
		if s.from == "" {
			c.Caveat("since", "There is no earlier build to compare with, so nothing is told of changes.")
		}
		var found []change.ListTotal
		if p.compared(c, s) {
			found, _ = p.Log(c.Data).Totals(s.edition)
		}
		list := api.ListOf(c, asked, rows, int64(page.Funders), offset, limit)
		return &ChangesAnswer{client.ChangesAnswer{
			Head: list.Head, From: api.OrNull(s.from), To: c.Data.Snapshot().Version, Versions: p.Changes(c.Data).Versions(), Summary: summary(page),
			ListsFrom: api.OrNull(s.edition), ListsTo: api.OrNull(p.edition(c)), Lists: totals(found),
			Hits: list.Hits, Page: list.Page, Limit: list.Limit, ResultsCount: list.ResultsCount, TotalPages: list.TotalPages,
			NextCursor: list.NextCursor, Results: rows,
			Tail: c.Tail(),
		}}, nil
	}, nil
}

func summary(page change.Page) client.ChangesSummary {
	t := &page.Total
	return client.ChangesSummary{
		Funders: page.Funders, ReturnsNew: int64(t.ReturnsNew), ReturnsAmended: int64(t.ReturnsAmended), ReturnsRemoved: int64(t.ReturnsRemoved),
		RowsAdded: int64(t.RowsAdded), RowsRemoved: int64(t.RowsRemoved), RowsChanged: int64(t.RowsChanged), NetAmount: t.NetAmount,
	}
}

func (p Parts) funderRow(c *api.Call, f *change.Filer) client.FunderChange {
	e := ein.EIN(f.EIN)
	row := client.FunderChange{
		FunderEIN: e.String(), ReturnsNew: int64(f.ReturnsNew), ReturnsAmended: int64(f.ReturnsAmended), ReturnsRemoved: int64(f.ReturnsRemoved),
		RowsAdded: int64(f.RowsAdded), RowsRemoved: int64(f.RowsRemoved), RowsChanged: int64(f.RowsChanged), NetAmount: f.NetAmount,
	}
	row.FunderName, row.FunderCity, row.FunderState, row.URL = p.whois(c, e)
	return row
}

// whois finds an organization in the dataset, else in the lists. All are nil when neither knows it.
func (p Parts) whois(c *api.Call, e ein.EIN) (name, city, state, page *string) {
	if names := p.Names(c.Data); names != nil {
		if org, known := names.Lookup(e); known {
			url := c.Base + "/org/" + e.String() + "/" + search.Slug(org.Name)
			return api.OrNull(org.Name), api.OrNull(org.City), api.OrNull(org.State), &url
		}
	}
	org, _ := p.Screener(c.Data).Organization(screen.Query{EIN: e})
	return org.OrganizationName, org.City, org.State, nil
}

func (p Parts) edition(c *api.Call) string {
	if all := p.Log(c.Data).Versions(); len(all) > 0 {
		return all[0]
	}
	return ""
}

// compared reports whether there is an edition of the lists to compare with. If not, it adds a caveat to the answer.
func (p Parts) compared(c *api.Call, s span) bool {
	if s.edition == "" {
		c.Caveat("lists_since", "We don't have the compliance lists of that time, so this answer leaves out their changes.")
	}
	return s.edition != ""
}

func totals(found []change.ListTotal) []client.ChangesOfList {
	out := []client.ChangesOfList{}
	for _, l := range lists.All() {
		t := client.ChangesOfList{Source: l.Name, Title: l.Title, Changes: []client.ChangesCount{}}
		t.Compared = count(&t, found, l.Name)
		if l.Name == lists.OFAC {
			t.MatchesCompared = new(count(&t, found, change.Matches))
		}
		out = append(out, t)
	}
	return out
}

// count adds the counts of a list, or of Matches, and reports whether they are known.
func count(t *client.ChangesOfList, found []change.ListTotal, name string) bool {
	i := slices.IndexFunc(found, func(x change.ListTotal) bool { return x.Name == name })
	if i < 0 || !found[i].Compared {
		return false
	}
	for _, word := range change.Words(name) {
		t.Changes = append(t.Changes, client.ChangesCount{Change: word, Count: found[i].Counts[word]})
	}
	return true
}

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
