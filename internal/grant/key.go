package grant

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
)

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// KeySize is the number of characters of a key.
const KeySize = 13

// AppendKey writes the stable key of a grant: a digest of the return, the list and the line.
func AppendKey(dst []byte, filing, part string, line int32) []byte {
	var buf [96]byte
	b := append(buf[:0], filing...)
	b = append(b, '/')
	b = append(b, part...)
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(line), 10)
	sum := sha256.Sum256(b)
	var enc [16]byte
	keyEncoding.Encode(enc[:], sum[:10])
	return append(dst, enc[:KeySize]...)
}
