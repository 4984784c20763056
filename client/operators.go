package client

import "encoding/json"

// FoundPage is a page of what an operator looked for. The operations of operators have no methods here, like those for billing systems.
type FoundPage struct {
	Head
	ResultsCount int               `json:"results_count" doc:"Rows in this page."`
	NextCursor   *string           `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Results      []json.RawMessage `json:"results" doc:"The rows. The description of the operation names their members; the example shows them."`
	Tail
}

// Next is the cursor of the next page, nil on the last one.
func (f *FoundPage) Next() *string { return f.NextCursor }

// NewKeyRequest is the body of a request that makes a key.
type NewKeyRequest struct {
	Plan    string `json:"plan,omitempty" enum:"free,plus,pro,internal" doc:"Plan of a key without an account; free by default."`
	Account string `json:"account,omitempty" doc:"Email address or ID of the account that gets the key, on its own plan."`
	Email   string `json:"email,omitempty" doc:"A note of who holds a key without an account."`
	Label   string `json:"label,omitempty" doc:"What it is for, at most 200 bytes."`
}

// NewKeyAnswer is a key with its secret.
type NewKeyAnswer struct {
	Head
	APIKey string   `json:"api_key" doc:"The key itself, which is shown only here."`
	Key    KeyState `json:"key" doc:"The key."`
	Tail
}

// InvitationRequest is the body of an invitation.
type InvitationRequest struct {
	Email string `json:"email" doc:"Email address of the person."`
	Send  bool   `json:"send,omitempty" doc:"Whether the service sends the link by email. Otherwise you send it."`
}

// InvitationAnswer is an invitation.
type InvitationAnswer struct {
	Head
	Account AccountState `json:"account" doc:"The account, which opens once the link is followed."`
	Link    *string      `json:"link" doc:"Works once, for two weeks; null if it was sent by email."`
	Tail
}

// StatusAnswer is what an operator wants to know at a glance.
type StatusAnswer struct {
	Head
	Status json.RawMessage `json:"status" doc:"The status, as grantgraph status --json prints it. What is not known is null."`
	Tail
}
