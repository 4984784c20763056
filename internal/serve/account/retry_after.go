package account

import "time"

// WaitError is the cause of refusals that end by themselves. The API sends its wait as
// the header Retry-After, for instance with the status 402 of a spent allowance.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string { return "too early by " + e.Wait.String() }

// Seconds returns a time in whole seconds, rounded up, so that whoever waits so long
// has waited long enough.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
