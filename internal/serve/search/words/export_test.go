package words

import "grantgraph/internal/snapshot/mapped"

// Read is Open for a file that is in memory.
func Read(data []byte) (*Index, error) {
	f, err := mapped.Read("memory", data, Kind)
	if err != nil {
		return nil, err
	}
	return newIndex(f)
}
