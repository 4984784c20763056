package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"grantgraph/internal/secret"
)

// TestConfig reads settings from the command line, the environment and the
// file, in that order of strength. It changes the environment, so it does not
// run in parallel.
func TestConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grantgraph.toml")
	write := func(body string) {
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GRANTGRAPH_CONFIG", path)
	t.Setenv("GRANTGRAPH_ADMIN", "127.0.0.1:9999")
	write("data = \"from-file\"\nadmin = \"lost\"\n[serve]\naddr = \"127.0.0.1:7\"\nlog = \"json\"\n")
	code, out, errs := command(t, "serve", "--print-config", "--log", "text")
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range [][]string{{"data", "from-file", path}, {"addr", "127.0.0.1:7", path}, {"admin", "127.0.0.1:9999", "GRANTGRAPH_ADMIN"}, {"log", "text", "flag"}, {"base-url", "default"}} {
		found := false
		for line := range strings.Lines(out) {
			found = found || strings.Join(strings.Fields(line), " ") == strings.Join(want, " ")
		}
		if !found {
			t.Errorf("no line %v in\n%s", want, out)
		}
	}
	write("[serve]\nproxy = [\"10.0.0.0/8\", \"127.0.0.1/32\"]\n")
	if _, out, errs := command(t, "serve", "--print-config"); !strings.Contains(out, "[10.0.0.0/8 127.0.0.1/32]") || strings.Contains(out, "[[") {
		t.Errorf("a list: %s%s", out, errs)
	}
	for body, want := range map[string]string{
		"dtaa = 1\n":            "no command has a flag --dtaa",
		"[serve]\ngrants = 1\n": "[serve] has no flag --grants",
		"[srve]\n":              "there is no command srve",
		"[serve]\nmirror = {ofac = \"http://a\"}\n": "mirror in [serve] is a table",
		"data = \n": "grantgraph.toml",
	} {
		write(body)
		if code, _, errs := command(t, "version"); code != 1 || !strings.Contains(errs, want) || !strings.Contains(errs, "Try:") {
			t.Errorf("%q: exit %d, %s", body, code, errs)
		}
	}
	t.Setenv("GRANTGRAPH_CONFIG", "")
	if code, _, errs := command(t, "version"); code != 0 {
		t.Errorf("no file named: exit %d, %s", code, errs)
	}
	t.Setenv("GRANTGRAPH_CONFIG", filepath.Join(t.TempDir(), "absent.toml"))
	if code, _, errs := command(t, "version"); code != 1 || !strings.Contains(errs, "does not exist") || !strings.Contains(errs, "GRANTGRAPH_CONFIG") {
		t.Errorf("a named file that is absent: exit %d, %s", code, errs)
	}
}

// TestSecretSettings sets secrets in each of the three places and looks for them
// in what is printed. It changes the environment, so it does not run in parallel.
func TestSecretSettings(t *testing.T) {
	const hush = "Hush-4711-Hush-4711"
	path := filepath.Join(t.TempDir(), "grantgraph.toml")
	if err := os.WriteFile(path, []byte("mail = \"smtp://post:"+hush+"@mail.example:587\"\nmirror = [\"bmf=https://me:"+hush+"@mirror.example/a\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GRANTGRAPH_CONFIG", path)
	t.Setenv("GRANTGRAPH_ADMIN_TOKEN", hush)
	code, out, errs := command(t, "serve", "--print-config", "--database", "postgres://me:"+hush+"@db.example/grants?password="+hush)
	if code != 0 || strings.Contains(out+errs, hush) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for _, want := range []string{"admin-token (set) GRANTGRAPH_ADMIN_TOKEN", "database postgres://…@db.example/grants?… flag", "mail smtp://…@mail.example:587 " + path, "mirror [bmf=https://…@mirror.example/a] " + path} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code, out, errs = command(t, "fetch", "--list", "--mirror", "bmf=ftp://me:"+hush+"@mirror.example"); strings.Contains(out+errs, hush) {
		t.Errorf("a mirror that is refused: exit %d: %s%s", code, out, errs)
	}
}

// TestSecretFlags holds every flag whose name or placeholder speaks of a secret
// to the types that hide them.
func TestSecretFlags(t *testing.T) {
	t.Parallel()
	var c cli
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	// Not secrets, though they sound like it: names of files, addresses of people.
	plain := map[string]bool{"secrets": true, "mail-from": true, "email": true, "key FILE": true, "key-file": true, "ask-model-key-file": true}
	telling := regexp.MustCompile("(?i)token|secret|password|key|database|dsn|mail|mirror|URL.*PASSWORD")
	n := 0
	err = kong.Visit(parser.Model.Node, func(node kong.Visitable, next kong.Next) error {
		f, ok := node.(*kong.Flag)
		if ok && telling.MatchString(f.Name+" "+f.Tag.PlaceHolder) && !plain[f.Name] && !plain[f.Name+" "+f.Tag.PlaceHolder] {
			n++
			kind := f.Target.Type()
			if kind.Kind() == reflect.Slice {
				kind = kind.Elem()
			}
			if kind != reflect.TypeFor[secret.Text]() && kind != reflect.TypeFor[secret.URL]() {
				t.Errorf("--%s %s is a %s: a secret that can be printed", f.Name, f.Tag.PlaceHolder, f.Target.Type())
			}
		}
		return next(nil)
	})
	if err != nil || n < 5 {
		t.Errorf("%d flags, %v", n, err)
	}
}
