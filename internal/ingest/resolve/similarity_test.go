package resolve

import (
	"math/rand/v2"
	"testing"

	"grantgraph/internal/orgname"
	"grantgraph/internal/typo"
)

// TestSimilar holds the similarity against the definition, letter by letter.
func TestSimilar(t *testing.T) {
	t.Parallel()
	plain := func(a, b string) float64 {
		if len(a) > len(b) {
			a, b = b, a
		}
		window := max(len(b)/2-1, 0)
		var usedA, usedB [60]bool
		matches := 0
		for i := range len(a) {
			for j := max(i-window, 0); j < min(i+window+1, len(b)); j++ {
				if !usedB[j] && a[i] == b[j] {
					usedA[i], usedB[j] = true, true
					matches++
					break
				}
			}
		}
		if matches == 0 {
			return 0
		}
		swapped, j := 0, 0
		for i := range len(a) {
			if !usedA[i] {
				continue
			}
			for !usedB[j] {
				j++
			}
			if a[i] != b[j] {
				swapped++
			}
			j++
		}
		m, head := float64(matches), 0
		jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(swapped)/2)/m) / 3
		for head < min(len(a), 4) && a[head] == b[head] {
			head++
		}
		return jaro + float64(head)*0.1*(1-jaro)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		word := func() string {
			b := make([]byte, 1+r.IntN(60))
			for i := range b {
				b[i] = "ABCDE019"[r.IntN(8)]
			}
			return string(b)
		}
		a, b := word(), word()
		if r.IntN(2) == 0 { // that begin alike
			b = a[:r.IntN(len(a)+1)] + b
			b = b[:min(len(b), 60)]
		}
		if got, want := similar(a, b), plain(a, b); got != want {
			t.Fatalf("similar(%q, %q) = %v, want %v", a, b, got, want)
		}
	}
}

// TestAlikeByLetters holds what is found out at less cost against all that is
// measured, on names that are alike more often than names are.
func TestAlikeByLetters(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 1))
	word := func() string {
		b := make([]byte, 1+r.IntN(14))
		for i := range b {
			b[i] = "ABCDE019"[r.IntN(8)]
		}
		return string(b)
	}
	alike, similarOnly := 0, 0
	for range 50_000 {
		line := word()
		for range r.IntN(4) {
			line += " " + word()
		}
		name := []byte(line)
		for range r.IntN(6) {
			switch at := r.IntN(len(name)); r.IntN(4) {
			case 0:
				name[at] = 'E'
			case 1:
				name = append(name[:at:at], name[at+1:]...)
			case 2:
				name = append(name, 'F')
			case 3:
				name = []byte((orgname.Name{K2: string(name)}).KA() + "A")
			}
			if len(name) == 0 {
				name = []byte("A")
			}
		}
		n := orgname.Name{K2: line, KX: joined(line)}
		p := &reading{name: &n}
		if len(n.KX) > 8 {
			p.ka = n.KA()
		}
		d := &orgIndex{k2: []string{string(name)}, kx: []string{joined(string(name))}}
		kx := d.kx[0]
		var x [nFeatures]float64
		x[fExact], x[fEdit] = oneIf(kx == n.KX), oneIf(len(kx) >= minFuzzy && typo.OneSlip(n.KX, kx))
		x[fPrefix], x[fAcronym], x[fSimilar] = oneIf(begins(n.KX, kx) > 0), oneIf(d.initials(p, 0)), similar(n.KX, kx)
		want := isPlausible(&x)
		if got := d.alikeByLetters(p, 0); got != want {
			t.Fatalf("%q and %q: %v, similarity %v", n.KX, kx, got, x[fSimilar])
		}
		alike += int(oneIf(want))
		similarOnly += int(oneIf(want && x[fExact]+x[fEdit]+x[fPrefix]+x[fAcronym] == 0))
	}
	if alike < 1000 || alike > 45_000 || similarOnly < 100 {
		t.Errorf("%d are alike, %d by similarity alone", alike, similarOnly)
	}
}
