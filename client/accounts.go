package client

import "encoding/json"

// KeyAnswer is one key, as a billing system sees it. The operations for billing systems have no methods here:
// call them with Do, and set the admin token as Authorization in Request.Sign.
type KeyAnswer struct {
	Head
	Key KeyState `json:"key" doc:"The key."`
	Tail
}

// AccountAnswer is one account with its keys.
type AccountAnswer struct {
	Head
	Account AccountState `json:"account" doc:"The account."`
	Keys    []KeyState   `json:"keys" doc:"Its keys, oldest first."`
	Tail
}

// KeyState is what is known of a key; its secret is not.
type KeyState struct {
	ID        string  `json:"id" doc:"Names the key; stays the same when it is rotated."`
	Plan      string  `json:"plan" enum:"free,plus,pro,internal,agent" doc:"Its plan; internal has no limit, and agent is for the trial key of an agent."`
	Tier      *string `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"Tier of the key of an agent."`
	Account   *string `json:"account" doc:"Account it belongs to; null when it belongs to none."`
	Email     *string `json:"email" doc:"Email address noted with it."`
	Label     *string `json:"label" doc:"Label."`
	Active    bool    `json:"active" doc:"Whether it works."`
	CreatedAt string  `json:"created_at" doc:"When it was made." format:"date-time"`
	RotatedAt string  `json:"rotated_at" doc:"When its present secret was made." format:"date-time"`
	Calls     Balance `json:"calls" doc:"Its allowance."`
}

// Balance is the allowance of a key with its end.
type Balance struct {
	Limit     int     `json:"limit" doc:"Calls in the allowance."`
	Remaining int     `json:"remaining" doc:"Calls left of it."`
	ResetAt   *string `json:"reset_at" doc:"When it resets; for an agent, when the key expires." format:"date-time"`
}

// AccountState is what is known of an account.
type AccountState struct {
	ID        string `json:"id" doc:"Names the account."`
	Email     string `json:"email" doc:"Email address."`
	Verified  bool   `json:"verified" doc:"Whether the address is confirmed."`
	Plan      string `json:"plan" enum:"free,plus,pro,internal" doc:"Plan of all its keys."`
	Active    bool   `json:"active" doc:"Whether its keys work and it may make others."`
	CreatedAt string `json:"created_at" doc:"When it was made." format:"date-time"`
}

// PlanRequest is the body of a change of plan, of a key or an account.
type PlanRequest struct {
	Plan string `json:"plan" enum:"free,plus,pro,internal" doc:"The plan to move to."`
}

// AccountExport is everything that the service keeps about an account.
type AccountExport struct {
	Head
	Export json.RawMessage `json:"export" doc:"When it was exported, and its parts with their rows. It has no secrets."`
	Tail
}
