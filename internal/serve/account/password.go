package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
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

// mostWaitingHashes is how many passwords of one network wait at a time, about a second.
const mostWaitingHashes = 20

// hashQueue lets a few passwords be hashed at a time. Networks take turns, whatever the number of their passwords.
type hashQueue struct {
	mu      sync.Mutex
	free    int
	waiting []*hashTurn    // in the order they came
	begun   map[string]int // hashes by network, of those that have waited since the queue was last empty
}

type hashTurn struct {
	network string
	turn    chan struct{} // closed when the turn has come
}

// enter waits for a turn. leave must be called once.
func (q *hashQueue) enter(ctx context.Context, network string) (leave func(), err error) {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.begun[network]++
		q.mu.Unlock()
		return q.leave, nil
	}
	behind := 0
	for _, w := range q.waiting {
		if w.network == network {
			behind++
		}
	}
	if behind >= mostWaitingHashes {
		q.mu.Unlock()
		return nil, tooManyAttempts("passwords at once from your network", 5*time.Second)
	}
	w := &hashTurn{network, make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	select {
	case <-w.turn:
		return q.leave, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // the turn came at the same moment
		q.leave()
	}
	return nil, ctx.Err()
}

// leave gives the turn to the first who waits of the network that had the fewest.
func (q *hashQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.free++
		clear(q.begun)
		return
	}
	next := 0
	for i, w := range q.waiting {
		if q.begun[w.network] < q.begun[q.waiting[next].network] {
			next = i
		}
	}
	w := q.waiting[next]
	q.waiting = slices.Delete(q.waiting, next, next+1)
	q.begun[w.network]++
	close(w.turn)
}

const (
	tokenVerify = "verify"
	tokenReset  = "reset"
)

// VerifyToken and ResetToken make the secret of an email. It works once, for a time, and voids earlier secrets.
func (s *Store) VerifyToken(ctx context.Context, account string) (string, error) {
	return s.token(ctx, account, tokenVerify, verifyLife)
}

func (s *Store) ResetToken(ctx context.Context, account string) (string, error) {
	return s.token(ctx, account, tokenReset, resetLife)
}

func (s *Store) token(ctx context.Context, account, purpose string, life time.Duration) (string, error) {
	secret := newSecret()
	return secret, s.counted(ctx, "emails to this account", func(t *tx) (time.Duration, bool) {
		p := personOf(t, account, t.lock)
		wait, ok := s.countToken(t, purpose+" "+p.ID, actor(ctx).Address)
		if ok {
			t.exec("DELETE FROM tokens WHERE account = $1 AND purpose = $2", p.seq, purpose)
			t.exec("INSERT INTO tokens (hash, account, purpose, expires) VALUES ($1, $2, $3, $4)",
				hashSecret(secret), p.seq, purpose, t.now.Add(life).UnixNano())
		}
		return wait, ok
	})
}

// redeem removes a token and returns its account: a token works once.
func (t *tx) redeem(secret, purpose string) person {
	var account, expires int64
	found := t.returning("DELETE FROM tokens WHERE hash = $1 AND purpose = $2 RETURNING account, expires",
		[]any{hashSecret(secret), purpose}, &account, &expires)
	if !found || t.now.UnixNano() >= expires {
		t.fail(refuse(nil, "bad_token"))
	}
	p, _ := personBy(t, "WHERE a.seq = $1", account)
	return p
}

// VerifyEmail records that the person reads mail at the address, and opens a session. It asks for the password of the account:
// a stranger may have signed up with the address, and the stranger's password must not become valid by a click of the owner.
func (s *Store) VerifyEmail(ctx context.Context, token, password string) (string, Account, error) {
	v := s.view(ctx)
	p, found := personBy(v, "JOIN tokens t ON t.account = a.seq WHERE t.hash = $1 AND t.purpose = $2", hashSecret(token), tokenVerify)
	if !found {
		v.fail(refuse(nil, "bad_token"))
		return "", Account{}, v.err
	}
	if err := s.countSignIn(ctx, p.Email, ""); err != nil {
		return "", Account{}, err
	}
	// The password shows that the person who reads the mail is the person who signed up.
	ok, _, err := s.passwordMatches(ctx, actor(ctx).Address, p.passwordHash, password)
	if err != nil {
		return "", Account{}, err
	}
	if !ok {
		return "", Account{}, badCredentials()
	}
	secret := newSecret()
	a, err := updated(ctx, s, func(t *tx) Account {
		t.redeem(token, tokenVerify)
		t.replacePassword(p, p.passwordHash)
		s.forgetSignIns(t, p.Email, "")
		t.exec("UPDATE accounts SET verified = 1 WHERE seq = $1", p.seq)
		p.Verified = true
		t.insertSession(p.seq, secret)
		s.append(t, Event{Kind: EventVerified, Actor: p.ID, Address: actor(t.ctx).Address})
		return p.Account
	})
	return secret, a, err
}

// ResetPassword ends every session of the account.
func (s *Store) ResetPassword(ctx context.Context, token, password string) (Account, error) {
	// An unknown token is refused before the password is hashed.
	var email string
	v := s.view(ctx)
	found := v.get("SELECT a.email FROM tokens t JOIN accounts a ON a.seq = t.account WHERE t.hash = $1 AND t.purpose = $2",
		[]any{hashSecret(token), tokenReset}, &email)
	if !found {
		// A bad password is reported first, because the person can correct it.
		v.fail(cmp.Or(checkPassword(password, ""), error(refuse(nil, "bad_token"))))
		return Account{}, v.err
	}
	if err := checkPassword(password, email); err != nil {
		return Account{}, err
	}
	hash, err := s.hashPassword(ctx, email, password)
	if err != nil {
		return Account{}, err
	}
	return updated(ctx, s, func(t *tx) Account {
		p := t.redeem(token, tokenReset)
		// Whoever has the token reads the mail of the account, so the address is verified.
		t.exec("UPDATE accounts SET password = $2, verified = 1 WHERE seq = $1", p.seq, hash)
		p.Verified = true
		s.forgetSignIns(t, p.Email, actor(ctx).Address)
		s.endSessions(t, p)
		return p.Account
	})
}
