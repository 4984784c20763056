package oracle

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"grantgraph/internal/bench/postgres"
)

// ErrNoPostgres is wrapped when the machine has no PostgreSQL server to start.
var ErrNoPostgres = postgres.ErrNone

// Server is a private PostgreSQL server that can be reached through a socket
// only and is gone, with its data, after Stop.
type Server = postgres.Server

// StartPostgres starts a server with an empty database, set up for reading.
func StartPostgres(ctx context.Context) (*Server, error) {
	return postgres.Start(ctx, settings()...)
}

// settings are those that a careful owner of the machine would choose for
// reading: a quarter of the memory for pages, room for sorts and hashes, every
// core for a query, and no compilation, which costs more than it brings here.
func settings() []string {
	total := memory()
	cores := runtime.NumCPU()
	return []string{
		"fsync=off", "synchronous_commit=off", "max_wal_size=8GB", "wal_level=minimal", "max_wal_senders=0",
		fmt.Sprintf("shared_buffers=%dMB", min(total/4, 16384)), fmt.Sprintf("effective_cache_size=%dMB", total/2),
		"work_mem=256MB", fmt.Sprintf("maintenance_work_mem=%dMB", min(total/16, 2047)),
		"random_page_cost=1.1", "jit=off",
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
