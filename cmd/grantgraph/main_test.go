package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/terminal"
)

// TestParse asks in ways the command line does not have: the answer points to
// the help that lists those it has.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, want, try string }{
		{"nosuch", "unexpected argument nosuch", "grantgraph --help"},
		{"build extra", "unexpected argument extra", "grantgraph build --help"},
		{"synth", "--out=DIR", "grantgraph synth --help"},
		{"keys rotate", "<id>", "grantgraph keys rotate --help"},
		{"keys create --nosuch", "--nosuch", "grantgraph keys create --help"},
		{"serve --log xml", "--log must be one of", "grantgraph serve --help"},
	} {
		code, _, errs := command(t, strings.Fields(test.args)...)
		if code != 2 || !strings.Contains(errs, test.want) || !strings.HasSuffix(errs, "Try: "+test.try+"\n") {
			t.Errorf("%s: exit %d, %s", test.args, code, errs)
		}
	}
	for _, name := range []string{"bench", "eval"} {
		code, _, errs := command(t, name, "--help")
		if code != 1 || !strings.Contains(errs, "Try: use measure "+name) {
			t.Errorf("%s: exit %d, %s", name, code, errs)
		}
	}
	code, _, errs := command(t, "serve", "--sources", t.TempDir(), "--data", t.TempDir(), "--mirror", "ofca=http://127.0.0.1:1")
	if code != 1 || !strings.Contains(errs, `there is no source "ofca"`) {
		t.Errorf("a mirror of nothing: exit %d, %s", code, errs)
	}
	// What would be of no effect does not pass in silence.
	code, _, errs = command(t, "serve", "--data", t.TempDir(), "--mail-from", "no-reply@example.org")
	if code != 1 || !strings.Contains(errs, "no mail server") || !strings.Contains(errs, "Try: --mail smtp://") {
		t.Errorf("a sender without a server: exit %d, %s", code, errs)
	}
	for _, drain := range []string{"-1s", "11m"} {
		code, _, errs = command(t, "serve", "--data", t.TempDir(), "--drain="+drain)
		if code != 1 || !strings.Contains(errs, "between 0s and 10m") || !strings.Contains(errs, "Try: --drain 15s") {
			t.Errorf("--drain=%s: exit %d, %s", drain, code, errs)
		}
	}
	for _, test := range []struct {
		args, says string
		not        bool
	}{
		{args: "--mirror ofac=http://127.0.0.1:1", says: "do nothing without --sources"},
		{args: "--addr 0.0.0.0:0", says: "--base-url"},
		{args: "--addr :0", says: "--base-url"},
		{args: "--addr [::]:0", says: "--base-url"},
		{args: "--addr 0.0.0.0:0 --base-url https://grants.example", says: "--base-url", not: true},
		{args: "--addr 127.0.0.1:0", says: "WARN", not: true},
	} {
		// There is no snapshot, so that it goes no further than to say this.
		_, _, errs := command(t, append([]string{"serve", "--data", t.TempDir()}, strings.Fields(test.args)...)...)
		if strings.Contains(errs, test.says) == test.not || !strings.Contains(errs, "no snapshot") {
			t.Errorf("serve %s: %s", test.args, errs)
		}
	}
}

// TestEnded puts the ends of a server into words.
func TestEnded(t *testing.T) {
	t.Parallel()
	if err := serverError(nil); err != nil {
		t.Error(err)
	}
	if f, ok := fault.Of(serverError(context.DeadlineExceeded)); !ok || f.Slug != "cut_off" {
		t.Errorf("%v", f)
	}
}

// TestHelpShowsDefaults looks for the defaults that a placeholder would hide.
func TestHelpShowsDefaults(t *testing.T) {
	t.Parallel()
	_, out, _ := command(t, "serve", "--help")
	text := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"accounts; default data ($GRANTGRAPH_DATA)", "default 127.0.0.1:8080", "Sender of these emails ($GRANTGRAPH_MAIL_FROM)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestInterrupted stops commands: they say that, and blame neither the disk nor
// anything else.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := t.TempDir()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"synth", "--out", filepath.Join(t.TempDir(), "world"), "--grants", "1k"}, ""},
		{[]string{"build", "--sources", world.Small.Sources(t), "--data", data, "--quiet"}, "To resume: run the same command again; what has been read is kept in " + data + ", and the snapshot being served has not changed\n"},
		{[]string{"demo", "--once", "--data", data + "/demo", "--quiet"}, "To resume: run the same command again; what has been made is kept in " + data + "/demo\n"},
		{[]string{"inspect", filepath.Join(world.Small.Sources(t), "990", "2023_TEOS_XML_01A.zip")}, ""},
	} {
		var out, errs bytes.Buffer
		if code := run(ctx, c.args, strings.NewReader(""), &out, &errs); code != terminal.Interrupted || errs.String() != "grantgraph: stopped before it was finished\n"+c.says {
			t.Errorf("%v: exit %d, %s", c.args, code, errs.String())
		}
	}
	// A demo that was stopped knows its folder again.
	if err := (&demoCmd{Data: filepath.Join(data, "demo")}).refuseOtherData(); err != nil {
		t.Error(err)
	}
}

// TestLostAccounts starts a server on a directory whose accounts are gone: it is
// refused, and the message says how to confirm a new store. A directory that was only
// built is served without a word.
func TestLostAccounts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "builds"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, "serve", "--data", data, "--addr", "127.0.0.1:0"); strings.Contains(errs, "accounts.db is missing") {
		t.Errorf("built and never served: %d %s", code, errs)
	}
	store, err := serve.OpenAccounts(data, secret.URL{}, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	for _, side := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(serve.Accounts(data) + side)
	}
	refused := func(args ...string) {
		t.Helper()
		if code, _, errs := command(t, append(args, "--data", data)...); code != 1 || !strings.Contains(errs, "accounts.db is missing or empty") || !strings.Contains(errs, "--new-accounts") {
			t.Errorf("%q: %d %s", args, code, errs)
		}
		if _, err := os.Stat(serve.Accounts(data)); err == nil && !account.BlankSQLite(serve.Accounts(data)) {
			t.Errorf("%q: a new store was made", args)
		}
	}
	refused("serve", "--addr", "127.0.0.1:0")
	refused("keys", "list")
	// An empty file, as a full disk or a failed copy leaves it, is a lost store too.
	if err := os.WriteFile(serve.Accounts(data), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("serve", "--addr", "127.0.0.1:0")
	refused("keys", "list")
	// So is a database without tables, which is no empty file: SQLite tools leave one.
	blank, err := sql.Open("sqlite", serve.Accounts(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blank.Exec("CREATE TABLE t (c); DROP TABLE t"); err != nil {
		t.Fatal(err)
	}
	blank.Close()
	refused("serve", "--addr", "127.0.0.1:0")
	refused("keys", "list")
	// A confirmed new store is not the problem any more; that there is no snapshot is.
	if code, _, errs := command(t, "serve", "--data", data, "--addr", "127.0.0.1:0", "--new-accounts"); code != 1 || strings.Contains(errs, "accounts.db is missing") {
		t.Errorf("%d %s", code, errs)
	}
}
