package irs990

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// items is everything a sink was given, copied.
type items struct {
	Grants   []Grant
	People   []Person
	Holdings []Holding
	Related  []Related
	Asides   []Aside

	Applications []Application
}

// copyStrings replaces every string in a record by one of its own, as a sink
// that keeps records has to.
func copyStrings[T any](v T) T {
	var walk func(reflect.Value)
	walk = func(r reflect.Value) {
		switch r.Kind() {
		case reflect.String:
			r.SetString(strings.Clone(r.String()))
		case reflect.Struct:
			for i := range r.NumField() {
				walk(r.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(&v).Elem())
	return v
}

func (i *items) sink() *Sink {
	return &Sink{
		Grant:   func(g *Grant) error { i.Grants = append(i.Grants, copyStrings(*g)); return nil },
		Aside:   func(a *Aside) error { i.Asides = append(i.Asides, copyStrings(*a)); return nil },
		Person:  func(p *Person) error { i.People = append(i.People, copyStrings(*p)); return nil },
		Holding: func(h *Holding) error { i.Holdings = append(i.Holdings, copyStrings(*h)); return nil },
		Related: func(r *Related) error { i.Related = append(i.Related, copyStrings(*r)); return nil },
		Application: func(a *Application) error {
			i.Applications = append(i.Applications, copyStrings(*a))
			return nil
		},
	}
}

func (i *items) agree(t Tally) error {
	counts := [...][2]int{
		{len(i.Grants), t.PFPaid + t.PFFuture + t.ScheduleI},
		{len(i.People), t.PartVIIPeople + t.PFOfficers + t.EZOfficers},
		{len(i.Holdings), t.Holdings},
		{len(i.Related), t.Related},
		{len(i.Asides), t.ScheduleIPeople + t.ScheduleFOrgs + t.ScheduleFPeople},
	}
	for n, c := range counts {
		if c[0] != c[1] {
			return fmt.Errorf("list %d: the sink was given %d, the tally says %d", n, c[0], c[1])
		}
	}
	return nil
}

func parse(t testing.TB, doc string) (Return, items) {
	t.Helper()
	var ret Return
	var got items
	if err := NewReader().Read(strings.NewReader(doc), &ret, got.sink()); err != nil {
		t.Fatal(err)
	}
	if err := got.agree(ret.Tally); err != nil {
		t.Error(err)
	}
	return ret, got
}

// TestOracle compares every field of every list of the real returns with what
// a plain reader built on encoding/xml finds.
func TestOracle(t *testing.T) {
	t.Parallel()
	all := needReal(t)
	rd := NewReader()
	for i, f := range all {
		// The plain reader is slow; the small returns and a fifth of the
		// others have every form and schema year among them.
		if i%5 != 0 && len(f.body) > 50_000 {
			continue
		}
		var ours, theirs items
		var ret Return
		if err := rd.Read(bytes.NewReader(f.body), &ret, ours.sink()); err != nil {
			t.Errorf("%s: %v", f.key, err)
			continue
		}
		want, err := oracle(bytes.NewReader(f.body), theirs.sink())
		if err != nil {
			t.Fatalf("%s: %v", f.key, err)
		}
		want.Books = ret.Books // has a reading of its own
		for _, c := range []struct {
			what      string
			got, want any
		}{
			{"return", ret, *want},
			{"grants", ours.Grants, theirs.Grants},
			{"people", ours.People, theirs.People},
			{"holdings", ours.Holdings, theirs.Holdings},
			{"related", ours.Related, theirs.Related},
			{"asides", ours.Asides, theirs.Asides},
			{"applications", ours.Applications, theirs.Applications},
		} {
			if d := difference(c.got, c.want); d != "" {
				t.Errorf("%s: %s: %s", f.key, c.what, d)
			}
		}
	}
}

// difference names the first place where two values differ.
func difference(got, want any) string {
	var walk func(path string, g, w reflect.Value) string
	walk = func(path string, g, w reflect.Value) string {
		switch g.Kind() {
		case reflect.Struct:
			for i := range g.NumField() {
				if d := walk(path+"."+g.Type().Field(i).Name, g.Field(i), w.Field(i)); d != "" {
					return d
				}
			}
		case reflect.Slice:
			if g.Len() != w.Len() {
				return fmt.Sprintf("%s has %d items, want %d", path, g.Len(), w.Len())
			}
			for i := range g.Len() {
				if d := walk(fmt.Sprintf("%s[%d]", path, i), g.Index(i), w.Index(i)); d != "" {
					return d
				}
			}
		default:
			if !g.Equal(w) {
				return fmt.Sprintf("%s is %#v, want %#v", path, g.Interface(), w.Interface())
			}
		}
		return ""
	}
	return walk("", reflect.ValueOf(got), reflect.ValueOf(want))
}

// TestMemory reads a return of some 300 MB that is never in memory.
func TestMemory(t *testing.T) {
	size := 300 << 20
	if testing.Short() {
		size = 30 << 20
	}
	const grantSize = 620
	src := &sized{r: newFoundation(size / grantSize)}
	rd := NewReader()
	var ret Return
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak, grants := uint64(0), 0
	err := rd.Read(src, &ret, &Sink{Grant: func(*Grant) error {
		if grants++; grants%50_000 == 0 {
			// What is held, not the garbage that other tests' heap lets lie.
			runtime.GC()
			runtime.ReadMemStats(&during)
			peak = max(peak, during.HeapAlloc)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if grants != ret.Tally.PFPaid || grants != size/grantSize {
		t.Errorf("%d grants, tallied %d, written %d", grants, ret.Tally.PFPaid, size/grantSize)
	}
	if peak > before.HeapAlloc+16<<20 {
		t.Errorf("the heap grew from %d to %d bytes over %d bytes of return", before.HeapAlloc, peak, src.n)
	}
	t.Logf("%d MB read, heap %d KB before, %d KB at most", src.n>>20, before.HeapAlloc>>10, peak>>10)
}

type sized struct {
	r io.Reader
	n int64
}

func (s *sized) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	return n, err
}

// TestAllocations pins that a line costs none.
func TestAllocations(t *testing.T) {
	short, err := io.ReadAll(newFoundation(10))
	if err != nil {
		t.Fatal(err)
	}
	long, err := io.ReadAll(newFoundation(10_000))
	if err != nil {
		t.Fatal(err)
	}
	rd := NewReader()
	var ret Return
	run := func(body []byte) float64 {
		return testing.AllocsPerRun(5, func() {
			if err := rd.Read(bytes.NewReader(body), &ret, &Sink{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if a, b := run(short), run(long); b > a+4 {
		t.Errorf("10 lines take %.0f allocations, 10,000 take %.0f", a, b)
	}
}

func TestSinkErrorEndsReading(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	n := 0
	err := NewReader().Read(newFoundation(100), &Return{}, &Sink{Grant: func(*Grant) error {
		if n++; n == 7 {
			return stop
		}
		return nil
	}})
	if !errors.Is(err, stop) || n != 7 {
		t.Errorf("%d grants, %v", n, err)
	}
	broken := errors.New("disk")
	if err := NewReader().Read(io.MultiReader(newFoundation(3), iotest.ErrReader(broken)), &Return{}, nil); !errors.Is(err, broken) {
		t.Errorf("a reader that fails gives %v", err)
	}
}

// TestReuse reads unlike returns with one Reader into one Return: nothing of
// the first may be left in the second.
func TestReuse(t *testing.T) {
	t.Parallel()
	rd := NewReader()
	var ret Return
	for _, doc := range []string{modern990, early990PF, modern990, modernEZ, year2013PF} {
		fresh, want := parse(t, doc)
		var got items
		if err := rd.Read(strings.NewReader(doc), &ret, got.sink()); err != nil {
			t.Fatal(err)
		}
		if d := difference(ret, fresh); d != "" {
			t.Errorf("return: %s", d)
		}
		if d := difference(got, want); d != "" {
			t.Errorf("lists: %s", d)
		}
	}
}
