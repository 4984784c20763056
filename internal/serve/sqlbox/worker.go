package sqlbox

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"grantgraph/internal/fault"
)

// Work runs a worker process. It takes the role that the first frame names, gives up every right it no longer
// needs, and answers statements one at a time until its input ends. It returns the exit code of the process.
func Work(in io.Reader, out io.Writer, driver Driver) int {
	var h hello
	if err := readFrame(in, maxRequest, &h); err != nil {
		return 2
	}
	serve, notes, err := openRole(h, driver)
	first := ready{Notes: notes}
	if err != nil {
		first = ready{Err: err.Error()}
	}
	if body, bad := encode(first); bad != nil || writeFrame(out, body) != nil || err != nil {
		return 1
	}
	asks := make(chan workerRequest)
	go func() {
		// When the server is gone, the worker exits in the middle of any statement.
		for {
			var a workerRequest
			if err := readFrame(in, maxRequest, &a); err != nil {
				os.Exit(0)
			}
			asks <- a
		}
	}()
	for a := range asks {
		reply := func(a workerReply) error {
			to := bufio.NewWriterSize(out, 64<<10)
			if err := writeReply(to, a); err != nil {
				return err
			}
			return to.Flush()
		}
		done := watch(a.Budget, func() {
			// The engine cannot be stopped while it parses or binds a statement.
			_ = reply(workerReply{Fault: tooComplex(), Broken: true})
			os.Exit(0)
		})
		said := serve(a)
		if spent := done(); spent {
			said = workerReply{Fault: tooComplex(), Broken: true}
		}
		if err := reply(said); err != nil {
			return 1
		}
	}
	return 0
}

// watch measures the processor time of this process. It calls spent when the budget is used up before done is called. done also
// measures, so that the interval of the measurements does not decide which statements are refused.
func watch(budget time.Duration, spent func()) (done func() bool) {
	if budget <= 0 {
		return func() bool { return false }
	}
	start := processorTime()
	over := func() bool { return processorTime()-start > budget }
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(min(20*time.Millisecond, max(time.Millisecond, budget/10)))
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if over() {
					spent()
					return
				}
			}
		}
	}()
	return func() bool {
		close(stop)
		<-stopped
		return over()
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func openRole(h hello, driver Driver) (serve func(workerRequest) workerReply, notes []string, err error) {
	ctx := context.Background()
	var work func(context.Context, workerRequest) (*Result, error)
	var conn *sql.Conn
	nice := niceRunner
	switch h.Role {
	case roleGate:
		g, err := openGate(ctx, h.Memory)
		if err != nil {
			return nil, nil, err
		}
		conn, nice = g.conn, niceGate
		work = func(ctx context.Context, a workerRequest) (*Result, error) {
			return nil, g.check(ctx, a.SQL, a.Pro, a.Params)
		}
	case roleRunner:
		r, err := openRunner(ctx, driver, h)
		if err != nil {
			return nil, nil, err
		}
		conn = r.conn
		work = func(ctx context.Context, a workerRequest) (*Result, error) {
			return r.query(ctx, a.SQL, a.Params, maxRows, maxBytes)
		}
	default:
		return nil, nil, fmt.Errorf("a worker cannot be a %q", h.Role)
	}
	serve = func(a workerRequest) workerReply {
		ctx, cancel := context.WithTimeout(ctx, a.Timeout)
		defer cancel()
		res, err := work(ctx, a)
		return replyFor(res, err, conn)
	}
	return serve, confine(h.Memory, nice), nil
}

// replyFor makes the reply to a statement. It marks the worker as broken when the engine broke, when the engine ran out of
// memory (fragments of which it then keeps), and when it does not answer a trivial query any more.
func replyFor(r *Result, err error, conn *sql.Conn) workerReply {
	if err == nil {
		return workerReply{Result: r}
	}
	a := workerReply{Broken: errors.Is(err, errBroken)}
	if f, ok := fault.Of(err); ok {
		a.Broken = a.Broken || f.Slug == OutOfMemory
		f.Err = nil // a cause has no JSON form
		a.Fault = f
	} else {
		a.Broken, a.Err = true, err.Error()
	}
	a.Broken = a.Broken || run(context.Background(), conn, "SELECT 1") != nil
	return a
}

// How far workers yield the processor to the server. Gates yield less: their work
// on a statement is bounded, and every caller waits for it.
const (
	niceGate   = 5
	niceRunner = 15
)

// headroom is the memory that a worker may use beyond the engine's own limit: for
// the program, its stacks, and copies that the engine does not count.
const headroom = 768 << 20

// lifetime is the processor time after which the kernel kills a worker: the last limit.
const lifetime = time.Hour

// openEngine opens an empty database in memory with its only connection.
func openEngine(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}

func run(ctx context.Context, conn *sql.Conn, statements ...string) error {
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%w in %s", err, s)
		}
	}
	return nil
}

// hardening returns the statements that secure an engine before it runs SQL from outside. The order matters: open files stay
// open when external access is disabled, then the file system, and the lock comes last.
func hardening(memory int64, threads int) []string {
	return []string{
		fmt.Sprintf("SET memory_limit = '%dKiB'", memory>>10),
		fmt.Sprintf("SET threads = %d", threads),
		"SET GLOBAL TimeZone = 'UTC'",
		"SET GLOBAL max_expression_depth = 400",
		"SET GLOBAL errors_as_json = true", // gives the position of an error, however long its line is
		"SET temp_directory = ''",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET enable_external_access = false",
		"SET disabled_filesystems = 'LocalFileSystem'",
		"SET lock_configuration = true",
	}
}
