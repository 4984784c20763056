package terminal

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows one phase of long work: a bar on a terminal, a single line at its end elsewhere, nothing when quiet.
type Progress struct {
	w     io.Writer
	label string
	bar   *progressbar.ProgressBar
	start time.Time
	used  time.Duration // processor time before the phase began
}

// Phase begins a phase of total units; total 0 means unknown.
func (a *App) Phase(label string, total int64, quiet bool) *Progress {
	p := &Progress{label: label, start: time.Now(), used: ProcessorTime()}
	if quiet {
		return p
	}
	total = cmp.Or(total, -1)
	p.w, p.bar = a.Err, a.Bar(fmt.Sprintf("  %-10s", label), total, label == "read")
	return p
}

// Bar draws a bar of total units on the terminal, and is nil if there is no terminal. The units are bytes if inBytes is set.
func (a *App) Bar(description string, total int64, inBytes bool) *progressbar.ProgressBar {
	f, ok := a.Err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	columns, _, _ := term.GetSize(int(f.Fd()))
	return progressbar.NewOptions64(total, barOptions(a.Err, columns, description, inBytes)...)
}

// barOptions describe a bar that fits into the columns of a terminal, because a line that wraps cannot be drawn over. A narrow
// terminal gets a bar without figures.
func barOptions(w io.Writer, columns int, description string, bytes bool) []progressbar.Option {
	const figures, least = 46, 8 // the longest percentage, count and times; the shortest bar
	if columns <= 0 {
		columns = 80
	}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionThrottle(80 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerHead: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}),
	}
	room := columns - utf8.RuneCountInString(description) - figures
	if room < least {
		const bare = 16 // percentage and time
		name := []rune(description)
		name = name[:max(0, min(len(name), columns-bare-least))]
		description, room = string(name), columns-len(name)-bare
		options = append(options, progressbar.OptionSetPredictTime(false))
	} else {
		options = append(options, progressbar.OptionShowCount(), progressbar.OptionShowBytes(bytes))
	}
	return append(options, progressbar.OptionSetDescription(description), progressbar.OptionSetWidth(max(1, min(34, room))))
}

func (p *Progress) Set(done int64) {
	if p.bar != nil {
		_ = p.bar.Set64(done)
	}
}

// clear makes room for a line above the bar.
func (p *Progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// End closes the phase and prints its result, the time on the clock and the
// processor time, which says more on a machine where other programs run.
func (p *Progress) End(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	if p.w != nil {
		const unit = 10 * time.Millisecond
		took, used := time.Since(p.start).Round(unit), (ProcessorTime() - p.used).Round(unit)
		fmt.Fprintf(p.w, "  %-10s %s  (%s, processor %s)\n", p.label, fmt.Sprintf(format, args...), took, used)
	}
}

// Phases turns the phases of a build into progress bars.
type Phases struct {
	ModelGiven bool // the model is read from a file and not trained

	app   *App
	quiet bool
	name  string
	total int64
	bar   *Progress
}

// NewPhases shows the phases of a build, and nothing when quiet.
func NewPhases(a *App, quiet bool) *Phases { return &Phases{app: a, quiet: quiet} }

// Progress is told how far a phase is. A new name ends the phase before it.
func (b *Phases) Progress(phase string, done, total int64) {
	if phase != b.name {
		b.Close()
		b.name, b.total = phase, total
		if phase != "" {
			b.bar = b.app.Phase(phase, total, b.quiet)
		}
	}
	if b.bar != nil {
		b.bar.Set(done)
	}
}

// Note prints a line above the bar while the work goes on.
func (b *Phases) Note(text string) {
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
	"inventing": "grants",
	"hash":      "archives", "stage": "shards", "choose": "shards", "gather": "shards", "universe": "files", "people": "shards",
	"history": "distinct recipients", "resolve": "distinct recipients", "classify": "grants", "write": "rows",
	"lists": "lists", "awards": "files", "register": "tables", "derive": "steps",
}

func (b *Phases) Close() {
	if b.bar == nil {
		return
	}
	switch unit, ok := units[b.name]; {
	case b.name == "read":
		b.bar.End("%s of XML", Bytes(b.total))
	case b.name == "model" && b.ModelGiven:
		b.bar.End("as given")
	case b.name == "model":
		b.bar.End("trained")
	case ok:
		b.bar.End("%s %s", Count(b.total), unit)
	case b.name == "verify":
		b.bar.End("every file read back")
	default:
		b.bar.End("written")
	}
	b.bar = nil
}
