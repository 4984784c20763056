package warehouse

import (
	"strings"
	"testing"
)

func TestDefinitionMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"a word nobody knows", "view a\ncolour red\n", `line 2: "colour"`},
		{"a column of two parts", "view a\ncolumn x\tVARCHAR\n", `line 2: "column"`},
		{"a type nobody knows", "view a\ncolumn x\tTEXT\tA text.\n", `line 2: "column"`},
		{"a trap nobody defined", "view a\ntrap $b\n", `line 2: "trap"`},
		{"a line before the first view", "\n# comment\nmeaning Nothing yet.\n", `line 3: "meaning"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, c.want) {
					t.Errorf("panicked with %q, want %q in it", got, c.want)
				}
			}()
			readViews(c.file)
		})
	}
}
