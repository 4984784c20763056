package budget

import (
	"errors"
	"io"
	"net/http"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/network"
)

// Bounds of bodies that are being read.
const (
	bodyCopies = 3   // memory per byte of a body: as sent, and as parsed
	openBodies = 512 // that all clients send at a time
	openOfOne  = 32  // that one network sends at a time

	// Bytes of the budget for the bodies of strangers: one part in strangersPart, a
	// quarter of that for one network, and leastBytes for a network that has none.
	strangersPart = 8
	leastForAll   = 16 << 20
	leastForOne   = 7 << 20 // the longest body, with its copies
	leastBytes    = 256 << 10

	piece = 16 << 10 // bytes of a body that are read and counted at a time
)

// intake bounds the bodies of all requests together.
type intake struct {
	open      *AtOnce // bodies, while they are sent
	strangers *AtOnce // bytes
}

func newIntake(size int64) intake {
	all := max(size/strangersPart, leastForAll)
	return intake{NewAtOnce(openBodies, openOfOne), newShare(all, max(all/4, leastForOne), leastBytes)}
}

// Sender is who sends a body.
type Sender struct {
	Address string
	Known   bool // a key or a session was checked
}

// ReadBody reads a body of at most most bytes. It reserves memory as bytes arrive, so
// that a client who announces a body and sends nothing has nothing. It reads a
// bounded number of bodies from a network at a time. Strangers together have a bounded part
// of the budget, and no part of the bytes that are kept for small requests.
//
// The hold must be released. The error is a fault of the slug Busy, an
// *http.MaxBytesError, or that of the connection.
func (b *Budget) ReadBody(r *http.Request, from Sender, most int64) (body []byte, hold *Hold, err error) {
	if b == nil {
		body, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, most))
		return body, nil, err
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil, nil
	}
	near, wide := network.Near(from.Address), network.Wide(from.Address)
	if !b.intake.open.take(near, wide, 1) {
		return nil, nil, fault.New(Busy, "The server is receiving as many requests as it accepts at once, in all or from your network.").
			Try("ask again in a few seconds, and fewer at a time")
	}
	defer b.intake.open.giveBack(near, wide, 1)
	hold = &Hold{from: b}
	if !from.Known {
		hold.near, hold.wide = near, wide
	}
	defer func() {
		if err != nil {
			hold.Release()
			body, hold = nil, nil
		}
	}()
	buf := make([]byte, piece)
	for {
		n, err := r.Body.Read(buf)
		if int64(len(body)+n) > most {
			return nil, hold, &http.MaxBytesError{Limit: most}
		}
		if n > 0 && !hold.grow(bodyCopies*int64(n), !from.Known) {
			return nil, hold, busy()
		}
		body = append(body, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return body, hold, nil
		}
		if err != nil {
			return nil, hold, err
		}
	}
}

// grow adds bytes to a hold, if there is room now.
func (h *Hold) grow(bytes int64, stranger bool) bool {
	if stranger && !h.from.intake.strangers.take(h.near, h.wide, bytes) {
		return false
	}
	b := h.from
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.size - b.held
	if stranger || !b.small(h.bytes+bytes) {
		room -= b.size / keptPart
	}
	if bytes > room {
		if stranger {
			b.intake.strangers.giveBack(h.near, h.wide, bytes)
		}
		return false
	}
	b.held += bytes
	h.bytes += bytes
	if stranger {
		h.strange += bytes
	}
	return true
}

// A body may pause for bodyPause, and then for as long as its bytes so far earned at
// bodyRate bytes a second, and no body takes longer than bodyLongest.
const (
	bodyPause   = 5 * time.Second
	bodyRate    = 16 << 10
	bodyLongest = 30 * time.Second
)

// Pace gives the body of every request a deadline that moves as bytes arrive.
func Pace(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			p := &paced{ReadCloser: r.Body, of: http.NewResponseController(w)}
			p.wait() // also for a body that nobody reads, which the server discards
			r.Body = p
		}
		next.ServeHTTP(w, r)
	})
}

// paced is a body with a deadline.
type paced struct {
	io.ReadCloser
	of    *http.ResponseController
	began time.Time
	bytes int64
}

func (p *paced) wait() {
	if p.bytes == 0 {
		p.began = time.Now()
	}
	_ = p.of.SetReadDeadline(p.began.Add(patience(p.bytes))) // without deadlines there is no connection
}

// patience is how long a body may take of which so many bytes have arrived.
func patience(bytes int64) time.Duration {
	return min(bodyPause+time.Duration(bytes/bodyRate)*time.Second, bodyLongest)
}

func (p *paced) Read(b []byte) (n int, err error) {
	if p.bytes == 0 {
		p.wait()
	}
	n, err = p.ReadCloser.Read(b)
	p.bytes += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		// The server goes on reading, to notice a client that leaves while it waits for
		// the answer, and must not take the end of the deadline for that.
		_ = p.of.SetReadDeadline(time.Time{})
	case n > 0:
		p.wait()
	}
	return n, err
}
