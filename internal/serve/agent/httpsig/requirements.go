package httpsig

import "time"

// Requirements tell a client developer, in a form a program can read, exactly
// how to sign a request so that Verify accepts it.
type Requirements struct {
	Profile        string           `json:"profile"`
	Authority      string           `json:"authority"`
	Algorithms     []string         `json:"algorithms"`
	Tag            string           `json:"tag"`
	Headers        []string         `json:"headers"`
	Components     []Component      `json:"components"`
	Parameters     []Parameter      `json:"parameters"`
	SignatureAgent []AgentForm      `json:"signature_agent"`
	Directory      DirectoryRequire `json:"directory"`
	Limits         LimitsRequire    `json:"limits"`
}

// Component is something that the signature must cover.
type Component struct {
	OneOf []string `json:"one_of"` // any of these will do
	About string   `json:"about"`
}

// Parameter is a parameter of the signature.
type Parameter struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	About    string `json:"about"`
}

// AgentForm is one of the two forms of the Signature-Agent header.
type AgentForm struct {
	Form           string `json:"form"`
	SignatureAgent string `json:"signature_agent"`
	SignatureInput string `json:"signature_input"`
}

// DirectoryRequire says where and how the key is published.
type DirectoryRequire struct {
	Path         string   `json:"path"`
	MediaType    string   `json:"media_type"`
	Format       string   `json:"format"`
	Fetch        string   `json:"fetch"`
	MaxBytes     int      `json:"max_bytes"`
	MaxKeys      int      `json:"max_keys"`
	TimeoutS     int      `json:"timeout_s"`
	MinIntervalS int      `json:"min_interval_s"`
	MaxCacheS    int      `json:"max_cache_s"`
	AttestedTag  string   `json:"attested_tag"`
	AttestedBy   []string `json:"attested_components"`
}

// LimitsRequire are the bounds of times and lengths.
type LimitsRequire struct {
	WindowS        int `json:"window_s"`
	SkewS          int `json:"skew_s"`
	MinNonceLength int `json:"nonce_min_length"`
	MaxNonceLength int `json:"nonce_max_length"`
	MaxHeaderBytes int `json:"header_max_bytes"`
}

// Requirements lists what this Verifier asks of a signature.
func (v *Verifier) Requirements() Requirements {
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	const params = `;created=CREATED;expires=EXPIRES;keyid="THUMBPRINT";nonce="NONCE";tag="` + Tag + `"`
	return Requirements{
		Profile:    "RFC 9421 HTTP message signature, web-bot-auth",
		Authority:  v.authority,
		Algorithms: []string{Algorithm},
		Tag:        Tag,
		Headers:    []string{"Signature-Agent", "Signature-Input", "Signature"},
		Components: []Component{
			{OneOf: []string{`"@authority"`, `"@target-uri"`}, About: "the address of this service as given in authority, not of any proxy"},
			{OneOf: []string{`"signature-agent";key="LABEL"`, `"signature-agent"`}, About: "the member of the dictionary, or the whole header when it is a bare string"},
		},
		Parameters: []Parameter{
			{Name: "created", Type: "integer", Required: true, About: "Unix time in seconds, not in the future"},
			{Name: "expires", Type: "integer", Required: true, About: "Unix time in seconds, later than now and within window_s of created"},
			{Name: "keyid", Type: "string", Required: true, About: "base64url SHA-256 thumbprint of the JSON web key (RFC 7638, RFC 8037)"},
			{Name: "nonce", Type: "string", Required: true, About: "random, never used before with this key"},
			{Name: "tag", Type: "string", Required: true, About: Tag + ", on exactly one signature of the request"},
			{Name: "alg", Type: "string", Required: false, About: Algorithm + " if present"},
		},
		SignatureAgent: []AgentForm{
			{Form: "dictionary", SignatureAgent: `sig1="https://agent.example"`, SignatureInput: `sig1=("@authority" "signature-agent";key="sig1")` + params},
			{Form: "string", SignatureAgent: `"https://agent.example"`, SignatureInput: `sig1=("@authority" "signature-agent")` + params},
		},
		Directory: DirectoryRequire{
			Path:         Path,
			MediaType:    MediaType,
			Format:       `JSON web key set; the key has kty "OKP", crv "Ed25519" and x`,
			Fetch:        "GET over https on port 443 of the Signature-Agent host, a domain name with public addresses; status 200, no redirects, no compression",
			MaxBytes:     MaxDirectory,
			MaxKeys:      MaxKeys,
			TimeoutS:     seconds(fetchTimeout),
			MinIntervalS: seconds(rest),
			MaxCacheS:    seconds(maxAge),
			AttestedTag:  DirectoryTag,
			AttestedBy:   []string{`"@authority";req`, `"content-digest"`},
		},
		Limits: LimitsRequire{
			WindowS:        seconds(v.Limits.Window),
			SkewS:          seconds(v.Limits.Skew),
			MinNonceLength: v.Limits.MinNonce,
			MaxNonceLength: v.Limits.MaxNonce,
			MaxHeaderBytes: maxHeader,
		},
	}
}
