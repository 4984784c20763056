package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/secret"
	"grantgraph/internal/terminal"
)

type fetchCmd struct {
	Names   []string     `arg:"" optional:"" name:"source" help:"Sources to fetch, by name; by default all. --list shows them."`
	Sources string       `help:"Folder the files are put in." default:"sources" placeholder:"DIR"`
	Since   string       `help:"Skip returns, bulletins and awards published before this day or year." placeholder:"DATE"`
	Mirror  []secret.URL `help:"Fetch a source from this address instead of its publisher's." placeholder:"NAME=URL"`
	Floor   []string     `help:"Accept a source with as few rows as this, for mirrors of small worlds." placeholder:"NAME=ROWS"`
	DryRun  bool         `help:"Show what is new without downloading it."`
	List    bool         `help:"Print the catalog of sources instead of fetching."`
	JSON    bool         `name:"json" help:"Print the summary, or the catalog, as JSON."`
	Quiet   bool         `short:"q" help:"No progress."`
}

func (c *fetchCmd) Run(a *terminal.App) error {
	if c.List {
		return c.list(a)
	}
	opt, err := c.options()
	if err != nil {
		return err
	}
	bars := &fetchBars{app: a, quiet: c.Quiet || c.JSON}
	opt.Progress = bars.progress
	start := time.Now()
	sum, err := fetch.Run(a.Ctx, opt)
	bars.close()
	switch {
	case sum != nil && c.JSON:
		err = cmp.Or(a.PrintJSON(sum), err)
	case sum != nil:
		err = cmp.Or(printFetch(a.Out, c, sum, time.Since(start)), err)
	}
	if err != nil {
		return err
	}
	if failed := sum.Failed(); len(failed) > 0 {
		return fault.New("fetch_failed", "%s could not be fetched, and there is no earlier copy", strings.Join(failed, ", ")).
			Try("see the reasons above and run it again later; what was downloaded so far is kept")
	}
	return nil
}

func (c *fetchCmd) options() (o fetch.Options, err error) {
	o = fetch.Options{Dir: c.Sources, Sources: c.Names, DryRun: c.DryRun, Base: map[string]string{}, Floor: map[string]int64{}}
	if o.Since, err = parseSince(c.Since); err != nil {
		return o, err
	}
	for _, item := range c.Mirror {
		name, address, _ := strings.Cut(item.Reveal(), "=")
		if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return o, fault.New("bad_flag", "--mirror %s: not a web address", item).Try("--mirror %s=https://mirror.example.org", name)
		}
		if err := checkSourceName("--mirror", name); err != nil {
			return o, err
		}
		o.Base[name] = address
	}
	for _, item := range c.Floor {
		name, number, _ := strings.Cut(item, "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 {
			return o, fault.New("bad_flag", "--floor %s: %q is not a number of rows", item, number).Try("--floor %s=1", name)
		}
		if err := checkSourceName("--floor", name); err != nil {
			return o, err
		}
		o.Floor[name] = n
	}
	return o, nil
}

// checkSourceName refuses the name of a source that the catalogue does not have.
// Without this check a server would silently ignore the mirror.
func checkSourceName(flag, name string) error {
	if _, ok := source.Find(name); !ok {
		return fault.New("bad_flag", "%s: there is no source %q", flag, name).Try("one of %s", strings.Join(source.Names(), ", "))
	}
	return nil
}

func parseSince(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fault.New("bad_flag", "--since %s is not a date", s).Try("--since 2025-01-01, or --since 2025")
}

func (c *fetchCmd) list(a *terminal.App) error {
	if c.JSON {
		return a.PrintJSON(source.All())
	}
	t := terminal.NewTable("source", "what it is", "published by", "revised", "asked for", "folder")
	for _, s := range source.All() {
		t.Add(s.Name, s.Title, s.Publisher, s.Publishes, s.Polled, s.Folder+"/")
	}
	t.Print(a.Out)
	fmt.Fprintln(a.Out, "\nFor addresses, terms, what is used of each source and what its reader was verified on: --list --json.")
	return nil
}

func printFetch(w io.Writer, c *fetchCmd, sum *fetch.Summary, took time.Duration) error {
	page := struct {
		*fetch.Summary
		DryRun              bool
		Sources             string
		New                 int
		Transferred, Wanted int64
		Took                time.Duration
	}{Summary: sum, DryRun: c.DryRun, Sources: c.Sources, Took: took.Round(100 * time.Millisecond)}
	for _, r := range sum.Results {
		page.Transferred += r.Transferred
		page.New += r.New
		for _, f := range r.Wanted {
			page.Wanted += max(0, f.Bytes)
		}
	}
	return pages.Print(w, "fetch", page)
}

// firstFew shortens a list for people. --json prints all of it.
func firstFew(list []string) []string {
	const most = 10
	if len(list) <= most {
		return list
	}
	return append(list[:most:most], fmt.Sprintf("and %d more", len(list)-most))
}

// fetchBars shows each file as it comes: a bar of its bytes on a terminal, and a line for every source elsewhere.
type fetchBars struct {
	app          *terminal.App
	quiet        bool
	source, file string
	came         map[string]int64 // bytes of each file of the source
	bar          *progressbar.ProgressBar
	start        time.Time
}

func (b *fetchBars) progress(source, file string, done, total int64) {
	if b.quiet {
		return
	}
	if source != b.source {
		b.close()
		b.source, b.file, b.came, b.start = source, "", map[string]int64{}, time.Now()
	}
	if file != b.file {
		b.next(file, total)
	}
	if file != "" {
		b.came[file] = done
	}
	if b.bar != nil {
		_ = b.bar.Set64(done)
	}
}

func (b *fetchBars) next(file string, total int64) {
	if b.bar != nil {
		_ = b.bar.Finish()
		b.bar = nil
	}
	b.file = file
	if file == "" {
		return
	}
	b.bar = b.app.Bar(fmt.Sprintf("  %-11s %-32s", b.source, path.Base(file)), total, true)
}

func (b *fetchBars) close() {
	if b.source == "" {
		return
	}
	b.next("", 0)
	var bytes int64
	for _, n := range b.came {
		bytes += n
	}
	took := time.Since(b.start).Round(10 * time.Millisecond)
	fmt.Fprintf(b.app.Err, "  %-11s %s files, %s  (%s)\n", b.source, terminal.Count(len(b.came)), terminal.Bytes(bytes), took)
	b.source = ""
}
