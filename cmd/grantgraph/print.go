package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"grantgraph/internal/money"
)

// count writes n with separators between thousands.
func count[N ~int | ~int32 | ~int64 | ~uint64 | ~uint32](n N) string {
	return money.Grouped(int64(n))
}

// share writes part of whole as a percentage, or a dash when there is no
// whole.
func share[N ~int | ~int64](part, whole N) string {
	if whole == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + " %"
}

// bytesize writes a number of bytes in the largest fitting binary unit.
func bytesize(n int64) string {
	const unit = 1024
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, suffix := float64(n)/unit, "KiB"
	for _, s := range []string{"MiB", "GiB", "TiB"} {
		if v < unit {
			break
		}
		v, suffix = v/unit, s
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + suffix
}

// table prints rows in aligned columns. A column whose header starts with '>'
// is set flush right. The first column is indented by two spaces.
type table struct {
	header []string
	rows   [][]string
}

func newTable(header ...string) *table { return &table{header: header} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) {
	width := make([]int, len(t.header))
	right := make([]bool, len(t.header))
	titled := false
	head := make([]string, len(t.header))
	for i, h := range t.header {
		right[i] = strings.HasPrefix(h, ">")
		head[i] = strings.TrimPrefix(h, ">")
		titled = titled || head[i] != ""
		width[i] = utf8.RuneCountInString(head[i])
	}
	for _, r := range t.rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	line := func(cells []string) {
		var b strings.Builder
		b.WriteString(" ")
		for i, c := range cells {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			b.WriteString(" ")
			if i > 0 {
				b.WriteString(" ")
			}
			if right[i] {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	if titled {
		line(head)
		rule := make([]string, len(width))
		for i := range rule {
			rule[i] = strings.Repeat("─", width[i])
		}
		line(rule)
	}
	for _, r := range t.rows {
		line(r)
	}
}

// bar draws the share n/whole as a horizontal bar of at most width cells.
func bar(n, whole int64, width int) string {
	if whole <= 0 || n <= 0 {
		return ""
	}
	eighths := int(n * int64(width) * 8 / whole)
	const parts = " ▏▎▍▌▋▊▉"
	s := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		s += string([]rune(parts)[r])
	}
	if s == "" {
		s = "▏"
	}
	return s
}

// progress shows one phase of long work: a bar on a terminal, a single line at
// its end elsewhere, nothing when quiet.
type progress struct {
	w     io.Writer
	label string
	bar   *progressbar.ProgressBar
	start time.Time
}

// phase begins a phase of total units; total 0 means unknown.
func (a *app) phase(label string, total int64, quiet bool) *progress {
	p := &progress{label: label, start: time.Now()}
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

// end closes the phase with what came of it.
func (p *progress) end(format string, args ...any) {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	if p.w != nil {
		fmt.Fprintf(p.w, "  %-10s %s  (%s)\n", p.label, fmt.Sprintf(format, args...), time.Since(p.start).Round(10*time.Millisecond))
	}
}
