package api

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

// invented is what every example says of itself.
const invented = "Everything here is invented: the organizations do not exist and their EINs are reserved. No key was needed and nothing was counted."

// grantExamples are the cases of an endpoint of the grant graph.
func grantExamples(query string) []Example {
	return []Example{
		{Case: "1", Description: "A plain success", Query: query},
		{Case: "unsupported", Description: "Both severities of warnings: a filter that is not honored, and one that ran with a caveat", Query: query + "&population=children&min_match_prob=0.97"},
		{Case: "strict", Description: "What strict=1 refuses: the same filter that is not honored becomes a 400", Query: query + "&population=children&strict=1"},
		{Case: "subject_pcs", Description: "A code of a proprietary taxonomy is refused, not matched", Query: query + "&subject=SA0200"},
	}
}

// ExampleList is the answer to example=list.
type ExampleList struct {
	head
	Results []ExampleCase `json:"results" doc:"The cases."`
	tail
}

// ExampleCase is one case.
type ExampleCase struct {
	Case        string `json:"case" doc:"Value of the example parameter."`
	Description string `json:"description" doc:"What it shows."`
	Request     string `json:"request" doc:"The request that it answers."`
	URL         string `json:"url" doc:"Where to get it." format:"uri"`
}

// example answers a request from the fixture. It goes through the same code as
// a request for data, so an example cannot differ from what it shows.
func (s *server) example(ctx context.Context, out *reply, c *call, values url.Values) error {
	c.data, c.desk, c.registry, c.secret = s.fixture, exampleDesk(c.base), exampleStore{}, exampleSecret
	out.stamp(c.data)
	name := strings.ToLower(strings.TrimSpace(values.Get("example")))
	if name == "" || name == "true" {
		name = "1"
	}
	c.shown = &Shown{Case: shown(name), Note: invented}
	out.header.Set("Cache-Control", "public, max-age=3600")
	if name == "list" {
		return out.answer(c, c.examples())
	}
	i := slices.IndexFunc(c.op.Examples, func(e Example) bool { return e.Case == name })
	if i < 0 {
		cases := []string{"list"}
		for _, e := range c.op.Examples {
			cases = append(cases, e.Case)
		}
		c.params = &reader{op: c.op}
		c.params.problem(c.params.param("example"), -1, "enum", name, limit{"expected": cases}, "there is no such example; use one of %s", strings.Join(cases, ", "))
		return &invalid{c.params.problems}
	}
	e := &c.op.Examples[i]
	query, err := parseQuery(e.Query)
	if err != nil {
		return err
	}
	c.shown.Request, c.body = c.op.request(e), []byte(e.Body)
	if values.Has("format") {
		query["format"] = values["format"]
	}
	run, err := c.prepare(query, e.Path)
	if err != nil {
		return err
	}
	// The case unsupported shows both severities, also where no parameter has a
	// caveat; and rows alone do not say that they are invented.
	if name == "unsupported" && !c.warn.has(caveat) || c.format == "csv" || c.format == "ndjson" {
		c.warn.caveat("example", "The answer is invented, and other parameters but format were not read.")
	}
	result, err := run(ctx)
	if err != nil {
		return err
	}
	return out.answer(c, result)
}

// examples lists the cases of an operation.
func (c *call) examples() *ExampleList {
	list := &ExampleList{head: success, Results: []ExampleCase{}}
	for i := range c.op.Examples {
		e := &c.op.Examples[i]
		list.Results = append(list.Results, ExampleCase{e.Case, e.Description, c.op.request(e), c.base + c.op.at(e) + "?example=" + e.Case})
	}
	list.Service = c.service()
	return list
}
