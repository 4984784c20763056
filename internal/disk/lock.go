package disk

import (
	"errors"
	"os"
	"syscall"
)

// ErrLocked is the error of a lock that another process, or another open file
// of this one, has.
var ErrLocked = errors.New("locked by another")

// Lock takes an open file for its holder alone. The lock goes with the open
// file: it is given back when the file is closed or the process dies. On
// network file systems the file must be open for writing.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// LockShared locks an open file together with others that share it, and keeps off
// those who want it for themselves.
func LockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		}
		return err
	}
}
