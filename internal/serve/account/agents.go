package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"grantgraph/internal/fault"
)

type Status string

// The states. A key of the anonymous tier begins locked. Right answers to its challenge unlock it, its last call makes it
// spent, and another challenge locks it again. Keys of the other tiers begin unlocked, and stay spent after their last call.
const (
	Locked   Status = "locked"
	Unlocked Status = "unlocked"
	Spent    Status = "spent"
)

// AgentSpec describes a new key of an agent, whom the thumbprint identifies, unless anonymous.
type AgentSpec struct {
	Tier       Tier
	Purpose    string // as stated, not verified
	Source     string // as stated, not verified
	Thumbprint string // of the keypair
	Host       string // of the signature agent
}

// AgentInfo is what the store knows of an agent's key.
type AgentInfo struct {
	KeyInfo
	Purpose    string
	Source     string
	Thumbprint string
	Host       string
	Status     Status
	Expires    time.Time
	Allowance  int
	Remaining  int
	Challenge  Challenge
	seq        int64
}

const (
	maxPurpose    = 1000
	maxHost       = 253
	maxThumbprint = 64
)

func (spec AgentSpec) check() error {
	if spec.Tier.Terms().Calls == 0 {
		return fmt.Errorf("there is no tier %q", fault.Clip(string(spec.Tier), maxQuoted))
	}
	for _, f := range []struct{ name, text string }{{"purpose", spec.Purpose}, {"source", spec.Source}} {
		if spec.Tier == Anonymous && strings.TrimSpace(f.text) == "" {
			return fault.New("bad_"+f.name, "%s is missing", f.name).Try("say in a few words what the key is for, and how you learned of it")
		}
		if len(f.text) > maxPurpose || !fault.Legible(f.text) {
			return fault.New("bad_"+f.name, "%s is longer than %d bytes or not plain text on one line", f.name, maxPurpose).
				Try("make it shorter and plainer")
		}
	}
	const base64url = base62 + "-_"
	signed := spec.Thumbprint != ""
	if signed != (spec.Tier != Anonymous) || len(spec.Thumbprint) > maxThumbprint || strings.Trim(spec.Thumbprint, base64url) != "" {
		return fmt.Errorf("a key of tier %s with the thumbprint %q", spec.Tier, fault.Clip(spec.Thumbprint, maxQuoted))
	}
	if len(spec.Host) > maxHost || !fault.Legible(spec.Host) {
		return fmt.Errorf("a key for the host %q", fault.Clip(spec.Host, maxQuoted))
	}
	return nil
}

func (s *Store) MintAgent(ctx context.Context, spec AgentSpec) (string, AgentInfo, error) {
	if err := spec.check(); err != nil {
		return "", AgentInfo{}, err
	}
	secret, k, err := s.newKey(Agent, "", "")
	if err != nil {
		return "", AgentInfo{}, err
	}
	k.Tier = spec.Tier
	a, err := updated(ctx, s, func(t *tx) AgentInfo {
		id := s.mint(t, spec, secret, k)
		// Minting an anonymous key costs nothing and is no event: anyone could fill the log. Unlocking it is one.
		if spec.Tier != Anonymous {
			s.note(t, EventMint, id, "tier "+string(spec.Tier))
		}
		return agentOf(t, id)
	})
	return secret, a, err
}

var errMintedMeanwhile = errors.New("another was made meanwhile")

// mint stores a key and returns its ID. A keypair has one key in each tier: minting again gives it a new secret, and once it
// has expired it begins anew, so that what a key may do once is not done twice.
func (s *Store) mint(t *tx, spec AgentSpec, secret string, k KeyInfo) (id string) {
	terms := spec.Tier.Terms()
	end := t.now.Add(terms.Lifetime).UnixNano()
	if spec.Thumbprint != "" {
		var seq, expires int64
		found := t.get("SELECT key, expires FROM agents WHERE thumbprint = $1 AND tier = $2"+t.lock,
			[]any{spec.Thumbprint, string(spec.Tier)}, &seq, &expires)
		if found {
			r, _ := findKeyBy(t, "k.seq = $1", seq)
			if !r.Active {
				t.fail(inactive())
			}
			t.exec("UPDATE keys SET hash = $2, rotated = $3 WHERE seq = $1", seq, hashSecret(secret), k.Rotated.Unix())
			t.exec("UPDATE agents SET purpose = $2, source = $3, host = $4 WHERE key = $1", seq, spec.Purpose, spec.Source, spec.Host)
			if t.now.UnixNano() >= expires {
				t.exec("UPDATE agents SET status = $2, expires = $3, allowance = $4, remaining = $5 WHERE key = $1",
					seq, string(Unlocked), end, terms.Calls, terms.Calls)
			}
			return r.ID
		}
	}
	seq := t.insertKey(secret, k, nil)
	status, calls := Unlocked, terms.Calls
	if spec.Tier == Anonymous {
		status, calls = Locked, 0
		spec.Purpose, spec.Source = legible(spec.Purpose, keptWords), legible(spec.Source, keptWords)
	}
	n := t.exec("INSERT INTO agents (key, tier, purpose, source, thumbprint, host, status, expires, allowance, remaining,"+
		" challenge, dataset, params, salt, answers, calls, made, attempts, next_allowed, drawn)"+
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, '', 'null', $11, '[]', '[]', 0, 0, 0, 0) ON CONFLICT DO NOTHING",
		seq, string(spec.Tier), spec.Purpose, spec.Source, spec.Thumbprint, spec.Host, string(status), end, terms.Calls, calls, []byte{})
	switch {
	case n == 0:
		t.fail(unavailable(errMintedMeanwhile))
	case spec.Tier == Anonymous:
		t.removeAgents(unanswered+" AND key <= $1 ORDER BY key", mostEvicted, seq-int64(s.anonymous))
	}
	return k.ID
}

func readAgent(from reader, r record, lock string) AgentInfo {
	a := AgentInfo{KeyInfo: r.KeyInfo, seq: r.seq}
	var expires, next, drawn int64
	var params, answers, calls string
	c := &a.Challenge
	found := from.get("SELECT purpose, source, thumbprint, host, status, expires, allowance, remaining,"+
		" challenge, dataset, params, salt, answers, calls, made, attempts, next_allowed, drawn FROM agents WHERE key = $1"+lock, []any{r.seq},
		&a.Purpose, &a.Source, &a.Thumbprint, &a.Host, &a.Status, &expires, &a.Allowance, &a.Remaining,
		&c.No, &c.Dataset, &params, &c.Salt, &answers, &calls, &c.Made, &c.Attempts, &next, &drawn)
	if !found {
		from.fail(refuse(nil, "not_an_agent_key"))
		return AgentInfo{}
	}
	a.Expires, c.Next, c.Drawn = timeOf(expires), timeOf(next), timeOf(drawn)
	c.Params = json.RawMessage(params)
	from.fail(errors.Join(json.Unmarshal([]byte(answers), &c.Answers), json.Unmarshal([]byte(calls), &c.Calls)))
	return a
}

// timeOf returns a time that was stored in nanoseconds; 0 is the zero time.
func timeOf(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}

func (s *Store) Agent(ctx context.Context, id string) (AgentInfo, error) {
	v := s.view(ctx)
	return resultOf(v, agentOf(v, id))
}

func agentOf(from reader, id string) AgentInfo { return readAgent(from, findKey(from, id), "") }

// lockAgent reads an agent's key that is about to be changed, and refuses it if inactive or expired.
func (t *tx) lockAgent(id string) AgentInfo {
	r := findKey(t, id)
	if !r.Active {
		t.fail(inactive())
	}
	a := readAgent(t, r, t.lock)
	if !t.now.Before(a.Expires) {
		t.fail(expired(a.Expires.UnixNano()))
	}
	return a
}

// pay takes cost calls from an agent's remaining calls, or none.
func (p *agentBalance) pay(tier Tier, cost int64, now time.Time) (Balance, error) {
	b := Balance{Limit: int(p.allowance), Remaining: int(p.remaining), Expires: timeOf(p.expires)}
	switch {
	case now.UnixNano() >= p.expires:
		return b, expired(p.expires)
	case p.status == Locked:
		return b, KeyLocked()
	case cost > p.remaining:
		return b, tierExhausted(tier, p.allowance)
	case cost > 0:
		p.remaining -= cost
		if p.remaining == 0 {
			p.status = Spent
		}
		p.changed = true
		b.Remaining = int(p.remaining)
	}
	return b, nil
}

// Anyone may mint an anonymous key, so each transaction that adds one removes a few old ones, counted apart for keys that
// answered and for others: a flood of mints does not remove a key in use.
const (
	// MostAnonymous is the default number of anonymous keys of each kind: that answered, and that did not.
	MostAnonymous = 100_000
	// mostEvicted is how many old keys one mint or answer removes, so that the store also shrinks to a lower bound.
	mostEvicted = 4
	// keptWords is how many bytes the store keeps of an anonymous agent's texts.
	keptWords = 200
	// sweptAtOnce bounds how long one transaction of the sweeper makes others wait.
	sweptAtOnce = 1000
)

// The two kinds of anonymous keys, in the words of their indexes.
const (
	unanswered = "thumbprint = '' AND answered = 0"
	answered   = "thumbprint = '' AND answered > 0"
)

// markAnswered numbers a key that answered for the first time, and removes old ones.
func (s *Store) markAnswered(t *tx, seq int64) {
	var last int64
	t.get("SELECT answered FROM agents WHERE "+answered+" ORDER BY answered DESC LIMIT 1", nil, &last)
	if t.exec("UPDATE agents SET answered = $2 WHERE key = $1 AND answered = 0", seq, last+1) > 0 {
		t.removeAgents(answered+" AND answered <= $1 ORDER BY answered", mostEvicted, last+1-int64(s.anonymous))
	}
}

func (t *tx) removeAgents(where string, most int, arg int64) (n int) {
	keys := collect(t, "SELECT key FROM agents WHERE "+where+" LIMIT $2", []any{arg, most}, scanNumber)
	for _, key := range keys {
		t.later("DELETE FROM screens WHERE owner = (SELECT id FROM keys WHERE seq = $1)", key)
		t.later("DELETE FROM keys WHERE seq = $1", key)
	}
	return len(keys)
}

// rememberAnswered is how long an anonymous key that answered a challenge is kept after it has expired. Others go at once.
const rememberAnswered = 30 * 24 * time.Hour

func (s *Store) sweepAnonymous(ctx context.Context) error {
	now := s.clock()
	for _, d := range []struct {
		where  string
		before time.Time
	}{
		{unanswered + " AND expires <= $1", now},
		{answered + " AND expires <= $1", now.Add(-rememberAnswered)},
	} {
		for n := sweptAtOnce; n == sweptAtOnce; {
			err := s.update(ctx, func(t *tx) { n = t.removeAgents(d.where, sweptAtOnce, d.before.UnixNano()) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}
