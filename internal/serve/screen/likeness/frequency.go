package likeness

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./gen -out frequency.gz ../../../../../shared/upstream/bmf/2026-04

// frequencyGZ is the table of how common words are in the names of American nonprofits:
// compressed text with a line for each step of rarity,
//
//	step word word word…
//
// A word of step s occurs in one name of e^(s/10).
//
//go:embed frequency.gz
var frequencyGZ []byte

// Step returns the rarity of a word that occurs in n of all names, in tenths of a natural logarithm.
func Step(n, all int) int {
	return int(math.Round(10 * math.Log(float64(all)/float64(n))))
}

// frequency maps the words of the table to the share of names in which they occur.
var frequency = sync.OnceValue(func() map[string]float64 {
	m, err := unpack(frequencyGZ)
	if err != nil {
		panic("likeness: the shipped table is damaged: " + err.Error())
	}
	return m
})

// Common reports whether at least a few nonprofits have the word in their names.
func Common(word string) bool { return frequency()[word] > 0 }

func unpack(packed []byte) (map[string]float64, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, 8<<20))
	if err != nil {
		return nil, err
	}
	m := make(map[string]float64, 16<<10)
	for line := range strings.Lines(string(text)) {
		step, words, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(step)
		if !ok || err != nil || n < 0 {
			return nil, fmt.Errorf("bad line %.20q", line)
		}
		share := math.Exp(-float64(n) / 10)
		for w := range strings.SplitSeq(words, " ") {
			m[w] = share
		}
	}
	return m, nil
}
