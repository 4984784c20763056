package screen

import "grantgraph/internal/snapshot/mapped"

// FileKind is the kind of the index.
var FileKind = fileKind

// CheckIndex opens the bytes of an index.
func CheckIndex(data []byte) error {
	f, err := mapped.Read("lists.idx", data, fileKind)
	if err != nil {
		return err
	}
	readIndex(f)
	return f.Err()
}
