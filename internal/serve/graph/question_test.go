package graph_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/stem"
)

// rewrite writes the same condition in another way.
func rewrite(r *rand.Rand, f *graph.Filter) *graph.Filter {
	out := *f
	out.Funders, out.Recipients, out.Sources = disorder(r, f.Funders), disorder(r, f.Recipients), disorder(r, f.Sources)
	out.Countries = disorder(r, f.Countries)
	out.Years = nil
	for _, s := range disorder(r, f.Years) {
		if s.From != 0 && s.To > s.From {
			middle := s.From + r.IntN(s.To-s.From)
			out.Years = append(out.Years, graph.Span{From: middle + 1, To: s.To})
			s.To = middle
		}
		out.Years = append(out.Years, s)
	}
	out.Subject.Items = nil
	for _, it := range disorder(r, f.Subject.Items) {
		out.Subject.Items = append(out.Subject.Items, it)
		switch it.Kind {
		case ntee.Prefix:
			out.Subject.Items = append(out.Subject.Items, ntee.Item{Kind: ntee.Prefix, Prefix: it.Prefix + "9"})
		default:
			for i := range 26 {
				if it.Majors>>i&1 != 0 {
					out.Subject.Items = append(out.Subject.Items, ntee.Item{Kind: ntee.Prefix, Prefix: ntee.Code('A'+rune(i)) + "4"},
						ntee.Item{Kind: ntee.Major, Majors: 1 << i})
				}
			}
		}
	}
	out.Place.Values = nil
	for _, v := range disorder(r, f.Place.Values) {
		switch {
		case f.Place.Kind == graph.City && v.State == "":
			v.Name = strings.ToLower(v.Name)
			out.Place.Values = append(out.Place.Values, v, graph.PlaceValue{Name: v.Name, State: "CA"})
		case f.Place.Kind == graph.City:
			v.Name = strings.ToLower(v.Name)
			out.Place.Values = append(out.Place.Values, v)
		case f.Place.Kind == graph.ZIP && len(v.Name) == 3:
			out.Place.Values = append(out.Place.Values, graph.PlaceValue{Name: v.Name + "77"}, v)
		default:
			v.State = "CA" // counts for cities alone
			out.Place.Values = append(out.Place.Values, v)
		}
	}
	inflect := func(terms []graph.Term) (list []graph.Term) {
		for _, t := range disorder(r, terms) {
			var words []string
			for _, w := range t.Words {
				if s := w + "S"; stem.Of(s) == stem.Of(w) {
					w = s
				}
				words = append(words, w)
			}
			list = append(list, graph.Term{Words: words})
		}
		return list
	}
	out.Query = graph.Query{Must: inflect(f.Query.Must), MustNot: inflect(f.Query.MustNot)}
	return &out
}

// disorder shuffles a list and repeats some of it.
func disorder[T any](r *rand.Rand, list []T) []T {
	out := slices.Clone(list)
	for range len(list) / 2 {
		out = append(out, pick(r, list))
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// TestCanonical checks that the ways to write a condition have one name, and
// that conditions with one name select the same rows.
func TestCanonical(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 15))
	n := newNaive(random(8, 300))
	seen := map[string]*graph.Filter{}
	for range 4000 {
		f := randomFilter(r)
		name := string(graph.Question{Filter: f}.Canonical())
		if again := string(graph.Question{Filter: rewrite(r, f)}.Canonical()); again != name {
			t.Fatalf("%+v\nwritten as %+v has another name", f, rewrite(r, f))
		}
		if other, ok := seen[name]; ok {
			same(t, "rows of one name", f, keysOf(n.match(other)), keysOf(n.match(f)))
		}
		seen[name] = f
	}
}

func keysOf(rows []graph.Grant) (keys []string) {
	for i := range rows {
		keys = append(keys, rows[i].Key)
	}
	return keys
}

// TestCanonicalDiffers writes questions that differ in one thing each: no two
// have one name.
func TestCanonicalDiffers(t *testing.T) {
	t.Parallel()
	filters := []graph.Filter{
		{}, {Funders: []ein.EIN{1}}, {Funders: []ein.EIN{2}}, {Funders: []ein.EIN{1, 2}}, {Recipients: []ein.EIN{1}},
		{Years: []graph.Span{{From: 2020}}}, {Years: []graph.Span{{To: 2020}}}, {Years: []graph.Span{{From: 2020, To: 2020}}},
		{Years: []graph.Span{{From: 2020, To: 2020}, {From: 2022, To: 2022}}}, {Years: []graph.Span{{From: 2, To: 1}}},
		{Countries: []string{"UK"}}, {Countries: []string{"U", "K"}}, {Countries: []string{"UK", "CA"}},
		{Support: grant.Program}, {Support: grant.Program | grant.Capital}, {Support: 1 << grant.Strategies},
		{FunderKind: grant.PublicCharity}, {FunderKind: grant.Passthrough}, {Accepts: grant.Accepts}, {Accepts: grant.NotStated}, {Exclude: graph.DAF}, {Exclude: graph.RelatedParty},
		{MinAmount: new(int64)}, {MaxAmount: new(int64)}, {MinProb: new(float64)}, {Sources: []grant.Rule{grant.Filed}}, {Sources: []grant.Rule{grant.None}},
	}
	for _, text := range []string{"B", "B,X", "B4", "B42", "Health"} {
		s, err := ntee.ParseSubject(text)
		if err != nil {
			t.Fatal(err)
		}
		filters = append(filters, graph.Filter{Subject: s}, graph.Filter{Subject: s, SubjectBasis: ntee.Any})
	}
	for _, text := range []string{"AB", "A B", `"A B"`, `"B A"`, "-A", "A -B", `-"A B"`} {
		q, _ := graph.ParseQuery(text)
		filters = append(filters, graph.Filter{Query: q})
	}
	for of := range graph.AreaServed + 1 {
		for kind := range graph.Country + 1 {
			for _, values := range [][]graph.PlaceValue{{{Name: "900"}}, {{Name: "90001"}}, {{Name: "900"}, {Name: "90101"}}, {{Name: ""}}} {
				filters = append(filters, graph.Filter{Place: graph.Place{Of: of, Kind: kind, Values: values}})
			}
		}
		filters = append(filters, graph.Filter{Place: graph.Place{Of: of, Kind: graph.City, Values: []graph.PlaceValue{{Name: "900", State: "CA"}}}})
	}
	seen := map[string]graph.Question{}
	add := func(q graph.Question) {
		t.Helper()
		name := string(q.Canonical())
		if other, ok := seen[name]; ok {
			t.Errorf("%+v %+v and %+v %+v have one name", q, *q.Filter, other, *other.Filter)
		}
		seen[name] = q
	}
	for i := range filters {
		f := &filters[i]
		for about := range graph.AboutTotals + 1 {
			add(graph.Question{About: about, Filter: f})
		}
		add(graph.Question{Filter: f, Sort: graph.Sort{Asc: true}})
		add(graph.Question{Filter: f, Sort: graph.Sort{By: graph.ByYear}})
		add(graph.Question{Filter: f, Page: graph.Page{Limit: 1}})
		add(graph.Question{Filter: f, Page: graph.Page{Offset: 1}})
	}
}
