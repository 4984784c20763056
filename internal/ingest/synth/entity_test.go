package synth

import (
	"bytes"
	"testing"
)

// TestNamesReadLikeNames: every template is filled in, and names are such as
// the master file could hold.
func TestNamesReadLikeNames(t *testing.T) {
	t.Parallel()
	w := newWorld(3, 200_000, testZIPs())
	var e entity
	g := &gen{w: w}
	var b []byte
	check := func(what string, i int, name []byte) {
		t.Helper()
		if len(name) < 3 || len(name) > 400 || bytes.ContainsAny(name, "$|\n") || bytes.Contains(name, []byte("  ")) || name[0] == ' ' {
			t.Errorf("%s %d is %q", what, i, name)
		}
		for _, c := range name {
			if c < ' ' || c > '~' {
				t.Errorf("%s %d is %q", what, i, name)
				return
			}
		}
	}
	for i := range w.orgs {
		w.org(i, &e)
		b = appendLegal(b[:0], &e)
		check("name of organization", i, b)
		if b = appendMaster(b[:0], &e); len(b) > 70 {
			t.Errorf("organization %d is %q in the master file", i, b)
		}
		if i%5 == 0 {
			b = g.appendMission(b[:0], &e)
			check("mission of organization", i, b)
			check("street of organization", i, e.street)
		}
	}
	for r := range w.funders {
		w.funder(r, &e)
		check("name of funder", r, appendLegal(b[:0], &e))
	}
}

func TestWorldHasTheRightMix(t *testing.T) {
	t.Parallel()
	w := newWorld(1, 400_000, shippedZIPs())
	var e entity
	var n struct{ church, satellite, renamed, gone, group, acronym, family int }
	states := map[string]int{}
	names := map[string]int{}
	spots := map[string]int{}
	listed := 0
	for i := range w.orgs {
		w.org(i, &e)
		states[e.zip.State]++
		switch e.class {
		case church, temple:
			n.church++
		case familyFoundation:
			n.family++
		}
		if e.base >= 0 {
			n.satellite++
			var base entity
			w.org(e.base, &base)
			if base.zip != e.zip || !bytes.Equal(base.street, e.street) || base.ein == e.ein {
				t.Fatalf("%s at %s is no satellite of %s at %s", e.core, e.street, base.core, base.street)
			}
		}
		if len(e.old) > 0 {
			n.renamed++
		}
		if !e.listed && e.class != government && e.class != publicCollege {
			n.gone++
		}
		if e.group > 0 {
			n.group++
		}
		if len(e.alias) > 0 {
			n.acronym++
		}
		if e.listed {
			listed++
			names[e.zip.State+string(appendMaster(nil, &e))]++
			house, _, _ := bytes.Cut(e.street, []byte(" Ste "))
			spots[e.zip.Code+string(house)]++
		}
	}
	crowded := 0
	for _, k := range spots {
		if k >= 6 {
			crowded += k
		}
	}
	unique := 0
	for _, k := range names {
		if k == 1 {
			unique++
		}
	}
	for _, c := range []struct {
		what     string
		n, whole int
		lo, hi   float64
	}{
		{"churches", n.church, w.orgs, .13, .2},
		{"satellites", n.satellite, w.orgs, .03, .07},
		{"renamed", n.renamed, w.orgs, .03, .06},
		{"gone from the master file", n.gone, w.orgs, .03, .07},
		{"members of a group", n.group, w.orgs, .17, .26},
		{"with an acronym", n.acronym, w.orgs, .04, .12},
		{"family foundations among recipients and funders", n.family + w.funders/2, w.orgs, .07, .16},
		{"at an address with six or more", crowded, listed, .08, .14},
		{"names unique in their state", unique, listed, .8, .9},
		{"Californian", states["CA"], w.orgs, .1, .14},
		{"in Wyoming", states["WY"], w.orgs, .0005, .004},
	} {
		if got := float64(c.n) / float64(c.whole); got < c.lo || got > c.hi {
			t.Errorf("%s: %.4f, want %.4f to %.4f", c.what, got, c.lo, c.hi)
		}
	}
	if len(states) < 50 {
		t.Errorf("organizations live in %d states", len(states))
	}
}

// TestFundersPersist: a funder is the same in every year and every size of
// world with the same seed.
func TestFundersPersist(t *testing.T) {
	t.Parallel()
	small, large := newWorld(1, 20_000, testZIPs()), newWorld(1, 25_000, testZIPs())
	var a, b entity
	for r := range small.funders {
		small.funder(r, &a)
		large.funder(r, &b)
		if a.ein != b.ein || a.class != supporter && a.class == b.class && !bytes.Equal(a.core, b.core) {
			t.Fatalf("funder %d is %s %s and %s %s", r, a.ein, a.core, b.ein, b.core)
		}
	}
}

func FuzzPreset(f *testing.F) {
	for _, s := range []string{"20k", "2M", "", "k", "-3", "1_000", "99999999999999999999M"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, ok := Preset(s); ok && (n < 1 || n > MaxGrants) {
			t.Errorf("Preset(%q) = %d", s, n)
		}
	})
}
