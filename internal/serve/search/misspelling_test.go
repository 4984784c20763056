package search

import (
	"grantgraph/internal/typo"
	"math/rand/v2"
	"testing"
)

// editDistance is the distance between two words by the book: the least number
// of letters added, left out, changed, or swapped with a neighbour.
func editDistance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// TestCorrections holds the two walks over the vocabulary against a comparison
// with every word of it.
func TestCorrections(t *testing.T) {
	t.Parallel()
	x, err := indexOf(crowd(300))
	if err != nil {
		t.Fatal(err)
	}
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 1))
	k := &newFinder(x).walker
	checked := 0
	for range 400 {
		word := string(x.word(r.Uint32N(uint32(x.vocabulary()))))
		if word[0] < 'A' || len(word) > typo.MaxWord-2 {
			continue
		}
		word = slip(r, word)
		if r.IntN(2) == 0 {
			word = slip(r, word)
		}
		if len(word) < 3 {
			continue
		}
		for most := 1; most <= 2; most++ {
			found := map[uint32]int{}
			for _, a := range k.Correct(nil, word, most) {
				found[a.Word] = int(a.Distance)
			}
			for w := range uint32(x.vocabulary()) {
				text := string(x.word(w))
				d := editDistance(word, text)
				want := text[0] >= 'A' && d > 0 && d <= most
				if got, ok := found[w]; ok != want || ok && got != d {
					t.Errorf("%q and %q are %d apart; found %v with %d, %d allowed", word, text, d, ok, got, most)
				}
			}
			checked += len(found)
		}
	}
	if checked < 200 {
		t.Errorf("only %d corrections", checked)
	}
}

func BenchmarkCorrect(b *testing.B) {
	x, err := indexOf(crowd(200_000))
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var words []string
	for len(words) < 1000 {
		if w := string(x.word(r.Uint32N(uint32(x.vocabulary())))); w[0] >= 'A' && len(w) >= 8 && len(w) < typo.MaxWord {
			words = append(words, slip(r, w))
		}
	}
	k := &newFinder(x).walker
	var alts []typo.Near
	for _, most := range []int{1, 2} {
		b.Run(map[int]string{1: "one slip", 2: "two slips"}[most], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				alts = k.Correct(alts[:0], words[i%len(words)], most)
			}
		})
	}
}
