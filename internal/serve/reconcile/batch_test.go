package reconcile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/fault"
)

// TestReadBatch02 reads batches as clients of version 0.2 write them.
func TestReadBatch02(t *testing.T) {
	t.Parallel()
	where := func(property string, values ...string) Condition {
		return Condition{Property: property, Values: values}
	}
	for _, c := range []struct {
		name, in string
		want     []named
	}{
		{"none", `{}`, []named{}},
		{"names alone, in order", `{"q1":{"query":"B"},"q0":{"query":"A"}}`, []named{
			{"q0", Query{Names: []string{"A"}, Limit: 5}}, {"q1", Query{Names: []string{"B"}, Limit: 5}}}},
		{"as OpenRefine sends it", `{"q0":{"query":"Harlow Library","type":"organization","type_strict":"should","limit":3,"properties":[{"pid":"state","p":"State","v":"Ohio"},{"pid":"zip","v":43004}]}}`, []named{
			{"q0", Query{Names: []string{"Harlow Library"}, Types: []string{"organization"}, Limit: 3, Where: []Condition{where("state", "Ohio"), where("zip", "43004")}}}}},
		{"several types and values", `{"a":{"query":"X","type":["foundation","nonprofit"],"properties":[{"pid":"city","v":["Harlow",{"id":"Q1","name":"Larkspur"},true]}]}}`, []named{
			{"a", Query{Names: []string{"X"}, Types: []string{"foundation", "nonprofit"}, Limit: 5, Where: []Condition{where("city", "Harlow", "Larkspur", "true")}}}}},
		{"an entity by its identifier", `{"a":{"properties":[{"pid":"ein","v":{"id":"000000001","name":"Harlow"}},{"pid":"state","v":{"id":"OH"}}]}}`, []named{
			{"a", Query{Limit: 5, Where: []Condition{where("ein", "000000001"), where("state", "OH")}}}}},
		{"a name of blanks is none", `{"a":{"query":"  "}}`, []named{{"a", Query{Names: []string{}, Limit: 5}}}},
		{"more candidates than there are", `{"a":{"query":"X","limit":1e6}}`, []named{{"a", Query{Names: []string{"X"}, Limit: maxCandidates}}}},
		{"no type", `{"a":{"query":"X","type":null}}`, []named{{"a", Query{Names: []string{"X"}, Limit: 5}}}},
	} {
		got, err := readBatch02([]byte(c.in))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", c.name, err, got, c.want)
		}
	}
}

// TestReadBatch10 reads batches as the draft has them.
func TestReadBatch10(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []Query
	}{
		{"none", `{"queries":[]}`, nil},
		{"a name", `{"queries":[{"conditions":[{"matchType":"name","propertyValue":"Harlow Library"}]}]}`, []Query{{Names: []string{"Harlow Library"}, Limit: 5}}},
		{"everything", `{"queries":[{"type":"foundation","limit":2,"lang":"en","conditions":[{"matchType":"name","propertyValue":["A","B"]},` +
			`{"matchType":"id","propertyValue":{"id":"00-0000001","name":"N"},"required":true},` +
			`{"matchType":"property","propertyId":"state","propertyValue":["OH","PA"],"matchQuantifier":"none","matchQualifier":"ExactMatch"}]}]}`, []Query{{
			Names: []string{"A", "B"}, Types: []string{"foundation"}, Limit: 2, Where: []Condition{
				{Property: "ein", Values: []string{"00-0000001"}, Required: true},
				{Property: "state", Values: []string{"OH", "PA"}, Quantifier: None, Qualifier: exactMatch},
			}}}},
	} {
		got, err := readBatch10([]byte(c.in))
		var queries []Query
		for _, q := range got {
			queries = append(queries, q.query)
		}
		if err != nil || !reflect.DeepEqual(queries, c.want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", c.name, err, queries, c.want)
		}
	}
}

// TestRefused refuses what is no batch, in words that have nothing of ours.
func TestRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", maxDepth+1)
	long := strings.Repeat("x", maxText+1)
	many := func(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	readers := map[string]func(string) error{
		"0.2":    func(s string) error { _, err := readBatch02([]byte(s)); return err },
		"1.0":    func(s string) error { _, err := readBatch10([]byte(s)); return err },
		"extend": func(s string) error { _, err := readExtension([]byte(s)); return err },
	}
	for _, c := range []struct{ reader, in, slug string }{
		{"0.2", ``, slugMalformed},
		{"0.2", `null`, slugMalformed},
		{"0.2", `[]`, slugMalformed},
		{"0.2", `"x"`, slugMalformed},
		{"0.2", `{"a":`, slugMalformed},
		{"0.2", `{} {}`, slugMalformed},
		{"0.2", `{"a":null}`, slugMalformed},
		{"0.2", `{"a":{}}`, slugMalformed},
		{"0.2", `{"a":{"properties":[]}}`, slugMalformed},
		{"0.2", `{"a":{"query":5}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","limit":0}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","propertys":[]}}`, slugMalformed},
		{"1.0", `{"queries":[{"query":"X","conditions":[{"matchType":"name","propertyValue":"X"}]}]}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","limit":1.5}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","limit":-3}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"v":"OH"}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"state"}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"state","v":null}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"state","v":[null]}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"state","v":[["OH"]]}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"state","v":{"name":"Ohio"}}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"` + long + `"}}`, slugMalformed},
		{"0.2", `{"` + long + `":{"query":"X"}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"state","v":"` + long + `"}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"` + long + `","v":"OH"}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[{"pid":"state","v":[` + many(`"OH"`, maxValues+1) + `]}]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","properties":[` + many(`{"pid":"state","v":"OH"}`, maxConditions+1) + `]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","type":[` + many(`"organization"`, 4) + `]}}`, slugMalformed},
		{"0.2", `{"a":{"query":"X","x":` + deep, slugMalformed},
		{"1.0", `{}`, slugMalformed},
		{"1.0", `{"queries":null}`, slugMalformed},
		{"1.0", `{"queries":{"q0":{"query":"X"}}}`, slugMalformed},
		{"1.0", `{"queries":[null]}`, slugMalformed},
		{"1.0", `{"queries":[{}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[{"propertyValue":"X"}]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[{"matchType":"name"}]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[{"matchType":"other","propertyValue":"X"}]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[{"matchType":"property","propertyValue":"X"}]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[{"matchType":"name","propertyValue":"X","matchQuantifier":"some"}]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[{"matchType":"name","propertyValue":"X","matchQuantifier":"none"}]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"conditions":[{"matchType":"name","propertyValue":[` + many(`"X"`, maxNames+1) + `]}]}]}`, slugMalformed},
		{"1.0", `{"queries":[{"type":["a","b"],"conditions":[{"matchType":"name","propertyValue":"X"}]}]}`, slugMalformed},
		{"extend", `{}`, slugMalformed},
		{"extend", `{"ids":["000000001"]}`, slugMalformed},
		{"extend", `{"ids":[1],"properties":[]}`, slugMalformed},
		{"extend", `{"ids":["` + long + `"],"properties":[]}`, slugMalformed},
		{"extend", `{"ids":[],"properties":[{}]}`, slugMalformed},
		{"extend", `{"ids":[],"properties":[` + many(`{"id":"name"}`, maxProperties+1) + `]}`, slugMalformed},
		{"extend", `{"ids":[],"properties":[{"id":"shoe_size"}]}`, slugProperty},
	} {
		err := readers[c.reader](c.in)
		f, ok := fault.Of(err)
		if !ok || f.Slug != c.slug || f.Hint == "" || strings.Contains(f.Message, "Go ") || strings.Contains(f.Message, "reconcile.") || len(f.Message) > 400 {
			t.Errorf("%s %.80s: %v", c.reader, c.in, err)
		}
	}
}

// TestKnown drops types and conditions that there are none of, with a notice.
func TestKnown(t *testing.T) {
	t.Parallel()
	state := Condition{Property: "state"}
	for _, c := range []struct {
		query                Query
		notice               string
		doubtful, impossible bool
	}{
		{Query{Types: []string{"organization", "foundation", "nonprofit"}, Where: []Condition{{Property: "state"}, {Property: "city"}, {Property: "zip"}, {Property: "ein", Qualifier: exactMatch}}}, "", false, false},
		{Query{Types: []string{"person"}}, `type "person"`, true, false},
		{Query{Where: []Condition{{Property: "shoe_size"}, state}}, `property "shoe_size"`, false, false},
		{Query{Where: []Condition{{Property: "revenue"}}}, `not compared by "revenue"`, false, false},
		{Query{Where: []Condition{{Property: "revenue", Required: true}}}, "nothing was found", false, true},
		{Query{Where: []Condition{{Property: "state", Qualifier: "WildcardMatch"}}}, "WildcardMatch", false, false},
	} {
		q := c.query
		q.Types, q.Where = slices.Clone(q.Types), slices.Clone(q.Where)
		q.known()
		whole := len(q.Types) == len(c.query.Types) && len(q.Where) == len(c.query.Where)
		if (c.notice == "") != (q.Notice == "") || !strings.Contains(q.Notice, c.notice) || q.doubtful != c.doubtful || q.impossible != c.impossible || whole != (c.notice == "") {
			t.Errorf("%+v: %+v", c.query, q)
		}
		if len(c.query.Where) == 2 && (len(q.Where) != 1 || q.Where[0].Property != "state") {
			t.Errorf("another condition went: %+v", q)
		}
	}
}

// TestMeets compares what an organization has with what is asked for.
func TestMeets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		quantifier Quantifier
		has        string
		values     string
		want       agreement
	}{
		{"", "OH", "OH", agrees}, {"", "OH", "PA", differs}, {"", "OH", "PA,OH", agrees},
		{"", "", "OH", unknown}, {"", "OH", "", unknown}, {Any, "OH", ",OH", agrees},
		{All, "OH", "OH", agrees}, {All, "OH", "OH,PA", differs},
		{None, "OH", "PA", agrees}, {None, "OH", "OH,PA", differs}, {None, "", "OH", unknown},
	} {
		if got := c.quantifier.meets(c.has, strings.Split(c.values, ",")); got != c.want {
			t.Errorf("%s %q %q: %d, want %d", c.quantifier, c.has, c.values, got, c.want)
		}
	}
}

// TestReaders writes values one way.
func TestReaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ property, in, want string }{
		{propState, " ohio ", "OH"}, {propState, "oh", "OH"}, {propState, "Ontario", ""},
		{propCity, "St. Paul", "SAINT PAUL"}, {propCity, "Saint Paul, MN", "SAINT PAUL"}, {propCity, "Saint Paul, Minnesota 55101", "SAINT PAUL"},
		{propZIP, "43004-1234", "43004"}, {propZIP, "2138", "02138"}, {propZIP, "K1A 0B1", ""},
		{propEIN, "EIN: 00-0000001", "000000001"}, {propEIN, "1234567", "001234567"}, {propEIN, "none", ""},
	} {
		if got := readers[c.property](c.in); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.property, c.in, got, c.want)
		}
	}
}

// FuzzBatch reads anything as a batch of each version and as a data extension: it
// is refused in words for people, or within bounds.
func FuzzBatch(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"q0":{"query":"Harlow Library","type":"organization","type_strict":"should","limit":3,"properties":[{"pid":"state","v":"Ohio"},{"pid":"zip","v":[43004,{"id":"x"}]}]}}`,
		`{"queries":[{"type":"foundation","conditions":[{"matchType":"name","propertyValue":["A","B"]},{"matchType":"property","propertyId":"state","propertyValue":"OH","required":true,"matchQuantifier":"all"}]}]}`,
		`{"ids":["000000001"],"properties":[{"id":"revenue","settings":{"limit":"5"}}]}`, `[[[[`, `{"a":{"query":"\ud800"}}`, "{\"\x00\":{\"query\":\"\xff\"}}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(err error) {
			if known, ok := fault.Of(err); err != nil && (!ok || statuses[known.Slug] == 0) {
				t.Errorf("an error that is not for people: %v", err)
			}
		}
		for _, read := range []func([]byte) ([]named, error){readBatch02, readBatch10} {
			batch, err := read(data)
			check(err)
			for _, b := range batch {
				q := b.query
				if q.Limit < 1 || q.Limit > maxCandidates || len(q.Names) > maxNames || len(q.Where) > maxConditions || len(b.name) > maxIDText ||
					slices.ContainsFunc(q.Names, func(s string) bool { return len(s) > maxText || strings.TrimSpace(s) == "" }) ||
					slices.ContainsFunc(q.Where, func(c Condition) bool { return len(c.Values) > maxValues }) {
					t.Errorf("out of bounds: %+v", b)
				}
				q.known()
				for _, c := range q.Where {
					_ = c.read()
				}
			}
		}
		e, err := readExtension(data)
		check(err)
		if err == nil && len(e.properties) > maxProperties {
			t.Error(fmt.Sprint("out of bounds: ", len(e.properties)))
		}
	})
}
