package resolve

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/orgname"
)

// Party is the kind of recipient a line names.
type Party uint8

const (
	Organization Party = iota
	Individual
	Unidentified // a placeholder, an aggregate, or no name at all
)

// EINPrefix begins the id of a recipient that has an EIN.
const EINPrefix = "ein-"

// RecipID is the identity of a recipient. It depends on the content of the line
// and on nothing else, so it survives rebuilds, and it merges too little rather
// than too much: a person is never the same person to two funders.
//
//	ein-123456789      an organization with an EIN
//	intl-uk-abcdefghij a foreign organization, by name within its country
//	nm-0123456789ab    anyone else
//
// n is the parsed name of the line, the person's where it names one.
func (r *Resolver) RecipID(t *Recipient, n *orgname.Name, m Match, party Party, funder ein.EIN) string {
	if m.EIN != ein.None {
		return EINPrefix + m.EIN.String()
	}
	switch {
	case party == Individual && n.KX != "":
		return nameID("p", funder.String(), n.KX)
	case party != Organization || n.KX == "":
		return nameID("u", funder.String())
	case foreign(t):
		return abroad.ID(t.Country, n.KX)
	}
	state := lineState(t, n).String()
	if strings.IndexByte(n.K2, ' ') < 0 || r.u.Named(n.KX) >= 2 {
		return nameID("o", n.KX, state, orgname.City(t.City))
	}
	return nameID("o", n.KX, state)
}

// MaskedID is the identity of a person who is not to be found out, by the key of
// one of the grants to them. A digest of the name would confirm a guess.
func MaskedID(grantKey string) string { return nameID("m", grantKey) }

// nameID is a digest of parts, by which no two lists of parts can be confused.
func nameID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return "nm-" + hex.EncodeToString(h.Sum(nil))[:12]
}
