package agent

import (
	"net/url"

	"grantgraph/internal/serve/graph"
)

// World is the invented world that the tests of this package share.
func World() *graph.Graph { return small }

// Secret and Version are what the tests draw with.
var Secret = secret

const Version = version

// Recall reads a challenge that the store has kept.
var Recall = recall

// Allows reports whether a key locked by the challenge may make a request.
func (c *Challenge) Allows(method, path string, query url.Values) bool {
	_, ok := c.call(method, path, query)
	return ok
}
