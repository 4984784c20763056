package example

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestWorld reads every section of world.json by the code that uses it, which stops
// at a member that its type does not have, and finds no section that nobody reads.
func TestWorld(t *testing.T) {
	t.Parallel()
	if n := len(Grants().Rows); n != int(Manifest().Counts.Grants) {
		t.Errorf("%d grants, and the manifest counts %d", n, Manifest().Counts.Grants)
	}
	for _, g := range Grants().Rows {
		if g.Funder == nil || g.Recipient == nil || g.Purpose != "" && g.Rule == 0 && g.Matched {
			t.Errorf("%s is incomplete", g.Key)
		}
	}
	Profiles()
	Directory()
	Changes()
	ListLog()
	Organizations()
	if _, err := (Store{}).Draw(t.Context(), nil, "", 1, "v"); err != nil {
		t.Error(err)
	}
	read := []string{}
	for _, file := range []string{"example.go", "engines.go", "store.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:read|rows)\[[^(]+\]\("(\w+)"\)|\}\]\("(\w+)"\)`).FindAllSubmatch(source, -1) {
			read = append(read, string(m[1])+string(m[2]))
		}
	}
	slices.Sort(read)
	if got, want := slices.Compact(read), slices.Sorted(maps.Keys(sections())); !slices.Equal(got, want) {
		t.Errorf("the code reads %q, the file has %q", got, want)
	}
}
