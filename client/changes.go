package client

import "fmt"

// ChangesAnswer is the answer of /changes: what is different since an earlier build.
type ChangesAnswer struct {
	Head
	From         *string         `json:"from" doc:"Earlier build that the current one is compared with; null if there is no earlier build."`
	To           string          `json:"to" doc:"Current build. Send this as since in your next request."`
	Versions     []string        `json:"versions" doc:"Builds that you can send as since, latest first."`
	Summary      ChangesSummary  `json:"summary" doc:"Changes for all funders combined."`
	ListsFrom    *string         `json:"lists_from" doc:"Earlier edition of the compliance lists that the current one is compared with; null if unknown."`
	ListsTo      *string         `json:"lists_to" doc:"Current edition of the compliance lists. Send this as lists_since in your next request. …"`
	Lists        []ChangesOfList `json:"lists" doc:"Number of changes on each compliance list. To get the changed entries, call /changes/lists."`
	Hits         int64           `json:"hits" doc:"Number of funders with a change."`
	Page         int64           `json:"page" doc:"Page number, starting at 1."`
	Limit        int             `json:"limit" doc:"Rows per page. May be lower than the limit you sent."`
	ResultsCount int             `json:"results_count" doc:"Number of rows on this page."`
	TotalPages   int64           `json:"total_pages" doc:"Total number of pages."`
	NextCursor   *string         `json:"next_cursor" doc:"Send this as cursor to get the next page; null on the last page."`
	Results      []FunderChange  `json:"results" doc:"The funders with a change."`
	Tail
}

// ChangesSummary adds up the differences of all funders.
type ChangesSummary struct {
	Funders        int   `json:"funders" doc:"Number of funders with a change."`
	ReturnsNew     int64 `json:"returns_new" doc:"Returns for periods that had no return before."`
	ReturnsAmended int64 `json:"returns_amended" doc:"Periods whose return was replaced, for example by an amended return."`
	ReturnsRemoved int64 `json:"returns_removed" doc:"Returns that were removed and not replaced."`
	RowsAdded      int64 `json:"rows_added" doc:"Grants added."`
	RowsRemoved    int64 `json:"rows_removed" doc:"Grants removed."`
	RowsChanged    int64 `json:"rows_changed" doc:"Grants whose details changed, for example the recipient."`
	NetAmount      int64 `json:"net_amount" doc:"Change in total grant dollars (current minus previous), in whole dollars."`
}

// FunderChange has the differences of one funder.
type FunderChange struct {
	FunderEIN      string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName     *string `json:"funder_name" doc:"Name of the grantmaker; null if no current source names it."`
	FunderCity     *string `json:"funder_city" doc:"City of the grantmaker."`
	FunderState    *string `json:"funder_state" doc:"Two-letter state of the grantmaker."`
	ReturnsNew     int64   `json:"returns_new" doc:"Returns for periods that had no return before."`
	ReturnsAmended int64   `json:"returns_amended" doc:"Periods whose return was replaced."`
	ReturnsRemoved int64   `json:"returns_removed" doc:"Returns that were removed and not replaced."`
	RowsAdded      int64   `json:"rows_added" doc:"Grants added."`
	RowsRemoved    int64   `json:"rows_removed" doc:"Grants removed."`
	RowsChanged    int64   `json:"rows_changed" doc:"Grants whose details changed."`
	NetAmount      int64   `json:"net_amount" doc:"Change in the grantmaker's total grant dollars (current minus previous), in whole dollars."`
	URL            *string `json:"url" doc:"URL of the grantmaker's page; null if no current source names the grantmaker." format:"uri"`
}

// ChangesOfList is how much changed on a compliance list.
type ChangesOfList struct {
	Source          string         `json:"source" doc:"ID of the list, as in compliance_sources of /meta."`
	Title           string         `json:"title" doc:"Name of the list."`
	Compared        bool           `json:"compared" doc:"Whether both editions, and every edition between them, include the list. …"`
	Changes         []ChangesCount `json:"changes" doc:"Number of entries by type of change. Entries that could not be compared are not counted."`
	MatchesCompared *bool          `json:"matches_compared" doc:"For ofac only: whether potential matches of organizations were compared too. …"`
}

// ChangesCount is the number of entries of a list with one kind of change.
type ChangesCount struct {
	Change string `json:"change" enum:"…" doc:"New status of the entries. delisted: removed from the list. potential_match and no_longer_matched: the …"`
	Count  int    `json:"count" doc:"Number of organizations, of listed names without an EIN, or of potential matches. …"`
}

// ListChange is an entry of a compliance list that changed, or a potential match with one.
type ListChange struct {
	Source      string                `json:"source" enum:"bmf,ca_ftb,ca_registry,irb,ofac,pub78,revocation" doc:"ID of the list, as in compliance_sources …"`
	Change      string                `json:"change" enum:"…" doc:"New status. delisted: removed from the list. On ofac, potential_match: a screening now …"`
	Was         *string               `json:"was" doc:"Previous status; null if the entry was not on the list or was not a potential match. …"`
	EIN         *string               `json:"ein" doc:"EIN of the organization, nine digits; null for listed names without an EIN (ofac …" pattern:"^[0-9]{9}$"`
	Name        *string               `json:"name" doc:"Name of the organization, or the listed name; null if no current source gives a name."`
	City        *string               `json:"city" doc:"City of the organization."`
	State       *string               `json:"state" doc:"Two-letter state of the organization."`
	Reference   *string               `json:"reference" doc:"Number of the sanctioned entity (ofac) or of the bulletin (irb); null for other lists."`
	URL         *string               `json:"url" doc:"URL of the organization's page; null if there is none." format:"uri"`
	Matches     *[]SanctionsNameMatch `json:"matches" doc:"Organizations whose name resembles a name added to the sanctions list, from the search's top ten …"`
	MatchedName *string               `json:"matched_name" doc:"For a potential match: the name on the sanctions list, as of the time the match got its …"`
	QueryName   *string               `json:"query_name" doc:"For a potential match: the name of the organization that is most similar to matched_name. …"`
	Score       *float64              `json:"score" doc:"For a potential match: how similar query_name is to matched_name, from 0.75 to 1, as in a …"`
	Strength    *string               `json:"strength" enum:"exact,strong,possible" doc:"For a potential match: strength of the match, as in a screening. …"`
}

// SanctionsNameMatch is an organization that a name on the sanctions list may mean.
type SanctionsNameMatch struct {
	EIN   string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name  string  `json:"name" doc:"Name of the organization."`
	Score float64 `json:"score" doc:"How similar the name is to a name of the sanctioned entity, from 0.75 to 1, as in a screening."`
}

// String is the value as a CSV file has it.
func (m SanctionsNameMatch) String() string { return fmt.Sprintf("%s %s %g", m.EIN, m.Name, m.Score) }
