package mapped

// PretendBigEndian makes this machine a big-endian one until it is called off.
func PretendBigEndian() (off func()) {
	littleEndian = !littleEndian
	return func() { littleEndian = !littleEndian }
}
