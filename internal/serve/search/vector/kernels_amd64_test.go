package vector

// kernels are those of dots that this machine has.
func kernels() map[string]func(*asked, []row, []uint32, []int32) {
	list := map[string]func(*asked, []row, []uint32, []int32){"chosen": dots}
	if hasVNNI {
		list["vnni"] = func(a *asked, r []row, d []uint32, o []int32) { dotsVNNI(&a.bytes, r, d, o) }
	}
	if hasAVX2 {
		list["avx2"] = func(a *asked, r []row, d []uint32, o []int32) { dotsAVX2(&a.words, r, d, o) }
	}
	return list
}
