package graph_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// sent is a request whose values are all good.
type sent struct {
	t      *testing.T
	values map[string]string
}

func (s sent) Text(name string) (string, bool) {
	value, ok := s.values[name]
	return value, ok
}

func (s sent) List(name string) []string {
	if value := s.values[name]; value != "" {
		return strings.Split(value, ",")
	}
	return nil
}

func (s sent) Integer(name string) (int64, bool) {
	n, err := strconv.ParseInt(s.values[name], 10, 64)
	return n, err == nil
}

func (s sent) Number(name string) (float64, bool) {
	x, err := strconv.ParseFloat(s.values[name], 64)
	return x, err == nil
}

func (s sent) Boolean(name string) bool             { return s.values[name] == "1" }
func (s sent) Choice(name string) (string, bool)    { return s.values[name], true }
func (s sent) Choices(name string) []string         { return s.List(name) }
func (s sent) Caveat(_, format string, args ...any) {}
func (s sent) Ignored(n, format string, args ...any) {
	s.t.Errorf("%s: "+format, append([]any{n}, args...)...)
}
func (s sent) Refuse(n string, _ int, _, input string, _ map[string]any, format string, args ...any) {
	s.t.Errorf("%s=%s: "+format, append([]any{n, input}, args...)...)
}

func read(t *testing.T, values map[string]string) *graph.Filter {
	t.Helper()
	f := &graph.Filter{}
	r := graph.Reading{Request: sent{t, values}, Filter: f, Manifest: &snapshot.Manifest{}, HasCounty: func(string) bool { return true }}
	if err := r.Read(); err != nil {
		t.Fatal(err)
	}
	return f
}

// written is a filter in parameters.
func written(f *graph.Filter) map[string]string {
	values := map[string]string{}
	for _, d := range graph.Filters {
		if d.On != nil && d.On(f) {
			d.Write(f, func(name, value string) { values[name] = value })
		}
	}
	return values
}

// samples has values for every filter, by its name.
var samples = map[string][]map[string]string{
	"funder_id": {{"funder_id": "000000002,000000001"}},
	"recip_id":  {{"recip_id": "ein-000000004,00-0000005"}, {"recip_id": "000000004,nm-0123456789ab,intl-uk-abcdefghij"}, {"recip_id": "nm-0123456789ab"}},
	"year":      {{"year": "2020,2017-2019,2022"}, {"min_year": "2019"}, {"max_year": "2019"}, {"year": "2015", "min_year": "2020"}},
	"subject":   {{"subject": "B,E42"}, {"subject": "Education", "subject_basis": "any"}},
	"location": {{"location": "OH,CA"}, {"location": "Salem,OR,Akron", "geo_id_type": "city"}, {"location": "441", "geo_id_type": "zip", "location_type": "funder"},
		{"location": "Summit,OH", "geo_id_type": "county_fips"}, {"near": "44113", "within": "10", "location_type": "area_served"}, {"location": "UK", "geo_id_type": "country"}},
	"country":              {{"country": "UK,CA"}, {"country": "UK,US"}},
	"query":                {{"query": `after "school garden" -lunch -"hot meals"`}},
	"support":              {{"support": "research,capital"}},
	"funder_type":          {{"funder_type": "public_charity"}},
	"accepts_applications": {{"accepts_applications": "yes"}, {"accepts_applications": "not_stated"}},
	"exclude":              {{"exclude": "individuals", "exclude_daf": "1"}},
	"min_amt":              {{"min_amt": "0", "max_amt": "5000"}, {"min_amt": "1000"}, {"max_amt": "9"}},
	"min_match_prob":       {{"min_match_prob": "0"}, {"min_match_prob": "0.95"}},
	"ein_source":           {{"ein_source": "name,filed"}},
	"grant_key":            {{"grant_key": "b,a"}},
}

// TestDeclarations goes over the table of filters: every entry has all of its
// parts, what it writes reads back as the same condition, it can be told apart in
// the canonical form, and people can take it off.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	everything, err := json.Marshal(graph.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range graph.Filters {
		name := d.Params[0].Name
		for _, p := range d.Params {
			if p.Description == "" || p.Type == "" || len(p.Also) == 0 {
				t.Errorf("%s lacks texts: %+v", p.Name, p)
			}
		}
		if d.PartOf != "" {
			if graph.Declared(d.PartOf); d.Read == nil {
				t.Errorf("%s is not read", name)
			}
			continue
		}
		if d.Read == nil || d.Write == nil || d.On == nil || d.Take == nil || d.Canonical == nil || d.SQL == nil || d.Say == nil || !graph.Restricts(d) {
			t.Errorf("%s lacks a part", name)
			continue
		}
		if len(samples[name]) == 0 {
			t.Errorf("%s has no samples", name)
		}
		for _, values := range samples[name] {
			f := read(t, values)
			if !d.On(f) {
				t.Errorf("%v does not turn %s on", values, name)
			}
			again := read(t, written(f))
			if a, b := fmt.Sprint(asJSON(t, f)), fmt.Sprint(asJSON(t, again)); a != b {
				t.Errorf("%v is read as %s, written as %v and read as %s", values, a, written(f), b)
			}
			canonical := string(graph.Question{Filter: f}.Canonical())
			if canonical != string(graph.Question{Filter: again}.Canonical()) || canonical == string(graph.Question{Filter: &graph.Filter{}}.Canonical()) {
				t.Errorf("%v: the canonical form does not follow %v", values, written(f))
			}
			if w := f.SQL(); len(w.Parts)+len(w.Missing) == 0 {
				t.Errorf("%v says nothing in SQL", values)
			}
			w := graph.Words{Filter: f, Name: func(ein.EIN) string { return "" }, Query: values["query"]}
			if w.Tell(d); len(w.Chips) == 0 || len(w.Phrases) == 0 {
				t.Errorf("%v says nothing to people", values)
			}
			if d.Clear(f); d.On(f) {
				t.Errorf("%s cannot be taken off", name)
			}
			f.SubjectBasis = 0
			if got := asJSON(t, f); got != string(everything) {
				t.Errorf("%v without %s is %s", values, name, got)
			}
		}
	}
}

func asJSON(t *testing.T, f *graph.Filter) string {
	t.Helper()
	body, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(body), "[]", "null")
}

// TestChips takes chips off one after the other until no filter is left.
func TestChips(t *testing.T) {
	t.Parallel()
	values := map[string]string{"funder_id": eins(14), "subject": "B,E", "subject_basis": "any", "location": "Salem,OR,Akron",
		"geo_id_type": "city", "near": "44113", "within": "10", "exclude": "daf,individuals", "exclude_daf": "1", "support": "capital,research"}
	for steps := 0; ; steps++ {
		f := read(t, values)
		w := graph.Words{Filter: f, Name: func(ein.EIN) string { return "" }}
		for _, d := range graph.Filters {
			w.Tell(d)
		}
		if len(w.Chips) == 0 {
			if len(values) > 0 || steps < 10 {
				t.Errorf("%v is left after %d steps", values, steps)
			}
			return
		}
		last := w.Chips[len(w.Chips)-1]
		before := maps.Clone(values)
		for i := 0; i < len(last.Without); i += 2 {
			if values[last.Without[i]] = last.Without[i+1]; last.Without[i+1] == "" {
				delete(values, last.Without[i])
			}
		}
		if maps.Equal(before, values) || steps > 40 {
			t.Fatalf("%q leaves %v", last.Label, values)
		}
	}
}

// TestSubjectChips: a cause is called by its own name, and only a code has a title.
func TestSubjectChips(t *testing.T) {
	t.Parallel()
	w := graph.Words{Filter: read(t, map[string]string{"subject": "Food,k31,E,health"}), Name: func(ein.EIN) string { return "" }}
	for _, d := range graph.Filters {
		w.Tell(d)
	}
	var labels []string
	for _, c := range w.Chips {
		labels = append(labels, c.Label)
	}
	if want := []string{"Food", "Food Banks & Pantries (K31)", "Health Care", "Health"}; !slices.Equal(labels, want) {
		t.Errorf("chips %q, not %q", labels, want)
	}
}

// TestParameterTexts checks the file of texts: its lines have three cells, and
// every word stands for one parameter or value only.
func TestParameterTexts(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("parameters.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(body)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 3 || slices.Contains(cells, "") {
			t.Fatalf("malformed: %q", line)
		}
		kind, of, _ := strings.Cut(cells[1], ": ")
		for word := range strings.FieldsSeq(cells[2]) {
			key := cells[0] + " " + kind + " " + word
			if (kind == "also" || kind == "value") && seen[key] {
				t.Errorf("%s is there twice", key)
			}
			seen[key] = true
		}
		for _, p := range graph.Params() {
			if p.Name == cells[0] && kind == "value" && !slices.Contains(p.Enum, of) {
				t.Errorf("%s has no value %s", p.Name, of)
			}
		}
	}
}

// eins is a list of so many EINs.
func eins(n int) string {
	var list []string
	for i := range n {
		list = append(list, ein.EIN(100_000_001+i).String())
	}
	return strings.Join(list, ",")
}
