package ingest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/derive/recipient"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/snapshot"
)

// writeOrganizations writes the universe, plus the funders and recipients that are not in it, so that
// everyone who gave or received can be looked up. The added ones were not candidates when rows were resolved.
func (b *builder) writeOrganizations(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	strangers, err := b.strangers(ctx, c)
	if err != nil {
		return err
	}
	b.organizations = int64(c.universe.Len() + len(strangers))
	known := func(yield func(snapshot.Organization) bool) {
		for o := range c.universe.All() {
			if !yield(b.organizationRow(o, c.locationOf(o))) {
				return
			}
			b.step(1)
		}
	}
	return snapshot.WriteTableUntil(ctx, w, snapshot.Organizations,
		snapshot.Merge(known, slices.Values(strangers), func(x, y snapshot.Organization) bool { return x.EIN < y.EIN }))
}

func (b *builder) organizationRow(o *resolve.Org, at resolve.Location) snapshot.Organization {
	r := snapshot.Organization{
		EIN: o.EIN.String(), Name: strings.ToUpper(o.Name), Aliases: o.Aliases, Street: at.Street, City: strings.ToUpper(at.City), State: at.State, ZIP5: at.ZIP5,
		NTEE: o.NTEE, Subsection: o.Subsection, Foundation: o.Foundation, Affiliation: o.Affiliation, Group: o.Group,
		Deductible: o.Deductible, FilingReq: o.FilingReq, Ruling: yearAndMonth(o.Ruling), LastPeriod: yearAndMonth(o.LastPeriod),
		Sources: int32(o.Sources), Active: o.Active, Pop: o.Pop,
	}
	if o.Known != nil {
		r.AlsoKnown, r.Former = each.Of(o.Known.Also, strings.ToUpper), each.Of(o.Known.Former, strings.ToUpper)
	}
	if o.Revenue != 0 {
		r.Revenue = &o.Revenue
	}
	r.County, _ = b.places.CountyOf(at.ZIP5, at.City, at.State)
	return r
}

func yearAndMonth(n int32) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(int(n))
}

// stranger is a funder or recipient that the universe does not have.
type stranger struct {
	called map[string]int64 // dollars by its name on the rows
	at     map[resolve.Location]int32
	filer  *filer // for a funder
}

// strangers are the funders and recipients that are not in the universe, sorted by EIN: recipients whose EIN
// too few funders stated, and filers without a name. There are few.
func (b *builder) strangers(ctx context.Context, c *corpus) ([]snapshot.Organization, error) {
	found := map[ein.EIN]*stranger{}
	known := func(e ein.EIN) bool {
		_, ok := c.universe.Lookup(e)
		return ok
	}
	of := func(e ein.EIN) *stranger {
		s := found[e]
		if s == nil {
			s = &stranger{called: map[string]int64{}, at: map[resolve.Location]int32{}}
			found[e] = s
		}
		return s
	}
	for i := range c.funders {
		if f := &c.funders[i]; !known(f.ein) {
			of(f.ein).filer = f.filer
		}
	}
	// There are far fewer recipients than rows, so each recipient is checked once.
	strange := make([]bool, c.recipients.ids.len())
	for id := range strange {
		if e, ok := strings.CutPrefix(c.recipients.ids.at(uint32(id)), resolve.EINPrefix); ok {
			strange[id] = !known(ein.Stored(e))
		}
	}
	for row, e := range c.recipients.ein {
		if row%snapshot.CheckEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !strange[c.recipients.id[row]] {
			continue
		}
		s, to := of(e), b.showRecipient(c, uint32(row))
		s.called[to.raw] += c.lines.amount[row]
		s.at[resolve.Location{City: to.city, State: to.state, ZIP5: to.zip}]++
	}
	return each.Of(slices.Sorted(maps.Keys(found)), func(e ein.EIN) snapshot.Organization {
		return b.strangerRow(e, found[e], c.universe.Funders(e))
	}), nil
}

func (b *builder) strangerRow(e ein.EIN, s *stranger, funders int32) snapshot.Organization {
	r := snapshot.Organization{EIN: e.String(), Sources: snapshot.SourceLine, Active: true, Pop: funders}
	if s.filer != nil {
		r.Sources = snapshot.SourceFiler
		r.Name, r.City, r.State, r.ZIP5 = strings.ToUpper(s.filer.name), strings.ToUpper(s.filer.city), s.filer.state, s.filer.zip5
	}
	if r.Name == "" {
		r.Name = recipient.UsualSpelling(s.called)
	}
	if strings.TrimSpace(r.Name) == "" {
		// There is no name, so we use the number.
		r.Name = "EIN " + e.Hyphenated()
	}
	if r.State == "" && r.ZIP5 == "" && len(s.at) > 0 {
		at := slices.MinFunc(slices.Collect(maps.Keys(s.at)), func(x, y resolve.Location) int {
			return cmp.Or(cmp.Compare(s.at[y], s.at[x]), resolve.CompareLocations(x, y))
		})
		r.City, r.State, r.ZIP5 = at.City, at.State, at.ZIP5
	}
	r.County, _ = b.places.CountyOf(r.ZIP5, r.City, r.State)
	return r
}
