package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type findCmd struct {
	Name  []string `arg:"" help:"The name as people write it, or an EIN."`
	State string   `help:"Two letters of the state it is in." placeholder:"ST"`
	City  string   `help:"The city it is in." placeholder:"CITY"`
	Limit int      `help:"Candidates printed, at most." default:"5" placeholder:"N"`
	Data  string   `help:"Data directory." default:"data" placeholder:"DIR"`
	JSON  bool     `name:"json" help:"Print one JSON object."`
}

type foundOrg struct {
	EIN         string  `json:"ein"`
	Name        string  `json:"name"`
	City        string  `json:"city"`
	State       string  `json:"state"`
	Probability float64 `json:"probability"`
	Recognized  string  `json:"recognized"`
	Why         string  `json:"why"`
}

func (c *findCmd) Run(a *terminal.App) (err error) {
	s, err := snapshot.Open(c.Data)
	if err != nil {
		return err
	}
	x, err := search.OpenNames(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	text := strings.Join(c.Name, " ")
	answer := x.Identify(a.Ctx, identify.Question{Text: text, State: strings.ToUpper(c.State), City: c.City, Limit: c.Limit})
	list := []foundOrg{}
	for _, k := range answer.Candidates {
		list = append(list, foundOrg{k.EIN.Hyphenated(), k.DisplayName, k.City, k.State, k.Probability, k.Name, k.Why})
	}
	if c.JSON {
		err = json.NewEncoder(a.Out).Encode(struct {
			Verdict    string     `json:"verdict"`
			Candidates []foundOrg `json:"candidates"`
		}{answer.Verdict.String(), list})
	} else {
		w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "%s\n", answer.Verdict)
		for _, k := range list {
			fmt.Fprintf(w, "%.3f\t%s\t%s\t%s\t%s\n", k.Probability, k.EIN, k.Name, strings.Trim(k.City+", "+k.State, ", "), k.Why)
		}
		err = w.Flush()
	}
	if _, ok := answer.Best(); err == nil && !ok {
		return terminal.ExitCode(1)
	}
	return err
}
