package client

import "encoding/json"

// ListsAnswer is the answer of GET /lists.
type ListsAnswer struct {
	Head
	ResultsCount int        `json:"results_count" doc:"Lists in all, at most 50."`
	Lists        []KeptList `json:"lists" doc:"The lists of the account, oldest first."`
	Tail
}

// KeptList is a list of organizations that an account keeps.
type KeptList struct {
	ID          string `json:"id" doc:"Names the list in addresses."`
	Name        string `json:"name" doc:"Name of the list."`
	Members     int    `json:"members" doc:"Organizations in the list, at most 5,000."`
	KeepHistory bool   `json:"keep_history" doc:"Whether its screenings are kept for ten years; otherwise for a day."`
	CreatedAt   string `json:"created_at" doc:"When the list was made." format:"date-time"`
	ChangedAt   string `json:"changed_at" doc:"When its name, its settings or its members last changed." format:"date-time"`
}

// ListRequest is the body of a request that makes or changes a list.
type ListRequest struct {
	Name        string `json:"name,omitempty" doc:"Name of the list, at most 100 bytes. Needed for a new list."`
	KeepHistory *bool  `json:"keep_history,omitempty" doc:"Whether screenings are kept for ten years; false for a new list."`
}

// ListAnswer is a list without its members.
type ListAnswer struct {
	Head
	List KeptList `json:"list" doc:"The list as it is now."`
	Tail
}

// ListMember is an organization of a list.
type ListMember struct {
	Position   int64           `json:"position" doc:"Names the organization in its list; never used again."`
	EIN        *string         `json:"ein" doc:"EIN, nine digits; null for a name without one."`
	Name       string          `json:"name" doc:"Name as it was added; may be empty."`
	Note       string          `json:"note" doc:"Note of the owner; may be empty."`
	Verdict    *string         `json:"verdict,omitempty" enum:"certain,likely,several,nobody" doc:"How sure the first candidate is; only where candidates are."`
	Candidates []ListCandidate `json:"candidates,omitempty" doc:"Who may be meant by a name without EIN; only where that is asked for."`
}

// ListCandidate is an organization that a name may mean.
type ListCandidate struct {
	EIN         string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name        string  `json:"name" doc:"Its name as people write it."`
	City        *string `json:"city" doc:"City."`
	State       *string `json:"state" doc:"Two-letter US state."`
	Probability float64 `json:"probability" doc:"Probability that the name means this organization, from 0 to 1."`
	Why         string  `json:"why" doc:"A short reason."`
}

// ListPage is a page of what a list has: organizations, results of a screening, or alerts.
type ListPage[T any] struct {
	Head
	List         KeptList `json:"list" doc:"The list."`
	Run          *ListRun `json:"run,omitempty" doc:"The screening; only with its results."`
	Hits         int64    `json:"hits" doc:"Rows in all."`
	ResultsCount int      `json:"results_count" doc:"Rows in this page."`
	NextCursor   *string  `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Results      []T      `json:"results" doc:"The rows."`
	Tail
}

// Next is the cursor of the next page, nil at the end.
func (l *ListPage[T]) Next() *string { return l.NextCursor }

// NewMember is an organization to add to a list.
type NewMember struct {
	EIN  string `json:"ein,omitempty" doc:"EIN, with or without the hyphen."`
	Name string `json:"name,omitempty" doc:"Name, at most 300 bytes."`
	Note string `json:"note,omitempty" doc:"Note of yours, at most 500 bytes."`
}

// AddRequest is the body of a request that adds organizations to a list.
type AddRequest struct {
	Members []NewMember `json:"members" doc:"Up to 5,000 organizations, each with an EIN, a name or both. A text stands for an EIN."`
}

// RemoveRequest is the body of a request that removes organizations from a list.
type RemoveRequest struct {
	Positions []int64 `json:"positions" doc:"Positions of up to 1,000 organizations."`
}

// MembersChanged says what became of a list.
type MembersChanged struct {
	Head
	List      KeptList     `json:"list" doc:"The list as it is now."`
	Changed   int          `json:"changed" doc:"Organizations added or removed. Those that the list had already are not added again."`
	Names     []ListMember `json:"names" doc:"The first ten names that were added without an EIN, with who may be meant."`
	NamesLeft int          `json:"names_left" doc:"Further names that were added without an EIN; GET /lists/{list}?names=1 has them."`
	Tail
}

// ListRun is a screening of a list. It goes on part by part until it has ended.
type ListRun struct {
	ID        string     `json:"id" doc:"Names the screening in addresses."`
	StartedAt string     `json:"started_at" doc:"When it began." format:"date-time"`
	EndedAt   *string    `json:"ended_at" doc:"When the last part was screened; null while organizations are left." format:"date-time"`
	ExpiresAt string     `json:"expires_at" doc:"When it is deleted with its reports." format:"date-time"`
	Members   int        `json:"members" doc:"Organizations in the list when it began."`
	Screened  int        `json:"screened" doc:"Organizations screened so far."`
	Dataset   string     `json:"dataset" doc:"Build of the dataset of the last part; empty before the first."`
	Counts    ListCounts `json:"counts" doc:"The results so far, by outcome."`
}

// ListRunsAnswer is the screenings of a list.
type ListRunsAnswer struct {
	Head
	ResultsCount int       `json:"results_count" doc:"Screenings that are kept, at most 200."`
	Runs         []ListRun `json:"runs" doc:"The screenings, latest first."`
	Tail
}

// ListCounts counts the results of a screening by outcome.
type ListCounts struct {
	CloserLook  int `json:"closer_look" doc:"A list calls for a closer look, or two lists disagree."`
	NotScreened int `json:"not_screened" doc:"No list calls for a closer look, but a list could not be used."`
	NoFindings  int `json:"no_findings" doc:"Every list was used, and none calls for a closer look."`
	NotFound    int `json:"not_found" doc:"No list and no filing knows the EIN."`
	NameOnly    int `json:"name_only" doc:"No EIN: the name was compared with the sanctions list alone, without a match."`
	Unreadable  int `json:"unreadable" doc:"Could not be screened; error says why."`
}

// ListResult is the result of one organization of a list.
type ListResult struct {
	ListMember
	Outcome string          `json:"outcome" enum:"closer_look,not_screened,no_findings,not_found,name_only,unreadable" doc:"The result in a word, as in counts."`
	Report  json.RawMessage `json:"report,omitempty" doc:"The signed report, as of screenOrganization or screenNames; absent from answers of screenList."`
	Error   *string         `json:"error" doc:"Why there is no report; null when there is one."`
}
