package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/terminal"
)

type askCmd struct {
	Question []string `arg:"" help:"The question, in quotation marks."`
	Data     string   `help:"Data directory." default:"data" placeholder:"DIR"`
	JSON     bool     `name:"json" help:"Print one JSON object."`
}

const maxShown = 20

func (c *askCmd) Run(a *terminal.App) error {
	s, err := serve.Open(serve.Options{Data: c.Data, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer s.Close()
	asker, release := s.Asker()
	defer release()
	question := strings.Join(c.Question, " ")
	answer, err := asker.Answer(a.Ctx, question)
	if err != nil {
		return fault.New("ask", "the question could not be answered: %w", err).Try("ask for less at once, or run grantgraph check")
	}
	if c.JSON {
		err = printAnswerJSON(a, answer)
	} else {
		err = printAnswer(a.Out, answer)
	}
	if err == nil && !answer.Understood {
		return terminal.ExitCode(1)
	}
	return err
}

type askObject struct {
	Understood bool         `json:"understood"`
	Plan       *ask.Plan    `json:"plan"`
	Request    *ask.Request `json:"request"`
	Figures    []ask.Figure `json:"figures"`
	Rows       []any        `json:"rows"`
	Answer     string       `json:"answer"`
	Caveats    []string     `json:"caveats"`
	Why        string       `json:"why,omitempty"`
	Try        []string     `json:"try,omitempty"`
}

func printAnswerJSON(a *terminal.App, x *ask.Answer) error {
	o := askObject{x.Understood, x.Plan, x.Request, x.Figures, []any{}, x.Answer, x.Caveats, x.Why, x.Try}
	for _, row := range x.Rows {
		line := map[string]any{}
		for i, v := range row {
			if p, ok := v.(ask.Party); ok {
				line[x.Columns[i].Name] = p.Name
				if v = nil; p.EIN != "" {
					v = p.EIN
				}
				line[x.Columns[i].Name+"_ein"] = v
				continue
			}
			line[x.Columns[i].Name] = v
		}
		o.Rows = append(o.Rows, line)
	}
	return a.PrintJSON(o)
}

func printAnswer(w io.Writer, x *ask.Answer) error {
	page := struct {
		Answer     *ask.Answer
		Said, Rows string
		More       int
	}{Answer: x, Said: strings.Replace(x.Heading+".", "?.", "?", 1), More: len(x.Rows) - maxShown}
	if !x.Understood {
		return pages.Print(w, "not_understood", page)
	}
	var rows strings.Builder
	t := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(each.Of(x.Columns, func(c ask.Column) string { return c.Label }), "\t"))
	for _, row := range x.Rows[:min(len(x.Rows), maxShown)] {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cell(v, x.Columns[i].Unit)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(x.Rows) > 0 {
		page.Rows = strings.TrimSuffix(rows.String(), "\n")
	}
	return pages.Print(w, "answer", page)
}

func cell(v any, unit string) string {
	if p, ok := v.(ask.Party); ok {
		if p.EIN == "" {
			return p.Name
		}
		return p.Name + " (" + p.EIN[:2] + "-" + p.EIN[2:] + ")"
	}
	return cmp.Or(strings.Join(strings.Fields(ask.Cell(v, unit)), " "), "-")
}
