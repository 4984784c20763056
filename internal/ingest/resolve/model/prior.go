package model

import (
	"bytes"
	_ "embed"
)

//go:embed prior.json
var prior []byte

// Prior reads the model that ships with the program.
func Prior(features []string) (*Model, error) { return Read(bytes.NewReader(prior), features) }
