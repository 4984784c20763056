package graph

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"strconv"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
)

// View is the graph as the packages read it that walk from one organization to others: ledger, neighbors and prospect. Funders
// and recipients are numbers, which are their places in Funders and Recipients. Other numbers are places in Years, States and
// Counties. The slices belong to the mapped file: nobody may change them, or use them after Close.
type View struct {
	Funders    []FunderRecord    // by EIN
	Recipients []RecipientRecord // by identity
	Years      []int32           // fiscal years, ascending
	States     []uint32          // texts, as are Counties and Codes
	Counties   []uint32
	Codes      []uint32 // NTEE codes that recipients have

	g    *Graph
	read *reader
}

// MaxYears is how many fiscal years there may be, so that a set of years is a mask of 64 bits.
const MaxYears = 64

// View opens the graph for reading. Close must follow.
func (g *Graph) View() (*View, error) {
	if err := g.Begin(); err != nil {
		return nil, err
	}
	d := &g.dict
	return &View{
		Funders: d.funders, Recipients: d.recips, Years: d.years, States: d.states, Counties: g.groups.countyList, Codes: d.codes,
		g: g, read: g.reader(),
	}, nil
}

// Close ends the reading.
func (v *View) Close() { v.g.End() }

// Text is the text of a number.
func (v *View) Text(n uint32) []byte { return v.g.dict.short.at(n) }

// Partial reports whether returns of a fiscal year are still to arrive.
func (v *View) Partial(year int) bool { return v.g.dict.partial[year] }

// FindFunder is the number of the funder with an EIN.
func (v *View) FindFunder(e ein.EIN) (uint32, bool) { return v.g.findFunder(e) }

// FindRecipients are the recipient identities with an EIN, ascending.
func (v *View) FindRecipients(e ein.EIN) []uint32 { return v.g.recipsOf([]ein.EIN{e}) }

// Funder copies what is known of a funder out of the file.
func (v *View) Funder(f uint32) Funder { return v.read.funder(f) }

// Recipient copies what is known of a recipient out of the file.
func (v *View) Recipient(r uint32) Recipient { return v.read.recipient(r) }

// KindNumber is the number of a kind of funders, as FunderRecord has it.
func KindNumber(kind string) (uint32, bool) { return kindNumbers.parse(kind) }

// Side says at which end of its grants an organization stands.
type Side uint8

const (
	Gave Side = iota
	Received
)

// Rows are the grants of one organization, ordered by who is at the other end:
// recipients of what it gave, funders of what it received.
type Rows struct {
	Parties []uint32
	Amounts []int64
	Years   []uint8

	// Where the grant went. Rows that an organization received do not have these.
	States, Counties []uint16
	letters          []uint8
}

// Cause is the letter of the recipient's cause, registered or inferred, or 0.
func (r *Rows) Cause(i int) byte {
	switch n := r.letters[i]; {
	case n == 0:
		return 0
	case n > majors:
		return 'A' + n - 1 - majors
	default:
		return 'A' + n - 1
	}
}

// Gave is the grants of a funder.
func (v *View) Gave(f uint32) Rows {
	g := v.g
	from, to := g.postings.funderRows[f], g.postings.funderRows[f+1]
	return Rows{
		Parties: g.cols.recips[from:to], Amounts: g.cols.amounts[from:to], Years: g.cols.years[from:to],
		States: g.groups.states[from:to], Counties: g.groups.counties[from:to], letters: g.groups.letters[from:to],
	}
}

// Received is the grants to a recipient.
func (v *View) Received(r uint32) Rows { return v.g.received(r) }

func (g *Graph) received(r uint32) Rows {
	from, to := g.back.rows.off[r], g.back.rows.off[r+1]
	return Rows{Parties: g.back.funders[from:to], Amounts: g.back.amounts[from:to], Years: g.back.years[from:to]}
}

// GrantsOf is the grants of an organization. They are copied only if the organization is a recipient with several identities.
func (v *View) GrantsOf(e ein.EIN, side Side) Rows {
	if side == Received {
		return v.g.receivedBy(v.FindRecipients(e))
	}
	f, ok := v.FindFunder(e)
	if !ok {
		return Rows{}
	}
	return v.Gave(f)
}

// receivedBy joins the grants to several recipients.
func (g *Graph) receivedBy(recips []uint32) (rows Rows) {
	if len(recips) == 1 {
		return g.received(recips[0])
	}
	var places []uint32
	for _, r := range recips {
		for at := g.back.rows.off[r]; at < g.back.rows.off[r+1]; at++ {
			places = append(places, at)
		}
	}
	slices.SortStableFunc(places, func(a, b uint32) int { return cmp.Compare(g.back.funders[a], g.back.funders[b]) })
	return Rows{Parties: inOrder(g.back.funders, places), Amounts: inOrder(g.back.amounts, places), Years: inOrder(g.back.years, places)}
}

// Links is the recipients of a funder, each once, with the years of each as a mask.
func (v *View) Links(f uint32) (recips []uint32, years []uint64) { return v.g.sums.giving.linksOf(f) }

// YearsOf is what a funder gave in each of its years, oldest first.
func (v *View) YearsOf(f uint32) []YearGiving { return v.g.sums.giving.yearsOf(f) }

// GaveIn is what each funder gave in a state in a year.
func (v *View) GaveIn(state, year int) []StateSum {
	c, at := &v.g.sums.funderStates, state*len(v.Years)+year
	return c.cells[c.at[at]:c.at[at+1]]
}

// CountFunders is how many funders a recipient has.
func (v *View) CountFunders(r uint32) int { return int(v.g.sums.recips[r].Others) }

// AppendFunders appends the funders of a recipient, each once.
func (v *View) AppendFunders(to []uint32, r uint32) []uint32 {
	last := uint32(math.MaxUint32)
	for _, f := range v.Received(r).Parties {
		if f != last {
			to = append(to, f)
			last = f
		}
	}
	return to
}

// InRanges runs work over ranges of the numbers from 0 to n-1, of the given size,
// on all cores. It stops between ranges when the context ends.
func (v *View) InRanges(ctx context.Context, n, size int, work func(from, to int)) error {
	return inRanges(ctx, 0, n, size, work)
}

// PartySums are the totals of the grants of one organization. Years are 0 when it has none.
type PartySums struct {
	Total, Grants, Parties int64
	FirstYear, LastYear    int
}

// Sums are the totals of what an organization gave or received. They are stored, so that no rows are read,
// except for a recipient with several identities, whose common funders count once.
func (g *Graph) Sums(ctx context.Context, e ein.EIN, side Side) (PartySums, error) {
	if err := g.Begin(); err != nil {
		return PartySums{}, err
	}
	defer g.End()
	var sum partyTotals
	if side == Gave {
		if f, ok := g.findFunder(e); ok {
			sum = g.sums.funders[f]
		}
	} else if recips := g.recipsOf([]ein.EIN{e}); len(recips) == 1 {
		sum = g.sums.recips[recips[0]]
	} else if err := ctx.Err(); err != nil {
		return PartySums{}, err
	} else {
		rows := g.receivedBy(recips)
		for i, f := range rows.Parties {
			sum.add(rows.Amounts[i], rows.Years[i])
			if i == 0 || f != rows.Parties[i-1] {
				sum.Others++
			}
		}
	}
	if sum.Grants == 0 {
		return PartySums{}, nil
	}
	return PartySums{sum.Amount, int64(sum.Grants), int64(sum.Others), int(g.dict.years[sum.First]), int(g.dict.years[sum.Last])}, nil
}

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
