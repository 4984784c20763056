package build

import (
	"context"
	"io"

	"grantgraph/internal/disk"
	"grantgraph/internal/lists"
	"grantgraph/internal/place"
	"grantgraph/internal/resolve"
	"grantgraph/internal/source/pub78"
	"grantgraph/internal/source/revocation"
	"grantgraph/internal/source/rows"
)

// addListOrgs adds the organizations of the lists that are not the master file:
// the eligible donees, and those whose exemption was revoked, which were paid
// while they had it. A list that cannot be read is reported where the lists are
// taken up; here it only means that fewer organizations are known.
func (b *builder) addListOrgs(ctx context.Context, u *resolve.UniverseBuilder) error {
	each := func(list string, read func(io.Reader) (rows.Tally, error)) error {
		for _, rel := range b.sources.Lists[list] {
			r, err := rows.Open(b.sources.abs(rel))
			if err != nil {
				continue
			}
			if _, err := read(disk.Until(ctx, r)); err != nil && ctx.Err() == nil {
				b.report.Warnings = append(b.report.Warnings, rel+" could not be read to its end; recipients that only it knows are not resolved")
			}
			r.Close()
		}
		return ctx.Err()
	}
	err := each(lists.Pub78, func(r io.Reader) (rows.Tally, error) {
		return pub78.Read(r, func(p *pub78.Record) error {
			if p.State != "" {
				u.Add(resolve.Org{EIN: p.EIN, Name: p.Name, City: p.City, State: p.State, Sources: resolve.Pub78, Active: true})
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return each(lists.Revocation, func(r io.Reader) (rows.Tally, error) {
		return revocation.Read(r, func(v *revocation.Record) error {
			o := resolve.Org{EIN: v.EIN, Name: v.Name, Street: v.Street, City: v.City, State: v.State, Subsection: v.Subsection,
				Sources: resolve.Revoked, Active: v.Reinstated != ""}
			o.ZIP5, _ = place.ZIP5(v.ZIP, v.State)
			if v.DBA != "" {
				o.Aliases = []string{v.DBA}
			}
			u.Add(o)
			return nil
		})
	})
}
