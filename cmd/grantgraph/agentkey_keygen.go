package main

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"

	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/terminal"
)

type agentKeygenCmd struct {
	Out  string `help:"File to write the key pair to; it must not exist." required:"" placeholder:"FILE"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c *agentKeygenCmd) Run(a *terminal.App) error {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	if err := writeKeyPair(c.Out, key); err != nil {
		return err
	}
	body, _, err := keyDirectory(anyHost, key)
	if err != nil {
		return err
	}
	thumbprint := httpsig.Thumbprint(publicKey(key))
	if c.JSON {
		return a.PrintJSON(struct {
			File       string          `json:"file"`
			Thumbprint string          `json:"thumbprint"`
			Path       string          `json:"path"`
			MediaType  string          `json:"media_type"`
			Directory  json.RawMessage `json:"directory"`
		}{c.Out, thumbprint, httpsig.Path, httpsig.MediaType, body})
	}
	fmt.Fprintf(a.Out, `The key pair is in %[1]s, readable only by you. Keep it secret.

Thumbprint (keyid):  %[2]s

Publish this document at https://HOST%[3]s
with the Content-Type %[4]s:

%[5]s

Next:  grantgraph agent-key mint --jwk %[1]s --agent https://HOST --url URL --purpose TEXT --source TEXT
`, c.Out, thumbprint, httpsig.Path, httpsig.MediaType, body)
	return nil
}
