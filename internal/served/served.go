// Package served holds what is being served and swaps it for something newer
// without dropping a request: whoever is reading the old snapshot goes on
// reading it, and when the last of them is done it is closed and may be pruned.
// The compliance lists are swapped on their own, without touching the snapshot.
package served

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"grantgraph/internal/graph"
	"grantgraph/internal/lists"
	"grantgraph/internal/search"
	"grantgraph/internal/snapshot"
)

// Set is one opened snapshot with its indexes.
type Set struct {
	Snapshot *snapshot.Snapshot
	Graph    *graph.Graph
	Search   *search.Index

	unhold  func() // lets it be pruned
	readers int    // under the holder's lock
	retired bool   // another set is current
}

func open(s *snapshot.Snapshot) (_ *Set, err error) {
	unhold, err := s.Hold()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unhold()
		}
	}()
	g, err := graph.Open(s)
	if err != nil {
		return nil, err
	}
	x, err := search.Open(s)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return &Set{Snapshot: s, Graph: g, Search: x, unhold: unhold}, nil
}

func (s *Set) close() error {
	defer s.unhold()
	return errors.Join(s.Graph.Close(), s.Search.Close())
}

// Holder is the current set of a data directory.
type Holder struct {
	data string
	log  *slog.Logger

	lists atomic.Pointer[lists.Current]

	mu      sync.Mutex
	current *Set
	closed  bool
}

// Open opens the current snapshot of a data directory.
func Open(data string, log *slog.Logger) (*Holder, error) {
	h := &Holder{data: data, log: log}
	if _, err := h.Refresh(); err != nil {
		return nil, err
	}
	if _, err := h.RefreshLists(); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Lists are the compliance lists now served.
func (h *Holder) Lists() *lists.Current { return h.lists.Load() }

// RefreshLists takes up the compliance lists as the data directory has them.
// swapped says that the edition is another one. On an error the lists that
// were served stay.
func (h *Holder) RefreshLists() (swapped bool, err error) {
	next, err := lists.Read(h.data)
	if err != nil {
		return false, err
	}
	old := h.lists.Swap(next)
	return old == nil || old.Version() != next.Version(), nil
}

// Acquire returns the current set. It stays open until release is called,
// which must happen exactly once.
func (h *Holder) Acquire() (s *Set, release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s = h.current
	s.readers++
	return s, func() { h.release(s) }
}

func (h *Holder) release(s *Set) {
	h.mu.Lock()
	s.readers--
	last := s.retired && s.readers == 0
	h.mu.Unlock()
	if last {
		h.drop(s)
	}
}

func (h *Holder) drop(s *Set) {
	if err := s.close(); err != nil {
		h.log.Error("closing a snapshot", "version", s.Snapshot.Manifest.Version, "error", err)
	}
}

// Refresh opens the snapshot that the data directory points to, if it is
// another one than the current, and makes it current. On an error the set that
// was current stays so.
func (h *Holder) Refresh() (swapped bool, err error) {
	s, err := snapshot.Open(h.data)
	if err != nil {
		return false, err
	}
	h.mu.Lock()
	same := h.closed || h.current != nil && h.current.Snapshot.Manifest.Version == s.Manifest.Version
	h.mu.Unlock()
	if same {
		return false, nil
	}
	next, err := open(s)
	if err != nil {
		return false, err
	}
	return h.swap(next), nil
}

// swap makes a set current, unless the holder was closed meanwhile. The set
// that gives way is closed when nobody reads it any more.
func (h *Holder) swap(next *Set) (swapped bool) {
	h.mu.Lock()
	old := h.current
	if h.closed {
		old = next
	} else {
		h.current = next
	}
	idle := false
	if old != nil {
		old.retired = true
		idle = old.readers == 0
	}
	h.mu.Unlock()
	if idle {
		h.drop(old)
	}
	return old != next
}

// Close closes the current set once nobody reads it.
func (h *Holder) Close() {
	h.mu.Lock()
	s := h.current
	already := h.closed
	h.closed = true
	s.retired = true
	idle := s.readers == 0
	h.mu.Unlock()
	if idle && !already {
		h.drop(s)
	}
}
