package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"text/tabwriter"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type getCmd struct {
	Path    string      `arg:"" help:"Path and query, such as '/api/v1/search?q=library'."`
	Method  string      `short:"X" help:"Method; without it GET, or POST where there is a body." placeholder:"METHOD"`
	Body    string      `help:"A request body, such as '{\"sql\": \"SELECT 1\"}'." placeholder:"JSON"`
	Data    string      `help:"Data directory." default:"data" placeholder:"DIR"`
	Key     secret.Text `help:"API key to use; the call is charged to it." placeholder:"KEY"`
	Header  []string    `short:"H" sep:"none" help:"A request header, as 'Name: value'; can be repeated." placeholder:"HEADER"`
	Headers bool        `short:"i" help:"Also print the status and the headers."`

	// The same accounts as the server's, so that the call is charged there.
	Database   secret.URL `help:"PostgreSQL database that holds the accounts; the same as the server's." placeholder:"URL"`
	allowances `embed:""`
}

func (c *getCmd) Run(a *terminal.App) error {
	r, err := c.request(a)
	if err != nil {
		return err
	}
	accounts, err := c.options()
	if err != nil {
		return err
	}
	opt := serve.Options{Data: c.Data, Database: c.Database, Accounts: accounts, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)}
	if strings.Contains(r.URL.Path, "/sql") {
		opt.SQL = &sqlbox.Options{Workers: 1} // processes that nothing else needs
	}
	s, err := serve.Open(opt)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.send(a, s.Handler(), r)
}

func (c *getCmd) request(a *terminal.App) (*http.Request, error) {
	if !strings.HasPrefix(c.Path, "/") {
		return nil, fault.New("bad_path", "%q is not a path", c.Path).Try("grantgraph get /api/v1/meta")
	}
	method := c.Method
	if method == "" && c.Body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(a.Ctx, strings.ToUpper(method), "http://localhost"+c.Path, strings.NewReader(c.Body))
	if err != nil {
		return nil, fault.New("bad_path", "%s %q is no request: %w", method, c.Path, err).Try("quote the path, and escape spaces as +")
	}
	if c.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if !c.Key.Empty() {
		r.Header.Set("X-API-Key", c.Key.Reveal())
	}
	for _, h := range c.Header {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, fault.New("bad_flag", "%q is not a header", h).Try("-H 'Accept: application/json'")
		}
		r.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return r, nil
}

func (c *getCmd) send(a *terminal.App, service http.Handler, r *http.Request) error {
	w := httptest.NewRecorder()
	service.ServeHTTP(w, r)
	answer := w.Result()
	if c.Headers {
		fmt.Fprintf(a.Out, "%s %s\n", answer.Proto, answer.Status)
		if err := answer.Header.Write(a.Out); err != nil {
			return err
		}
		fmt.Fprintln(a.Out)
	}
	body := w.Body.Bytes()
	if kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";"); kind == "application/json" {
		// For people to read, as the documentation shows it.
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, body, "", "  "); err == nil {
			body = pretty.Bytes()
		}
	}
	if _, err := a.Out.Write(body); err != nil {
		return err
	}
	if answer.StatusCode >= 400 {
		return fault.New("answer", "the response is %s", answer.Status).Try("read its message above")
	}
	return nil
}

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
