package fac

import (
	"strings"

	"grantgraph/internal/ein"
)

// Crosswalk maps a federal identifier to an EIN. The newest audit that names an identifier counts, because an
// organization that changes its EIN keeps its identifier. If audits of that year disagree, the identifier has
// no EIN. Audits may be added in any order.
type Crosswalk struct {
	uei, duns map[string]claim
}

// claim is what the newest audits say about an identifier.
type claim struct {
	year      int
	ein       ein.EIN
	ambiguous bool
}

func NewCrosswalk() *Crosswalk {
	return &Crosswalk{uei: make(map[string]claim), duns: make(map[string]claim)}
}

func (c *Crosswalk) Add(p *Pair) {
	if p.EIN == ein.None {
		return
	}
	add(c.uei, p.UEI, p)
	add(c.duns, p.DUNS, p)
}

func add(claims map[string]claim, id string, p *Pair) {
	if id == "" {
		return
	}
	old, ok := claims[id]
	switch {
	case !ok, p.Year > old.year:
		claims[strings.Clone(id)] = claim{year: p.Year, ein: p.EIN}
	case p.Year == old.year && p.EIN != old.ein:
		old.ambiguous = true
		claims[id] = old
	}
}

// Find returns the EIN of a recipient by its UEI, or by its DUNS number if the UEI is unknown or absent, and says which of the
// two matched. If audits disagree about a UEI, the DUNS number is not tried: the disagreement concerns the same organization.
func (c *Crosswalk) Find(uei, duns string) (e ein.EIN, byUEI, ok bool) {
	k, byUEI := c.uei[UEI(uei)] // no identifier is empty
	known := byUEI
	if !byUEI {
		k, known = c.duns[DUNS(duns)]
	}
	if !known || k.ambiguous {
		return ein.None, byUEI, false
	}
	return k.ein, byUEI, true
}

// Size says how many identifiers a crosswalk knows.
type Size struct {
	UEI       int `json:"uei"`
	DUNS      int `json:"duns"`
	Ambiguous int `json:"ambiguous"` // of both: audits of the newest year disagree, so they have no EIN
}

// Size counts the identifiers. The first two figures exclude ambiguous identifiers.
func (c *Crosswalk) Size() (n Size) {
	count := func(claims map[string]claim) (known int) {
		for _, k := range claims {
			if k.ambiguous {
				n.Ambiguous++
			} else {
				known++
			}
		}
		return known
	}
	n.UEI, n.DUNS = count(c.uei), count(c.duns)
	return n
}
