package httpsig

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig/structured"
)

// maxAgents is how many hosts are asked for the key of one signature.
const maxAgents = 4

// agents reads the Signature-Agent header and returns the hosts that the signature covers, in the order in which to ask them.
// A bare string is covered as "signature-agent". Of a dictionary, the members covered by key count, or all of them, and the
// member named after the label comes first.
func agents(lines []string, input structured.Member) (hosts []string, err error) {
	var members structured.Dictionary
	if strings.HasPrefix(strings.TrimLeft(lines[0], " \t"), `"`) {
		item, err := structured.ParseItem(lines...)
		if err != nil {
			return nil, refuse(ErrMalformed, "Signature-Agent begins like a string but is not one: %v", err)
		}
		members = structured.Dictionary{{Key: input.Key, Value: item.Value, Params: item.Params}}
	} else if members, err = structured.ParseDictionary(lines...); err != nil {
		return nil, refuse(ErrMalformed, "Signature-Agent is neither a string nor a dictionary: %v", err).
			Try(`write it as %s="https://agent.example", with the quotes`, input.Key)
	}

	covered := slices.DeleteFunc(members, func(m structured.Member) bool {
		return !slices.ContainsFunc(input.List, func(item structured.Item) bool {
			if item.Value != structured.Text("signature-agent") {
				return false
			}
			key, ok := item.Params.Get("key")
			return !ok || key == structured.Text(m.Key)
		})
	})
	if len(covered) == 0 {
		return nil, refuse(ErrCoverage, "the signature does not cover Signature-Agent").
			Try(`add "signature-agent";key="%s" to the list in Signature-Input, or "signature-agent" when the header is a bare string`, input.Key)
	}
	if len(covered) > maxAgents {
		return nil, refuse(ErrAgent, "the signature covers %d members of Signature-Agent; at most %d are asked", len(covered), maxAgents).
			Try("cover only the member whose directory publishes the key")
	}
	if i := slices.IndexFunc(covered, func(m structured.Member) bool { return m.Key == input.Key }); i > 0 {
		covered[0], covered[i] = covered[i], covered[0]
	}
	for _, m := range covered {
		host, fail := agentHost(m)
		switch {
		case fail == nil && !slices.Contains(hosts, host):
			hosts = append(hosts, host)
		case fail != nil && err == nil:
			err = fail // matters only if no other member can be used
		}
	}
	if len(hosts) > 0 {
		return hosts, nil
	}
	return nil, err
}

func agentHost(m structured.Member) (string, *fault.Fault) {
	for _, p := range m.Params {
		token, _ := p.Value.Token()
		word, _ := p.Value.Text()
		if p.Name != "type" || token+word != "directory" {
			shown := fault.Clip(string(structured.Params{p}.Append(nil)), maxQuoted)
			return "", refuse(ErrAgent, "the parameter %s of Signature-Agent is not supported", shown).
				Try("publish the key in the directory at %s and leave the parameter out", Path)
		}
	}
	text, ok := m.Value.Text()
	if !ok {
		return "", refuse(ErrMalformed, "the value of Signature-Agent is not a string").
			Try(`write the address in double quotes: "https://agent.example"`)
	}
	return parseAgent(text)
}

// parseAgent returns the host of an agent's address. Keys are only in the directory there, so it refuses another path.
func parseAgent(text string) (string, *fault.Fault) {
	const form = "write the address as https://host, the host whose directory publishes the key"
	if len(text) > 512 {
		return "", refuse(ErrAgent, "the Signature-Agent address is too long").Try(form)
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || !strings.EqualFold(scheme, "https") {
		return "", refuse(ErrAgent, "the Signature-Agent address %q does not begin with https://", fault.Clip(text, maxQuoted)).Try(form)
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if tail := rest[end:]; tail != "" && tail != "/" && tail != Path {
		return "", refuse(ErrAgent, "the Signature-Agent address %q has a path other than that of the directory", fault.Clip(text, maxQuoted)).Try(form)
	}
	host, fail := parseHost(rest[:end])
	if fail != nil {
		return "", fail.Try(form)
	}
	return host, nil
}

func parseHost(text string) (string, *fault.Fault) {
	bad := func(why string) (string, *fault.Fault) {
		return "", refuse(ErrAgent, "the host %q of Signature-Agent %s", fault.Clip(text, maxQuoted), why)
	}
	if strings.Contains(text, "@") {
		return bad("carries a user name")
	}
	host := strings.ToLower(text)
	name, port, literal := host, "", false
	if strings.HasPrefix(host, "[") {
		end := strings.IndexByte(host, ']')
		if end < 0 {
			return bad("is not valid")
		}
		name, port, literal = host[1:end], host[end+1:], true
	} else if i := strings.IndexByte(host, ':'); i >= 0 {
		name, port = host[:i], host[i:]
	}
	if port != "" {
		n, err := strconv.ParseUint(port[1:], 10, 16)
		if port[0] != ':' || err != nil || n == 0 || strconv.FormatUint(n, 10) != port[1:] {
			return bad("has a port that is not a number")
		}
		if port == ":443" {
			host = strings.TrimSuffix(host, port)
		}
	}
	if literal {
		if ip, err := netip.ParseAddr(name); err != nil || !ip.Is6() || ip.Zone() != "" {
			return bad("is not valid")
		}
		return host, nil
	}
	if len(name) > 253 {
		return bad("is too long")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return bad("is not valid")
		}
		for i := range len(label) {
			if c := label[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
				return bad("has a character other than letters, digits and hyphens; write an international name in its xn-- form")
			}
		}
	}
	return host, nil
}
