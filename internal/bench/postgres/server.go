// Package postgres starts private PostgreSQL servers, for tests and `measure bench` only.
package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrNone is wrapped when the machine has no PostgreSQL server to start.
var ErrNone = errors.New("PostgreSQL is not installed")

// Server is a private PostgreSQL server that can be reached through a socket only and is gone, with its data, after Stop.
type Server struct {
	DSN     string
	Version string
	dir     string
	bin     string
	args    []string // of the server
	attr    syscall.SysProcAttr
	cmd     *exec.Cmd // nil while it does not run
	log     *os.File
	exited  chan error
}

// Start starts a server with an empty database in a temporary folder, with these settings (name=value).
// PostgreSQL refuses to run as root, so root runs it as the user postgres or, where there is none, nobody.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	bin, err := newestBinDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "grantgraph-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, exited: make(chan error, 1)}
	if err := s.start(ctx, settings); err != nil {
		_ = s.Stop()
		return nil, err
	}
	return s, nil
}

func newestBinDir() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", fmt.Errorf("%w: there is no initdb in /usr/lib/postgresql or on the path", ErrNone)
	}
	return filepath.Dir(path), nil
}

func (s *Server) start(ctx context.Context, settings []string) error {
	if os.Geteuid() == 0 {
		cred, err := unprivilegedUser()
		if err != nil {
			return err
		}
		s.attr.Credential = cred
		if err := os.Chown(s.dir, int(cred.Uid), int(cred.Gid)); err != nil {
			return err
		}
	}
	data := filepath.Join(s.dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", data, "-U", "bench", "-A", "trust", "--locale=C", "-E", "UTF8", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = &s.attr, s.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	// Some machines have no room in /dev/shm.
	s.args = []string{"-D", data, "-k", s.dir, "-c", "listen_addresses=", "-c", "dynamic_shared_memory_type=sysv"}
	for _, setting := range settings {
		s.args = append(s.args, "-c", setting)
	}
	var err error
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	s.DSN = fmt.Sprintf("host=%s port=5432 user=bench dbname=postgres", s.dir)
	dieWithParent(&s.attr)
	return s.Resume(ctx)
}

// Resume starts a server that was halted, with its data.
func (s *Server) Resume(ctx context.Context) error {
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), s.args...)
	cmd.SysProcAttr, cmd.Dir, cmd.Stdout, cmd.Stderr = &s.attr, s.dir, s.log, s.log
	started := make(chan error)
	go func() {
		// The thread is the server's parent, so it must last as long.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			s.exited <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.cmd = cmd
	return s.ready(ctx)
}

func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.DSN)
		if err == nil {
			err = conn.QueryRow(ctx, "SHOW server_version").Scan(&s.Version)
			_ = conn.Close(ctx)
			if err == nil {
				return nil
			}
		}
		select {
		case exit := <-s.exited:
			s.cmd = nil
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("PostgreSQL ended at once: %v: %s", exit, strings.TrimSpace(string(text)))
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		case <-tick.C:
		}
	}
}

// unprivilegedUser is a user that PostgreSQL agrees to run as.
func unprivilegedUser() (*syscall.Credential, error) {
	for _, name := range [...]string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("%w: there is no user to run it as but root", ErrNone)
}

func (s *Server) Programs() string { return s.bin }

// Halt ends the server, which cuts its connections, and keeps its data for Resume.
func (s *Server) Halt() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		select {
		case <-s.exited:
		case <-time.After(2 * time.Minute):
			_ = s.cmd.Process.Kill()
			<-s.exited
		}
		s.cmd = nil
	}
}

// PID is the process that all others of the server are children of.
func (s *Server) PID() int { return s.cmd.Process.Pid }

func (s *Server) Stop() error {
	s.Halt()
	if s.log != nil {
		s.log.Close()
	}
	return os.RemoveAll(s.dir)
}

func (s *Server) Create(ctx context.Context, name string) (dsn string, err error) {
	conn, err := pgx.Connect(ctx, s.DSN)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", err
	}
	return strings.Replace(s.DSN, "dbname=postgres", "dbname="+name, 1), nil
}

// Memory is the bytes that the server and its workers take, those that several
// share counted once; 0 where the system does not say.
func (s *Server) Memory() (bytes int64) {
	if s.cmd == nil {
		return 0
	}
	server := s.cmd.Process.Pid
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		var state string
		var parent int
		if _, rest, ok := strings.Cut(string(text), ") "); ok {
			_, _ = fmt.Sscan(rest, &state, &parent)
		}
		if pid == server || parent == server {
			bytes += share(filepath.Join(filepath.Dir(path), "smaps_rollup"))
		}
	}
	return bytes
}

// share is the proportional share of memory in the summary of a process.
func share(path string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kilobytes int64
		if _, err := fmt.Sscanf(lines.Text(), "Pss: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}
