package graph

import (
	"bytes"
	"sort"
	"strconv"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// Grant is one row, as package api/grants writes it.
type Grant struct {
	Key        string
	Funder     *Funder
	Recipient  *Recipient
	NameFiled  string // recipient name as filed
	City       string // place of the line, else of the organization
	State      string
	ZIP        string
	Country    string
	Amount     int64
	FiscalYear int
	NTEE       ntee.Code // of the recipient; empty when unknown
	Inferred   byte      // letter of the recipient's inferred cause where there is no code, else 0
	Support    grant.Support
	Purpose    string
	ObjectID   string // empty when unknown
	Filing     string
	ReturnType string
	PeriodEnd  string
	Part       string // list of the return, see grant.AppendKey; empty in an index of an earlier version
	Lines      int    // of that list; 0 when unknown
	Rule       grant.Rule
	Prob       float64
	Matched    bool // tier
	Classes    Class
	Conflict   grant.Conflict
	Outvoted   bool // the line states another state than its city and ZIP code, which State follows
}

// Funder is one grantmaker.
type Funder struct {
	EIN               ein.EIN
	Name, City, State string
	Kind              string
}

// Recipient is one recipient identity.
type Recipient struct {
	ID                              string
	EIN                             ein.EIN // None when unresolved
	Name, City, State, ZIP, Country string
	// Classes says whether any of its grants is to a person (Individuals) or
	// names nobody (Unidentified), so that nobody is named who must not be.
	Classes Class
}

// FunderTotal is a funder with the totals of its matching rows.
type FunderTotal struct {
	Funder
	Total               int64
	Grants, Recipients  int64
	FirstYear, LastYear int
}

// RecipientTotal is a recipient with the totals of its matching rows.
type RecipientTotal struct {
	Recipient
	Total               int64
	Grants, Funders     int64
	FirstYear, LastYear int
}

// Totals sums up matching rows.
type Totals struct {
	Amount, Grants, Funders, Recipients int64
}

// YearTotals are the totals of one fiscal year.
type YearTotals struct {
	FiscalYear int
	Totals
	Partial bool
}

// Cost is what a class takes away from a result.
type Cost struct{ Grants, Amount int64 }

// reader carries rows out of the mapped file. Rows of one page share their funders and recipients.
type reader struct {
	g       *Graph
	text    copier
	funders map[uint32]*Funder
	recips  map[uint32]*Recipient
}

func (g *Graph) reader() *reader {
	return &reader{g: g, funders: make(map[uint32]*Funder), recips: make(map[uint32]*Recipient)}
}

func (r *reader) short(i uint32) string { return r.text.copy(r.g.dict.short.at(i)) }

func (r *reader) funder(i uint32) Funder {
	f := &r.g.dict.funders[i]
	out := Funder{EIN: ein.EIN(f.EIN), Name: r.short(f.Name), City: r.short(f.City), State: r.short(f.State)}
	if f.Kind != noKind {
		out.Kind = kindNumbers.word(f.Kind)
	}
	return out
}

func (r *reader) recipient(i uint32) Recipient {
	p := &r.g.dict.recips[i]
	return Recipient{
		ID: r.text.copy(r.g.dict.recipIDs.at(i)), EIN: ein.EIN(p.EIN), Name: r.short(p.Name),
		City: r.short(p.City), State: r.short(p.State), ZIP: r.short(p.ZIP), Country: r.short(p.Country), Classes: Class(p.Classes),
	}
}

func (r *reader) grant(row uint32) Grant {
	g := r.g
	f, ok := r.funders[g.cols.funders[row]]
	if !ok {
		v := r.funder(g.cols.funders[row])
		f = &v
		r.funders[g.cols.funders[row]] = f
	}
	p, ok := r.recips[g.cols.recips[row]]
	if !ok {
		v := r.recipient(g.cols.recips[row])
		p = &v
		r.recips[g.cols.recips[row]] = p
	}
	at := &g.dict.places[g.cols.places[row]]
	filing := bytes.SplitN(g.dict.filings.at(g.cols.filings[row]), []byte(sep), 7)
	out := Grant{
		Key: r.text.copy(g.dict.keys.at(row)), Funder: f, Recipient: p, NameFiled: r.text.copy(g.dict.names.at(g.cols.names[row])),
		City: r.short(at.City), State: r.short(at.State), ZIP: r.short(at.ZIP), Country: r.short(at.Country),
		Amount: g.cols.amounts[row], FiscalYear: int(g.dict.years[g.cols.years[row]]), NTEE: ntee.Code(r.short(g.dict.recips[g.cols.recips[row]].NTEE)),
		Inferred: byte(g.dict.recips[g.cols.recips[row]].Inferred),
		Support:  grant.Support(g.cols.supports[row]), Purpose: r.text.copy(g.dict.purposes.at(g.cols.purposes[row])),
		Filing: r.text.copy(filing[0]), ObjectID: r.text.copy(filing[1]), ReturnType: r.text.copy(filing[2]), PeriodEnd: r.text.copy(filing[3]),
		Rule: grant.Rule(g.cols.rules[row]), Prob: g.dict.probs[g.cols.probs[row]],
		Matched:  g.cols.flags[row]&flagMatched != 0,
		Classes:  Class(g.cols.flags[row] & classMask),
		Conflict: grant.Conflict(g.cols.flags[row] >> conflictShift & conflictMask),
		Outvoted: g.cols.flags[row]&flagState != 0,
	}
	if len(filing) == 7 {
		out.Part = r.text.copy(filing[4])
		out.Lines, _ = strconv.Atoi(string(filing[5]))
	}
	return out
}

// Line is the place of the grant in the list of its return, counted from 1, and 0 when unknown. The row does not keep it, because
// the key does: it is a digest of the return, the list and the line.
func (g *Grant) Line() int {
	const most = 1 << 20 // ten times the longest list
	var key [grant.KeySize]byte
	for n := 1; n <= min(g.Lines, most); n++ {
		if string(grant.AppendKey(key[:0], g.Filing, g.Part, int32(n))) == g.Key {
			return n
		}
	}
	return 0
}

// Grant is the row with the given key. A closed graph has none.
func (g *Graph) Grant(key string) (Grant, bool) {
	if g.Begin() != nil {
		return Grant{}, false
	}
	defer g.End()
	row, ok := g.findKey(key)
	if !ok {
		return Grant{}, false
	}
	return g.reader().grant(row), true
}

func (g *Graph) findKey(key string) (uint32, bool) {
	i := sort.Search(g.rows, func(i int) bool { return string(g.dict.keys.at(g.orders.byKey[i])) >= key })
	if i == g.rows || string(g.dict.keys.at(g.orders.byKey[i])) != key {
		return 0, false
	}
	return g.orders.byKey[i], true
}
