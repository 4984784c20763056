package api

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
)

// invented is the notice in every example that its data is invented.
const invented = "Everything here is invented: the organizations do not exist and their EINs are reserved. No key was needed and nothing was counted."

// example answers a request from invented data with the same code as a real request.
func (s *Handler) example(ctx context.Context, out *reply, c *Call, path map[string]string, values url.Values) error {
	c.op, c.Data, c.Caller.Secret = s.examples.op(c.op.ID), s.config.Examples.Data, s.config.Examples.Key
	out.stamp(c.Data)
	name := strings.ToLower(strings.TrimSpace(values.Get("example")))
	if name == "true" {
		name = "1"
	}
	c.shown = &client.Shown{Case: shown(name), Note: invented}
	out.header.Set("Cache-Control", "public, max-age=3600")
	if c.op.Anew {
		out.header.Set("Cache-Control", "no-store")
	}
	if name == "list" {
		return out.render(c, c.examples())
	}
	i := slices.IndexFunc(c.op.Examples, func(e Example) bool { return e.Case == name })
	if i < 0 {
		cases := []string{"list"}
		for _, e := range c.op.Examples {
			cases = append(cases, e.Case)
		}
		c.Params = &Reader{op: c.op}
		c.Params.Problem(c.Params.Param("example"), -1, "enum", name, Limit{"expected": cases}, "there is no such example; use one of %s", strings.Join(cases, ", "))
		return &invalid{c.Params.problems}
	}
	e := &c.op.Examples[i]
	query, err := parseQuery(e.Query)
	if err != nil {
		return err
	}
	c.body = []byte(e.Body)
	c.Caller.Paid, c.key = !e.Unpaid, account.KeyInfo{Plan: account.Free, Active: true}
	if values.Has("format") {
		query["format"] = values["format"]
	}
	answer := func(e *Example) (client.Answer, error) {
		c.shown.Request = c.op.request(e)
		run, err := c.prepare(query, e.Path)
		if err != nil {
			return nil, err
		}
		// "unsupported" shows both severities. Rows or a file alone do not say that they are invented.
		if name == "unsupported" && !c.warn.has(caveat) || c.format != "json" && c.format != "xml" {
			c.warn.Caveat("example", "The answer is invented, and all other parameters except format were ignored.")
		}
		return run(ctx)
	}
	var result client.Answer
	if of := e.about(path["ein"]); name == "1" && of != nil {
		if result, err = answer(of); err != nil {
			result, c.warn = nil, &Warnings{}
			c.warn.Caveat("ein", "There is no example about this organization, so this one is about another.")
		}
	}
	if result == nil {
		if result, err = answer(e); err != nil {
			return err
		}
	}
	return out.render(c, result)
}

// about is the example with another of the invented organizations in its path, or nil. It never is about a real one.
func (e *Example) about(text string) *Example {
	of, err := ein.Parse(text)
	if shown, _ := ein.Parse(e.Path["ein"]); err != nil || of == shown || of > 9 {
		return nil
	}
	other := *e
	other.Path = map[string]string{"ein": of.String()}
	return &other
}

func (c *Call) examples() *client.ExampleList {
	list := &client.ExampleList{Head: Success, Results: []client.ExampleCase{}}
	for i := range c.op.Examples {
		e := &c.op.Examples[i]
		list.Results = append(list.Results, client.ExampleCase{
			Case: e.Case, Description: e.Description, Request: c.op.request(e), URL: c.Base + c.op.Target(e) + "?example=" + e.Case,
		})
	}
	list.Service = c.Service()
	return list
}
