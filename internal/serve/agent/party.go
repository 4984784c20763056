package agent

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
)

// party is an organization with the keys of its names on the page, the canonical one first.
type party struct {
	id   string // recip_id, or the same for a funder
	ein  ein.EIN
	keys []string
}

// cast is the organizations of a page, each once, even if it is both funder and recipient.
type cast []party

func (c *cast) add(id string, e ein.EIN, names ...string) {
	i := slices.IndexFunc(*c, func(p party) bool { return p.id == id })
	if i < 0 {
		i = len(*c)
		*c = append(*c, party{id: id, ein: e})
	}
	p := &(*c)[i]
	for _, name := range names {
		if kx := orgname.Key(name); kx != "" && !slices.Contains(p.keys, kx) {
			p.keys = append(p.keys, kx)
		}
	}
}

func funderID(e ein.EIN) string { return "ein-" + e.String() }

func grantCast(rows []graph.Grant) (c cast) {
	for i := range rows {
		r := rows[i].Recipient
		c.add(r.ID, r.EIN, r.Name, rows[i].NameFiled)
	}
	for i := range rows {
		f := rows[i].Funder
		c.add(funderID(f.EIN), f.EIN, f.Name)
	}
	return c
}

// The lengths of keys of names that questions use, and of the shortest prefix accepted for one.
const (
	minKey    = 5
	maxKey    = 100
	minPrefix = 10
)

// only finds an organization by its identity: it has an EIN, and no other of the page has that EIN or name.
func (c cast) only(id string) (party, bool) {
	i := slices.IndexFunc(c, func(p party) bool { return p.id == id })
	if i < 0 || c[i].ein == ein.None || len(c[i].keys) == 0 {
		return party{}, false
	}
	p := c[i]
	if n := len(p.keys[0]); n < minKey || n > maxKey {
		return party{}, false
	}
	for j, other := range c {
		if j != i && (other.ein == p.ein || slices.Contains(other.keys, p.keys[0])) {
			return party{}, false
		}
	}
	return p, true
}

// forms returns the accepted ways to name the party: its names, its EIN, and prefixes with which no other name begins.
func (c cast) forms(p party) []string {
	list := []string{nameForm + p.keys[0], einForm + p.ein.String()}
	for k, key := range p.keys {
		alike := 0 // length of the prefix that another organization shares
		for _, other := range c {
			if other.id == p.id {
				continue
			}
			for _, theirs := range other.keys {
				alike = max(alike, common(key, theirs))
			}
		}
		if k > 0 && (alike == len(key) || len(key) > maxKey) {
			continue
		}
		for n := max(minPrefix, alike+1); n < len(key); n++ {
			list = append(list, nameForm+key[:n])
		}
		list = append(list, nameForm+key)
	}
	return unique(list)
}

func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		twice := seen[s]
		seen[s] = true
		return twice
	})
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
