package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/derive/award"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/fac"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/ingest/source/usaspending"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

type AwardReport struct {
	Crosswalk AwardCrosswalk `json:"crosswalk"`
	Federal   AwardFederal   `json:"federal"`
	States    []AwardState   `json:"states"`
	Notes     []string       `json:"notes"`
}

// AwardCrosswalk is the account of the audits that give recipients their EIN.
type AwardCrosswalk struct {
	Files    int              `json:"files"`
	Audits   int64            `json:"audits"`
	Rejected []rows.Rejection `json:"rejected"`
	fac.Size
}

type AwardFederal struct {
	Files      int              `json:"files"`      // read
	Superseded int              `json:"superseded"` // not read: superseded by newer postings, or deltas that correct nothing
	Read       int64            `json:"transactions"`
	Rejected   []rows.Rejection `json:"rejected"`
	Grants     AwardPlacing     `json:"grants"`
	Contracts  AwardPlacing     `json:"contracts"`
	Outside    AwardFlow        `json:"outside_years"`
	Rows       int64            `json:"rows"`    // of the table
	Through    string           `json:"through"` // day of the latest action read
}

type AwardState struct {
	State    string           `json:"state"`
	Title    string           `json:"title"`
	Verified bool             `json:"mapping_verified"` // the mapping has been used on a real file
	Own      bool             `json:"mapping_own"`      // the mapping is a file next to the state's files
	Files    int              `json:"files"`
	Read     int64            `json:"payments"`
	Rejected []rows.Rejection `json:"rejected"`
	Stated   AwardFlow        `json:"by_ein"`
	Named    AwardFlow        `json:"by_name"`
	Unknown  AwardFlow        `json:"unknown"`
}

// AwardPlacing counts the awards that were matched to organizations and those that were not.
type AwardPlacing struct {
	Placed  AwardFlow `json:"placed"`
	Unknown AwardFlow `json:"unknown"`
}

type AwardFlow struct {
	Rows   int64   `json:"rows"`
	Amount float64 `json:"amount"`
}

func awardFlow(f award.Flow) AwardFlow { return AwardFlow{f.Rows, f.Amount.Dollars()} }

// mappingName is the file next to a state's files that says how to read them.
const mappingName = "mapping.toml"

// awards reads the files of federal and state awards. It writes what each organization received, in sum and
// award by award. If there are no files, it writes empty tables.
func (b *builder) awards(ctx context.Context, w *snapshot.Writer, find award.Finder) (AwardReport, error) {
	federal, audits, states := b.sources.Files[discover.Federal], b.sources.Files[discover.Audits], b.sources.States
	report := AwardReport{States: []AwardState{}, Notes: []string{}}
	files := len(federal) + len(audits)
	for _, list := range states {
		files += len(list)
	}
	b.phase("awards", int64(files))
	crosswalk, err := b.crosswalk(ctx, audits, &report)
	if err != nil {
		return report, err
	}
	if len(federal) > 0 && len(audits) == 0 {
		report.Notes = append(report.Notes, "there is no file of the Federal Audit Clearinghouse, "+
			"so no federal award could be given to an organization; put its general table under fac/")
	}
	f := award.NewFederal(crosswalk)
	if err := b.federalAwards(ctx, federal, f, &report); err != nil {
		return report, err
	}
	if err := snapshot.WriteTableUntil(ctx, w, snapshot.FederalAwards, f.Rows()); err != nil {
		return report, err
	}
	s := award.NewState(find)
	for _, state := range slices.Sorted(maps.Keys(states)) {
		if err := b.stateAwards(ctx, state, states[state], s, &report); err != nil {
			return report, err
		}
	}
	if err := snapshot.WriteTableUntil(ctx, w, snapshot.StateAwards, s.Rows()); err != nil {
		return report, err
	}
	return report, snapshot.WriteTableUntil(ctx, w, snapshot.GovAwards, award.Awards(f, s))
}

func (b *builder) crosswalk(ctx context.Context, files []string, report *AwardReport) (*fac.Crosswalk, error) {
	c := fac.NewCrosswalk()
	tally := rows.Tally{Rejected: []rows.Rejection{}}
	for _, rel := range slices.Sorted(slices.Values(files)) {
		err := b.readFile(ctx, "fac", rel, "a general table of the Federal Audit Clearinghouse", func(path string) (int64, error) {
			part, err := fac.ReadFile(ctx, path, func(p *fac.Pair) error { c.Add(p); return nil })
			if err == nil {
				tally.Add(part)
			}
			return part.Rows, err
		})
		b.step(1)
		switch {
		case errors.Is(err, fac.ErrTable):
			report.Notes = append(report.Notes, rel+" is another table of the Federal Audit Clearinghouse; only the general table is read")
		case err != nil:
			return nil, err
		default:
			report.Crosswalk.Files++
		}
	}
	report.Crosswalk.Audits, report.Crosswalk.Rejected, report.Crosswalk.Size = tally.Rows, tally.Rejected, c.Size()
	return c, nil
}

// federalAwards reads the archives, newest posting first. Postings that no other posting may repeat are read
// in parallel. A posting that others may repeat is read alone, after those before it.
func (b *builder) federalAwards(ctx context.Context, files []string, f *award.Federal, report *AwardReport) error {
	var (
		plan  = usaspending.Plan(files)
		log   = usaspending.NewDeduplicator()
		tally = rows.Tally{Rejected: []rows.Rejection{}}
		batch []usaspending.Posting
	)
	flush := func() error {
		parts := make([]rows.Tally, len(batch))
		err := parallel.Each(ctx, b.workers, len(batch), func(ctx context.Context, i int) error {
			p := &batch[i]
			defer b.step(1)
			return b.readFile(ctx, "usaspending", p.Path, "a USAspending award archive", func(path string) (_ int64, err error) {
				parts[i], err = log.ReadFile(ctx, p, path, func(a *usaspending.Award) error { f.Add(a); return nil })
				return parts[i].Rows, err
			})
		})
		if err != nil {
			return err
		}
		for _, part := range parts {
			tally.Add(part)
		}
		report.Federal.Files += len(batch)
		batch = batch[:0]
		return nil
	}
	for _, p := range plan {
		if p.Superseded {
			report.Federal.Superseded++
			reason := "a newer posting holds all that it does"
			if p.Delta {
				reason = "no older posting that it corrects is there"
			}
			report.Notes = append(report.Notes, p.Path+" is not read: "+reason)
			b.step(1)
			continue
		}
		if p.Repeats() {
			if err := flush(); err != nil {
				return err
			}
		}
		batch = append(batch, p)
		if p.Repeats() {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	r := &report.Federal
	r.Read, r.Rejected, r.Rows, r.Outside, r.Through = tally.Rows, tally.Rejected, int64(f.Len()), awardFlow(f.Outside()), f.Through()
	grants, contracts := f.Placed()
	lostGrants, lostContracts := f.Unknown()
	r.Grants = AwardPlacing{awardFlow(grants), awardFlow(lostGrants)}
	r.Contracts = AwardPlacing{awardFlow(contracts), awardFlow(lostContracts)}
	return nil
}

func (b *builder) stateAwards(ctx context.Context, state string, files []string, s *award.State, report *AwardReport) error {
	state = strings.ToUpper(state)
	files = slices.Sorted(slices.Values(files))
	m, own, err := b.mapping(state, files)
	if err != nil {
		return err
	}
	r := AwardState{State: state, Title: m.Title, Verified: m.Verified, Own: own}
	tally := rows.Tally{Rejected: []rows.Rejection{}}
	sums := make(map[string]string)
	for _, rel := range files {
		b.step(1)
		if path.Base(rel) == mappingName {
			continue
		}
		source, err := b.source(ctx, "stateaward", rel)
		if err != nil {
			return err
		}
		// The same file under two names would count every payment twice.
		if first, ok := sums[source.SHA256]; ok {
			report.Notes = append(report.Notes, fmt.Sprintf("%s is not read: it is the same file as %s", rel, first))
			continue
		}
		sums[source.SHA256] = rel
		part, err := b.stateFile(ctx, rel, &m, func(a *stateaward.Award) { s.Add(state, a) })
		if err != nil {
			return b.unreadable(ctx, rel, "the file of "+state+" that its mapping describes", err)
		}
		source.Rows = part.Rows
		b.addSource(source)
		tally.Add(part)
		r.Files++
	}
	o := s.Outcome(state)
	r.Read, r.Rejected, r.Stated, r.Named, r.Unknown = tally.Rows, tally.Rejected, awardFlow(o.Stated), awardFlow(o.Named), awardFlow(o.Unknown)
	report.States = append(report.States, r)
	return nil
}

func (b *builder) stateFile(ctx context.Context, rel string, m *stateaward.Mapping, add func(*stateaward.Award)) (rows.Tally, error) {
	in, err := rows.Open(b.sources.Abs(rel))
	if err != nil {
		return rows.Tally{}, err
	}
	defer in.Close()
	return m.Read(disk.Until(ctx, in), func(a *stateaward.Award) error { add(a); return nil })
}

// mapping is the mapping next to a state's files, or else the one we ship.
func (b *builder) mapping(state string, files []string) (m stateaward.Mapping, own bool, err error) {
	i := slices.IndexFunc(files, func(rel string) bool { return path.Base(rel) == mappingName })
	if i < 0 {
		m, ok := stateaward.For(state)
		if !ok {
			return m, false, fault.New("no_mapping", "there is no mapping for the awards of %s", state).
				Try("put a %s beside its files that names their columns", mappingName)
		}
		return m, false, nil
	}
	name := b.sources.Abs(files[i])
	f, err := os.Open(name)
	if err != nil {
		return m, true, fault.Disk(name, err)
	}
	defer f.Close()
	if m, err = stateaward.ReadMapping(f); err != nil {
		return m, true, fault.New("wrong_mapping", "%s: %w", name, err).Try("correct it, or take it away to use the one that is shipped")
	}
	if m.State != state {
		return m, true, fault.New("wrong_mapping", "%s is a mapping for %s in the folder of %s", name, m.State, state).Try("move it to the folder of its state")
	}
	return m, true, nil
}

// payeeFinder finds the payee of a state payment by name: the only organization of that name in the state, or in the ZIP code
// if the state has several. Weaker matches are not accepted, because a payment has no second figure to check against.
type payeeFinder struct{ r *resolve.Resolver }

func newPayeeFinder(u *resolve.Universe) payeeFinder {
	var off []resolve.Rule
	for rule := grant.Filed; rule <= grant.Model; rule++ {
		if !slices.Contains([]resolve.Rule{grant.Name, grant.ZIP}, rule) {
			off = append(off, rule)
		}
	}
	return payeeFinder{resolve.New(u, resolve.Options{Off: off})}
}

func (p payeeFinder) Find(name, state, zip string) (e ein.EIN, prob float64, ok bool) {
	n := orgname.ParseLine(name, "", "", state)
	m := p.r.Resolve(&resolve.Recipient{Name1: name, State: state, ZIP: zip}, &n)
	return m.EIN, m.Rule.Prob(), m.EIN != ein.None
}
