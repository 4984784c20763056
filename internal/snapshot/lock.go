package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// Lock locks the data directory for one build. The kernel drops the lock when the
// process dies, so a killed build never blocks the next one.
func Lock(data string) (release func(), err error) {
	if err := disk.MkdirAll(data, 0o755); err != nil {
		return nil, fault.Disk(data, err)
	}
	path := filepath.Join(data, "build.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if err := disk.Lock(f); err != nil {
		if !errors.Is(err, disk.ErrLocked) {
			f.Close()
			return nil, fault.Disk(path, err)
		}
		holder := make([]byte, 32)
		n, _ := f.Read(holder)
		f.Close()
		return nil, fault.New("build_running", "another build (process %s) is writing to %s", strings.TrimSpace(string(holder[:n])), data).
			Try("wait for it to end, or build into another --data directory")
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			f.Close()
			return nil, fault.Disk(path, err)
		}
	}
	return func() { f.Close() }, nil
}
