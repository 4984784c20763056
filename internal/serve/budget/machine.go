package budget

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Machine is the memory in bytes that this process may use, 0 when the system does not say.
func Machine() int64 { return machine(os.DirFS("/")) }

func machine(root fs.FS) int64 {
	total := int64(0)
	if info, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(info))
		for lines.Scan() {
			if f := strings.Fields(lines.Text()); len(f) > 1 && f[0] == "MemTotal:" {
				kib, _ := strconv.ParseInt(f[1], 10, 64)
				total = kib << 10
			}
		}
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return total
	}
	for line := range strings.Lines(string(groups)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		dir, file := "sys/fs/cgroup", "memory.max"
		if part[1] == "memory" { // of the first version
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if part[0] != "0" {
			continue
		}
		// A group is bounded by its parents, too. In a container the path may be the host's, and then only the top exists.
		for at := path.Join("/", part[2]); ; at = path.Dir(at) {
			if limit, ok := readNumber(root, path.Join(dir, at, file)); ok && (total == 0 || limit < total) {
				total = limit
			}
			if at == "/" {
				break
			}
		}
	}
	return total
}

// readNumber reads a file that holds a number, or the word max.
func readNumber(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n > 0
}
