package ingest

import (
	"cmp"
	"context"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/source/pub78"
	"grantgraph/internal/ingest/source/revocation"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot/lists"
)

// filer is what a build keeps about an organization that files returns, according to its latest return.
type filer struct {
	filing int32 // its latest chosen return, into corpus.filings
	name   string
	city   string
	state  string
	zip5   string

	addresses []ownAddress // in the United States, of all its returns

	dafHeld   irs990.Amount // most donor-advised funds held in any year
	dafPaid   irs990.Amount // paid from donor-advised funds in the latest year that states it
	dafOf     int64         // all grants paid in that year
	dafPeriod int32         // the end of that year
}

// loadUniverse collects every organization that a recipient can be: the master file, older postings of it, the filers
// themselves, and organizations for which several funders state the same EIN. It also finds the filers.
func (b *builder) loadUniverse(ctx context.Context, c *corpus) error {
	u := resolve.NewUniverse()
	b.phase("universe", int64(len(b.sources.Masters)+c.stage.Shards()+1))
	if err := b.addListed(ctx, u); err != nil {
		return err
	}
	if err := b.addFilers(ctx, u, c); err != nil {
		return err
	}
	if err := b.addFiled(ctx, u, c); err != nil {
		return err
	}
	b.step(1)
	c.universe = u.Build()
	return nil
}

// addListed adds the organizations of the master file and of the other lists, several files at a time.
func (b *builder) addListed(ctx context.Context, u *resolve.UniverseBuilder) error {
	others := each.Append(each.Of(b.sources.Files[lists.Pub78], func(rel string) otherList { return otherList{rel, addDonees} }),
		b.sources.Files[lists.Revocation], func(rel string) otherList { return otherList{rel, addRevoked} })
	files := len(b.sources.Masters) + len(others)
	return parallel.Ordered(ctx, b.workers, files, func(ctx context.Context, i int) (report func(), err error) {
		if i < len(b.sources.Masters) {
			return b.loadMaster(ctx, u, b.sources.Masters[i])
		}
		return b.loadList(ctx, u, others[i-len(b.sources.Masters)])
	}, func(report func()) error {
		report()
		return nil
	})
}

// addFilers adds the filers and keeps the facts from their returns. Shards are
// read in parallel, but their results are applied in order.
func (b *builder) addFilers(ctx context.Context, u *resolve.UniverseBuilder, c *corpus) error {
	c.filers = make(map[ein.EIN]*filer)
	latest := latestFilings(c.filings)
	type filedReturn struct {
		stage.Filer
		at int32 // into corpus.filings
	}
	return parallel.Ordered(ctx, b.workers, c.stage.Shards(), func(ctx context.Context, i int) (list []filedReturn, err error) {
		for r, err := range stage.Rows[stage.Filer](ctx, c.stage, i) {
			if err != nil {
				return nil, err
			}
			at := c.bySeq[i][r.Seq]
			if f := &c.filings[at]; f.fate == chosen {
				u.Add(filerOrg(&r, f))
				list = append(list, filedReturn{r, at})
			}
		}
		return list, nil
	}, func(list []filedReturn) error {
		for i := range list {
			r := &list[i]
			f := &c.filings[r.at]
			fl := c.filers[f.ein]
			if fl == nil {
				fl = &filer{filing: latest[f.ein]}
				c.filers[f.ein] = fl
			}
			fl.add(&r.Filer, f, r.at)
		}
		b.step(1)
		return nil
	})
}

// loadMaster adds one posting of the master file. It returns a function that reports on the posting.
func (b *builder) loadMaster(ctx context.Context, u *resolve.UniverseBuilder, m discover.Master) (report func(), err error) {
	source := resolve.BMF
	if m.Older {
		source = resolve.OldBMF
	}
	var stats rows.Tally
	err = b.readSource(ctx, "bmf", m.Path, "a part of the business master file", func(in io.Reader) (_ int64, err error) {
		stats, err = bmf.Read(in, func(r *bmf.Record) error {
			o := resolve.Org{
				EIN: r.EIN, Name: r.Name, Street: r.Street, City: r.City, State: r.State,
				NTEE: r.NTEE, Subsection: r.Subsection, Foundation: r.Foundation, Affiliation: r.Affiliation, Group: r.Group,
				Deductible: r.Deductibility, FilingReq: r.FilingReq, Ruling: period(r.Ruling), LastPeriod: period(r.TaxPeriod),
				SortName: r.SortName, Sources: source, Active: !m.Older, AsOf: m.AsOf(),
			}
			o.ZIP5, _ = place.ZIP5(r.ZIP, r.State)
			if r.Revenue.Set {
				o.Revenue = r.Revenue.Value
			}
			u.Add(o)
			return nil
		})
		return int64(stats.Rows), err
	})
	return func() {
		for _, r := range stats.Rejected {
			b.report.MasterRejected = addNamed(b.report.MasterRejected, r.Reason, r.Count)
		}
		b.step(1)
	}, err
}

// period reads a year and month written YYYYMM, or 0 if it is not valid. The register writes zeros for an unknown date.
func period(s string) int32 {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || len(s) != len("200601") || n%100 < 1 || n%100 > 12 || n < 100000 {
		return 0
	}
	return int32(n)
}

func filerOrg(r *stage.Filer, f *filing) resolve.Org {
	o := resolve.Org{
		EIN: f.ein, Name: r.Name, Street: r.Street, City: r.City, State: r.State,
		Sources: resolve.Filer, Active: true, AsOf: f.periodEnd,
	}
	o.ZIP5, _ = place.ZIP5(r.ZIP, r.State)
	if r.DBA != "" {
		o.Aliases = []string{r.DBA}
	}
	o.Revenue = r.Revenue.Value
	return o
}

// latestFilings finds the current return of each filer: that of the last
// period. A 990-T is used only if there is no other return.
func latestFilings(filings []filing) map[ein.EIN]int32 {
	latest := make(map[ein.EIN]int32)
	for i := range filings {
		f := &filings[i]
		if f.fate != chosen {
			continue
		}
		if have, ok := latest[f.ein]; ok && f.form == form990T && filings[have].form != form990T {
			continue
		}
		latest[f.ein] = int32(i)
	}
	return latest
}

type ownAddress struct {
	at    resolve.Location
	years uint64 // the years of the returns that give the address, as bits from firstYear on
}

// firstYear is earlier than any e-filed return.
const firstYear = 1990

// seatYears is how many of the latest years decide where an organization is.
// Earlier years are ignored, because the organization may have moved.
const seatYears = 5

// seat is where the organization says it is: the address on most of its latest returns, or the later of two equally frequent
// ones. A mailing address used in one year, such as a lockbox at a bank, does not move the organization.
func (fl *filer) seat() (resolve.Location, bool) {
	var all uint64
	for i := range fl.addresses {
		all |= fl.addresses[i].years
	}
	if all == 0 {
		return resolve.Location{}, false
	}
	lately := ^uint64(0) << max(0, bits.Len64(all)-seatYears)
	return slices.MaxFunc(fl.addresses, func(a, b ownAddress) int {
		return cmp.Or(
			cmp.Compare(bits.OnesCount64(a.years&lately), bits.OnesCount64(b.years&lately)),
			cmp.Compare(a.years, b.years),
			resolve.CompareLocations(b.at, a.at),
		)
	}).at, true
}

func (fl *filer) addAddress(r *stage.Filer, year int16) {
	if r.Country != "" || year < firstYear || year >= firstYear+64 {
		return
	}
	at := resolve.Location{Street: r.Street, City: r.City, State: r.State}
	if at.ZIP5, _ = place.ZIP5(r.ZIP, r.State); at.State == "" || at.ZIP5 == "" {
		return
	}
	bit := uint64(1) << (year - firstYear)
	for i := range fl.addresses {
		own := &fl.addresses[i]
		if own.at == at || own.at.ZIP5 == at.ZIP5 && own.at.State == at.State && sameStreet(own.at.Street, at.Street) {
			own.years |= bit
			return
		}
	}
	at = resolve.Location{Street: strings.Clone(at.Street), City: strings.Clone(at.City), State: strings.Clone(at.State), ZIP5: strings.Clone(at.ZIP5)}
	fl.addresses = append(fl.addresses, ownAddress{at, bit})
}

// locationOf is where an organization is: by its own returns, or else by the lists.
func (c *corpus) locationOf(o *resolve.Org) resolve.Location {
	if fl := c.filers[o.EIN]; fl != nil {
		if at, ok := fl.seat(); ok {
			return at
		}
	}
	return resolve.Location{Street: o.Street, City: o.City, State: o.State, ZIP5: o.ZIP5}
}

func (fl *filer) add(r *stage.Filer, f *filing, at int32) {
	fl.addAddress(r, f.year)
	if at == fl.filing {
		fl.name, fl.city, fl.state = strings.Clone(r.Name), strings.Clone(r.City), strings.Clone(r.State)
		zip5, _ := place.ZIP5(r.ZIP, r.State)
		fl.zip5 = strings.Clone(zip5)
	}
	if r.DAFHeld.Set && (!fl.dafHeld.Set || r.DAFHeld.Value > fl.dafHeld.Value) {
		fl.dafHeld = r.DAFHeld
	}
	if r.DAFGrants.Set && f.periodEnd > fl.dafPeriod {
		fl.dafPaid, fl.dafPeriod, fl.dafOf = r.DAFGrants, f.periodEnd, r.GrantsPaid.Value
	}
}

// addFiled records every EIN that funders stated for a recipient.
func (b *builder) addFiled(ctx context.Context, u *resolve.UniverseBuilder, c *corpus) error {
	starts, rows := radix.Group(c.lines.recipientNo, c.lines.recipients.len())
	funders := each.Of(rows, func(row uint32) ein.EIN { return c.filingOf(row).ein }) // of recipient i, one for each line
	return b.each(ctx, c.lines.recipients.len(), func(i int) {
		t := c.lines.recipient(uint32(i))
		if t.Filed == ein.None || t.Country != "" {
			return
		}
		state, _ := place.SettleState(t.City, t.State, t.ZIP)
		at := resolve.Location{Street: t.Street, City: t.City, State: state}
		at.ZIP5, _ = place.ZIP5(t.ZIP, state)
		kx := orgname.ParseLine(t.Name1, t.Name2, t.City, state).KX
		u.AddFiled(resolve.FiledRecipient{EIN: t.Filed, KX: kx, Spelling: t.Name(), At: at}, funders[starts[i]:starts[i+1]]...)
	})
}

// otherList is a file of a list other than the master file: eligible donees, or organizations with a revoked
// exemption, which may have been paid before they lost it.
type otherList struct {
	path string
	read func(io.Reader, *resolve.UniverseBuilder) error
}

// loadList adds the organizations of a list. If a list cannot be read, package
// edition reports it; here, it only means that fewer organizations are known.
func (b *builder) loadList(ctx context.Context, u *resolve.UniverseBuilder, l otherList) (report func(), err error) {
	report = func() {}
	r, err := rows.Open(b.sources.Abs(l.path))
	if err != nil {
		return report, nil
	}
	defer r.Close()
	if err := l.read(disk.Until(ctx, r), u); err != nil && ctx.Err() == nil {
		report = func() {
			b.report.warn("%s could not be read to its end; recipients that only it knows are not resolved", l.path)
		}
	}
	return report, ctx.Err()
}

func addDonees(r io.Reader, u *resolve.UniverseBuilder) error {
	_, err := pub78.Read(r, func(p *pub78.Record) error {
		if p.State != "" {
			u.Add(resolve.Org{EIN: p.EIN, Name: p.Name, City: p.City, State: p.State, Sources: resolve.Pub78, Active: true})
		}
		return nil
	})
	return err
}

func addRevoked(r io.Reader, u *resolve.UniverseBuilder) error {
	_, err := revocation.Read(r, func(v *revocation.Record) error {
		o := resolve.Org{EIN: v.EIN, Name: v.Name, Street: v.Street, City: v.City, State: v.State, Subsection: v.Subsection,
			Sources: resolve.Revoked, Active: v.Reinstated != ""}
		o.ZIP5, _ = place.ZIP5(v.ZIP, v.State)
		if v.DBA != "" {
			o.Aliases = []string{v.DBA}
		}
		u.Add(o)
		return nil
	})
	return err
}
