package ask

import (
	"strings"
	"testing"
)

// TestKinds finds a row of kinds.tsv for every plan, and everything that the rows
// name: runners, sentences and columns.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, measure := range vocabulary["Plan.measure"].Fields("words") {
		for _, of := range vocabulary["Plan.of"].Fields("words") {
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
			if _, ok := answers[key]; !ok && key != "" && !strings.Contains(key, "{") {
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
		if key := row.Text("count"); key != "" && answers[key].Text("text") == "" {
			t.Errorf("groups of %s: there is no sentence %s", of, key)
		}
	}
}
