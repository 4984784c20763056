package postgres

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

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
