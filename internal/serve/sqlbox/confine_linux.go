//go:build linux && (amd64 || arm64)

package sqlbox

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confine takes every right from the process that a query does not need: by limits on memory, files and time, and by a filter
// with a short list of system calls. It returns what the kernel refused, and continues: the gate and the engine's own settings
// still protect the server.
func confine(memory int64, nice int) (notes []string) {
	for _, l := range []struct {
		name  string
		what  int
		limit uint64
	}{
		{"memory", unix.RLIMIT_DATA, uint64(memory) + headroom},
		{"core dumps", unix.RLIMIT_CORE, 0},
		{"files written", unix.RLIMIT_FSIZE, 0},
		{"open files", unix.RLIMIT_NOFILE, 64},
		{"processor time", unix.RLIMIT_CPU, uint64(lifetime.Seconds())},
	} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.limit, Max: l.limit}); err != nil {
			notes = append(notes, fmt.Sprintf("no limit on %s: %v", l.name, err))
		}
	}
	if err := lowerPriority(nice); err != nil {
		notes = append(notes, fmt.Sprintf("no lower priority: %v", err))
	}
	if err := filterSystemCalls(); err != nil {
		notes = append(notes, fmt.Sprintf("no filter of system calls: %v", err))
	}
	return notes
}

// lowerPriority lets the server go first on busy processors, because all callers depend on it.
// Priority belongs to threads, and new threads inherit it.
func lowerPriority(nice int) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, id, nice); err != nil {
			return err
		}
	}
	return nil
}

// The offsets of a system call's number, architecture and arguments in a filter's input.
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16
)

const (
	allow    = 0x7fff0000
	refuse   = 0x00050000 // and the error number
	killAll  = 0x80000000
	x32      = 0x40000000
	loadWord = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	ifEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	ifAtOver = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ifSet    = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	giveBack = unix.BPF_RET | unix.BPF_K
)

// permitted are the system calls that the filter allows with any arguments.
var permitted = append([]uint32{
	unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64, unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK,
	unix.SYS_FCNTL, unix.SYS_PPOLL, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK, unix.SYS_MEMBARRIER,
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETCPU,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY,
	unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE, unix.SYS_SETITIMER,
	unix.SYS_GETRUSAGE, unix.SYS_SYSINFO, unix.SYS_GETRANDOM,
}, permittedHere...)

func filterSystemCalls() error {
	stmt := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	jump := func(code uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
	}
	prog := []unix.SockFilter{
		stmt(loadWord, atArch),
		jump(ifEqual, archHere, 1, 0),
		stmt(giveBack, killAll),
		stmt(loadWord, atNumber),
		jump(ifAtOver, x32, 0, 1),
		stmt(giveBack, refuse|uint32(unix.EPERM)),
	}
	for _, nr := range permitted {
		prog = append(prog, jump(ifEqual, nr, 0, 1), stmt(giveBack, allow))
	}
	// when looks at one argument of one call.
	when := func(nr uint32, arg int, test unix.SockFilter, then, otherwise uint32) {
		prog = append(prog, jump(ifEqual, nr, 0, 4), stmt(loadWord, uint32(atArgs+8*arg)), test, stmt(giveBack, then), stmt(giveBack, otherwise))
	}
	eperm := refuse | uint32(unix.EPERM)
	when(unix.SYS_CLONE, 0, jump(ifSet, unix.CLONE_THREAD, 0, 1), allow, eperm)
	when(unix.SYS_MMAP, 2, jump(ifSet, unix.PROT_EXEC, 0, 1), eperm, allow)
	when(unix.SYS_MPROTECT, 2, jump(ifSet, unix.PROT_EXEC, 0, 1), eperm, allow)
	when(unix.SYS_TGKILL, 0, jump(ifEqual, uint32(os.Getpid()), 0, 1), allow, eperm)
	prog = append(prog,
		// The C library tries clone3 first and falls back only on this error.
		jump(ifEqual, unix.SYS_CLONE3, 0, 1), stmt(giveBack, refuse|uint32(unix.ENOSYS)),
		stmt(giveBack, eperm),
	)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return errno
	}
	return nil
}
