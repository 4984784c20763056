package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/resolve/eval"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/reconcile/quality"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type reconcileFlags struct {
	Reconcile bool `help:"Measure how well names are reconciled with EINs, and how fast." group:"Reconciliation"`
}

// evalReconcile looks the names of labelled lines up in the master file.
func (c *evalCmd) evalReconcile(a *terminal.App) error {
	masters := append(c.BMF, c.More...)
	if c.Labelled == "" || len(masters) == 0 {
		return fault.New("bad_flag", "--reconcile needs --labelled and --bmf").Try("measure eval --reconcile --labelled lines.csv.gz --bmf eo_oh.csv eo_pa.csv")
	}
	var cases []quality.Case
	check(terminal.ReadFile(c.Labelled, "a file of labelled lines", func(r io.Reader) error {
		_, err := eval.ReadLabelled(r, func(l *eval.Case) error {
			cases = append(cases, quality.Case{Name: strings.TrimSpace(l.Name1 + " " + l.Name2), State: l.State, City: l.City, ZIP: l.ZIP, EIN: l.Truth})
			return nil
		})
		return err
	}))
	if len(cases) == 0 {
		return fault.New("no_labels", "%s has no line with a usable EIN", c.Labelled).Try("check the column filed_ein")
	}
	orgs := masterOrganizations(masters)
	register := must(quality.Open(a.Ctx, c.scratch, orgs))
	defer register.Close()
	res := must(quality.Measure(a.Ctx, register, cases))
	check(c.print(a, "reconcile", res.Print))
	if why := res.Failed(); c.Gates && why != "" {
		return fault.New("gate_failed", "%s", why).Try("do not publish; look at the tables")
	}
	return nil
}

// masterOrganizations reads parts of the master file as a build writes them, in the order of EINs.
func masterOrganizations(paths []string) (orgs []snapshot.Organization) {
	readMasters(paths, func(_ string, m *bmf.Record) {
		o := snapshot.Organization{
			EIN: m.EIN.String(), Name: strings.ToUpper(m.Name), Street: m.Street, City: strings.ToUpper(m.City), State: m.State,
			NTEE: m.NTEE, Subsection: m.Subsection, Foundation: m.Foundation, Affiliation: m.Affiliation, Group: m.Group,
			Sources: snapshot.SourceBMF, Active: true,
		}
		o.ZIP5, _ = place.ZIP5(m.ZIP, m.State)
		if m.Revenue.Set {
			o.Revenue = new(m.Revenue.Value)
		}
		for _, s := range []*string{&o.Name, &o.Street, &o.City, &o.State, &o.ZIP5, &o.NTEE, &o.Subsection, &o.Foundation, &o.Affiliation, &o.Group} {
			*s = strings.Clone(*s)
		}
		orgs = append(orgs, o)
	})
	slices.SortStableFunc(orgs, func(a, b snapshot.Organization) int { return cmp.Compare(a.EIN, b.EIN) })
	return slices.CompactFunc(orgs, func(a, b snapshot.Organization) bool { return a.EIN == b.EIN })
}
