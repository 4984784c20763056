package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"grantgraph/internal/build"
	"grantgraph/internal/fault"
	"grantgraph/internal/indexes"
	"grantgraph/internal/money"
	"grantgraph/internal/snapshot"
)

type buildCmd struct {
	Sources  string `help:"Folder of upstream files, as fetch and synth fill it; only 990/*.zip is needed." default:"sources" placeholder:"DIR"`
	Data     string `help:"Data directory for the stage and the snapshots." default:"data" placeholder:"DIR"`
	Workers  int    `help:"Parallel workers; 0 is one per core." default:"0" placeholder:"N"`
	Keep     int    `help:"How many snapshots to keep." default:"3" placeholder:"N"`
	Complete int    `name:"complete-year" help:"Last fiscal year whose returns are all in the sources; the later ones are marked as partial. Without it the number of filers decides: the newest year with 95 % of the mean of the two before." placeholder:"YEAR"`
	Model    string `help:"Model file for the lines that no rule decides, such as resolve/model.json of the current snapshot. Without it one is trained on the sources." placeholder:"FILE"`
	JSON     bool   `name:"json" help:"Print the manifest as JSON instead of the report."`
	Quiet    bool   `short:"q" help:"No progress."`
}

// Help is shown by build --help.
func (buildCmd) Help() string {
	return `Reads every filing it finds, keeps one return per filer and period, links each
grant to its recipient, and publishes the result as a new snapshot. The snapshot
that was current stays current until the new one is whole.

A build that was stopped goes on where it was: what has been read is kept in the
data directory. A filing that cannot be read is set aside with its reason and
counted; it never stops a build.

A build after a small change resolves again only the recipients whose answer may
have changed with it. Training the model anew changes it a little, and every
answer that rests on it is asked for again; --model keeps it.`
}

func (c *buildCmd) Run(a *app) error {
	if _, err := c.run(a); err != nil {
		return err
	}
	return nil
}

func (c *buildCmd) run(a *app) (*build.Result, error) {
	if c.Workers < 0 || c.Keep < 1 {
		return nil, fault.New("bad_flag", "--workers must not be negative and --keep must be at least 1").Try("grantgraph build --help")
	}
	if c.Complete != 0 && (c.Complete < 1990 || c.Complete > 2100) {
		return nil, fault.New("bad_flag", "--complete-year %d is not a fiscal year", c.Complete).Try("--complete-year 2023")
	}
	m, err := readModel(c.Model)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	bars := newBuildBars(a, c.Quiet || c.JSON)
	bars.given = m != nil
	result, err := build.Run(a.Ctx, build.Options{
		Note: bars.note, Sources: c.Sources, Data: c.Data, Workers: c.Workers, Keep: c.Keep, Complete: c.Complete, Model: m, Progress: bars.progress, Indexers: indexes.All(),
	})
	bars.close()
	if err != nil {
		return nil, err
	}
	if c.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", "  ")
		return result, enc.Encode(result.Snapshot.Manifest)
	}
	printBuild(a.Out, result, time.Since(start))
	return result, nil
}

// buildBars turns the phases of a build into progress bars.
type buildBars struct {
	app   *app
	quiet bool
	given bool // the model is, and is not trained
	name  string
	total int64
	bar   *progress
}

func newBuildBars(a *app, quiet bool) *buildBars { return &buildBars{app: a, quiet: quiet} }

func (b *buildBars) progress(phase string, done, total int64) {
	if phase != b.name {
		b.close()
		b.name, b.total = phase, total
		if phase != "" {
			b.bar = b.app.phase(phase, total, b.quiet)
		}
	}
	if b.bar != nil {
		b.bar.set(done)
	}
}

// note prints what is told while the work goes on, above the bar.
func (b *buildBars) note(text string) {
	if b.quiet {
		return
	}
	if b.bar != nil {
		b.bar.clear()
	}
	fmt.Fprintf(b.app.Err, "  %-10s %s\n", "note", text)
}

// units names what a phase counts.
var units = map[string]string{
	"hash": "archives", "choose": "shards", "gather": "shards", "universe": "files", "people": "shards",
	"history": "distinct recipients", "resolve": "distinct recipients", "classify": "grants", "write": "rows",
	"lists": "lists", "awards": "files", "register": "tables", "derive": "steps",
}

func (b *buildBars) close() {
	if b.bar == nil {
		return
	}
	switch unit, ok := units[b.name]; {
	case b.name == "read":
		b.bar.end("%s of XML", bytesize(b.total))
	case b.name == "model" && b.given:
		b.bar.end("as given")
	case b.name == "model":
		b.bar.end("trained")
	case ok:
		b.bar.end("%s %s", count(b.total), unit)
	case b.name == "verify":
		b.bar.end("every file read back")
	default:
		b.bar.end("index written")
	}
	b.bar = nil
}

// printBuild prints what a build came to.
func printBuild(w io.Writer, result *build.Result, took time.Duration) {
	m, r := &result.Snapshot.Manifest, result.Report
	c := m.Counts
	fmt.Fprintf(w, "\nSnapshot %s\n\n", m.Version)
	t := newTable("", ">", "")
	t.add("grants", count(c.Grants), money.Dollars(c.TotalAmount))
	t.add("funders", count(c.Funders), "")
	t.add("recipients", count(c.Recipients), "")
	t.add("linked to an EIN", count(c.Linked), fmt.Sprintf("%s of grants, %s of dollars", share(c.Linked, c.Grants), share(c.LinkedAmount, c.TotalAmount)))
	t.add("organizations known", count(c.Organizations), "")
	t.add("returns", count(c.Returns), formList(r))
	t.print(w)

	fmt.Fprintf(w, "\nBy fiscal year\n\n")
	var most int64
	for _, y := range r.Years {
		most = max(most, y.TotalAmount)
	}
	t = newTable("year", ">grants", ">dollars", ">funders", ">filers", "")
	for _, y := range r.Years {
		year := fmt.Sprint(y.FiscalYear)
		if y.Partial {
			year += " partial"
		}
		t.add(year, count(y.Grants), money.Dollars(y.TotalAmount), count(y.Funders), count(y.Filers), bar(y.TotalAmount, most, 30))
	}
	t.print(w)

	fmt.Fprintf(w, "\nHow the recipient was found\n\n")
	printShares(w, r.Rules, c)
	fmt.Fprintf(w, "\nWho gave\n\n")
	t = newTable("kind of funder", ">funders", ">grants", ">dollars", ">of dollars")
	for _, k := range r.Kinds {
		t.add(k.Name, count(k.Funders), count(k.Grants), money.Dollars(k.TotalAmount), share(k.TotalAmount, c.TotalAmount))
	}
	t.print(w)
	fmt.Fprintf(w, "\nClasses of grants\n\n")
	printShares(w, r.Classes, c)

	printAccount(w, r)
	printLists(w, r.Lists)
	printAwards(w, &r.Awards)
	printRegister(w, &r.UK)
	fmt.Fprintf(w, "\nPublished in %s to %s (%s in %d files", took.Round(100*time.Millisecond), result.Snapshot.Dir, bytesize(totalBytes(m)), len(m.Files))
	if result.Reused > 0 {
		fmt.Fprintf(w, "; %d of %d shards were staged already", result.Reused, result.Staged)
	}
	if result.Remade > 0 {
		fmt.Fprintf(w, "; %d were damaged and made anew", result.Remade)
	}
	if result.Kept > 0 {
		fmt.Fprintf(w, "; %s of %s recipients are resolved as they were", count(int64(result.Kept)), count(int64(result.Kept+result.Asked)))
	}
	fmt.Fprintln(w, ").")
}

func printShares(w io.Writer, list []build.Count, c snapshot.Counts) {
	t := newTable("", ">grants", ">of grants", ">dollars", ">of dollars", "")
	for _, r := range list {
		t.add(r.Name, count(r.Grants), share(r.Grants, c.Grants), money.Dollars(r.TotalAmount), share(r.TotalAmount, c.TotalAmount), bar(r.Grants, c.Grants, 20))
	}
	t.print(w)
}

// printAccount prints what did not become a grant, and why.
func printAccount(w io.Writer, r *build.Report) {
	fmt.Fprintf(w, "\nWhat became of everything read\n\n")
	t := newTable("", ">", "")
	n := r.Returns
	t.add("returns read", count(n.Read), fmt.Sprintf("%s amended", count(n.Amended)))
	t.add("  replaced by a later version", count(n.Superseded), "")
	t.add("  seen twice", count(n.Duplicate), "")
	t.add("  amendments whose list was left out", count(n.LinesKept), "the earlier list stands")
	t.add("set aside, unreadable", count(n.Quarantined+n.ArchiveFault), reasonList(r.QuarantineReasons))
	l := r.Lines
	t.add("grant lines read", count(l.Read), "")
	t.add("  kept as grants", count(l.Rows), "")
	t.add("  non-cash only", count(l.NonCash), "")
	t.add("  zero or empty", count(l.Zero+l.Empty), "")
	t.add("  negative", count(l.Negative), money.Dollars(l.NegativeSum)+" kept beside the grants")
	t.add("  totals and repeated lists", count(l.Totals+l.Repeated), "")
	t.add("  beyond belief", count(l.TooLarge), "over $50,000,000,000")
	t.add("not grants paid: future", count(r.NotRows.Future), money.Dollars(r.NotRows.FutureSum))
	t.add("not grants paid: aid to individuals", count(r.NotRows.Individuals), money.Dollars(r.NotRows.IndividualSum))
	t.add("not grants paid: abroad by region", count(r.NotRows.Foreign), money.Dollars(r.NotRows.ForeignSum))
	t.add("sums equal to the declared total", "", agreement("990-PF", r.Declared.PF)+"; "+agreement("990", r.Declared.F90))
	if r.Index.Rows > 0 {
		t.add("returns the IRS lists", count(r.Index.Rows), fmt.Sprintf("%s of them in no archive", count(r.Index.Missing)))
	}
	t.print(w)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "\nNote: %s\n", warning)
	}
}

// printLists prints which compliance lists are loaded.
func printLists(w io.Writer, list []build.ListCount) {
	fmt.Fprintf(w, "\nCompliance lists\n\n")
	t := newTable("", ">rows", ">left out", "revised", "")
	for _, l := range list {
		var lost int64
		for _, r := range l.Rejected {
			lost += r.Count
		}
		switch {
		case !l.Loaded:
			t.add(l.Name, "", "", "", "not loaded: "+l.Problem)
		case l.Problem != "":
			t.add(l.Name, count(l.Rows), count(lost), l.Revised, "the last good one: "+l.Problem)
		default:
			t.add(l.Name, count(l.Rows), count(lost), l.Revised, "")
		}
	}
	t.print(w)
}

// printAwards prints what governments paid and how much of it found its
// organization; nothing when there were no files.
func printAwards(w io.Writer, r *build.AwardReport) {
	if r.Federal.Files == 0 && len(r.States) == 0 {
		return
	}
	fmt.Fprintf(w, "\nGovernment awards\n\n")
	t := newTable("", ">placed", ">dollars", ">not placed", ">dollars")
	add := func(name string, placed, lost build.AwardFlow) {
		t.add(name, count(placed.Rows), money.Dollars(int64(placed.Amount)), count(lost.Rows), money.Dollars(int64(lost.Amount)))
	}
	add("federal grants", r.Federal.Grants.Placed, r.Federal.Grants.Unknown)
	add("federal contracts", r.Federal.Contracts.Placed, r.Federal.Contracts.Unknown)
	for _, s := range r.States {
		add(s.State, build.AwardFlow{Rows: s.Stated.Rows + s.Named.Rows, Amount: s.Stated.Amount + s.Named.Amount}, s.Unknown)
	}
	t.print(w)
	for _, note := range r.Notes {
		fmt.Fprintf(w, "\nNote: %s\n", note)
	}
}

// printRegister prints the tables of the UK register; nothing when it is not
// there.
func printRegister(w io.Writer, r *build.UKReport) {
	if len(r.Tables) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRegister of charities of England and Wales\n\n")
	t := newTable("", ">rows", "of")
	for _, u := range r.Tables {
		t.add(u.Name, count(u.Rows), u.Extracted)
	}
	for _, k := range r.Ties {
		t.add("board ties, "+k.Name, count(k.Count), "")
	}
	t.print(w)
}

func agreement(form string, a build.Agreement) string {
	return fmt.Sprintf("%s: %s of %s", form, count(a.Exact), count(a.Compared))
}

func formList(r *build.Report) string {
	var parts []string
	for _, f := range r.Forms {
		parts = append(parts, f.Name+" "+count(f.Count))
	}
	return strings.Join(parts, ", ")
}

func reasonList(list []build.NamedInt) string {
	var parts []string
	for _, r := range list {
		parts = append(parts, fmt.Sprintf("%s %s", count(r.Count), r.Name))
	}
	return strings.Join(parts, ", ")
}

func totalBytes(m *snapshot.Manifest) (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
