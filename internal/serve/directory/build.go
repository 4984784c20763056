package directory

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Build writes the index of the snapshot that is being made.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	b, err := readTables(ctx,
		snapshot.Rows[snapshot.Organization](s, snapshot.Organizations),
		snapshot.Rows[snapshot.Org](s, snapshot.Orgs),
		snapshot.Rows[snapshot.FunderKind](s, snapshot.FunderKinds))
	if err != nil {
		return err
	}
	c := b.columns()
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.WriteFile(fileName, c.write)
}

// Of makes an index in memory from rows in EIN order, for examples and tests.
func Of(orgs []snapshot.Organization, filings []snapshot.Org, funders []snapshot.FunderKind) (*Index, error) {
	b, err := readTables(context.Background(), each(orgs), each(filings), each(funders))
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := b.columns().write(&file); err != nil {
		return nil, err
	}
	f, err := mapped.Read("memory", file.Bytes(), fileKind)
	if err != nil {
		return nil, err
	}
	return newIndex(f, &snapshot.Manifest{})
}

func each[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// builder holds the columns while the tables are read.
type builder struct {
	eins      []ein.EIN
	nameStart []uint32
	nameText  []byte
	years     []uint16

	cityName, funder                           interner
	state, city, zip, county                   interner
	ntee, subsection, foundation, form, groups interner
	letter                                     interner

	revenue, assets, expenses, grants, ruling []int64
}

// readTables reads the organizations side by side with their latest filings and their
// rows as grantmakers. All tables are in EIN order.
func readTables(ctx context.Context, orgs iter.Seq2[snapshot.Organization, error], filings iter.Seq2[snapshot.Org, error],
	funders iter.Seq2[snapshot.FunderKind, error]) (*builder, error) {
	filed := snapshot.Follow(filings, func(o *snapshot.Org) string { return o.EIN })
	defer filed.Stop()
	gives := snapshot.Follow(funders, func(k *snapshot.FunderKind) string { return k.FunderEIN })
	defer gives.Stop()
	b := &builder{nameStart: []uint32{0}}
	for o, err := range orgs {
		if err != nil {
			return nil, err
		}
		if len(b.eins)&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := ein.Parse(o.EIN)
		if n := len(b.eins); err != nil || n > 0 && e <= b.eins[n-1] {
			return nil, fault.New("directory_table", "the table %s is not in the order of EINs at %q", snapshot.Organizations,
				o.EIN).Try("build the snapshot again from the sources")
		}
		filing, err := filed.At(o.EIN)
		if err != nil {
			return nil, err
		}
		funder, err := gives.At(o.EIN)
		if err != nil {
			return nil, err
		}
		b.add(e, &o, filing, funder)
	}
	return b, nil
}

// add adds an organization. filing and funder may be nil.
func (b *builder) add(e ein.EIN, o *snapshot.Organization, filing *snapshot.Org, funder *snapshot.FunderKind) {
	b.eins = append(b.eins, e)
	b.nameText = append(b.nameText, o.Name...)
	b.nameStart = append(b.nameStart, uint32(len(b.nameText)))
	b.cityName.add(o.City)
	b.city.add(orgname.City(o.City))
	b.state.add(strings.ToUpper(o.State))
	b.zip.add(o.ZIP5)
	b.county.add(o.County)
	code, _ := ntee.Parse(o.NTEE)
	b.ntee.add(string(code))
	b.letter.add(string(code[:min(1, len(code))]))
	b.subsection.add(o.Subsection)
	b.foundation.add(o.Foundation)
	b.groups.add(strings.TrimLeft(o.Group, "0"))
	ruled := int64(unknown)
	if len(o.Ruling) == 6 {
		if y, err := strconv.Atoi(o.Ruling[:4]); err == nil && y >= 1900 {
			ruled = int64(y)
		}
	}
	b.ruling = append(b.ruling, ruled)
	kind := ""
	if funder != nil {
		kind = funder.Kind
	}
	b.funder.add(kind)
	if filing == nil {
		filing = &snapshot.Org{}
	}
	b.form.add(filing.ReturnType)
	b.years = append(b.years, uint16(max(0, min(filing.TaxYear, 9999))))
	for _, f := range []struct {
		to    *[]int64
		value *int64
	}{{&b.revenue, filing.TotalRevenue}, {&b.assets, filing.TotalAssets}, {&b.expenses, filing.TotalExpenses}, {&b.grants, filing.GrantsPaid}} {
		v := int64(unknown)
		if f.value != nil {
			v = *f.value
		}
		*f.to = append(*f.to, v)
	}
}

// columns returns the finished columns.
func (b *builder) columns() *columns {
	c := &columns{eins: b.eins, nameStart: b.nameStart, nameText: b.nameText, years: b.years, cityName: b.cityName.labels(), funder: b.funder.labels()}
	for _, x := range []struct {
		to   *dimension
		from *interner
	}{
		{&c.state, &b.state}, {&c.city, &b.city}, {&c.zip, &b.zip}, {&c.county, &b.county}, {&c.ntee, &b.ntee}, {&c.letter, &b.letter},
		{&c.subsection, &b.subsection}, {&c.foundation, &b.foundation}, {&c.form, &b.form}, {&c.groups, &b.groups},
	} {
		*x.to = newDimension(x.from.labels())
		*x.from = interner{}
	}
	c.name = newFigure(c.nameOrder(), true)
	c.revenue, c.assets = newFigure(b.revenue, true), newFigure(b.assets, true)
	c.expenses, c.grants = newFigure(b.expenses, true), newFigure(b.grants, true)
	c.ruling = newFigure(b.ruling, false)
	return c
}

// nameOrder numbers the names in alphabetical order; equal names get the same number.
// The letters a to z count as capitals.
func (c *columns) nameOrder() []int64 {
	order := make([]radix.Item, len(c.eins))
	var key []byte
	for i := range order {
		key = key[:0]
		for _, letter := range c.nameOf(uint32(i)) {
			if key = append(key, capital(letter)); len(key) == 8 {
				break
			}
		}
		order[i] = radix.Item{Key: radix.Prefix(key), Of: uint32(i)}
	}
	radix.Texts(order, func(a, b uint32) int { return compareNames(c.nameOf(a), c.nameOf(b)) })
	places := make([]int64, len(order))
	for i := 1; i < len(order); i++ {
		place := places[order[i-1].Of]
		if compareNames(c.nameOf(order[i-1].Of), c.nameOf(order[i].Of)) != 0 {
			place++
		}
		places[order[i].Of] = place
	}
	return places
}

func compareNames(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := capital(a[i]), capital(b[i]); x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func capital(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// interner gives each text a number.
type interner struct {
	ids    map[string]uint32
	values []string
	codes  []uint32 // by organization: the number plus one, 0 for no text
}

func (t *interner) add(s string) {
	if s == "" {
		t.codes = append(t.codes, 0)
		return
	}
	id, ok := t.ids[s]
	if !ok {
		if t.ids == nil {
			t.ids = map[string]uint32{}
		}
		t.values = append(t.values, strings.Clone(s))
		id = uint32(len(t.values))
		t.ids[t.values[id-1]] = id
	}
	t.codes = append(t.codes, id)
}

// labels numbers the texts in their order.
func (t *interner) labels() labels {
	sorted := slices.Sorted(slices.Values(t.values))
	l := labels{codes: t.codes, values: dictionary{starts: []uint32{0}}}
	place := make([]uint32, len(sorted)+1)
	for i, s := range sorted {
		place[t.ids[s]] = uint32(i + 1)
		l.values.text = append(l.values.text, s...)
		l.values.starts = append(l.values.starts, uint32(len(l.values.text)))
	}
	for i, c := range l.codes {
		l.codes[i] = place[c]
	}
	return l
}
