package hashtable_test

import (
	"hash/maphash"
	"math/rand/v2"
	"strconv"
	"testing"

	"grantgraph/internal/hashtable"
)

// TestNumber compares with a map, also where all hashes are the same.
func TestNumber(t *testing.T) {
	t.Parallel()
	seed := maphash.MakeSeed()
	for name, hash := range map[string]func(string) uint32{
		"different hashes": func(s string) uint32 { return uint32(maphash.String(seed, s)) },
		"few hashes":       func(s string) uint32 { return uint32(len(s)) },
		"one hash":         func(string) uint32 { return 7 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			var table hashtable.Table
			for range 3 {
				numbers, words := map[string]uint32{}, []string(nil)
				for range 3000 {
					word := strconv.Itoa(r.IntN(600))
					want, known := numbers[word]
					if !known {
						want = uint32(len(words))
						numbers[word] = want
					}
					got, fresh := table.Number(hash(word), func(n uint32) bool { return words[n] == word })
					if fresh {
						words = append(words, word)
					}
					if got != want || fresh == known {
						t.Fatalf("%s has number %d, fresh %v, want %d, %v", word, got, fresh, want, !known)
					}
					if n, ok := table.Guess(hash(word)); ok && hash(words[n]) != hash(word) {
						t.Fatalf("the guess %d for %s has another hash", n, word)
					}
				}
				table.Clear()
				if _, ok := table.Guess(hash("1")); ok {
					t.Fatal("a cleared table has numbers")
				}
			}
		})
	}
}

// BenchmarkNumber shows what the table saves over a map.
func BenchmarkNumber(b *testing.B) {
	words := make([]string, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range words {
		words[i] = "FRIENDS OF " + strconv.Itoa(r.IntN(len(words)/4))
	}
	b.Run("table", func(b *testing.B) {
		seed := maphash.MakeSeed()
		for b.Loop() {
			var table hashtable.Table
			var list []string
			for _, w := range words {
				if _, fresh := table.Number(uint32(maphash.String(seed, w)), func(n uint32) bool { return list[n] == w }); fresh {
					list = append(list, w)
				}
			}
		}
	})
	b.Run("map", func(b *testing.B) {
		for b.Loop() {
			numbers := map[string]uint32{}
			for _, w := range words {
				if _, ok := numbers[w]; !ok {
					numbers[w] = uint32(len(numbers))
				}
			}
		}
	})
}
