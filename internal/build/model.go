package build

import (
	"context"
	"io"

	"grantgraph/internal/classify"
	"grantgraph/internal/ein"
	"grantgraph/internal/resolve"
	"grantgraph/internal/resolve/model"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/source/irs990"
)

// modelFile is where a snapshot keeps the model that resolved its lines.
const modelFile = "resolve/model.json"

// ModelReport says which model answered for the lines that no rule decided, and
// how it did on lines it had not seen.
type ModelReport struct {
	Origin  string        `json:"origin"` // trained on this corpus, or prior where it has too few labels
	Outside float64       `json:"outside"`
	Metrics model.Metrics `json:"metrics"`
}

// resolver trains the model and puts everything together that resolves lines.
func (b *builder) resolver(ctx context.Context, c *choice, g *lines, u *resolve.Universe, human *resolve.Overrides, people *classify.People) (*resolve.Resolver, *model.Model, error) {
	assisted, err := b.assisted(u)
	if err != nil {
		return nil, nil, err
	}
	opt := resolve.Options{Human: human, Assisted: assisted}
	labels, err := b.labels(ctx, c, g)
	if err != nil {
		return nil, nil, err
	}
	b.phase("model", 1)
	rules := resolve.New(u, opt)
	silent, asked, err := b.silence(ctx, g, rules, people)
	if err != nil {
		return nil, nil, err
	}
	m := rules.Train(labels, silent, asked)
	if m == nil {
		m = resolve.Prior()
	}
	b.report.Model = ModelReport{Origin: m.Origin, Outside: m.Outside, Metrics: m.Metrics}
	b.step(1)
	opt.Model = m
	r := resolve.New(u, opt)
	if b.opt.Examine != nil {
		b.opt.Examine(r, labels)
	}
	return r, m, ctx.Err()
}

// assisted reads the rulings that a language model proposed, if there are any.
func (b *builder) assisted(u *resolve.Universe) (o *resolve.Overrides, err error) {
	path := b.sources.Assisted
	if path == "" {
		return nil, nil
	}
	err = b.readSource("override_llm", path, "a list of overrides", func(r io.Reader) (int64, error) {
		o, err = resolve.ReadAssisted(r, path)
		return int64(o.Len()), err
	})
	if err != nil {
		return nil, err
	}
	if err := o.Check(u); err != nil {
		return nil, wrongFormat(b.sources.abs(path), "a list of overrides for these sources", err)
	}
	return o, nil
}

// labels are the lines whose filer stated an EIN: for each tuple one, of the
// funder with the lowest EIN, so that the order of the rows does not show.
func (b *builder) labels(ctx context.Context, c *choice, g *lines) ([]resolve.Label, error) {
	funder, year, amount := make([]ein.EIN, g.tuples.len()), make([]int16, g.tuples.len()), make([]int64, g.tuples.len())
	for row, t := range g.tuple {
		f := &c.filings[g.filing[row]]
		if funder[t] == ein.None || f.ein < funder[t] {
			funder[t] = f.ein
		}
		year[t] = max(year[t], int16(f.year))
		amount[t] += g.amount[row]
	}
	all := make([]resolve.Label, g.tuples.len())
	err := b.chunks(ctx, len(all), func(from, to int) {
		for i := from; i < to; i++ {
			t := splitTuple(string(g.tuples.at(uint32(i))))
			if t.filed == ein.None || t.country != "" || t.filed == funder[i] || classify.Unidentified(&classify.Line{Name1: t.name1, Name2: t.name2, Person: t.person}, false) {
				continue
			}
			n := t.parse()
			all[i] = resolve.Label{Tuple: t.resolve(), Name: &n, Funder: funder[i], Truth: t.filed, Year: year[i], Amount: amount[i]}
		}
	})
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for i := range all {
		if all[i].Truth != ein.None {
			kept = append(kept, all[i])
		}
	}
	return kept, nil
}

// silenceSample is how many tuples of private foundations are asked about.
const silenceSample = 40_000

// silence counts, among recipients that private foundations name and that are
// organizations as far as anyone can tell, those that no rule finds. They have
// no EINs filed, so this is all that is known of how many have none to find.
func (b *builder) silence(ctx context.Context, g *lines, r *resolve.Resolver, people *classify.People) (silent, asked int, err error) {
	seen := make([]bool, g.tuples.len())
	tuples := 0
	for row, t := range g.tuple {
		if irs990.Part(g.part[row]) == irs990.PFPaid && !seen[t] {
			seen[t] = true
			tuples++
		}
	}
	every := uint64(tuples/silenceSample + 1)
	found := make([]int8, len(seen))
	err = b.chunks(ctx, len(seen), func(from, to int) {
		for i := from; i < to; i++ {
			key := string(g.tuples.at(uint32(i)))
			if !seen[i] || fingerprint(key)%every != 0 {
				continue
			}
			t := splitTuple(key)
			line := classify.Line{Name1: t.name1, Name2: t.name2, Person: t.person, Street: t.street, PF: true}
			if t.filed != ein.None || t.country != "" || classify.Unidentified(&line, false) || classify.Individual(&line, people) {
				continue
			}
			n, rt := t.parse(), t.resolve()
			found[i] = 1
			if r.Resolve(&rt, &n).EIN == ein.None {
				found[i] = 2
			}
		}
	})
	for _, f := range found {
		if f > 0 {
			asked++
		}
		if f == 2 {
			silent++
		}
	}
	return silent, asked, err
}

// fingerprint spreads keys evenly and always alike.
func fingerprint(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h ^ h>>29
}

// writeModel keeps the model with the snapshot it made.
func (b *builder) writeModel(w *snapshot.Writer, m *model.Model) error {
	return w.WriteFile(modelFile, func(out io.Writer) error {
		_, err := m.WriteTo(out)
		return err
	})
}
