package budget

import (
	"errors"
	"io"
	"net/http"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/network"
)

const (
	bodyCopies = 3   // memory per byte of a body: as sent, and as parsed
	openBodies = 512 // that all strangers send at a time
	openOfOne  = 32  // that one network, or one account, sends at a time
	openKnown  = 256 // that all known callers send at a time

	// Parts of the budget for bodies, with parts of them for short bodies alone.
	strangersPart = 8
	knownPart     = 4
	shortPart     = 16 // of known callers
	leastForAll   = 16 << 20
	longest       = 7 << 20              // the longest body, with its copies
	short         = 512 << 10            // a short one, with its copies; the PDF of a report is one
	tiny          = bodyCopies * 8 << 10 // such as a sign-in: only the number of open bodies bounds these

	piece = 16 << 10 // bytes of a body that are read and counted at a time
)

// intake bounds the bodies of all requests together. Strangers cannot take what known callers have.
type intake struct{ strangers, known lane }

// lane is what senders of one kind share.
type lane struct {
	open        *AtOnce // bodies, while they are sent
	short, long *AtOnce // bytes of bodies; those of long bodies leave room for short ones
}

func newIntake(size int64) intake {
	strange := max(size/strangersPart, leastForAll)
	return intake{
		strangers: newLane(openBodies, strange/4, strange-strange/4),
		known:     newLane(openKnown, max(size/shortPart, 4*short), max(size/knownPart, leastForAll)),
	}
}

func newLane(open int, ofShort, ofLong int64) lane {
	return lane{NewAtOnce(open, openOfOne), newShare(ofShort, max(ofShort/4, short), short), newShare(ofLong, max(ofLong/4, longest), longest)}
}

type Sender struct {
	Address string
	// Account is who pays for the request, or an administrator. Everybody else is a stranger.
	Account string
}

// networks are what shares are counted by: one for an account, two for all of a network.
func (s Sender) networks() (near, wide string) {
	near = network.Near(s.Address)
	if s.Account != "" {
		return s.Account, near
	}
	return near, network.Wide(s.Address)
}

// ReadBody reads a body of at most most bytes. It reserves memory as bytes arrive. Strangers are bounded by network, known
// callers by account and by network, and all senders of a kind together. The hold must be released. The error is a fault of
// the slug Busy, an *http.MaxBytesError, or that of the connection.
func (b *Budget) ReadBody(r *http.Request, from Sender, most int64) (body []byte, hold *Hold, err error) {
	if b == nil {
		body, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, most))
		return body, nil, err
	}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil, nil
	}
	lane := &b.intake.known
	if from.Account == "" {
		lane = &b.intake.strangers
	}
	near, wide := from.networks()
	if !lane.open.take(near, wide, 1) {
		return nil, nil, fault.New(Busy, "The server is receiving as many requests as it accepts at once, in all or from your network.").
			Try("ask again in a few seconds, and fewer at a time")
	}
	defer lane.open.giveBack(near, wide, 1)
	hold = &Hold{from: b, near: near, wide: wide, lane: lane, share: lane.short}
	if bodyCopies*r.ContentLength > short {
		hold.share = lane.long
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
		if n > 0 && !hold.grow(bodyCopies*int64(n)) {
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

// grow adds bytes of a body to a hold, if there is room. A tiny body takes nothing of what senders share.
func (h *Hold) grow(bytes int64) bool {
	all := h.bytes + bytes
	if h.share == h.lane.short && all > short { // its length was not announced
		if !h.lane.long.take(h.near, h.wide, h.shared) {
			return false
		}
		h.share.giveBack(h.near, h.wide, h.shared)
		h.share = h.lane.long
	}
	if all > tiny {
		if !h.share.take(h.near, h.wide, all-h.shared) {
			return false
		}
		h.shared = all
	}
	b := h.from
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.size - b.held
	if h.share != b.intake.known.short || !b.small(h.bytes+bytes) {
		room -= b.size / keptPart
	}
	if bytes > room {
		return false // the caller releases the hold
	}
	b.held += bytes
	h.bytes += bytes
	return true
}

// A body may pause for bodyPause and what its bytes earned at bodyRate bytes a second, and takes bodyLongest at most.
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
		// The server goes on reading, to notice a client that leaves: that is no end of the deadline.
		_ = p.of.SetReadDeadline(time.Time{})
	case n > 0:
		p.wait()
	}
	return n, err
}
