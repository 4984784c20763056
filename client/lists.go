package client

import "encoding/json"

// ListMember is an organization of a list.
type ListMember struct {
	Position int64   `json:"position" doc:"Names the organization in its list; never used again."`
	EIN      *string `json:"ein" doc:"EIN, nine digits; null for a name without one."`
	Name     string  `json:"name" doc:"Name as it was added; may be empty."`
	Note     string  `json:"note" doc:"Note of the owner; may be empty."`
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
	Report  json.RawMessage `json:"report,omitempty" doc:"The signed report, as from screenOrganization or, for a name, from screenNames. Keep its bytes."`
	Error   *string         `json:"error" doc:"Why there is no report; null when there is one."`
}
