package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"grantgraph/internal/bench/crowd"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

// slowestMedian is the gate: the longest median time on one core.
const slowestMedian = 30 * time.Millisecond

// benchMode is the result of a mode as --json prints it.
type benchMode struct {
	Mode          string  `json:"mode"`
	State         bool    `json:"state"` // narrowed to a state
	Organizations int     `json:"organizations"`
	Samples       int     `json:"samples"`
	P50           float64 `json:"p50_ms"`      // of the core's time
	P95           float64 `json:"p95_ms"`      // of the core's time
	Wall          float64 `json:"p50_wall_ms"` // of the clock's, which neighbours lengthen
}

func (c *benchCmd) benchSemantic(a *terminal.App) error {
	x := c.crowd(a)
	defer x.Close()
	questions := crowd.Questions(60, c.Seed)
	runtime.GOMAXPROCS(1) // as a busy server has it
	defer runtime.GOMAXPROCS(runtime.NumCPU())
	encoder, n := x.Encoder()
	if !c.JSON {
		fmt.Fprintf(a.Out, "%s organizations, questions encoded by %s; one core of %d, load %s before; milliseconds of the core\n\n",
			terminal.Count(n), encoder, runtime.NumCPU(), terminal.HostLoad())
	}
	t := terminal.NewTable("mode", "where", ">p50", ">p95", ">p50 by the clock")
	var slow []string
	for _, mode := range []search.Mode{search.Text, search.Semantic, search.Hybrid} {
		for _, state := range []string{"", "OH"} {
			var took, wall samples
			for i, q := range questions {
				begin, used := time.Now(), terminal.ProcessorTime()
				ans := must(x.Search(a.Ctx, search.Ask{Text: q, Mode: mode, State: state, Limit: 20}))
				if ans.Mode != mode {
					return fault.New("no_vectors", "mode %s is not served", mode).Try("measure with a program that has its model")
				}
				if i >= 5 { // the first ones warm up
					took = append(took, terminal.ProcessorTime()-used)
					wall = append(wall, time.Since(begin))
				}
			}
			ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
			b := benchMode{string(mode), state != "", n, len(took), ms(took.at(50)), ms(took.at(95)), ms(wall.at(50))}
			where := "anywhere"
			if b.State {
				where = "one state"
			}
			if t.Add(b.Mode, where, fmt.Sprintf("%.1f", b.P50), fmt.Sprintf("%.1f", b.P95), fmt.Sprintf("%.1f", b.Wall)); took.at(50) > slowestMedian {
				slow = append(slow, fmt.Sprintf("%s %s %.1f ms", b.Mode, where, b.P50))
			}
			if c.JSON {
				check(json.NewEncoder(a.Out).Encode(b))
			}
		}
	}
	if !c.JSON {
		t.Print(a.Out)
	}
	if len(slow) > 0 {
		return fault.New("gate_failed", "the median must be %v at most: %s", slowestMedian, strings.Join(slow, ", "))
	}
	return nil
}

func (c *benchCmd) crowdDir() string {
	return filepath.Join(c.Data, fmt.Sprintf("crowd-%d-%d", c.Crowd, c.Seed))
}

func (c *benchCmd) crowd(a *terminal.App) *search.Index {
	if c.Crowd < 1 || c.Crowd > 8_000_000 {
		check(fault.New("bad_flag", "--crowd must be from 1 to 8,000,000").Try("measure bench --help"))
	}
	data := c.crowdDir()
	s, err := snapshot.Open(data)
	if err == nil {
		if x, err := search.Open(s); err == nil {
			if x.Bad() == nil {
				return x
			}
			_ = x.Close()
		}
	}
	bar := a.Phase("crowd", int64(c.Crowd), c.Quiet || c.JSON)
	s = must(crowd.Build(a.Ctx, data, c.Crowd, c.Seed, func(done, _ int64) { bar.Set(done) }))
	bar.End("%s organizations", terminal.Count(c.Crowd))
	return must(search.Open(s))
}
