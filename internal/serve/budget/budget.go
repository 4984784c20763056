// Package budget bounds the memory of all requests together. A request takes a hold on the bytes it will use. When there are
// not enough, it waits a moment in a fair queue, and then it is refused: it is better to refuse a few requests than to run out
// of memory for all.
package budget

import (
	"bufio"
	"bytes"
	"cmp"
	"container/list"
	"context"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
)

const Busy = "server_busy"

// Small holds do not queue behind large ones, and a part is kept for them: ordinary requests are always served.
const (
	smallPart = 256
	keptPart  = 8
)

// Options say how long a request waits for memory. A zero field has its default.
type Options struct {
	Wait    time.Duration // how long a request waits at most; two seconds
	Waiters int           // how many may wait at a time; 64

	// Timer starts a timer, and returns what it sends to and its stop; nil is that of package time.
	Timer func(time.Duration) (<-chan time.Time, func() bool)
}

// Budget is a number of bytes, safe for concurrent use; nil is without bounds.
type Budget struct {
	opt  Options
	size int64

	mu      sync.Mutex
	held    int64     // may be more than size: what is there already is counted, not refused
	waiting list.List // of *waiter, first come first

	intake intake
}

type waiter struct {
	bytes int64
	ready chan struct{} // closed when the hold was given
}

func New(size int64, opt Options) *Budget {
	opt.Wait = cmp.Or(opt.Wait, 2*time.Second)
	opt.Waiters = cmp.Or(opt.Waiters, 64)
	if opt.Timer == nil {
		opt.Timer = func(d time.Duration) (<-chan time.Time, func() bool) {
			t := time.NewTimer(d)
			return t.C, t.Stop
		}
	}
	return &Budget{opt: opt, size: size, intake: newIntake(size)}
}

// Hold is a part of the budget that was taken and must be released. One goroutine uses it at a time; nil is nothing.
type Hold struct {
	from  *Budget
	bytes int64

	// Of a body: who sent it, and its bytes of what senders share.
	near, wide string
	lane       *lane
	share      *AtOnce
	shared     int64
}

// Take takes so many bytes, or the whole budget if that is less. The error is of the slug Busy, or of the context.
func (b *Budget) Take(ctx context.Context, bytes int64) (*Hold, error) {
	if b == nil {
		return nil, nil
	}
	bytes = min(max(bytes, 0), b.size-b.size/keptPart)
	b.mu.Lock()
	if b.fits(bytes) && (b.waiting.Len() == 0 || b.small(bytes)) {
		b.held += bytes
		b.mu.Unlock()
		return &Hold{from: b, bytes: bytes}, nil
	}
	if b.waiting.Len() >= b.opt.Waiters {
		b.mu.Unlock()
		return nil, busy()
	}
	w := &waiter{bytes, make(chan struct{})}
	at := b.waiting.PushBack(w)
	b.mu.Unlock()

	late, stop := b.opt.Timer(b.opt.Wait)
	defer stop()
	var err error
	select {
	case <-w.ready:
		return &Hold{from: b, bytes: bytes}, nil
	case <-late:
		err = busy()
	case <-ctx.Done():
		err = ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.ready: // the hold came at the same moment
		return &Hold{from: b, bytes: bytes}, nil
	default:
	}
	b.waiting.Remove(at)
	b.admit() // requests behind it may need less
	return nil, err
}

func busy() error {
	return fault.New(Busy, "The server is running as many large requests as its memory allows.").
		Try("ask again in a few seconds; a narrower filter or a smaller page needs less")
}

func (b *Budget) small(bytes int64) bool { return bytes <= b.size/smallPart }

func (b *Budget) fits(bytes int64) bool {
	room := b.size - b.held
	if !b.small(bytes) {
		room -= b.size / keptPart
	}
	return bytes <= room
}

func (b *Budget) admit() {
	for at := b.waiting.Front(); at != nil; at = b.waiting.Front() {
		w := at.Value.(*waiter)
		if !b.fits(w.bytes) {
			return
		}
		b.held += w.bytes
		b.waiting.Remove(at)
		close(w.ready)
	}
}

// Resize sets the hold to the bytes really used; if more, later requests have less.
func (h *Hold) Resize(bytes int64) {
	if h == nil || h.from == nil {
		return
	}
	h.from.mu.Lock()
	defer h.from.mu.Unlock()
	h.from.held += bytes - h.bytes
	h.bytes = bytes
	h.from.admit()
}

// Release gives the hold back. Only the first time counts.
func (h *Hold) Release() {
	h.Resize(0)
	if h != nil && h.from != nil {
		if h.share != nil {
			h.share.giveBack(h.near, h.wide, h.shared)
		}
		h.from = nil
	}
}

func (b *Budget) Size() int64 {
	if b == nil {
		return 0
	}
	return b.size
}

func (b *Budget) Held() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Machine is the memory in bytes that this process may use, 0 when the system does not say.
func Machine() int64 { return machine(os.DirFS("/")) }

func machine(root fs.FS) int64 {
	total := int64(0)
	if info, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(info))
		for lines.Scan() {
			if f := strings.Fields(lines.Text()); len(f) > 1 && f[0] == "MemTotal:" {
				kib, _ := strconv.ParseInt(f[1], 10, 64)
				total = kib << 10
			}
		}
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return total
	}
	for line := range strings.Lines(string(groups)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		dir, file := "sys/fs/cgroup", "memory.max"
		if part[1] == "memory" { // of the first version
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if part[0] != "0" {
			continue
		}
		// A group is bounded by its parents, too. In a container the path may be the host's, and then only the top exists.
		for at := path.Join("/", part[2]); ; at = path.Dir(at) {
			if limit, ok := readNumber(root, path.Join(dir, at, file)); ok && (total == 0 || limit < total) {
				total = limit
			}
			if at == "/" {
				break
			}
		}
	}
	return total
}

// readNumber reads a file that holds a number, or the word max.
func readNumber(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n > 0
}
