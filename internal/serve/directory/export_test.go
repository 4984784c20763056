package directory

import "grantgraph/internal/snapshot/mapped"

// FileKind is the file of the index.
var FileKind = fileKind

// OpenBytes opens an index that is in memory.
func OpenBytes(data []byte) error {
	_, err := mapped.FromBytes(fileKind, data, newIndex)
	return err
}
