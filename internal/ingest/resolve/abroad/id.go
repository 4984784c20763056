package abroad

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// lower32 spells digests in lower-case base32, which survives any case folding.
var lower32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Prefix begins the id of a recipient abroad; the rest names its cluster.
const Prefix = "intl-"

// ID is the recipient id of a cluster's key, which is the comparison key of one of its names. The key of an unmerged
// name is its own comparison key.
func ID(country, key string) string {
	cc := strings.ToLower(country)
	h := sha256.New()
	for _, part := range [...]string{cc, key} {
		h.Write([]byte(part))
		h.Write([]byte{0}) // so that no two lists of parts can be confused
	}
	return Prefix + cc + "-" + lower32.EncodeToString(h.Sum(nil))[:10]
}
