package ingest

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
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
