//go:build !linux || !(amd64 || arm64)

package sqlbox

// confine cannot limit a process on this system. The gate, the engine's own
// settings and the separate process still protect the server.
func confine(int64, int) []string {
	return []string{"no limits and no filter of system calls on this system"}
}
