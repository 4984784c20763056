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
	Keys    []KeyState   `json:"keys" doc:"The account's keys, oldest first."`
	Tail
}

// KeyState is what is known of a key; its secret is not.
type KeyState struct {
	ID        string  `json:"id" doc:"ID of the key. Rotating the key does not change its ID."`
	Plan      string  `json:"plan" enum:"free,plus,pro,internal,agent" doc:"Plan of the key. internal has no limit; agent means the trial key of an agent."`
	Tier      *string `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"Tier of an agent's key; null for other keys."`
	Account   *string `json:"account" doc:"ID of the account that owns the key; null if the key has no account."`
	Email     *string `json:"email" doc:"Contact email address stored with the key."`
	Label     *string `json:"label" doc:"Label of the key."`
	Active    bool    `json:"active" doc:"Whether the key works."`
	CreatedAt string  `json:"created_at" doc:"When the key was created." format:"date-time"`
	RotatedAt string  `json:"rotated_at" doc:"When the current secret was created." format:"date-time"`
	Calls     Balance `json:"calls" doc:"The key's call allowance."`
}

// Balance is the allowance of a key with its end.
type Balance struct {
	Limit     int     `json:"limit" doc:"Calls included in the allowance."`
	Remaining int     `json:"remaining" doc:"Calls left in the allowance."`
	ResetAt   *string `json:"reset_at" doc:"When the allowance resets. For an agent's key, when the key expires." format:"date-time"`
}

// AccountState is what is known of an account.
type AccountState struct {
	ID        string `json:"id" doc:"ID of the account."`
	Email     string `json:"email" doc:"Email address."`
	Verified  bool   `json:"verified" doc:"Whether the email address is confirmed."`
	Plan      string `json:"plan" enum:"free,plus,pro,internal" doc:"Plan of the account and all its keys."`
	Active    bool   `json:"active" doc:"Whether the account's keys work and the account can create more keys."`
	CreatedAt string `json:"created_at" doc:"When the account was created." format:"date-time"`
}

// PlanRequest is the body of a change of plan, of a key or an account.
type PlanRequest struct {
	Plan string `json:"plan" enum:"free,plus,pro,internal" doc:"The new plan."`
}

// AccountExport is everything that the service keeps about an account.
type AccountExport struct {
	Head
	Export json.RawMessage `json:"export" doc:"Everything we store about the account: the time of the export, then each table with its rows. …"`
	Tail
}
