package sqlbox

import "golang.org/x/sys/unix"

const archHere = unix.AUDIT_ARCH_AARCH64

var permittedHere = []uint32{}
