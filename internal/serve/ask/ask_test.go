package ask_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
)

// TestRefused asks what is no question.
func TestRefused(t *testing.T) {
	t.Parallel()
	a := open(t, world.Small)
	for _, tc := range []struct{ question, why string }{
		{"", "type a question"},
		{"   \n\t ", "type a question"},
		{"?!…", "no words"},
		{strings.Repeat("x", 501), "501 letters"},
		{strings.Repeat("how much ", 1200), "we read at most 500"},
		{strings.Repeat("é", 501), "501 letters"},
		{strings.Repeat("a ", 100), "80 words"},
		{"how much \x00 was given", "can't show"},
		{"how much\x1b[31m was given", "can't show"},
		{"how much \u202e was given", "can't show"},
		{"how much was given \xff\xfe", "can't read"},
	} {
		p, u := a.Read(t.Context(), tc.question)
		if p != nil || u == nil || !strings.Contains(u.Why, tc.why) || !u.Policy {
			t.Errorf("%.40q: %v, %+v", tc.question, p, u)
		} else if len(u.Try) != 3 {
			t.Errorf("%.40q offers %q", tc.question, u.Try)
		}
	}
}

// TestSame reads questions that differ in nothing that matters: what one chip says
// more or less is what the question says more or less.
func TestSame(t *testing.T) {
	t.Parallel()
	a := open(t, world.Small)
	read := func(q string) *ask.Plan {
		t.Helper()
		p, u := a.Read(t.Context(), q)
		if u != nil {
			t.Fatalf("%s: %s", q, u.Why)
		}
		return p
	}
	for _, tc := range []struct{ question, field, without string }{
		{"How much was given to education in Florida in 2022?", "years", "How much was given to education in Florida?"},
		{"How much was given to education in Florida in 2022?", "places", "How much was given to education in 2022?"},
		{"How much was given to education in Florida in 2022?", "causes", "How much was given in Florida in 2022?"},
		{"How much did private foundations give in 2021?", "funder_types", "How much was given in 2021?"},
		{"How many grants over $100,000 were made in Texas?", "amounts", "How many grants were made in Texas?"},
		{"How much was given in 2022 excluding donor-advised funds?", "exclude", "How much was given in 2022?"},
		{"How much was given for scholarships in Texas?", "support", "How much was given in Texas?"},
		{"How much did Bramwell Charitable Gift Fund give to Adams Street House?", "recipients", "How much did Bramwell Charitable Gift Fund give?"},
	} {
		found := false
		for _, c := range read(tc.question).Chips() {
			if c.Field != tc.field || c.Off == "" {
				continue
			}
			found = true
			less, err := ask.Parse(c.Off)
			if err != nil {
				t.Error(err)
			} else if short(less) != short(read(tc.without)) {
				t.Errorf("%s without %s is %s", tc.question, tc.field, short(less))
			}
		}
		if !found {
			t.Errorf("%s: %s cannot be taken off", tc.question, tc.field)
		}
	}
	// The place of recipients becomes that of funders.
	for _, c := range read("Who funds education in Florida?").Chips() {
		if c.Field != "places" {
			continue
		}
		for _, o := range c.Options {
			p, err := ask.Parse(o.Plan)
			if err != nil || o.Chosen != (p.Places[0].Of == "recipient") {
				t.Errorf("%s: %v %v", o.Label, p, err)
			}
		}
	}
}

// TestPlans refuses plans that cannot be run, whoever filled them.
func TestPlans(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"measure":"how_much"}`, `{"measure":"how_much","of":"grants"} {}`,
		`{"measure":"how_much","of":"grants","figures":[{"name":"total","value":5}]}`,
		`{"measure":"how_much","of":"grants","answer":"$5"}`,
		`{"measure":"guess","of":"grants"}`,
		`{"measure":"how_much","of":"dragons"}`,
		`{"measure":"how_much","of":"organizations"}`,
		`{"measure":"how_much","of":"grants","top":101,"years":[{"from":2020,"to":2020}]}`,
		`{"measure":"how_much","of":"grants","years":[{"from":2022,"to":2020}]}`,
		`{"measure":"how_much","of":"grants","years":[{}]}`,
		`{"measure":"how_much","of":"grants","years":[{"from":1,"to":2}]}`,
		`{"measure":"how_much","of":"grants","funders":[{"ein":"1","name":"x"}]}`,
		`{"measure":"how_much","of":"grants","funders":[{"ein":"12-3456789","name":"x"}]}`,
		`{"measure":"how_much","of":"grants","causes":[{"subject":"dragons"}]}`,
		`{"measure":"how_much","of":"grants","causes":[{"subject":"B,C"}]}`,
		`{"measure":"how_much","of":"grants","places":[{"kind":"state","value":"XX","of":"recipient"}]}`,
		`{"measure":"how_much","of":"grants","places":[{"kind":"planet","value":"Mars","of":"recipient"}]}`,
		`{"measure":"how_much","of":"grants","places":[{"kind":"state","value":"OH","of":"recipient"},{"kind":"city","value":"Akron, OH","of":"recipient"}]}`,
		`{"measure":"how_much","of":"grants","min_amount":5,"max_amount":4}`,
		`{"measure":"how_much","of":"grants","min_amount":-5}`,
		`{"measure":"how_much","of":"grants","min_amount":1e99}`,
		`{"measure":"how_much","of":"grants","exclude":["everything"]}`,
		`{"measure":"how_much","of":"grants","funder_types":["private_foundation","public_charity"]}`,
		`{"measure":"how_much","of":"grants","part":["causes"]}`,
		`{"measure":"share","of":"grants"}`,
		`{"measure":"share","of":"grants","part":["causes"]}`,
		`{"measure":"compare","of":"grants","by":"funders"}`,
		`{"measure":"change","of":"grants","years":[{"from":2020,"to":2021}]}`,
		`{"measure":"fact","of":"organizations"}`,
		`{"measure":"screen","of":"organizations"}`,
		`{"measure":"how_much","of":"awards"}`,
		`{"measure":"which","of":"funders","both":true}`,
		`{"measure":"how_much","of":"grants","words":"` + strings.Repeat("x", 121) + `"}`,
		`{"measure":"how_much","of":"grants","notes":["` + strings.Repeat("x", 401) + `"]}`,
		`{"measure":"how_much","of":"grants","notes":["` + strings.Repeat("x", 7000) + `"]}`,
	} {
		if p, err := ask.Parse(text); !errors.Is(err, ask.ErrPlan) {
			t.Errorf("%.100s is %v, %v", text, p, err)
		}
	}
	for _, text := range []string{
		`{"measure":"how_much","of":"grants"}`,
		`{"measure":"which","of":"funders","top":5,"causes":[{"subject":"B"}],"places":[{"kind":"state","value":"OH","of":"recipient"}]}`,
		`{"measure":"share","of":"grants","causes":[{"subject":"Education"}],"part":["causes"]}`,
	} {
		if _, err := ask.Parse(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSchema finds every field of a plan in the schema, and nothing else allowed.
func TestSchema(t *testing.T) {
	t.Parallel()
	var s struct {
		Properties           map[string]map[string]any
		Required             []string
		AdditionalProperties *bool
	}
	text, err := os.ReadFile("plan_schema.json")
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.AdditionalProperties == nil || *s.AdditionalProperties || len(s.Required) != 2 || s.Properties["measure"]["enum"] == nil || s.Properties["funders"]["maxItems"] != 5.0 {
		t.Errorf("%s", text)
	}
	for name, p := range s.Properties {
		if p["description"] == "" || p["type"] == nil {
			t.Errorf("%s is not described", name)
		}
	}
}

// TestPersons looks for the names of private persons in rows.
func TestPersons(t *testing.T) {
	t.Parallel()
	a := open(t, world.Small)
	p, err := ask.Parse(`{"measure":"smallest","of":"grants","top":100}`)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := a.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	persons := 0
	for _, row := range answer.Rows {
		if row[1].(ask.Party).Name == "An individual" {
			persons++
			if row[4] != nil || row[1].(ask.Party).EIN != "" {
				t.Errorf("more is said of a person: %v", row)
			}
		}
	}
	if persons == 0 {
		t.Log("no person is among the rows")
	}
	// Who knows a name learns nothing of its bearer.
	rows, _, err := a.Data.Graph.Transactions(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, g := range rows {
		if g.Classes&graph.Individuals == 0 || known == 5 {
			continue
		}
		known++
		p, err := ask.Parse(`{"measure":"how_much","of":"grants","words":` + strconv.Quote(`"`+g.NameFiled+`"`) + `}`)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := a.Run(t.Context(), p); err != nil || slices.ContainsFunc(answer.Figures, func(f ask.Figure) bool { return f.Name == "total_amount" && f.Value != 0 }) {
			t.Errorf("%q: %+v, %v", g.NameFiled, answer, err)
		}
	}
	if known == 0 {
		t.Error("no person is among the grants")
	}
}

// FuzzRead reads anything: within bounds, the same each time, and what is
// understood is a plan that can be run.
func FuzzRead(f *testing.F) {
	for _, q := range questions(f) {
		f.Add(q.text)
	}
	for _, s := range []string{"\"", "“how much”", "$", "2022-", "$5-$", "top 5 5 5", "12-3456789", "in in in", "vs vs", "who's 's", "近 43701", "miles of 33314", "county county, OH", "a\u0301", "last 99 years"} {
		f.Add(s)
	}
	a := open(f, world.Small)
	f.Fuzz(func(t *testing.T, q string) {
		if len(q) > 4000 {
			return
		}
		p, u := a.Read(t.Context(), q)
		if (p == nil) == (u == nil) {
			t.Fatalf("%q: %v and %v", q, p, u)
		}
		if u != nil {
			if u.Why == "" || !utf8.ValidString(u.Why) || len(u.Why) > 6000 {
				t.Errorf("%q: %q", q, u.Why)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q: %v", q, err)
		}
		again, u := a.Read(t.Context(), q)
		if u != nil || !bytes.Equal([]byte(again.String()), []byte(p.String())) {
			t.Errorf("%q is read as %s and as %s", q, p, again)
		}
		if back, err := ask.Parse(p.String()); err != nil || back.String() != p.String() {
			t.Errorf("%q: %s is read back as %s, %v", q, p, back, err)
		}
		p.Chips()
	})
}

// TestDamaged asks where a part of the data is out of service.
func TestDamaged(t *testing.T) {
	t.Parallel()
	whole := open(t, world.Small)
	for _, without := range []func(d *dataset.Dataset){
		func(d *dataset.Dataset) { d.Search = nil },
		func(d *dataset.Dataset) { d.Graph = nil },
		func(d *dataset.Dataset) { d.Directory = nil },
		func(d *dataset.Dataset) { d.Profiles = nil },
	} {
		d := *whole.Data
		without(&d)
		a := ask.New(ask.Source{Data: &d, Ask: whole.Ask, BaseURL: whole.BaseURL})
		if p, u := a.Read(t.Context(), "How much was given in 2022?"); p != nil || !strings.Contains(u.Why, "out of service") {
			t.Errorf("%v %v", p, u)
		}
		if answer, err := a.Run(t.Context(), &ask.Plan{Measure: "how_much", Of: "grants"}); err == nil {
			t.Errorf("%+v", answer)
		}
	}
}

// TestNamed finds every funder by its very name.
func TestNamed(t *testing.T) {
	t.Parallel()
	a := open(t, world.Small)
	funders, _, err := a.Data.Graph.Funders(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range funders {
		found := false
		for _, r := range a.Data.Search.Find(f.Name, "", 20) {
			found = found || r.EIN == f.EIN && r.Match == search.Exact
		}
		if !found {
			t.Errorf("%s is not found by its name", f.Name)
		}
	}
	if list := a.Data.Search.Find("Zzyzx Foundation of Nowhere", "", 20); len(list) > 0 && list[0].Match != search.Weak {
		t.Errorf("%v", list)
	}
}

// TestCannot runs plans that the API cannot answer: they are refused as they are read, or
// the answer says why, and offers other questions.
func TestCannot(t *testing.T) {
	t.Parallel()
	a := open(t, world.Small)
	for text, why := range map[string]string{
		`{"measure":"which","of":"funders","only":"individuals"}`:                                                 "grants of one class",
		`{"measure":"which","of":"states","only":"individuals"}`:                                                  "grants of one class",
		`{"measure":"which","of":"states","order":"assets"}`:                                                      "ranked by dollars or number of grants",
		`{"measure":"share","of":"grants","figure":"median","causes":[{"subject":"B"}],"part":["causes"]}`:        "medians have no parts",
		`{"measure":"trend","of":"grants","figure":"median"}`:                                                     "a trend needs dollars",
		`{"measure":"how_many","of":"organizations","min_amount":5}`:                                              "an amount needs a figure",
		`{"measure":"which","of":"organizations","places":[{"kind":"near","value":"33314","of":"recipient"}]}`:    "by state, city, county or ZIP code",
		`{"measure":"how_many","of":"awards","level":"state","organizations":[{"ein":"495059789","name":"Any"}]}`: "all levels of government",
	} {
		p, err := ask.Parse(text)
		if err != nil {
			if !errors.Is(err, ask.ErrPlan) || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if x, err := a.Run(t.Context(), p); err != nil || x.Understood || !strings.Contains(x.Why, why) || len(x.Try) != 3 {
			t.Errorf("%s: %+v, %v", text, x, err)
		}
	}
}

// TestEveryPlan runs plans of every measure of everything, with each kind of filter: those that are valid have an answer.
func TestEveryPlan(t *testing.T) {
	t.Parallel()
	a, ran := open(t, world.Small), 0
	measures := "how_much how_many average median largest smallest which trend compare change share exists similar cofunders fact people stopped started first last screen"
	filters := []string{
		`"places":[{"kind":"state","value":"FL","of":"funder"},{"kind":"state","value":"TX","of":"recipient"}],"least":true`,
		`"funders":[{"ein":"797267059","name":"J"},{"ein":"966604878","name":"B"}],"by":"funders","figure":"median"`,
		`"recipients":[{"ein":"897622356","name":"A"},{"ein":"495059789","name":"C"}],"both":true`,
		`"years":[{"from":2020,"to":2020},{"from":2021,"to":2021}],"figure":"average"`, `"years":[{"from":1999,"to":1999}],"order":"grants"`,
		`"organizations":[{"ein":"495059789","name":"C"}],"fact":"revenue"`, `"causes":[{"subject":"B"}],"part":["causes"],"figure":"grants"`,
		`"min_amount":100000,"in_total":true`, `"only":"individuals"`, `"top":1`,
	}
	for measure := range strings.FieldsSeq(measures) {
		for of := range strings.FieldsSeq("grants funders recipients organizations awards causes states cities countries years") {
			for _, filter := range filters {
				text := `{"measure":"` + measure + `","of":"` + of + `",` + filter + `}`
				p, err := ask.Parse(text)
				if err != nil {
					continue
				}
				ran++
				if x, err := a.Run(t.Context(), p); err != nil || x.Answer == "" && x.Why == "" {
					t.Errorf("%s: %+v, %v", text, x, err)
				}
			}
		}
	}
	if ran < 100 {
		t.Errorf("only %d plans are valid", ran)
	}
}
