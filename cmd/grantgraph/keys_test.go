package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/terminal"
)

// keys runs one of the keys commands.
func keys(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var c keysCmd
	parser, err := kong.New(&c, kong.Exit(func(int) { t.Fatal("exit") }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return "", err
	}
	var o, e bytes.Buffer
	err = ctx.Run(&terminal.App{Ctx: t.Context(), In: strings.NewReader(""), Out: &o, Err: &e})
	return o.String(), err
}

func TestKeys(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	must := func(args ...string) string {
		t.Helper()
		out, err := keys(t, append(args, "--data", dir)...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	if _, err := keys(t, "list", "--data", dir); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("list of a directory that is not there: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("to list keys made a store")
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out := must("list"); !strings.Contains(out, "No keys yet") {
		t.Errorf("empty list: %q", out)
	}
	// Nothing is made in a folder that is perhaps another than was meant.
	elsewhere := filepath.Join(t.TempDir(), "dta")
	if _, err := keys(t, "create", "--data", elsewhere); err == nil || !strings.Contains(err.Error(), "has no snapshot") {
		t.Errorf("create without a snapshot: %v", err)
	}
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a refused key made a folder")
	}
	if out, err := keys(t, "create", "--new", "--data", elsewhere); err != nil || !strings.HasPrefix(out, "gg_f_") {
		t.Errorf("create --new: %q, %v", out, err)
	}
	if _, err := keys(t, "create", "--data", elsewhere); err != nil {
		t.Errorf("a second key: %v", err)
	}
	made := strings.TrimSpace(must("create", "--plan", "plus", "--email", "ann@example.org", "--label", "a script"))
	if plan, err := account.ParseKey(made); err != nil || plan != account.Plus {
		t.Fatalf("made %q: %v", made, err)
	}
	var list []keyRecord
	if err := json.Unmarshal([]byte(must("list", "--json")), &list); err != nil || len(list) != 1 {
		t.Fatalf("list: %+v, %v", list, err)
	}
	if k := list[0]; k.Plan != account.Plus || k.Email != "ann@example.org" || k.Label != "a script" || !k.Active || k.Limit != 250 || k.Remaining != 250 || k.Key != "" {
		t.Errorf("list: %+v", k)
	}
	id := list[0].ID
	if out := must("list"); !strings.Contains(out, id) || strings.Contains(out, made) {
		t.Errorf("list: %q", out)
	}
	if out := must("deactivate", made); !strings.Contains(out, id+" deactivated: plan plus, inactive") {
		t.Errorf("deactivate: %q", out)
	}
	if out := must("reactivate", id); !strings.Contains(out, "active") {
		t.Errorf("reactivate: %q", out)
	}
	if out := must("plan", id, "pro"); !strings.Contains(out, "plan pro") || !strings.Contains(out, "10,000") {
		t.Errorf("plan: %q", out)
	}
	var rotated keyRecord
	if err := json.Unmarshal([]byte(must("rotate", id, "--json")), &rotated); err != nil || rotated.ID != id || rotated.Key == "" || rotated.Key == made {
		t.Errorf("rotate: %+v, %v", rotated, err)
	}
	var trail []account.Event
	if err := json.Unmarshal([]byte(must("audit", "--key", rotated.Key, "--json")), &trail); err != nil || len(trail) != 5 ||
		trail[0].Kind != account.EventRotate || trail[4].Kind != account.EventMint || trail[4].Actor != "operator" || trail[4].Key != id || trail[4].At.IsZero() {
		t.Errorf("audit: %+v, %v", trail, err)
	}
	if out := must("audit", "--kind", "plan", "--limit", "1"); strings.Count(out, id) != 1 || !strings.Contains(out, "plus to pro") {
		t.Errorf("audit: %q", out)
	}
	if out := must("audit", "--kind", "unlock"); !strings.Contains(out, "No such events") {
		t.Errorf("audit: %q", out)
	}
	s, err := serve.OpenAccounts(dir, secret.URL{}, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.SignUp(t.Context(), "bob@example.org", "a long enough password", "")
	if err == nil {
		_, _, err = s.CreateFor(t.Context(), "bob@example.org", "his own")
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ says, state string }{{"deactivate", "inactive"}, {"reactivate", "active"}} {
		if out := must(c.says, "bob@example.org"); !strings.Contains(out, "bob@example.org "+c.says+"d: plan free, "+c.state) || !strings.Contains(out, "his own") {
			t.Errorf("%s: %q", c.says, out)
		}
	}
	if out := must("plan", "bob@example.org", "plus"); !strings.Contains(out, "bob@example.org moved: plan plus, active") {
		t.Errorf("plan: %q", out)
	}
	gone := strings.TrimSpace(must("create"))
	var deleted struct {
		ID      string
		Deleted bool
	}
	if err := json.Unmarshal([]byte(must("delete", gone, "--json")), &deleted); err != nil || !deleted.Deleted || deleted.ID == "" {
		t.Errorf("delete: %+v, %v", deleted, err)
	}
	if out := must("audit", "--key", deleted.ID); !strings.Contains(out, "delete") || !strings.Contains(out, "mint") {
		t.Errorf("the history of a deleted key: %q", out)
	}
	if out := must("delete", strings.TrimSpace(must("create"))); !strings.Contains(out, "deleted: it no longer works") {
		t.Errorf("delete: %q", out)
	}
	for _, args := range [][]string{
		{"delete", gone}, {"delete", "nobody@example.org"},
		{"deactivate", "nobody@example.org"}, {"audit", "--key", "key_nobody"}, {"audit", "--limit", "1001"}, {"audit", "--limit", "0"},
		{"deactivate", made}, {"rotate", "key_nobody"}, {"plan", id, "gold"}, {"create", "--plan", "gold"}, {"create", "--email", "nobody"},
	} {
		if out, err := keys(t, append(args, "--data", dir)...); err == nil {
			t.Errorf("%v: %q", args, out)
		}
	}
	for _, args := range [][]string{{"deactivate", "ann@example.org"}, {"rotate", "key_nobody"}} {
		_, err := keys(t, append(args, "--data", dir)...)
		if f, ok := fault.Of(err); !ok || !strings.Contains(f.Hint, "grantgraph keys list") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "accounts.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the store: %v, %v", info, err)
	}
}

// TestAccountsErase runs the commands by which an operator exports and erases an account,
// and looks for what is left in the data directory.
func TestAccountsErase(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s, err := serve.OpenAccounts(data, secret.URL{}, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const email = "wilhelmina@erased.example"
	if _, err := s.SignUp(t.Context(), email, "a few unrelated words", ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.CreateFor(t.Context(), email, "her notebook"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command(t, "accounts", "export", email, "--data", data); code != 0 || !strings.Contains(out, "her notebook") {
		t.Errorf("export: exit %d, %s%s", code, out, errs)
	}
	if code, _, errs := command(t, "accounts", "erase", email, "--data", data); code != 2 || !strings.Contains(errs, "--yes") {
		t.Errorf("without --yes: exit %d, %s", code, errs)
	}
	if code, out, errs := command(t, "accounts", "erase", email, "--yes", "--data", data); code != 0 || !strings.Contains(out, email+" is erased") {
		t.Errorf("erase: exit %d, %s%s", code, out, errs)
	}
	files, err := filepath.Glob(filepath.Join(data, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"wilhelmina", "her notebook"} {
			if bytes.Contains(body, []byte(text)) {
				t.Errorf("%s holds %q", f, text)
			}
		}
	}
	if code, _, errs := command(t, "accounts", "export", email, "--data", data); code != 1 || !strings.Contains(errs, "no such account") {
		t.Errorf("after that: exit %d, %s", code, errs)
	}
}
