package graph

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
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

// ProprietarySubject is the slug of the refusal of codes of other taxonomies.
const ProprietarySubject = "proprietary_subject"

func subjectFilters() []*Declaration {
	return []*Declaration{{
		Params: Documented(
			&Param{Name: "subject", Type: TextParam, List: true, MaxLength: 2000, MaxItems: 1000, Example: "B", Description: causes() + "."},
			&Param{Name: "subject_basis", Type: TextParam, Enum: ntee.BasisWords(), Default: "registered"},
		),
		Read: readSubject,
		Write: func(f *Filter, set func(name, value string)) {
			set("subject", strings.Join(each.Of(f.Subject.Items, func(it ntee.Item) string { return it.Text }), ","))
			set("subject_basis", ntee.BasisWords()[f.SubjectBasis])
		},
		On: func(f *Filter) bool { return !f.Subject.Empty() },
		Take: func(from, to *Filter) {
			to.Subject = from.Subject
			if !from.Subject.Empty() { // a grouping by cause needs the basis without a subject
				to.SubjectBasis = from.SubjectBasis
			}
		},
		Canonical: func(w *Name, f *Filter) {
			w.subject(&f.Subject)
			*w = append(*w, byte(f.SubjectBasis))
		},
		rows:   func(g index, f *Filter) []condition { return []condition{g.subjectCond(f)} },
		weight: func(g *Graph, _ *Filter) int64 { return listWeight(len(g.dict.recips)) },
		SQL:    subjectSQL,
		Say:    saySubject,
		choice: chooseSubject,
	}}
}

func causes() string {
	var list []string
	for letter := byte('A'); letter <= 'Z'; letter++ {
		list = append(list, string(rune(letter))+" "+ntee.Label(letter))
	}
	return strings.Join(list, "; ")
}

func readSubject(r *Reading) {
	word, _ := r.Choice("subject_basis")
	r.Filter.SubjectBasis, _ = ntee.ParseBasis(word)
	value, given := r.Text("subject")
	if given {
		r.subject(value)
	}
	longer := slices.ContainsFunc(r.Filter.Subject.Items, func(it ntee.Item) bool { return it.Kind == ntee.Prefix })
	switch {
	case r.Filter.SubjectBasis == ntee.Registered:
	case r.Filter.Subject.Empty():
		r.Caveat("subject_basis", "Without subject, it only changes the causes in the rows of /grants/transactions and the groups of by=subject.")
	case longer:
		r.Caveat("subject_basis", "Inferred causes count too. They are letters, so they never match a longer code.")
	default:
		r.Caveat("subject_basis", "Inferred causes count too: about 96 in 100 are right, and rows mark them. "+
			"Grants to recipients with no EIN or no known cause never match.")
	}
}

func (r *Reading) subject(value string) {
	subject, err := ntee.ParseSubject(value)
	if refused, ok := errors.AsType[*ntee.ProprietaryError](err); ok {
		err = fault.New(ProprietarySubject, "subject: %s.", refused.Error()).
			Try("NTEE letters and their causes are listed in the documentation of subject")
	}
	if err != nil {
		r.Failed = err
		return
	}
	for _, unknown := range subject.Unknown {
		r.Ignored("subject", "%s", ntee.NotApplied(unknown))
	}
	if subject.Empty() {
		if len(subject.Unknown) == 0 {
			r.Ignored("subject", "The list was empty, so it was not applied.")
		}
		return
	}
	r.Filter.Subject = ntee.Subject{Items: subject.Items}
	if r.Filter.SubjectBasis == ntee.Registered {
		r.Caveat("subject", "A grant has the cause of its recipient. Grants to recipients with no EIN or no NTEE code never match.")
	}
}

func subjectSQL(w *Where, f *Filter) {
	var letters []string
	for _, it := range f.Subject.Items {
		if it.Kind == ntee.Prefix {
			w.Lacks("NTEE codes of more than a letter as the API reads them")
		}
		for i := range majors {
			if it.Majors>>i&1 != 0 {
				letters = append(letters, string(rune('A'+i)))
			}
		}
	}
	source := " AND source = 'registered'"
	if f.SubjectBasis == ntee.Any {
		source = ""
	}
	w.And("recipient_ein IN (SELECT ein FROM org_cause WHERE letter IN (%s)%s)", quoted(letters...), source)
}

func saySubject(w *Words, f *Filter) {
	items := f.Subject.Items
	w.list(itemList{before: "for ", n: len(items), say: func(i int) string {
		if items[i].Kind == ntee.Cause {
			return items[i].Text
		}
		return items[i].Name()
	}, drop: func(f *Filter, i int) { f.Subject.Items = dropped(f.Subject.Items, i) }})
}
