package disk

import (
	"errors"
	"os"
	"syscall"
)

// ErrLocked says that another process, or another open file of this process, holds the
// lock.
var ErrLocked = errors.New("locked by another")

// Lock locks an open file for one holder. The lock ends when the file is closed or the
// process dies. On network file systems the file must be open for writing.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// LockShared locks an open file for several holders, so that Lock fails for everyone
// else.
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
