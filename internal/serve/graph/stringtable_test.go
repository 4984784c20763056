package graph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/snapshot"
)

// TestDict numbers texts, words and compounds of words, and holds the numbers
// against those of a map.
func TestDict(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	d, numbers := newDict(), map[string]uint32{}
	var columns [2][]uint32
	var met [2][]string
	check := func(column int, id uint32, text string) {
		want, known := numbers[text]
		if !known {
			want = uint32(len(numbers))
			numbers[text] = want
		}
		if id != want {
			t.Fatalf("%q has the number %d, not %d", text, id, want)
		}
		columns[column], met[column] = append(columns[column], id), append(met[column], text)
	}
	var words, parts []*snapshot.Word
	for n := range 200_000 {
		if n%20_000 == 0 { // a new row group
			words, parts = make([]*snapshot.Word, 3000), make([]*snapshot.Word, 60)
			for i := range words {
				words[i] = &snapshot.Word{Text: "w" + strings.Repeat("x", r.IntN(300))}
			}
			for i := range parts {
				parts[i] = &snapshot.Word{Text: strings.Repeat("y", r.IntN(30))}
			}
		}
		switch r.IntN(3) {
		case 0:
			text := strings.Repeat("z", 1+r.IntN(5000))
			check(0, d.id(text), text)
		case 1:
			w := words[r.IntN(len(words))]
			check(0, d.word(w), w.Text)
		case 2:
			a, b, c := parts[r.IntN(len(parts))], parts[r.IntN(len(parts))], parts[r.IntN(len(parts))]
			check(1, d.join(a, b, c), a.Text+sep+b.Text+sep+c.Text+sep)
		}
	}
	former := slices.Clone(d.list)
	for i, n := range d.sorted(columns[0], columns[1]) {
		if d.list[i] != former[n] {
			t.Fatalf("%q was number %d, which is %q", d.list[i], n, former[n])
		}
	}
	if !slices.IsSorted(d.list) {
		t.Fatal("the list is out of order")
	}
	for c := range columns {
		for i, id := range columns[c] {
			if d.list[id] != met[c][i] {
				t.Fatalf("%q has become %q", met[c][i], d.list[id])
			}
		}
	}
}
