package main

import (
	"grantgraph/internal/serve"
	"grantgraph/internal/terminal"
)

type openapiCmd struct {
	BaseURL string `name:"base-url" help:"Address of the server in the document." default:"http://127.0.0.1:8080" placeholder:"URL"`
}

func (c *openapiCmd) Run(a *terminal.App) error {
	doc, err := serve.OpenAPI(c.BaseURL)
	if err != nil {
		return err
	}
	_, err = a.Out.Write(doc)
	return err
}
