package search

import (
	"strings"
	"unicode/utf8"
)

// Candidate is an organization that a name may mean. It has no DisplayName, because
// most candidates are compared but never shown.
type Candidate struct {
	Result
	Agreement  float64 // how well its best name agrees with the name asked for, 0 to 1; 1 is the very name
	Prominence float64 // how likely a person is to mean it, whatever the name; 0 to 1
}

// Candidates finds the organizations that a name may mean, as Find does, with figures
// to tell them apart. An empty state means anywhere, and a nil set all organizations.
// Only names count: an EIN is not looked up.
func (x *Index) Candidates(name, state string, within []uint64, limit int) []Candidate {
	x.mu.RLock()
	defer x.mu.RUnlock()
	name = strings.TrimSpace(firstBytes(name, maxQuestion))
	if x.closed || utf8.RuneCountInString(name) < 2 || len(x.names) == 0 {
		return nil
	}
	fd := x.finders.Get().(*finder)
	defer x.finders.Put(fd)
	fd.within, fd.efforts, fd.spent, fd.limit = within, correctAll, 0, min(limit, maxLimit)
	fd.findAll(name, stateCode(state))
	fd.within = nil
	hits := fd.ranked()
	list := make([]Candidate, len(hits))
	for i, h := range hits {
		c := &list[i]
		c.Result = x.plain(h.org)
		c.Score, c.Match = rounded(h.score), h.class.String()
		c.Agreement, c.Prominence = rounded(h.text), rounded(h.prominence)
	}
	return list
}
