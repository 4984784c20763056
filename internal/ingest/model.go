package ingest

import (
	"context"
	"io"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/snapshot"
)

const modelFile = "resolve/model.json"

// ModelReport says which model resolved the lines that no rule decided, and how well it did on lines it had not seen.
type ModelReport struct {
	Origin  string        `json:"origin"` // trained on this corpus, or prior if the corpus has too few labels
	Outside float64       `json:"outside"`
	Metrics model.Metrics `json:"metrics"` // for a prior: the metrics of its own fit

	// What this corpus offers for training: lines with a filed EIN; lines excluded because their filer put one EIN on many
	// unrelated names; and, among lines of states whose register was loaded, those whose organization is known.
	Labels       int `json:"labels"`
	SetAside     int `json:"labels_set_aside"`
	Covered      int `json:"labels_covered"`
	CoveredKnown int `json:"labels_covered_known"`

	Trials []Trial `json:"rules"`
}

// Trial is how well a rule did on lines of this corpus whose EIN was hidden. A rule that is right less often
// than it claims is switched off, and the next rules get its lines.
type Trial struct {
	Rule    string  `json:"rule"`
	Answers int     `json:"answers"`
	Right   int     `json:"right"`
	Low     float64 `json:"wilson_lo"`
	Off     bool    `json:"off"`
}

func (b *builder) resolver(ctx context.Context, c *corpus, human *resolve.Overrides, people *classify.People) (*resolve.Resolver, error) {
	u := c.universe
	assisted, err := b.overrides(ctx, discover.Assisted, resolve.ReadAssisted, u)
	if err != nil {
		return nil, err
	}
	opt := resolve.Options{Human: human, Assisted: assisted}
	if opt.History, err = b.history(ctx, c); err != nil {
		return nil, err
	}
	labels, err := b.labels(ctx, c)
	if err != nil {
		return nil, err
	}
	aside, n := resolve.SetAside(labels)
	b.report.Model.SetAside = n
	kept := labels[:0]
	for i := range labels {
		if !aside[i] {
			kept = append(kept, labels[i])
		}
	}
	labels = kept
	b.phase("model", 1)
	b.report.Model.Trials = []Trial{}
	for _, t := range resolve.New(u, opt).TryRules(labels) {
		b.report.Model.Trials = append(b.report.Model.Trials, Trial{t.Rule.String(), t.Answers, t.Right, t.Low, t.Off})
		if t.Off {
			opt.Off = append(opt.Off, t.Rule)
			b.report.warn("the rule %s is off: it was right in %d of %d lines whose EIN is known", t.Rule, t.Right, t.Answers)
		}
	}
	rules := resolve.New(u, opt)
	unresolved, asked, err := b.countUnresolved(ctx, c.lines, rules, people)
	if err != nil {
		return nil, err
	}
	opt.Coverage = rules.MeasureCoverage(labels, unresolved, asked)
	m := b.opt.Model
	if m == nil {
		if m = rules.Train(labels, opt.Coverage.Outside); m == nil {
			m = resolve.Prior()
		}
	}
	b.reportModel(m, opt.Coverage, len(labels))
	b.step(1)
	opt.Model, c.model = m, m
	r := resolve.New(u, opt)
	if b.opt.Examine != nil {
		b.opt.Examine(r, labels)
	}
	return r, ctx.Err()
}

func (b *builder) reportModel(m *model.Model, c *resolve.Coverage, labels int) {
	r := &b.report.Model
	r.Origin, r.Outside, r.Metrics = m.Origin, m.Outside, m.Metrics
	r.Labels, r.Covered, r.CoveredKnown = labels, c.Lines, c.Known
	if m.Origin == "prior" {
		b.report.warn("the model of these lines is the one that ships with the program: "+
			"of %d lines with a filed EIN the rules leave too few to learn from", labels)
	}
}

// labelSample is about how many lines with an EIN are kept for training.
const labelSample = 250_000

// labels are lines whose filer stated an EIN. We take one per recipient, from the funder with the lowest EIN,
// so the result does not depend on the order of rows. A large corpus has millions, so we take a fixed sample.
func (b *builder) labels(ctx context.Context, c *corpus) ([]resolve.Label, error) {
	g := c.lines
	filed := make([]uint32, 0, g.recipients.len()/2)
	for i := range g.recipients.len() {
		if t := g.recipient(uint32(i)); t.Filed != ein.None && t.Country == "" {
			filed = append(filed, uint32(i))
		}
	}
	every := uint64(len(filed)/labelSample + 1)
	filed = slices.DeleteFunc(filed, func(i uint32) bool { return fingerprint(g.recipients.at(i))%every != 0 })
	place := make(map[uint32]int, len(filed))
	all := make([]resolve.Label, len(filed))
	for n, i := range filed {
		place[i] = n
	}
	for row, t := range g.recipientNo {
		n, ok := place[t]
		if !ok {
			continue
		}
		l, f := &all[n], c.filingOf(uint32(row))
		if l.Funder == ein.None || f.ein < l.Funder {
			l.Funder = f.ein
		}
		l.Year = max(l.Year, int16(f.year))
		l.Amount += g.amount[row]
	}
	err := b.each(ctx, len(all), func(n int) {
		t, l := g.recipient(filed[n]), &all[n]
		line := classifierLine(&t)
		if t.Filed == l.Funder || classify.Unidentified(&line, false) {
			return
		}
		name := t.ParseName()
		l.Recipient, l.Name, l.Truth = t, &name, t.Filed
	})
	return slices.DeleteFunc(all, func(l resolve.Label) bool { return l.Truth == ein.None }), err
}

// unresolvedSample is how many recipients of private foundations are tried.
const unresolvedSample = 40_000

// countUnresolved tries the rules on recipients of private foundations that look like organizations, in
// states whose register was loaded. It counts those that no rule finds. Their lines state no EIN, so this is
// our best estimate of how many recipients have no EIN to find.
func (b *builder) countUnresolved(ctx context.Context, g *lines, r *resolve.Resolver, people *classify.People) (unresolved, asked int, err error) {
	seen := make([]bool, g.recipients.len())
	recipients := 0
	for row, t := range g.recipientNo {
		if irs990.Part(g.part[row]) == irs990.PFPaid && !seen[t] {
			seen[t] = true
			recipients++
		}
	}
	every := uint64(recipients/unresolvedSample + 1)
	found := make([]int8, len(seen))
	err = b.each(ctx, len(seen), func(i int) {
		key := g.recipientKey(uint32(i))
		if !seen[i] || fingerprint(string(key))%every != 0 {
			return
		}
		t := key.split()
		line := classifierLine(&t)
		line.PF = true
		if t.Filed != ein.None || t.Country != "" || classify.Unidentified(&line, false) || classify.Individual(&line, people) {
			return
		}
		if !r.Universe().Covered(t.State) {
			return // the register of the state was not loaded
		}
		n := t.ParseName()
		found[i] = 1
		if r.Resolve(&t, &n).EIN == ein.None {
			found[i] = 2
		}
	})
	for _, f := range found {
		if f > 0 {
			asked++
		}
		if f == 2 {
			unresolved++
		}
	}
	return unresolved, asked, err
}

// fingerprint is an evenly distributed hash that is the same in every build.
func fingerprint(s string) uint64 {
	h := hash.Of(s)
	return h ^ h>>29
}

func (b *builder) writeModel(_ context.Context, w *snapshot.Writer, c *corpus) error {
	return w.WriteFile(modelFile, func(out io.Writer) error {
		_, err := c.model.WriteTo(out)
		return err
	})
}

// payments finds recipients that are certain from their own name and place.
type payments struct {
	*corpus
	resolver *resolve.Resolver
	payer    []uint32 // by filing: the number of its filer
	payers   int
	named    []ein.EIN // by recipient
	asked    []bool    // by recipient
}

// firstLines is how many lines of a funder are examined first. If they name
// more than resolve.ManyPaid recipients, we skip the rest of its lines.
const firstLines = 4 * resolve.ManyPaid

// history lists which certain recipients each funder has paid. Most lines belong to a few funders with very
// many recipients, whose history is of no use. We skip recipients that only such funders name.
func (b *builder) history(ctx context.Context, c *corpus) (*resolve.History, error) {
	n := c.lines.recipients.len()
	b.phase("history", int64(n))
	p := &payments{corpus: c, resolver: resolve.New(c.universe, resolve.Options{}), named: make([]ein.EIN, n), asked: make([]bool, n)}
	p.numberPayers()
	first, err := b.look(ctx, p, p.ofFirstLines())
	if err != nil {
		return nil, err
	}
	everybody := p.payEverybody()
	others, err := b.look(ctx, p, func(row uint32) bool { return !everybody[p.payerOf(row)] })
	if err != nil {
		return nil, err
	}
	b.step(int64(n - first - others)) // recipients that are not looked up
	var list []resolve.Payment
	for row, t := range c.lines.recipientNo {
		if p.named[t] != ein.None && !everybody[p.payerOf(uint32(row))] {
			list = append(list, resolve.Payment{Funder: c.filingOf(uint32(row)).ein, Recipient: p.named[t]})
		}
	}
	return resolve.NewHistory(list), nil
}

// numberPayers numbers the filers. The filings are sorted by filer.
func (p *payments) numberPayers() {
	p.payer = make([]uint32, len(p.filings))
	for i := range p.filings {
		if i > 0 && p.filings[i].ein != p.filings[i-1].ein {
			p.payers++
		}
		p.payer[i] = uint32(p.payers)
	}
	p.payers++
}

func (p *payments) payerOf(row uint32) uint32 { return p.payer[p.lines.filing[row]] }

// ofFirstLines returns a function that reports whether a row is among the first
// lines of its funder. Call the function with the rows in order.
func (p *payments) ofFirstLines() func(row uint32) bool {
	rows := make([]uint16, p.payers)
	return func(row uint32) bool {
		n := &rows[p.payerOf(row)]
		if *n == firstLines {
			return false
		}
		*n++
		return true
	}
}

// look looks up the recipients of the wanted rows, and returns how many it looked up.
func (b *builder) look(ctx context.Context, p *payments, wanted func(row uint32) bool) (int, error) {
	var open []uint32
	for row, t := range p.lines.recipientNo {
		if wanted(uint32(row)) && !p.asked[t] {
			p.asked[t] = true
			open = append(open, t)
		}
	}
	return len(open), b.chunks(ctx, len(open), func(from, to int) {
		for _, i := range open[from:to] {
			t := p.lines.recipient(i)
			n := t.ParseName()
			p.named[i] = p.resolver.Named(&t, &n)
		}
		b.step(int64(to - from))
	})
}

// payEverybody marks the funders that name too many recipients in their first lines.
func (p *payments) payEverybody() []bool {
	lines := make([]uint32, p.payers)
	for _, filing := range p.lines.filing {
		lines[p.payer[filing]]++
	}
	var pairs []uint64 // payer and recipient
	first := p.ofFirstLines()
	for row, t := range p.lines.recipientNo {
		if by := p.payerOf(uint32(row)); lines[by] > resolve.ManyPaid && first(uint32(row)) && p.named[t] != ein.None {
			pairs = append(pairs, uint64(by)<<32|uint64(p.named[t]))
		}
	}
	slices.Sort(pairs)
	named := make([]int, p.payers)
	for _, pair := range slices.Compact(pairs) {
		named[pair>>32]++
	}
	everybody := make([]bool, p.payers)
	for i, n := range named {
		everybody[i] = n > resolve.ManyPaid
	}
	return everybody
}
