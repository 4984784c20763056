package account

import "time"

const (
	MostAttempts = 3               // wrong answers before a new challenge
	FirstWait    = 5 * time.Second // after the first wrong answer; doubles with each further one
)

// Wait returns how long it is until the challenge may be answered. A time beyond the
// longest wait was set by a clock that has been set back since, and is ignored.
func (c Challenge) Wait(now time.Time) time.Duration {
	wait := c.Next.Sub(now)
	if c.Next.IsZero() || wait < 0 || wait > FirstWait<<max(0, c.Attempts-1) {
		return 0
	}
	return wait
}

// wrong counts a wrong answer and sets the wait before the next one.
func (c *Challenge) wrong(now time.Time) Outcome {
	out := Outcome{Verdict: Wrong, Left: max(0, MostAttempts-c.Attempts) - 1, Wait: FirstWait << c.Attempts}
	c.Attempts++
	c.Next = now.Add(out.Wait).UTC()
	if out.Left == 0 {
		out, c.Next = Outcome{Verdict: Exhausted}, time.Time{}
	}
	return out
}
