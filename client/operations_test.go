// Code generated from the operations of the service; DO NOT EDIT.

package client

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"strconv"
)

// SearchOrganizations: Find an organization and its EIN by name, by words or by meaning. Needs no key; not counted.
func (c *Client) SearchOrganizations(ctx context.Context, q url.Values) (*SearchAnswer, error) {
	return ask[SearchAnswer](ctx, c, Request{Path: "/search", Query: q})
}

// ListOrganizationsPage: One page of ListOrganizations, with the number of all rows and the warnings.
func (c *Client) ListOrganizationsPage(ctx context.Context, body OrganizationQuery, q url.Values) (*OrganizationList, error) {
	return ask[OrganizationList](ctx, c, Request{Method: "POST", Path: "/essentials", Query: q, Body: body})
}

// GetMeta: Dataset metadata. Needs no key; not counted.
func (c *Client) GetMeta(ctx context.Context, q url.Values) (*MetaAnswer, error) {
	return ask[MetaAnswer](ctx, c, Request{Path: "/meta", Query: q})
}

// ListChanges: What is new since an earlier build. All rows. Needs any key; costs 1 call a page.
func (c *Client) ListChanges(ctx context.Context, q url.Values) iter.Seq2[FunderChange, error] {
	return rows[FunderChange](ctx, c, "/changes", q)
}

// ListChangesPage: One page of ListChanges, with the number of all rows and the warnings.
func (c *Client) ListChangesPage(ctx context.Context, q url.Values) (*ChangesAnswer, error) {
	return ask[ChangesAnswer](ctx, c, Request{Path: "/changes", Query: q})
}

// ListComplianceChanges: What is new on the compliance lists. All rows. Needs a key of a paid plan; costs 1 call a page.
func (c *Client) ListComplianceChanges(ctx context.Context, q url.Values) iter.Seq2[ListChange, error] {
	return rows[ListChange](ctx, c, "/changes/lists", q)
}

// ListComplianceChangesPage: One page of ListComplianceChanges, with the number of all rows and the warnings.
func (c *Client) ListComplianceChangesPage(ctx context.Context, q url.Values) (*List[ListChange], error) {
	return ask[List[ListChange]](ctx, c, Request{Path: "/changes/lists", Query: q})
}

// ListTransactions: Grants, one row each. All rows. Needs any key; costs 1 call a page.
func (c *Client) ListTransactions(ctx context.Context, q url.Values) iter.Seq2[GrantRow, error] {
	return rows[GrantRow](ctx, c, "/grants/transactions", q)
}

// ListTransactionsPage: One page of ListTransactions, with the number of all rows and the warnings.
func (c *Client) ListTransactionsPage(ctx context.Context, q url.Values) (*List[GrantRow], error) {
	return ask[List[GrantRow]](ctx, c, Request{Path: "/grants/transactions", Query: q})
}

// ListFunders: Funders, ranked by dollars. All rows. Needs any key; costs 1 call a page.
func (c *Client) ListFunders(ctx context.Context, q url.Values) iter.Seq2[FunderRow, error] {
	return rows[FunderRow](ctx, c, "/grants/funders", q)
}

// ListFundersPage: One page of ListFunders, with the number of all rows and the warnings.
func (c *Client) ListFundersPage(ctx context.Context, q url.Values) (*List[FunderRow], error) {
	return ask[List[FunderRow]](ctx, c, Request{Path: "/grants/funders", Query: q})
}

// ListRecipients: Recipients, ranked by dollars. All rows. Needs any key; costs 1 call a page.
func (c *Client) ListRecipients(ctx context.Context, q url.Values) iter.Seq2[RecipientRow, error] {
	return rows[RecipientRow](ctx, c, "/grants/recipients", q)
}

// ListRecipientsPage: One page of ListRecipients, with the number of all rows and the warnings.
func (c *Client) ListRecipientsPage(ctx context.Context, q url.Values) (*List[RecipientRow], error) {
	return ask[List[RecipientRow]](ctx, c, Request{Path: "/grants/recipients", Query: q})
}

// SummarizeGrants: Totals, overall and by year. Needs any key; costs 1 call.
func (c *Client) SummarizeGrants(ctx context.Context, q url.Values) (*SummaryAnswer, error) {
	return ask[SummaryAnswer](ctx, c, Request{Path: "/grants/summary", Query: q})
}

// ScreenOrganization: Screen an organization against the compliance lists. Needs any key; costs 1 call.
func (c *Client) ScreenOrganization(ctx context.Context, ein string, q url.Values) (*ScreeningAnswer, error) {
	return ask[ScreeningAnswer](ctx, c, Request{Path: "/screening/" + url.PathEscape(ein), Query: q})
}

// ScreenOrganizations: Screen up to 100 organizations. Needs a key of a paid plan; costs 1 call.
func (c *Client) ScreenOrganizations(ctx context.Context, body BulkRequest, q url.Values) (*BulkAnswer, error) {
	return ask[BulkAnswer](ctx, c, Request{Method: "POST", Path: "/screening/bulk", Query: q, Body: body})
}

// ScreenNames: Screen up to 100 names against the sanctions list. Needs a key of a paid plan; costs 1 call.
func (c *Client) ScreenNames(ctx context.Context, body NamesRequest, q url.Values) (*NamesAnswer, error) {
	return ask[NamesAnswer](ctx, c, Request{Method: "POST", Path: "/screening/names", Query: q, Body: body})
}

// VerifyReport: Verify a report. Needs no key; not counted.
func (c *Client) VerifyReport(ctx context.Context, document json.RawMessage, q url.Values) (*VerifyAnswer, error) {
	return ask[VerifyAnswer](ctx, c, Request{Method: "POST", Path: "/screening/verify", Query: q, Body: document})
}

// GetLists: Your lists. Needs any key; not counted.
func (c *Client) GetLists(ctx context.Context, q url.Values) (*ListsAnswer, error) {
	return ask[ListsAnswer](ctx, c, Request{Path: "/lists", Query: q})
}

// CreateList: Make a list. Needs any key; not counted.
func (c *Client) CreateList(ctx context.Context, body ListRequest, q url.Values) (*ListAnswer, error) {
	return ask[ListAnswer](ctx, c, Request{Method: "POST", Path: "/lists", Query: q, Body: body})
}

// GetList: A list and its organizations. All rows. Needs any key; not counted.
func (c *Client) GetList(ctx context.Context, list string, q url.Values) iter.Seq2[ListMember, error] {
	return rows[ListMember](ctx, c, "/lists/"+url.PathEscape(list), q)
}

// GetListPage: One page of GetList, with the number of all rows and the warnings.
func (c *Client) GetListPage(ctx context.Context, list string, q url.Values) (*ListPage[ListMember], error) {
	return ask[ListPage[ListMember]](ctx, c, Request{Path: "/lists/" + url.PathEscape(list), Query: q})
}

// ChangeList: Rename a list or change its settings. Needs any key; not counted.
func (c *Client) ChangeList(ctx context.Context, list string, body ListRequest, q url.Values) (*ListAnswer, error) {
	return ask[ListAnswer](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list), Query: q, Body: body})
}

// DeleteList: Delete a list. Needs any key; not counted.
func (c *Client) DeleteList(ctx context.Context, list string, q url.Values) (*ListsAnswer, error) {
	return ask[ListsAnswer](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/delete", Query: q})
}

// AddToList: Add organizations to a list. Needs any key; not counted.
func (c *Client) AddToList(ctx context.Context, list string, body AddRequest, q url.Values) (*MembersChanged, error) {
	return ask[MembersChanged](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/add", Query: q, Body: body})
}

// RemoveFromList: Remove organizations from a list. Needs any key; not counted.
func (c *Client) RemoveFromList(ctx context.Context, list string, body RemoveRequest, q url.Values) (*MembersChanged, error) {
	return ask[MembersChanged](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/remove", Query: q, Body: body})
}

// ScreenList: Screen the next part of a list. Needs a key of a paid plan; costs 1 call.
func (c *Client) ScreenList(ctx context.Context, list string, q url.Values) (*ListPage[ListResult], error) {
	return ask[ListPage[ListResult]](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/screen", Query: q})
}

// GetListRuns: When a list was screened. Needs any key; not counted.
func (c *Client) GetListRuns(ctx context.Context, list string, q url.Values) (*ListRunsAnswer, error) {
	return ask[ListRunsAnswer](ctx, c, Request{Path: "/lists/" + url.PathEscape(list) + "/runs", Query: q})
}

// GetListResults: What a screening of a list found. All rows. Needs any key; not counted.
func (c *Client) GetListResults(ctx context.Context, list string, run string, q url.Values) iter.Seq2[ListResult, error] {
	return rows[ListResult](ctx, c, "/lists/"+url.PathEscape(list)+"/runs/"+url.PathEscape(run), q)
}

// GetListResultsPage: One page of GetListResults, with the number of all rows and the warnings.
func (c *Client) GetListResultsPage(ctx context.Context, list string, run string, q url.Values) (*ListPage[ListResult], error) {
	return ask[ListPage[ListResult]](ctx, c, Request{Path: "/lists/" + url.PathEscape(list) + "/runs/" + url.PathEscape(run), Query: q})
}

// DeleteListRun: Delete a screening of a list. Needs any key; not counted.
func (c *Client) DeleteListRun(ctx context.Context, list string, run string, q url.Values) (*ListRunsAnswer, error) {
	return ask[ListRunsAnswer](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/runs/" + url.PathEscape(run) + "/delete", Query: q})
}

// GetWatch: How a list is watched. Needs any key; not counted.
func (c *Client) GetWatch(ctx context.Context, list string, q url.Values) (*WatchAnswer, error) {
	return ask[WatchAnswer](ctx, c, Request{Path: "/lists/" + url.PathEscape(list) + "/watch", Query: q})
}

// SetWatch: Watch a list, and say where alerts go. Needs any key; not counted.
func (c *Client) SetWatch(ctx context.Context, list string, body WatchRequest, q url.Values) (*WatchAnswer, error) {
	return ask[WatchAnswer](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/watch", Query: q, Body: body})
}

// TestWebhook: Send a test to the webhook of a list. Needs any key; not counted.
func (c *Client) TestWebhook(ctx context.Context, list string, q url.Values) (*WatchAnswer, error) {
	return ask[WatchAnswer](ctx, c, Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/watch/test", Query: q})
}

// GetAlerts: What changed for the organizations of a watched list. All rows. Needs any key; not counted.
func (c *Client) GetAlerts(ctx context.Context, list string, q url.Values) iter.Seq2[Alert, error] {
	return rows[Alert](ctx, c, "/lists/"+url.PathEscape(list)+"/alerts", q)
}

// GetAlertsPage: One page of GetAlerts, with the number of all rows and the warnings.
func (c *Client) GetAlertsPage(ctx context.Context, list string, q url.Values) (*ListPage[Alert], error) {
	return ask[ListPage[Alert]](ctx, c, Request{Path: "/lists/" + url.PathEscape(list) + "/alerts", Query: q})
}

// GetEssentials: The essentials of an organization. Needs a key of a paid plan; costs 1 call.
func (c *Client) GetEssentials(ctx context.Context, ein string, q url.Values) (*EssentialsAnswer, error) {
	return ask[EssentialsAnswer](ctx, c, Request{Path: "/essentials/" + url.PathEscape(ein), Query: q})
}

// GetPremier: The full profile of an organization. Needs a key of a paid plan; costs 1 call.
func (c *Client) GetPremier(ctx context.Context, ein string, q url.Values) (*PremierAnswer, error) {
	return ask[PremierAnswer](ctx, c, Request{Path: "/premier/" + url.PathEscape(ein), Query: q})
}

// FindSimilar: Similar organizations. All rows. Needs a key of a paid plan; costs 1 call a page.
func (c *Client) FindSimilar(ctx context.Context, ein string, q url.Values) iter.Seq2[SimilarRow, error] {
	return rows[SimilarRow](ctx, c, "/similar/"+url.PathEscape(ein), q)
}

// FindSimilarPage: One page of FindSimilar, with the number of all rows and the warnings.
func (c *Client) FindSimilarPage(ctx context.Context, ein string, q url.Values) (*List[SimilarRow], error) {
	return ask[List[SimilarRow]](ctx, c, Request{Path: "/similar/" + url.PathEscape(ein), Query: q})
}

// FindProspects: Funders of similar organizations. All rows. Needs a key of a paid plan; costs 1 call a page.
func (c *Client) FindProspects(ctx context.Context, ein string, q url.Values) iter.Seq2[ProspectRow, error] {
	return rows[ProspectRow](ctx, c, "/prospects/"+url.PathEscape(ein), q)
}

// FindProspectsPage: One page of FindProspects, with the number of all rows and the warnings.
func (c *Client) FindProspectsPage(ctx context.Context, ein string, q url.Values) (*List[ProspectRow], error) {
	return ask[List[ProspectRow]](ctx, c, Request{Path: "/prospects/" + url.PathEscape(ein), Query: q})
}

// GetGovernmentFunding: Federal and state awards to an organization. Needs a key of the Pro plan; costs 1 call.
func (c *Client) GetGovernmentFunding(ctx context.Context, ein string, q url.Values) (*FundingAnswer, error) {
	return ask[FundingAnswer](ctx, c, Request{Path: "/gov-funding/" + url.PathEscape(ein), Query: q})
}

// MintAgentKey: Get a key as an automated agent. Needs no key; not counted.
func (c *Client) MintAgentKey(ctx context.Context, body MintRequest, q url.Values) (*AgentKeyAnswer, error) {
	return ask[AgentKeyAnswer](ctx, c, Request{Method: "POST", Path: "/agent-key", Query: q, Body: body, Once: true})
}

// GetAgentKeyRules: How agents get keys and sign requests. Needs no key; not counted.
func (c *Client) GetAgentKeyRules(ctx context.Context, q url.Values) (*AgentRules, error) {
	return ask[AgentRules](ctx, c, Request{Path: "/agent-key", Query: q})
}

// AnswerChallenge: Answer the challenge of a locked key. Needs the key of an agent; not counted.
func (c *Client) AnswerChallenge(ctx context.Context, body AnswerRequest, q url.Values) (*AgentKeyAnswer, error) {
	return ask[AgentKeyAnswer](ctx, c, Request{Method: "POST", Path: "/agent-key/answer", Query: q, Body: body, Once: true})
}

// RenewChallenge: Get the next challenge for a key with no calls left. Needs the key of an agent; not counted.
func (c *Client) RenewChallenge(ctx context.Context, q url.Values) (*AgentKeyAnswer, error) {
	return ask[AgentKeyAnswer](ctx, c, Request{Method: "POST", Path: "/agent-key/challenge", Query: q, Once: true})
}

// RunSQL: Run a read-only SQL query. Needs a key of a paid plan; costs 1 call.
func (c *Client) RunSQL(ctx context.Context, body SQLRequest, q url.Values) (*SQLAnswer, error) {
	return ask[SQLAnswer](ctx, c, Request{Method: "POST", Path: "/sql", Query: q, Body: body})
}

// GetSQLSchema: The tables that SQL can read. Needs no key; not counted.
func (c *Client) GetSQLSchema(ctx context.Context, q url.Values) (*SQLSchemaAnswer, error) {
	return ask[SQLSchemaAnswer](ctx, c, Request{Path: "/sql/schema", Query: q})
}

// ListOrganizations iterates over all organizations that match, page by page. Without Size it asks for the largest pages.
func (c *Client) ListOrganizations(ctx context.Context, body OrganizationQuery) iter.Seq2[OrganizationRow, error] {
	body.Size = cmp.Or(body.Size, largestPage)
	return func(yield func(OrganizationRow, error) bool) {
		body, seen := body, int64(0) // a caller may walk the sequence again
		for {
			page, err := c.ListOrganizationsPage(ctx, body, url.Values{"strict": {"1"}})
			if err != nil {
				yield(OrganizationRow{}, err)
				return
			}
			for _, row := range page.Results {
				if !yield(row, nil) {
					return
				}
			}
			seen += int64(len(page.Results))
			switch next := page.NextCursor; {
			case next == nil:
				return
			case len(page.Results) == 0 || seen > page.Hits || *next == body.Cursor:
				yield(OrganizationRow{}, c.endless())
				return
			default:
				body.Cursor, body.From = *next, 0
			}
		}
	}
}

// largestPage is asked for. An operation with smaller pages answers with the largest it has.
const largestPage = 1000

// rows iterates over all rows of a list. A loop sees no warnings, so a parameter that is not honored is an error by default.
func rows[T any](ctx context.Context, c *Client, path string, given url.Values) iter.Seq2[T, error] {
	query := url.Values{"strict": {"1"}, "limit": {strconv.Itoa(largestPage)}}
	maps.Copy(query, given)
	return func(yield func(T, error) bool) {
		var none T
		q, seen := maps.Clone(query), int64(0) // a caller may walk the sequence again
		for {
			page, err := ask[List[T]](ctx, c, Request{Path: path, Query: q})
			if err != nil {
				yield(none, err)
				return
			}
			for _, row := range page.Results {
				if !yield(row, nil) {
					return
				}
			}
			seen += int64(len(page.Results))
			next := page.NextCursor
			switch {
			case next == nil:
				return
			case len(page.Results) == 0 || seen > page.Hits || *next == q.Get("cursor"):
				yield(none, c.endless())
				return
			}
			q.Del("page")
			q.Set("cursor", *next)
		}
	}
}

// endless is the error of a list that would never end.
func (c *Client) endless() error {
	return c.unexpected(nil, "names a next page and does not come to an end")
}
