package httpsig

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig/structured"
)

// maxBase bounds the signed text: a signature may name a long header many times.
const maxBase = 64 << 10

type message struct {
	status    int // of a response; zero for a request
	method    string
	scheme    string
	authority string
	target    string // the request target as sent: path and query
	host      string // the Host header, which net/http keeps apart
	header    http.Header
	request   *message // the request that a response answers
}

// request describes a request as its signer saw it, at the public address.
func request(r *http.Request, scheme, authority string) *message {
	target := r.RequestURI // as received; empty on a request to be sent
	if target == "" {
		target = r.URL.RequestURI()
	} else if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		// The absolute form, which a proxy may send.
		if i := strings.IndexAny(rest, "/?"); i < 0 {
			target = "/"
		} else if target = rest[i:]; target[0] == '?' {
			target = "/" + target
		}
	}
	method := cmp.Or(r.Method, http.MethodGet)
	return &message{method: method, scheme: scheme, authority: authority, target: target, host: r.Host, header: r.Header}
}

// authority is a host as RFC 9421 has it: in lower case, without the scheme's default port.
func authority(scheme, host string) string {
	host = strings.ToLower(host)
	if scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}

// signatureBase builds the signature base (RFC 9421, section 2.5) for one member of Signature-Input.
func signatureBase(m *message, input structured.Member) ([]byte, error) {
	var b []byte
	seen := make(map[string]bool)
	for _, item := range input.List {
		c, err := readComponent(item)
		if err != nil {
			return nil, err
		}
		if seen[c.key()] {
			return nil, c.refuse("the component %s is listed twice")
		}
		seen[c.key()] = true
		value, err := m.value(c)
		if err != nil {
			return nil, err
		}
		b = append(b, c.text...)
		b = append(b, ": "...)
		b = append(b, value...)
		b = append(b, '\n')
		if len(b) > maxBase {
			return nil, refuse(ErrComponent, "the covered components have more than %d bytes together", maxBase)
		}
	}
	b = append(b, `"@signature-params": `...)
	return input.Append(b), nil
}

func covers(input structured.Member, name string) bool {
	return slices.ContainsFunc(input.List, func(item structured.Item) bool {
		return item.Value == structured.Text(name) && len(item.Params) == 0
	})
}

// shown returns a signature base for an error message, without most values of header fields, which may be secret.
func shown(base []byte) string {
	lines := bytes.Split(base, []byte("\n"))
	for i, line := range lines {
		if line[1] == '@' || bytes.HasPrefix(line, []byte(`"signature-agent"`)) || bytes.HasPrefix(line, []byte(`"content-`)) {
			continue
		}
		name, _, _ := bytes.Cut(line, []byte(": "))
		lines[i] = append(slices.Clip(name), ": (the value you sent)"...)
	}
	return string(bytes.Join(lines, []byte("\n")))
}

// component is one covered component, a field or a derived one, and how to evaluate it.
type component struct {
	text    string // serialized, as in the signature base
	name    string
	member  *string // ;key: the member of a dictionary field
	param   *string // ;name: the query parameter
	strict  bool    // ;sf: reserialized as a structured field
	binary  bool    // ;bs: each line as a byte sequence
	request bool    // ;req: of the request that the response answers
}

func (c *component) refuse(format string) *fault.Fault {
	return refuse(ErrComponent, format, fault.Clip(c.text, maxQuoted))
}

// readComponent reads a component identifier. An unknown parameter would change its meaning.
func readComponent(item structured.Item) (*component, error) {
	c := &component{text: string(item.Append(nil))}
	var ok bool
	if c.name, ok = item.Value.Text(); !ok || c.name == "" {
		return nil, c.refuse("the component %s is not a string")
	}
	for _, p := range item.Params {
		value, isText := p.Value.Text()
		understood := false
		switch p.Name {
		case "key":
			c.member, understood = &value, isText
		case "name":
			c.param, understood = &value, isText
		case "sf":
			c.strict, understood = true, p.Value.IsTrue()
		case "bs":
			c.binary, understood = true, p.Value.IsTrue()
		case "req":
			c.request, understood = true, p.Value.IsTrue()
		}
		if !understood {
			return nil, refuse(ErrComponent, "the parameter %q of the component %s is not supported", p.Name, fault.Clip(c.text, maxQuoted))
		}
	}
	derived := c.name[0] == '@'
	switch {
	case derived && (c.member != nil || c.strict || c.binary),
		(c.param != nil) != (c.name == "@query-param"),
		c.binary && (c.strict || c.member != nil):
		return nil, c.refuse("the parameters of the component %s do not fit it")
	case !derived && strings.Trim(c.name, "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~") != "":
		return nil, c.refuse("the component %s is not the name of a header field in lower case")
	}
	return c, nil
}

// key identifies a component, regardless of the order of its parameters.
func (c *component) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %t %t %t", c.name, c.strict, c.binary, c.request)
	for _, s := range []*string{c.member, c.param} {
		if s != nil {
			fmt.Fprintf(&b, " %q", *s)
		}
	}
	return b.String()
}

func (m *message) value(c *component) (string, error) {
	if c.request {
		if m.request == nil {
			return "", c.refuse("the component %s refers to a request, but this is one")
		}
		m = m.request
	}
	evaluate := m.field
	if c.name[0] == '@' {
		evaluate = m.derived
	}
	value, err := evaluate(c)
	if err != nil {
		return "", err
	}
	for i := range len(value) {
		if b := value[i]; b < 0x20 && b != '\t' || b > 0x7e {
			return "", c.refuse("the value of the component %s is not plain ASCII").
				Try("leave it out of the signature, or cover it with the parameter bs")
		}
	}
	return value, nil
}

func (m *message) derived(c *component) (string, error) {
	if m.status != 0 {
		if c.name == "@status" {
			return strconv.Itoa(m.status), nil
		}
		return "", c.refuse("a response has no component %s")
	}
	path, query, _ := strings.Cut(m.target, "?")
	switch c.name {
	case "@method":
		return m.method, nil
	case "@authority":
		return m.authority, nil
	case "@scheme":
		return m.scheme, nil
	case "@target-uri":
		return m.scheme + "://" + m.authority + m.target, nil
	case "@request-target":
		return m.target, nil
	case "@path":
		return cmp.Or(path, "/"), nil
	case "@query":
		return "?" + query, nil
	case "@query-param":
		return parameter(query, c)
	}
	return "", c.refuse("the component %s is not known for a request")
}

// parameter evaluates @query-param: the only parameter of that name, encoded again.
func parameter(query string, c *component) (string, error) {
	values, found := "", 0
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		decoded, err := url.QueryUnescape(name)
		if err != nil || encode(decoded) != *c.param {
			continue
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return "", c.refuse("the query parameter of the component %s is not properly encoded")
		}
		values = encode(value)
		found++
	}
	switch found {
	case 0:
		return "", c.refuse("the request has no query parameter for the component %s")
	case 1:
		return values, nil
	}
	return "", c.refuse("the request has the query parameter of the component %s more than once").Try(`cover "@query" instead`)
}

// encode writes a query name or value as RFC 9421, section 2.2.8, demands.
func encode(s string) string {
	return demanded.Replace(url.QueryEscape(s))
}

var demanded = strings.NewReplacer("+", "%20", "%2A", "*", "~", "%7E")

// dictionaries are the fields that ;sf may name. RFC 9421 forbids guessing the type of a field.
var dictionaries = []string{"accept-signature", "content-digest", "priority", "repr-digest", "signature", "signature-agent", "signature-input"}

func (m *message) field(c *component) (string, error) {
	lines := slices.Clone(m.header.Values(c.name))
	if c.name == "host" && m.host != "" {
		lines = []string{m.host}
	}
	if len(lines) == 0 {
		return "", refuse(ErrComponent, "the signature covers the header field %s, which is not there", fault.Clip(c.name, maxQuoted)).
			Try("send the field, or leave it out of the signature")
	}
	for i, line := range lines {
		lines[i] = strings.Trim(line, " \t")
		if c.binary {
			lines[i] = string(structured.Bytes([]byte(lines[i])).Append(nil))
		}
	}
	joined := strings.Join(lines, ", ")
	if c.member == nil && !c.strict {
		return joined, nil
	}
	if c.strict && !slices.Contains(dictionaries, c.name) {
		return "", refuse(ErrComponent, "the parameter sf is not supported for the header field %s", fault.Clip(c.name, maxQuoted)).
			Try("cover the field without it")
	}
	if c.name == "signature-agent" && c.member == nil && strings.HasPrefix(joined, `"`) {
		item, err := structured.ParseItem(joined)
		if err != nil {
			return "", refuse(ErrMalformed, "the header field %s cannot be read: %v", c.name, err)
		}
		return string(item.Append(nil)), nil
	}
	d, err := structured.ParseDictionary(joined)
	if err != nil {
		return "", refuse(ErrMalformed, "the header field %s is not a dictionary: %v", fault.Clip(c.name, maxQuoted), err)
	}
	if c.member == nil {
		return string(d.Append(nil)), nil
	}
	member, ok := d.Get(*c.member)
	if !ok {
		return "", refuse(ErrComponent, "the header field %s has no member %q, which the signature covers",
			fault.Clip(c.name, maxQuoted), fault.Clip(*c.member, maxQuoted))
	}
	return string(member.Append(nil)), nil
}
