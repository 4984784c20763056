package account

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Challenge is a set of questions that unlocks a key, as the store keeps it:
// of the answers only hashes, of the questions only what their author needs to
// write them again.
type Challenge struct {
	No      int             // 1 for the first of a key; 0 when there is none yet
	Dataset string          // version of the data it was drawn from
	Params  json.RawMessage // what its author needs to know; opaque here
	Salt    []byte
	Answers [][]string // for each question, the salted SHA-256 of every form that is accepted, or its first half, in hexadecimal digits
	Calls   []string   // the calls a locked key may make, in canonical form

	// These are the store's own.
	Made     int       // calls made while locked
	Attempts int       // answers that were wrong
	Next     time.Time // no answer is taken before; zero is at once
	Drawn    time.Time
}

// Wait is how long it is before the challenge may be answered. A time that is
// further away than any wait is one of a clock that was set back since; it
// keeps nobody waiting.
func (c Challenge) Wait(now time.Time) time.Duration {
	wait := c.Next.Sub(now)
	if c.Next.IsZero() || wait < 0 || wait > FirstWait<<max(0, c.Attempts-1) {
		return 0
	}
	return wait
}

// Limits of a challenge.
const (
	MostAttempts = 3               // wrong answers before a new challenge
	FirstWait    = 5 * time.Second // after the first wrong answer; twice that after the next
	MostCalls    = 30              // calls that a locked key may make in a challenge
)

// Bounds of what a challenge holds.
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
	if len(c.Answers) == 0 || len(c.Answers) > maxQuestions || len(c.Calls) > maxCalls || len(c.Salt) == 0 || len(c.Salt) > 64 || len(c.Dataset) > 200 || !readable(c.Dataset) {
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
		if call == "" || len(call) > maxCallBytes || !readable(call) {
			return errors.New("a call that is empty or too long")
		}
	}
	return nil
}

func (s *store) SetChallenge(ctx context.Context, id string, expect int, c Challenge) (AgentInfo, error) {
	if err := c.check(); err != nil {
		return AgentInfo{}, err
	}
	params := string(c.Params)
	if params == "" {
		params = "null"
	}
	answers, err := json.Marshal(c.Answers)
	if err != nil {
		return AgentInfo{}, err
	}
	calls, err := json.Marshal(append([]string{}, c.Calls...))
	if err != nil {
		return AgentInfo{}, err
	}
	var a AgentInfo
	err = s.update(ctx, func(t *tx) (err error) {
		if a, err = t.lockAgent(id); err != nil {
			return err
		}
		if a.Tier != Anonymous || a.Status == Unlocked {
			return NotDue(a)
		}
		if a.Challenge.No != expect {
			return ErrStale
		}
		_, err = t.exec("UPDATE agents SET status = $2, challenge = $3, dataset = $4, params = $5, salt = $6, answers = $7, calls = $8,"+
			" made = 0, attempts = 0, next_allowed = 0, drawn = $9 WHERE key = $1",
			a.seq, string(Locked), expect+1, c.Dataset, params, c.Salt, string(answers), string(calls), t.now.UnixNano())
		if err != nil {
			return err
		}
		a, err = t.lockAgent(id)
		return err
	})
	if err != nil && !errors.Is(err, ErrStale) && !errors.Is(err, ErrNotDue) {
		return AgentInfo{}, err
	}
	return a, err
}

// Verdict is what came of an attempt.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "unlocked"  // the key is unlocked
	Wrong     Verdict = "wrong"     // another attempt may be made after Wait
	TooSoon   Verdict = "too_soon"  // not counted; come back after Wait
	Exhausted Verdict = "exhausted" // no attempts are left: a new challenge is to be drawn
)

// Outcome is the verdict on an attempt and what follows from it.
type Outcome struct {
	Verdict Verdict
	Left    int           // attempts left
	Wait    time.Duration // before the next
}

func (s *store) Attempt(ctx context.Context, id string, expect int, verify func(Challenge) bool) (AgentInfo, Outcome, error) {
	var a AgentInfo
	var out Outcome
	err := s.update(ctx, func(t *tx) (err error) {
		if a, err = t.lockAgent(id); err != nil {
			return err
		}
		if a.Status != Locked {
			return NotDue(a)
		}
		c := &a.Challenge
		if c.No != expect {
			return ErrStale
		}
		out = Outcome{Left: max(0, MostAttempts-c.Attempts)}
		switch wait := c.Wait(t.now); {
		case c.No == 0 || out.Left == 0:
			out = Outcome{Verdict: Exhausted}
			return nil
		case wait > 0:
			out.Verdict, out.Wait = TooSoon, wait
			return nil
		case verify(*c):
			out = Outcome{Verdict: Right}
			a.Status, a.Allowance = Unlocked, a.Tier.Terms().Calls
			a.Remaining = a.Allowance
			// What was asked is of no use any more.
			if _, err := t.exec("UPDATE agents SET status = $2, allowance = $3, remaining = $4, next_allowed = 0,"+
				" params = 'null', salt = $5, answers = '[]', calls = '[]' WHERE key = $1", a.seq, string(a.Status), a.Allowance, a.Remaining, []byte{}); err != nil {
				return err
			}
			if err := s.markAnswered(t, a.seq); err != nil {
				return err
			}
			return s.note(t, EventUnlock, a.ID, fmt.Sprintf("challenge %d", c.No))
		}
		out = Outcome{Verdict: Wrong, Left: out.Left - 1, Wait: FirstWait << c.Attempts}
		c.Attempts++
		c.Next = t.now.Add(out.Wait).UTC()
		if out.Left == 0 {
			out, c.Next = Outcome{Verdict: Exhausted}, time.Time{}
		}
		next := int64(0)
		if !c.Next.IsZero() {
			next = c.Next.UnixNano()
		}
		_, err = t.exec("UPDATE agents SET attempts = $2, next_allowed = $3 WHERE key = $1", a.seq, c.Attempts, next)
		return err
	})
	if err != nil && !errors.Is(err, ErrStale) && !errors.Is(err, ErrNotDue) {
		return AgentInfo{}, Outcome{}, err
	}
	return a, out, err
}

func (s *store) TakeCall(ctx context.Context, id, call string) (left int, err error) {
	err = s.update(ctx, func(t *tx) error {
		a, err := t.lockAgent(id)
		if err != nil {
			return err
		}
		named := false
		for _, c := range a.Challenge.Calls {
			named = named || c == call
		}
		if a.Status != Locked || !named {
			return KeyLocked()
		}
		if left = MostCalls - a.Challenge.Made - 1; left < 0 {
			return tooManyCalls()
		}
		_, err = t.exec("UPDATE agents SET made = made + 1 WHERE key = $1", a.seq)
		return err
	})
	if err != nil {
		return 0, err
	}
	return left, nil
}
