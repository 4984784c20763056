package directory

import (
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// FileKind is the file of the index.
var FileKind = fileKind

// OpenBytes opens an index that is in memory.
func OpenBytes(data []byte) error {
	f, err := mapped.Read("memory", data, fileKind)
	if err != nil {
		return err
	}
	_, err = newIndex(f, &snapshot.Manifest{})
	return err
}
