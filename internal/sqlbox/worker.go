package sqlbox

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"time"

	"grantgraph/internal/fault"
)

// Work is the life of a worker process: it becomes what the first frame says,
// gives up every right it no longer needs, and answers statements one at a
// time until its input ends. It returns the exit code of the process.
func Work(in io.Reader, out io.Writer) int {
	var h hello
	if err := readFrame(in, maxAsk, &h); err != nil {
		return 2
	}
	serve, notes, err := settle(h)
	if err != nil {
		_ = writeFrame(out, ready{Err: err.Error()})
		return 1
	}
	if err := writeFrame(out, ready{Notes: notes}); err != nil {
		return 1
	}
	asks := make(chan ask)
	go func() {
		// When the server is gone, or speaks nonsense, the worker goes as well,
		// even in the middle of a statement that cannot be interrupted.
		for {
			var a ask
			if err := readFrame(in, maxAsk, &a); err != nil {
				os.Exit(0)
			}
			asks <- a
		}
	}()
	for a := range asks {
		if err := writeFrame(out, serve(a)); err != nil {
			return 1
		}
	}
	return 0
}

// settle opens what the role needs and confines the process.
func settle(h hello) (serve func(ask) answer, notes []string, err error) {
	ctx := context.Background()
	switch h.Role {
	case roleGate:
		g, err := openGate(ctx, h.Memory)
		if err != nil {
			return nil, nil, err
		}
		serve = func(a ask) answer {
			ctx, cancel := context.WithTimeout(ctx, a.Timeout)
			defer cancel()
			return outcome(nil, g.check(ctx, a.SQL, a.Pro, a.Params), g.conn)
		}
	case roleRunner:
		r, err := openRunner(ctx, h.Dir, h.Pro, h.Memory, h.Threads)
		if err != nil {
			return nil, nil, err
		}
		serve = func(a ask) answer {
			ctx, cancel := context.WithTimeout(ctx, a.Timeout)
			defer cancel()
			res, err := r.query(ctx, a.SQL, a.Params, maxRows, maxBytes)
			return outcome(res, err, r.conn)
		}
	default:
		return nil, nil, fmt.Errorf("a worker cannot be a %q", h.Role)
	}
	return serve, confine(h.Memory), nil
}

// outcome is the answer for what came of a statement. A failure may have left
// the engine in a state in which it answers nothing any more, so it is tried.
// One that ran out of memory answers, but keeps much of it in pieces too small
// for the next query, which may be another caller's.
func outcome(r *Result, err error, conn *sql.Conn) answer {
	if err == nil {
		return answer{Result: r}
	}
	a := answer{}
	if f, ok := fault.Of(err); ok {
		f.Err = nil // a cause does not survive the journey
		a.Fault = f
	} else {
		a.Err = err.Error()
	}
	a.Broken = a.Fault != nil && a.Fault.Slug == OutOfMemory || run(context.Background(), conn, "SELECT 1") != nil
	return a
}

// headroom is what a worker may use beyond the engine's own limit: the
// program, its stacks, and the copies that the engine does not count.
const headroom = 768 << 20

// lifetime is the processor time after which the kernel ends a worker, should
// everything else have failed to.
const lifetime = time.Hour
