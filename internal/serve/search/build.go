package search

import (
	"context"
	"math"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
)

// fileName is the index inside a snapshot.
const fileName = "search/names.gg"

// entry is one organization on its way into the index.
type entry struct {
	ein        ein.EIN
	name       string
	aliases    []string
	city       string
	state      string
	ntee       ntee.Code
	typ        uint8
	revenue    *int64
	prominence float32 // 0 to 1
}

// Build writes the index of the snapshot that is being made.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	entries, err := readEntries(ctx, s)
	if err != nil {
		return err
	}
	ix := columnsOf(entries)
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.WriteFile(fileName, ix.write)
}

// readEntries reads the organizations together with what their filings and grants
// say of them. The three tables are sorted by EIN, so they are read side by
// side.
func readEntries(ctx context.Context, s *snapshot.Snapshot) ([]entry, error) {
	filings := snapshot.Follow(snapshot.Rows[snapshot.Org](s, snapshot.Orgs), func(o *snapshot.Org) string { return o.EIN })
	defer filings.Stop()
	funders := snapshot.Follow(snapshot.Rows[snapshot.FunderKind](s, snapshot.FunderKinds), func(k *snapshot.FunderKind) string { return k.FunderEIN })
	defer funders.Stop()
	var entries []entry
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			return nil, err
		}
		if len(entries)&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := ein.Parse(o.EIN)
		if err != nil || o.Name == "" {
			continue
		}
		filing, err := filings.At(o.EIN)
		if err != nil {
			return nil, err
		}
		funder, err := funders.At(o.EIN)
		if err != nil {
			return nil, err
		}
		entries = append(entries, newEntry(e, &o, filing, funder))
	}
	return entries, nil
}

// newEntry puts together what is known of one organization; filing and funder
// are nil when it has none.
func newEntry(e ein.EIN, o *snapshot.Organization, filing *snapshot.Org, funder *snapshot.FunderKind) entry {
	n := entry{ein: e, name: o.Name, aliases: o.Aliases, city: o.City, state: strings.ToUpper(o.State), revenue: o.Revenue}
	if len(n.state) != 2 {
		n.state = ""
	}
	n.ntee, _ = ntee.Parse(o.NTEE)
	returnType := ""
	if filing != nil {
		returnType = filing.ReturnType
		if filing.TotalRevenue != nil {
			n.revenue = filing.TotalRevenue
		}
	}
	n.typ = typeOf(o, funder, returnType)
	var size int64
	if n.revenue != nil {
		size = *n.revenue
	}
	if funder != nil {
		size = max(size, funder.TotalOut)
	}
	n.prominence = prominence(size, o.Pop, o.Active)
	return n
}

// prominence is how likely an organization is to be the one a person means,
// from its yearly dollars and from how many funders have written its EIN on a
// form. Both matter by their order of magnitude.
func prominence(dollars int64, pop int32, active bool) float32 {
	p := 0.75*min(1, math.Log10(1+float64(max(0, dollars)))/11) + 0.25*min(1, math.Log2(1+float64(max(0, pop)))/11)
	if !active {
		p /= 2
	}
	return float32(p)
}
