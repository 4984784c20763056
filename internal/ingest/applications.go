package ingest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// Bounds of what a foundation may say of applications. The IRS allows 1,000 characters for a text.
const (
	maxApplications    = 50
	maxApplicationText = 4000
)

// saysNothing are the answers, without spaces and signs, that filers give instead of leaving a field blank.
var saysNothing, signs = table.SetOf("NA NONE NOTAPPLICABLE"), strings.NewReplacer(" ", "", ".", "", "/", "", "-", "")

// tells reports whether a section says to whom, how or when to apply. An address or a phone number alone does not.
func tells(a *stage.Application) bool {
	return slices.ContainsFunc([]string{a.Name, a.Email, a.Form, a.Deadlines, a.Restrictions}, func(text string) bool {
		text = signs.Replace(strings.ToUpper(text))
		return text != "" && !saysNothing[text]
	})
}

// gatherApplications reads what foundations tell applicants, each by its latest return that ticks the box or
// fills the section. So a return that is silent does not hide the return before it.
func (b *builder) gatherApplications(ctx context.Context, c *corpus, hide *maskList) error {
	latest, rows := map[ein.EIN]*filing{}, map[ein.EIN][]snapshot.Application{}
	isLatest := func(f *filing) bool {
		if l := latest[f.ein]; l == nil || cmp.Or(cmp.Compare(f.periodEnd, l.periodEnd), cmp.Compare(f.stamp, l.stamp)) > 0 {
			latest[f.ein], rows[f.ein] = f, nil
		}
		return latest[f.ein] == f
	}
	for i := range c.filings {
		if f := &c.filings[i]; f.fate == chosen && f.box {
			isLatest(f)
		}
	}
	var of *filing
	var number int32 // of the section within its return
	err := eachChosen(ctx, c, func(a *stage.Application, f *filing) error {
		if of != f {
			of, number = f, 0
		}
		number++
		listed := hide.has(f, 0, -number)
		if tells(a) && isLatest(f) && len(rows[f.ein]) < maxApplications {
			rows[f.ein] = append(rows[f.ein], b.applicationRow(a, f, number, listed))
		}
		return nil
	})
	c.accepts = make(map[ein.EIN]string, len(latest))
	for _, e := range slices.Sorted(maps.Keys(latest)) {
		if len(rows[e]) == 0 {
			rows[e] = []snapshot.Application{latest[e].answer(0)}
		}
		for _, r := range rows[e] {
			c.applications, c.accepts[e] = append(c.applications, r), r.Accepts
			if r.Masked {
				b.report.Masked.Contacts++
			}
		}
	}
	return err
}

// answer says whether the filer accepts applications.
func (f *filing) answer(number int32) snapshot.Application {
	r := snapshot.Application{EIN: f.ein.String(), Accepts: grant.Accepts, TaxYear: int32(f.year), Filing: f.key(), ObjectID: f.objectID(), Number: number}
	if f.box {
		r.Accepts = grant.Preselects
	}
	return r
}

// applicationRow renders a section. A masked contact keeps its city and state. A section on the list of lines
// to mask loses its texts as well, because they may name the contact.
func (b *builder) applicationRow(a *stage.Application, f *filing, number int32, listed bool) snapshot.Application {
	r := f.answer(number)
	keep := func(text string) string { return strings.Clone(fault.Clip(text, maxApplicationText)) }
	r.City, r.State, r.Country, r.Masked = keep(a.City), keep(a.State), keep(a.Country), listed || b.opt.MaskIndividuals
	if !r.Masked {
		r.Name, r.Street, r.ZIP, r.Phone, r.Email = keep(a.Name), keep(a.Street), keep(a.ZIP), keep(a.Phone), keep(a.Email)
	}
	if !listed {
		r.Form, r.Deadlines, r.Restrictions = keep(a.Form), keep(a.Deadlines), keep(a.Restrictions)
	}
	return r
}

func (b *builder) writeApplications(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	return snapshot.WriteTableUntil(ctx, w, snapshot.Applications, slices.Values(c.applications))
}
