package ingest

import (
	"context"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/derive/area"
	"grantgraph/internal/ingest/derive/recipient"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/irscode"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// listedRow holds the columns of the organizations that areas and names need.
type listedRow struct {
	EIN        string `parquet:"ein"`
	Name       string `parquet:"name"`
	City       string `parquet:"city,optional"`
	State      string `parquet:"state,optional"`
	County     string `parquet:"county,optional"`
	Foundation string `parquet:"foundation,optional"`
	Sources    int32  `parquet:"sources"`
}

// missionRow holds the columns of the latest return that areas and names need.
type missionRow struct {
	EIN        string   `parquet:"ein"`
	Name       string   `parquet:"name"`
	ReturnType string   `parquet:"return_type"`
	Mission    string   `parquet:"mission,optional"`
	Activity   string   `parquet:"activity,optional"`
	Programs   []string `parquet:"programs,list"`
}

const maxPrograms = 4

// areaBlock is how many organizations are processed together.
const areaBlock = 16 << 10

// writeAreas writes where each organization works and the names of recipients.
// While it searches one block of organizations for places, it reads the next.
func (d *deriver) writeAreas(ctx context.Context) error {
	blocks := make(chan []area.Org)
	strands := [...]func(context.Context) error{
		func(ctx context.Context) error {
			defer close(blocks)
			return d.readOrganizations(ctx, blocks)
		},
		func(ctx context.Context) error { return d.findAreas(ctx, blocks) },
	}
	err := parallel.Each(ctx, len(strands), len(strands), func(ctx context.Context, i int) error { return strands[i](ctx) })
	if err != nil {
		return err
	}
	return writeDerived(ctx, d, snapshot.RecipientNames, d.names.Rows())
}

// readOrganizations reads organizations and filers in parallel. Both are sorted by EIN.
func (d *deriver) readOrganizations(ctx context.Context, blocks chan<- []area.Org) error {
	filers := snapshot.Follow(snapshot.Until(ctx, snapshot.Rows[missionRow](d.s, snapshot.Orgs)), func(r *missionRow) string { return r.EIN })
	defer filers.Stop()
	orgs := make([]area.Org, 0, areaBlock)
	send := func() error {
		select {
		case blocks <- orgs:
			orgs = make([]area.Org, 0, areaBlock)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := snapshot.ReadTable(ctx, d.s, snapshot.Organizations, func(r *listedRow) error {
		if r.Sources == snapshot.SourceLine {
			return nil // one line says where a check was sent, not where the organization works
		}
		o := area.Org{EIN: ein.Stored(r.EIN), Name: r.Name, City: r.City, State: r.State, County: r.County, Foundation: irscode.PrivateFoundation(r.Foundation)}
		source := recipient.Register
		if resolve.Source(r.Sources) == resolve.FiledOnly {
			source = recipient.Filed
		}
		d.names.AddKnownName(o.EIN, r.Name, source)
		filer, err := filers.At(r.EIN)
		if err != nil {
			return err
		}
		if filer != nil {
			d.names.AddKnownName(o.EIN, filer.Name, recipient.OwnFiled)
			o.Foundation = o.Foundation || filer.ReturnType == "990PF"
			o.Texts = append(append(o.Texts, filer.Mission, filer.Activity), filer.Programs[:min(len(filer.Programs), maxPrograms)]...)
		}
		o.Giving = d.giving.Of(o.EIN)
		if orgs = append(orgs, o); len(orgs) == areaBlock {
			return send()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return send()
}

func (d *deriver) findAreas(ctx context.Context, blocks <-chan []area.Org) error {
	finder := area.New(d.b.places)
	t, err := snapshot.Table[snapshot.ServiceArea](d.w, snapshot.ServiceAreas)
	if err != nil {
		return err
	}
	found := make([][]snapshot.ServiceArea, areaBlock)
	for orgs := range blocks {
		err := d.b.each(ctx, len(orgs), func(i int) {
			found[i] = slices.AppendSeq(found[i][:0], finder.Areas(&orgs[i]))
		})
		if err != nil {
			return err
		}
		for _, list := range found[:len(orgs)] {
			for _, row := range list {
				if err := t.Add(row); err != nil {
					return err
				}
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err // an error here is also why no more blocks follow
	}
	if err := t.Close(); err != nil {
		return err
	}
	d.count(snapshot.ServiceAreas)
	return nil
}
