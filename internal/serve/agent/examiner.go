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

// Examiner draws challenges. It gathers the pool of a dataset for the first one. It is safe for concurrent use.
type Examiner struct {
	secret []byte

	mu    sync.Mutex
	pools []*held // newest first
}

// held is the pool of one version. Its pool and err may be read after ready is closed.
type held struct {
	version string
	ready   chan struct{}
	pool    *Pool
	err     error
}

// MinSecret is the least number of bytes of a secret.
const MinSecret = 16

// keptPools are the pool of the current dataset and that of the one before it, for the last requests before a swap.
const keptPools = 2

// gatherTime bounds gathering a pool, which takes a second or two for the largest datasets.
const gatherTime = 20 * time.Second

// NewExaminer makes an examiner. Whoever knows the secret can predict the challenges.
func NewExaminer(secret []byte) (*Examiner, error) {
	if len(secret) < MinSecret {
		return nil, fault.New("short_secret", "the secret that challenges are drawn with has %d bytes, at least %d are needed", len(secret), MinSecret).
			Try("use %d random bytes", 2*MinSecret)
	}
	return &Examiner{secret: bytes.Clone(secret)}, nil
}

// Draw makes a key's challenge of a number from a dataset. A dataset that is too small for challenges is a fault.
func (e *Examiner) Draw(ctx context.Context, a Asker, keyID string, number int, version string) (*Challenge, error) {
	p, err := e.pool(ctx, a, version)
	if err != nil {
		return nil, err
	}
	return p.Draw(ctx, a, e.secret, keyID, number, version)
}

// pool returns the pool of a version. The first request gathers it for all that come meanwhile, within a time limit of its
// own, and waits for the end, because it keeps the dataset open.
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

// errAbandoned is the error of waiting requests when gathering panicked.
var errAbandoned = errors.New("the pool of questions could not be gathered")

// gather fills an entry, or removes it when it fails, so that the next request tries again.
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

// Recompute makes a challenge again from another version of the dataset, or returns nil where that has other answers.
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
		// Other prefixes of a name may be accepted now, but the answer itself and the EIN must be the same.
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
