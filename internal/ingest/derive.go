package ingest

import (
	"cmp"
	"context"
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/derive/area"
	"grantgraph/internal/ingest/derive/board"
	"grantgraph/internal/ingest/derive/cofund"
	"grantgraph/internal/ingest/derive/family"
	"grantgraph/internal/ingest/derive/holding"
	"grantgraph/internal/ingest/derive/recipient"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/irscode"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// DeriveReport says how many rows each derived table has.
type DeriveReport struct {
	Tables []NamedInt  `json:"tables"` // in the order of their names
	Seats  Seats       `json:"board_seats"`
	Causes CauseReport `json:"causes"`
}

// Seats says what became of the lists of officers.
type Seats struct {
	Since    int   `json:"since"`            // the first fiscal year looked at
	Listed   int64 `json:"listed"`           // officers of those years
	OfGroups int64 `json:"of_group_returns"` // of these, officers on group returns, which do not say which member's board they are on
	Named    int64 `json:"named"`            // of the rest, persons with a first and a last name
}

type deriver struct {
	b       *builder
	w       *snapshot.Writer
	s       *snapshot.Snapshot
	edition *lists.Edition
	mu      sync.Mutex
	report  DeriveReport

	revenue  map[ein.EIN]int64 // of the latest return
	holdings *holding.Builder
	boards   func(*classify.People) *board.Builder
	names    *recipient.Names
	trainer  *classify.Trainer
	families *family.Families
	giving   area.Giving
}

// derive makes the derived tables from the tables already written. It reads only the columns it needs, one row at a time.
func (b *builder) derive(ctx context.Context, w *snapshot.Writer, edition *lists.Edition) (DeriveReport, error) {
	// These steps need less than half of the memory that earlier steps took, so the garbage collector can run less often.
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	d := &deriver{b: b, w: w, s: w.Unpublished(), edition: edition, revenue: make(map[ein.EIN]int64), holdings: holding.New(), trainer: classify.NewTrainer()}
	b.phase("derive", 7)
	step := func(fn func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := fn(ctx)
			b.step(1)
			return err
		}
	}
	// Tables made from filers and grants are written in parallel with those made from organizations and the
	// lists of returns. Holdings and boards wait for filers and families. Service areas wait for everything.
	families := make(chan struct{})
	strands := [...][]func(context.Context) error{
		{step(d.readFilers), step(d.writeFamilies), func(context.Context) error { close(families); return nil }, step(d.readGrants)},
		{step(d.writeCauses), func(ctx context.Context) error { return wait(ctx, families) }, step(d.writeHoldings), step(d.writeBoards)},
	}
	err := parallel.Each(ctx, b.workers, len(strands), func(ctx context.Context, i int) error {
		for _, fn := range strands[i] {
			if err := fn(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return DeriveReport{}, err
	}
	err = step(d.writeAreas)(ctx)
	return d.report, err
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func writeDerived[T any](ctx context.Context, d *deriver, name string, rows iter.Seq[T]) error {
	err := snapshot.WriteTableUntil(ctx, d.w, name, rows)
	if err == nil {
		d.count(name)
	}
	return err
}

// count adds a finished table to the report. Tables may be written in parallel.
func (d *deriver) count(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.report.Tables = addNamed(d.report.Tables, name, d.w.Unpublished().RowsOf(name))
}

type filerRow struct {
	EIN            string `parquet:"ein"`
	Name           string `parquet:"name"`
	City           string `parquet:"city,optional"`
	State          string `parquet:"state,optional"`
	ZIP5           string `parquet:"zip5,optional"`
	ReturnType     string `parquet:"return_type"`
	Filing         string `parquet:"filing"`
	TotalRevenue   *int64 `parquet:"total_revenue,optional"`
	TotalAssetsFMV *int64 `parquet:"total_assets_fmv,optional"`
	InvestmentFees *int64 `parquet:"investment_fees,optional"`
}

func (d *deriver) readFilers(ctx context.Context) error {
	type site struct {
		e                ein.EIN
		state, city, zip string
	}
	var sites []site
	err := snapshot.ReadTable(ctx, d.s, snapshot.Orgs, func(r *filerRow) error {
		e := ein.Stored(r.EIN)
		if r.TotalRevenue != nil {
			d.revenue[e] = *r.TotalRevenue
		}
		sites = append(sites, site{e, r.State, r.City, r.ZIP5})
		if r.ReturnType == "990PF" {
			d.holdings.AddFoundation(&holding.Foundation{
				EIN: e, Name: r.Name, City: r.City, State: r.State, ReturnType: r.ReturnType, Filing: r.Filing,
				AssetsFMV: r.TotalAssetsFMV, InvestmentFees: r.InvestmentFees,
			})
		}
		return nil
	})
	d.boards = func(p *classify.People) *board.Builder {
		x := board.New(p)
		for i := range sites {
			x.AddOrg(sites[i].e, sites[i].state, sites[i].city, sites[i].zip)
		}
		return x
	}
	return err
}

type familyRow struct {
	EIN     string `parquet:"ein"`
	Name    string `parquet:"name"`
	Street  string `parquet:"street,optional"`
	ZIP5    string `parquet:"zip5,optional"`
	Group   string `parquet:"group_number,optional"`
	Affil   string `parquet:"affiliation,optional"`
	Revenue *int64 `parquet:"revenue,optional"`
	Sources int32  `parquet:"sources"`
	Active  bool   `parquet:"active"`
}

type relationRow struct {
	EIN        string `parquet:"ein,dict"`
	Filing     string `parquet:"filing,dict"`
	Kind       string `parquet:"kind,dict"`
	RelatedEIN string `parquet:"related_ein,optional"`
	Controlled bool   `parquet:"controlled"`
}

func (d *deriver) writeFamilies(ctx context.Context) error {
	var b family.Builder
	err := snapshot.ReadTable(ctx, d.s, snapshot.Organizations, func(r *familyRow) error {
		if r.Sources == snapshot.SourceLine {
			return nil // one grant line is too little evidence for a family
		}
		o := family.Org{EIN: ein.Stored(r.EIN), Name: r.Name, Street: r.Street, ZIP5: r.ZIP5, Group: r.Group, Central: irscode.Central(r.Affil), Active: r.Active}
		if latest, ok := d.revenue[o.EIN]; ok {
			o.Revenue = latest
		} else if r.Revenue != nil {
			o.Revenue = *r.Revenue
		}
		b.Add(&o)
		d.trainer.AddOrg(r.Name)
		return nil
	})
	if err != nil {
		return err
	}
	err = snapshot.ReadTable(ctx, d.s, snapshot.Relations, func(r *relationRow) error {
		// Supported organizations come from Schedule A. They receive money but often belong to another family.
		if r.Kind != "supported" && r.RelatedEIN != "" {
			b.Relate(r.Filing, ein.Stored(r.EIN), ein.Stored(r.RelatedEIN), r.Controlled)
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.families, d.revenue = b.Build(), nil
	return writeDerived(ctx, d, snapshot.OrgFamilies, d.families.Rows())
}

type paidRow struct {
	FunderEIN        string `parquet:"funder_ein,dict"`
	RecipID          string `parquet:"recip_id,dict"`
	RecipientEIN     string `parquet:"recipient_ein,optional,dict"`
	RecipientRaw     string `parquet:"recipient_raw,dict"`
	RecipientState   string `parquet:"recipient_state,optional,dict"`
	RecipientCounty  string `parquet:"recipient_county,optional,dict"`
	RecipientCountry string `parquet:"recipient_country,optional,dict"`
	Amount           int64  `parquet:"amount"`
	TaxYear          int32  `parquet:"tax_year,dict"`
	Purpose          string `parquet:"purpose,optional,dict"`
	SourceTier       string `parquet:"source_tier,dict"`
	IsIndividual     bool   `parquet:"is_individual"`
	IsUnidentified   bool   `parquet:"is_unidentified"`
}

func (d *deriver) readGrants(ctx context.Context) error {
	var (
		edges  cofund.Edges
		abroad recipient.Abroad
	)
	d.names = recipient.NewNames(d.families.Has)
	purposes, err := snapshot.Table[snapshot.GrantPurpose](d.w, snapshot.GrantPurposes)
	if err != nil {
		return err
	}
	err = snapshot.ReadTable(ctx, d.s, snapshot.Grants, func(r *paidRow) error {
		funder, paid := ein.Stored(r.FunderEIN), ein.Stored(r.RecipientEIN)
		edges.Add(&cofund.Grant{Funder: funder, Recipient: paid, RecipID: r.RecipID, Year: r.TaxYear, Amount: r.Amount, Nobody: r.IsIndividual || r.IsUnidentified})
		d.names.AddSpelling(paid, r.RecipientRaw, r.Amount)
		d.giving.Add(&area.Grant{Funder: funder, County: r.RecipientCounty, State: r.RecipientState, Country: r.RecipientCountry, Year: r.TaxYear, Amount: r.Amount})
		if r.RecipientCountry != "" && paid == ein.None && (r.IsIndividual || !r.IsUnidentified) {
			abroad.Add(r.RecipientCountry, r.RecipientRaw, r.RecipID, r.IsIndividual)
		}
		if r.SourceTier != grant.Universe || r.Purpose == "" {
			return nil
		}
		return purposes.Add(snapshot.GrantPurpose{
			FunderEIN: r.FunderEIN, RecipientEIN: r.RecipientEIN, RecipientRaw: r.RecipientRaw, RecipientCountry: r.RecipientCountry,
			TaxYear: r.TaxYear, Amount: r.Amount, Purpose: r.Purpose,
		})
	})
	if err != nil {
		return err
	}
	if err := purposes.Close(); err != nil {
		return err
	}
	d.count(snapshot.GrantPurposes)
	return cmp.Or(
		writeDerived(ctx, d, snapshot.CofunderEdges, edges.Domestic()),
		writeDerived(ctx, d, snapshot.CofunderEdgesIntl, edges.Abroad()),
		writeDerived(ctx, d, snapshot.IntlEntities, abroad.Rows(d.b.isGovernment)),
	)
}

func (d *deriver) writeHoldings(ctx context.Context) error {
	err := snapshot.ReadTable(ctx, d.s, snapshot.Holdings, func(h *snapshot.Holding) error {
		d.holdings.AddItem(h)
		return nil
	})
	if err != nil {
		return err
	}
	p := d.holdings.Portfolio()
	d.holdings = nil
	return cmp.Or(
		writeDerived(ctx, d, snapshot.FoundationHoldings, p.Holdings()),
		writeDerived(ctx, d, snapshot.HoldingEntities, p.Entities()),
		writeDerived(ctx, d, snapshot.AssetProfiles, p.Profiles()),
	)
}

type officerRow struct {
	EIN     string `parquet:"ein,dict"`
	Filing  string `parquet:"filing,dict"`
	TaxYear int32  `parquet:"tax_year"`
	Name    string `parquet:"name,optional"`
	Former  bool   `parquet:"former"`
}

// boardYears is how many fiscal years of a board are examined. A person who
// left one board ten years ago and sits on another now links nobody.
const boardYears = 3

// groupReturns are the filings that cover all members of a group. Their officers may belong to any member or
// to the parent, so we assign them to no board.
func (d *deriver) groupReturns(ctx context.Context) (map[string]bool, error) {
	type row struct {
		Filing string `parquet:"filing"`
		Group  bool   `parquet:"group_return"`
	}
	group := make(map[string]bool)
	err := snapshot.ReadTable(ctx, d.s, snapshot.Returns, func(r *row) error {
		if r.Group {
			group[strings.Clone(r.Filing)] = true
		}
		return nil
	})
	return group, err
}

func (d *deriver) writeBoards(ctx context.Context) error {
	group, err := d.groupReturns(ctx)
	if err != nil {
		return err
	}
	years := make(map[int32]int64)
	err = snapshot.ReadTable(ctx, d.s, snapshot.People, func(r *officerRow) error {
		if r.Name != "" {
			d.trainer.AddPerson(r.Name)
			years[r.TaxYear]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	// The newest year of a corpus is always incomplete. The three years end with the last year that is at
	// least half as full as the fullest year. Newer years count in addition.
	var most int64
	for _, n := range years {
		most = max(most, n)
	}
	var last int32
	for y, n := range years {
		if 2*n >= most {
			last = max(last, y)
		}
	}
	since := last - boardYears + 1
	boards := d.boards(d.trainer.Train())
	d.boards, d.trainer = nil, nil
	seats := Seats{Since: int(since)}
	err = snapshot.ReadTable(ctx, d.s, snapshot.People, func(r *officerRow) error {
		if r.TaxYear < since || r.Name == "" || r.Former {
			return nil
		}
		seats.Listed++
		if group[r.Filing] {
			seats.OfGroups++
			return nil
		}
		if boards.AddOfficer(ein.Stored(r.EIN), r.Name) {
			seats.Named++
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.report.Seats = seats
	d.mu.Unlock()
	return writeDerived(ctx, d, snapshot.BoardLinks, boards.Links(d.families.Head))
}

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
