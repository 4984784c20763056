package agent

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"grantgraph/internal/serve/account"
)

// asked is the part of a challenge that is opaque to the store. The rest has columns of
// its own, so that nothing is stored twice: every minted key has a challenge.
type asked struct {
	Questions []Question      `json:"questions"`
	Params    json.RawMessage `json:"params"`
	// Older challenges have their hashes here, and not only in the column of answers.
	Hashes [][][]byte `json:"hashes,omitempty"`
}

// Keep returns a challenge in the form that the store keeps.
func Keep(c *Challenge) (account.Challenge, error) {
	params, err := json.Marshal(asked{Questions: c.Questions, Params: c.Params})
	kept := account.Challenge{No: c.Number, Dataset: c.Version, Params: params, Salt: c.Salt}
	for _, forms := range c.Hashes {
		sealed := make([]string, len(forms))
		for i, h := range forms {
			sealed[i] = hex.EncodeToString(h)
		}
		kept.Answers = append(kept.Answers, sealed)
	}
	for _, named := range c.Calls {
		kept.Calls = append(kept.Calls, named.name())
	}
	return kept, err
}

func recall(kept account.Challenge) (*Challenge, error) {
	var a asked
	if err := json.Unmarshal(kept.Params, &a); err != nil {
		return nil, fmt.Errorf("reading challenge %d: %w", kept.No, err)
	}
	c := &Challenge{Number: kept.No, Version: kept.Dataset, Questions: a.Questions, Salt: kept.Salt, Hashes: a.Hashes, Params: a.Params}
	for _, sealed := range kept.Answers {
		if a.Hashes != nil {
			break
		}
		forms := make([][]byte, len(sealed))
		for i, s := range sealed {
			var err error
			if forms[i], err = hex.DecodeString(s); err != nil {
				return nil, fmt.Errorf("reading the answers to challenge %d: %w", kept.No, err)
			}
		}
		c.Hashes = append(c.Hashes, forms)
	}
	for _, name := range kept.Calls {
		method, rest, _ := strings.Cut(name, " ")
		path, query, _ := strings.Cut(rest, "?")
		c.Calls = append(c.Calls, Call{Method: method, Path: path, Query: query})
	}
	return c, nil
}

// name returns the call in the form that the store keeps.
func (c Call) name() string { return c.Method + " " + c.URL() }
