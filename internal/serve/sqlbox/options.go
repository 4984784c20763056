package sqlbox

import (
	"cmp"
	"log/slog"
	"os"
	"runtime"
	"time"

	"grantgraph/internal/serve/budget"
)

// Options set the limits of a Box. The zero value of a field is its default.
type Options struct {
	Workers  int           // queries at a time; default: one more than four owners may run together
	Gates    int           // statements that gates read at a time; default: one more than processors, at most 8
	Queue    int           // statements that may wait for a gate, and queries that may wait for a worker; default 12
	Wait     time.Duration // longest wait for a gate, and then for a worker; default 7 s each
	PerOwner int           // queries of one owner at a time, including those that wait; default 2
	Timeout  time.Duration // of a query; default 30 s
	Reading  time.Duration // processor time that the gate may spend on a statement; default 1 s
	Memory   int64         // bytes of a query; default: a share of the machine's, from 128 MiB to 1 GiB
	Spare    int64         // bytes that an idle worker may hold beyond its size when it was new; default 192 MiB
	Threads  int           // of a query; default: as many as processors, at most 4
	Command  []string      // starts a worker; default: this program with sql-worker
	Log      *slog.Logger
}

func (o *Options) defaults() error {
	o.PerOwner = cmp.Or(o.PerOwner, 2)
	// There are more workers than a few owners can occupy. They share processors and memory.
	o.Workers = cmp.Or(o.Workers, 4*o.PerOwner+1)
	o.Gates = cmp.Or(o.Gates, min(8, runtime.NumCPU()+1))
	o.Queue = cmp.Or(o.Queue, 12)
	o.Threads = cmp.Or(o.Threads, min(4, runtime.NumCPU()))
	o.Reading = cmp.Or(o.Reading, time.Second)
	o.Spare = cmp.Or(o.Spare, 192<<20)
	o.Wait = cmp.Or(o.Wait, 7*time.Second)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	// All workers together use at most half of the machine's memory.
	o.Memory = cmp.Or(o.Memory, min(1<<30, max(128<<20, budget.Machine()/int64(2*o.Workers))))
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if len(o.Command) == 0 {
		self, err := program()
		if err != nil {
			return err
		}
		o.Command = []string{self, "sql-worker"}
	}
	return nil
}

// program returns the path of the program that is running. Where the system has /proc, the path stays valid when a newer
// program replaces the file: a worker of the newer program might not speak this program's protocol.
func program() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}
