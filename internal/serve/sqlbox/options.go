package sqlbox

import (
	"log/slog"
	"os"
	"runtime"
	"time"

	"grantgraph/internal/serve/budget"
)

// Options set the limits of a Box. The zero value of a field is its default.
type Options struct {
	Workers  int           // queries at a time; more than four owners may have together
	Gates    int           // statements read at a time; one more than there are processors, at most 8
	Queue    int           // statements that may wait to be read, and queries that may wait for a worker; 12
	Wait     time.Duration // that a statement waits to be read, and then for a worker, at most; 7 s each
	PerOwner int           // queries of one owner at a time, those waiting included; 2
	Timeout  time.Duration // of a query; 30 s
	Reading  time.Duration // of processor time that the gate may spend on a statement; 1 s
	Memory   int64         // of a query, bytes; a share of the machine's, from 128 MiB to 1 GiB
	Spare    int64         // bytes that an idle worker may hold beyond what it did when it was new; 192 MiB
	Threads  int           // of a query; as many as there are processors, at most 4
	Command  []string      // that starts a worker; this program with sql-worker
	Log      *slog.Logger
}

func (o *Options) defaults() error {
	or := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	or(&o.PerOwner, 2)
	// A query has its time, however heavy it is. So that a few owners of heavy
	// ones cannot shut out the others, there are places for more of them; the
	// processors are shared by the system, and the memory is divided below.
	or(&o.Workers, 4*o.PerOwner+1)
	or(&o.Gates, min(8, runtime.NumCPU()+1))
	or(&o.Queue, 12)
	or(&o.Threads, min(4, runtime.NumCPU()))
	if o.Reading == 0 {
		o.Reading = time.Second
	}
	if o.Spare == 0 {
		o.Spare = 192 << 20
	}
	if o.Wait == 0 {
		o.Wait = 7 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Memory == 0 {
		// All that run at a time have no more than half of the machine's.
		o.Memory = min(1<<30, max(128<<20, budget.Machine()/int64(2*o.Workers)))
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Command) == 0 {
		self, err := program()
		if err != nil {
			return err
		}
		o.Command = []string{self, "sql-worker"}
	}
	return nil
}

// program names this very program. Where the system can, it is named by what
// it is and not by where it lay when it was started: when a newer one has been
// put in its place, that one's workers would not speak this one's protocol.
func program() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}
