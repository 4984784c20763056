package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/oversight"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/terminal"
)

type adminCmd struct {
	keyStore  `embed:""`
	Operation string   `arg:"" optional:"" help:"What to do, such as list-accounts. Without it the operations are listed."`
	Values    []string `arg:"" optional:"" sep:"none" help:"Values, as NAME=VALUE." placeholder:"NAME=VALUE"`
	BaseURL   string   `name:"base-url" help:"Address of the site, for the links of invitations." placeholder:"URL"`
	Backups   string   `help:"Folder of the backups, for the status." placeholder:"DIR"`
	Sources   string   `help:"Folder of upstream files, where accepted corrections are written for the next build." placeholder:"DIR"`
}

// Run does one of the admin operations of the API on this machine, without a server.
func (c *adminCmd) Run(a *terminal.App) error {
	if c.Operation == "" {
		return c.list(a)
	}
	return c.withStore(func(s *account.Store) error {
		token := rand.Text()
		from := overseen(c.Data, c.Backups, c.Database, s)
		from.Sources = ingest.Rulings(c.Sources)
		h, operations, err := serve.NewAdmin(s, desk{from, c.BaseURL}, secret.New(token), "operator")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(operations, func(op api.Operation) bool { return spoken(op.ID) == c.Operation })
		if i < 0 {
			return fault.New("bad_operation", "there is no operation %q", fault.Clip(c.Operation, 60)).Try("grantgraph admin lists the operations")
		}
		r, err := c.request(a, &operations[i])
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return c.print(a, w)
	})
}

// spoken is the name of an operation on the command line: listAccounts is list-accounts.
func spoken(id string) string {
	var b strings.Builder
	for _, r := range id {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func (c *adminCmd) list(a *terminal.App) error {
	examples, err := serve.Examples("http://localhost")
	if err != nil {
		return err
	}
	t := terminal.NewTable("operation", "values", "what it does")
	for _, g := range examples.Groups {
		for _, op := range g.Operations {
			if op.Access == api.Admin {
				t.Add(spoken(op.ID), strings.Join(valuesOf(&op), " "), op.Summary)
			}
		}
	}
	t.Print(a.Out)
	fmt.Fprintln(a.Out, "\nFor example:  grantgraph admin list-accounts q=ann plan=plus --json")
	return nil
}

// valuesOf are the names that an operation takes: in its path, in the query and in the body.
func valuesOf(op *api.Operation) (names []string) {
	for _, p := range op.Params {
		if p.Name != "strict" && p.Name != "example" {
			names = append(names, p.Name)
		}
	}
	if op.Body != nil {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(op.Body)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

func (c *adminCmd) request(a *terminal.App, op *api.Operation) (*http.Request, error) {
	path, query, body := api.Versioned+op.Path, url.Values{"strict": {"1"}}, map[string]any{}
	for _, given := range c.Values {
		name, value, ok := strings.Cut(given, "=")
		if name = strings.ReplaceAll(name, "-", "_"); !ok || !slices.Contains(valuesOf(op), name) {
			return nil, fault.New("bad_value", "%s takes no %s", c.Operation, fault.Clip(given, 60)).Try("%s", strings.Join(append(valuesOf(op), ""), "=… "))
		}
		switch i := slices.IndexFunc(op.Params, func(p api.Param) bool { return p.Name == name }); {
		case i < 0 && (value == "true" || value == "false"):
			body[name] = value == "true"
		case i < 0:
			body[name] = value
		case op.Params[i].In == "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		default:
			query.Set(name, value)
		}
	}
	if _, missing, ok := strings.Cut(path, "{"); ok {
		name, _, _ := strings.Cut(missing, "}")
		return nil, fault.New("bad_value", "%s needs %s", c.Operation, name).Try("grantgraph admin %s %s=…", c.Operation, name)
	}
	var text []byte
	if op.Body != nil {
		text, _ = json.Marshal(body) // texts and switches only
	}
	r, err := http.NewRequestWithContext(a.Ctx, op.Method, "http://localhost"+path+"?"+query.Encode(), bytes.NewReader(text))
	if err == nil && op.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

func (c *adminCmd) print(a *terminal.App, w *httptest.ResponseRecorder) error {
	if w.Code >= http.StatusBadRequest {
		var f client.Failure
		if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil {
			return err
		}
		refused := fault.New(f.Error, "%s", f.Message)
		if f.Hint != "" {
			refused = refused.Try("%s", f.Hint)
		}
		return refused
	}
	var members map[string]json.RawMessage
	var rows []json.RawMessage
	if err := json.Unmarshal(w.Body.Bytes(), &members); err != nil {
		return err
	}
	for _, name := range []string{"code", "message", "x_service"} {
		delete(members, name)
	}
	if c.JSON || json.Unmarshal(members["results"], &rows) != nil {
		return a.PrintJSON(members)
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.Out, "Nothing found.")
		return nil
	}
	names, _ := cells(rows[0])
	t := terminal.NewTable(names...)
	for _, row := range rows {
		_, values := cells(row)
		t.Add(values...)
	}
	t.Print(a.Out)
	var next string
	if err := json.Unmarshal(members["next_cursor"], &next); err == nil && next != "" {
		fmt.Fprintf(a.Out, "\nMore with cursor=%s\n", next)
	}
	return nil
}

// cells are the names and the values of a row of plain values, in their order.
func cells(row json.RawMessage) (names []string, values []any) {
	d := json.NewDecoder(bytes.NewReader(row))
	d.UseNumber()
	for i := -1; ; i++ { // the first token opens the row
		token, err := d.Token()
		switch {
		case err != nil || token == json.Delim('}'):
			return names, values
		case i < 0:
		case i%2 == 0:
			names = append(names, fmt.Sprint(token))
		case token == nil:
			values = append(values, "–")
		default:
			values = append(values, fmt.Sprint(token))
		}
	}
}

// desk sends no email.
type desk struct {
	*oversight.Source
	base string
}

func (d desk) Deliver(_ context.Context, _, token string, send bool) (link string, err error) {
	switch {
	case send:
		return "", fault.New("no_mail", "This command sends no email.").Try("grantgraph accounts invite, with --mail and --mail-from")
	case d.base == "":
		return "", fault.New("no_mail", "The link needs the address of the site.").Try("--base-url https://grants.example.org")
	}
	return site.Link(strings.TrimRight(d.base, "/"), "/reset", token), nil
}
