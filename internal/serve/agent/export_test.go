package agent

import "grantgraph/internal/serve/graph"

// World is the invented world that the tests of this package share.
func World() *graph.Graph { return small }

// Secret and Version are what the tests draw with.
var Secret = secret

const Version = version

// Recall reads a challenge that the store has kept.
var Recall = recall
