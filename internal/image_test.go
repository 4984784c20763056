package internal_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDockerfileCopiesEverything has Go resolve the program, with every import and every
// embedded file, in a folder that has only what the Dockerfile copies. Each package that
// comes along is whole, so what resolves there compiles as it does here.
func TestDockerfileCopiesEverything(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	dockerfile, err := os.ReadFile("../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^COPY (\w.*) (\S+)$`).FindAllStringSubmatch(string(dockerfile), -1) {
		for _, name := range strings.Fields(m[1]) {
			from, to := filepath.Join("..", name), filepath.Join(folder, m[2])
			info, err := os.Stat(from)
			switch {
			case err != nil:
			case info.IsDir():
				err = os.CopyFS(to, os.DirFS(from))
			default:
				err = copyFile(filepath.Join(to, filepath.Base(name)), from)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	resolve := func() ([]byte, error) {
		list := exec.CommandContext(t.Context(), "go", "list", "-mod=readonly", "-deps", "./cmd/grantgraph")
		list.Dir = folder
		return list.CombinedOutput()
	}
	if out, err := resolve(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(folder, "client")); err != nil {
		t.Fatal(err)
	}
	if out, err := resolve(); err == nil || !bytes.Contains(out, []byte("grantgraph/client")) {
		t.Errorf("without client: %v\n%.500s", err, out)
	}
}

func copyFile(to, from string) error {
	body, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, body, 0o644)
}
