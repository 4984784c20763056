package search

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// A form is one name of an organization: its own or an alias, as words.
const (
	formOwn uint8 = iota
	formAlias
	formServed // of another, for whose benefit the organization is
)

// maxWords bounds the words of a form.
const maxWords = 24

// form is one name on its way into the index.
type form struct {
	org        uint32
	kind       uint8
	state      string
	prominence float32
	words      []string
	city       []string // only with the organization's own name
	key        string   // KX
	initials   []string
}

// formsOf lists the names of all organizations, most prominent first.
func formsOf(entries []entry) []form {
	n := namer{forms: make([]form, 0, len(entries)+len(entries)/4)}
	for i := range entries {
		n.name(uint32(i), &entries[i])
	}
	forms := parted(n.forms)
	slices.SortStableFunc(forms, func(x, y form) int {
		return cmp.Or(cmp.Compare(y.prominence, x.prominence), cmp.Compare(x.org, y.org))
	})
	return forms
}

// namer makes the forms of one organization after the other.
type namer struct {
	forms []form
	org   uint32
	entry *entry
	own   int // where its forms begin
}

// name adds the forms of an organization.
func (n *namer) name(org uint32, e *entry) {
	n.org, n.entry, n.own = org, e, len(n.forms)
	n.spell(e.name, formOwn, true)
	for _, s := range e.aliases {
		n.spell(s, formAlias, true)
	}
}

// spell adds the forms of a name and, if further, of the names inside of it.
func (n *namer) spell(name string, kind uint8, further bool) {
	parsed := orgname.Parse(name)
	n.add(kind, parsed.K2, parsed.KX, initialsOf(name, &parsed))
	if short, ok := shorten(parsed.K2); ok {
		n.add(kind, short, strings.ReplaceAll(short, " ", ""), nil)
	}
	if whole, ok := withoutCut(name); ok {
		n.spell(whole, kind, false)
	}
	if !further {
		return
	}
	kind = formAlias
	if parsed.FBO {
		kind = formServed
	}
	for _, s := range parsed.Aliases {
		n.spell(s, kind, false)
	}
}

// add adds a form, unless the organization has it already.
func (n *namer) add(kind uint8, k2, kx string, initials []string) {
	if kx == "" || slices.ContainsFunc(n.forms[n.own:], func(f form) bool { return f.key == kx }) {
		return
	}
	f := form{org: n.org, kind: kind, state: n.entry.state, prominence: n.entry.prominence, words: fields(k2), key: kx, initials: initials}
	if kind == formOwn {
		f.city = fields(orgname.City(n.entry.city))
	}
	n.forms = append(n.forms, f)
}

// parted adds, for every form with two words written as one, the form with the
// words apart. It is a guess, so names that are written so come before it.
func parted(forms []form) []form {
	count := make(map[string]int, len(forms))
	for i := range forms {
		for _, w := range forms[i].words {
			count[w]++
		}
	}
	for _, f := range forms {
		if words, ok := unglue(f.words, count); ok && len(words) <= maxWords {
			f.words, f.key, f.initials = words, strings.Join(words, ""), nil
			f.kind = max(f.kind, formAlias)
			f.city = slices.Clone(f.city)
			forms = append(forms, f)
		}
	}
	return forms
}

func fields(s string) []string {
	w := strings.Fields(s)
	return w[:min(len(w), maxWords)]
}
