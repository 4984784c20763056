package ingest

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot"
)

// corpus is what a build knows about its returns, from the archives it reads to the rows it writes. The steps
// fill its fields in order. Each step reads what earlier steps have filled in.
type corpus struct {
	// stageReturns: the returns as read, in shards.
	stage *stage.Stage

	// chooseReturns: every return that was read, and which of them count.
	filings []filing  // sorted by filer, period and version
	bySeq   [][]int32 // by shard and member: the filing, or -1

	// gatherLines: the grant rows as filed.
	lines        *lines
	applications []snapshot.Application // in EIN order
	asides       map[*filing]*asides
	asideTexts   *interner          // regions and purposes of the asides
	accepts      map[ein.EIN]string // whether a foundation accepts applications, where it states it

	// loadUniverse: the possible recipients of a row, and the funders.
	universe *resolve.Universe
	filers   map[ein.EIN]*filer

	// findRecipients: the recipient of each row.
	model      *model.Model // for the rows that no rule decides
	people     *classify.People
	recipients *recipients
	support    []grant.Support // by purpose

	// sortRows, sortFunders: the order of the tables.
	rows     []uint32 // row numbers in the order of the grants table
	funders  []funder // in EIN order
	funderOf map[ein.EIN]*funder
}

func (c *corpus) filingOf(row uint32) *filing { return &c.filings[c.lines.filing[row]] }

// recipientOf is what a row says about its recipient, without any masked fields.
func (c *corpus) recipientOf(row uint32) resolve.Recipient {
	t := c.lines.recipient(c.lines.recipientNo[row])
	if c.masked(row) {
		return resolve.Recipient{Name1: maskedName, State: t.State, Country: t.Country}
	}
	return t
}

// chosenFiling is the return of a member of a shard, nil if the member is not a chosen return.
func (c *corpus) chosenFiling(shard int, seq int32) *filing {
	at := c.bySeq[shard][seq]
	if at < 0 || c.filings[at].fate != chosen {
		return nil
	}
	return &c.filings[at]
}

// filing holds what the choice among returns needs, and what later steps need
// of the chosen ones. There may be millions of filings, so the struct is small.
type filing struct {
	ein       ein.EIN
	shard     int32
	seq       int32
	form      form
	year      int16 // fiscal year
	taxYear   int16 // the IRS's
	amended   bool
	box       bool // gives only to organizations that it selects itself
	fate      fate
	periodEnd int32       // YYYYMMDD
	stamp     int64       // filing time, Unix seconds, 0 when not readable
	object    uint64      // 18-digit object id, 0 when unknown
	sum       [16]byte    // of SHA-256 of the file
	lines     int32       // staged grant lines
	paid      int32       // of these, lines of Form 990-PF
	declared  int64       // the filer's own total of grants paid, -1 when not stated
	given     int64       // the same with what the list does not ask for, such as grants abroad, -1 when not stated
	linesOf   int32       // filing that supplies the lines: itself, or an earlier version
	account   lineAccount // what became of its lines
}

// listed is how many lines the list has that grants of a part are on.
func (f *filing) listed(p irs990.Part) int32 {
	if p == irs990.PFPaid {
		return f.paid
	}
	return f.lines - f.paid
}

// lineAccount says what became of the grant lines of a return.
type lineAccount struct {
	Rows, Zero, NonCash, Negative, Total, TooLarge, Repeated, Empty int32
	Sum                                                             int64 // dollars of the rows
	NegativeSum                                                     int64
	GoodsLines                                                      int32
	Goods                                                           int64 // value of non-cash assistance, of all lines
}

type form uint8

const (
	formOther form = iota
	form990
	form990EZ
	form990PF
	form990T
)

var formNames = [...]string{"", "990", "990EZ", "990PF", "990T"}

func (f form) String() string { return formNames[f] }

func newFiling(r *stage.Head, shard int) filing {
	f := filing{
		ein: ein.EIN(r.EIN), shard: int32(shard), seq: r.Seq, form: form(max(slices.Index(formNames[:], r.Form), 0)),
		taxYear: int16(r.TaxYear), amended: r.Amended, box: r.Preselected, lines: r.Lines, declared: -1, given: -1,
	}
	if y, ok := irs990.FiscalYear(r.PeriodEnd); ok {
		f.year = int16(y)
	}
	if n, err := strconv.ParseInt(strings.ReplaceAll(r.PeriodEnd, "-", ""), 10, 32); err == nil {
		f.periodEnd = int32(n)
	}
	if t, err := time.Parse(time.RFC3339, r.Timestamp); err == nil {
		f.stamp = t.Unix()
	}
	f.object, _ = strconv.ParseUint(r.ObjectID, 10, 64)
	_, _ = hex.Decode(f.sum[:], []byte(r.SHA256[:2*len(f.sum)]))
	declared, given := r.DeclaredDomestic.Or(r.GrantsPaid), r.Given
	if f.form == form990PF {
		declared = r.DeclaredPF.Or(r.DeclaredCharity)
		given = declared
	}
	if declared.Set {
		f.declared = declared.Value
	}
	if given.Set {
		f.given = given.Value
	}
	return f
}

// objectID is the number of the return in the IRS archive, or empty.
func (f *filing) objectID() string {
	if f.object == 0 {
		return ""
	}
	return f.key()
}

// key identifies a return in grant keys: its object id, or a hash of its content if the file had no id.
func (f *filing) key() string {
	if f.object != 0 {
		return strconv.FormatUint(f.object, 10)
	}
	return "sha256:" + hex.EncodeToString(f.sum[:])
}
