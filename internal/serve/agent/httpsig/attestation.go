package httpsig

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"time"

	"grantgraph/internal/serve/agent/httpsig/structured"
)

// markAttested marks the keys of a directory that have signed the response that lists them, which proves that the holder of
// the private key means it to be published at this host. A bad signature has no other effect.
func markAttested(keys []Key, response *message, body []byte, now time.Time) {
	why := "the directory response has no signature by this key"
	inputs, err := structured.ParseDictionary(response.header.Values("Signature-Input")...)
	if err != nil {
		why, inputs = "the Signature-Input of the directory response cannot be read: "+err.Error(), nil
	}
	for i := range keys {
		keys[i].Why = why
	}
	for _, input := range inputs {
		if tag, _ := input.Params.Get("tag"); !input.IsList || tag != structured.Text(DirectoryTag) {
			continue
		}
		keyid, _ := input.Params.Get("keyid")
		for i := range keys {
			if k := &keys[i]; !k.Attested && keyid == structured.Text(k.ID) {
				if err := checkAttestation(k, input, response, body, now); err != nil {
					k.Why = err.Error()
				} else {
					k.Attested, k.Why = true, ""
				}
			}
		}
	}
}

// checkAttestation checks one signature on a directory response. It must cover the authority that was asked. The content digest
// is checked if the signature covers it: newer agents cover it and older ones do not.
func checkAttestation(k *Key, input structured.Member, response *message, body []byte, now time.Time) error {
	var s Signature
	if err := identity(input.Params, &s); err != nil {
		return err
	}
	if err := checkTimes(&s, now, DefaultLimits.Skew); err != nil {
		return err
	}
	mac, err := signatureBytes(response.header.Values("Signature"), input.Key)
	if err != nil {
		return err
	}
	bound, digested := false, false
	for _, item := range input.List {
		c, err := readComponent(item)
		if err != nil {
			return err
		}
		bound = bound || c.name == "@authority" && c.request
		digested = digested || c.name == "content-digest" && !c.request
	}
	if !bound {
		return refuse(ErrCoverage, `the signature on the directory response does not cover "@authority";req`)
	}
	text, err := signatureBase(response, input)
	if err != nil {
		return err
	}
	if digested && !digestMatches(response.header.Values("Content-Digest"), body) {
		return refuse(ErrMismatch, "the Content-Digest of the directory response does not match its content")
	}
	if !ed25519.Verify(k.Public, text, mac) {
		return refuse(ErrMismatch, "the signature on the directory response does not match")
	}
	return nil
}

// digestMatches compares a Content-Digest (RFC 9530) with the content: one digest of a known kind, and all known ones match.
func digestMatches(lines []string, body []byte) bool {
	digests, err := structured.ParseDictionary(lines...)
	if err != nil {
		return false
	}
	known := false
	for _, m := range digests {
		var sum []byte
		switch m.Key {
		case "sha-256":
			s := sha256.Sum256(body)
			sum = s[:]
		case "sha-512":
			s := sha512.Sum512(body)
			sum = s[:]
		default:
			continue
		}
		if got, _ := m.Value.Bytes(); subtle.ConstantTimeCompare(got, sum) != 1 {
			return false
		}
		known = true
	}
	return known
}
