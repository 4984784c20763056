package client

// AgentKeyAnswer is the state of the key of an agent.
type AgentKeyAnswer struct {
	Head
	APIKey    string          `json:"api_key" doc:"The key. Shown only here; we do not store it. Responses to requests with a key repeat that key."`
	Status    string          `json:"status" enum:"locked,unlocked,spent" doc:"locked: only the calls of the challenge may be made. unlocked: calls are left. …"`
	Tier      string          `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"What the agent has shown of itself."`
	ExpiresAt string          `json:"expires_at" doc:"When the key ends, whatever is left." format:"date-time"`
	Calls     AgentCalls      `json:"calls" doc:"The allowance of the key."`
	Challenge *AgentChallenge `json:"challenge,omitempty" doc:"What has to be answered to unlock the key; absent when there is nothing to answer."`
	Tail
}

// AgentCalls is the allowance of the key of an agent.
type AgentCalls struct {
	Limit     int `json:"limit" doc:"Calls in the allowance."`
	Remaining int `json:"remaining" doc:"Calls left of it; a locked key has none."`
}

// AgentChallenge is a set of questions about the rows of three calls.
type AgentChallenge struct {
	ID           string          `json:"id" doc:"Names the challenge."`
	Questions    []AgentQuestion `json:"questions" doc:"Two or three questions; the answers are sent in this order."`
	Calls        []AgentCall     `json:"calls" doc:"The three calls that the questions are about, numbered from 1 in this order. …"`
	AnswerTo     AgentCall       `json:"answer_to" doc:"Where the answers go: send them there as {\"answers\": [...]}, with the key as X-API-Key."`
	AttemptsLeft int             `json:"attempts_left" doc:"Answers that may still be sent; after the last wrong one there is a new challenge."`
	RetryAfterS  int             `json:"retry_after_s" doc:"Seconds to wait before the next answer."`
}

// AgentQuestion is one question of a challenge.
type AgentQuestion struct {
	ID         string `json:"id" doc:"Names the question within the challenge."`
	Text       string `json:"text" doc:"The question."`
	AnswerType string `json:"answer_type" enum:"integer,organization,text" doc:"integer: whole dollars. organization: a name or an EIN. text: wording as filed."`
}

// AgentCall is a request that a locked key may make.
type AgentCall struct {
	Method string `json:"method" doc:"HTTP method."`
	URL    string `json:"url" doc:"Address. The order of its parameters does not matter, everything else does." format:"uri"`
}

// MintRequest is the body of a request for a key.
type MintRequest struct {
	Purpose string `json:"purpose" doc:"What the key is for, in a few words; recorded, not verified."`
	Source  string `json:"source" doc:"How you learned of this service; recorded, not verified."`
}

// AnswerRequest is the body of an answer to a challenge.
type AnswerRequest struct {
	Answers []string `json:"answers" doc:"One answer per question, in the order of the questions."`
}

// AgentAttempt is what the refusal of an answer to a challenge has beside the members of a Failure; Error.Body has it.
type AgentAttempt struct {
	AttemptsLeft *int            `json:"attempts_left,omitempty" doc:"Of an answer to a challenge: attempts left for it."`
	RetryAfterS  *int            `json:"retry_after_s,omitempty" doc:"Of an answer to a challenge: seconds to wait before the next."`
	Challenge    *AgentChallenge `json:"challenge,omitempty" doc:"Of an answer to a challenge: the new one, where there is one."`
}

// AgentRules is the answer of GET /agent-key: all that a program needs to know to get a key by itself.
type AgentRules struct {
	Head
	Mint    MintRules   `json:"mint" doc:"How to ask for a key."`
	Tiers   []TierRules `json:"tiers" doc:"What each tier asks and gives, in rising order."`
	Locked  LockedRules `json:"challenge" doc:"How a key of the anonymous tier is unlocked and refilled."`
	Signing SignRules   `json:"signing" doc:"How a request has to be signed for the tiers above anonymous."`
	Tail
}

// MintRules say how a key is asked for.
type MintRules struct {
	Method         string   `json:"method" doc:"HTTP method."`
	URL            string   `json:"url" doc:"Where to send it." format:"uri"`
	Fields         []string `json:"fields" doc:"Fields of the JSON body, all required; they are recorded and not verified."`
	MaxFieldBytes  int      `json:"max_field_bytes" doc:"Bytes that a field may have."`
	MaxPerHour     int      `json:"max_per_hour" doc:"Keys that one network address may mint in an hour; after that 429 with Retry-After."`
	InvalidIsFatal bool     `json:"invalid_signature_is_refused" doc:"A signature that does not hold is answered with 401, …"`
}

// TierRules are what a tier of agent keys asks and gives.
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

// SignRules are the requirements on a signed request.
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

// SignLimits are the bounds of times and lengths in a signature.
type SignLimits struct {
	WindowS        int `json:"window_s" doc:"Seconds from created to expires at most."`
	SkewS          int `json:"skew_s" doc:"Seconds that created may lie in the future."`
	MinNonceLength int `json:"nonce_min_length" doc:"Characters of a nonce at least."`
	MaxNonceLength int `json:"nonce_max_length" doc:"Characters of a nonce at most."`
	MaxHeaderBytes int `json:"header_max_bytes" doc:"Bytes of each header at most."`
}
