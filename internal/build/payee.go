package build

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/resolve"
)

// payeeFinder finds whom a state paid, by name: the one organization of that name
// in the state, or in the ZIP where the state has several. Nothing weaker will
// do, because a payment has no second figure to check it by.
type payeeFinder struct{ r *resolve.Resolver }

func newPayeeFinder(u *resolve.Universe) payeeFinder {
	var off []resolve.Rule
	for rule := grant.Filed; rule <= grant.Model; rule++ {
		if !slices.Contains([]resolve.Rule{grant.Name, grant.ZIP}, rule) {
			off = append(off, rule)
		}
	}
	return payeeFinder{resolve.New(u, resolve.Options{Off: off})}
}

// Find implements award.Finder.
func (p payeeFinder) Find(name, state, zip string) (ein.EIN, bool) {
	n := orgname.ParseLine(name, "", "", state)
	m := p.r.Resolve(&resolve.Recipient{Name1: name, State: state, ZIP: zip}, &n)
	return m.EIN, m.EIN != ein.None
}
