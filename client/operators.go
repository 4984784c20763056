package client

import "encoding/json"

// FoundPage is a page of what an operator looked for. The operations of operators have no methods here, like those for billing systems.
type FoundPage struct {
	Head
	ResultsCount int               `json:"results_count" doc:"Number of rows on this page."`
	NextCursor   *string           `json:"next_cursor" doc:"Send this as cursor to get the next page; null on the last page."`
	Results      []json.RawMessage `json:"results" doc:"The rows. The operation's description lists their fields, and its example shows them."`
	Tail
}

// Next is the cursor of the next page, nil on the last one.
func (f *FoundPage) Next() *string { return f.NextCursor }

// NewKeyRequest is the body of a request that makes a key.
type NewKeyRequest struct {
	Plan    string `json:"plan,omitempty" enum:"free,plus,pro,internal" doc:"Plan of a key without an account. Default: free."`
	Account string `json:"account,omitempty" doc:"Email address or ID of the account that gets the key. The key uses the account's plan."`
	Email   string `json:"email,omitempty" doc:"Contact email address for a key without an account."`
	Label   string `json:"label,omitempty" doc:"What the key is for, up to 200 bytes."`
}

// NewKeyAnswer is a key with its secret.
type NewKeyAnswer struct {
	Head
	APIKey string   `json:"api_key" doc:"The secret key. It is shown only once."`
	Key    KeyState `json:"key" doc:"The key."`
	Tail
}

// InvitationRequest is the body of an invitation.
type InvitationRequest struct {
	Email string `json:"email" doc:"Email address of the person to invite."`
	Send  bool   `json:"send,omitempty" doc:"true: the service emails the link. false: you send the link yourself."`
}

// InvitationAnswer is an invitation.
type InvitationAnswer struct {
	Head
	Account AccountState `json:"account" doc:"The account. It opens when the person follows the link."`
	Link    *string      `json:"link" doc:"Link that works once, for two weeks; null if the service emailed it."`
	Tail
}

// RejectionRequest is the body of a request that rejects a correction.
type RejectionRequest struct {
	Reason string `json:"reason" doc:"Why you reject the correction, for later reviewers; up to 2,000 bytes."`
}

// CorrectionAnswer is a correction of a wrong match.
type CorrectionAnswer struct {
	Head
	Correction json.RawMessage `json:"correction" doc:"The correction with its evidence. The description of getCorrection lists its fields."`
	Row        *string         `json:"row" doc:"The new row of overrides/human.csv if the correction was accepted; null otherwise."`
	Next       *string         `json:"next_step" doc:"What you must do before a build can use the row; null if nothing."`
	Tail
}

// StatusAnswer is what an operator wants to know at a glance.
type StatusAnswer struct {
	Head
	Status json.RawMessage `json:"status" doc:"The status, in the format of grantgraph status --json. Unknown values are null."`
	Tail
}
