package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

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
	var b strings.Builder
	if !x.Understood {
		fmt.Fprintf(&b, "%s %s\n", strings.Replace(x.Heading+".", "?.", "?", 1), x.Why)
		if len(x.Try) > 0 {
			fmt.Fprintln(&b, "\nQuestions that can be answered:")
			for _, q := range x.Try {
				fmt.Fprintf(&b, "  %s\n", q)
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s\n\nUnderstood as:", x.Answer)
	for _, c := range x.Plan.Chips() {
		fmt.Fprintf(&b, " [%s: %s]", c.Label, c.Value)
	}
	fmt.Fprintf(&b, "\nRequest: %s %s\n", x.Request.Method, x.Request.URL)
	if x.Request.Body != "" {
		fmt.Fprintf(&b, "Body: %s\n", x.Request.Body)
	}
	if len(x.Rows) > 0 {
		fmt.Fprintln(&b)
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		var heads []string
		for _, c := range x.Columns {
			heads = append(heads, c.Label)
		}
		fmt.Fprintln(t, strings.Join(heads, "\t"))
		for _, row := range x.Rows[:min(len(x.Rows), maxShown)] {
			var cells []string
			for i, v := range row {
				cells = append(cells, cell(v, x.Columns[i].Unit))
			}
			fmt.Fprintln(t, strings.Join(cells, "\t"))
		}
		if err := t.Flush(); err != nil {
			return errors.Join(err)
		}
		if more := len(x.Rows) - maxShown; more > 0 {
			fmt.Fprintf(&b, "and %d more\n", more)
		}
	}
	for i, c := range x.Caveats {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "Note: %s\n", c)
	}
	_, err := io.WriteString(w, b.String())
	return err
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
