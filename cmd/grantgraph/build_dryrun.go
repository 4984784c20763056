package main

import (
	"fmt"
	"io"

	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/terminal"
)

func (c *buildCmd) look(a *terminal.App) error {
	survey, err := discover.Look(a.Ctx, c.Sources)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(survey)
	}
	printSurvey(a.Out, survey)
	return nil
}

func printSurvey(w io.Writer, s *discover.Survey) {
	if s.Invented {
		fmt.Fprint(w, "\nInvented data: the sources include a world made by grantgraph synth.\n")
	}
	fmt.Fprint(w, "\nA build would read\n\n")
	t := terminal.NewTable("source", ">files", ">size", "dated")
	for from := 0; from < len(s.Taken); {
		to, size := from, int64(0)
		first, last, undated := "", "", false
		for ; to < len(s.Taken) && s.Taken[to].Kind == s.Taken[from].Kind; to++ {
			x := &s.Taken[to]
			size += x.Bytes
			if x.Date == "" {
				undated = true
				continue
			}
			if first == "" || x.Date < first {
				first = x.Date
			}
			last = max(last, x.Date)
		}
		dates := first
		if last != first {
			dates += " to " + last
		}
		if undated && dates != "" {
			dates += ", and without a date"
		}
		t.Add(s.Taken[from].Kind, to-from, terminal.Bytes(size), dates)
		from = to
	}
	t.Print(w)
	printUntaken(w, s.Untaken, int64(len(s.Untaken)), len(s.Untaken))
	for _, warning := range s.Warnings {
		fmt.Fprintf(w, "\nNote: %s\n", warning)
	}
}

func printUntaken(w io.Writer, list []discover.Untaken, all int64, most int) {
	if all == 0 {
		return
	}
	fmt.Fprintf(w, "\nFiles not taken: %s\n\n", terminal.Count(all))
	t := terminal.NewTable("file", "reason")
	for _, u := range list[:min(len(list), most)] {
		t.Add(u.Path, u.Reason)
	}
	t.Print(w)
	if shown := int64(min(len(list), most)); shown < all {
		fmt.Fprintf(w, "\n  and %s more; grantgraph build --dry-run lists all of them\n", terminal.Count(all-shown))
	}
}
