package example

import (
	"context"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
)

// Index is a search index of a few invented organizations.
type Index []search.Result

func Organizations() Index { return read[Index]("found") }

func (x Index) Find(string, string, int) []search.Result { return x }

// Modes says that nothing is searched by meaning.
func (x Index) Modes() []search.Mode { return []search.Mode{search.Text} }

func (x Index) Encoder() (name string, documents int) { return "", 0 }

func (x Index) Lookup(e ein.EIN) (search.Result, bool) {
	for _, r := range x {
		if r.EIN == e {
			return r, true
		}
	}
	return search.Result{}, false
}

// Search finds all organizations of the set that is searched, whatever the words.
func (x Index) Search(_ context.Context, a search.Ask) (search.Answer, error) {
	if len(a.Text) < 2 {
		return search.Answer{Mode: search.Text}, nil
	}
	found := search.Answer{Mode: search.Text, Verdict: identify.Likely}
	for _, r := range x {
		org, ok := listed().x.Number(r.EIN)
		if a.Within == nil || ok && a.Within[org>>6]>>(org&63)&1 != 0 {
			r.Org = org
			if found.Hits++; found.Hits <= a.Limit {
				found.Results = append(found.Results, r)
			}
		}
	}
	return found, nil
}

// Matching is the same as a set.
func (x Index) Matching(ctx context.Context, a search.Ask) ([]uint64, error) {
	set := make([]uint64, (listed().x.Len()+63)/64)
	a.Limit = len(x)
	found, err := x.Search(ctx, a)
	for _, r := range found.Results {
		set[r.Org>>6] |= 1 << (r.Org & 63)
	}
	return set, err
}
