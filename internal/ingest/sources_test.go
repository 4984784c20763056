package ingest

import "testing"

// Sources are invented as soon as a world lies among them, however deep, and
// not because a file of another kind has the same name.
func TestInventedSources(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, text string
		want             bool
	}{
		{"no world", "990/note.txt", "", false},
		{"a world", "world.json", `{"format":"grantgraph-world/2"}`, true},
		{"a world of another version", "world.json", `{"format":"grantgraph-world/1"}`, true},
		{"a world beside true files", "old/demo/world.json", `{"format":"grantgraph-world/2"}`, true},
		{"another world.json", "world.json", `{"type":"FeatureCollection"}`, false},
		{"not JSON", "world.json", "hello", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := sample().lay(t)
			put(t, root, c.path, c.text)
			s, err := Discover(t.Context(), root)
			if err != nil || s.Invented != c.want {
				t.Errorf("%v, %v", s, err)
			}
		})
	}
}
