package ingest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// purposeRanking finds what an organization was given money for, or gave it for,
// one organization at a time. What it holds is the purposes of one organization,
// and a bit for each text of the corpus.
type purposeRanking struct {
	*corpus
	empty []bool // by purpose: says nothing

	paid   []purposePaid     // of the organization in hand
	merged map[string]uint32 // folded text, to its place in best
	best   []purposePaid
}

// purposePaid is what was paid for one purpose.
type purposePaid struct {
	purpose uint32
	most    int64 // dollars under this very spelling
	dollars int64 // under all spellings
}

// emptyPurposes says which texts of the corpus say nothing: none at all, or a pointer
// to a list elsewhere.
func (b *builder) emptyPurposes(ctx context.Context, g *lines) ([]bool, error) {
	empty := make([]bool, g.purposes.len())
	return empty, b.chunks(ctx, len(empty), func(from, to int) {
		for i := from; i < to; i++ {
			text := g.purposes.at(uint32(i))
			empty[i] = strings.TrimSpace(text) == "" || classify.Placeholder(orgname.Fold(text))
		}
	})
}

// top ranks the purposes of some rows by dollars. Texts that differ only in case
// and spacing are one purpose, in the spelling that most was paid under.
func (r *purposeRanking) top(rows []uint32) []uint32 {
	r.paid = r.paid[:0]
	for _, row := range rows {
		if p := r.lines.purpose[row]; !r.empty[p] && !r.masked(row) {
			r.paid = append(r.paid, purposePaid{purpose: p, most: r.lines.amount[row]})
		}
	}
	slices.SortFunc(r.paid, func(a, b purposePaid) int { return cmp.Compare(a.purpose, b.purpose) })
	switch n := len(r.paid); {
	case n == 0:
		return nil
	case r.paid[0].purpose == r.paid[n-1].purpose: // of most organizations
		return []uint32{r.paid[0].purpose}
	}
	clear(r.merged)
	r.best = r.best[:0]
	for i := 0; i < len(r.paid); {
		p := r.paid[i]
		for i++; i < len(r.paid) && r.paid[i].purpose == p.purpose; i++ {
			p.most += r.paid[i].most
		}
		p.dollars = p.most
		key := strings.Join(strings.Fields(orgname.Fold(r.lines.purposes.at(p.purpose))), " ")
		at, ok := r.merged[key]
		if !ok {
			r.merged[key] = uint32(len(r.best))
			r.best = append(r.best, p)
			continue
		}
		same := &r.best[at]
		same.dollars += p.dollars
		if cmp.Or(cmp.Compare(p.most, same.most), strings.Compare(r.lines.purposes.at(same.purpose), r.lines.purposes.at(p.purpose))) > 0 {
			same.purpose, same.most = p.purpose, p.most
		}
	}
	slices.SortFunc(r.best, func(a, b purposePaid) int {
		return cmp.Or(cmp.Compare(b.dollars, a.dollars), strings.Compare(r.lines.purposes.at(a.purpose), r.lines.purposes.at(b.purpose)))
	})
	list := make([]uint32, min(len(r.best), snapshot.MaxPurposes))
	for i := range list {
		list[i] = r.best[i].purpose
	}
	return list
}

// orgPurposes are the purposes of one organization, by number.
type orgPurposes struct {
	ein             ein.EIN
	received, given []uint32
}

// writePurposes writes what each organization was given money for and gave it
// for. Beside the rows themselves it takes four bytes for each, and up to a
// hundred for each organization.
func (b *builder) writePurposes(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	empty, err := b.emptyPurposes(ctx, c.lines)
	if err != nil {
		return err
	}
	r := &purposeRanking{corpus: c, empty: empty, merged: map[string]uint32{}}
	var list []orgPurposes
	for i := range c.funders {
		f := &c.funders[i]
		if given := r.top(c.rows[f.from:f.to]); len(given) > 0 {
			list = append(list, orgPurposes{ein: f.ein, given: given})
		}
	}
	starts, rows := c.rowsByRecipient()
	for id := range c.recipients.ids.len() {
		if id%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, ok := strings.CutPrefix(c.recipients.ids.at(uint32(id)), resolve.EINPrefix)
		if !ok {
			continue
		}
		if received := r.top(rows[starts[id]:starts[id+1]]); len(received) > 0 {
			list = append(list, orgPurposes{ein: storedEIN(e), received: received})
		}
	}
	slices.SortStableFunc(list, func(x, y orgPurposes) int { return cmp.Compare(x.ein, y.ein) })
	texts := func(numbers []uint32) []string {
		out := make([]string, len(numbers))
		for i, n := range numbers {
			out[i] = c.lines.purposes.at(n)
		}
		return out
	}
	return writeTable(ctx, w, snapshot.Purposes, func(yield func(snapshot.OrgPurposes) bool) {
		for i := 0; i < len(list); i++ {
			o := list[i]
			if i+1 < len(list) && list[i+1].ein == o.ein { // it gives, and it receives
				i++
				o.received = list[i].received
			}
			if !yield(snapshot.OrgPurposes{EIN: o.ein.String(), Received: texts(o.received), Given: texts(o.given)}) {
				return
			}
		}
	})
}

// rowsByRecipient are the rows of each recipient: those of the i-th stand at
// rows[starts[i]:starts[i+1]].
func (c *corpus) rowsByRecipient() (starts, rows []uint32) {
	ids := c.recipients.id
	starts = make([]uint32, c.recipients.ids.len()+1)
	for _, id := range ids {
		starts[id+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	rows = make([]uint32, len(ids))
	next := slices.Clone(starts)
	for row, id := range ids {
		rows[next[id]] = uint32(row)
		next[id]++
	}
	return starts, rows
}
