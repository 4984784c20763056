package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/screen"
)

const (
	maxJSON   = 1 << 20 // bytes
	maxDepth  = 64      // levels of nesting
	maxValues = 50_000  // values, each of which takes many times its bytes; a report has some hundreds
	maxNumber = 32      // characters
	maxQuoted = 60      // bytes that a message repeats
)

// value is JSON that two readers cannot understand differently. A document with several canonical forms (a name given twice, a
// number that no double holds) could show one thing while another is signed.
type value struct {
	kind    byte     // its first character: { [ " t f n, and 0 for every number
	raw     []byte   // as in the document
	text    string   // of a string
	members []member // of an object, in their order
	items   []*value // of an array
}

type member struct {
	name   string
	quoted []byte // the name as in the document
	value  *value
}

func (v *value) member(name string) *value {
	if v != nil {
		for _, m := range v.members {
			if m.name == name {
				return m.value
			}
		}
	}
	return nil
}

// parse reads a whole document, which must be exactly one JSON value.
func parse(document []byte) (*value, error) {
	if len(document) > maxJSON {
		return nil, bad("the document is larger than %d bytes; a report has at most that", maxJSON)
	}
	if !utf8.Valid(document) {
		return nil, bad("the document is neither a PDF nor JSON in UTF-8")
	}
	p := parser{in: document, tokens: json.NewDecoder(bytes.NewReader(document))}
	p.tokens.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.tokens.Token(); err != io.EOF {
		return nil, bad("something follows the JSON at byte %d", p.tokens.InputOffset())
	}
	return v, nil
}

type parser struct {
	in     []byte
	tokens *json.Decoder
	values int
}

// token returns the next token, and its bytes in the document.
func (p *parser) token() (t json.Token, raw []byte, err error) {
	start := p.tokens.InputOffset()
	t, err = p.tokens.Token()
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, nil, bad("the JSON ends in the middle; was all of it copied?")
	}
	raw = bytes.TrimLeft(p.in[start:p.tokens.InputOffset()], " \t\r\n,:")
	if text, ok := t.(string); ok && strings.ContainsRune(text, utf8.RuneError) {
		// The decoder puts this character in the place of half of a surrogate pair, which has no canonical form.
		_, err = jcs.Transform(slices.Concat([]byte("["), raw, []byte("]")))
	}
	if err != nil {
		return nil, nil, bad("the document is not valid JSON at byte %d", p.tokens.InputOffset())
	}
	return t, raw, nil
}

func (p *parser) value(depth int) (*value, error) {
	if p.values++; p.values > maxValues {
		return nil, bad("the JSON has more than %d values; a report has not", maxValues)
	}
	t, raw, err := p.token()
	if err != nil {
		return nil, err
	}
	v := &value{kind: raw[0], raw: raw}
	switch t := t.(type) {
	case string:
		v.text = t
	case json.Number:
		v.kind = '0'
		return v, checkNumber(string(t))
	case json.Delim:
		if depth == maxDepth {
			return nil, bad("the JSON is nested deeper than %d levels; a report is not", maxDepth)
		}
		start := p.tokens.InputOffset() - 1
		if t == '{' {
			err = p.object(v, depth+1)
		} else {
			err = p.array(v, depth+1)
		}
		if err == nil {
			_, _, err = p.token() // the closing bracket
		}
		v.raw = p.in[start:p.tokens.InputOffset()]
	}
	return v, err
}

func (p *parser) object(v *value, depth int) error {
	names := map[string]bool{}
	for p.tokens.More() {
		t, quoted, err := p.token()
		if err != nil {
			return err
		}
		name := t.(string) // the decoder refuses anything else here
		if names[name] {
			return bad("the name %q appears twice in one object, so that it could be read in two ways", fault.Clip(name, maxQuoted))
		}
		names[name] = true
		m, err := p.value(depth)
		if err != nil {
			return err
		}
		v.members = append(v.members, member{name, quoted, m})
	}
	return nil
}

func (p *parser) array(v *value, depth int) error {
	for p.tokens.More() {
		item, err := p.value(depth)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	return nil
}

// checkNumber refuses a number that is not exactly the double that readers make of it.
func checkNumber(text string) error {
	if len(text) <= maxNumber {
		whole := !strings.ContainsAny(text, ".eE")
		f, err := strconv.ParseFloat(text, 64)
		shown, wrong := jcs.NumberToJSON(f)
		if err == nil && wrong == nil && decimalOf(text) == decimalOf(shown) && (!whole || math.Abs(f) <= 1<<53) {
			return nil
		}
	}
	return bad("the number %s has more digits than JSON readers agree on; a report has none like it", fault.Clip(text, maxQuoted))
}

// decimal is the sign of a number, its digits without zeros at either end, and the power of ten of its last digit.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf reads a valid JSON number of at most maxNumber characters exactly.
func decimalOf(text string) (d decimal) {
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if exponent != "" {
		d.exponent, _ = strconv.Atoi(exponent) // its size is bounded by the double's
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= len(fraction)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(trimmed)
	if d.digits = trimmed; d.digits == "" {
		d.exponent = 0
	}
	return d
}

// canonical returns the RFC 8785 form of an object with these members.
func canonical(members []member) ([]byte, error) {
	var object bytes.Buffer
	object.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			object.WriteByte(',')
		}
		object.Write(m.quoted)
		object.WriteByte(':')
		object.Write(m.value.raw)
	}
	object.WriteByte('}')
	form, err := jcs.Transform(object.Bytes())
	if err != nil {
		return nil, bad("the report has no canonical form: %v", err)
	}
	return form, nil
}

type shownContent struct {
	client.ReportContent
	named *client.NameReportContent // the screen of a name; the content above is empty then
}

// readContent reads the content of a report whose JSON was parsed already.
func readContent(raw []byte) (*shownContent, error) {
	var kind struct {
		Subject json.RawMessage `json:"subject"`
	}
	c := &shownContent{}
	into := any(&c.ReportContent)
	if err := json.Unmarshal(raw, &kind); err == nil && kind.Subject != nil {
		c.named = &client.NameReportContent{}
		into = c.named
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, bad("the content is not that of a report: %v", err)
	}
	return c, nil
}

func (c *shownContent) invented() bool {
	caveats := c.Compliance.Caveats
	if c.named != nil {
		caveats = c.named.Compliance.Caveats
	}
	return slices.Contains(caveats, screen.InventedData)
}

// provenances returns the lists of a screening, in the order of the page.
func (c *shownContent) provenances() []client.ScreenProvenance {
	if c.named != nil {
		return []client.ScreenProvenance{c.named.Compliance.OFACSanctionsScreen.ScreenProvenance}
	}
	k := &c.Compliance
	california := &k.StateRegistration.California
	return []client.ScreenProvenance{
		k.BMF.ScreenProvenance, k.Pub78.ScreenProvenance, k.Revocation.ScreenProvenance, k.IRBScreen.ScreenProvenance,
		k.OFACSanctionsScreen.ScreenProvenance, california.ScreenProvenance, california.FTB,
	}
}
