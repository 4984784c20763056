package meaning

import "golang.org/x/sys/cpu"

// fitting lists the kernels that this machine can run, fastest first.
func fitting() (list []*kernels) {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VNNI {
		list = append(list, vnni)
	}
	if cpu.X86.HasAVX2 {
		list = append(list, avx2)
	}
	return list
}

var vnni = &kernels{
	name:       "avx512-vnni",
	width:      1,
	absMax:     absMax512,
	quantize:   quantize512,
	mul:        mul512,
	dequantize: dequantize512,
	rows:       rows512,
	softmax:    softmax512,
	gelu:       gelu512,
	addSum:     addSum512,
	squares:    squares512,
	scaleShift: scaleShift512,
	addTerm:    addTerm256,
}

// avx2 quantizes to two bytes, because its integer products take two-byte numbers.
var avx2 = &kernels{
	name:       "avx2",
	width:      2,
	absMax:     absMax256,
	quantize:   quantize256,
	mul:        mul256,
	dequantize: dequantize256,
	rows:       rows256,
	softmax:    softmax256,
	gelu:       gelu256,
	addSum:     addSum256,
	squares:    squares256,
	scaleShift: scaleShift256,
	addTerm:    addTerm256,
}

//go:noescape
func absMax512(x []float32) float32

//go:noescape
func quantize512(q []int8, x []float32, inv float32) int32

//go:noescape
func mul512(acc []int32, q []int8, k int, w []uint8)

//go:noescape
func dequantize512(out []float32, acc []int32, offset int32, scale float32, weight, bias []float32)

//go:noescape
func rows512(c []float32, ldc int, a []float32, lda int, b []float32, ldb, n int)

//go:noescape
func softmax512(x []float32, scale float32)

//go:noescape
func gelu512(x []float32)

//go:noescape
func addSum512(x, y []float32) float32

//go:noescape
func squares512(x []float32, mean float32) float32

//go:noescape
func scaleShift512(x []float32, mean, inv float32, gain, bias []float32)

//go:noescape
func absMax256(x []float32) float32

//go:noescape
func quantize256(q []int8, x []float32, inv float32) int32

//go:noescape
func mul256(acc []int32, q []int8, k int, w []uint8)

//go:noescape
func dequantize256(out []float32, acc []int32, offset int32, scale float32, weight, bias []float32)

//go:noescape
func rows256(c []float32, ldc int, a []float32, lda int, b []float32, ldb, n int)

//go:noescape
func softmax256(x []float32, scale float32)

//go:noescape
func gelu256(x []float32)

//go:noescape
func addSum256(x, y []float32) float32

//go:noescape
func squares256(x []float32, mean float32) float32

//go:noescape
func scaleShift256(x []float32, mean, inv float32, gain, bias []float32)

//go:noescape
func addTerm256(sum []float32, term []int8, scale float32)
