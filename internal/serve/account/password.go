package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"grantgraph/internal/serve/network"
	"grantgraph/internal/table"
)

// hashing is the parameters of argon2id, which may grow: an older password is hashed again when its owner signs in.
type hashing struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// presentHashing exceeds the minimum of OWASP (19 MiB and two passes): a sign-in costs a tenth of a second of one core or less.
var presentHashing = hashing{memory: 32 << 10, passes: 2, lanes: 1}

// hashesAtOnce bounds the memory that hashing takes.
const hashesAtOnce = 2

// Bounds of a stored hash, so that a hash from elsewhere cannot exhaust the machine.
const (
	maxMemory = 1 << 20
	maxPasses = 32
	maxLanes  = 16
	saltBytes = 16
	hashBytes = 32
	maxPHC    = 256
)

// Bounds of a password in characters, as web forms count them.
const (
	minPassword = 8
	maxPassword = 200
)

func checkPassword(password, email string) error {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		return refuse(nil, "bad_password", minPassword, maxPassword, n)
	}
	lower := strings.ToLower(strings.TrimSpace(password))
	name, _, _ := strings.Cut(email, "@")
	first, _ := utf8.DecodeRuneInString(lower)
	if commonPasswords()[lower] || lower == siteName || lower == email || lower == name || strings.Trim(lower, string(first)) == "" {
		return refuse(nil, "common_password")
	}
	return nil
}

// siteName is a password that a visitor of the site may think of.
const siteName = "grantgraph"

//go:embed common_passwords.txt
var commonPasswordsText string

// commonPasswords are the passwords that attackers try first, in lower case.
var commonPasswords = sync.OnceValue(func() map[string]bool { return table.Set("common_passwords.txt", commonPasswordsText) })

type passwordHash struct {
	hashing
	salt, hash []byte
}

var b64 = base64.RawStdEncoding.Strict()

func (p passwordHash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.passes, p.lanes,
		b64.EncodeToString(p.salt), b64.EncodeToString(p.hash))
}

var errPasswordHash = errors.New("not a password hash of argon2id within bounds")

// parsePasswordHash reads the PHC form, in the one spelling that String writes.
func parsePasswordHash(s string) (p passwordHash, err error) {
	var version int
	var salt, hash string
	if len(s) > maxPHC {
		return passwordHash{}, errPasswordHash
	}
	spaced := []byte(s)
	for i, c := range spaced {
		if c == '$' {
			spaced[i] = ' '
		}
	}
	if n, err := fmt.Sscanf(string(spaced), " argon2id v=%d m=%d,t=%d,p=%d %s %s", &version, &p.memory, &p.passes, &p.lanes, &salt, &hash); err != nil || n != 6 {
		return passwordHash{}, errPasswordHash
	}
	p.salt, err = b64.DecodeString(salt)
	if err == nil {
		p.hash, err = b64.DecodeString(hash)
	}
	if err != nil || version != argon2.Version || p.memory < 8*uint32(p.lanes) || p.memory > maxMemory || p.passes < 1 || p.passes > maxPasses ||
		p.lanes < 1 || p.lanes > maxLanes || len(p.salt) < 8 || len(p.hash) < 16 || p.String() != s {
		return passwordHash{}, errPasswordHash
	}
	return p, nil
}

func (p passwordHash) key(password string, size int) []byte {
	return argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, uint32(size))
}

func (s *Store) hashPassword(ctx context.Context, from, password string) (string, error) {
	free, err := s.hashes.enter(ctx, network.Wide(from))
	if err != nil {
		return "", err
	}
	defer free()
	p := passwordHash{hashing: s.hashing, salt: make([]byte, saltBytes)}
	rand.Read(p.salt) // never fails
	p.hash = p.key(password, hashBytes)
	return p.String(), nil
}

// passwordMatches reports whether the password belongs to the hash, and whether it should be hashed again because the
// parameters grew. An empty hash takes as long as a wrong password, so that nobody can tell which addresses have an account.
func (s *Store) passwordMatches(ctx context.Context, from, hash, password string) (ok, weak bool, err error) {
	free, err := s.hashes.enter(ctx, network.Wide(from))
	if err != nil {
		return false, false, err
	}
	defer free()
	p, parsed := parsePasswordHash(hash)
	if parsed != nil {
		p = passwordHash{hashing: s.hashing, salt: make([]byte, saltBytes), hash: make([]byte, hashBytes)}
	}
	same := subtle.ConstantTimeCompare(p.key(password, len(p.hash)), p.hash) == 1
	weak = p.memory < s.hashing.memory || p.passes < s.hashing.passes
	return same && parsed == nil, weak, nil
}
