package ask

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
)

//go:embed plan_schema.json
var schemaText []byte

// schema is as much of a JSON schema as plan_schema.json uses.
type schema struct {
	Enum                []string
	Properties          map[string]*schema
	Items               *schema
	Minimum, Maximum    float64
	MaxItems, MaxLength int // 0 for no limit
}

var planSchema = func() (s schema) {
	if err := json.Unmarshal(schemaText, &s); err != nil {
		panic("plan_schema.json: " + err.Error())
	}
	return s
}()

// Schema is the JSON schema of a plan. Validate checks plans against it.
func Schema() json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, schemaText); err != nil {
		panic(err) // planSchema was read from the same text
	}
	return b.Bytes()
}

// check checks the words and numbers of the plan against the schema.
func (p *Plan) check() error {
	var v any
	if err := json.Unmarshal([]byte(p.String()), &v); err != nil {
		return invalid("%v", err)
	}
	return planSchema.check("plan", v)
}

func (s *schema) check(name string, value any) (err error) {
	switch v := value.(type) {
	case map[string]any:
		for _, part := range slices.Sorted(maps.Keys(v)) {
			err = cmp.Or(err, s.Properties[part].check(part, v[part]))
		}
	case []any:
		if s.MaxItems > 0 && len(v) > s.MaxItems {
			return invalid("%s has more than %d items", name, s.MaxItems)
		}
		for _, x := range v {
			err = cmp.Or(err, s.Items.check(name, x))
		}
	case string:
		if s.Enum != nil && !slices.Contains(s.Enum, v) || s.MaxLength > 0 && len(v) > s.MaxLength {
			err = invalid("%s is %q, or longer than %d bytes", name, v, s.MaxLength)
		}
	case float64:
		if v < s.Minimum || v > s.Maximum {
			err = invalid("%s is %v", name, v)
		}
	}
	return err
}
