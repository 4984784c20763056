package resolve

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// invent makes the i-th organization of a large made-up register. Names repeat
// across states as real ones do.
func invent(i int) Org {
	r := rand.New(rand.NewPCG(uint64(i), 42))
	word := func() string {
		s := make([]byte, 0, 10)
		for range 2 + r.IntN(3) {
			s = append(s, "BCDFGHLMNPRSTVW"[r.IntN(15)], "AEIOU"[r.IntN(5)])
		}
		return string(s)
	}
	var name string
	switch r.IntN(10) {
	case 0:
		name = fmt.Sprintf("FIRST %s CHURCH", []string{"BAPTIST", "METHODIST", "LUTHERAN", "UNITED"}[r.IntN(4)])
	case 1:
		name = fmt.Sprintf("VETERANS LEAGUE POST %d", r.IntN(2000))
	case 2:
		name = word() + " FAMILY FOUNDATION"
	case 3:
		name = "THE " + word() + " " + word() + " SOCIETY OF " + word() + ", INC."
	default:
		name = word() + " " + word() + " ASSN INC"
	}
	states := [...]string{"CA", "NY", "TX", "FL", "PA", "OH", "IL", "MI", "NC", "GA", "NJ", "VA", "WA", "MA", "AZ", "TN", "IN", "MO", "MD", "WI"}
	return Org{EIN: ein.EIN(100000000 + 7*i), Name: name, Street: fmt.Sprintf("%d %s ST", r.IntN(9999), word()), City: word(),
		State: states[r.IntN(len(states))], ZIP5: fmt.Sprintf("%05d", r.IntN(30000)*3), NTEE: "B43", Subsection: "03",
		Foundation: "15", Affiliation: "3", Group: "0000", Revenue: int64(r.IntN(1e6)), Sources: BMF, Active: true}
}

func inventUniverse(n int) *Universe {
	b := NewUniverse()
	for i := range n {
		b.Add(invent(i))
	}
	return b.Build()
}

// BenchmarkUniverse builds a register of full size once per run.
func BenchmarkUniverse(b *testing.B) {
	const n = 1_900_000
	orgs := make([]Org, n)
	for i := range orgs {
		orgs[i] = invent(i)
	}
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		builder := NewUniverse()
		for i := range orgs {
			builder.Add(orgs[i])
		}
		u := builder.Build()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(u)
	}
	runtime.KeepAlive(orgs)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB-kept")
	b.ReportMetric(float64(after.Sys)/(1<<20), "MB-sys")
}

// BenchmarkResolve measures the rules on parsed names, half of which are in the
// register.
func BenchmarkResolve(b *testing.B) {
	u := inventUniverse(200_000)
	r := New(u, nil)
	lines := make([]Tuple, 20_000)
	names := make([]*orgname.Name, len(lines))
	for i := range lines {
		o := invent(i * 20)
		lines[i] = Tuple{Name1: o.Name, State: o.State, City: o.City, ZIP: o.ZIP5}
		n := orgname.ParseLine(o.Name, "", o.City, o.State)
		names[i] = &n
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := i % len(lines)
		m := r.Resolve(&lines[k], names[k])
		r.ForFunder(&lines[k], names[k], m, 80000001, "")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tuples/s")
}
