package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

const sincePath = snapshot.HistoryDir + "/changes.gg"

var sinceKind = &mapped.Kind{
	Magic: "GGsince1", Name: "file of changes",
	Missing: "changes_unreadable", Version: "changes_version", Damaged: "changes_damaged",
}

// Unusable reports whether an error means that a file of changes, on which nothing else depends, cannot be used.
func Unusable(err error) bool { return sinceKind.Unusable(err) || logKind.Unusable(err) }

const mostCompared = 12

// Build adds the differences from the kept builds, and digests for later builds.
func Build(ctx context.Context, w *snapshot.Writer) error {
	if err := writeLines(ctx, w); err != nil {
		return err
	}
	after, err := openLines(w.Unpublished())
	if err != nil {
		return err
	}
	defer after.file.Close()
	kept, err := w.Kept()
	if err != nil {
		return err
	}
	var list []since
	for _, s := range kept[max(0, len(kept)-mostCompared):] {
		if err := ctx.Err(); err != nil {
			return err
		}
		before, ok, err := sinceKept(s, after)
		if err != nil {
			return err
		}
		if ok {
			list = append(list, before)
		}
	}
	return w.WriteFile(sincePath, func(out io.Writer) error { return write(out, list) })
}

// sinceKept compares a kept build with a new one. ok is false if the kept build's digests cannot be used.
func sinceKept(s *snapshot.Snapshot, after *lines) (x since, ok bool, err error) {
	release, err := s.Hold()
	if err != nil {
		return x, false, nil // it is being removed
	}
	defer release()
	if !s.Has(linesPath) {
		return x, false, nil
	}
	before, err := openLines(s)
	if linesKind.Unusable(err) {
		return x, false, nil
	}
	if err != nil {
		return x, false, err
	}
	defer before.file.Close()
	return newSince(s.Manifest.Version, compare(before, after)), true, nil
}

type since struct {
	version string
	total   Counts   // sum over the funders
	filers  []Filer  // in EIN order
	funders []uint32 // positions of the funders among filers, most rows first
}

func newSince(version string, filers []Filer) since {
	s := since{version: version, filers: filers}
	for i := range filers {
		if filers[i].Funder != 0 {
			s.funders = append(s.funders, uint32(i))
		}
	}
	slices.SortStableFunc(s.funders, func(a, b uint32) int { return cmp.Compare(filers[b].rows(), filers[a].rows()) })
	return s
}

const stampSize = 16

func write(out io.Writer, list []since) error {
	f := mapped.NewWriter(out, sinceKind)
	stamps, sizes := make([][stampSize]byte, len(list)), make([]uint32, len(list))
	for i := range list {
		if copy(stamps[i][:], list[i].version); len(list[i].version) != stampSize {
			f.Fail(fmt.Errorf("%q is not a version", list[i].version))
		}
		sizes[i] = uint32(len(list[i].filers))
		mapped.Add(f, fmt.Sprintf("filers.%d", i), list[i].filers)
		mapped.Add(f, fmt.Sprintf("funders.%d", i), list[i].funders)
	}
	mapped.Add(f, "versions", stamps)
	mapped.Add(f, "sizes", sizes)
	return f.Close()
}

// errClosed is never shown: a closed index or log knows nothing.
var errClosed = errors.New("change: the file is closed")

// Index has the differences from earlier builds. It is safe for concurrent use.
type Index struct {
	mapped.Guard
	since []since // latest last
}

// Open opens the changes of a snapshot, which are none for a snapshot without the file.
func Open(s *snapshot.Snapshot) (*Index, error) {
	if !s.Has(sincePath) {
		return New(nil)
	}
	return mapped.Load(s.Dir, sincePath, sinceKind, newIndex)
}

// Invented is a made-up difference from an earlier build.
type Invented struct {
	Version string
	Filers  []Filer // in EIN order
}

// New makes an index of a few differences in memory.
func New(list []Invented) (*Index, error) {
	all := each.Append(nil, list, func(x Invented) since { return newSince(x.Version, x.Filers) })
	return mapped.InMemory(sinceKind, func(out io.Writer) error { return write(out, all) }, newIndex)
}

// newIndex finds the columns of a file and checks that they fit together.
func newIndex(f *mapped.File) *Index {
	x := &Index{Guard: mapped.Guarded(f, errClosed)}
	versions := mapped.Column[[stampSize]byte](f, "versions", mapped.AnyLength)
	sizes := mapped.Column[uint32](f, "sizes", len(versions))
	for i := range versions {
		if f.Err() != nil {
			return x
		}
		s := since{version: string(versions[i][:])}
		s.filers = mapped.Column[Filer](f, fmt.Sprintf("filers.%d", i), int(sizes[i]))
		s.funders = mapped.Column[uint32](f, fmt.Sprintf("funders.%d", i), giving(s.filers))
		if !snapshot.IsVersion(s.version) || i > 0 && x.since[i-1].version >= s.version {
			f.Fail("the builds are out of order")
		}
		if !slices.IsSortedFunc(s.filers, func(a, b Filer) int { return cmp.Compare(a.EIN, b.EIN) }) {
			f.Fail("the filers are out of order")
		}
		if slices.ContainsFunc(s.funders, func(i uint32) bool { return int(i) >= len(s.filers) }) {
			f.Fail("the funders are not among the filers")
		}
		if f.Err() != nil {
			return x
		}
		for _, i := range s.funders {
			s.total.add(&s.filers[i].Counts)
		}
		x.since = append(x.since, s)
	}
	return x
}

func giving(filers []Filer) (n int) {
	for i := range filers {
		if filers[i].Funder != 0 {
			n++
		}
	}
	return n
}

// Versions lists the builds with known differences, latest first.
func (x *Index) Versions() []string {
	list := []string{}
	if x.Begin() != nil {
		return list
	}
	defer x.End()
	for _, s := range slices.Backward(x.since) {
		list = append(list, s.version)
	}
	return list
}

// Page is a page of the funders that differ from an earlier build.
type Page struct {
	Funders int    // in all
	Total   Counts // of all
	List    []Filer
}

// Page returns funders by the number of their rows that differ, most first, ties in EIN order.
func (x *Index) Page(version string, offset, limit int) (p Page, known bool) {
	if x.Begin() != nil {
		return p, false
	}
	defer x.End()
	i := slices.IndexFunc(x.since, func(s since) bool { return s.version == version })
	if i < 0 {
		return p, false
	}
	s := &x.since[i]
	p = Page{Funders: len(s.funders), Total: s.total, List: []Filer{}}
	from := min(offset, len(s.funders))
	p.List = each.Append(p.List, s.funders[from:min(from+limit, len(s.funders))], func(i uint32) Filer { return s.filers[i] })
	return p, true
}

// Latest is the difference of a filer from the latest earlier build, and that build's version, empty if none is known.
func (x *Index) Latest(e ein.EIN) (version string, c Counts) {
	if x.Begin() != nil {
		return "", c
	}
	defer x.End()
	if len(x.since) == 0 {
		return "", c
	}
	s := &x.since[len(x.since)-1]
	return s.version, s.of(e)
}

// Of is the difference of a filer from an earlier build. known is false if the differences from that build are unknown.
func (x *Index) Of(version string, e ein.EIN) (c Counts, known bool) {
	if x.Begin() != nil {
		return c, false
	}
	defer x.End()
	i := slices.IndexFunc(x.since, func(s since) bool { return s.version == version })
	if i < 0 {
		return c, false
	}
	return x.since[i].of(e), true
}

func (s *since) of(e ein.EIN) (c Counts) {
	if i, found := slices.BinarySearchFunc(s.filers, uint32(e), func(f Filer, e uint32) int { return cmp.Compare(f.EIN, e) }); found {
		c = s.filers[i].Counts
	}
	return c
}
