package agentkeys

import (
	"grantgraph/client"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/api"
)

// shows says what an agent must show to get a key of a tier.
var shows = map[account.Tier]string{
	account.Anonymous: "The answers to the challenge the key arrives with.",
	account.Signed:    "A valid signature on the request for a key, by a key in the directory of the Signature-Agent host.",
	account.Attested:  "As signed, and a valid signature by the same key on the response that is the directory.",
	account.Trusted:   "As signed, from a Signature-Agent host that this service trusts.",
}

func rules(c *api.Call, keys *agent.Keys) *client.AgentRules {
	at := URL(c.Base)
	a := &client.AgentRules{
		Head: api.Success,
		Mint: client.MintRules{
			Method: "POST", URL: at, Fields: []string{"purpose", "source"}, MaxFieldBytes: maxPurpose, MaxPerHour: account.MintsAnHour, InvalidIsFatal: true,
		},
		Locked:  client.LockedRules{Answer: at + "/answer", Renew: at + "/challenge", Attempts: account.MostAttempts, MostCalls: account.MostCalls},
		Signing: keys.Requirements(), Tail: c.Tail(),
	}
	for i := range account.MostAttempts - 1 {
		a.Locked.WaitsS = append(a.Locked.WaitsS, account.Seconds(account.FirstWait<<i))
	}
	for _, t := range account.Tiers() {
		a.Tiers = append(a.Tiers, client.TierRules{
			Tier: string(t.Tier), Shows: shows[t.Tier], LifetimeS: account.Seconds(t.Lifetime), Calls: t.Calls, Refills: t.Tier == account.Anonymous,
			MaxLimit: t.Rows,
		})
	}
	return a
}
