package screen

import "grantgraph/internal/snapshot/mapped"

// FileKind is the kind of the index.
var FileKind = fileKind

// CheckIndex opens the bytes of an index.
func CheckIndex(data []byte) error {
	_, err := mapped.FromBytes(fileKind, data, readIndex)
	return err
}
