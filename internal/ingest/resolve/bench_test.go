package resolve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// coin makes up the i-th word of a vocabulary.
func coin(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 9))
	s := make([]byte, 0, 10)
	for range 2 + r.IntN(3) {
		s = append(s, "BCDFGHLMNPRSTVW"[r.IntN(15)], "AEIOU"[r.IntN(5)])
	}
	return string(s)
}

// invent makes the i-th organization of a large made-up register. Words are as
// unevenly used as in real names, and names repeat across states as real ones
// do.
func invent(i int) Org {
	r := rand.New(rand.NewPCG(uint64(i), 42))
	word := func() string { return coin(int(math.Pow(60_000, r.Float64()))) }
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
	case 4:
		name = "FRIENDS OF " + word() + " " + word() + " COMMUNITY CENTER"
	default:
		name = word() + " " + word() + " ASSN INC"
	}
	states := [...]string{"CA", "NY", "TX", "FL", "PA", "OH", "IL", "MI", "NC", "GA", "NJ", "VA", "WA", "MA", "AZ", "TN", "IN", "MO", "MD", "WI"}
	zip := r.IntN(30000) * 3
	return Org{EIN: ein.EIN(100000000 + 7*i), Name: name, Street: fmt.Sprintf("%d %s ST", r.IntN(9999), coin(r.IntN(9000))), City: coin(zip / 9),
		State: states[r.IntN(len(states))], ZIP5: fmt.Sprintf("%05d", zip), NTEE: "B43", Subsection: "03",
		Foundation: "15", Affiliation: "3", Group: "0000", Revenue: int64(r.IntN(1e6)), Sources: BMF, Active: true}
}

func inventUniverse(n int) *Universe {
	b := NewUniverse()
	for i := range n {
		b.Add(invent(i))
	}
	return b.Build()
}

// registerSize is that of the whole master file and everything beside it.
const registerSize = 1_900_000

var fullUniverse = sync.OnceValue(func() *Universe { return inventUniverse(registerSize) })

// BenchmarkUniverse builds a register of full size once per run.
func BenchmarkUniverse(b *testing.B) {
	orgs := make([]Org, registerSize)
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

// inventLines makes lines as filers write them: most names as they are, some
// with a letter wrong, words added or dropped, or of nobody at all; most with
// the organization's ZIP, some with another.
func inventLines(n int) ([]Recipient, []*orgname.Name) {
	lines, names := make([]Recipient, n), make([]*orgname.Name, n)
	for i := range lines {
		r := rand.New(rand.NewPCG(uint64(i), 77))
		o := invent(r.IntN(registerSize))
		t := Recipient{Name1: o.Name, State: o.State, City: o.City, ZIP: o.ZIP5, Street: o.Street}
		switch r.IntN(10) {
		case 0:
			at := r.IntN(len(t.Name1))
			t.Name1 = t.Name1[:at] + "X" + t.Name1[at:]
		case 1:
			t.Name1 += " " + coin(r.IntN(60_000))
		case 2:
			t.Name1 = coin(r.IntN(60_000)) + " " + coin(r.IntN(60_000)) + " SOCIETY"
		}
		if r.IntN(4) == 0 {
			t.ZIP, t.Street = fmt.Sprintf("%05d", r.IntN(30000)*3), "1 MAIN ST"
		}
		p := orgname.ParseLine(t.Name1, "", t.City, t.State)
		lines[i], names[i] = t, &p
	}
	return lines, names
}

// BenchmarkRules measures the rules on parsed names against a register of full
// size, on all cores. At least 100,000 recipients a second are wanted of two.
func BenchmarkRules(b *testing.B) {
	r := New(fullUniverse(), Options{})
	lines, names := inventLines(100_000)
	benchResolve(b, r, lines, names)
}

// BenchmarkModel measures the model on lines that no rule resolves. At most
// 0.12 milliseconds a recipient are wanted of two cores.
func BenchmarkModel(b *testing.B) {
	u := fullUniverse()
	rules := New(u, Options{})
	lines, names := inventLines(100_000)
	n := 0
	for i := range lines {
		if rules.Resolve(&lines[i], names[i]).EIN == ein.None {
			lines[n], names[n] = lines[i], names[i]
			n++
		}
	}
	b.ReportMetric(float64(n), "lines")
	benchResolve(b, New(u, Options{Model: Prior()}), lines[:n], names[:n])
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/tuple")
}

func benchResolve(b *testing.B, r *Resolver, lines []Recipient, names []*orgname.Name) {
	var next atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	spent := processor(b)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			k := int(next.Add(1)) % len(lines)
			r.Resolve(&lines[k], names[k])
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tuples/s")
	b.ReportMetric(float64((processor(b)-spent).Microseconds())/float64(b.N), "cpu-µs/tuple")
}

// processor is the time this process has spent computing, which other processes
// on the machine do not lengthen by much.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
