package reconcile

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"grantgraph/internal/each"
)

const (
	Root02 = "/reconcile"
	Root10 = "/reconcile/1.0"
)

const (
	previewWidth  = 400
	previewHeight = 300
)

//go:embed manifest_0.2.json
var manifest02 string

//go:embed manifest_1.0.json
var manifest10 string

// manifest fills in the manifest of a version. With a security scheme in it, clients would always have to send a key.
func (h *Handler) manifest(text string) (json.RawMessage, error) {
	base, err := json.Marshal(h.BaseURL)
	if err != nil {
		return nil, err
	}
	types, err := json.Marshal(each.Of(types, func(t Type) Type { return Type{ID: t.ID, Name: t.Name} }))
	return json.RawMessage(strings.NewReplacer("$BASE", string(base[1:len(base)-1]), `"$TYPES"`, string(types), `"$BATCH"`, fmt.Sprint(FreeBatch),
		`"$WIDTH"`, fmt.Sprint(previewWidth), `"$HEIGHT"`, fmt.Sprint(previewHeight)).Replace(text)), err
}
