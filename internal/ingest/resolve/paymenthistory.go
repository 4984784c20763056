package resolve

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
)

// Payment records that a line of a funder names an organization unambiguously.
type Payment struct{ Funder, Recipient ein.EIN }

// History records which organizations each funder has paid, as far as the names on its lines are unambiguous. A vague
// name may well mean a past recipient of the same funder. History ignores filed EINs: private foundations file none,
// and the model must work for them. The zero History is empty.
type History struct {
	pairs []uint64 // funder and recipient, sorted
}

func NewHistory(list []Payment) *History {
	h := &History{make([]uint64, len(list))}
	for i, p := range list {
		h.pairs[i] = uint64(p.Funder)<<32 | uint64(p.Recipient)
	}
	slices.Sort(h.pairs)
	h.pairs = slices.Compact(h.pairs)
	kept := h.pairs[:0]
	for paid := range radix.Runs(h.pairs, func(a, b uint64) bool { return a>>32 == b>>32 }) {
		if len(paid) <= ManyPaid {
			kept = append(kept, paid...)
		}
	}
	h.pairs = slices.Clip(kept)
	return h
}

// paidBy lists the recipients of one funder.
type paidBy struct {
	funder ein.EIN
	pairs  []uint64 // with the recipients in the low halves, sorted
}

// of finds the recipients of a funder. The list is empty for the funder None.
func (h *History) of(funder ein.EIN) paidBy {
	if h == nil || funder == ein.None {
		return paidBy{}
	}
	from, _ := slices.BinarySearch(h.pairs, uint64(funder)<<32)
	to, _ := slices.BinarySearch(h.pairs[from:], (uint64(funder)+1)<<32)
	return paidBy{funder, h.pairs[from : from+to]}
}

// has reports whether the funder has paid an organization.
func (p *paidBy) has(e ein.EIN) bool {
	_, ok := slices.BinarySearch(p.pairs, uint64(p.funder)<<32|uint64(e))
	return ok
}

// Recalls reports whether a funder has past recipients, and not too many of them to be useful.
func (r *Resolver) Recalls(funder ein.EIN) bool { return len(r.opt.History.of(funder).pairs) > 0 }

// Named is the organization to which a line's name and place lead, ignoring any filed EIN; None if they lead to no single one.
func (r *Resolver) Named(t *Recipient, n *orgname.Name) ein.EIN {
	if foreign(t) || n.KX == "" {
		return ein.None
	}
	q := &query{t: t, n: n}
	q.prepare()
	return r.byName(q)
}

// ManyPaid is the number of recipients above which a funder's history is ignored: a sponsor of donor-advised funds
// has paid almost everybody.
const ManyPaid = 250

// mayMeanPaid reports whether a line may mean a past recipient of its funder: they share a distinctive word.
func (r *Resolver) mayMeanPaid(n *orgname.Name, funder ein.EIN) bool {
	s := r.u.searches.get()
	defer r.u.searches.pool.Put(s)
	if s.payer.funder != funder || s.payer.history != r.opt.History {
		s.payer.read(r, funder)
	}
	if len(s.payer.telling) == 0 {
		return false
	}
	words := r.u.index.lineWords(n.K2)
	return slices.ContainsFunc(words.ids[:words.n], func(w uint32) bool {
		_, ok := slices.BinarySearch(s.payer.telling, w)
		return ok
	})
}

// payer is a funder with the distinctive words of its past recipients' names, sorted.
type payer struct {
	funder  ein.EIN
	history *History
	telling []uint32
}

func (p *payer) read(r *Resolver, funder ein.EIN) {
	d := &r.u.index
	p.funder, p.history, p.telling = funder, r.opt.History, p.telling[:0]
	for _, pair := range p.history.of(funder).pairs {
		i, ok := r.u.position(ein.EIN(uint32(pair)))
		if !ok {
			continue
		}
		for _, w := range d.wordIDs(uint32(i)) {
			if float64(d.rarity[w])*step >= distinctiveRarity {
				p.telling = append(p.telling, w)
			}
		}
	}
	slices.Sort(p.telling)
	p.telling = slices.Compact(p.telling)
}

// askModelWithHistory asks the model again if a candidate that shares a distinctive word with the line is a past
// recipient of the funder. Otherwise the answer stays.
func (r *Resolver) askModelWithHistory(q *query, m Match) Match {
	q.prepare()
	r.prepareStreet(q)
	d, known := &r.u.index, r.einCounts(q)
	s := r.u.searches.get()
	defer r.u.searches.pool.Put(s)
	r.candidates(q, s, known)
	paid := r.opt.History.of(q.funder)
	for i := range s.found {
		name := s.found[i].name
		if !paid.has(r.u.eins[d.orgOf(name)]) {
			continue
		}
		for k := range s.read {
			if d.weigh(&s.read[k].words, name, nil).rarest >= distinctiveRarity {
				return r.chooseByModel(q, s, known)
			}
		}
	}
	return m
}

// HistoryMayChange reports whether the model gave or declined the answer, so that the funder's history may change it.
func (r *Resolver) HistoryMayChange(m Match) bool {
	return r.usesModel() && r.opt.History != nil && (m.Rule == Model || m.Rule == None && !m.Barred)
}
