package screening

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/screen"
)

const compatParam = "compat"

func readCompat(c *api.Call) (legacy bool) {
	mode, _ := c.Params.Choice(compatParam)
	return mode == "legacy_strings"
}

// Legacy is an answer in the rendering for clients of other services.
type Legacy struct {
	body []byte
	client.Tail
}

// MarshalJSON is the rendering.
func (l *Legacy) MarshalJSON() ([]byte, error) { return l.body, nil }

// asLegacy renders an answer that ends with the given tail.
func asLegacy(answer any, tail client.Tail) (*Legacy, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		return nil, err
	}
	w := rewriter{dec: json.NewDecoder(bytes.NewReader(b.Bytes()))}
	w.dec.UseNumber()
	w.out.Grow(b.Len() + b.Len()/8)
	if err := w.value("", false); err != nil {
		return nil, err
	}
	return &Legacy{w.out.Bytes(), tail}, nil
}

// legacyBooleans are the booleans that are rendered as strings. titled are the
// members whose words are written in title case, if the words are in vocabulary.
var (
	legacyBooleans = []string{"conflict", "in_bmf", "pub78_verified", "revoked", "screened"}
	titled         = []string{"status", "result"}
	vocabulary     = []string{
		screen.NotScreened, screen.Listed, screen.NotListed, screen.Revoked, screen.Reinstated, screen.Clear, screen.PotentialMatch, screen.RuledOut,
		screen.Met, screen.NotMet, screen.NotApplicable,
	}
)

// untouched are members that are copied as they are: the report is signed, and
// registry records keep the words of the registry.
var untouched = []string{"report", "registry_records"}

// titleCase writes a word of the vocabulary as other services do.
func titleCase(word string) string {
	parts := strings.Split(word, "_")
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, " ")
}

// rewriter copies a document that this service has written, changing the
// members under compliance on the way.
type rewriter struct {
	dec *json.Decoder
	out bytes.Buffer
}

// value copies the next value, which is the member with the given name.
func (w *rewriter) value(name string, within bool) error {
	if slices.Contains(untouched, name) {
		var raw json.RawMessage
		err := w.dec.Decode(&raw)
		w.out.Write(raw)
		return err
	}
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		return w.members(t, within || name == "compliance")
	case bool:
		if within && slices.Contains(legacyBooleans, name) {
			text := "False"
			if t {
				text = "True"
			}
			return w.scalar(text)
		}
	case string:
		if within && slices.Contains(titled, name) && slices.Contains(vocabulary, t) {
			return w.scalar(titleCase(t))
		}
	}
	return w.scalar(token)
}

// members copies the rest of an object or an array.
func (w *rewriter) members(open json.Delim, within bool) error {
	w.out.WriteByte(byte(open))
	for n := 0; w.dec.More(); n++ {
		if n > 0 {
			w.out.WriteByte(',')
		}
		name := ""
		if open == '{' {
			key, err := w.dec.Token()
			if err != nil {
				return err
			}
			name = key.(string)
			if err := w.scalar(name); err != nil {
				return err
			}
			w.out.WriteByte(':')
		}
		if err := w.value(name, within); err != nil {
			return err
		}
	}
	end, err := w.dec.Token()
	if err != nil {
		return err
	}
	w.out.WriteByte(byte(end.(json.Delim)))
	return nil
}

func (w *rewriter) scalar(v any) error {
	enc := json.NewEncoder(&w.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	w.out.Truncate(w.out.Len() - 1) // the line break
	return nil
}
