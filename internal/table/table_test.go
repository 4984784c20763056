package table

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const letters = `# The first letters.

letter	place	share	sounds
a	1	0.082	ah ay
b	1_002	1e-2	bee
c	-3	.5	
`

func TestRead(t *testing.T) {
	t.Parallel()
	rows := Read("letters.tsv", letters, "letter", "place", "share", "sounds")
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	first, second, last := rows[0], rows[1], rows[2]
	if first.Text("letter") != "a" || first.Int("place") != 1 || first.Float("share") != 0.082 {
		t.Errorf("first row: %v", first)
	}
	if got := first.Fields("sounds"); !slices.Equal(got, []string{"ah", "ay"}) {
		t.Errorf("fields: %q", got)
	}
	if second.Int("place") != 1002 || second.Float("share") != 0.01 {
		t.Errorf("second row: %v", second)
	}
	if last.Int("place") != -3 || last.Text("sounds") != "" || len(last.Fields("sounds")) != 0 {
		t.Errorf("last row: %v", last)
	}
	// The last line needs no line break, and a header alone is an empty table.
	if got := Read("x", "a\tb\n1\t2", "a", "b"); len(got) != 1 || got[0].Int("b") != 2 {
		t.Errorf("without a last line break: %v", got)
	}
	if got := Read("x", "a\tb\n", "a", "b"); len(got) != 0 {
		t.Errorf("header alone: %v", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	const text = "# Fruit.\npear\n\nblood orange\npear\n"
	if got := Words("fruit.txt", text); !slices.Equal(got, []string{"pear", "blood orange", "pear"}) {
		t.Errorf("words: %q", got)
	}
	if got := Set("fruit.txt", "pear\nplum\n"); !maps.Equal(got, map[string]bool{"pear": true, "plum": true}) {
		t.Errorf("set: %v", got)
	}
}

func TestMapAndLists(t *testing.T) {
	t.Parallel()
	const text = "kind\tname\nfruit\tpear\nroot\tbeet\n"
	if got := Map("x", text, "kind", "name"); !maps.Equal(got, map[string]string{"fruit": "pear", "root": "beet"}) {
		t.Errorf("map: %v", got)
	}
	lists := Lists("x", text+"fruit\tplum\n", "kind", "name")
	if !slices.Equal(lists["fruit"], []string{"pear", "plum"}) || !slices.Equal(lists["root"], []string{"beet"}) || len(lists) != 2 {
		t.Errorf("lists: %v", lists)
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	row := func(cell string) Row { return Read("f.tsv", "a\n\n"+cell+"\n", "a")[0] }
	for _, c := range []struct {
		name string
		do   func()
		want string
	}{
		{"empty", func() { Read("f.tsv", "", "a") }, `f.tsv: the header must be ["a"]`},
		{"header", func() { Read("f.tsv", "b\n1\n", "a") }, `f.tsv: the header must be ["a"]`},
		{"few cells", func() { Read("f.tsv", "a\tb\n# c\n1\n", "a", "b") }, "f.tsv:3: 1 cells instead of 2"},
		{"many cells", func() { Read("f.tsv", "a\n1\t2\n", "a") }, "f.tsv:2: 2 cells instead of 1"},
		{"space", func() { row("x ") }, `f.tsv:3: space at the edge of "x "`},
		{"carriage return", func() { row("x\r") }, `f.tsv:3: space at the edge of "x\r"`},
		{"not UTF-8", func() { row("\xff") }, "f.tsv:3: not UTF-8"},
		{"column", func() { row("x").Text("b") }, `f.tsv:3: no column "b"`},
		{"number", func() { row("x").Int("a") }, `f.tsv:3: a is not a whole number: "x"`},
		{"fraction", func() { row("1,5").Float("a") }, `f.tsv:3: a is not a number: "1,5"`},
		{"own rule", func() { row("x").Fail("no code %s", "x") }, "f.tsv:3: no code x"},
		{"tab in words", func() { Words("f.txt", "a\tb\n") }, "f.txt:1: a tab in a word list"},
		{"word twice", func() { Set("f.txt", "a\na\n") }, `f.txt: "a" is listed twice`},
		{"key twice", func() { Map("f.tsv", "k\tv\na\tb\na\tc\n", "k", "v") }, `f.tsv:3: "a" is listed twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
			}()
			c.do()
		})
	}
}

func TestReadSets(t *testing.T) {
	t.Parallel()
	s := ReadSets("f.tsv", "# comment\nlist\tword\na\tX\na\tY Z\nb\tX\n")
	if a, b := s.Of("a"), s.Of("b"); len(a) != 2 || !a["Y Z"] || len(b) != 1 || !b["X"] {
		t.Errorf("read %v and %v", a, b)
	}
	for name, read := range map[string]func(){
		`f.tsv:3: "X" is twice in a`: func() { ReadSets("f.tsv", "list\tword\na\tX\na\tX\n") },
		`f.tsv: no list "c"`:         func() { s.Of("c") },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panicked with %v, want %s", got, name)
				}
			}()
			read()
		}()
	}
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "FOOD": "FOOD", "A=1": "A=1", " =1": "' =1", "A =1": "A =1", "\u00a0\u200b-2": "'\u00a0\u200b-2", "＝1": "'＝1", "=1+1": "'=1+1", "+1": "'+1", "-5": "'-5", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t'=1", "\r=1": "'\r'=1", "\n=1": "'\n'=1", "'=1": "'=1",
		";=1+1": ";'=1+1", "Food;=1+1": "Food;'=1+1", "a\t@b;-1": "a\t'@b;'-1", "a; b-c": "a; b-c", "a;  =1+1": "a;'  =1+1", "a\n +1": "a\n' +1", `x;"=1+1&`: `x;'"=1+1&`, "x\t\"=1": "x\t'\"=1",
	} {
		if got := Harmless(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestHarmlessCells splits random cells as spreadsheets do. None begins like a formula,
// and only apostrophes were added.
func TestHarmlessCells(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("=+-@＝1aé\"',;\t\r\n  \u00a0\u200b\ufeff")
	for range 20_000 {
		cell := make([]rune, r.IntN(12))
		for i := range cell {
			cell[i] = alphabet[r.IntN(len(alphabet))]
		}
		in := string(cell)
		got := Harmless(in)
		if Harmless(got) != got || strings.ReplaceAll(got, "'", "") != strings.ReplaceAll(in, "'", "") {
			t.Fatalf("%q becomes %q", in, got)
		}
		for _, part := range strings.FieldsFunc(got, func(c rune) bool { return strings.ContainsRune(";\t\r\n", c) }) {
			part = strings.TrimLeftFunc(part, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsGraphic(c) })
			if strings.IndexFunc(part, func(c rune) bool { return strings.ContainsRune("=+-@＝", c) }) == 0 {
				t.Fatalf("%q becomes %q, which has the formula %q", in, got, part)
			}
		}
	}
}
