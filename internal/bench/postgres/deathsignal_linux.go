package postgres

import "syscall"

// dieWithParent makes the kernel stop the server when the thread that started it
// ends, because a program that is killed cannot stop the server itself.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGQUIT }
