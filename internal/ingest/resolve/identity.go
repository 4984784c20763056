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
	Unidentified // a placeholder, an aggregate, or no name
)

// EINPrefix begins the id of a recipient that has an EIN.
const EINPrefix = "ein-"

// RecipID is the identity of a recipient. It depends only on the content of the line, so it survives rebuilds. It
// merges too little rather than too much: a person paid by two funders has two identities.
//
//	ein-123456789      an organization with an EIN
//	intl-uk-abcdefghij a foreign organization, by name within its country
//	nm-0123456789ab    any other recipient
//
// n is the parsed name of the line, or the person's name if the line names a person.
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

// MaskedID is the identity of a person whose name is withheld, made from the key of one of the grants to that person.
// A digest of the name would let a reader confirm a guess.
func MaskedID(grantKey string) string { return nameID("m", grantKey) }

// nameID is a digest of parts. Different lists of parts never produce the same input.
func nameID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return "nm-" + hex.EncodeToString(h.Sum(nil))[:12]
}
