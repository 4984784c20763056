package client

// AgentKeyAnswer is the state of the key of an agent.
type AgentKeyAnswer struct {
	Head
	APIKey    string          `json:"api_key" doc:"The key. We show it once and do not store it. Requests made with a key return that same key here."`
	Status    string          `json:"status" enum:"locked,unlocked,spent" doc:"locked: only the calls of the challenge are allowed. unlocked: calls remain. …"`
	Tier      string          `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"The agent's tier, which depends on how the agent identified itself."`
	ExpiresAt string          `json:"expires_at" doc:"When the key expires, even if calls remain." format:"date-time"`
	Calls     AgentCalls      `json:"calls" doc:"The key's call allowance."`
	Challenge *AgentChallenge `json:"challenge,omitempty" doc:"The challenge that unlocks the key; absent if there is none to answer."`
	Tail
}

// AgentCalls is the allowance of the key of an agent.
type AgentCalls struct {
	Limit     int `json:"limit" doc:"Calls included in the allowance."`
	Remaining int `json:"remaining" doc:"Calls left in the allowance; 0 for a locked key."`
}

// AgentChallenge is a set of questions about the rows of three calls.
type AgentChallenge struct {
	ID           string          `json:"id" doc:"ID of the challenge."`
	Questions    []AgentQuestion `json:"questions" doc:"Two or three questions. Send the answers in the same order."`
	Calls        []AgentCall     `json:"calls" doc:"The three calls that the questions refer to, numbered from 1. A locked key can make only these calls. …"`
	AnswerTo     AgentCall       `json:"answer_to" doc:"Where the answers go: send them there as {\"answers\": [...]}, with the key as X-API-Key."`
	AttemptsLeft int             `json:"attempts_left" doc:"Attempts left. After the last wrong attempt, you get a new challenge."`
	RetryAfterS  int             `json:"retry_after_s" doc:"Seconds to wait before your next attempt."`
}

// AgentQuestion is one question of a challenge.
type AgentQuestion struct {
	ID         string `json:"id" doc:"ID of the question within the challenge."`
	Text       string `json:"text" doc:"The question."`
	AnswerType string `json:"answer_type" enum:"integer,organization,text" doc:"Type of answer. integer: whole dollars. organization: a name or an EIN. …"`
}

// AgentCall is a request that a locked key may make.
type AgentCall struct {
	Method string `json:"method" doc:"HTTP method."`
	URL    string `json:"url" doc:"URL. Parameters may be in any order; everything else must match exactly." format:"uri"`
}

// MintRequest is the body of a request for a key.
type MintRequest struct {
	Purpose string `json:"purpose" doc:"What you will use the key for, in a few words. We record your answer and do not verify it."`
	Source  string `json:"source" doc:"How you learned about this service. We record your answer and do not verify it."`
}

// AnswerRequest is the body of an answer to a challenge.
type AnswerRequest struct {
	Answers []string `json:"answers" doc:"One answer per question, in the order of the questions."`
}

// AgentAttempt is what the refusal of an answer to a challenge has beside the members of a Failure; Error.Body has it.
type AgentAttempt struct {
	AttemptsLeft *int            `json:"attempts_left,omitempty" doc:"After a wrong answer: attempts left for this challenge."`
	RetryAfterS  *int            `json:"retry_after_s,omitempty" doc:"Seconds to wait before the next attempt."`
	Challenge    *AgentChallenge `json:"challenge,omitempty" doc:"The new challenge, if there is one."`
}

// AgentRules is the answer of GET /agent-key: all that a program needs to know to get a key by itself.
type AgentRules struct {
	Head
	Mint    MintRules   `json:"mint" doc:"How to request a key."`
	Tiers   []TierRules `json:"tiers" doc:"What each tier requires and includes, lowest tier first."`
	Locked  LockedRules `json:"challenge" doc:"How to unlock and refill a key of the anonymous tier."`
	Signing SignRules   `json:"signing" doc:"How to sign a request for a tier above anonymous."`
	Tail
}

// MintRules say how a key is asked for.
type MintRules struct {
	Method         string   `json:"method" doc:"HTTP method."`
	URL            string   `json:"url" doc:"URL to send the request to." format:"uri"`
	Fields         []string `json:"fields" doc:"Fields of the JSON body, all required. We record the values and do not verify them."`
	MaxFieldBytes  int      `json:"max_field_bytes" doc:"Maximum length of a field, in bytes."`
	MaxPerHour     int      `json:"max_per_hour" doc:"Keys that one network address can mint per hour. After that, the response is 429 with Retry-After."`
	InvalidIsFatal bool     `json:"invalid_signature_is_refused" doc:"An invalid signature gets a 401, not a key of the anonymous tier."`
}

// TierRules are what a tier of agent keys asks and gives.
type TierRules struct {
	Tier      string `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"Name of the tier."`
	Shows     string `json:"shows" doc:"What an agent must present to get the tier."`
	LifetimeS int    `json:"lifetime_s" doc:"Seconds from minting until the key expires."`
	Calls     int    `json:"calls" doc:"Calls included in total."`
	Refills   bool   `json:"refills" doc:"Whether answering another challenge restores the calls."`
	MaxLimit  int    `json:"max_limit" doc:"Maximum rows per page. A larger limit is reduced to this value, with a caveat."`
}

// LockedRules say how a key is unlocked.
type LockedRules struct {
	Answer    string `json:"answer" doc:"URL to POST the answers to, with the key in X-API-Key." format:"uri"`
	Renew     string `json:"renew" doc:"URL to POST to for the next challenge when a key has no calls left." format:"uri"`
	Attempts  int    `json:"attempts" doc:"Attempts per challenge. After the last wrong attempt, you get a new challenge."`
	WaitsS    []int  `json:"waits_s" doc:"Seconds to wait after the first wrong attempt, after the second, and so on."`
	MostCalls int    `json:"most_calls" doc:"How many times a locked key can make the calls of one challenge. These calls do not count against your allowance."`
}

// SignRules are the requirements on a signed request.
type SignRules struct {
	Profile        string          `json:"profile" doc:"Type of signature required."`
	Authority      string          `json:"authority" doc:"Required value of @authority: the host of this service."`
	Algorithms     []string        `json:"algorithms" doc:"Accepted algorithms."`
	Tag            string          `json:"tag" doc:"Required value of the tag parameter."`
	Headers        []string        `json:"headers" doc:"Headers that a signed request must have."`
	Components     []SignComponent `json:"components" doc:"Components that the signature must cover."`
	Parameters     []SignParameter `json:"parameters" doc:"Parameters of the signature."`
	SignatureAgent []SignForm      `json:"signature_agent" doc:"The two accepted forms of the Signature-Agent header, each with its matching Signature-Input."`
	Directory      SignDirectory   `json:"directory" doc:"How to publish the public key."`
	Limits         SignLimits      `json:"limits" doc:"Limits on times and lengths."`
}

// SignComponent is something that a signature must cover.
type SignComponent struct {
	OneOf []string `json:"one_of" doc:"The signature must cover at least one of these."`
	About string   `json:"about" doc:"Description of the component."`
}

// SignParameter is a parameter of a signature.
type SignParameter struct {
	Name     string `json:"name" doc:"Name of the parameter."`
	Type     string `json:"type" doc:"Type of the value."`
	Required bool   `json:"required" doc:"Whether the parameter is required."`
	About    string `json:"about" doc:"Required value of the parameter."`
}

// SignForm is a form of the Signature-Agent header.
type SignForm struct {
	Form           string `json:"form" doc:"dictionary or string."`
	SignatureAgent string `json:"signature_agent" doc:"Example of the Signature-Agent header."`
	SignatureInput string `json:"signature_input" doc:"Example of the Signature-Input header that covers it."`
}

// SignDirectory says how a key is published.
type SignDirectory struct {
	Path         string   `json:"path" doc:"Path of the directory on the Signature-Agent host."`
	MediaType    string   `json:"media_type" doc:"Content-Type of the directory."`
	Format       string   `json:"format" doc:"Contents of the directory."`
	Fetch        string   `json:"fetch" doc:"How we fetch the directory."`
	MaxBytes     int      `json:"max_bytes" doc:"Maximum size of the directory that we read, in bytes."`
	MaxKeys      int      `json:"max_keys" doc:"Maximum number of keys that we read."`
	TimeoutS     int      `json:"timeout_s" doc:"Seconds before a fetch times out."`
	MinIntervalS int      `json:"min_interval_s" doc:"Minimum seconds between two fetches from the same host."`
	MaxCacheS    int      `json:"max_cache_s" doc:"Maximum seconds that we cache the directory."`
	AttestedTag  string   `json:"attested_tag" doc:"Tag of the signature over the directory itself that earns the attested tier."`
	AttestedBy   []string `json:"attested_components" doc:"Components that the directory's signature must cover."`
}

// SignLimits are the bounds of times and lengths in a signature.
type SignLimits struct {
	WindowS        int `json:"window_s" doc:"Maximum seconds from created to expires."`
	SkewS          int `json:"skew_s" doc:"Maximum seconds that created may be in the future."`
	MinNonceLength int `json:"nonce_min_length" doc:"Minimum length of the nonce, in characters."`
	MaxNonceLength int `json:"nonce_max_length" doc:"Maximum length of the nonce, in characters."`
	MaxHeaderBytes int `json:"header_max_bytes" doc:"Maximum length of each header, in bytes."`
}
