package ask

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/serve/graph"
)

// TestPlanSchema finds the fields of a plan in plan_schema.json and no others, and
// the words of the grant filters.
func TestPlanSchema(t *testing.T) {
	t.Parallel()
	var check func(of reflect.Type, s *schema)
	check = func(of reflect.Type, s *schema) {
		if of.Kind() == reflect.Slice {
			of, s = of.Elem(), s.Items
		}
		if of.Kind() != reflect.Struct {
			return
		}
		if of.NumField() != len(s.Properties) {
			t.Errorf("%v has %d fields, and the schema %d", of, of.NumField(), len(s.Properties))
		}
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if s.Properties[name] == nil {
				t.Fatalf("%v.%s is not in the schema", of, name)
			}
			check(of.Field(i).Type, s.Properties[name])
		}
	}
	check(reflect.TypeFor[Plan](), &planSchema)
	for field, filter := range map[string]string{"funder_types": "funder_type", "support": "support"} {
		if words := graph.Declared(filter).Params[0].Enum; !slices.Equal(planSchema.Properties[field].Items.Enum, words) {
			t.Errorf("%s: the grant filter has the words %q", field, words)
		}
	}
}

// TestKinds finds a row of kinds.tsv for every plan, and everything that the rows
// name: runners, sentences and columns.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, measure := range planSchema.Properties["measure"].Enum {
		for _, of := range planSchema.Properties["of"].Enum {
			if p := (&Plan{Measure: measure, Of: of}); runners[p.kind().Text("run")] == nil {
				t.Errorf("nothing answers %s of %s", measure, of)
			}
		}
	}
	for name, row := range kinds {
		if runners[row.Text("run")] == nil {
			t.Errorf("%s: there is no runner %s", name, row.Text("run"))
		}
		for _, key := range []string{row.Text("say"), row.Text("none"), strings.TrimSuffix("caveat_"+row.Text("warn"), "caveat_")} {
			if _, ok := sentences[key]; !ok && key != "" && !strings.Contains(key, "{") {
				t.Errorf("%s: there is no sentence %s", name, key)
			}
		}
		for _, column := range row.Fields("columns") {
			if _, ok := columns[column]; !ok && !strings.Contains(column, "{") {
				t.Errorf("%s: there is no column %s", name, column)
			}
		}
	}
	for of, row := range groups {
		if key := row.Text("count"); key != "" && sentences[key].Text("text") == "" {
			t.Errorf("groups of %s: there is no sentence %s", of, key)
		}
	}
}
