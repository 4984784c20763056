package main

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/money"
	"grantgraph/internal/plural"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

//go:embed pages/*.txt
var pageFiles embed.FS

func show(a *terminal.App, asJSON bool, page string, v any) error {
	if asJSON {
		return a.PrintJSON(v)
	}
	return pages.Print(a.Out, page, v)
}

// pages are what the commands print for people.
var pages = terminal.ParsePages(pageFiles, "pages/*.txt", template.FuncMap{
	"clip":      func(n int, s string) string { return shorten(s, n) },
	"words":     func(s string) string { return strings.Join(strings.Fields(s), " ") },
	"trimZeros": func(s string) string { return strings.TrimLeft(s, "0") },
	"roff":      strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace,
	"amount":    amount,
	"figure": func(a irs990.Amount) string {
		if !a.Set {
			return "" // the row is left out
		}
		return money.Dollars(a.Value)
	},
	"held": func(a irs990.Amount) string {
		if !a.Set {
			return "–"
		}
		return terminal.Count(a.Value)
	},
	"either":     func(is bool, yes, no string) string { return map[bool]string{true: yes, false: no}[is] },
	"plural":     func(n int, one, several string) string { return plural.Count(n, one, several) },
	"next":       func(i int) int { return i + 1 },
	"time":       func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"seconds":    func(n float64) time.Duration { return time.Duration(n * float64(time.Second)).Round(time.Second) },
	"spaced":     func(list []string) string { return strings.Join(list, " ") },
	"excerpt":    func(s string) string { return fault.Clip(s, 500) },
	"firstFew":   firstFew,
	"printable":  printable,
	"answerForm": answerForm,
	"activity":   activity,
	"date":       func(t time.Time) string { return t.Format(time.DateOnly) },
	"instant": func(t any) string {
		switch t := t.(type) {
		case time.Time:
			return t.Format(time.RFC3339)
		case *time.Time:
			if t != nil {
				return t.Format(time.RFC3339)
			}
		}
		return "–"
	},
	"oneLine":   oneLine,
	"subject":   subjectLine,
	"listDates": listsLine,
	"named": func(format string, list []ingest.NamedInt) string {
		parts := each.Of(list, func(n ingest.NamedInt) string { return fmt.Sprintf(format, n.Name, terminal.Count(n.Count)) })
		return strings.Join(parts, ", ")
	},
	"shares": func(list []ingest.Count, all snapshot.Counts, more ...ingest.Count) sharesTable {
		return sharesTable{append(list[:len(list):len(list)], more...), all}
	},
	"agreement": func(a ingest.Agreement) string {
		return fmt.Sprintf("%s of %s", terminal.Count(a.Exact), terminal.Count(a.Compared))
	},
	"accountLabel": func(name string) string {
		a, _ := grant.AmountOf(name)
		return strings.ToLower(a.Label)
	},
	"rejected": func(list []lists.Rejection) (n int64) {
		for _, r := range list {
			n += r.Count
		}
		return n
	},
	"award": func(name string, lost ingest.AwardFlow, placed ...ingest.AwardFlow) awardRow {
		row := awardRow{Name: name, Lost: lost}
		for _, f := range placed {
			row.Placed.Rows += f.Rows
			row.Placed.Amount += f.Amount
		}
		return row
	},
	"untaken": func(list []discover.Untaken, all int64, most int) untakenTable {
		shown := list[:min(len(list), most)]
		return untakenTable{shown, all, all - int64(len(shown))}
	},
})
