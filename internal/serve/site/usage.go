package site

import (
	"fmt"
	"strconv"
	"time"

	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
)

// usage is a chart of the calls in a window: a bar for each hour of a day or each
// day of a month. The bars stretch to the width of the page; the words below do
// not.
type usage struct {
	Total  int
	Peak   int // most calls in one bar
	Unit   string
	Width  int
	Height int
	Bars   []usageBar
	Ticks  []tick

	step time.Duration
}

type usageBar struct {
	X, Y, Width, Height int
	Calls               int
	When                string
	Now, Future         bool

	start time.Time
}

type tick struct {
	Text string
	Span int
}

// Sizes of a chart.
const (
	usageStep   = 20
	usageGap    = 4
	usageHeight = 100
)

// newUsage is an empty chart of the window that contains now.
func newUsage(w account.Window, now time.Time) usage {
	u := usage{Unit: "hour", Height: usageHeight, step: time.Hour}
	every := 6
	if w == account.Month {
		u.Unit, u.step, every = "day", 24*time.Hour, 7
	}
	for at := w.Start(now); at.Before(w.Reset(now)); at = at.Add(u.step) {
		b := usageBar{start: at, Now: !now.Before(at) && now.Before(at.Add(u.step)), Future: now.Before(at)}
		text := at.Format("15:04")
		b.When = text + " to " + at.Add(u.step).Format("15:04")
		if w == account.Month {
			text = strconv.Itoa(at.Day())
			b.When = at.Format("January 2")
		}
		if len(u.Bars)%every == 0 {
			u.Ticks = append(u.Ticks, tick{Text: text})
		}
		u.Ticks[len(u.Ticks)-1].Span++
		u.Bars = append(u.Bars, b)
	}
	u.Width = len(u.Bars) * usageStep
	return u
}

// add adds the calls of one key, or of the account without a key.
func (u *usage) add(buckets []account.Bucket) {
	for _, b := range buckets {
		if len(u.Bars) == 0 || b.Start.Before(u.Bars[0].start) {
			continue
		}
		if i := int(b.Start.Sub(u.Bars[0].start) / u.step); i < len(u.Bars) {
			u.Bars[i].Calls += b.Calls
			u.Total += b.Calls
		}
	}
}

// draw lays out the bars. A bar without calls is a line at the bottom.
func (u *usage) draw() {
	for _, b := range u.Bars {
		u.Peak = max(u.Peak, b.Calls)
	}
	for i := range u.Bars {
		b := &u.Bars[i]
		b.Height = 2
		if b.Calls > 0 {
			b.Height = max(6, b.Calls*usageHeight/u.Peak)
		}
		b.X, b.Y, b.Width = i*usageStep+usageGap/2, usageHeight-b.Height, usageStep-usageGap
	}
}

// Says is the chart in words, for screen readers.
func (u usage) Says() string {
	if u.Total == 0 {
		return "No calls in this window yet."
	}
	return fmt.Sprintf("%s in this window, at most %s in one %s.", calls(u.Total), calls(u.Peak), u.Unit)
}

func calls(n int) string { return plural.Count(n, "call", "calls") }
