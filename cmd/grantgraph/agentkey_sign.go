package main

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/terminal"
)

type agentSignCmd struct {
	JWK    string        `name:"jwk" help:"Key pair to sign with, made by agent-key keygen." required:"" placeholder:"FILE"`
	Agent  string        `help:"Address of the agent whose directory publishes the key." required:"" placeholder:"https://HOST"`
	Bare   bool          `help:"Write Signature-Agent in its older form, as a bare string."`
	Cover  []string      `help:"Components to sign besides the authority and the agent." default:"@method,@path" placeholder:"COMPONENT"`
	Expiry time.Duration `help:"How long the signature is valid, at most an hour." default:"1m" placeholder:"TIME"`
	JSON   bool          `name:"json" help:"Print JSON."`
	Method string        `arg:"" help:"Method of the request, such as GET."`
	Target string        `arg:"" name:"url" help:"Address of the request."`
}

func (c *agentSignCmd) Run(a *terminal.App) error {
	u, err := url.Parse(c.Target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fault.New("bad_url", "%q is not a web address", c.Target).Try("the full address, such as https://grants.example.org/api/v1/agent-key")
	}
	if c.Expiry < time.Second || c.Expiry > httpsig.DefaultLimits.Window {
		return fault.New("bad_flag", "--expiry %s is not between a second and %s", c.Expiry, httpsig.DefaultLimits.Window).Try("--expiry 5m")
	}
	r, err := http.NewRequestWithContext(a.Ctx, c.Method, c.Target, nil)
	if err != nil {
		return fault.New("bad_url", "%s %s is not a valid request: %w", c.Method, c.Target, err).Try("a method such as GET, and an address")
	}
	key, err := readKeyPair(a, c.JWK)
	if err != nil {
		return err
	}
	s := &httpsig.Signer{Key: key, Agent: c.Agent, Bare: c.Bare, Cover: c.Cover, Expiry: c.Expiry}
	if err := s.Sign(r); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(struct {
			Agent     string `json:"Signature-Agent"`
			Input     string `json:"Signature-Input"`
			Signature string `json:"Signature"`
		}{r.Header.Get("Signature-Agent"), r.Header.Get("Signature-Input"), r.Header.Get("Signature")})
	}
	for _, name := range []string{"Signature-Agent", "Signature-Input", "Signature"} {
		fmt.Fprintf(a.Out, "%s: %s\n", name, r.Header.Get(name))
	}
	return nil
}
