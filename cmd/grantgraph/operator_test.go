package main

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"grantgraph/client"
	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/oversight"
	"grantgraph/internal/snapshot"
)

// TestAccountsWalk runs the commands of docs/scale.md by which one machine becomes several
// and one again. Keys, balances, signing keys and reports are the same afterward.
func TestAccountsWalk(t *testing.T) {
	t.Parallel()
	pg, err := postgres.Start(t.Context(), "shared_buffers=16MB")
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to copy the accounts to: %v; scripts/require installs it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop()
	work := t.TempDir()
	data := filepath.Join(work, "data")
	world.Small.Publish(t, data)
	// The key that signed the report, whose date is fixed, is older than the report.
	accounts, err := serve.OpenAccounts(data, secret.URL{}, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	old := seedKey("w")
	if err := accounts.FirstSigningKey(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if err := accounts.Close(); err != nil {
		t.Fatal(err)
	}
	document, _ := issueReport(t, old, "Harborlight")
	s, err := serve.Open(serve.Options{Data: data, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, k, err := s.Store().Create(t.Context(), account.Pro, "ann@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Charge(t.Context(), k.ID, 7); err != nil {
		t.Fatal(err)
	}
	s.Close()
	path := filepath.Join(work, "report.json")
	if err := os.WriteFile(path, document, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(work, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "grantgraph")); err != nil {
		t.Fatal(err)
	}
	// The old key is retired there, so that a report verifies only if old keys came along.
	shown := func(where ...string) string {
		t.Helper()
		var all strings.Builder
		for _, args := range [][]string{{"keys", "list", "--json"}, {"keys", "audit", "--json"}, {"signing", "list", "--json"}, {"signing", "export-public"}} {
			code, out, errs := command(t, append(args, where...)...)
			if code != 0 {
				t.Fatalf("%v: %s", args, errs)
			}
			all.WriteString(out)
		}
		return all.String()
	}
	if code, _, errs := command(t, "signing", "rotate", "--data", data); code != 0 {
		t.Fatal(errs)
	}
	want := shown("--data", data)
	walk := ""
	for _, m := range fence.FindAllStringSubmatch(textOf(t, "../../docs/scale.md"), -1) {
		if m[2] == "accounts" {
			walk += m[3]
		}
	}
	if strings.Count(walk, "accounts copy") != 2 {
		t.Fatalf("docs/scale.md says\n%s", walk)
	}
	for range 2 { // it may be repeated
		cmd := exec.CommandContext(t.Context(), "bash", "-euc", walk)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "DATABASE="+pg.DSN, "PATH="+bin+":"+os.Getenv("PATH"), "GRANTGRAPH_TEST_AS_PROGRAM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, walk, out)
		}
	}
	one := filepath.Join(work, "one")
	if got := shown("--database", pg.DSN); got != want {
		t.Errorf("in PostgreSQL:\n%s\nwant\n%s", got, want)
	}
	if got := shown("--data", one); got != want {
		t.Errorf("in the new file:\n%s\nwant\n%s", got, want)
	}
	if code, out, errs := command(t, "verify", "--data", one, path); code != 0 {
		t.Errorf("the old report: %s%s", out, errs)
	}
	if code, _, errs := command(t, "accounts", "copy", "--from", filepath.Join(work, "none.db"), "--to", pg.DSN); code != 1 || !strings.Contains(errs, "none.db") {
		t.Errorf("from nowhere: %d %s", code, errs)
	}
}

// TestSetup writes settings from flags and from answers; every command takes them.
func TestSetup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answers string
		args          []string
		says          string
	}{
		{"flags", "", []string{"--base-url", "https://grants.example.org", "--contact", "ops@example.org", "--mail", "smtp://u:Hush-1@mail.example.org:587", "--mail-from", "grants@example.org"}, ""},
		{"answers", "https://grants.example.org\nLake Fund\nhttps://example.org/security\ninvited\nfree=100,plus=500\n-\n", nil, ""},
		{"no answer", "https://grants.example.org\n\n", nil, "--contact"},
		{"no texts", "", []string{"--base-url", "https://grants.example.org", "--contact", "ops@example.org", "--mail", "-", "--texts", "/nowhere"}, "/nowhere"},
		{"calls", "", []string{"--base-url", "https://grants.example.org", "--contact", "ops@example.org", "--mail", "-", "--calls", "free=none"}, "free=none"},
		{"plain http", "", []string{"--base-url", "http://grants.example.org", "--contact", "ops@example.org", "--mail", "-"}, "https address"},
		{"contact", "", []string{"--base-url", "https://grants.example.org", "--contact", "nobody", "--mail", "-"}, "--contact"},
		{"mail", "", []string{"--base-url", "https://grants.example.org", "--contact", "ops@example.org", "--mail", "mail.example.org", "--mail-from", "a@example.org"}, "mail server"},
	} {
		path := filepath.Join(t.TempDir(), "etc", "grantgraph.toml")
		args := append([]string{"setup", "--config", path}, c.args...)
		var out, errs strings.Builder
		code := run(t.Context(), args, strings.NewReader(c.answers), &out, &errs)
		body, _ := os.ReadFile(path)
		if c.says != "" {
			if code != 1 || !strings.Contains(errs.String(), c.says) || body != nil {
				t.Errorf("%s: %d %s", c.name, code, errs.String())
			}
			continue
		}
		if code != 0 {
			t.Errorf("%s: %d %s", c.name, code, errs.String())
			continue
		}
		config := &configFile{path: path, values: map[string]any{}}
		if err := toml.Unmarshal(body, &config.values); err != nil {
			t.Fatal(err)
		}
		parser, err := kong.New(new(cli))
		if err != nil {
			t.Fatal(err)
		}
		if err := config.Validate(parser.Model); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, body)
		}
		if calls, _ := config.values["calls"].([]any); c.args == nil && !slices.Equal(calls, []any{"free=100", "plus=500"}) {
			t.Errorf("%s: the calls of plans are %v", c.name, calls)
		}
		if strings.Contains(string(body)+out.String(), "Hush-1") {
			t.Errorf("%s shows the password", c.name)
		}
		if info, err := os.Stat(filepath.Join(filepath.Dir(path), "environment")); c.args != nil && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("%s: %v", c.name, err)
		}
		if code, _, errs := command(t, args...); code != 1 || !strings.Contains(errs, "--replace") {
			t.Errorf("%s again: %d %s", c.name, code, errs)
		}
	}
}

// TestStatus looks at a data directory whose lists are old and that has no accounts.
func TestStatus(t *testing.T) {
	t.Parallel()
	data, backups := t.TempDir(), t.TempDir()
	snap := world.Small.Publish(t, data)
	if code, _, errs := command(t, "check", "--data", data, "--quiet"); code != 0 {
		t.Fatal(errs)
	}
	code, out, errs := command(t, "status", "--data", data, "--backups", backups, "--json")
	var s oversight.Status
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != 1 || errs != "" {
		t.Fatalf("%d %s %v\n%s", code, errs, err, out)
	}
	if s.Dataset == nil || s.Dataset.Version != snap.Manifest.Version || len(s.Lists) != 7 || s.Disk == nil || s.Accounts.Answers || s.Check == nil || s.Check.Damaged != 0 || s.Backup != nil {
		t.Errorf("%s", out)
	}
	problems := strings.Join(s.Problems, "\n")
	for _, want := range []string{"accounts: ", "no backup"} {
		if !strings.Contains(problems, want) {
			t.Errorf("no problem %q in\n%s", want, problems)
		}
	}
	if err := os.WriteFile(filepath.Join(backups, "accounts.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, "keys", "create", "--data", data); code != 0 {
		t.Fatal(errs)
	}
	_, out, _ = command(t, "status", "--data", data, "--backups", backups)
	for _, want := range []string{snap.Manifest.Version, "OFAC sanctions list", "responds", "0 hours ago"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "no backup") || strings.Contains(out, "accounts: ") {
		t.Errorf("%s", out)
	}
	if code, _, errs := command(t, "status", "--ready", "http://127.0.0.1:1/readyz"); code != 1 || !strings.Contains(errs, "not ready") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestAdmin does on a machine what the admin endpoints do on a server, in words and as JSON.
func TestAdmin(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first, second := world.Small.Publish(t, data).Manifest.Version, world.Small.Publish(t, data).Manifest.Version
	s, err := serve.OpenAccounts(data, secret.URL{}, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SignUp(t.Context(), "ann@example.org", "a long enough password", ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	must := func(args ...string) string {
		t.Helper()
		code, out, errs := command(t, append([]string{"admin", "--data", data}, args...)...)
		if code != 0 {
			t.Fatalf("%v: %s", args, errs)
		}
		return out
	}
	if out := must(); !strings.Contains(out, "list-accounts") || !strings.Contains(out, "q plan state limit cursor") || !strings.Contains(out, "publish-dataset") {
		t.Errorf("%s", out)
	}
	if out := must("list-accounts", "q=ANN@"); !strings.Contains(out, "ann@example.org") || !strings.Contains(out, "invitation_ends_at") {
		t.Errorf("%s", out)
	}
	if out := must("list-accounts", "q=bob", "--json"); !strings.Contains(out, `"results": []`) || strings.Contains(out, "x_service") {
		t.Errorf("%s", out)
	}
	var made struct {
		APIKey string `json:"api_key"`
		Key    client.KeyState
	}
	if err := json.Unmarshal([]byte(must("create-key", "account=ann@example.org", "label=nightly job", "--json")), &made); err != nil || !strings.HasPrefix(made.APIKey, "gg_") || made.Key.Account == nil {
		t.Fatalf("%+v, %v", made, err)
	}
	if out := must("list-keys", "q=nightly"); !strings.Contains(out, made.Key.ID) || !strings.Contains(out, "rotated_at") {
		t.Errorf("%s", out)
	}
	if out := must("get-account", "email=ann@example.org"); !strings.Contains(out, `"plan": "free"`) || !strings.Contains(out, made.Key.ID) {
		t.Errorf("%s", out)
	}
	if out := must("set-account-plan", "email=ann@example.org", "plan=pro"); !strings.Contains(out, "pro") {
		t.Errorf("%s", out)
	}
	if out := must("get-account-usage", "email=ann@example.org", "days=2"); !strings.Contains(out, "Nothing found") {
		t.Errorf("%s", out)
	}
	if out := must("invite-account", "email=dot@example.org", "--base-url", "https://grants.example.org/"); !strings.Contains(out, "https://grants.example.org/reset?token=") {
		t.Errorf("%s", out)
	}
	if out := must("list-accounts", "state=invited"); !strings.Contains(out, "dot@example.org") || strings.Contains(out, "ann@") {
		t.Errorf("%s", out)
	}
	if out := must("publish-dataset", "version="+first); !strings.Contains(out, first) {
		t.Errorf("%s", out)
	}
	if now, err := snapshot.Open(data); err != nil || now.Manifest.Version != first {
		t.Errorf("%v, %v", now, err)
	}
	if out := must("list-events", "actor=operator"); !strings.Contains(out, first+" after "+second) || !strings.Contains(out, "free to pro") {
		t.Errorf("%s", out)
	}
	if out := must("get-status", "--json"); !strings.Contains(out, `"version": "`+first+`"`) || !strings.Contains(out, `"confirmed_at"`) {
		t.Errorf("%s", out)
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"there is no operation", []string{"list-account"}},
		{"takes no name", []string{"list-accounts", "name=ann"}},
		{"needs email", []string{"get-account"}},
		{"no such account", []string{"get-account", "email=bob@example.org"}},
		{"There is no dataset", []string{"publish-dataset", "version=20200101T000000Z"}},
		{"address of the site", []string{"invite-account", "email=eve@example.org"}},
		{"sends no email", []string{"invite-account", "email=eve@example.org", "send=true"}},
		{"not one of", []string{"create-key", "plan=gold"}},
	} {
		if code, out, errs := command(t, append([]string{"admin", "--data", data}, c.args...)...); code != 1 || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %s%s", c.args, code, out, errs)
		}
	}
}

// TestManual has man read the manual page, and bash complete from the script.
func TestManual(t *testing.T) {
	t.Parallel()
	code, page, errs := command(t, "man")
	if code != 0 || !strings.Contains(page, ".SS keys create\n") || !strings.Contains(page, `.B \-\-meaning\-documents`) {
		t.Errorf("%d %s\n%s", code, errs, page)
	}
	code, script, errs := command(t, "completion", "bash")
	if code != 0 {
		t.Fatal(errs)
	}
	for line, want := range map[string]string{"grantgraph ke": "keys", "grantgraph keys cr": "create", "grantgraph keys create --pl": "--plan"} {
		words := strings.Fields(line)
		ask := script + "COMP_WORDS=(" + line + "); COMP_CWORD=" + string(rune('0'+len(words)-1)) + "; _grantgraph; echo \"${COMPREPLY[*]}\""
		out, err := exec.CommandContext(t.Context(), "bash", "-c", ask).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %q, %v", line, out, err)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		if code, out, _ := command(t, "completion", shell); code != 0 || !strings.Contains(out, "keys create") {
			t.Errorf("%s: %d %s", shell, code, out)
		}
	}
}

// TestInvite invites a person from the command line, with and without a mail server.
func TestInvite(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	invite := []string{"accounts", "invite", "Ada@example.org", "--data", data, "--base-url", "https://grants.example.org/"}
	code, out, errs := command(t, invite...)
	if code != 0 || !strings.Contains(out, "https://grants.example.org/reset?token=") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	code, out, errs = command(t, append(invite, "--json")...)
	if code != 0 || !strings.Contains(out, `"email": "ada@example.org"`) {
		t.Errorf("%d %s%s", code, out, errs)
	}
	// Nobody listens on the port, so nothing is sent, and the link is not shown either.
	code, out, errs = command(t, append(invite, "--mail", "smtp://127.0.0.1:1", "--mail-from", "grants@example.org")...)
	if code != 1 || strings.Contains(out+errs, "token=") || !strings.Contains(errs, "without --mail") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if code, _, errs := command(t, "serve", "--data", data, "--sign-up", "friends"); code != 1 || !strings.Contains(errs, "domains=example.org") {
		t.Errorf("%d %s", code, errs)
	}
}
