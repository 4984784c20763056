// Package hash is FNV-1a with 64 bits. The same text has the same hash in every build and on every machine, so a hash may be
// stored or decide an order. Programs that need neither use hash/maphash, which is faster.
package hash

// Start is the hash of the empty text.
const Start uint64 = 14695981039346656037

const prime = 1099511628211

// Of is the hash of a text.
func Of[T ~string | ~[]byte](text T) uint64 { return Add(Start, text) }

// Add continues a hash with a text.
func Add[T ~string | ~[]byte](h uint64, text T) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return h
}

// Byte continues a hash with one byte.
func Byte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * prime }

// Parts continues a hash with texts. A byte that is in no UTF-8 text follows each
// of them, so that "ab", "c" and "a", "bc" differ.
func Parts(h uint64, parts ...string) uint64 {
	for _, p := range parts {
		h = Byte(Add(h, p), 0xff)
	}
	return h
}
