package nation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Organizations is how many organizations a national directory has.
const Organizations = 2_000_000

// PublishOrganizations publishes in a data directory a snapshot of n invented organizations with their latest
// filings and the index of the directory, and an edition of the lists that name them. The snapshot has no
// grants. The same seed gives the same organizations.
func PublishOrganizations(ctx context.Context, data string, n int, seed uint64, now time.Time) (*snapshot.Snapshot, *lists.Edition, error) {
	s, err := snapshot.Make(data, now, func(w *snapshot.Writer) error {
		return errors.Join(
			snapshot.WriteTable(w, snapshot.Organizations, organizations(n, seed, func(o *invented) (snapshot.Organization, bool) {
				return o.org, true
			})),
			snapshot.WriteTable(w, snapshot.Orgs, organizations(n, seed, func(o *invented) (snapshot.Org, bool) {
				return o.filing, o.filing.EIN != ""
			})),
			snapshot.WriteTable(w, snapshot.FunderKinds, organizations(n, seed, func(o *invented) (snapshot.FunderKind, bool) {
				return o.funder, o.funder.FunderEIN != ""
			})),
			directory.Build(ctx, w))
	})
	if err != nil {
		return nil, nil, err
	}
	e, err := publishStanding(ctx, data, n, seed, now)
	return s, e, err
}

func publishStanding(ctx context.Context, data string, n int, seed uint64, now time.Time) (*lists.Edition, error) {
	w, err := snapshot.Create(lists.Dir(data), now)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	err = errors.Join(
		snapshot.WriteTable(w, lists.Masters, organizations(n, seed, func(o *invented) (lists.Master, bool) {
			return lists.Master{EIN: o.org.EIN, Name: o.org.Name}, o.master
		})),
		snapshot.WriteTable(w, lists.Deductibles, organizations(n, seed, func(o *invented) (lists.Deductible, bool) {
			return lists.Deductible{EIN: o.org.EIN, Name: o.org.Name, Codes: "PC"}, o.deductible
		})),
		snapshot.WriteTable(w, lists.Revocations, organizations(n, seed, func(o *invented) (lists.RevocationRow, bool) {
			return lists.RevocationRow{EIN: o.org.EIN, Name: o.org.Name, Revoked: "2020-05-15", Reinstated: o.reinstated}, o.revoked
		})))
	if err != nil {
		return nil, err
	}
	var states []lists.Status
	for _, name := range []string{lists.BMF, lists.Pub78, lists.Revocation} {
		states = append(states, lists.Status{Name: name, Loaded: true, Rows: int64(n)})
	}
	e, _, err := finish(ctx, w, states, now)
	return e, err
}

type invented struct {
	org                         snapshot.Organization
	filing                      snapshot.Org        // without an EIN when the organization has no filing
	funder                      snapshot.FunderKind // without an EIN when it is no funder
	master, deductible, revoked bool
	reinstated                  string
}

// organizations yields the rows of one table. It draws the organizations again for each table, so that they need no memory.
func organizations[T any](n int, seed uint64, row func(*invented) (T, bool)) iter.Seq[T] {
	return func(yield func(T) bool) {
		d := &drawer{rand.New(rand.NewPCG(seed, 7)), place.Shipped().ZIPs(), ntee.Codes()}
		for i := range n {
			o := d.draw(i)
			if r, ok := row(&o); ok && !yield(r) {
				return
			}
		}
	}
}

// drawer draws organizations. As in the country, few places, causes and codes are common and most are rare.
type drawer struct {
	*rand.Rand
	zips  []place.ZIP
	codes []ntee.Entry
}

// skewed draws a number below n, small numbers more often.
func (d *drawer) skewed(n int) int { return int(float64(n) * math.Pow(d.Float64(), 2)) }

func pick[T any](d *drawer, list ...T) T { return list[d.IntN(len(list))] }

func (d *drawer) draw(i int) (o invented) {
	zip := &d.zips[(d.skewed(len(d.zips))*7919)%len(d.zips)]
	city := fmt.Sprintf("TOWN %d", (d.skewed(20_000)*31)%20_000)
	o.org = snapshot.Organization{
		EIN: ein.EIN(first + 3*i).String(), City: city, State: zip.State, ZIP5: zip.Code, County: zip.County,
		Name: pick(d, "FRIENDS OF ", "FIRST ", "GREATER ", "THE ", "") + city +
			pick(d, " FOOD BANK", " PTA", " CHURCH", " FOUNDATION", " LITTLE LEAGUE", " MUSEUM", " RELIEF FUND") + fmt.Sprint(" ", d.IntN(40)),
		Subsection: pick(d, "03", "03", "03", "03", "03", "03", "04", "06", "07", "19"),
		Foundation: pick(d, "15", "15", "15", "16", "16", "10", "04", "11", "17", "03"),
		Ruling:     fmt.Sprintf("%d%02d", 2025-d.skewed(90), 1+d.IntN(12)),
	}
	if d.IntN(100) < 75 {
		o.org.NTEE = string(d.codes[d.skewed(len(d.codes))].Code)
	}
	if d.IntN(100) < 20 {
		o.org.Group = fmt.Sprintf("%04d", 1+d.skewed(4000))
	}
	o.master, o.deductible, o.revoked = d.IntN(100) < 92, d.IntN(100) < 60, d.IntN(100) < 8
	if d.IntN(100) < 25 {
		o.reinstated = "2021-05-15"
	}
	if d.IntN(100) < 45 {
		revenue := int64(math.Exp(4 + 12*d.Float64() + 3*d.NormFloat64()))
		expenses, assets := revenue*int64(60+d.IntN(60))/100, revenue*int64(d.IntN(600))/100
		o.filing = snapshot.Org{EIN: o.org.EIN, Name: o.org.Name, ReturnType: pick(d, "990", "990", "990EZ", "990EZ", "990PF"),
			TaxYear: int32(2020 + d.IntN(5)), PeriodEnd: "2024-12-31", Filing: o.org.EIN,
			TotalRevenue: &revenue, TotalExpenses: &expenses, TotalAssets: &assets}
		if d.IntN(100) < 30 {
			o.filing.GrantsPaid = new(cmp.Or(expenses/int64(1+d.IntN(20)), 1))
			o.funder = snapshot.FunderKind{FunderEIN: o.org.EIN, Name: o.org.Name, ReturnType: o.filing.ReturnType, Kind: pick(d, grant.FunderKinds()...)}
		}
	}
	return o
}
