package operator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

// TestAgo says how old things are.
func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC)
	s := &Room{Config: Config{Clock: func() time.Time { return now }}}
	for d, want := range map[time.Duration]string{
		-2 * time.Hour: "in the future, by the clock of this server", 0: "less than an hour ago", time.Hour: "1 hour ago", 47 * time.Hour: "47 hours ago", 50 * time.Hour: "2 days ago",
	} {
		if got := s.ago(now.Add(-d)); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}

// TestReadTexts reads a folder of texts, and refuses what would not be shown.
func TestReadTexts(t *testing.T) {
	t.Parallel()
	if all, err := ReadTexts(""); err != nil || all != nil {
		t.Errorf("no folder: %v %v", all, err)
	}
	for _, c := range []struct {
		name, file, text, says string
	}{
		{"a text", "privacy.md", "# Our privacy\n\nWe keep **nothing**.\n", ""},
		{"a name with an error", "privcy.md", "x", "about.md"},
		{"no text", "notes.txt", "x", "no text of the site"},
		{"an empty text", "terms.md", " \n", "terms.md"},
		{"too long", "terms.md", strings.Repeat("x", longestText+1), "64 KiB"},
		{"not UTF-8", "terms.md", "\xff", "UTF-8"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := ReadTexts(dir)
		said := ""
		if f, ok := fault.Of(err); ok {
			said = f.Message + " " + f.Hint
		}
		if c.says == "" && (err != nil || all["privacy"] != c.text || len(all) != 1) || c.says != "" && !strings.Contains(said, c.says) {
			t.Errorf("%s: %v %v", c.name, all, err)
		}
	}
	if _, err := ReadTexts(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("a folder that is not there")
	}
}
