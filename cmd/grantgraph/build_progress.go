package main

import (
	"fmt"
)

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
	"hash": "archives", "stage": "shards", "choose": "shards", "gather": "shards", "universe": "files", "people": "shards",
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
		b.bar.end("written")
	}
	b.bar = nil
}
