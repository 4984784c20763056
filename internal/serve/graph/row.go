package graph

import (
	"bytes"
	"sort"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// reader carries rows out of the mapped file. Rows of one page share their
// funders and recipients.
type reader struct {
	g       *Graph
	text    copier
	funders map[uint32]*Funder
	recips  map[uint32]*Recipient
}

func (g *Graph) reader() *reader {
	return &reader{g: g, funders: make(map[uint32]*Funder), recips: make(map[uint32]*Recipient)}
}

func (r *reader) short(i uint32) string { return r.text.copy(r.g.short.at(i)) }

func (r *reader) funder(i uint32) Funder {
	f := &r.g.funder[i]
	out := Funder{EIN: ein.EIN(f.EIN), Name: r.short(f.Name), City: r.short(f.City), State: r.short(f.State)}
	if f.Kind != noKind {
		out.Kind = kindNumbers.word(f.Kind)
	}
	return out
}

func (r *reader) recipient(i uint32) Recipient {
	p := &r.g.recip[i]
	return Recipient{
		ID: r.text.copy(r.g.recipIDs.at(i)), EIN: ein.EIN(p.EIN), Name: r.short(p.Name),
		City: r.short(p.City), State: r.short(p.State), ZIP: r.short(p.ZIP), Country: r.short(p.Country), Classes: Class(p.Classes),
	}
}

func (r *reader) grant(row uint32) Grant {
	g := r.g
	f, ok := r.funders[g.funders[row]]
	if !ok {
		v := r.funder(g.funders[row])
		f = &v
		r.funders[g.funders[row]] = f
	}
	p, ok := r.recips[g.recips[row]]
	if !ok {
		v := r.recipient(g.recips[row])
		p = &v
		r.recips[g.recips[row]] = p
	}
	at := &g.place[g.places[row]]
	filing := bytes.SplitN(g.filingText.at(g.filings[row]), []byte(sep), 5)
	return Grant{
		Key: r.text.copy(g.keys.at(row)), Funder: f, Recipient: p, NameFiled: r.text.copy(g.nameText.at(g.names[row])),
		City: r.short(at.City), State: r.short(at.State), ZIP: r.short(at.ZIP), Country: r.short(at.Country),
		Amount: g.amounts[row], FiscalYear: int(g.yearList[g.years[row]]), NTEE: ntee.Code(r.short(g.recip[g.recips[row]].NTEE)),
		Inferred: byte(g.recip[g.recips[row]].Inferred),
		Support:  grant.Support(g.supports[row]), Purpose: r.text.copy(g.purposeText.at(g.purposes[row])),
		Filing: r.text.copy(filing[0]), ObjectID: r.text.copy(filing[1]), ReturnType: r.text.copy(filing[2]), PeriodEnd: r.text.copy(filing[3]),
		Rule: grant.Rule(g.rules[row]), Prob: g.probList[g.probs[row]], Matched: g.flags[row]&flagMatched != 0, Classes: Class(g.flags[row] & classMask),
		Conflict: grant.Conflict(g.flags[row] >> conflictShift & conflictMask),
	}
}

// Grant is the row with the given key. A closed graph has none.
func (g *Graph) Grant(key string) (Grant, bool) {
	if g.begin() != nil {
		return Grant{}, false
	}
	defer g.mu.RUnlock()
	row, ok := g.findKey(key)
	if !ok {
		return Grant{}, false
	}
	return g.reader().grant(row), true
}

// findKey is the row with the given key.
func (g *Graph) findKey(key string) (uint32, bool) {
	i := sort.Search(g.rows, func(i int) bool { return string(g.keys.at(g.byKey[i])) >= key })
	if i == g.rows || string(g.keys.at(g.byKey[i])) != key {
		return 0, false
	}
	return g.byKey[i], true
}
