package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/terminal"
)

// signing runs one of the signing commands.
func signing(t *testing.T, args ...string) (out, errs string, err error) {
	t.Helper()
	var c signingCmd
	parser, err := kong.New(&c, kong.Exit(func(int) { t.Fatal("exit") }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return "", "", err
	}
	var o, e bytes.Buffer
	err = ctx.Run(&terminal.App{Ctx: t.Context(), In: strings.NewReader(""), Out: &o, Err: &e})
	return o.String(), e.String(), err
}

func TestSigning(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		testSigning(t, t.TempDir(), "")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		pg, err := postgres.Start(t.Context())
		if errors.Is(err, postgres.ErrNone) {
			t.Skipf("no PostgreSQL to keep the keys in: %v; scripts/require installs it", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer pg.Stop()
		testSigning(t, t.TempDir(), pg.DSN)
	})
}

func testSigning(t *testing.T, dir, database string) {
	where := []string{"--data", dir}
	if database != "" {
		where = []string{"--database", database}
	}
	must := func(args ...string) (out, errs string) {
		t.Helper()
		out, errs, err := signing(t, append(args, where...)...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out, errs
	}
	fails := func(slug string, args ...string) {
		t.Helper()
		out, _, err := signing(t, append(args, where...)...)
		if f, ok := fault.Of(err); !ok || f.Slug != slug || f.Hint == "" || out != "" {
			t.Errorf("%v: %v, %q", args, err, out)
		}
	}
	list := func() (records []signingRecord) {
		t.Helper()
		out, _ := must("list", "--json")
		if err := json.Unmarshal([]byte(out), &records); err != nil {
			t.Fatal(err)
		}
		return records
	}

	// Nothing but a server makes the first key.
	if out, _ := must("list"); !strings.Contains(out, "No signing keys yet") {
		t.Errorf("%q", out)
	}
	if out, _ := must("list", "--json"); out != "[]\n" {
		t.Errorf("%q", out)
	}
	for _, args := range [][]string{{"rotate"}, {"export-public"}, {"export-public", "--pem"}} {
		fails("no_signing_key", args...)
	}
	s, err := serve.OpenAccounts(dir, secret.NewURL(database), account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(t.Context(), s, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	first := list()
	if len(first) != 1 || first[0].State != "current" || first[0].From.IsZero() || first[0].Until != nil || first[0].Compromised != nil {
		t.Fatalf("%+v", first)
	}
	if _, errs := must("rotate"); !strings.Contains(errs, first[0].ID+" is retired.") {
		t.Errorf("%q", errs)
	}
	out, errs := must("rotate", "--json", "--compromised", "2026-01-02")
	var after []signingRecord
	if err := json.Unmarshal([]byte(out), &after); err != nil || len(after) != 3 {
		t.Fatalf("%+v, %v", after, err)
	}
	if after[0].State != "retired" || after[1].State != "compromised" || !after[1].Compromised.Equal(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)) || after[2].State != "current" ||
		!strings.Contains(errs, after[2].ID+" signs from now on. "+after[1].ID+" is retired and marked as compromised since 2026-01-02T00:00:00Z.") {
		t.Errorf("%+v: %q", after, errs)
	}
	if id, _, err := signWith(t.Context(), ring, []byte("x")); err != nil || id != after[2].ID {
		t.Errorf("the running server signs with %s: %v", id, err)
	}
	// One that is retired is only marked; the current one is rotated too.
	if _, errs := must("rotate", "--compromised", "2026-01-03T10:00:00+02:00", "--key", first[0].ID); !strings.Contains(errs, first[0].ID+" is marked as compromised since 2026-01-03T08:00:00Z. Nothing was rotated.") {
		t.Errorf("%q", errs)
	}
	must("rotate", "--compromised", "2026-01-04", "--key", after[2].ID)
	keys := list()
	if len(keys) != 4 || keys[0].State != "compromised" || keys[2].State != "compromised" || keys[3].State != "current" {
		t.Fatalf("%+v", keys)
	}
	table, _ := must("list")
	for _, k := range keys {
		if !strings.Contains(table, k.ID) {
			t.Errorf("%q", table)
		}
	}
	if !strings.Contains(table, "2026-01-03T08:00:00Z") {
		t.Errorf("%q", table)
	}

	exported, _ := must("export-public")
	public, err := ring.Keys(t.Context())
	if err != nil || exported != string(keyring.JWKS(public)) {
		t.Errorf("%s, %v", exported, err)
	}
	for want, args := range map[string][]string{
		string(keyring.JWKS(public[1:2])): {"export-public", keys[1].ID},
		string(public[3].PEM()):           {"export-public", "--pem"},
		string(public[0].PEM()):           {"export-public", "--pem", keys[0].ID},
	} {
		if out, _ := must(args...); out != want {
			t.Errorf("%v: %s", args, out)
		}
	}

	fails("bad_flag", "rotate", "--key", keys[0].ID)
	fails("unknown_signing_key", "rotate", "--key", "nobody", "--compromised", "2026-01-01")
	fails("unknown_signing_key", "export-public", "nobody")
	for _, date := range []string{"yesterday", "2026-13-01", "9999-01-01", "9999-01-01T00:00:00Z", "0001-01-01", "1969-12-31"} {
		fails("bad_date", "rotate", "--compromised", date)
	}
	if now := list(); len(now) != 4 || now[3] != keys[3] {
		t.Errorf("what was refused changed something: %+v", now)
	}
	trail, err := s.AuditTrail(t.Context(), account.EventFilter{Kind: account.EventSigningRotate})
	if err != nil || len(trail) != 3 || trail[0].Actor != "operator" || trail[0].Key != keys[2].ID {
		t.Errorf("%+v, %v", trail, err)
	}
}

func TestSigningNeedsAStore(t *testing.T) {
	t.Parallel()
	if _, _, err := signing(t, "list", "--data", filepath.Join(t.TempDir(), "data")); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("%v", err)
	}
}

// signWith signs a message with a ring, and says with which key.
func signWith(ctx context.Context, r *keyring.Ring, message []byte) (id string, signature []byte, err error) {
	signature, err = r.Sign(ctx, func(with string) ([]byte, error) { id = with; return message, nil })
	return id, signature, err
}
