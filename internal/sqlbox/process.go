package sqlbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is the server's end of one worker. It serves one statement at a
// time; once anything goes wrong with it, it is ended and never used again.
type process struct {
	cmd   *exec.Cmd
	in    *os.File
	out   *os.File
	gone  chan struct{} // closed when it has ended
	said  *lastWords    // what it wrote to its error output
	notes []string
	asked int
	dead  bool
	once  sync.Once
}

// patience is how long a worker may take to open its files.
const patience = 30 * time.Second

// errDied is returned when a worker ends while it serves a statement.
var errDied = errors.New("the worker died")

// spawn starts a worker and waits until it is ready.
func spawn(command []string, h hello) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	// Nothing of the server's surroundings is the worker's business.
	cmd.Env = []string{"GOTRACEBACK=none", "GOMEMLIMIT=256MiB"}
	cmd.Dir = "/"
	p := &process{cmd: cmd, said: &lastWords{}, gone: make(chan struct{})}
	cmd.Stderr = p.said
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
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var r ready
	if err := p.exchange(ctx, h, &r); err != nil {
		p.end()
		return nil, fmt.Errorf("a SQL worker did not start: %w: %s", err, p.said)
	}
	if r.Err != "" {
		p.end()
		return nil, fmt.Errorf("a SQL worker did not start: %s", r.Err)
	}
	p.notes = r.Notes
	return p, nil
}

// exchange sends a frame and waits for the answer. When the context ends
// first, or the worker does, the worker is done for.
func (p *process) exchange(ctx context.Context, send, receive any) error {
	done := make(chan error, 1)
	go func() {
		err := writeFrame(p.in, send)
		if err == nil {
			err = readFrame(p.out, maxAnswer, receive)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			p.end()
			return fmt.Errorf("%w: %w", errDied, err)
		}
		return nil
	case <-ctx.Done():
		p.end()
		<-done // the pipes are closed, so this does not wait long
		return ctx.Err()
	}
}

// end kills the worker and reaps it.
func (p *process) end() {
	p.once.Do(func() {
		p.dead = true
		_ = p.cmd.Process.Kill()
		<-p.gone
		p.in.Close()
		p.out.Close()
	})
}

// alive says whether the worker has not ended on its own.
func (p *process) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// crashed says whether a worker that has ended did so by a fault of the program
// or of the engine, and not because there was no more memory.
func (p *process) crashed() bool {
	said := p.said.String()
	for _, want := range []string{"bad_alloc", "cannot allocate memory", "out of memory"} {
		if strings.Contains(said, want) {
			return false
		}
	}
	return strings.Contains(said, "panic:") || strings.Contains(said, "SIGSEGV") || strings.Contains(said, "SIGABRT")
}

// lastWords keeps the beginning of what is written to it: a program that dies
// gives the cause first, and then much else.
type lastWords struct {
	mu sync.Mutex
	b  []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	const most = 4 << 10
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b = append(w.b, p[:min(len(p), most-len(w.b))]...)
	return len(p), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.b)
}
