package oracle

import (
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
)

// condition says in SQL what a filter means.
func condition(f *graph.Filter) *where {
	w := new(where)
	if len(f.Funders) > 0 {
		w.in("g.funder_ein", eins(f.Funders))
	}
	recipients(w, f)
	years(w, f.Years)
	subject(w, f)
	location(w, f)
	if len(f.Countries) > 0 {
		w.in("g.country", f.Countries)
	}
	for _, t := range f.Query.Must {
		w.and(matches, slices.Repeat([]any{phrase(t.Words)}, 3)...)
	}
	for _, t := range f.Query.MustNot {
		w.and("NOT "+matches, slices.Repeat([]any{phrase(t.Words)}, 3)...)
	}
	if f.Support != 0 {
		w.and("g.support & ? <> 0", int64(f.Support))
	}
	if f.FunderKind != "" {
		w.and("g.funder_ein IN (SELECT ein FROM funder WHERE kind = ?)", f.FunderKind)
	}
	if f.Accepts != "" {
		w.and("g.funder_ein IN (SELECT ein FROM funder WHERE accepts = ?)", f.Accepts)
	}
	for _, c := range classColumns {
		if f.Exclude&c.class != 0 {
			w.and("NOT g." + c.column)
		}
	}
	if len(f.Keys) > 0 {
		w.in("g.grant_key", f.Keys)
	}
	if f.MinAmount != nil {
		w.and("g.amount >= ?", *f.MinAmount)
	}
	if f.MaxAmount != nil {
		w.and("g.amount <= ?", *f.MaxAmount)
	}
	if f.MinProb != nil {
		w.and("g.recipient_ein <> '' AND g.match_prob >= ?", *f.MinProb)
	}
	if len(f.Sources) > 0 {
		names := make([]string, len(f.Sources))
		for i, r := range f.Sources {
			names[i] = r.String()
		}
		w.in("g.ein_source", names)
	}
	return w
}

// matches is the condition that one of the searched texts of a row holds a phrase.
const matches = `(contains(g.purpose_words, ?) OR contains(g.raw_words, ?)
	OR g.recip_id IN (SELECT recip_id FROM recipient WHERE contains(words, ?)))`

// classColumns are the flags behind the classes that can be excluded.
var classColumns = [...]struct {
	class  graph.Class
	column string
}{{graph.DAF, "is_daf"}, {graph.Individuals, "is_individual"}, {graph.RelatedParty, "is_related_party"}, {graph.Unidentified, "is_unidentified"}}

func years(w *where, spans []graph.Span) {
	if len(spans) == 0 {
		return
	}
	var alternatives []where
	for _, s := range spans {
		var one where
		if s.From != 0 {
			one.and("g.tax_year >= ?", s.From)
		}
		if s.To != 0 {
			one.and("g.tax_year <= ?", s.To)
		}
		alternatives = append(alternatives, one)
	}
	w.or(alternatives)
}

// subject asks for recipients with a code under any of the items. With the wider
// basis the inferred letter stands in for a code that is missing.
func subject(w *where, f *graph.Filter) {
	s := &f.Subject
	if s.Empty() {
		return
	}
	code := "ntee"
	if f.SubjectBasis == ntee.Any {
		code = "CASE WHEN ntee <> '' THEN ntee ELSE inferred END"
	}
	var alternatives []where
	for _, it := range s.Items {
		var one where
		one.under(code, &it)
		alternatives = append(alternatives, one)
	}
	var inner where
	inner.and(code + " <> ''")
	inner.or(alternatives)
	w.and("g.recip_id IN (SELECT recip_id FROM recipient WHERE "+inner.String()+")", inner.args...)
}

func (w *where) under(code string, it *ntee.Item) {
	if it.Kind == ntee.Prefix {
		w.and("starts_with("+code+", ?)", string(it.Prefix))
		return
	}
	var letters []string
	for i := range 26 {
		if it.Majors>>i&1 != 0 {
			letters = append(letters, string(rune('A'+i)))
		}
	}
	w.in("left("+code+", 1)", letters)
}

// location asks for rows by the place of the recipient or of the funder.
func location(w *where, f *graph.Filter) {
	p := &f.Place
	if len(p.Values) == 0 && p.Near == (graph.Near{}) {
		return
	}
	var alternatives []where
	for _, v := range p.Values {
		var one where
		switch p.Kind {
		case graph.State:
			one.and("g.state = ?", v.Name)
		case graph.ZIP:
			if len(v.Name) == 3 {
				one.and("starts_with(g.zip, ?)", v.Name)
			} else {
				one.and("g.zip = ?", v.Name)
			}
		case graph.City:
			one.and("g.city_key = ?", v.Name)
			if v.State != "" {
				one.and("g.state = ?", v.State)
			}
		case graph.County:
			one.and("g.county = ?", v.Name)
		case graph.Country:
			one.and("g.country = ?", v.Name)
		}
		alternatives = append(alternatives, one)
	}
	var inner where
	if len(p.Values) > 0 {
		inner.or(alternatives)
	}
	if p.Near != (graph.Near{}) {
		near(&inner, p.Near)
	}
	switch p.Of {
	case graph.RecipientPlace:
		w.and(inner.String(), inner.args...)
	case graph.FunderPlace:
		w.and("g.funder_ein IN (SELECT g.ein FROM (SELECT *, '' AS country FROM funder) g WHERE "+inner.String()+")", inner.args...)
	case graph.AreaServed:
		years(&inner, f.Years)
		w.and("g.funder_ein IN (SELECT g.funder_ein FROM grants g WHERE "+inner.String()+")", inner.args...)
	}
}

// near asks for ZIP codes by the haversine of their distance.
func near(w *where, n graph.Near) {
	at, ok := place.Shipped().Point(n.ZIP)
	if !ok {
		w.and("FALSE")
		return
	}
	w.and(`g.zip IN (SELECT zip FROM zip_point WHERE 2 * 3958.7613 * asin(sqrt(pow(sin(radians(lat - ?) / 2), 2)
		+ cos(radians(?)) * cos(radians(lat)) * pow(sin(radians(lon - ?) / 2), 2))) <= ?)`, at.Lat, at.Lat, at.Lon, float64(n.Miles))
}

// where is a condition on rows of grants, called g, with its parameters.
type where struct {
	parts []string
	args  []any
}

func (w *where) and(sql string, args ...any) {
	w.parts = append(w.parts, sql)
	w.args = append(w.args, args...)
}

// recipients is true for the recipients with one of the EINs or identities.
func recipients(w *where, f *graph.Filter) {
	var either []where
	if len(f.Recipients) > 0 {
		var linked where
		linked.and("g.recipient_ein <> ''")
		linked.in("g.recipient_ein", eins(f.Recipients))
		either = append(either, linked)
	}
	if len(f.Unlinked) > 0 {
		var unlinked where
		unlinked.in("g.recip_id", f.Unlinked)
		either = append(either, unlinked)
	}
	if len(either) > 0 {
		w.or(either)
	}
}

func (w *where) in(expr string, values []string) {
	args := each.Of(values, func(v string) any { return v })
	w.and(expr+" IN ("+strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")+")", args...)
}

// or is true if one of the conditions is, and false without conditions.
func (w *where) or(alternatives []where) {
	parts := make([]string, len(alternatives))
	var args []any
	for i := range alternatives {
		parts[i] = "(" + alternatives[i].String() + ")"
		args = append(args, alternatives[i].args...)
	}
	w.and("("+strings.Join(parts, " OR ")+")", args...)
}

func (w *where) String() string {
	if len(w.parts) == 0 {
		return "TRUE"
	}
	return strings.Join(w.parts, " AND ")
}

func eins(list []ein.EIN) []string {
	texts := each.Of(list, ein.EIN.String)
	return texts
}
