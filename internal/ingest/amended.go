package ingest

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/parallel"
	"grantgraph/internal/plural"
)

// fate says why a return was not chosen.
type fate uint8

const (
	chosen     fate = iota
	duplicate       // the same object or the same bytes, seen twice
	superseded      // replaced by a later version of the same filer and period
	outside         // of a filer that the build leaves out
)

var fateNames = [...]string{"chosen", "duplicate", "superseded", "outside"}

func (f fate) String() string { return fateNames[f] }

// family groups the returns that can replace one another. A 990-T filed beside
// a 990 replaces nothing, so the two are different families.
func (f *filing) family() int {
	if f.form == form990T {
		return 1
	}
	return 0
}

// choose marks which return counts for each filer and period, and which version supplies its lines. It sorts
// the filings by filer, family, period and version, so the result does not depend on the order of reading.
func choose(all []filing) []filing {
	slices.SortFunc(all, func(a, b filing) int {
		return cmp.Or(
			cmp.Compare(a.ein, b.ein),
			cmp.Compare(a.family(), b.family()),
			cmp.Compare(a.periodEnd, b.periodEnd),
			cmp.Compare(a.form, b.form),
			compareBool(a.amended, b.amended),
			cmp.Compare(a.stamp, b.stamp),
			cmp.Compare(a.object, b.object),
			slices.Compare(a.sum[:], b.sum[:]),
			cmp.Compare(a.shard, b.shard),
			cmp.Compare(a.seq, b.seq),
		)
	})
	for i := range all {
		all[i].linesOf = int32(i)
	}
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].ein == all[from].ein && all[to].family() == all[from].family() && all[to].periodEnd == all[from].periodEnd {
			to++
		}
		choosePeriod(all, from, to)
		from = to
	}
	return all
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// choosePeriod decides among all[from:to], the returns of one filer and period, sorted oldest version first within each form.
func choosePeriod(all []filing, from, to int) {
	best := -1
	for i := from; i < to; i++ {
		f := &all[i]
		if seenBefore(all[from:i], f) {
			f.fate = duplicate
			continue
		}
		// The last version of each form counts. Among forms, the one filed last replaces the others.
		if best >= 0 && all[best].form != f.form && cmp.Or(cmp.Compare(all[best].stamp, f.stamp), cmp.Compare(all[best].object, f.object)) > 0 {
			f.fate = superseded
			continue
		}
		if best >= 0 {
			all[best].fate = superseded
		}
		best = i
	}
	if best < 0 {
		return
	}
	f := &all[best]
	if !f.amended || f.lines > 0 || f.declared <= 0 {
		return
	}
	// If an amendment omits the list of grants but still declares their total, the grants were not withdrawn.
	// The last version that lists them supplies the lines.
	for i := best - 1; i >= from; i-- {
		if all[i].fate == superseded && all[i].lines > 0 {
			f.linesOf = int32(i)
			return
		}
	}
}

func seenBefore(earlier []filing, f *filing) bool {
	for i := range earlier {
		e := &earlier[i]
		if e.sum == f.sum || e.object != 0 && e.object == f.object {
			return true
		}
	}
	return false
}

func (b *builder) chooseReturns(ctx context.Context, c *corpus) error {
	b.phase("choose", int64(c.stage.Shards()))
	err := parallel.Ordered(ctx, b.workers, c.stage.Shards(), func(ctx context.Context, i int) (filings []filing, err error) {
		for r, err := range stage.Rows[stage.Head](ctx, c.stage, i) {
			if err != nil {
				return nil, err
			}
			filings = append(filings, newFiling(&r, i))
		}
		return filings, nil
	}, func(filings []filing) error {
		c.filings = append(c.filings, filings...)
		b.step(1)
		return nil
	})
	if err != nil {
		return err
	}
	c.bySeq = make([][]int32, c.stage.Shards())
	for i := range c.bySeq {
		c.bySeq[i] = slices.Repeat([]int32{-1}, c.stage.Members(i))
	}
	choose(c.filings)
	for i := range c.filings {
		f := &c.filings[i]
		c.bySeq[f.shard][f.seq] = int32(i)
	}
	return nil
}

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
