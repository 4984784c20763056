package typo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// vocabulary is some thousand invented words, and numbers.
func vocabulary(n int) (v Vocabulary, words []string) {
	r := rand.New(rand.NewPCG(3, 4))
	syllables := []string{"BA", "BEL", "BRIN", "CAL", "CHES", "COR", "DAN", "EL", "FEN", "GREN", "HAL", "IN", "KEN", "LOR", "MAR", "NOR", "QUIN", "STON", "VER", "ZEL"}
	for i := range n {
		w := fmt.Sprint(i)
		if i%10 > 0 {
			w = ""
			for range 2 + r.IntN(3) {
				w += syllables[r.IntN(len(syllables))]
			}
		}
		words = append(words, w)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	v, _ = VocabularyOf(words)
	return v, words
}

// slip makes one typing error in s: a letter more, less, other, or two neighbors
// swapped, at any place.
func slip(r *rand.Rand, s string) string {
	for {
		i, t := r.IntN(len(s)-1), s
		c := string(rune('A' + r.IntN(26)))
		switch r.IntN(4) {
		case 0:
			t = s[:i] + c + s[i:]
		case 1:
			t = s[:i] + s[i+1:]
		case 2:
			t = s[:i] + c + s[i+1:]
		default:
			t = s[:i] + s[i+1:i+2] + s[i:i+1] + s[i+2:]
		}
		if t != s {
			return t
		}
	}
}

// TestCorrections holds the two walks over the vocabulary against a comparison
// with every word of it.
func TestCorrections(t *testing.T) {
	t.Parallel()
	v, words := vocabulary(800)
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 1))
	k := &Walker{Vocabulary: v}
	checked := 0
	for range 400 {
		word := words[r.IntN(len(words))]
		if word[0] < 'A' || len(word) > MaxWord-2 {
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
			for w := range uint32(v.Len()) {
				text := string(v.Word(w))
				d := Distance(word, text)
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
	v, all := vocabulary(60_000)
	r := rand.New(rand.NewPCG(1, 1))
	var words []string
	for len(words) < 1000 {
		if w := all[r.IntN(len(all))]; w[0] >= 'A' && len(w) >= 8 && len(w) < MaxWord {
			words = append(words, slip(r, w))
		}
	}
	k := &Walker{Vocabulary: v}
	var alts []Near
	for _, most := range []int{1, 2} {
		b.Run(map[int]string{1: "one slip", 2: "two slips"}[most], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				alts = k.Correct(alts[:0], words[i%len(words)], most)
			}
		})
	}
}
