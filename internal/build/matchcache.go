package build

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/resolve"
)

// matchCacheName is where the stage keeps what tuples were resolved to. It is a
// memory, not a source: a build without it asks every tuple and comes to the
// same bytes.
const matchCacheName = "answers"

// matchCache are those of the last build, and those of this one in the making.
type matchCache struct {
	last    []cachedMatch // in order of tuple
	this    []cachedMatch // by number of the tuple
	program string        // its digest; empty when it could not be told
	kept    atomic.Int64
	asked   atomic.Int64
}

// cachedMatch is what one tuple was resolved to, and a digest of all that this
// rests on. Only the program that wrote it may believe it: another may have
// other rules.
type cachedMatch struct {
	tuple, basis uint64
	ein          uint32
	thousandths  uint16 // thousandths, where the rule has no constant probability
	rule         uint8
	barred       uint8
}

// cachedMatchSize is what one takes in the file.
const cachedMatchSize = 24

// openMatchCache reads what the last build found. A file that is damaged or of
// another program is as good as none.
func (b *builder) openMatchCache(ctx context.Context, tuples int) (*matchCache, error) {
	a := &matchCache{this: make([]cachedMatch, tuples)}
	if self, err := os.Executable(); err == nil {
		a.program, _, _ = hashFile(ctx, self)
	}
	path := filepath.Join(b.stageDir, matchCacheName)
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	a.last = decodeMatches(body, a.program)
	return a, nil
}

// decodeMatches reads a file of answers: the program that wrote them, the
// answers in order of tuple, and a checksum of both.
func decodeMatches(body []byte, program string) []cachedMatch {
	end := len(body) - sha256.Size
	if program == "" || end < 0 || !bytes.HasPrefix(body[:end], []byte(program)) || (end-len(program))%cachedMatchSize != 0 {
		return nil
	}
	if sum := sha256.Sum256(body[:end]); !bytes.Equal(sum[:], body[end:]) {
		return nil
	}
	body = body[len(program):end]
	list := make([]cachedMatch, len(body)/cachedMatchSize)
	for i := range list {
		list[i] = readMatch(body[i*cachedMatchSize:])
	}
	return list
}

func readMatch(b []byte) cachedMatch {
	le := binary.LittleEndian
	return cachedMatch{tuple: le.Uint64(b), basis: le.Uint64(b[8:]), ein: le.Uint32(b[16:]), thousandths: le.Uint16(b[20:]), rule: b[22], barred: b[23]}
}

func (a *cachedMatch) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(le.AppendUint64(b, a.tuple), a.basis)
	return append(le.AppendUint16(le.AppendUint32(b, a.ein), a.thousandths), a.rule, a.barred)
}

// saveMatchCache writes the answers of this build for the next.
func (b *builder) saveMatchCache(a *matchCache) error {
	if a.program == "" {
		return nil
	}
	a.this = slices.DeleteFunc(a.this, func(x cachedMatch) bool { return x.basis == 0 }) // names nobody
	slices.SortFunc(a.this, func(x, y cachedMatch) int {
		return cmp.Or(cmp.Compare(x.tuple, y.tuple), cmp.Compare(x.basis, y.basis))
	})
	path := filepath.Join(b.stageDir, matchCacheName)
	return fault.Disk(path, disk.WriteFile(path, 0o644, func(w io.Writer) error {
		h := sha256.New()
		out := bufio.NewWriterSize(io.MultiWriter(w, h), 1<<20)
		out.WriteString(a.program)
		for i := range a.this {
			out.Write(a.this[i].append(out.AvailableBuffer())) // an error stays with the writer until it is flushed
		}
		if err := out.Flush(); err != nil {
			return err
		}
		_, err := w.Write(h.Sum(nil))
		return err
	}))
}

// resolve answers for a tuple as the last build did, if all that its answer
// rests on is as it was, and asks the resolver otherwise.
func (a *matchCache) resolve(r *resolve.Resolver, at int, key string, t *resolve.Recipient, n *orgname.Name) resolve.Match {
	now := &a.this[at]
	now.tuple = fingerprint(key)
	// The tuple has a second hash in the digest: two tuples that share the
	// first are told apart by it.
	own := fingerprint("tuple " + key)
	first, _ := slices.BinarySearchFunc(a.last, now.tuple, func(x cachedMatch, tuple uint64) int { return cmp.Compare(x.tuple, tuple) })
	for _, old := range a.last[first:] {
		if old.tuple != now.tuple {
			break
		}
		m := old.match()
		if r.SameBasis(t, n, m, old.basis^own) {
			*now = old
			a.kept.Add(1)
			return m
		}
	}
	a.asked.Add(1)
	m, seen := r.ResolveWithBasis(t, n)
	now.basis, now.ein, now.rule = seen^own, uint32(m.EIN), uint8(m.Rule)
	if m.Rule == resolve.Model {
		now.thousandths = thousandths(m.Prob)
	}
	if m.Barred {
		now.barred = 1
	}
	return m
}

func (a *cachedMatch) match() resolve.Match {
	m := resolve.Match{EIN: ein.EIN(a.ein), Rule: grant.Rule(a.rule), Barred: a.barred != 0}
	switch m.Rule {
	case resolve.None:
	case resolve.Model:
		m.Prob = float64(a.thousandths) / 1000
	default:
		m.Prob = m.Rule.Prob()
	}
	return m
}

// thousandths are how a row keeps a probability.
func thousandths(p float64) uint16 { return uint16(p*1000 + 0.5) }
