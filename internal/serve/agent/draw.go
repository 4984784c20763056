package agent

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
)

const (
	redraws  = 50  // sets of questions tried for the same calls
	maxTrios = 100 // sets of calls tried
	maxSpan  = 4   // fiscal years of the second call
)

type params struct {
	Trio  trio   `json:"calls"`
	Asked []spec `json:"asked"`
}

// Draw makes a key's challenge of a number, the same one for the same arguments.
func (p *Pool) Draw(ctx context.Context, a Asker, secret []byte, keyID string, number int, version string) (*Challenge, error) {
	seed := seedOf(secret, keyID, number, version)
	d := &seededRandom{rand.NewPCG(binary.BigEndian.Uint64(seed[:8]), binary.BigEndian.Uint64(seed[8:16]))}
	if len(p.givers) > 0 && len(p.receivers) > 0 {
		for range maxTrios {
			t, ok, err := p.trio(ctx, a, d)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			read, err := t.ask(ctx, a)
			if err != nil {
				return nil, err
			}
			if set := d.choose(read, t.calls()); set != nil {
				c := &Challenge{Number: number, Version: version, Salt: slices.Clone(seed[16:])}
				return c, c.fill(t, set)
			}
		}
	}
	return nil, fault.New(NoChallenge, "The dataset served has too few grants to draw a challenge from.").
		Try("use a key of an account, or a signed request; both need no challenge")
}

// seedOf is the seed of all random choices. Its parts follow their lengths, so no two challenges share a seed.
func seedOf(secret []byte, keyID string, number int, version string) []byte {
	mac := hmac.New(sha256.New, secret)
	b := []byte("grantgraph challenge 1\n")
	b = binary.AppendUvarint(b, uint64(len(keyID)))
	b = append(b, keyID...)
	b = binary.AppendVarint(b, int64(number))
	b = binary.AppendUvarint(b, uint64(len(version)))
	mac.Write(append(b, version...))
	return mac.Sum(nil)
}

// seededRandom draws from a seed, unlike the standard library, whose results may change.
type seededRandom struct{ pcg *rand.PCG }

func (d *seededRandom) intn(n int) int {
	hi, _ := bits.Mul64(d.pcg.Uint64(), uint64(n))
	return int(hi)
}

func choice[T any](d *seededRandom, list []T) T { return list[d.intn(len(list))] }

// trio draws three calls; ok is false if the second would show persons or too few rows.
func (p *Pool) trio(ctx context.Context, a Asker, d *seededRandom) (t *trio, ok bool, err error) {
	g, other := choice(d, p.givers), choice(d, p.givers)
	t = &trio{Funder: g.funder, Year: g.year, Other: other.funder, Recipient: choice(d, p.receivers)}
	t.To = other.year
	t.From = max(p.first, t.To-d.intn(maxSpan))
	if d.intn(3) == 0 {
		if err := p.acquaint(ctx, a, d, t); err != nil {
			return nil, false, err
		}
	}
	if t.Funder == t.Other {
		return nil, false, nil
	}
	ok, err = t.sober(ctx, a)
	return t, ok, err
}

// acquaint looks for a second funder with exactly one recipient in common with the first, which a question can name.
func (p *Pool) acquaint(ctx context.Context, a Asker, d *seededRandom, t *trio) error {
	rows, err := grantsOf(ctx, a, t.Funder, t.Year, pageSize)
	if err != nil || len(rows) == 0 {
		return err
	}
	shared := choice(d, rows).Recipient.EIN
	if shared == ein.None {
		return nil
	}
	funders, _, err := fundersOf(ctx, a, shared)
	if err != nil {
		return err
	}
	for len(funders) > 0 {
		i := d.intn(len(funders))
		f := funders[i]
		funders = slices.Delete(funders, i, i+1)
		to := min(f.LastYear, t.To)
		from := max(p.first, f.FirstYear, to-maxSpan+1)
		if f.EIN == t.Funder || f.Kind == grant.Passthrough || from > to {
			continue
		}
		next := *t
		next.Other, next.From, next.To = f.EIN, from, to
		read, err := next.ask(ctx, a)
		if err != nil {
			return err
		}
		if _, ok := read.question(spec{Family: sharedBy}); ok {
			*t = next
			return nil
		}
	}
	return nil
}

// sober reports whether the second call shows no persons and nothing that a donor-advised fund chose.
func (t *trio) sober(ctx context.Context, a Asker) (bool, error) {
	rows, err := recipientsOf(ctx, a, t.Other, t.From, t.To, 0)
	if err != nil {
		return false, err
	}
	without, err := recipientsOf(ctx, a, t.Other, t.From, t.To, graph.Individuals|graph.DAF)
	return len(rows) >= minCandidates && slices.Equal(rows, without), err
}

func (d *seededRandom) choose(read *pages, calls []Call) []item {
	var slots [][][]item // by call and family
	for _, families := range read.specs() {
		var slot [][]item
		for _, specs := range families {
			var items []item
			for _, s := range specs {
				if it, ok := read.question(s); ok && !slices.ContainsFunc(calls, func(c Call) bool { return it.told(c.Query, "") }) {
					items = append(items, it)
				}
			}
			if len(items) > 0 {
				slot = append(slot, items)
			}
		}
		if len(slot) > 0 {
			slots = append(slots, slot)
		}
	}
	if len(slots) < 2 {
		return nil
	}
	for range redraws {
		drawn := slices.Clone(slots)
		if len(drawn) == 3 && d.intn(2) == 0 {
			i := d.intn(3)
			drawn = slices.Delete(drawn, i, i+1)
		}
		set := each.Of(drawn, func(slot [][]item) item { return choice(d, choice(d, slot)) })
		if fair(set) {
			return set
		}
	}
	return nil
}

// fair reports whether the questions together are hard to guess and none answers another.
func fair(set []item) bool {
	space := 1.0
	for i := range set {
		space *= set[i].space
		for j := range set {
			if i != j && set[i].told(set[j].text, set[j].named) {
				return false
			}
		}
	}
	return space >= minSpace
}

func (c *Challenge) fill(t *trio, set []item) error {
	made := params{Trio: *t}
	c.Calls = t.calls()
	c.Questions, c.Hashes = nil, nil
	for i, it := range set {
		made.Asked = append(made.Asked, it.spec)
		c.Questions = append(c.Questions, Question{ID: fmt.Sprint("q", i+1), Text: it.text, AnswerType: it.kind})
		hashes := make([][]byte, len(it.forms))
		for k, form := range it.forms {
			h := c.hash(i, form[:kindLen], []byte(form[kindLen:]))
			hashes[k] = slices.Clone(h[:hashLen])
		}
		c.Hashes = append(c.Hashes, hashes)
	}
	var err error
	c.Params, err = json.Marshal(made)
	return err
}

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
