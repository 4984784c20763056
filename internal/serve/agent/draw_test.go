package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"grantgraph/internal/bench/golden"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// TestGolden pins a challenge: whoever changes how they are drawn changes the
// challenges of every locked key.
func TestGolden(t *testing.T) {
	t.Parallel()
	c := draw(t, small, "key-0001", 65)
	got, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", "challenge.golden.json")
	golden.Check(t, path, string(got))
	var back Challenge
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(compacted(t, &back), compacted(t, c)) {
		t.Errorf("read back: %v %+v", err, back)
	}
}

// compacted takes the spaces out of the parameters.
func compacted(t *testing.T, c *Challenge) *Challenge {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, c.Params); err != nil {
		t.Fatal(err)
	}
	out := *c
	out.Params = b.Bytes()
	return &out
}

// TestFair checks every set of questions against what makes it hard to guess.
func TestFair(t *testing.T) {
	t.Parallel()
	e := examiner(t)
	seen := map[string]bool{}
	for i := range 2000 {
		key, n := fmt.Sprint("key", i/3), 1+i%3
		c, err := e.Draw(t.Context(), small, key, n, version)
		if err != nil {
			t.Fatal(err)
		}
		if c.Number != n || c.Version != version || len(c.Calls) != 3 || len(c.Salt) != 16 {
			t.Fatalf("%+v", c)
		}
		var made params
		if err := json.Unmarshal(c.Params, &made); err != nil {
			t.Fatal(err)
		}
		read, err := made.Trio.ask(t.Context(), small)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range read.grants {
			if g.Classes&(graph.Individuals|graph.DAF) != 0 || g.FiscalYear == partialYear {
				t.Errorf("call 1 shows %+v", g)
			}
		}
		for _, r := range read.recipients {
			if r.ID == "nm-person" {
				t.Errorf("call 2 shows a person: %s", c.Calls[1].URL())
			}
		}
		space := 1.0
		for k, s := range made.Asked {
			it, ok := read.question(s)
			if !ok {
				t.Fatalf("%+v is no question", s)
			}
			if it.kind == Integer && it.space < 500 || it.kind != Integer && it.space < 8 {
				t.Errorf("%q can be guessed: one of %g", it.text, it.space)
			}
			space *= it.space
			if len(c.Hashes[k]) > 2*maxKey || len(c.Hashes[k]) == 0 {
				t.Errorf("%d forms", len(c.Hashes[k]))
			}
		}
		if space < 1e5 {
			t.Errorf("%+v can be guessed: one of %g", c.Questions, space)
		}
		seen[c.Calls[0].Query+c.Calls[1].Query+c.Calls[2].Query] = true
		if i%40 == 0 {
			again, err := examiner(t).Draw(t.Context(), small, key, n, version)
			if err != nil || !reflect.DeepEqual(c, again) {
				t.Errorf("drawn again it is %+v, %v; was %+v", again, err, c)
			}
			other, err := e.Draw(t.Context(), small, key, n, "20260201T000000Z")
			if err != nil || reflect.DeepEqual(c.Calls, other.Calls) && reflect.DeepEqual(c.Questions, other.Questions) {
				t.Errorf("the same challenge from another version: %v", err)
			}
		}
	}
	if len(seen) < 1950 {
		t.Errorf("only %d different sets of calls", len(seen))
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range []string{"secret one 123456", "secret two 123456"} {
		for _, key := range []string{"", "a", "ab", "a\x01"} {
			for _, n := range []int{0, 1, 2, 98} {
				for _, v := range []string{"", "b", "ab", "\x01b"} {
					seen[string(seedOf([]byte(s), key, n, v))] = true
				}
			}
		}
	}
	if len(seen) != 2*4*4*4 {
		t.Errorf("%d seeds", len(seen))
	}
}

// TestPool checks that a dataset with plenty of good material uses no other.
func TestPool(t *testing.T) {
	t.Parallel()
	p, err := NewPool(t.Context(), small)
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewPool(t.Context(), small)
	if err != nil || !reflect.DeepEqual(p, again) {
		t.Errorf("another pool from the same dataset: %v", err)
	}
	if len(p.givers) < enough || len(p.receivers) < enough {
		t.Fatalf("%d givers, %d receivers", len(p.givers), len(p.receivers))
	}
	for _, g := range p.givers {
		if g.year >= partialYear || (g.funder-testFunder(0))%8 == 7 {
			t.Errorf("giver %+v", g)
		}
	}
	for _, r := range p.receivers {
		rows, hits, err := fundersOf(t.Context(), small, r)
		if err != nil || hits < minFunders || hits > maxFunders || len(rows) < minFunders {
			t.Errorf("receiver %s has %d funders, %v", r, hits, err)
		}
	}
}

func TestTooSmall(t *testing.T) {
	t.Parallel()
	tiny := changed(t, func(w *tables) { w.grants = w.grants[:5] })
	none := changed(t, func(w *tables) { w.grants = nil })
	for _, g := range []*graph.Graph{tiny, none} {
		_, err := examiner(t).Draw(t.Context(), g, "key", 1, version)
		if f, ok := fault.Of(err); !ok || f.Slug != "no_challenge" || f.Hint == "" {
			t.Errorf("%d grants: %v", g.Rows(), err)
		}
	}
	if _, err := NewExaminer(make([]byte, MinSecret-1)); err == nil {
		t.Error("a short secret is accepted")
	}
}

// TestOnlyPartial checks that a dataset without a complete year still serves.
func TestOnlyPartial(t *testing.T) {
	t.Parallel()
	g := changed(t, func(w *tables) {
		w.grants = slices.DeleteFunc(w.grants, func(g snapshot.Grant) bool { return g.TaxYear != partialYear })
	})
	if c := draw(t, g, "key", 1); len(c.Questions) < 2 {
		t.Errorf("%+v", c)
	}
}

// broken is a graph that has gone away.
type broken struct {
	Asker
	after int // questions that it still answers
	asked int
}

var errBroken = errors.New("broken")

func (b *broken) fails() bool { b.asked++; return b.asked > b.after }

func (b *broken) Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.Grant, int64, error) {
	if b.fails() {
		return nil, 0, errBroken
	}
	return b.Asker.Transactions(ctx, f, s, p)
}

func (b *broken) Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.RecipientTotal, int64, error) {
	if b.fails() {
		return nil, 0, errBroken
	}
	return b.Asker.Recipients(ctx, f, s, p)
}

func (b *broken) Funders(ctx context.Context, f *graph.Filter, s graph.Sort, p graph.Page) ([]graph.FunderTotal, int64, error) {
	if b.fails() {
		return nil, 0, errBroken
	}
	return b.Asker.Funders(ctx, f, s, p)
}

func (b *broken) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	if b.fails() {
		return graph.Totals{}, nil, errBroken
	}
	return b.Asker.Summary(ctx, f)
}

// TestBroken checks that an error of the index at any point comes out, and that
// nothing of it is remembered.
func TestBroken(t *testing.T) {
	t.Parallel()
	counted := &broken{Asker: small, after: 1 << 30}
	want, err := examiner(t).Draw(t.Context(), counted, "key", 1, version)
	if err != nil {
		t.Fatal(err)
	}
	var e *Examiner
	for _, after := range []int{0, 1, 8, 100, counted.asked - 4, counted.asked - 3, counted.asked - 2, counted.asked - 1} {
		e = examiner(t)
		if _, err := e.Draw(t.Context(), &broken{Asker: small, after: after}, "key", 1, version); !errors.Is(err, errBroken) {
			t.Errorf("after %d of %d questions: %v", after, counted.asked, err)
		}
	}
	got, err := e.Draw(t.Context(), small, "key", 1, version)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after the errors: %v", err)
	}
	if _, err := Recompute(t.Context(), &broken{Asker: small}, want, "another"); !errors.Is(err, errBroken) {
		t.Errorf("recomputing: %v", err)
	}
}

// TestExaminer draws from several versions at the same time.
func TestExaminer(t *testing.T) {
	t.Parallel()
	e := examiner(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if _, err := e.Draw(t.Context(), small, fmt.Sprint("key", i), 1, fmt.Sprint("v", i%3)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(e.pools) != keptPools {
		t.Errorf("%d pools are kept", len(e.pools))
	}
}

// TestDemo checks that a small world as the demo serves it, built as in
// production, yields challenges for everybody.
func TestDemo(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	g, err := graph.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	e := examiner(t)
	seen := map[string]bool{}
	for i := range 200 {
		c, err := e.Draw(t.Context(), g, fmt.Sprint("key", i), 1, s.Manifest.Version)
		if err != nil {
			t.Fatal(err)
		}
		seen[c.Calls[0].Query+c.Calls[1].Query+c.Calls[2].Query] = true
	}
	if len(seen) < 190 {
		t.Errorf("only %d different challenges", len(seen))
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    int64
		want float64
	}{
		{-5, 0}, {0, 0}, {1, 1}, {7, 7}, {10, 1}, {100, 1}, {250, 1}, {1000, 1}, {25_000, 1}, {125_000, 5}, {250_000, 1}, {7_500, 3},
		{61_250, 245}, {61_300, 613}, {12_345, 2469}, {1_234_000, 1234}, {1_234_567, 1_234_567}, {1_234_568, 1_234_568}, {1_234_575, 49_383}, {1_234_560, 123_456}, {5, 1}, {9_223_372_036_854_775_807, 9_223_372_036_854_775_807},
	} {
		if got := values(c.v); got != c.want {
			t.Errorf("values(%d) = %g, want %g", c.v, got, c.want)
		}
	}
}

func BenchmarkPool(b *testing.B) {
	for b.Loop() {
		if _, err := NewPool(b.Context(), small); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	e := examiner(b)
	i := 0
	for b.Loop() {
		if _, err := e.Draw(b.Context(), small, fmt.Sprint("key", i), 1, version); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkCheck(b *testing.B) {
	c := &Challenge{Questions: []Question{{AnswerType: Text}}, Salt: make([]byte, 16), Hashes: [][][]byte{{make([]byte, 32)}}}
	for b.Loop() {
		c.Check([]string{"books and desks for the town library"})
	}
}
