package agentkeys

import (
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
)

// AgentRules is the answer of GET /agent-key: all that a program needs to know
// to get a key by itself.
type AgentRules struct {
	api.Head
	Mint    MintRules   `json:"mint" doc:"How to ask for a key."`
	Tiers   []TierRules `json:"tiers" doc:"What each tier asks and gives, in rising order."`
	Locked  LockedRules `json:"challenge" doc:"How a key of the anonymous tier is unlocked and refilled."`
	Signing SignRules   `json:"signing" doc:"How a request has to be signed for the tiers above anonymous."`
	api.Tail
}

// MintRules say how a key is asked for.
type MintRules struct {
	Method         string   `json:"method" doc:"HTTP method."`
	URL            string   `json:"url" doc:"Where to send it." format:"uri"`
	Fields         []string `json:"fields" doc:"Fields of the JSON body, all required; they are recorded and not verified."`
	MaxFieldBytes  int      `json:"max_field_bytes" doc:"Bytes that a field may have."`
	MaxPerHour     int      `json:"max_per_hour" doc:"Keys that one network address may mint in an hour; after that 429 with Retry-After."`
	InvalidIsFatal bool     `json:"invalid_signature_is_refused" doc:"A signature that does not hold is answered with 401, never with a key of the anonymous tier."`
}

// TierRules are what a tier asks and gives.
type TierRules struct {
	Tier      string `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"Name of the tier."`
	Shows     string `json:"shows" doc:"What an agent shows to get it."`
	LifetimeS int    `json:"lifetime_s" doc:"Seconds from minting to the end of the key."`
	Calls     int    `json:"calls" doc:"Calls in all."`
	Refills   bool   `json:"refills" doc:"Whether answering another challenge gives the calls again."`
	MaxLimit  int    `json:"max_limit" doc:"The most rows in a page; a larger limit is served at this one, with a caveat."`
}

// LockedRules say how a key is unlocked.
type LockedRules struct {
	Answer    string `json:"answer" doc:"Where answers are sent, by POST, with the key in X-API-Key." format:"uri"`
	Renew     string `json:"renew" doc:"Where a key with no calls left asks for the next challenge, by POST." format:"uri"`
	Attempts  int    `json:"attempts" doc:"Answers to one challenge; after the last wrong one there is a new challenge."`
	WaitsS    []int  `json:"waits_s" doc:"Seconds to wait after the first wrong answer, the second, and so on."`
	MostCalls int    `json:"most_calls" doc:"How often a locked key may make the calls of one challenge; they are not counted otherwise."`
}

// SignRules are the requirements on a signature.
type SignRules struct {
	Profile        string          `json:"profile" doc:"What kind of signature is meant."`
	Authority      string          `json:"authority" doc:"The value of @authority: the address of this service."`
	Algorithms     []string        `json:"algorithms" doc:"Algorithms that are accepted."`
	Tag            string          `json:"tag" doc:"The tag parameter."`
	Headers        []string        `json:"headers" doc:"Headers that a signed request has."`
	Components     []SignComponent `json:"components" doc:"What the signature must cover."`
	Parameters     []SignParameter `json:"parameters" doc:"Parameters of the signature."`
	SignatureAgent []SignForm      `json:"signature_agent" doc:"The two forms of the Signature-Agent header, each with the Signature-Input that goes with it."`
	Directory      SignDirectory   `json:"directory" doc:"Where and how the public key is published."`
	Limits         SignLimits      `json:"limits" doc:"Bounds of times and lengths."`
}

// SignComponent is something that a signature must cover.
type SignComponent struct {
	OneOf []string `json:"one_of" doc:"Any of these will do."`
	About string   `json:"about" doc:"What it is."`
}

// SignParameter is a parameter of a signature.
type SignParameter struct {
	Name     string `json:"name" doc:"Its name."`
	Type     string `json:"type" doc:"Type of its value."`
	Required bool   `json:"required" doc:"Whether it must be there."`
	About    string `json:"about" doc:"What it must be."`
}

// SignForm is a form of the Signature-Agent header.
type SignForm struct {
	Form           string `json:"form" doc:"dictionary or string."`
	SignatureAgent string `json:"signature_agent" doc:"The header Signature-Agent."`
	SignatureInput string `json:"signature_input" doc:"The header Signature-Input that covers it."`
}

// SignDirectory says how a key is published.
type SignDirectory struct {
	Path         string   `json:"path" doc:"Path at the host of the Signature-Agent."`
	MediaType    string   `json:"media_type" doc:"Content-Type of the directory."`
	Format       string   `json:"format" doc:"What is in it."`
	Fetch        string   `json:"fetch" doc:"How it is fetched."`
	MaxBytes     int      `json:"max_bytes" doc:"Bytes that are read."`
	MaxKeys      int      `json:"max_keys" doc:"Keys that are read."`
	TimeoutS     int      `json:"timeout_s" doc:"Seconds that a fetch may take."`
	MinIntervalS int      `json:"min_interval_s" doc:"A host is asked at most once in so many seconds."`
	MaxCacheS    int      `json:"max_cache_s" doc:"How long an answer is kept at most."`
	AttestedTag  string   `json:"attested_tag" doc:"Tag of the signature on the directory itself that earns the attested tier."`
	AttestedBy   []string `json:"attested_components" doc:"What that signature covers."`
}

// SignLimits are bounds of times and lengths.
type SignLimits struct {
	WindowS        int `json:"window_s" doc:"Seconds from created to expires at most."`
	SkewS          int `json:"skew_s" doc:"Seconds that created may lie in the future."`
	MinNonceLength int `json:"nonce_min_length" doc:"Characters of a nonce at least."`
	MaxNonceLength int `json:"nonce_max_length" doc:"Characters of a nonce at most."`
	MaxHeaderBytes int `json:"header_max_bytes" doc:"Bytes of each header at most."`
}

// signRules puts the requirements of the verifier into the words of the wire.
func signRules(r httpsig.Requirements) SignRules {
	s := SignRules{
		Profile: r.Profile, Authority: r.Authority, Algorithms: r.Algorithms, Tag: r.Tag, Headers: r.Headers,
		Directory: SignDirectory(r.Directory), Limits: SignLimits(r.Limits),
	}
	for _, c := range r.Components {
		s.Components = append(s.Components, SignComponent(c))
	}
	for _, p := range r.Parameters {
		s.Parameters = append(s.Parameters, SignParameter(p))
	}
	for _, f := range r.SignatureAgent {
		s.SignatureAgent = append(s.SignatureAgent, SignForm(f))
	}
	return s
}

// shows says what an agent shows to get a tier.
var shows = map[account.Tier]string{
	account.Anonymous: "The answers to the challenge the key arrives with.",
	account.Signed:    "A valid signature on the request for a key, by a key in the directory of the Signature-Agent host.",
	account.Attested:  "As signed, and a valid signature by the same key on the response that is the directory.",
	account.Trusted:   "As signed, from a Signature-Agent host that this service trusts.",
}

// rules are the rules of a service.
func rules(c *api.Call, keys *agent.Keys) *AgentRules {
	at := URL(c.Base)
	a := &AgentRules{
		Head:    api.Success,
		Mint:    MintRules{Method: "POST", URL: at, Fields: []string{"purpose", "source"}, MaxFieldBytes: maxPurpose, MaxPerHour: account.MintsAnHour, InvalidIsFatal: true},
		Locked:  LockedRules{Answer: at + "/answer", Renew: at + "/challenge", Attempts: account.MostAttempts, MostCalls: account.MostCalls},
		Signing: signRules(keys.Requirements()), Tail: c.Tail(),
	}
	for i := range account.MostAttempts - 1 {
		a.Locked.WaitsS = append(a.Locked.WaitsS, account.Seconds(account.FirstWait<<i))
	}
	for _, t := range account.Tiers() {
		a.Tiers = append(a.Tiers, TierRules{string(t.Tier), shows[t.Tier], account.Seconds(t.Lifetime), t.Calls, t.Tier == account.Anonymous, t.Rows})
	}
	return a
}
