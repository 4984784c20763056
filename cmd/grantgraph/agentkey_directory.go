package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/terminal"
)

// keyDirectory is the key directory of an agent as its host serves it, with the headers of the response.
func keyDirectory(authority string, keys ...ed25519.PrivateKey) (body []byte, h http.Header, err error) {
	p, err := httpsig.NewPublisher("https://"+authority, keys...)
	if err != nil {
		return nil, nil, err
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, httpsig.Path, nil))
	return w.Body.Bytes(), w.Header(), nil
}

// anyHost stands for the host of the agent where only the document is wanted, which does not depend on the host.
const anyHost = "agent.invalid"

type agentDirectoryCmd struct {
	JWK       []string `name:"jwk" sep:"none" help:"Key pair to list; can be repeated." required:"" placeholder:"FILE"`
	Authority string   `help:"Host that publishes the directory. With it the headers are printed too, with a signature valid for one day." placeholder:"HOST"`
	Serve     string   `help:"Serve the signed directory at this address instead of printing it." placeholder:"HOST:PORT"`
	Cert      string   `help:"Certificate chain to serve with, PEM." placeholder:"FILE"`
	Key       string   `env:"-" help:"Private key of the certificate, PEM." placeholder:"FILE"`
	JSON      bool     `name:"json" help:"Print JSON."`
}

func (c *agentDirectoryCmd) Run(a *terminal.App) error {
	authority, err := checkAuthority(c.Authority)
	if err != nil {
		return err
	}
	if len(c.JWK) > httpsig.MaxKeys {
		return fault.New("bad_flag", "a directory has at most %d keys", httpsig.MaxKeys).Try("fewer --jwk")
	}
	var keys []ed25519.PrivateKey
	for _, path := range c.JWK {
		key, err := readKeyPair(a, path)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	switch {
	case c.Serve != "":
		return c.serve(a, authority, keys)
	case c.Cert != "" || c.Key != "":
		return fault.New("bad_flag", "--cert and --key are for --serve").Try("--serve :443 --cert cert.pem --key key.pem")
	}
	return c.print(a, authority, keys)
}

// checkAuthority reads a host, with a port or without; an address that begins with https:// will do.
func checkAuthority(s string) (string, error) {
	host := strings.TrimSuffix(strings.TrimPrefix(s, "https://"), "/")
	if u, err := url.Parse("https://" + host); host != "" && (err != nil || u.Host != host || u.Hostname() == "") {
		return "", fault.New("bad_flag", "--authority %q is not a host", s).Try("--authority agent.example")
	}
	return host, nil
}

func (c *agentDirectoryCmd) print(a *terminal.App, authority string, keys []ed25519.PrivateKey) error {
	body, header, err := keyDirectory(cmp.Or(authority, anyHost), keys...)
	switch {
	case err != nil:
		return err
	case !c.JSON && authority == "":
		fmt.Fprintf(a.Out, "%s\n", body)
		return nil
	case !c.JSON:
		if err := header.Write(a.Out); err != nil {
			return err
		}
		// No newline after the document: the headers hold its length and digest.
		fmt.Fprintf(a.Out, "\n%s", body)
		return nil
	}
	out := struct {
		Thumbprints []string          `json:"thumbprints"`
		Path        string            `json:"path"`
		MediaType   string            `json:"media_type"`
		Directory   json.RawMessage   `json:"directory"`
		Headers     map[string]string `json:"headers,omitempty"`
		Body        string            `json:"body,omitempty"`
	}{Path: httpsig.Path, MediaType: httpsig.MediaType, Directory: body}
	for _, key := range keys {
		out.Thumbprints = append(out.Thumbprints, httpsig.Thumbprint(publicKey(key)))
	}
	if authority != "" {
		out.Body, out.Headers = string(body), map[string]string{}
		for name := range header {
			out.Headers[name] = header.Get(name)
		}
	}
	return a.PrintJSON(out)
}

// localCertificate makes a certificate for this machine, which only a demo accepts.
func localCertificate() (cert tls.Certificate, err error) {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return cert, err
	}
	now := time.Now()
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(0, 1, 0),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, public, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// serve answers with the directory over TLS until it is interrupted.
func (c *agentDirectoryCmd) serve(a *terminal.App, authority string, keys []ed25519.PrivateKey) error {
	cert, err := localCertificate()
	if at, local := netip.ParseAddrPort(c.Serve); c.Cert != "" || c.Key != "" || local != nil || !at.Addr().IsLoopback() {
		if c.Cert == "" || c.Key == "" {
			return fault.New("bad_flag", "a directory is read over https, so --serve needs --cert and --key").
				Try("--cert cert.pem --key key.pem; or --serve 127.0.0.1:8443 for a demo")
		}
		cert, err = tls.LoadX509KeyPair(c.Cert, c.Key)
	}
	if err != nil {
		return fault.New("bad_certificate", "%s and %s cannot be used: %w", c.Cert, c.Key, err).Try("a certificate and its private key, both PEM")
	}
	l, err := net.Listen("tcp", c.Serve)
	if err != nil {
		return fault.New("address", "cannot listen on %s: %w", c.Serve, err).Try("another address with --serve, such as 127.0.0.1:0 for any free port")
	}
	defer l.Close()
	if authority == "" {
		// The address of the listener is valid on this machine only.
		if at, err := netip.ParseAddrPort(l.Addr().String()); err != nil || !at.Addr().IsLoopback() {
			return fault.New("bad_flag", "--serve %s needs --authority: the signature names the host", c.Serve).Try("--authority agent.example")
		}
		authority = l.Addr().String()
	}
	p, err := httpsig.NewPublisher("https://"+authority, keys...)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(httpsig.Path, p)
	srv := &http.Server{
		Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(slog.NewTextHandler(a.Err, nil), slog.LevelWarn),
	}
	fmt.Fprintf(a.Out, "Serving https://%s%s on %s. Stop it with Ctrl-C.\n", authority, httpsig.Path, l.Addr())
	failed := make(chan error, 1)
	go func() { failed <- srv.ServeTLS(l, "", "") }()
	select {
	case err := <-failed:
		return err
	case <-a.Ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(a.Ctx), 5*time.Second)
	defer cancel()
	return srv.Shutdown(stop)
}
