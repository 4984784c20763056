package graph

import (
	"errors"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
)

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
