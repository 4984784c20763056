package oracle_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// cases is how many questions the differential test asks. ORACLE_CASES sets
// another number for a long run, ORACLE_SEED another start.
func cases(t *testing.T) (n int, seed uint64) {
	read := func(name string, fallback int) int {
		text := os.Getenv(name)
		if text == "" {
			return fallback
		}
		v, err := strconv.Atoi(text)
		if err != nil || v < 0 {
			t.Fatalf("%s=%q is not a number", name, text)
		}
		return v
	}
	n = 1500
	if testing.Short() {
		n = 300
	}
	return read("ORACLE_CASES", n), uint64(read("ORACLE_SEED", 1))
}

// worlds are the worlds to ask about: those of all tests, or others of the same
// sizes if ORACLE_SEED is set.
func worlds(t *testing.T) (small, medium world.World) {
	small, medium = world.Small, world.Medium
	if os.Getenv("ORACLE_SEED") != "" {
		_, seed := cases(t)
		small.Seed, medium.Seed = seed, seed
	}
	return small, medium
}

// perCorpus is how many questions are asked of one corpus.
const perCorpus = 100

// maxDifferences ends a run that has gone wrong altogether.
const maxDifferences = 5

// namedGraph is the graph with all its caches.
type namedGraph struct{ *graph.Graph }

func (namedGraph) Name() string { return "graph" }

// TestGraphAgainstDuckDB asks the graph and plain DuckDB the same random
// questions and expects the same answers in every field and in the same order.
func TestGraphAgainstDuckDB(t *testing.T) {
	t.Parallel()
	n, seed := cases(t)
	compare(t, n, seed, func(ctx context.Context, s *snapshot.Snapshot) (oracle.Engine, error) {
		g, err := graph.Open(s)
		if err != nil {
			return nil, err
		}
		return namedGraph{g}, nil
	})
}

// TestCodedAgainstPlain holds the tuned tables against the plain ones, so that
// a race against them is a race for the same answer.
func TestCodedAgainstPlain(t *testing.T) {
	t.Parallel()
	n, seed := cases(t)
	compare(t, n/5, seed+1, func(ctx context.Context, s *snapshot.Snapshot) (oracle.Engine, error) {
		return oracle.OpenCoded(ctx, s)
	})
}

func TestPostgresAgainstPlain(t *testing.T) {
	t.Parallel()
	n, seed := cases(t)
	server, err := oracle.StartPostgres(t.Context())
	if errors.Is(err, oracle.ErrNoPostgres) {
		t.Skipf("%v; on Debian: apt-get install postgresql", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	databases := 0
	compare(t, n/10, seed+2, func(ctx context.Context, s *snapshot.Snapshot) (oracle.Engine, error) {
		databases++
		dsn, err := server.Create(ctx, "corpus"+strconv.Itoa(databases))
		if err != nil {
			return nil, err
		}
		return oracle.OpenPostgres(ctx, s, dsn)
	})
}

// TestClickHouseAgainstPlain runs where GRANTGRAPH_CHDB names the folder into which npm installed chdb.
func TestClickHouseAgainstPlain(t *testing.T) {
	t.Parallel()
	n, seed := cases(t)
	modules := os.Getenv("GRANTGRAPH_CHDB")
	if modules == "" {
		t.Skip("GRANTGRAPH_CHDB is not set; npm install --prefix DIR chdb, then GRANTGRAPH_CHDB=DIR")
	}
	compare(t, n/10, seed+3, func(ctx context.Context, s *snapshot.Snapshot) (oracle.Engine, error) {
		return oracle.OpenClickHouse(ctx, s, modules)
	})
}

// TestNoClickHouse: without the package there is a word that says so.
func TestNoClickHouse(t *testing.T) {
	t.Parallel()
	for _, modules := range []string{"", t.TempDir()} {
		if _, err := oracle.OpenClickHouse(t.Context(), corpusOf(t, world.Small).snapshot, modules); !errors.Is(err, oracle.ErrNoClickHouse) {
			t.Errorf("%q: %v", modules, err)
		}
	}
}

// compare puts n random questions to plain DuckDB and to another engine, half
// of them about worlds of filings and half about invented corpora. Now and
// then a question is put a second time, when others have been asked between.
func compare(t *testing.T, n int, seed uint64, open func(context.Context, *snapshot.Snapshot) (oracle.Engine, error)) {
	differences, asked, filled := 0, 0, 0
	hold := func(c *corpus, n int, seed uint64) {
		plain, err := oracle.OpenPlain(t.Context(), c.snapshot)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		other, err := open(t.Context(), c.snapshot)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		r := rand.New(rand.NewPCG(seed, 2))
		var known []exchange
		for i := range n {
			x := exchange{question: c.question(r)}
			if x.want, err = x.question.Ask(t.Context(), plain); err != nil {
				t.Fatalf("%s, seed %d, question %d: %s: plain DuckDB: %v", c.name, seed, i, &x.question, err)
			}
			known = append(known, x)
			if x.hasRows() {
				filled++
			}
			for _, x := range []exchange{x, pick(rand.New(rand.NewPCG(seed, uint64(i))), known)} {
				asked++
				if d := x.differs(t.Context(), other); d != "" {
					t.Errorf("%s, seed %d, question %d: %s\n  %s against plain DuckDB: %s", c.name, seed, i, &x.question, other.Name(), d)
					if differences++; differences == maxDifferences {
						t.Fatal("too many differences")
					}
				}
			}
		}
	}
	// The larger world has filters that keep thousands of rows, which engines
	// may go about in another way.
	small, medium := worlds(t)
	hold(corpusOf(t, small), n/4, seed)
	hold(corpusOf(t, medium), n/4, seed)
	for left := n - n/2; left > 0; left -= perCorpus {
		seed++
		hold(inventCorpus(t, seed, 1+rand.New(rand.NewPCG(seed, 3)).IntN(300)), min(left, perCorpus), seed)
	}
	t.Logf("%d questions, %d of them with rows, put %d times, %d differences", n, filled, asked, differences)
	if filled < n/4 {
		t.Errorf("only %d of %d questions have rows to answer with", filled, n)
	}
}

// exchange is a question with the result of plain DuckDB.
type exchange struct {
	question oracle.Question
	want     oracle.Result
}

// differs asks another engine and says how it differs.
func (x *exchange) differs(ctx context.Context, e oracle.Engine) string {
	got, err := x.question.Ask(ctx, e)
	if err != nil {
		return err.Error()
	}
	return got.Difference(&x.want)
}

// hasRows reports whether any row stands behind the result.
func (x *exchange) hasRows() bool {
	for _, c := range x.want.Excluded {
		if c.Grants > 0 {
			return true
		}
	}
	return x.want.Hits+x.want.Totals.Grants+x.want.Groups.Count > 0
}

// TestDeepPages asks for pages in the middle, at the end and past the end of
// every order of every list.
func TestDeepPages(t *testing.T) {
	t.Parallel()
	c := corpusOf(t, world.Medium)
	plain, err := oracle.OpenPlain(t.Context(), c.snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	g, err := graph.Open(c.snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	r := rand.New(rand.NewPCG(4, 2))
	for topic := oracle.Transactions; topic <= oracle.Recipients; topic++ {
		for i, by := range orders[topic] {
			for _, asc := range []bool{false, true} {
				q := oracle.Question{Topic: topic, Sort: graph.Sort{By: by, Asc: asc}, Page: graph.Page{Limit: 1}}
				if i%2 == 1 {
					c.leaveOut(r, &q.Filter)
				}
				first, err := q.Ask(t.Context(), namedGraph{g})
				if err != nil {
					t.Fatal(err)
				}
				end := int(first.Hits)
				for _, p := range []graph.Page{{Offset: end / 2, Limit: 7}, {Offset: max(0, end-10), Limit: 25}, {Offset: end, Limit: 5}} {
					q.Page = p
					x := exchange{question: q}
					if x.want, err = q.Ask(t.Context(), plain); err != nil {
						t.Fatal(err)
					}
					if d := x.differs(t.Context(), namedGraph{g}); d != "" {
						t.Errorf("%s: %s", &q, d)
					}
				}
			}
		}
	}
}

// TestGraphInParallel puts the same questions to one graph from many sides at
// once: an answer that borrows the memory of another shows here.
func TestGraphInParallel(t *testing.T) {
	t.Parallel()
	c := corpusOf(t, world.Small)
	plain, err := oracle.OpenPlain(t.Context(), c.snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	g, err := graph.Open(c.snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	r := rand.New(rand.NewPCG(9, 2))
	known := make([]exchange, 80)
	for i := range known {
		known[i].question = c.question(r)
		if known[i].want, err = known[i].question.Ask(t.Context(), plain); err != nil {
			t.Fatal(err)
		}
	}
	var sides sync.WaitGroup
	for side := range 8 {
		var e oracle.Engine = namedGraph{g}
		if side%2 == 0 {
			e = oracle.Uncached(g)
		}
		sides.Go(func() {
			for _, i := range rand.New(rand.NewPCG(9, uint64(side))).Perm(len(known)) {
				if d := known[i].differs(t.Context(), e); d != "" {
					t.Errorf("%s: %s", &known[i].question, d)
				}
			}
		})
	}
	sides.Wait()
}
