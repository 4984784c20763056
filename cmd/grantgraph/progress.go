package main

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows one phase of long work: a bar on a terminal, a single line at
// its end elsewhere, nothing when quiet.
type progress struct {
	w     io.Writer
	label string
	bar   *progressbar.ProgressBar
	start time.Time
	used  time.Duration // of the processor before it began
}

// phase begins a phase of total units; total 0 means unknown.
func (a *app) phase(label string, total int64, quiet bool) *progress {
	p := &progress{label: label, start: time.Now(), used: processorTime()}
	if quiet {
		return p
	}
	p.w = a.Err
	if f, ok := a.Err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if total == 0 {
			total = -1
		}
		columns, _, _ := term.GetSize(int(f.Fd()))
		p.bar = progressbar.NewOptions64(total, barOptions(a.Err, columns, fmt.Sprintf("  %-10s", label), label == "read")...)
	}
	return p
}

// barOptions describe a bar that fits into the columns of a terminal, because a
// line that wraps cannot be drawn over. Where there is no room for figures it
// has none.
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

// set moves the phase to done units.
func (p *progress) set(done int64) {
	if p.bar != nil {
		_ = p.bar.Set64(done)
	}
}

// clear makes room for a line of its own.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// processorTime is what this process has used of the processor.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// end closes the phase with what came of it, how long it took, and what it took of
// the processor, which says more where other programs run as well.
func (p *progress) end(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	if p.w != nil {
		fmt.Fprintf(p.w, "  %-10s %s  (%s, processor %s)\n", p.label, fmt.Sprintf(format, args...), time.Since(p.start).Round(10*time.Millisecond), (processorTime() - p.used).Round(10*time.Millisecond))
	}
}
