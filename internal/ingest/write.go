package ingest

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/ingest/stage/shardfile"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

func (b *builder) writeCorpus(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	b.phase("write", int64(len(c.lines.amount)+c.universe.Len()+len(c.funders)+2*len(c.filings)))
	// The grants take longest, so they come first. The number of tables written in parallel is fixed, because
	// some tables hold all of their rows until the end.
	const atOnce = 3
	tables := [...]func(context.Context, *snapshot.Writer, *corpus) error{
		b.writeGrants, b.writeReturns, b.writeLists, b.writePurposes, b.writeOrganizations, b.writeAddressNames, b.writeFunders,
		b.writeAdjustments, b.writeAccounts, b.writeAbroad, b.writeApplications, b.writeModel, b.writeQuarantine,
	}
	return parallel.Each(ctx, min(b.workers, atOnce), len(tables), func(ctx context.Context, i int) error { return tables[i](ctx, w, c) })
}

func (b *builder) writeGrants(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	t, err := snapshot.Table[snapshot.Grant](w, snapshot.Grants)
	if err != nil {
		return err
	}
	// Rows are made in parallel, one block at a time, and written in order.
	const block = 32 << 10
	buf := make([]snapshot.Grant, min(block, len(c.rows)))
	for from := 0; from < len(c.rows); from += block {
		rows := c.rows[from:min(from+block, len(c.rows))]
		err := b.chunks(ctx, len(rows), func(lo, hi int) { b.grantRows(c, rows[lo:hi], buf[lo:hi]) })
		if err != nil {
			return err
		}
		if err := t.AddAll(buf[:len(rows)]); err != nil {
			return err
		}
		b.step(int64(len(rows)))
	}
	return t.Close()
}

func (b *builder) grantRows(c *corpus, rows []uint32, into []snapshot.Grant) {
	var to shownRecipient
	var in shownFilings
	keys := make([]byte, 0, len(rows)*grant.KeySize)
	for i, row := range rows {
		if i%rowsFetched == 0 {
			c.fetch(rows[i:min(i+rowsFetched, len(rows))])
		}
		if i == 0 || !to.stands(c, row) {
			to = b.showRecipient(c, row)
		}
		r := b.grantRow(c, row, &to, &in)
		keys = grant.AppendKey(keys, r.Filing, r.Part, r.Line)
		into[i] = r
	}
	// All keys share one string; each row has a part of it.
	all := string(keys)
	for i := range into {
		into[i].Key = all[i*grant.KeySize : (i+1)*grant.KeySize]
	}
}

// rowsFetched is how many rows are fetched from memory together: few enough
// that they are still in the cache when they are rendered.
const rowsFetched = 256

// fetch reads the memory that rows are made from. The rows of a funder come from returns that were read far
// apart, so rendering them would wait for one read after another. Here, the processor waits for many reads at
// once. The result only keeps the compiler from removing the reads.
func (c *corpus) fetch(rows []uint32) (read uint64) {
	g, to := c.lines, c.recipients
	for _, row := range rows {
		read += uint64(g.filing[row]) + uint64(g.origin[row]) + uint64(g.line[row]) + uint64(g.part[row]) + uint64(g.amount[row])
		read += uint64(to.ein[row]) + uint64(to.rule[row]) + uint64(to.class[row])
	}
	for _, row := range rows {
		read += uint64(g.recipients.first(g.recipientNo[row]))
	}
	for _, row := range rows {
		read += uint64(g.purposes.first(g.purpose[row]))
	}
	for _, row := range rows {
		read += uint64(to.ids.first(to.id[row]))
	}
	return read
}

// shownRecipient holds what the rows of one recipient have in common. In the
// order of the table, most of these rows are consecutive.
type shownRecipient struct {
	no     uint32
	ein    ein.EIN
	masked bool

	einText, raw, filed                     string
	city, state, zip, county, country, tier string
	stateFiled                              string // the state on the line, where city and ZIP code outvoted it
}

// stands reports whether a row shows the same recipient. A masked row never does.
func (s *shownRecipient) stands(c *corpus, row uint32) bool {
	return s.no == c.lines.recipientNo[row] && s.ein == c.recipients.ein[row] && !s.masked && !c.masked(row)
}

func (b *builder) showRecipient(c *corpus, row uint32) shownRecipient {
	t := c.recipientOf(row)
	s := shownRecipient{
		no: c.lines.recipientNo[row], ein: c.recipients.ein[row], masked: c.masked(row),
		einText: c.recipients.ein[row].String(), raw: strings.ToUpper(t.Name()), country: t.Country,
		tier: [...]string{grant.Matched, grant.Universe}[c.tierOf(row)],
	}
	if name := t.Name(); name != s.raw {
		s.filed = name
	}
	b.place(&s, &t, c)
	return s
}

// place is where the recipient is: by the line, or else by the organization's record.
func (b *builder) place(s *shownRecipient, t *resolve.Recipient, c *corpus) {
	s.city = strings.ToUpper(strings.TrimSpace(t.City))
	if t.Country != "" {
		return
	}
	var outvoted bool
	if s.state, outvoted = place.SettleState(t.City, t.State, t.ZIP); outvoted {
		s.stateFiled, _ = place.State(t.State)
	}
	s.zip, _ = place.ZIP5(t.ZIP, s.state)
	if s.state == "" && s.zip == "" {
		if o, ok := c.universe.Lookup(s.ein); ok {
			at := c.locationOf(o)
			s.city, s.state, s.zip = strings.ToUpper(at.City), at.State, at.ZIP5
		}
	}
	s.county, _ = b.places.CountyOf(s.zip, s.city, s.state)
}

// shownFiling is what the rows of one return have in common.
type shownFiling struct {
	no                        uint32 // of the filing, plus one
	key, ein, form, periodEnd string
	isDAF                     bool
}

// shownFilings caches the returns used last. The returns of a funder are
// consecutive, and hardly any funder has more of them than the cache holds.
type shownFilings [32]shownFiling

func (s *shownFilings) at(c *corpus, no uint32) *shownFiling {
	shown := &s[no%uint32(len(s))]
	if shown.no != no+1 {
		f := &c.filings[no]
		*shown = shownFiling{
			no: no + 1, key: f.key(), ein: f.ein.String(), form: f.form.String(), periodEnd: formatDate(f.periodEnd),
			isDAF: c.funderOf[f.ein].kind.IsDAF,
		}
	}
	return shown
}

func (b *builder) grantRow(c *corpus, row uint32, s *shownRecipient, shown *shownFilings) snapshot.Grant {
	g, to := c.lines, c.recipients
	f, in := c.filingOf(row), shown.at(c, g.filing[row])
	r := snapshot.Grant{
		FunderEIN: in.ein, RecipID: to.ids.at(to.id[row]), RecipientEIN: s.einText,
		RecipientRaw: s.raw, RecipientFiled: s.filed, RecipientCity: s.city, RecipientState: s.state, RecipientZIP: s.zip,
		StateFiled: s.stateFiled, RecipientCounty: s.county, RecipientCountry: s.country, Amount: g.amount[row],
		TaxYear: int32(f.year), IRSTaxYear: int32(f.taxYear), Purpose: c.purposeOf(row),
		EINSource: to.rule[row].String(), MatchProb: probability(to.rule[row], to.thousandths[row]), SourceTier: s.tier,
		IsIndividual: to.class[row]&individual != 0, IsUnidentified: to.class[row]&unidentified != 0,
		IsDAF: in.isDAF, IsRelatedParty: to.class[row]&related != 0, AmountSuspect: to.class[row]&suspect != 0,
		Support: int32(c.support[g.purpose[row]]), ReturnType: in.form, PeriodEnd: in.periodEnd,
		Part: partName(g.part[row]), Line: int32(g.line[row]), PartLines: c.filings[g.origin[row]].listed(irs990.Part(g.part[row])),
		EINConflict: to.conflict(row).String(),
	}
	// The line may be in an earlier version of the return.
	r.Filing = shown.at(c, g.origin[row]).key
	if c.filings[g.origin[row]].object != 0 {
		r.ObjectID = r.Filing
	}
	return r
}

// formatDate writes YYYYMMDD as YYYY-MM-DD.
func formatDate(n int32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100)
}

func (b *builder) writeFunders(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	err := snapshot.WriteTableUntil(ctx, w, snapshot.FunderKinds, snapshot.Each(c.funders, func(f funder) snapshot.FunderKind {
		r := snapshot.FunderKind{
			FunderEIN: f.ein.String(), Name: strings.ToUpper(f.name), City: strings.ToUpper(f.city), State: f.state, ZIP5: f.zip5,
			ReturnType: c.filings[f.filing].form.String(), Grantees: int64(f.grantees), Grants: int64(f.to - f.from), TotalOut: f.total,
			DAFCount: f.dafHeld.Pointer(), DAFGrants: f.dafPaid.Pointer(),
			IsDAF: f.kind.IsDAF, Confidence: f.kind.Confidence, Signal: f.kind.Signal, Kind: f.kind.Kind, Accepts: c.accepts[f.ein],
		}
		r.County, _ = b.places.CountyOf(f.zip5, f.city, f.state)
		return r
	}))
	b.step(int64(len(c.funders)))
	return err
}

// writeReturns writes the outcome of every return, the figures of the chosen ones, and the latest filing of every filer.
func (b *builder) writeReturns(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	t, err := snapshot.Table[snapshot.Return](w, snapshot.Returns)
	if err != nil {
		return err
	}
	var orgs []snapshot.Org
	books := &financials{at: make([]uint64, len(c.filings))}
	for i := range c.stage.Shards() {
		for r, err := range c.stage.Returns(ctx, i) {
			if err != nil {
				return err
			}
			at := c.bySeq[i][r.Seq]
			f := &c.filings[at]
			if err := t.Add(returnRow(&r.Return, c, at, c.stage.Archive(i, r.Seq))); err != nil {
				return err
			}
			b.step(1)
			if f.fate != chosen {
				continue
			}
			if f.form == form990 || f.form == form990EZ || f.form == form990PF { // a 990-T reports a tax
				books.add(at, &r)
			}
			if c.filers[f.ein].filing == at {
				shardfile.Own(&r.Return)
				o := orgRow(&r.Return, f)
				o.Accepts = c.accepts[f.ein]
				orgs = append(orgs, o)
			}
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := books.write(ctx, w, c.filings); err != nil {
		return err
	}
	sorted := radix.Order(len(orgs), func(i uint32) uint64 { return radix.Prefix(orgs[i].EIN) },
		func(a, b uint32) int { return strings.Compare(orgs[a].EIN, orgs[b].EIN) })
	return snapshot.WriteTableUntil(ctx, w, snapshot.Orgs, snapshot.Each(sorted, func(i uint32) snapshot.Org { return orgs[i] }))
}

func returnRow(r *stage.Return, c *corpus, at int32, source string) snapshot.Return {
	f := &c.filings[at]
	row := snapshot.Return{
		Filing: f.key(), ObjectID: r.ObjectID, EIN: f.ein.String(), Name: strings.ToUpper(r.Name), Form: r.Form, Schema: r.Schema,
		TaxYear: int32(f.year), IRSTaxYear: r.TaxYear, PeriodBegin: r.PeriodBegin, PeriodEnd: r.PeriodEnd, Timestamp: r.Timestamp,
		Amended: r.Amended, Group: r.Group, Fate: f.fate.String(), Source: source, Member: r.Member, SHA256: r.SHA256,
		Lines: r.Lines, Rows: f.account.Rows, Dollars: f.account.Sum, Zero: f.account.Zero, NonCash: f.account.NonCash,
		Negative: f.account.Negative, NegativeSum: f.account.NegativeSum, Totals: f.account.Total, TooLarge: f.account.TooLarge,
		Repeated: f.account.Repeated, Empty: f.account.Empty,
	}
	if f.linesOf != at && f.fate == chosen {
		row.LinesFrom = c.filings[f.linesOf].key()
	}
	if f.declared >= 0 {
		row.Declared = &f.declared
	}
	return row
}

func orgRow(r *stage.Return, f *filing) snapshot.Org {
	o := snapshot.Org{
		EIN: f.ein.String(), Name: strings.ToUpper(r.Name), City: strings.ToUpper(r.City), State: r.State, ReturnType: r.Form,
		TaxYear: int32(f.year), PeriodEnd: r.PeriodEnd, Filing: f.key(), Website: r.Website, FormationYear: r.Formation, Subsection: r.Subsection,
		Mission: r.Mission, Activity: r.Activity, Programs: r.Programs, StatesFiled: r.States,
		TotalRevenue: r.Revenue.Pointer(), TotalExpenses: r.Expenses.Pointer(), NetAssets: r.NetAssets.Pointer(),
		TotalAssets: r.Assets.Pointer(), TotalAssetsFMV: r.AssetsFMV.Pointer(), TotalLiabilities: r.Liabilities.Pointer(),
		GrantsPaid: r.GrantsPaid.Pointer(), Surplus: r.Surplus.Pointer(), RevContributions: r.Contributions.Pointer(),
		RevProgram: r.ProgramRevenue.Pointer(), RevInvestment: r.InvestmentIncome.Pointer(), RevOther: r.OtherIncome.Pointer(),
		GovernmentGrants: r.GovernmentGrants.Pointer(), Cash: r.Cash.Pointer(), Savings: r.Savings.Pointer(),
		InvestmentFees: r.InvestmentFees.Pointer(),
	}
	o.ZIP5, _ = place.ZIP5(r.ZIP, r.State)
	o.MonthsLiquid = monthsLiquid(o.Cash, o.Savings, o.TotalExpenses)
	return o
}

// writeLists writes the people, holdings and relations of the chosen returns, in the order of the sources.
func (b *builder) writeLists(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	return cmp.Or(
		copyList(ctx, w, c, snapshot.People, func(s *stage.Person, f *filing) snapshot.Person {
			return snapshot.Person{
				EIN: f.ein.String(), Filing: f.key(), TaxYear: int32(f.year), Name: s.Name, Business: s.Business, Title: s.Title, Hours: s.Hours,
				Compensation: s.Compensation.Pointer(), Related: s.Person.Related.Pointer(), Other: s.Other.Pointer(),
				Director: s.Director, Institution: s.InstitutionalTrustee, Officer: s.Officer, KeyEmployee: s.KeyEmployee, HighestPaid: s.HighestPaid, Former: s.Former,
			}
		}),
		copyList(ctx, w, c, snapshot.Holdings, func(s *stage.Holding, f *filing) snapshot.Holding {
			return snapshot.Holding{EIN: f.ein.String(), Filing: f.key(), TaxYear: int32(f.year), Schedule: s.Schedule, Name: s.Name,
				Book: s.Book.Pointer(), FMV: s.FMV.Pointer()}
		}),
		copyList(ctx, w, c, snapshot.Relations, func(s *stage.Related, f *filing) snapshot.Relation {
			r := snapshot.Relation{
				EIN: f.ein.String(), Filing: f.key(), TaxYear: int32(f.year), Kind: s.Kind, Name: s.Name, State: s.State,
				Section: s.Section, Status: s.Status, Controlled: s.Controlled,
			}
			if e, ok := ein.Filed(s.EIN); ok {
				r.RelatedEIN = e.String()
			}
			return r
		}),
	)
}

func copyList[S stage.Row, T any](ctx context.Context, w *snapshot.Writer, c *corpus, table string, row func(*S, *filing) T) error {
	t, err := snapshot.Table[T](w, table)
	if err != nil {
		return err
	}
	if err := eachChosen(ctx, c, func(s *S, f *filing) error { return t.Add(row(s, f)) }); err != nil {
		return err
	}
	return t.Close()
}

func eachChosen[S stage.Row](ctx context.Context, c *corpus, take func(*S, *filing) error) error {
	for i := range c.stage.Shards() {
		for s, err := range stage.Rows[S](ctx, c.stage, i) {
			if err != nil {
				return err
			}
			if f := c.chosenFiling(i, stage.MemberOf(s)); f != nil {
				if err := take(&s, f); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b *builder) writeAdjustments(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	g := c.lines
	sorted := radix.Order(len(g.adjustments), func(uint32) uint64 { return 0 }, func(x, y uint32) int {
		a, b := &g.adjustments[x], &g.adjustments[y]
		return cmp.Or(cmp.Compare(a.filing, b.filing), cmp.Compare(a.part, b.part), cmp.Compare(a.line, b.line))
	})
	return snapshot.WriteTableUntil(ctx, w, snapshot.Adjustments, snapshot.Each(sorted, func(i uint32) snapshot.Adjustment {
		return b.adjustmentRow(c, &g.adjustments[i])
	}))
}

// writeQuarantine lists everything that could not be read, from damaged zips to single returns.
func (b *builder) writeQuarantine(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	from := c.stage
	t, err := snapshot.Table[snapshot.Quarantine](w, snapshot.Quarantined)
	if err != nil {
		return err
	}
	add := func(q snapshot.Quarantine, reason string) error {
		b.report.QuarantineReasons = addNamed(b.report.QuarantineReasons, reason, 1)
		if len(b.report.Quarantined) < maxListed {
			b.report.Quarantined = append(b.report.Quarantined, q)
		}
		return t.Add(q)
	}
	for archive, problem := range from.Plan().Problems() {
		b.report.Returns.ArchiveFault++
		if err := add(snapshot.Quarantine{Source: archive, Member: problem.Name, Reason: problem.Reason}, "damaged zip"); err != nil {
			return err
		}
	}
	for i := range from.Shards() {
		for s, err := range stage.Rows[stage.Failure](ctx, from, i) {
			if err != nil {
				return err
			}
			b.report.Returns.Quarantined++
			shardfile.Own(&s)
			if err := add(snapshot.Quarantine{Source: from.Archive(i, s.Seq), Member: s.Member, Reason: s.Reason}, s.Kind); err != nil {
				return err
			}
		}
	}
	return t.Close()
}

// indexMemory is how much memory the indexes built in parallel may take, including engines outside Go. An index that needs more
// than these engines leave free still gets its memory, but then no other index in Go is built at the same time.
const indexMemory = 6 << 30

// writeIndexes builds the indexes of the finished tables. They are independent, so as many are built in
// parallel as workers and memory allow, started in order.
func (b *builder) writeIndexes(ctx context.Context, w *snapshot.Writer) error {
	// Free the memory that earlier steps left. The limit makes the garbage
	// collector reclaim one index before the next takes as much again.
	debug.FreeOSMemory()
	s, list := w.Unpublished(), b.opt.Indexers
	most := memoryOfGo(s, list)
	if was := debug.SetMemoryLimit(-1); was > most {
		debug.SetMemoryLimit(most + most/8) // an index may need slightly more than it states
		defer debug.SetMemoryLimit(was)
	}
	// Each index counts as 1,000 units. The slowest index reports its own progress, which also counts as 1,000.
	const parts = 1000
	total := int64(len(list)+1) * parts
	b.phase("indexes", total)
	var shown, told atomic.Int64
	show := func(n int64) {
		shown.Add(n)
		b.step(n)
	}
	defer func() { w.Progress = nil }()
	w.Progress = func(done, of int64) {
		now := done * parts / of
		show(now - told.Swap(now))
	}
	room := semaphore.NewWeighted(most)
	err := parallel.Each(ctx, b.workers, len(list), func(ctx context.Context, i int) error {
		need := list[i].Memory(s)
		if err := room.Acquire(ctx, need); err != nil {
			return err
		}
		defer room.Release(need)
		if err := list[i].Write(ctx, w); err != nil {
			return err
		}
		show(parts)
		return nil
	})
	if err == nil {
		b.step(total - shown.Load())
	}
	return err
}

// memoryOfGo is how much memory the indexes may take in Go: whatever engines
// outside Go leave free, and at least what the largest index needs.
func memoryOfGo(s *snapshot.Snapshot, list []snapshot.Indexer) int64 {
	most, others := int64(0), int64(0)
	for i := range list {
		most = max(most, list[i].Memory(s))
		others += list[i].Foreign
	}
	return max(most, indexMemory-others)
}
