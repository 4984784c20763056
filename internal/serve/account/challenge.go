package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"grantgraph/internal/fault"
)

// Challenge is a set of questions that unlocks a key, as the store keeps it: hashes of answers, and what writes the questions.
type Challenge struct {
	No      int             // 1 for the first of a key; 0 when there is none yet
	Dataset string          // version of the data it was drawn from
	Params  json.RawMessage // for the author of the questions; opaque to the store
	Salt    []byte
	Answers [][]string // for each question, hex of the salted SHA-256 of every accepted form, or of its first half
	Calls   []string   // the calls that a locked key may make, in canonical form

	// The store sets these itself.
	Made     int       // calls made while locked
	Attempts int       // wrong answers
	Next     time.Time // the store accepts no answer before; zero for no wait
	Drawn    time.Time
}

// MostCalls is how many calls a locked key may make in a challenge.
const MostCalls = 30

const (
	maxParams    = 256 << 10
	maxQuestions = 16
	maxForms     = 4096
	maxCalls     = 16
	maxCallBytes = 4096
)

func (c Challenge) check() error {
	if len(c.Params) > maxParams || len(c.Params) > 0 && !json.Valid(c.Params) {
		return errors.New("the parameters of the challenge are not JSON of at most 256 KiB")
	}
	if len(c.Answers) == 0 || len(c.Answers) > maxQuestions || len(c.Calls) > maxCalls ||
		len(c.Salt) == 0 || len(c.Salt) > 64 || len(c.Dataset) > 200 || !fault.Legible(c.Dataset) {
		return errors.New("the challenge has no salt, no questions, or too many")
	}
	for _, forms := range c.Answers {
		if len(forms) == 0 || len(forms) > maxForms {
			return fmt.Errorf("a question with %d answers", len(forms))
		}
		for _, f := range forms {
			if len(f) < sha256.Size || len(f) > 2*sha256.Size {
				return errors.New("an answer that is not sealed")
			}
		}
	}
	for _, call := range c.Calls {
		if call == "" || len(call) > maxCallBytes || !fault.Legible(call) {
			return errors.New("a call that is empty or too long")
		}
	}
	return nil
}

func (s *Store) SetChallenge(ctx context.Context, id string, expect int, c Challenge) (AgentInfo, error) {
	if err := c.check(); err != nil {
		return AgentInfo{}, err
	}
	params := cmp.Or(string(c.Params), "null")
	answers, err := json.Marshal(c.Answers)
	if err != nil {
		return AgentInfo{}, err
	}
	calls, err := json.Marshal(append([]string{}, c.Calls...))
	if err != nil {
		return AgentInfo{}, err
	}
	var a AgentInfo
	err = s.update(ctx, func(t *tx) {
		a = t.lockAgent(id)
		if a.Tier != Anonymous || a.Status == Unlocked {
			t.fail(NotDue(a))
		}
		if a.Challenge.No != expect {
			t.fail(ErrStale)
		}
		if t.err != nil {
			return // with the key as it is
		}
		t.exec("UPDATE agents SET status = $2, challenge = $3, dataset = $4, params = $5, salt = $6, answers = $7, calls = $8,"+
			" made = 0, attempts = 0, next_allowed = 0, drawn = $9 WHERE key = $1",
			a.seq, string(Locked), expect+1, c.Dataset, params, c.Salt, string(answers), string(calls), t.now.UnixNano())
		a = t.lockAgent(id)
	})
	return keyAnyway(a, err), err
}

// keyAnyway is a key that is returned also with an error that says that its challenge is another, or none.
func keyAnyway(a AgentInfo, err error) AgentInfo {
	if err == nil || errors.Is(err, ErrStale) || errors.Is(err, ErrNotDue) {
		return a
	}
	return AgentInfo{}
}

type Verdict string

const (
	Right     Verdict = "unlocked"  // the key is unlocked
	Wrong     Verdict = "wrong"     // another attempt may follow after Wait
	TooSoon   Verdict = "too_soon"  // not counted; another attempt may follow after Wait
	Exhausted Verdict = "exhausted" // no attempts are left: the key needs a new challenge
)

// Outcome is the verdict on an attempt and its consequences.
type Outcome struct {
	Verdict Verdict
	Left    int           // attempts left
	Wait    time.Duration // before the next attempt
}

func (s *Store) Attempt(ctx context.Context, id string, expect int, verify func(Challenge) bool) (AgentInfo, Outcome, error) {
	var a AgentInfo
	var out Outcome
	err := s.update(ctx, func(t *tx) {
		a = t.lockAgent(id)
		if a.Status != Locked {
			t.fail(NotDue(a))
		}
		c := &a.Challenge
		if c.No != expect {
			t.fail(ErrStale)
		}
		if t.err != nil {
			return
		}
		out = Outcome{Left: max(0, MostAttempts-c.Attempts)}
		switch wait := c.Wait(t.now); {
		case c.No == 0 || out.Left == 0:
			out = Outcome{Verdict: Exhausted}
			return
		case wait > 0:
			out.Verdict, out.Wait = TooSoon, wait
			return
		case verify(*c):
			out = Outcome{Verdict: Right}
			a.Status, a.Allowance = Unlocked, a.Tier.Terms().Calls
			a.Remaining = a.Allowance
			// Nobody needs the questions any more.
			t.exec("UPDATE agents SET status = $2, allowance = $3, remaining = $4, next_allowed = 0,"+
				" params = 'null', salt = $5, answers = '[]', calls = '[]' WHERE key = $1", a.seq, string(a.Status), a.Allowance, a.Remaining, []byte{})
			s.markAnswered(t, a.seq)
			s.note(t, EventUnlock, a.ID, fmt.Sprintf("challenge %d", c.No))
			return
		}
		out = c.wrong(t.now)
		next := int64(0)
		if !c.Next.IsZero() {
			next = c.Next.UnixNano()
		}
		t.exec("UPDATE agents SET attempts = $2, next_allowed = $3 WHERE key = $1", a.seq, c.Attempts, next)
	})
	if err != nil {
		out = Outcome{}
	}
	return keyAnyway(a, err), out, err
}

func (s *Store) TakeCall(ctx context.Context, id, call string) (left int, err error) {
	return updated(ctx, s, func(t *tx) int {
		a := t.lockAgent(id)
		if a.Status != Locked || !slices.Contains(a.Challenge.Calls, call) {
			t.fail(KeyLocked())
		}
		left := MostCalls - a.Challenge.Made - 1
		if left < 0 {
			t.fail(refuse(ErrLocked, "too_many_calls", MostCalls))
		}
		t.exec("UPDATE agents SET made = made + 1 WHERE key = $1", a.seq)
		return left
	})
}

const (
	MostAttempts = 3               // wrong answers before a new challenge
	FirstWait    = 5 * time.Second // after the first wrong answer; doubles with each further one
)

// Wait returns how long it is until the challenge may be answered. A clock that was set back does not prolong it.
func (c Challenge) Wait(now time.Time) time.Duration {
	wait := c.Next.Sub(now)
	if c.Next.IsZero() || wait < 0 || wait > FirstWait<<max(0, c.Attempts-1) {
		return 0
	}
	return wait
}

func (c *Challenge) wrong(now time.Time) Outcome {
	out := Outcome{Verdict: Wrong, Left: max(0, MostAttempts-c.Attempts) - 1, Wait: FirstWait << c.Attempts}
	c.Attempts++
	c.Next = now.Add(out.Wait).UTC()
	if out.Left == 0 {
		out, c.Next = Outcome{Verdict: Exhausted}, time.Time{}
	}
	return out
}
