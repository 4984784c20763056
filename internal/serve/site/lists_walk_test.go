package site_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site"
)

// TestAuditor walks as docs/screening.md says: from a list of grantees in a browser to the
// ZIP of its reports, and on to a signature that openssl alone verifies.
func TestAuditor(t *testing.T) {
	t.Parallel()
	walk := site.Walker(t)
	for _, program := range []string{"sh", "curl", "openssl", "unzip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the walk of an auditor needs %s: run make require", program)
		}
	}
	s, ctx := serveWorld(t)
	g, err := graph.Open(s.snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rows, _, err := g.Transactions(ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		t.Fatal(len(rows), err)
	}
	folder := t.TempDir()
	walk(ctx, "lists.mjs", s.URL(), s.email, s.password, "/org/"+rows[0].Funder.EIN.String(), folder)
	if t.Failed() {
		return
	}
	text, err := os.ReadFile("../../../docs/screening.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString("set -e\n")
	for _, m := range regexp.MustCompile("(?ms)^<!-- run (zip|keys|verify) -->\n```sh\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		script.WriteString(m[2])
	}
	c := exec.CommandContext(ctx, "sh", "-u")
	c.Dir, c.Stdin, c.Env = folder, strings.NewReader(script.String()), append(os.Environ(), "BASE="+s.URL())
	out, err := c.CombinedOutput()
	for _, want := range []string{"104 index.csv", "The identifier is right.", "The key is the one that the report names.", "Signature Verified Successfully"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("%v, no %q in:\n%s", err, want, out)
		}
	}
	if files, err := filepath.Glob(filepath.Join(folder, "audit", "reports", "*")); err != nil || len(files) != 2*103 {
		t.Errorf("%d reports, %v", len(files), err)
	}
}
