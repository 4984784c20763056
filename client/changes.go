package client

import "fmt"

// ChangesAnswer is the answer of /changes: what is different since an earlier build.
type ChangesAnswer struct {
	Head
	From         *string         `json:"from" doc:"Build that is compared with; null when the one being served is the first."`
	To           string          `json:"to" doc:"Build being served. Send it as since next time."`
	Versions     []string        `json:"versions" doc:"Builds that since may name, latest first."`
	Summary      ChangesSummary  `json:"summary" doc:"All funders together."`
	ListsFrom    *string         `json:"lists_from" doc:"Edition of the compliance lists that is compared with; null when none is known."`
	ListsTo      *string         `json:"lists_to" doc:"Edition being served. Send it as lists_since next time; null when there is none."`
	Lists        []ChangesOfList `json:"lists" doc:"How much changed on each compliance list; /changes/lists has the organizations."`
	Hits         int64           `json:"hits" doc:"Funders of which something is different."`
	Page         int64           `json:"page" doc:"Page number, from 1."`
	Limit        int             `json:"limit" doc:"Page size served."`
	ResultsCount int             `json:"results_count" doc:"Rows in this page."`
	TotalPages   int64           `json:"total_pages" doc:"Pages in all."`
	NextCursor   *string         `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Results      []FunderChange  `json:"results" doc:"The funders."`
	Tail
}

// ChangesSummary adds up the differences of all funders.
type ChangesSummary struct {
	Funders        int   `json:"funders" doc:"Funders of which something is different."`
	ReturnsNew     int64 `json:"returns_new" doc:"Returns for a period that had none."`
	ReturnsAmended int64 `json:"returns_amended" doc:"Periods for which another return stands now, as an amended one does."`
	ReturnsRemoved int64 `json:"returns_removed" doc:"Returns whose period has none any more."`
	RowsAdded      int64 `json:"rows_added" doc:"Grants that were not there."`
	RowsRemoved    int64 `json:"rows_removed" doc:"Grants that are not there any more."`
	RowsChanged    int64 `json:"rows_changed" doc:"Grants of which the row says something else, such as another recipient."`
	NetAmount      int64 `json:"net_amount" doc:"Dollars of all grants now less those before, whole dollars."`
}

// FunderChange has the differences of one funder.
type FunderChange struct {
	FunderEIN      string  `json:"funder_ein" doc:"EIN of the grantmaker, nine digits." pattern:"^[0-9]{9}$"`
	FunderName     *string `json:"funder_name" doc:"Its name; null when nothing names it any more."`
	FunderCity     *string `json:"funder_city" doc:"Its city."`
	FunderState    *string `json:"funder_state" doc:"Its two-letter state."`
	ReturnsNew     int64   `json:"returns_new" doc:"Returns for a period that had none."`
	ReturnsAmended int64   `json:"returns_amended" doc:"Periods for which another return stands now."`
	ReturnsRemoved int64   `json:"returns_removed" doc:"Returns whose period has none any more."`
	RowsAdded      int64   `json:"rows_added" doc:"Grants that were not there."`
	RowsRemoved    int64   `json:"rows_removed" doc:"Grants that are not there any more."`
	RowsChanged    int64   `json:"rows_changed" doc:"Grants of which the row says something else."`
	NetAmount      int64   `json:"net_amount" doc:"Dollars of its grants now less those before, whole dollars."`
	URL            *string `json:"url" doc:"Page of the grantmaker; null when nothing names it any more." format:"uri"`
}

// ChangesOfList is how much changed on a compliance list.
type ChangesOfList struct {
	Source          string         `json:"source" doc:"The list, as in compliance_sources of /meta."`
	Title           string         `json:"title" doc:"Its name in words."`
	Compared        bool           `json:"compared" doc:"Whether both editions, and all between them, have the list; …"`
	Changes         []ChangesCount `json:"changes" doc:"Entries by what became of them; without those that were not compared."`
	MatchesCompared *bool          `json:"matches_compared" doc:"For ofac only: whether potential matches of organizations were compared too. If false, …"`
}

// ChangesCount is the number of entries of a list with one kind of change.
type ChangesCount struct {
	Change string `json:"change" enum:"…" doc:"What they are now; delisted for not on the list any more, …"`
	Count  int    `json:"count" doc:"How many: organizations, names on the lists without EINs, or potential matches, …"`
}

// ListChange is an entry of a compliance list that changed, or a potential match with one.
type ListChange struct {
	Source      string                `json:"source" enum:"bmf,ca_ftb,ca_registry,irb,ofac,pub78,revocation" doc:"The list, as in compliance_sources of /meta."`
	Change      string                `json:"change" enum:"…" doc:"What it is now; delisted for not on the list any more. On ofac, …"`
	Was         *string               `json:"was" doc:"What it was; null when it was not on the list, or no potential match. …"`
	EIN         *string               `json:"ein" doc:"EIN of the organization, nine digits; null for names on the lists that have none, …" pattern:"^[0-9]{9}$"`
	Name        *string               `json:"name" doc:"Name of the organization, or the name on the list; null when nothing names it any more."`
	City        *string               `json:"city" doc:"City of the organization."`
	State       *string               `json:"state" doc:"Two-letter state of the organization."`
	Reference   *string               `json:"reference" doc:"Number of the sanctioned entity (ofac), or of the bulletin (irb); null on other lists."`
	URL         *string               `json:"url" doc:"Page of the organization; null when there is none." format:"uri"`
	Matches     *[]SanctionsNameMatch `json:"matches" doc:"Organizations whose name resembles one that is new on the sanctions list, …"`
	MatchedName *string               `json:"matched_name" doc:"Of a potential match, the name on the sanctions list when the match got its strength; …"`
	QueryName   *string               `json:"query_name" doc:"Of a potential match, the name of the organization that resembles matched_name most; …"`
	Score       *float64              `json:"score" doc:"Of a potential match, how much query_name resembles matched_name, 0.75 to 1, as in a screening; …"`
	Strength    *string               `json:"strength" enum:"exact,strong,possible" doc:"Of a potential match, how strong it is, as in a screening; …"`
}

// SanctionsNameMatch is an organization that a name on the sanctions list may mean.
type SanctionsNameMatch struct {
	EIN   string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name  string  `json:"name" doc:"Its name."`
	Score float64 `json:"score" doc:"How much it resembles a name of the entity, 0.75 to 1, as in a screening."`
}

// String is the value as a CSV file has it.
func (m SanctionsNameMatch) String() string { return fmt.Sprintf("%s %s %g", m.EIN, m.Name, m.Score) }
