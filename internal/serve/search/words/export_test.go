package words

import "grantgraph/internal/snapshot/mapped"

// Read is Open for a file that is in memory.
func Read(data []byte) (*Index, error) { return mapped.FromBytes(Kind, data, newIndex) }
