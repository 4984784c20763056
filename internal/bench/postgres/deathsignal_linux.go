package postgres

import "syscall"

// dieWithParent has the server stop at once when the thread that started it
// ends: a program that is killed cannot stop it.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGQUIT }
