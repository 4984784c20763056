package sqlbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
)

// process is the server's end of one worker. It serves one statement at a time.
// After any failure it is ended and never used again.
type process struct {
	cmd         *exec.Cmd
	in          *os.File
	out         *os.File
	gone        chan struct{} // closed when the worker has ended
	errorOutput *errorOutput
	notes       []string
	fresh       int64 // bytes of its own memory when it was new
	statements  int
	dead        bool
	once        sync.Once
}

var (
	// startTimeout is how long a worker may take to open its files; tests on busy machines set it longer.
	startTimeout = 30 * time.Second

	errDied = errors.New("the worker died")    // while it served a statement
	errGone = errors.New("the worker is gone") // before it received a statement
)

// spawn starts a worker and waits until it is ready.
func spawn(command []string, h hello, patience time.Duration) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	// The worker inherits nothing from the server's environment.
	cmd.Env = []string{"GOTRACEBACK=none", "GOMEMLIMIT=256MiB"}
	cmd.Dir = "/"
	p := &process{cmd: cmd, errorOutput: &errorOutput{}, gone: make(chan struct{})}
	cmd.Stderr = p.errorOutput
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		stdin.Close()
		in.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, p.in, p.out = stdin, stdout, in, out
	err = cmd.Start()
	stdin.Close()
	stdout.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("starting a SQL worker: %w", err)
	}
	go func() {
		_ = cmd.Wait()
		close(p.gone)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), max(patience, startTimeout))
	defer cancel()
	order, err := encode(h)
	if err != nil {
		p.end()
		return nil, err
	}
	var r ready
	if err := p.exchange(ctx, order, func(from io.Reader) error { return readFrame(from, maxHead, &r) }); err != nil {
		p.end()
		return nil, fmt.Errorf("a SQL worker did not start: %w: %s", err, p.errorOutput)
	}
	if r.Err != "" {
		p.end()
		return nil, fmt.Errorf("a SQL worker did not start: %s", r.Err)
	}
	p.notes, p.fresh = r.Notes, p.memory()
	return p, nil
}

// exchange sends a frame and reads the answer. When that fails or ctx ends, so does the worker.
func (p *process) exchange(ctx context.Context, send []byte, read func(io.Reader) error) error {
	done := make(chan error, 1)
	go func() {
		if err := writeFrame(p.in, send); err != nil {
			// The worker has closed its end of the pipe, so it has not seen the frame.
			done <- fmt.Errorf("%w: %w", errGone, err)
			return
		}
		if err := read(p.out); err != nil {
			done <- fmt.Errorf("%w: %w", errDied, err)
			return
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			p.end()
		}
		return err
	case <-ctx.Done():
		p.end()
		<-done // arrives soon, because the pipes are closed
		return ctx.Err()
	}
}

func (p *process) end() {
	p.once.Do(func() {
		p.dead = true
		_ = p.cmd.Process.Kill()
		<-p.gone
		p.in.Close()
		p.out.Close()
	})
}

func (p *process) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// memory returns the worker's resident memory in bytes, without the files that it
// has mapped. It is 0 where the system has no /proc.
func (p *process) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}

func (p *process) grown() int64 { return p.memory() - p.fresh }

func (p *process) ranOutOfMemory() bool {
	return p.errorOutput.hasAny("bad_alloc", "cannot allocate memory", "out of memory")
}

// crashed reports whether a worker ended for another reason than too little memory.
func (p *process) crashed() bool {
	return !p.ranOutOfMemory() && p.errorOutput.hasAny("panic:", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE")
}

// errorOutput keeps the beginning of a worker's error output, where the cause of its death is.
type errorOutput struct {
	mu sync.Mutex
	b  []byte
}

func (w *errorOutput) Write(p []byte) (int, error) {
	const most = 4 << 10
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b = append(w.b, p[:min(len(p), most-len(w.b))]...)
	return len(p), nil
}

func (w *errorOutput) hasAny(texts ...string) bool {
	all := w.String()
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(all, text) })
}

func (w *errorOutput) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.b)
}

// The server and its workers exchange frames: a length and JSON of that length, and the rows of
// an answer after it. Each side refuses a frame longer than any honest one.
const (
	maxRequest = 4 << 20
	maxHead    = 512 << 10 // of an answer without its rows
)

// Held is the most bytes that the server holds for the answer to one query: the rows, the slices
// that point to them, and the columns before and after decoding.
const Held = maxBytes + (maxRows+1)*64 + 4*maxHead

// hello is the first frame to a worker and says which role it takes.
type hello struct {
	Role    string // roleGate or roleRunner
	Dir     string // the snapshot
	Pro     bool
	Memory  int64
	Threads int
}

const (
	roleGate   = "gate"
	roleRunner = "runner"
)

type ready struct {
	Err   string
	Notes []string // what the machine could not offer to confine the worker
}

type workerRequest struct {
	SQL     string
	Params  Params
	Pro     bool
	Timeout time.Duration
	Budget  time.Duration // of processor time; 0 for no limit
}

// workerReply is the reply to a workerRequest: a fault, an error of the worker
// itself, or a result. A gate that lets a statement pass replies with none of them.
type workerReply struct {
	Fault  *fault.Fault
	Err    string
	Result *Result
	Sizes  []int // of the rows, which follow the frame
	Broken bool  // the worker's engine must not be used again
}

// encode writes a value as JSON without escapes for HTML, which take six bytes for one.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func writeFrame(w io.Writer, body []byte) error {
	var head [4]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(body)))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

func readFrame(r io.Reader, limit uint32, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > limit {
		return fmt.Errorf("a frame of %d bytes", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

func writeReply(w io.Writer, a workerReply) error {
	var rows []json.RawMessage
	if a.Result != nil {
		rows = a.Result.Rows
		for _, row := range rows {
			a.Sizes = append(a.Sizes, len(row))
		}
	}
	head, err := encode(a)
	if err != nil {
		return err
	}
	if len(head) > maxHead {
		rows = nil
		tooLarge := fault.New(TooLarge, "the columns of the answer take more than %d KiB to name", maxHead>>10).
			Try("select fewer columns, or shorten their names")
		if head, err = encode(workerReply{Broken: a.Broken, Fault: tooLarge}); err != nil {
			return err
		}
	}
	if err := writeFrame(w, head); err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// readReply reads what writeReply writes, with the rows in one piece of memory.
func readReply(r io.Reader, a *workerReply) error {
	if err := readFrame(r, maxHead, a); err != nil {
		return err
	}
	if a.Result == nil {
		return nil
	}
	total := 0
	for _, n := range a.Sizes {
		if n < 0 || n > maxBytes-total {
			return fmt.Errorf("rows of more than %d bytes", maxBytes)
		}
		total += n
	}
	all := make([]byte, total)
	if _, err := io.ReadFull(r, all); err != nil {
		return err
	}
	a.Result.Rows = make([]json.RawMessage, len(a.Sizes))
	for i, n := range a.Sizes {
		a.Result.Rows[i], all = all[:n:n], all[n:]
	}
	a.Sizes = nil
	return nil
}
