package profile

import (
	"bytes"
	"context"
	"testing"

	"grantgraph/internal/snapshot/mapped"
)

// FileKind is the file of the index.
var FileKind = fileKind

// FileName is the index inside a snapshot.
const FileName = fileName

// OpenBytes opens an index that is in memory.
func OpenBytes(data []byte) (*Index, error) { return mapped.FromBytes(fileKind, data, newIndex) }

// Bytes are the file of some tables.
func (t *Tables) Bytes(tb testing.TB) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := t.write(context.Background(), &b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// WriteTo writes the file of some tables.
func (t *Tables) WriteTo(ctx context.Context) error {
	var b bytes.Buffer
	return t.write(ctx, &b)
}
