package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"grantgraph/internal/fault"
)

// Examiner draws challenges. It gathers the pool of a dataset when the first
// challenge is drawn from it, and is safe for concurrent use.
type Examiner struct {
	secret []byte

	mu    sync.Mutex
	pools []*held // latest first
}

// held is the pool of one version of the dataset. Its pool and err are there
// when ready is closed.
type held struct {
	version string
	ready   chan struct{}
	pool    *Pool
	err     error
}

// MinSecret is the least number of bytes of a secret.
const MinSecret = 16

// keptPools is how many datasets are drawn from at a time: the current one and
// the one that the last requests before a swap still see.
const keptPools = 2

// gatherTime bounds how long a pool may take to gather, which is a second or
// two on the largest datasets.
const gatherTime = 20 * time.Second

// NewExaminer makes an examiner. Whoever knows the secret can tell the
// challenges beforehand; examiners with the same secret draw the same ones.
func NewExaminer(secret []byte) (*Examiner, error) {
	if len(secret) < MinSecret {
		return nil, fault.New("short_secret", "the secret that challenges are drawn with has %d bytes, at least %d are needed", len(secret), MinSecret).
			Try("use %d random bytes", 2*MinSecret)
	}
	return &Examiner{secret: bytes.Clone(secret)}, nil
}

// Draw makes the challenge of a number for a key from the dataset of a version,
// which a answers for. A dataset that is too small for challenges is a fault.
func (e *Examiner) Draw(ctx context.Context, a Asker, keyID string, number int, version string) (*Challenge, error) {
	p, err := e.pool(ctx, a, version)
	if err != nil {
		return nil, err
	}
	return p.Draw(ctx, a, e.secret, keyID, number, version)
}

// pool finds the pool of a version. The first who asks gathers it for all who
// come meanwhile, so the work has a time of its own and does not end with the
// request that began it; that request stays until it is done, because it is the
// one that keeps its dataset open. Those who wait leave when they must.
func (e *Examiner) pool(ctx context.Context, a Asker, version string) (*Pool, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h, first := e.hold(version)
	if first {
		e.gather(ctx, a, h)
	}
	select {
	case <-h.ready:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return h.pool, h.err
}

// hold finds the place of a version, and says whether it was just made.
func (e *Examiner) hold(version string) (h *held, first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range e.pools {
		if h.version == version {
			return h, false
		}
	}
	h = &held{version: version, ready: make(chan struct{}), err: errAbandoned}
	e.pools = slices.Insert(e.pools, 0, h)
	e.pools = e.pools[:min(len(e.pools), keptPools)]
	return h, true
}

// errAbandoned is what those who wait are told when gathering panicked.
var errAbandoned = errors.New("the pool of questions could not be gathered")

// gather fills a place, whatever happens. One that could not be filled is given
// up, so that the next who asks tries again.
func (e *Examiner) gather(ctx context.Context, a Asker, h *held) {
	defer func() {
		if h.err != nil {
			e.mu.Lock()
			e.pools = slices.DeleteFunc(e.pools, func(x *held) bool { return x == h })
			e.mu.Unlock()
		}
		close(h.ready)
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gatherTime)
	defer cancel()
	h.pool, h.err = NewPool(ctx, a)
}

// Recompute asks the questions of a challenge again, of another version of the
// dataset. Where they read the same and have the same answers, the challenge
// that is returned is valid for that version; nil means that a new one has to
// be drawn. The challenge itself is not changed.
func Recompute(ctx context.Context, a Asker, c *Challenge, version string) (*Challenge, error) {
	if c.Version == version {
		return c, nil
	}
	var made params
	if err := json.Unmarshal(c.Params, &made); err != nil {
		return nil, fmt.Errorf("reading the parameters of challenge %d: %w", c.Number, err)
	}
	read, err := made.Trio.ask(ctx, a)
	if err != nil {
		return nil, err
	}
	next := &Challenge{Number: c.Number, Version: version, Salt: c.Salt}
	set := make([]item, len(made.Asked))
	for i, s := range made.Asked {
		it, ok := read.question(s)
		if !ok {
			return nil, nil
		}
		set[i] = it
	}
	if err := next.fill(&made.Trio, set); err != nil {
		return nil, err
	}
	if !slices.Equal(next.Questions, c.Questions) || !slices.Equal(next.Calls, c.Calls) || len(c.Hashes) != len(next.Hashes) {
		return nil, nil
	}
	for i := range c.Hashes {
		// Other rows of the page may change which beginnings of a name are
		// accepted; the answer itself, and the EIN beside a name, may not.
		n := 1
		if c.Questions[i].AnswerType == Organization {
			n = 2
		}
		if len(c.Hashes[i]) < n || !slices.EqualFunc(c.Hashes[i][:n], next.Hashes[i][:n], bytes.Equal) {
			return nil, nil
		}
	}
	return next, nil
}
