package httpsig

import (
	"time"

	"grantgraph/client"
)

// Requirements tells a client developer, in a form that a program can read, exactly how
// to sign a request so that Verify accepts it.
func (v *Verifier) Requirements() client.SignRules {
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	const params = `;created=CREATED;expires=EXPIRES;keyid="THUMBPRINT";nonce="NONCE";tag="` + Tag + `"`
	return client.SignRules{
		Profile:    "RFC 9421 HTTP message signature, web-bot-auth",
		Authority:  v.authority,
		Algorithms: []string{Algorithm},
		Tag:        Tag,
		Headers:    []string{"Signature-Agent", "Signature-Input", "Signature"},
		Components: []client.SignComponent{
			{OneOf: []string{`"@authority"`, `"@target-uri"`}, About: "the address of this service as given in authority, not of any proxy"},
			{
				OneOf: []string{`"signature-agent";key="LABEL"`, `"signature-agent"`},
				About: "the member of the dictionary, or the whole header when it is a bare string",
			},
		},
		Parameters: []client.SignParameter{
			{Name: "created", Type: "integer", Required: true, About: "Unix time in seconds, not in the future"},
			{Name: "expires", Type: "integer", Required: true, About: "Unix time in seconds, later than now and within window_s of created"},
			{Name: "keyid", Type: "string", Required: true, About: "base64url SHA-256 thumbprint of the JSON web key (RFC 7638, RFC 8037)"},
			{Name: "nonce", Type: "string", Required: true, About: "random, never used before with this key"},
			{Name: "tag", Type: "string", Required: true, About: Tag + ", on exactly one signature of the request"},
			{Name: "alg", Type: "string", Required: false, About: Algorithm + " if present"},
		},
		SignatureAgent: []client.SignForm{
			{
				Form: "dictionary", SignatureAgent: `sig1="https://agent.example"`,
				SignatureInput: `sig1=("@authority" "signature-agent";key="sig1")` + params,
			},
			{Form: "string", SignatureAgent: `"https://agent.example"`, SignatureInput: `sig1=("@authority" "signature-agent")` + params},
		},
		Directory: client.SignDirectory{
			Path:      Path,
			MediaType: MediaType,
			Format:    `JSON web key set; the key has kty "OKP", crv "Ed25519" and x`,
			Fetch: "GET over https on port 443 of the Signature-Agent host, a domain name with public addresses; " +
				"status 200, no redirects, no compression",
			MaxBytes:     MaxDirectory,
			MaxKeys:      MaxKeys,
			TimeoutS:     seconds(fetchTimeout),
			MinIntervalS: seconds(rest),
			MaxCacheS:    seconds(maxAge),
			AttestedTag:  DirectoryTag,
			AttestedBy:   []string{`"@authority";req`, `"content-digest"`},
		},
		Limits: client.SignLimits{
			WindowS:        seconds(v.Limits.Window),
			SkewS:          seconds(v.Limits.Skew),
			MinNonceLength: v.Limits.MinNonce,
			MaxNonceLength: v.Limits.MaxNonce,
			MaxHeaderBytes: maxHeader,
		},
	}
}
