package ingest

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/plural"
)

// Scope limits a build to the returns of some filers: those that are in one of the states by
// their latest return, and those with one of the EINs. The zero Scope takes all.
//
// The organizations that a recipient can be are not limited: the master file and the other
// lists are read whole, so that a recipient elsewhere keeps its name, EIN and standing.
type Scope struct {
	States []string // codes
	EINs   []ein.EIN
}

// String describes the filers, empty for all.
func (s Scope) String() string {
	var parts []string
	if len(s.States) > 0 {
		parts = append(parts, "filers in "+strings.Join(s.States, ", "))
	}
	if n := len(s.EINs); n > 0 {
		parts = append(parts, strconv.Itoa(n)+plural.Word(n, " chosen filer", " chosen filers"))
	}
	return strings.Join(parts, " and ")
}

// narrow sets aside the returns of filers outside the scope.
func (b *builder) narrow(ctx context.Context, c *corpus) error {
	scope := b.opt.Scope
	if scope.String() == "" {
		return nil
	}
	inside := map[ein.EIN]bool{}
	for _, e := range scope.EINs {
		inside[e] = true
	}
	latest := latestFilings(c.filings)
	for i := 0; i < c.stage.Shards() && len(scope.States) > 0; i++ {
		for r, err := range stage.Rows[stage.Filer](ctx, c.stage, i) {
			if err != nil {
				return err
			}
			at := c.bySeq[i][r.Seq]
			if e := c.filings[at].ein; latest[e] == at && slices.Contains(scope.States, r.State) {
				inside[e] = true
			}
		}
	}
	out := int64(0)
	for i := range c.filings {
		if f := &c.filings[i]; f.fate == chosen && !inside[f.ein] {
			f.fate = outside
			out++
		}
	}
	b.report.warn("only the returns of %s count; %d returns of others were left out. Grants from other funders are missing, so what an organization "+
		"received is not whole, and the names that only others use for a recipient do not help to find it", scope, out)
	return nil
}
