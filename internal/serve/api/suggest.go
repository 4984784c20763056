package api

import (
	"cmp"
	"fmt"
	"grantgraph/internal/each"
	"grantgraph/internal/typo"
	"maps"
	"slices"
	"strings"
	"unicode"
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
