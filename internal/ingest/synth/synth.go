// Package synth writes an invented world of grantmakers and grantees in the very formats its sources are published in: monthly
// zips of e-filed returns, yearly indexes, the master file, and every other list that a build reads, from Publication 78 to the
// register of England and Wales. Beside them it writes the truth: who each grant line was really meant for and what was done to
// hide it. The world is for tests, demonstrations and measurements; geography is real, everyone in it is made up, and their
// EINs have prefixes that were never issued.
//
// Everything is a pure function of the seed and of what the thing is. The same seed and size give the same bytes on any machine
// and any number of workers, a single shard can be written alone, and memory does not grow with the size.
package synth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/flate"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
)

type Options struct {
	Out      string // directory to be made; replaced as a whole when synth wrote it before
	Grants   int    // how many grant lines, about
	Seed     uint64
	Workers  int                     // 0 is one per core
	Progress func(done, total int64) // called now and then, never concurrently
	Only     *Shard                  // write this zip and its truth alone
	zips     []ZIP                   // instead of the shipped ones, in tests
}

// MaxGrants bounds the size of a world: beyond it object ids would run out.
const MaxGrants = 25_000_000

// Preset is the number of grants of a named size, or of a number written with k or M.
func Preset(name string) (grants int, ok bool) {
	s, factor := strings.ReplaceAll(name, "_", ""), 1
	switch {
	case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
		s, factor = s[:len(s)-1], 1_000
	case strings.HasSuffix(s, "M"), strings.HasSuffix(s, "m"):
		s, factor = s[:len(s)-1], 1_000_000
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > MaxGrants/factor {
		return 0, false
	}
	return n * factor, true
}

func Write(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	if o.Grants < 1 || o.Grants > MaxGrants {
		return nil, fault.New("bad_size", "a world has between 1 and %d grants, not %d", MaxGrants, o.Grants).
			Try("a size such as 20k, 200k or 2M")
	}
	if o.Only != nil && (o.Only.month() < firstMonth || o.Only.month() > lastMonth || o.Only.Month < 1 || o.Only.Month > 12) {
		return nil, fault.New("bad_shard", "there is no zip for %d-%02d", o.Only.Year, o.Only.Month).
			Try("a month from January 2018 to October 2026")
	}
	if err := checkOut(o.Out); err != nil {
		return nil, err
	}
	out, err := filepath.Abs(o.Out)
	if err != nil {
		return nil, fault.Disk(o.Out, err)
	}
	zips := o.zips
	if zips == nil {
		zips = shippedZIPs()
	}
	if len(zips) == 0 {
		return nil, errors.New("no ZIP codes to place organizations in")
	}
	parent := filepath.Dir(out)
	if err := disk.MkdirAll(parent, 0o755); err != nil {
		return nil, fault.Disk(parent, err)
	}
	tmp, err := os.MkdirTemp(parent, "."+filepath.Base(out)+".new-")
	if err != nil {
		return nil, fault.Disk(parent, err)
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, fault.Disk(tmp, err)
	}
	p := &worldWriter{w: newWorld(o.Seed, o.Grants, zips), o: o, dir: tmp}
	rep, err := p.run(ctx)
	if err != nil {
		return nil, fault.Disk(o.Out, err)
	}
	// What was there changes places with it, and is removed.
	if err := disk.Publish(tmp, out); err != nil {
		return nil, fault.Disk(o.Out, err)
	}
	rep.Elapsed = time.Since(start)
	return rep, nil
}

// checkOut refuses a directory that holds anything synth has not written.
func checkOut(dir string) error {
	if dir == "" {
		return fault.New("no_out", "no directory to write to").Try("--out DIR")
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Disk(dir, err)
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := Read(dir); err != nil {
		return fault.New("out_not_empty", "%s is not empty and was not written by synth", dir).
			Try("an empty or new directory for --out")
	}
	for _, e := range entries {
		if !slices.Contains(topLevelNames, e.Name()) {
			return fault.New("out_not_empty", "%s holds %s, which synth did not write", dir, e.Name()).
				Try("move it away, or another directory for --out")
		}
	}
	return nil
}

// topLevelNames are the names of what synth writes at the top of a world.
var topLevelNames = []string{"990", "bmf", "pub78", "revocation", "ofac", "irb", "careg", "caftb", "usaspending", "fac", "stateaward", "uk",
	"overrides", ".fetch", "truth.ndjson", "people.ndjson", Marker}

// shippedZIPs are the places of the gazetteer in the states that organizations are placed in.
func shippedZIPs() []ZIP {
	g := place.Shipped()
	all := g.ZIPs()
	out := make([]ZIP, 0, len(all))
	for _, z := range all {
		c, ok := g.County(z.County)
		if !ok || z.City == "" {
			continue
		}
		out = append(out, ZIP{z.Code, z.City, z.State, c.Name})
	}
	return out
}

// worldWriter runs the work of one world: tasks that each write files of their own, then the joining of their fragments.
type worldWriter struct {
	w   *world
	o   Options
	dir string

	mu    sync.Mutex
	total tally
	lists map[string]int64
	files []File

	namesakes []Namesake
	done      atomic.Int64
	reported  int64
}

func (p *worldWriter) run(ctx context.Context) (*Report, error) {
	first, last, blocks := firstMonth, lastMonth, (p.w.entities()+masterBlock-1)/masterBlock
	tasks, dirs := p.w.listTasks(), []string{"990", "parts", "bmf"}
	if p.o.Only != nil {
		first, last, blocks = p.o.Only.month(), p.o.Only.month(), 0
		tasks, dirs = nil, dirs[:2]
	}
	for _, d := range dirs {
		if err := os.Mkdir(filepath.Join(p.dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	p.lists = map[string]int64{}
	months := last - first + 1
	zipFiles := make([]File, months)
	listFiles := make([][]File, len(tasks))
	err := p.runTasks(ctx, len(tasks)+months+blocks, func(ctx context.Context, g *gen, zc *flate.Writer, task int) (err error) {
		switch month := task - len(tasks); {
		case month < 0:
			listFiles[task], err = p.writeList(ctx, g, zc, tasks[task])
		case month < months:
			zipFiles[month], err = p.writeMonth(ctx, g, zc, first+month)
		default:
			err = p.writeMasterBlock(g, month-months)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.files = zipFiles
	if err := p.joinFragments(first, last, blocks); err != nil {
		return nil, err
	}
	p.files = append(p.files, slices.Concat(listFiles...)...)
	if p.o.Only == nil {
		if err := p.writeFetchStates(); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "parts")); err != nil {
		return nil, err
	}
	if p.o.Progress != nil {
		p.o.Progress(int64(p.o.Grants), int64(p.o.Grants))
	}
	return p.report()
}

// runTasks runs tasks on all workers; the first error stops them.
func (p *worldWriter) runTasks(ctx context.Context, n int, do func(context.Context, *gen, *flate.Writer, int) error) error {
	type tools struct {
		gen        *gen
		compressor *flate.Writer
	}
	var free sync.Pool // a worker takes what another has put back
	return parallel.Each(ctx, p.o.Workers, n, func(ctx context.Context, task int) error {
		t, ok := free.Get().(*tools)
		if !ok {
			c, err := flate.NewWriter(io.Discard, flate.BestSpeed)
			if err != nil {
				return err
			}
			t = &tools{&gen{w: p.w}, c}
		}
		defer free.Put(t)
		return do(ctx, t.gen, t.compressor, task)
	})
}

func (p *worldWriter) writeMonth(ctx context.Context, g *gen, zc *flate.Writer, m int) (File, error) {
	out, err := createFile(p.dir, "990/"+shardOf(m).Batch()+".zip", 256<<10)
	if err != nil {
		return File{}, err
	}
	defer out.abandon()
	err = p.writeFragments(m, []string{"truth", "index", "people"}, func(ws []*bufio.Writer) error {
		t, err := g.shard(ctx, shardOf(m), out.w, &recorder{truth: ws[0], index: ws[1], people: ws[2]}, zc, p.addProgress)
		p.count(&t)
		return err
	})
	if err != nil {
		return File{}, err
	}
	return out.finish()
}

func (p *worldWriter) writeMasterBlock(g *gen, k int) error {
	return p.writeFragments(k, masterFragments, func(ws []*bufio.Writer) error {
		var t tally
		g.master(k, ws, &t)
		p.count(&t)
		return nil
	})
}

var masterFragments = []string{"bmf0", "bmf1", "bmf2", "bmf3"}

// writeFragments writes the k-th fragment of several kinds. They are joined at the end.
func (p *worldWriter) writeFragments(k int, kinds []string, write func([]*bufio.Writer) error) error {
	files := make([]*outputFile, len(kinds))
	ws := make([]*bufio.Writer, len(kinds))
	for i, kind := range kinds {
		f, err := createPlain(p.dir, fragmentPath(kind, k), 64<<10)
		if err != nil {
			return err
		}
		defer f.abandon()
		files[i], ws[i] = f, f.w
	}
	err := write(ws)
	for _, f := range files {
		_, bad := f.finish()
		err = errors.Join(err, bad)
	}
	return err
}

func fragmentPath(kind string, k int) string { return "parts/" + kind + "." + strconv.Itoa(k) }

func (p *worldWriter) count(t *tally) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total.add(t)
}

func (p *worldWriter) writeList(ctx context.Context, g *gen, zc *flate.Writer, write listTask) ([]File, error) {
	d := newListWriter(ctx, g, zc, p.dir)
	if err := write(d); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, n := range d.counts {
		p.lists[name] += n
	}
	p.namesakes = append(p.namesakes, d.namesakes...)
	return d.files, nil
}

func (p *worldWriter) addProgress(n int) {
	done := p.done.Add(int64(n))
	if p.o.Progress == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if done-p.reported >= int64(p.o.Grants)/500+1 {
		p.reported = done
		p.o.Progress(min(done, int64(p.o.Grants)), int64(p.o.Grants))
	}
}

func (p *worldWriter) joinFragments(first, last, blocks int) error {
	err := errors.Join(p.join("truth.ndjson", "", "truth", first, last), p.join("people.ndjson", "", "people", first, last))
	if p.o.Only != nil {
		return err
	}
	for y := first / 12; y <= last/12; y++ {
		err = errors.Join(err, p.join(fmt.Sprintf("990/index_%d.csv", y), header("index", "\n"), "index", y*12, min(y*12+11, last)))
	}
	for i, kind := range masterFragments {
		err = errors.Join(err, p.join(fmt.Sprintf("bmf/eo%d.csv", i+1), header("master file", "\r\n"), kind, 0, blocks-1))
		p.files[len(p.files)-1].Rows = p.total.bmf[i]
	}
	return err
}

func (p *worldWriter) join(path, head, kind string, first, last int) error {
	out, err := createFile(p.dir, path, 256<<10)
	if err != nil {
		return err
	}
	defer out.abandon()
	_, err = out.w.WriteString(head)
	for k := first; k <= last && err == nil; k++ {
		err = appendFile(out.w, filepath.Join(p.dir, filepath.FromSlash(fragmentPath(kind, k))))
	}
	f, bad := out.finish()
	p.files = append(p.files, f)
	return errors.Join(err, bad)
}

// appendFile writes the content of a file, and removes the file.
func appendFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close(), os.Remove(name))
}
