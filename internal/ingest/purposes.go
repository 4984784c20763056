package ingest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

// purposeRanking ranks the purposes of the grants that an organization received or made, one organization at
// a time. It holds the purposes of one organization, and eight bytes for each text of the corpus.
type purposeRanking struct {
	*corpus
	folded []uint64 // by purpose

	paid []purposePaid // of the organization in hand
	best []purposePaid
}

type purposePaid struct {
	folded  uint64
	purpose uint32
	most    int64 // dollars under this exact spelling
	dollars int64 // under all spellings
}

// foldPurposes gives each text of the corpus a hash that ignores case and spacing. The hash is 0 if the text is empty or points
// to a list elsewhere. The hash function is fixed, so a collision would be the same in every build.
func (b *builder) foldPurposes(ctx context.Context, g *lines) ([]uint64, error) {
	folded := make([]uint64, g.purposes.len())
	return folded, b.each(ctx, len(folded), func(i int) {
		text := g.purposes.at(uint32(i))
		if plain := orgname.Fold(text); strings.TrimSpace(text) != "" && !classify.Placeholder(plain) {
			folded[i] = hashWords(plain)
		}
	})
}

// hashWords is a hash of the words of a text. It is never 0.
func hashWords(text string) uint64 {
	h := hash.Start
	for word := range strings.FieldsSeq(text) {
		h = hash.Byte(hash.Add(h, word), ' ')
	}
	return max(h, 1)
}

// top ranks the purposes of some rows by dollars. Texts that differ only in case and spacing are one purpose,
// shown in the spelling with the most dollars.
func (r *purposeRanking) top(rows []uint32) []uint32 {
	r.paid = r.paid[:0]
	for _, row := range rows {
		p := r.lines.purpose[row]
		if folded := r.folded[p]; folded != 0 && !r.masked(row) {
			r.paid = append(r.paid, purposePaid{folded: folded, purpose: p, most: r.lines.amount[row]})
		}
	}
	if len(r.paid) == 0 {
		return nil
	}
	first := r.paid[0].purpose
	if !slices.ContainsFunc(r.paid, func(p purposePaid) bool { return p.purpose != first }) { // enough for most organizations
		return []uint32{first}
	}
	slices.SortFunc(r.paid, func(a, b purposePaid) int {
		if a.folded != b.folded {
			return cmp.Compare(a.folded, b.folded)
		}
		return cmp.Compare(a.purpose, b.purpose)
	})
	r.best = r.best[:0]
	for i := 0; i < len(r.paid); {
		p := r.paid[i]
		for i++; i < len(r.paid) && r.paid[i].purpose == p.purpose; i++ {
			p.most += r.paid[i].most
		}
		p.dollars = p.most
		if n := len(r.best); n == 0 || r.best[n-1].folded != p.folded {
			r.best = append(r.best, p)
			continue
		}
		same := &r.best[len(r.best)-1]
		same.dollars += p.dollars
		if cmp.Or(cmp.Compare(p.most, same.most), strings.Compare(r.text(same), r.text(&p))) > 0 {
			same.purpose, same.most = p.purpose, p.most
		}
	}
	slices.SortFunc(r.best, func(a, b purposePaid) int {
		if a.dollars != b.dollars {
			return cmp.Compare(b.dollars, a.dollars)
		}
		return strings.Compare(r.text(&a), r.text(&b))
	})
	list := make([]uint32, min(len(r.best), snapshot.MaxPurposes))
	for i := range list {
		list[i] = r.best[i].purpose
	}
	return list
}

func (r *purposeRanking) text(p *purposePaid) string { return r.lines.purposes.at(p.purpose) }

type orgPurposes struct {
	ein      ein.EIN
	purposes []uint32
}

// writePurposes writes the purposes of the grants that each organization received and made. Beside the rows,
// it takes four bytes per row and up to a hundred per organization.
func (b *builder) writePurposes(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	folded, err := b.foldPurposes(ctx, c.lines)
	if err != nil {
		return err
	}
	r := &purposeRanking{corpus: c, folded: folded}
	var given, received []orgPurposes
	for i := range c.funders { // both are sorted by EIN
		f := &c.funders[i]
		if list := r.top(c.rows[f.from:f.to]); len(list) > 0 {
			given = append(given, orgPurposes{f.ein, list})
		}
	}
	starts, rows := radix.Group(c.recipients.id, c.recipients.ids.len()) // the rows of recipient i are rows[starts[i]:starts[i+1]]
	for id := range c.recipients.ids.len() {
		if id%snapshot.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, ok := strings.CutPrefix(c.recipients.ids.at(uint32(id)), resolve.EINPrefix)
		if !ok {
			continue
		}
		if list := r.top(rows[starts[id]:starts[id+1]]); len(list) > 0 {
			received = append(received, orgPurposes{ein.Stored(e), list})
		}
	}
	slices.SortFunc(received, func(x, y orgPurposes) int { return cmp.Compare(x.ein, y.ein) })
	// next takes the purposes of an organization from the head of a list.
	next := func(list *[]orgPurposes, e ein.EIN) []string {
		if len(*list) == 0 || (*list)[0].ein != e {
			return []string{}
		}
		numbers := (*list)[0].purposes
		*list = (*list)[1:]
		return each.Of(numbers, func(n uint32) string { return c.lines.purposes.at(n) })
	}
	return snapshot.WriteTableUntil(ctx, w, snapshot.Purposes, func(yield func(snapshot.OrgPurposes) bool) {
		for len(given)+len(received) > 0 {
			e := ein.EIN(math.MaxUint32)
			for _, list := range [...][]orgPurposes{given, received} {
				if len(list) > 0 {
					e = min(e, list[0].ein)
				}
			}
			if !yield(snapshot.OrgPurposes{EIN: e.String(), Received: next(&received, e), Given: next(&given, e)}) {
				return
			}
		}
	})
}
