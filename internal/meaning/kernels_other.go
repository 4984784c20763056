//go:build !amd64

package meaning

// fitting lists the kernels that this machine can run, fastest first.
func fitting() []*kernels { return nil }
