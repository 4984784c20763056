package serve

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/network"
)

// Bounds of connections. What one network may have follows from the bound of all.
const (
	mostConnections = 8192
	ownFiles        = 512 // files that the service opens beside connections
	networkPart     = 16  // one network has at most this part of all connections

	idleTimeout  = 2 * time.Minute
	hurriedIdle  = 5 * time.Second // while more than three quarters of the connections are taken
	refusalWrite = time.Second
)

// connections is a listener with a bounded number of connections, in all and by network. Health checks have another.
type connections struct {
	net.Listener
	share   *budget.AtOnce
	trusted func(address string) bool // does not count as one network: it is a proxy
	metrics *metrics

	mu   sync.Mutex
	idle map[*connection]struct{}
}

// boundConnections is how many connections are served at a time. It warns when the limit of open files allows fewer than usual.
func boundConnections(log *slog.Logger) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur >= mostConnections+ownFiles {
		return mostConnections
	}
	most := max(int(files.Cur)-ownFiles, int(files.Cur)/2)
	log.Warn("few files may be open at a time, so fewer connections are served; raise the limit (ulimit -n, LimitNOFILE)",
		"limit", files.Cur, "wanted", mostConnections+ownFiles, "connections", most)
	return most
}

func (s *Server) limited(l net.Listener) *connections {
	most := s.opt.connections
	if most == 0 {
		most = boundConnections(s.log)
	}
	return &connections{
		Listener: l, share: budget.NewAtOnce(most, max(1, most/networkPart)), metrics: s.metrics, idle: map[*connection]struct{}{},
		trusted: func(address string) bool {
			at, ok := network.Parse(address)
			return ok && (s.trusts(at) || at.IsLoopback())
		},
	}
}

const tooMany = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 5\r\nConnection: close\r\n\r\n" +
	"The server has as many connections as it accepts, in all or from your network. Try again in a few seconds.\n"

// Accept returns the next connection for which there is room.
func (l *connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := c.RemoteAddr().String()
		begin := l.share.Begin
		if l.trusted(from) {
			begin = l.share.BeginTrusted
		}
		end, err := begin(from)
		if err == nil {
			l.metrics.connections.Inc()
			l.hurry()
			return &connection{Conn: c, of: l, end: sync.OnceFunc(func() { end(); l.metrics.connections.Dec() })}, nil
		}
		l.metrics.connectionsRefused.Inc()
		_ = c.SetWriteDeadline(time.Now().Add(refusalWrite))
		_, _ = io.WriteString(c, tooMany)
		_ = c.Close()
	}
}

// hurry shortens the wait of idle connections when few are left.
func (l *connections) hurry() {
	if !l.share.Crowded() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.idle {
		if !c.hurried {
			c.hurried = true
			_ = c.Conn.SetReadDeadline(time.Now().Add(hurriedIdle))
		}
	}
}

// watch follows which connections wait for their next request.
func (l *connections) watch(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := c.(*connection); state == http.StateIdle {
		l.idle[of] = struct{}{}
	} else {
		of.hurried = false
		delete(l.idle, of)
	}
}

type connection struct {
	net.Conn
	of      *connections
	end     func()
	hurried bool // under the lock of the listener
}

// Close closes the connection and counts it no longer.
func (c *connection) Close() error {
	defer c.end()
	return c.Conn.Close()
}

// SetReadDeadline shortens the deadline of an idle connection when few are left.
func (c *connection) SetReadDeadline(t time.Time) error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if _, idle := c.of.idle[c]; idle && c.of.share.Crowded() && !t.IsZero() {
		c.hurried = true
		if short := time.Now().Add(hurriedIdle); t.After(short) {
			t = short
		}
	}
	return c.Conn.SetReadDeadline(t)
}
