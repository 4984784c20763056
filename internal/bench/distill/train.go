package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"grantgraph/internal/meaning"
	"grantgraph/internal/parallel"
)

// What makes a term: a word that is in enough texts, or a pair of words that is in
// enough texts and stands together more often than by chance.
const (
	wordTexts = 3
	pairTexts = 20
	pairLift  = 3 // natural logarithm
)

const (
	epochs  = 5
	batch   = 1024
	rate    = .015
	heldOut = 3000 // texts that are not trained on, to see what is learned
)

// lessons are the texts as the student sees them, with what the teacher says.
type lessons struct {
	terms   []string
	texts   [][]int32 // terms of each
	targets []meaning.Vector
}

// prepare chooses the terms. Words of the teacher's vocabulary count as terms wherever they occur.
func prepare(m *meaning.Model, texts []string, vectors []meaning.Vector, mean *meaning.Vector) *lessons {
	count, docs, words := map[string]int{}, map[string]int{}, 0
	for _, text := range texts {
		seen := map[string]bool{}
		m.EachTerm(text, func(term []byte) bool {
			t := string(term)
			count[t]++
			if !strings.Contains(t, "_") {
				words++
			}
			if !seen[t] {
				seen[t] = true
				docs[t]++
			}
			return true
		})
	}
	common := map[string]bool{}
	for _, w := range m.Vocabulary() {
		common[w] = true
	}
	l := &lessons{targets: make([]meaning.Vector, len(vectors))}
	for i, v := range vectors {
		for j := range v {
			v[j] -= mean[j]
		}
		l.targets[i] = unit(v)
	}
	index := map[string]int32{}
	for _, t := range slices.Sorted(maps.Keys(docs)) {
		first, second, pair := strings.Cut(t, "_")
		if pair {
			lift := math.Log(float64(count[t]) * float64(words) / (float64(count[first]) * float64(count[second])))
			if docs[t] < pairTexts || lift < pairLift {
				continue
			}
		} else if docs[t] < wordTexts && !common[t] {
			continue
		}
		index[t] = int32(len(l.terms))
		l.terms = append(l.terms, t)
	}
	whole := len(l.terms)
	for _, text := range texts {
		var ids []int32
		m.EachTerm(text, func(term []byte) bool {
			i, known := index[string(term)]
			if !known && term[0] == meaning.PieceMark[0] {
				i = int32(len(l.terms))
				index[string(term)] = i
				l.terms = append(l.terms, string(term))
				known = true
			}
			if known {
				ids = append(ids, i)
			}
			return known
		})
		l.texts = append(l.texts, ids)
	}
	fmt.Printf("%d texts, %d words and pairs, %d pieces\n", len(texts), whole, len(l.terms)-whole)
	return l
}

func meanOf(vectors []meaning.Vector) (mean meaning.Vector) {
	var sum [meaning.Dim]float64
	for i := range vectors {
		for j, v := range vectors[i] {
			sum[j] += float64(v)
		}
	}
	for j := range sum {
		mean[j] = float32(sum[j] / float64(len(vectors)))
	}
	return mean
}

func unit(v meaning.Vector) meaning.Vector { return meaning.Blend(v, meaning.Vector{}) }

// train fits the vectors of terms so that their sum points where the teacher's vector points. It descends the
// gradient of the cosine; the more a term was moved already, the smaller its steps.
func (l *lessons) train() []meaning.Vector {
	terms := make([]meaning.Vector, len(l.terms))
	total := l.begin(terms)
	fmt.Printf("%d occurrences of terms\n", total)
	rng := rand.New(rand.NewPCG(3, 5))
	order := rng.Perm(len(l.texts))
	held, order := order[:min(heldOut, len(order)/10)], order[min(heldOut, len(order)/10):]
	moved := make([]float64, len(terms))
	gradient := make([]meaning.Vector, len(terms))
	for epoch := range epochs {
		pace := rate * (1 - float64(epoch)/epochs)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for part := range slices.Chunk(order, batch) {
			l.step(terms, gradient, moved, part, pace)
		}
		fmt.Printf("epoch %d: cosine %.4f of texts held out, %.4f of others\n", epoch+1, l.cosine(terms, held), l.cosine(terms, order[:len(held)]))
	}
	return terms
}

// begin sets each term to the mean of the texts that have it, smaller the more common it is.
func (l *lessons) begin(terms []meaning.Vector) (total int) {
	count := make([]int, len(terms))
	for i, ids := range l.texts {
		for _, t := range ids {
			count[t]++
			total++
			for j, v := range l.targets[i] {
				terms[t][j] += v
			}
		}
	}
	for t := range terms {
		terms[t] = unit(terms[t])
		damp := float32(1e-3 / (1e-3 + float64(count[t])/float64(total)))
		for j := range terms[t] {
			terms[t][j] *= damp
		}
	}
	return total
}

func (l *lessons) sum(terms []meaning.Vector, text int) (v meaning.Vector, length float32) {
	for _, t := range l.texts[text] {
		for j, x := range terms[t] {
			v[j] += x
		}
	}
	return v, float32(math.Sqrt(float64(v.Dot(&v)))) + 1e-6
}

// step moves the terms of some texts. The order of every sum is fixed, so that the
// result does not depend on the number of processors.
func (l *lessons) step(terms, gradient []meaning.Vector, moved []float64, part []int, pace float64) {
	pulls := make([]meaning.Vector, len(part)) // of each text on all of its terms
	workers := runtime.GOMAXPROCS(0)
	parallel.Ranges(len(part), workers, func(_, from, to int) {
		for p := from; p < to; p++ {
			v, length := l.sum(terms, part[p])
			for j := range v {
				v[j] /= length
			}
			target := &l.targets[part[p]]
			cosine := v.Dot(target)
			for j := range v {
				v[j] = (cosine*v[j] - target[j]) / length
			}
			pulls[p] = v
		}
	})
	parallel.Ranges(meaning.Dim, workers, func(_, from, to int) {
		for p, i := range part {
			pull := pulls[p][from:to]
			for _, t := range l.texts[i] {
				g := gradient[t][from:to]
				for j, x := range pull {
					g[j] += x
				}
			}
		}
	})
	var touched []int32
	for _, i := range part {
		touched = append(touched, l.texts[i]...)
	}
	slices.Sort(touched)
	touched = slices.Compact(touched)
	parallel.Ranges(len(touched), workers, func(_, from, to int) {
		for _, t := range touched[from:to] {
			g := &gradient[t]
			moved[t] += float64(g.Dot(g)) / meaning.Dim
			by := float32(pace / math.Sqrt(moved[t]+1e-6))
			for j, x := range g {
				terms[t][j] -= by * x
			}
			*g = meaning.Vector{}
		}
	})
}

func (l *lessons) cosine(terms []meaning.Vector, texts []int) float64 {
	total := 0.0
	for _, i := range texts {
		v, length := l.sum(terms, i)
		total += float64(v.Dot(&l.targets[i]) / length)
	}
	return total / float64(max(1, len(texts)))
}
