package manual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/snippet"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/warehouse"
)

type referencePage struct {
	page
	Groups []api.Group
}

func (s *Room) serveReference(w http.ResponseWriter, r *http.Request) error {
	p := referencePage{page: s.begin(r, referencePath, "API reference",
		"Every endpoint of the Grantgraph API: parameters, answers, errors and examples that run."), Groups: s.reference.Groups}
	p.Contents = each.Append(p.Contents, p.Groups, func(g api.Group) heading { return heading{anchor(g.Tag), g.Tag, 2} })
	return s.draw(w, "reference", p)
}

type operationPage struct {
	page
	Op       *api.Operation
	Own      []api.Param // parameters, and those of all operations
	Common   []api.Param
	Codes    []snippet.Code // the example
	Keyed    []snippet.Code // the same with a key
	Live     bool           // members may run it on another page
	Sent     []api.Shape    // the body of the request
	Answered []api.Shape
	Around   []api.Shape // objects in every answer
	Failures []api.Refusal
	General  []api.Refusal // errors of all operations
	Run      *run
}

type run struct {
	Request string
	Status  int
	Text    string
	Cut     bool
}

// around names the objects of every answer, in the order of Reference.Answer.
var around = []string{"Service", "Warning", "Build", "Excluded", "Cost", "Absent", "Shown"}

func (s *Room) serveOperation(w http.ResponseWriter, r *http.Request) error {
	op := s.reference.Operation(r.PathValue("operation"))
	if op == nil {
		return frame.Missing
	}
	at := referencePath + "/" + op.ID
	p := operationPage{page: s.begin(r, at, op.Summary, sentence(op.Summary)+" "+op.Method+" "+api.Versioned+op.Path+": parameters, answer, errors and "+
		"examples."), Op: op, Live: Live(op)}
	for _, one := range op.Params {
		if one.Name == "strict" || one.Name == "example" {
			p.Common = append(p.Common, one)
		} else {
			p.Own = append(p.Own, one)
		}
	}
	p.Codes = snippet.Of(op, s.BaseURL, "")
	if op.Access != api.Open {
		p.Keyed = snippet.Of(op, s.BaseURL, snippet.Key)
	}
	p.Sent = s.reference.Body(op)
	for _, shape := range s.reference.Answer(op) {
		if slices.Contains(around, shape.Name) {
			p.Around = append(p.Around, shape)
		} else {
			p.Answered = append(p.Answered, shape)
		}
	}
	for _, f := range op.Failures() {
		if s.general(f) {
			p.General = append(p.General, f)
		} else {
			p.Failures = append(p.Failures, f)
		}
	}
	p.Contents = []heading{{"try", "Example", 2}, {"parameters", "Parameters", 2}}
	if len(p.Sent) > 0 {
		p.Contents = append(p.Contents, heading{"body", "Body", 2})
	}
	p.Contents = append(p.Contents, heading{"fields", "Answer", 2}, heading{"failures", "Errors", 2})
	if r.URL.Query().Has("run") {
		example, err := s.reference.Sample(r.Context(), op)
		if err != nil {
			return err
		}
		p.Run = newRun(example)
		w.Header().Set("X-Robots-Tag", "noindex")
	}
	return s.draw(w, "operation", p)
}

// general reports whether all operations have a failure.
func (s *Room) general(f api.Refusal) bool {
	return slices.ContainsFunc(s.failures, func(x failure) bool { return x.Slug == f.Slug && x.Everywhere })
}

func describeFailures(r *api.Reference) (list []failure) {
	from, all := map[string][]link{}, 0
	for _, g := range r.Groups {
		for i := range g.Operations {
			op := &g.Operations[i]
			all++
			for _, f := range op.Failures() {
				from[f.Slug] = append(from[f.Slug], link{op.Method + " " + op.Path, referencePath + "/" + op.ID})
			}
		}
	}
	for _, f := range r.Refusals {
		list = append(list, failure{Refusal: f, Cause: sentence(f.Means), Everywhere: len(from[f.Slug]) == all, From: from[f.Slug]})
	}
	return list
}

// Live reports whether a member can run an operation. Operations for agents and billing systems need keys of their own.
func Live(op *api.Operation) bool {
	return op.Access != api.Agent && op.Access != api.Admin && !op.ForAgents
}

// mostShown bounds the part of an answer that a page shows, in bytes.
const mostShown = 64 << 10

func newRun(a api.Sample) *run {
	text, cut := LaidOut(a.Body)
	return &run{a.Request, a.Status, text, cut}
}

// LaidOut indents JSON and bounds it. Other text stays as it is.
func LaidOut(body []byte) (text string, cut bool) {
	var b bytes.Buffer
	if len(body) > mostShown || json.Indent(&b, bytes.TrimSpace(body), "", "  ") != nil {
		b.Reset()
		b.Write(body)
	}
	text = strings.ToValidUTF8(b.String(), "\uFFFD")
	if len(text) > mostShown {
		return fault.Clip(text, mostShown), true
	}
	return text, false
}

// paramAnchor is the anchor of a parameter on its operation's page.
func paramAnchor(name string) string { return "p-" + anchor(name) }

func allowed(value any) string {
	switch value {
	case true:
		return "1"
	case false:
		return "0"
	}
	return fmt.Sprint(value)
}

// sentence writes the meaning of a refusal as a sentence.
func sentence(means string) string {
	if means == "" {
		return ""
	}
	return strings.ToUpper(means[:1]) + strings.TrimSuffix(means[1:], ".") + "."
}

type errorsPage struct {
	page
	Statuses []statusGroup
}

type statusGroup struct {
	Status int
	Text   string // of the status
	List   []failure
}

// failure is an error with the operations that it can come from.
type failure struct {
	api.Refusal
	Cause      string
	Everywhere bool
	From       []link
}

func (s *Room) serveErrors(w http.ResponseWriter, r *http.Request) error {
	p := errorsPage{page: s.begin(r, errorsPath, "Errors", "Every error of the Grantgraph API: its cause, and how to fix it.")}
	for _, f := range s.failures {
		if n := len(p.Statuses); n == 0 || p.Statuses[n-1].Status != f.Status {
			p.Statuses = append(p.Statuses, statusGroup{Status: f.Status, Text: http.StatusText(f.Status)})
			p.Contents = append(p.Contents, heading{fmt.Sprint("status-", f.Status), fmt.Sprint(f.Status, " ", http.StatusText(f.Status)), 2})
		}
		g := &p.Statuses[len(p.Statuses)-1]
		g.List = append(g.List, f)
	}
	return s.draw(w, "errors", p)
}

type tablesPage struct {
	page
	warehouse.Schema
}

func (s *Room) serveTables(w http.ResponseWriter, r *http.Request) error {
	p := tablesPage{page: s.begin(r, tablesPath, "Tables for SQL", "Every SQL table on Grantgraph, with its columns and sample queries."),
		Schema: warehouse.Describe()}
	p.Contents = []heading{{"rules", "Rules", 2}, {"find_org", "find_org", 2}}
	p.Contents = each.Append(p.Contents, p.Groups(), func(g warehouse.TableGroup) heading { return heading{anchor(g.Name), g.Name, 2} })
	return s.draw(w, "tables", &p)
}

func tableNamed(name string) *warehouse.View {
	all := warehouse.Describe().Tables
	if i := slices.IndexFunc(all, func(v warehouse.View) bool { return v.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

type tablePage struct {
	page
	*warehouse.View
	Queries []query
}

type query struct {
	warehouse.Example
	Path string // page that can run it
}

func (s *Room) serveTable(w http.ResponseWriter, r *http.Request) error {
	v := tableNamed(r.PathValue("table"))
	if v == nil {
		return frame.Missing
	}
	p := tablePage{page: s.begin(r, tablesPath+"/"+v.Name, v.Name, "The table "+v.Name+": "+v.Meaning), View: v}
	p.Contents = []heading{{"columns", "Columns", 2}}
	if len(v.Traps) > 0 {
		p.Contents = append(p.Contents, heading{"notes", "To know", 2})
	}
	for _, e := range v.Examples {
		p.Queries = append(p.Queries, query{e, "/sql?" + url.Values{"q": {e.SQL}}.Encode()})
	}
	if len(p.Queries) > 0 {
		p.Contents = append(p.Contents, heading{"queries", "Queries", 2})
	}
	return s.draw(w, "table", p)
}
