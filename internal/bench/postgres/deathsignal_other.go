//go:build !linux

package postgres

import "syscall"

// dieWithParent has nothing to offer here.
func dieWithParent(*syscall.SysProcAttr) {}
