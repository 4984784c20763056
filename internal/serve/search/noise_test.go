package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/orgname"
)

// slip makes one typing error in s: a letter more, less, other, or two
// neighbours swapped, at any place.
func slip(r *rand.Rand, s string) string {
	var at []int
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			at = append(at, i)
		}
	}
	if len(at) < 2 {
		return s
	}
	for {
		i := at[r.IntN(len(at))]
		c := string(rune('A' + r.IntN(26)))
		var t string
		switch r.IntN(4) {
		case 0:
			t = s[:i] + c + s[i:]
		case 1:
			t = s[:i] + s[i+1:]
		case 2:
			t = s[:i] + c + s[i+1:]
		default:
			if i+1 == len(s) || s[i+1] < 'A' || s[i+1] > 'Z' {
				continue
			}
			t = s[:i] + s[i+1:i+2] + s[i:i+1] + s[i+2:]
		}
		if t != s {
			return t
		}
	}
}

// noises are the ways in which a person departs from a registered name.
var noises = []struct {
	name       string
	one, ten   float64 // least share found first, and among the first ten
	make       func(r *rand.Rand, name string) string
	wordsAtMin int
}{
	{"as registered", 0.98, 0.99, func(_ *rand.Rand, s string) string { return s }, 1},
	{"lower case", 0.98, 0.99, func(_ *rand.Rand, s string) string { return strings.ToLower(s) }, 1},
	{"suffix dropped", 0.98, 0.99, func(_ *rand.Rand, s string) string {
		for _, end := range []string{" INC", " CORPORATION", " CORP", " LTD", " LLC", " CO", " COMPANY"} {
			s = strings.TrimSuffix(s, end)
		}
		return s
	}, 1},
	{"suffix added", 0.98, 0.99, func(_ *rand.Rand, s string) string { return "The " + s + ", Incorporated" }, 1},
	{"one typo", 0.99, 0.99, slip, 2},
	{"two typos", 0.95, 0.98, func(r *rand.Rand, s string) string { return slip(r, slip(r, s)) }, 3},
	{"typo and no suffix", 0.99, 0.99, func(r *rand.Rand, s string) string { return slip(r, strings.TrimSuffix(s, " INC")) }, 2},
	{"ampersand", 0.97, 0.99, func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, " AND ", " & ") }, 1},
	{"words shuffled", 0.98, 0.99, func(r *rand.Rand, s string) string {
		w := strings.Fields(s)
		r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
		return strings.Join(w, " ")
	}, 3},
	{"last word begun", 0.98, 0.99, func(r *rand.Rand, s string) string {
		s = strings.TrimSuffix(s, " INC")
		i := strings.LastIndexByte(s, ' ') + 1
		return s[:min(len(s), i+3+r.IntN(3))]
	}, 3},
	{"a space lost", 0.99, 0.99, func(r *rand.Rand, s string) string {
		w := strings.Fields(s)
		i := 1 + r.IntN(len(w)-1)
		return strings.Join(w[:i], " ") + strings.Join(w[i:], " ")
	}, 3},
	{"punctuated", 0.97, 0.99, func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, " ", " - ") }, 2},
}

// TestNoise asks for organizations by names made wrong in known ways. The
// state is given, and an organization of the same name there is as right.
func TestNoise(t *testing.T) {
	t.Parallel()
	_, x := invented(t)
	t.Run("invented", func(t *testing.T) { t.Parallel(); askWrong(t, x, 800) })
	t.Run("real", func(t *testing.T) {
		t.Parallel()
		upstream.Dir(t)
		x, err := register()
		if err != nil {
			t.Fatal(err)
		}
		askWrong(t, x, 600)
	})
}

func askWrong(t *testing.T, x *Index, n int) {
	for _, noise := range noises {
		r := rand.New(rand.NewPCG(1, 2))
		var c tally
		for range n {
			right := x.result(r.Uint32N(uint32(len(x.orgs))))
			if right.State == "" || len(strings.Fields(orgname.Parse(right.Name).K2)) < noise.wordsAtMin {
				continue
			}
			q := noise.make(r, right.Name)
			found := x.Find(q, right.State, 10)
			at := rank(found, right.EIN, orgname.Key(right.Name))
			c.add(at)
			if at != 0 && testing.Verbose() && c.asked-c.first < 10 {
				got := "nothing"
				if len(found) > 0 {
					got = fmt.Sprintf("%q (%.3f)", found[0].Name, found[0].Score)
				}
				t.Logf("%s: %q is %q, found %s", noise.name, q, right.Name, got)
			}
		}
		t.Logf("%-20s %5d asked   first %.4f   ten %.4f", noise.name, c.asked, c.at1(), c.at10())
		if c.at1() < noise.one || c.at10() < noise.ten {
			t.Errorf("%s: first %.4f, ten %.4f; at least %.2f and %.2f are wanted", noise.name, c.at1(), c.at10(), noise.one, noise.ten)
		}
	}
}
