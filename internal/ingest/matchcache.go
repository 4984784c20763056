package ingest

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
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/orgname"
)

// matchCacheName is where the stage keeps what recipients were resolved to. It
// is a cache, not a source: a build without it resolves every recipient and
// comes to the same bytes.
const matchCacheName = "answers"

// matchCache holds the matches of the last build, and takes those of this one.
type matchCache struct {
	last    []cachedMatch // in order of recipient
	this    []cachedMatch // by number of the recipient
	program string        // digest of this program; empty when it could not be taken
	kept    atomic.Int64
	asked   atomic.Int64
}

// cachedMatch is what one recipient was resolved to. Only the program that
// wrote it may believe it: another may have other rules.
type cachedMatch struct {
	recipient   uint64 // fingerprint of its key
	basis       uint64 // digest of all that the match rests on
	ein         uint32
	thousandths uint16 // of probability, where the rule has no constant one
	rule        uint8
	barred      uint8
}

// cachedMatchSize is what one takes in the file.
const cachedMatchSize = 24

// openMatchCache reads what the last build found. A file that is damaged or of
// another program is as good as none.
func (b *builder) openMatchCache(ctx context.Context, recipients int) (*matchCache, error) {
	a := &matchCache{this: make([]cachedMatch, recipients)}
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

// decodeMatches reads a file of matches: the program that wrote them, the
// matches in order of recipient, and a checksum of both.
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
	return cachedMatch{recipient: le.Uint64(b), basis: le.Uint64(b[8:]), ein: le.Uint32(b[16:]), thousandths: le.Uint16(b[20:]), rule: b[22], barred: b[23]}
}

func (a *cachedMatch) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(le.AppendUint64(b, a.recipient), a.basis)
	return append(le.AppendUint16(le.AppendUint32(b, a.ein), a.thousandths), a.rule, a.barred)
}

// saveMatchCache writes the matches of this build for the next.
func (b *builder) saveMatchCache(a *matchCache) error {
	if a.program == "" {
		return nil
	}
	a.this = slices.DeleteFunc(a.this, func(x cachedMatch) bool { return x.basis == 0 }) // names nobody
	slices.SortFunc(a.this, func(x, y cachedMatch) int {
		return cmp.Or(cmp.Compare(x.recipient, y.recipient), cmp.Compare(x.basis, y.basis))
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

// resolve takes the match of the last build, if all that it rests on is as it
// was, and asks the resolver otherwise.
func (a *matchCache) resolve(r *resolve.Resolver, at int, key recipientKey, t *resolve.Recipient, n *orgname.Name) resolve.Match {
	now := &a.this[at]
	now.recipient = fingerprint(string(key))
	// The recipient has a second hash in the basis, which distinguishes two
	// that share the first.
	own := fingerprint("tuple " + string(key))
	first, _ := slices.BinarySearchFunc(a.last, now.recipient, func(x cachedMatch, recipient uint64) int { return cmp.Compare(x.recipient, recipient) })
	for _, old := range a.last[first:] {
		if old.recipient != now.recipient {
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
	m, basis := r.ResolveWithBasis(t, n)
	now.basis, now.ein, now.rule = basis^own, uint32(m.EIN), uint8(m.Rule)
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
