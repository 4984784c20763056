package oracle

import (
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

// ErrNoPostgres is wrapped when the machine has no PostgreSQL server to start.
var ErrNoPostgres = errors.New("PostgreSQL is not installed")

// Server is a private PostgreSQL server that can be reached through a socket
// only and is gone, with its data, after Stop.
type Server struct {
	DSN     string
	Version string
	dir     string
	cmd     *exec.Cmd
	log     *os.File
	exited  chan error
}

// StartPostgres starts a server with an empty database in a temporary folder.
// PostgreSQL refuses to run as root, so root runs it as the user postgres or,
// where there is none, nobody.
func StartPostgres(ctx context.Context) (*Server, error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "grantgraph-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, exited: make(chan error, 1)}
	if err := s.start(ctx, bin); err != nil {
		_ = s.Stop()
		return nil, err
	}
	return s, nil
}

// postgresBin is the folder of the newest server on this machine.
func postgresBin() (string, error) {
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
		return "", fmt.Errorf("%w: there is no initdb in /usr/lib/postgresql or on the path", ErrNoPostgres)
	}
	return filepath.Dir(path), nil
}

func (s *Server) start(ctx context.Context, bin string) error {
	var attr syscall.SysProcAttr
	if os.Geteuid() == 0 {
		cred, err := lesser()
		if err != nil {
			return err
		}
		attr.Credential = cred
		if err := os.Chown(s.dir, int(cred.Uid), int(cred.Gid)); err != nil {
			return err
		}
	}
	data := filepath.Join(s.dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "bench", "-A", "trust", "--locale=C", "-E", "UTF8", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = &attr, s.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	args := []string{"-D", data, "-k", s.dir}
	for _, setting := range settings() {
		args = append(args, "-c", setting)
	}
	var err error
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"), args...)
	cmd.SysProcAttr, cmd.Dir, cmd.Stdout, cmd.Stderr = &attr, s.dir, s.log, s.log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	go func() { s.exited <- cmd.Wait() }()
	s.DSN = fmt.Sprintf("host=%s port=5432 user=bench dbname=postgres", s.dir)
	return s.ready(ctx)
}

// ready waits until the server answers.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
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

// settings are those that a careful owner of the machine would choose for
// reading: a quarter of the memory for pages, room for sorts and hashes, every
// core for a query, and no compilation, which costs more than it brings here.
func settings() []string {
	total := memory()
	cores := runtime.NumCPU()
	return []string{
		"listen_addresses=", "fsync=off", "synchronous_commit=off", "max_wal_size=8GB", "wal_level=minimal", "max_wal_senders=0",
		fmt.Sprintf("shared_buffers=%dMB", min(total/4, 16384)), fmt.Sprintf("effective_cache_size=%dMB", total/2),
		"work_mem=256MB", fmt.Sprintf("maintenance_work_mem=%dMB", min(total/16, 2047)),
		"random_page_cost=1.1", "jit=off", "dynamic_shared_memory_type=sysv",
		fmt.Sprintf("max_parallel_workers_per_gather=%d", cores), fmt.Sprintf("max_worker_processes=%d", cores+4), fmt.Sprintf("max_parallel_workers=%d", cores),
		fmt.Sprintf("max_parallel_maintenance_workers=%d", cores),
	}
}

// memory is the memory of the machine in megabytes, or a small guess where the
// system does not say.
func memory() int {
	text, err := os.ReadFile("/proc/meminfo")
	var kilobytes int
	if _, scan := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err != nil || scan != nil {
		return 4096
	}
	return kilobytes >> 10
}

// lesser is a user that PostgreSQL agrees to run as.
func lesser() (*syscall.Credential, error) {
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
	return nil, fmt.Errorf("%w: there is no user to run it as but root", ErrNoPostgres)
}

// Stop ends the server and removes its data.
func (s *Server) Stop() error {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		select {
		case <-s.exited:
		case <-time.After(20 * time.Second):
			_ = s.cmd.Process.Kill()
			<-s.exited
		}
		s.cmd = nil
	}
	if s.log != nil {
		s.log.Close()
	}
	return os.RemoveAll(s.dir)
}

// Create makes another empty database on the server and returns its address.
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
