//go:build !linux

package pgtest

import "syscall"

// dieWithParent has nothing to offer here.
func dieWithParent(*syscall.SysProcAttr) {}
