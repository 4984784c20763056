package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/each"
)

const (
	unsupported = "unsupported" // the parameter was not honored
	caveat      = "caveat"      // the parameter was honored, with a limit worth knowing
)

// Warnings collects what the answer has to say about the request.
type Warnings struct{ list []client.Warning }

func (w *Warnings) Ignored(parameter, reason string) { w.add(parameter, unsupported, reason) }

// Caveat records a limit of a filter that ran.
func (w *Warnings) Caveat(parameter, reason string) { w.add(parameter, caveat, reason) }

// Bounds of the warnings: on one parameter, so that it does not crowd out others, and in all.
const (
	mostOfOne    = 20
	mostWarnings = 500
)

func (w *Warnings) add(parameter, severity, reason string) {
	next := client.Warning{Parameter: parameter, Severity: severity, Reason: reason}
	if len(w.list) >= mostWarnings || slices.Contains(w.list, next) {
		return
	}
	same := 0
	for _, x := range w.list {
		if x.Parameter == parameter && x.Severity == severity {
			same++
		}
	}
	switch {
	case same < mostOfOne:
		w.list = append(w.list, next)
	case same == mostOfOne:
		w.list = append(w.list, client.Warning{Parameter: parameter, Severity: severity, Reason: "There are more warnings of this kind than are listed."})
	}
}

func (w *Warnings) unsupported() []string {
	names := []string{}
	for _, x := range w.list {
		if x.Severity == unsupported && !slices.Contains(names, x.Parameter) {
			names = append(names, x.Parameter)
		}
	}
	return names
}

func (w *Warnings) has(severity string) bool {
	return slices.ContainsFunc(w.list, func(x client.Warning) bool { return x.Severity == severity })
}

func (w *Warnings) all() []client.Warning {
	if w.list == nil {
		return []client.Warning{}
	}
	return w.list
}

// headerNames is the value of X-Service-Unsupported, escaped: clients may invent any name.
func headerNames(names []string) string {
	return strings.Join(each.Of(names, url.QueryEscape), ", ")
}

// headerWarnings is the value of X-Service-Warnings: JSON in ASCII, cut to what proxies let through.
func headerWarnings(list []client.Warning) string {
	const most = 6 << 10
	out := []byte{'['}
	for i, x := range list {
		b, err := json.Marshal(x)
		if err != nil {
			continue
		}
		b = ascii(b)
		if len(out)+len(b)+2 > most {
			break
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, b...)
	}
	return string(append(out, ']'))
}

// ascii writes every character beyond ASCII as a JSON escape.
func ascii(b []byte) []byte {
	if !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		switch {
		case r < utf8.RuneSelf:
			out.WriteByte(byte(r))
		case r > 0xFFFF:
			r -= 0x10000
			for _, half := range [2]rune{0xD800 + r>>10, 0xDC00 + r&0x3FF} {
				out.WriteString(`\u` + strconv.FormatInt(int64(half), 16))
			}
		default:
			hex := strconv.FormatInt(int64(r), 16)
			out.WriteString(`\u` + strings.Repeat("0", 4-len(hex)) + hex)
		}
	}
	return out.Bytes()
}
