package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
