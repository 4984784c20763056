package agent

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
)

// party is an organization that a page shows, with the keys of its names as
// the page spells them; the canonical one comes first.
type party struct {
	id   string // recip_id, or the same for a funder
	ein  ein.EIN
	keys []string
}

// cast is the organizations of a page. Whoever plays two parts on it is one
// party.
type cast []party

// add enters an organization under its names.
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

func recipientCast(rows []graph.RecipientTotal) (c cast) {
	for i := range rows {
		c.add(rows[i].ID, rows[i].EIN, rows[i].Name)
	}
	return c
}

func funderCast(rows []graph.FunderTotal) (c cast) {
	for i := range rows {
		c.add(funderID(rows[i].EIN), rows[i].EIN, rows[i].Name)
	}
	return c
}

// The lengths of the keys of names that questions deal with, and of the
// shortest beginning of one that is accepted for the whole.
const (
	minKey    = 5
	maxKey    = 100
	minPrefix = 10
)

// only finds the organization with an identity, provided that it has an EIN
// and that neither this nor its name could be meant for another one.
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

// forms are the accepted ways to name the party: by its name, its EIN, the
// name as filed, and by the beginning of a name where no other organization of
// the page begins like that.
func (c cast) forms(p party) []string {
	list := []string{nameForm + p.keys[0], einForm + p.ein.String()}
	for k, key := range p.keys {
		alike := 0 // of the beginning that another one shares
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

// unique drops repetitions and keeps the order.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		if seen[s] {
			return true
		}
		seen[s] = true
		return false
	})
}

// common is the length of the beginning that two keys share.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
