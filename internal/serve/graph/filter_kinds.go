package graph

import (
	"cmp"
	"strings"

	"grantgraph/internal/grant"
)

func kindFilters() []*Declaration {
	return []*Declaration{
		{
			Params: Documented(&Param{Name: "support", Type: TextParam, List: true, Enum: allSupport.IDs()}),
			Read: func(r *Reading) {
				for _, id := range r.Choices("support") {
					s, _ := grant.ParseSupport(id)
					r.Filter.Support |= s
				}
				if r.Filter.Support != 0 {
					r.Caveat("support", "Support strategies are derived from the wording of the purpose as filed; "+
						"they are approximate and tend to include too much.")
				}
			},
			Write: func(f *Filter, set func(name, value string)) { set("support", strings.Join(f.Support.IDs(), ",")) },
			On:    func(f *Filter) bool { return f.Support != 0 },
			Take:  func(from, to *Filter) { to.Support = from.Support },
			Canonical: func(w *Name, f *Filter) {
				w.Flag(f.Support != 0)
				w.Number(int64(f.Support & allSupport))
			},
			rows: func(g index, f *Filter) []condition {
				return []condition{g.unionOf(g.postings.sets.support, uint32(f.Support&allSupport))}
			},
			SQL: func(w *Where, _ *Filter) { w.Lacks("kinds of support") },
			Say: func(w *Words, f *Filter) {
				ids := f.Support.IDs()
				bit := func(i int) grant.Support {
					s, _ := grant.ParseSupport(ids[i])
					return s
				}
				w.list(itemList{before: "for ", n: len(ids), say: func(i int) string { return strings.ToLower(bit(i).Label()) },
					drop: func(f *Filter, i int) { f.Support &^= bit(i) }})
			},
			choice: chooseSupport,
		},
		{
			Params:    Documented(&Param{Name: "funder_type", Type: TextParam, Enum: grant.FunderKinds()}),
			Read:      func(r *Reading) { r.Filter.FunderKind, _ = r.Choice("funder_type") },
			Write:     func(f *Filter, set func(name, value string)) { set("funder_type", f.FunderKind) },
			On:        func(f *Filter) bool { return f.FunderKind != "" },
			Take:      func(from, to *Filter) { to.FunderKind = from.FunderKind },
			Canonical: func(w *Name, f *Filter) { w.Text(f.FunderKind) },
			rows:      func(g index, f *Filter) []condition { return []condition{g.kindCond(f.FunderKind)} },
			weight:    func(g *Graph, _ *Filter) int64 { return g.funderSetWeight() },
			SQL: func(w *Where, f *Filter) {
				w.And("funder_ein IN (SELECT funder_ein FROM funder_kind WHERE funder_kind = %s)", quoted(f.FunderKind))
			},
			Say: func(w *Words, f *Filter) {
				w.Chip(grant.KindLabel(f.FunderKind), func(f *Filter) { f.FunderKind = "" })
				w.Phrase("by " + grant.KindPlural(f.FunderKind))
			},
			choice: chooseKind,
		},
		{
			Params: Documented(&Param{Name: "exclude_daf", Type: BooleanParam, Default: false}), PartOf: "exclude",
			Read: func(r *Reading) {
				if r.Boolean("exclude_daf") {
					r.Filter.Exclude |= DAF
				}
			},
		},
		{
			Params:    Documented(&Param{Name: "exclude", Type: TextParam, List: true, Enum: ClassWords()}),
			Read:      readExclude,
			Write:     func(f *Filter, set func(name, value string)) { set("exclude", f.Exclude.String()) },
			On:        func(f *Filter) bool { return f.Exclude&allClasses != 0 },
			Take:      func(from, to *Filter) { to.Exclude = from.Exclude },
			Canonical: func(w *Name, f *Filter) { w.Number(int64(f.Exclude & allClasses)) },
			rows: func(g index, f *Filter) []condition {
				c := g.unionOf(g.postings.sets.class, uint32(f.Exclude&allClasses))
				c.not = true
				return []condition{c}
			},
			SQL: func(w *Where, f *Filter) {
				for _, c := range Classes {
					if f.Exclude&c.Class != 0 {
						w.And("NOT %s", c.column)
					}
				}
			},
			Say:    sayExclude,
			choice: chooseClass,
		},
	}
}

const (
	allSupport grant.Support = 1<<grant.Strategies - 1
	allClasses               = Class(classMask)
)

func readExclude(r *Reading) {
	for _, word := range r.Choices("exclude") {
		class, _ := ParseClass(word)
		r.Filter.Exclude |= class
	}
	if r.Filter.FunderKind == grant.Passthrough && r.Filter.Exclude&DAF != 0 {
		r.Caveat("funder_type", "funder_type=daf_or_passthrough together with exclude=daf matches nothing.")
	}
}

func sayExclude(w *Words, f *Filter) {
	for _, c := range Classes {
		if f.Exclude&c.Class == 0 {
			continue
		}
		label := strings.ToLower(c.Label)
		w.Phrase("excluding " + label)
		// Pages that search words always leave out individuals.
		if c.Class != Individuals || w.Query == "" {
			w.Chip("Excluding "+label, func(f *Filter) { f.Exclude &^= c.Class })
		}
	}
}

func applicationFilters() []*Declaration {
	return []*Declaration{{
		Params:    Documented(&Param{Name: "accepts_applications", Type: TextParam, Enum: grant.Applications()}),
		Read:      func(r *Reading) { r.Filter.Accepts, _ = r.Choice("accepts_applications") },
		Write:     func(f *Filter, set func(name, value string)) { set("accepts_applications", f.Accepts) },
		On:        func(f *Filter) bool { return f.Accepts != "" },
		Take:      func(from, to *Filter) { to.Accepts = from.Accepts },
		Canonical: func(w *Name, f *Filter) { w.Text(f.Accepts) },
		rows: func(g index, f *Filter) []condition {
			return []condition{g.funderSetCond(g.fundersThat(func(r *FunderRecord) bool { return g.accepts(r) == f.Accepts }))}
		},
		weight: func(g *Graph, _ *Filter) int64 { return g.funderSetWeight() },
		SQL: func(w *Where, f *Filter) {
			if f.Accepts == grant.NotStated {
				w.And("funder_ein NOT IN (SELECT ein FROM funder_application)")
			} else {
				w.And("funder_ein IN (SELECT ein FROM funder_application WHERE accepts_applications = %s)", quoted(f.Accepts))
			}
		},
		Say: func(w *Words, f *Filter) {
			w.Chip(grant.ApplicationsLabel(f.Accepts), func(f *Filter) { f.Accepts = "" })
			w.Phrase("by funders " + grant.ApplicationsPhrase(f.Accepts))
		},
	}}
}

// AcceptsApplications says whether a funder accepts applications.
func (v *View) AcceptsApplications(f uint32) string { return v.g.accepts(&v.Funders[f]) }

func (g *Graph) accepts(r *FunderRecord) string {
	return cmp.Or(string(g.dict.short.at(r.Accepts)), grant.NotStated)
}
