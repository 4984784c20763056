//go:build !linux

package postgres

import "syscall"

// dieWithParent does nothing on this system.
func dieWithParent(*syscall.SysProcAttr) {}
