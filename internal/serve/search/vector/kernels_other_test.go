//go:build !amd64

package vector

// kernels are those of dots that this machine has.
func kernels() map[string]func(*asked, []row, []uint32, []int32) {
	return map[string]func(*asked, []row, []uint32, []int32){"chosen": dots}
}
