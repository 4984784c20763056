package terminal

import (
	"os"
	"strings"
	"syscall"
	"time"
)

// ProcessorTime is the processor time that this process has used so far.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// HostLoad is the load of the machine where the system tells it. A measurement
// prints it because other programs on a busy machine slow the measured one.
func HostLoad() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}
