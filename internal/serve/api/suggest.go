package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/typo"
)

// Alias is another word for a parameter, which callers of other services may send. A parameter is never read under an alias:
// one request would have two spellings. The answer names the one that was meant.
type Alias struct {
	Word string
	Say  string // what was meant; empty is the name of the parameter
}

// aliases are words that stand for a parameter, or for the text in say.
func aliases(say, words string) []Alias {
	return each.Append(nil, strings.Fields(words), func(w string) Alias { return Alias{w, say} })
}

// plainWord writes a name as the tables do: in lower case, with underscores.
func plainWord(s string) string {
	if len(s) > maxText {
		return ""
	}
	var b strings.Builder
	lower := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if unicode.IsUpper(r) && lower {
				b.WriteByte('_')
			}
			lower = unicode.IsLower(r) || unicode.IsDigit(r)
			b.WriteRune(unicode.ToLower(r))
		default:
			lower = false
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

func (p *Param) says(word string) string {
	if i := slices.IndexFunc(p.Also, func(a Alias) bool { return a.Word == word }); i >= 0 {
		return cmp.Or(p.Also[i].Say, p.Name)
	}
	return ""
}

// meant finds the parameter that an alias stands for, or that has the same name in another style, such as funderId.
func (op *Operation) meant(name string) string {
	word := plainWord(name)
	for i := range op.Params {
		p := &op.Params[i]
		if p.In == "path" {
			continue
		}
		if p.Name == word {
			return p.Name
		}
		if say := p.says(word); say != "" {
			return say
		}
	}
	return ""
}

func (r *Reader) otherWord(p *Param) string {
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if word := plainWord(name); word == p.Name || p.says(word) != "" {
			return fmt.Sprintf("; %s is not a parameter, send it as %s", shown(name), p.Name)
		}
	}
	return ""
}

func (r *Reader) leftover(name string) string {
	for _, u := range unhonored {
		if u.name == name {
			return u.reason
		}
	}
	if say := r.op.meant(name); say != "" {
		return fmt.Sprintf("There is no such parameter, so it was not applied. Did you mean %s?", say)
	}
	if r.table.takes(name) {
		return fmt.Sprintf("%s %s does not take this parameter, so it was not applied.", r.op.Method, r.op.Path)
	}
	if slices.Contains([]string{"api_key", "apikey", "key", "token", "access_token", "subscription_key", "x_api_key"}, plainWord(name)) {
		return "Keys are read from the X-API-Key or Authorization header only. Do not put a key into an address: addresses are logged."
	}
	known := make([]string, 0, len(r.op.Params)+len(unhonored))
	known = each.Append(known, r.op.Params, func(p Param) string { return p.Name })
	for _, u := range unhonored {
		known = append(known, u.name)
	}
	if meant := typo.Meant(name, known); meant != "" {
		return fmt.Sprintf("There is no such parameter, so it was not applied. Did you mean %s?", meant)
	}
	return "There is no such parameter, so it was not applied."
}

func (r *Reader) outside(p *Param, value string) {
	reason := fmt.Sprintf("%q is not one of %s, so it was not applied.", Clip(value), strings.Join(p.Enum, ", "))
	if meant := cmp.Or(p.EnumAlso[plainWord(value)], typo.Meant(value, p.Enum)); meant != "" {
		reason += fmt.Sprintf(" Did you mean %s?", meant)
	}
	r.Warn.Ignored(p.Name, reason)
}

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
