package terminal

import "fmt"

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

// Close ends the last phase.
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
