//go:build !amd64

package meaning

// fitting lists the kernels that this machine can run, the fastest first.
func fitting() []*kernels { return nil }
