package client

import "encoding/json"

// ListsAnswer is the answer of GET /lists.
type ListsAnswer struct {
	Head
	ResultsCount int        `json:"results_count" doc:"Number of lists, up to 50."`
	Lists        []KeptList `json:"lists" doc:"The account's lists, oldest first."`
	Tail
}

// KeptList is a list of organizations that an account keeps.
type KeptList struct {
	ID          string `json:"id" doc:"ID of the list, used in URLs."`
	Name        string `json:"name" doc:"Name of the list."`
	Members     int    `json:"members" doc:"Number of organizations in the list, up to 5,000."`
	KeepHistory bool   `json:"keep_history" doc:"true: screenings are kept for ten years. false: they are kept for one day."`
	CreatedAt   string `json:"created_at" doc:"When the list was created." format:"date-time"`
	ChangedAt   string `json:"changed_at" doc:"When the list's name, settings or members last changed." format:"date-time"`
}

// ListRequest is the body of a request that makes or changes a list.
type ListRequest struct {
	Name        string `json:"name,omitempty" doc:"Name of the list, up to 100 bytes. Required for a new list."`
	KeepHistory *bool  `json:"keep_history,omitempty" doc:"Whether to keep screenings for ten years. Default for a new list: false."`
}

// ListAnswer is a list without its members.
type ListAnswer struct {
	Head
	List KeptList `json:"list" doc:"The list after the change."`
	Tail
}

// ListMember is an organization of a list.
type ListMember struct {
	Position   int64           `json:"position" doc:"Number that identifies the organization within its list. Numbers are never reused."`
	EIN        *string         `json:"ein" doc:"EIN, nine digits; null if only a name was added."`
	Name       string          `json:"name" doc:"Name as you added it; may be empty."`
	Note       string          `json:"note" doc:"Your note; may be empty."`
	Verdict    *string         `json:"verdict,omitempty" enum:"certain,likely,several,nobody" doc:"Confidence in the first candidate; …"`
	Candidates []ListCandidate `json:"candidates,omitempty" doc:"Organizations that a name without an EIN may refer to; present only if requested."`
}

// ListCandidate is an organization that a name may mean.
type ListCandidate struct {
	EIN         string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name        string  `json:"name" doc:"Display name of the organization."`
	City        *string `json:"city" doc:"City."`
	State       *string `json:"state" doc:"Two-letter US state."`
	Probability float64 `json:"probability" doc:"Probability that the name refers to this organization, from 0 to 1."`
	Why         string  `json:"why" doc:"A short reason."`
}

// ListPage is a page of what a list has: organizations, results of a screening, or alerts.
type ListPage[T any] struct {
	Head
	List         KeptList `json:"list" doc:"The list."`
	Run          *ListRun `json:"run,omitempty" doc:"The screening; present only with the results of a screening."`
	Hits         int64    `json:"hits" doc:"Total number of rows."`
	ResultsCount int      `json:"results_count" doc:"Number of rows on this page."`
	NextCursor   *string  `json:"next_cursor" doc:"Send this as cursor to get the next page; null on the last page."`
	Results      []T      `json:"results" doc:"The rows of this page."`
	Tail
}

// Next is the cursor of the next page, nil at the end.
func (l *ListPage[T]) Next() *string { return l.NextCursor }

// NewMember is an organization to add to a list.
type NewMember struct {
	EIN  string `json:"ein,omitempty" doc:"EIN, with or without the hyphen."`
	Name string `json:"name,omitempty" doc:"Name, up to 300 bytes."`
	Note string `json:"note,omitempty" doc:"Your note, up to 500 bytes."`
}

// AddRequest is the body of a request that adds organizations to a list.
type AddRequest struct {
	Members []NewMember `json:"members" doc:"Up to 5,000 organizations, each with an EIN, a name or both. A plain string is read as an EIN."`
}

// RemoveRequest is the body of a request that removes organizations from a list.
type RemoveRequest struct {
	Positions []int64 `json:"positions" doc:"Positions of up to 1,000 organizations to remove."`
}

// MembersChanged says what became of a list.
type MembersChanged struct {
	Head
	List      KeptList     `json:"list" doc:"The list after the change."`
	Changed   int          `json:"changed" doc:"Number of organizations added or removed. Organizations already in the list are not added again."`
	Names     []ListMember `json:"names" doc:"The first ten names added without an EIN, each with its candidates."`
	NamesLeft int          `json:"names_left" doc:"Number of other names added without an EIN. To get them, call GET /lists/{list}?names=1."`
	Tail
}

// ListRun is a screening of a list. It goes on part by part until it has ended.
type ListRun struct {
	ID        string     `json:"id" doc:"ID of the screening, used in URLs."`
	StartedAt string     `json:"started_at" doc:"When the screening started." format:"date-time"`
	EndedAt   *string    `json:"ended_at" doc:"When the screening finished; null while organizations remain to be screened." format:"date-time"`
	ExpiresAt string     `json:"expires_at" doc:"When the screening and its reports are deleted." format:"date-time"`
	Members   int        `json:"members" doc:"Number of organizations in the list when the screening started."`
	Screened  int        `json:"screened" doc:"Number of organizations screened so far."`
	Dataset   string     `json:"dataset" doc:"Dataset build used for the last batch; empty before the first batch."`
	Counts    ListCounts `json:"counts" doc:"Results so far, by outcome."`
}

// ListRunsAnswer is the screenings of a list.
type ListRunsAnswer struct {
	Head
	ResultsCount int       `json:"results_count" doc:"Number of stored screenings, up to 200."`
	Runs         []ListRun `json:"runs" doc:"The screenings, latest first."`
	Tail
}

// ListCounts counts the results of a screening by outcome.
type ListCounts struct {
	CloserLook  int `json:"closer_look" doc:"A list requires a closer look, or two lists disagree."`
	NotScreened int `json:"not_screened" doc:"No list requires a closer look, but at least one list was unavailable."`
	NoFindings  int `json:"no_findings" doc:"All lists were screened, and none requires a closer look."`
	NotFound    int `json:"not_found" doc:"The EIN is on no list and in no filing."`
	NameOnly    int `json:"name_only" doc:"No EIN. Only the name was compared, with the sanctions list, and nothing matched."`
	Unreadable  int `json:"unreadable" doc:"Could not be screened. The error field gives the reason."`
}

// ListResult is the result of one organization of a list.
type ListResult struct {
	ListMember
	Outcome string          `json:"outcome" enum:"closer_look,not_screened,no_findings,not_found,name_only,unreadable" doc:"Outcome of the screening, as in …"`
	Report  json.RawMessage `json:"report,omitempty" doc:"The signed report, in the format of screenOrganization or screenNames. …"`
	Error   *string         `json:"error" doc:"Why there is no report; null if there is one."`
}
