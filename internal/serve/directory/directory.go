// Package directory lists organizations by their properties: place, cause, form, size and status on the compliance lists. It
// answers any combination of filters in any order, with an exact count and any page of the result. It knows nothing of HTTP.
// Package search looks at names.
//
// An organization's number is its row in the table of organizations, which is in EIN order. A set of organizations has a bit
// for each number. The index is made when a snapshot is built and is memory-mapped when it is served. Every value of a
// dimension, such as a state, has the list of its organizations, and a set if the list would be longer. Every figure has the
// organizations in its order, and the sets of the first sixteenth of that order, the first two sixteenths and so on. So a range
// of dollars is the difference of two sets and a small remainder. A filter is an intersection of such sets. A page is cut from
// the order of a figure by testing which organizations are in the set, starting at the last cut before the page; small sets are
// sorted instead. No request reads more than the order of one figure and some sets, however deep its page is.
package directory

import (
	"errors"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Index is the organizations of a snapshot. It is safe for concurrent use. Rows are copies, so they stay valid after Close.
type Index struct {
	mapped.Guard
	columns

	sets freeSets
}

// ErrClosed is the error of a question to an index that is closed.
var ErrClosed = errors.New("directory: the index is closed")

// Open maps the index of a snapshot and reads all of it once to verify it.
func Open(s *snapshot.Snapshot) (*Index, error) {
	return mapped.Load(s.Dir, fileName, fileKind, func(f *mapped.File) *Index {
		x := newIndex(f)
		for i := range s.Manifest.Files {
			switch file := &s.Manifest.Files[i]; {
			case file.Path == fileName && file.Bytes != f.Size():
				f.Fail("it has %d bytes, its snapshot says %d", f.Size(), file.Bytes)
			case file.Table() == snapshot.Organizations && file.Rows != int64(len(x.eins)):
				f.Fail("it has %d organizations, its snapshot has %d, so it belongs to another one", len(x.eins), file.Rows)
			}
		}
		return x
	})
}

func newIndex(f *mapped.File) *Index {
	x := &Index{Guard: mapped.Guarded(f, ErrClosed)}
	x.layout(mapped.Layout{From: f})
	return x
}

func (x *Index) Len() int { return len(x.eins) }

// EINs returns a copy of the EINs by number, in rising order.
func (x *Index) EINs() []ein.EIN {
	if x.Begin() != nil {
		return nil
	}
	defer x.End()
	return slices.Clone(x.eins)
}

func (x *Index) Number(e ein.EIN) (org uint32, ok bool) {
	if x.Begin() != nil {
		return 0, false
	}
	defer x.End()
	i, ok := slices.BinarySearch(x.eins, e)
	return uint32(i), ok
}
