// Package paste runs code as somebody does who pastes it from a page: each piece in a folder of its own, with the programs that
// are installed. All pieces of a language are run by one process, which takes a tenth of the time. It is for tests only.
package paste

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

type Ran struct {
	Out    string // what it printed
	Failed string // why it ended early, empty when it did not
	Dir    string // where it ran, with the files that it wrote
}

type Language struct {
	program string
	name    string // of a file of code
	driver  string // runs one in each folder that its arguments name
}

//go:embed shell.sh
var shellDriver string

//go:embed python.py
var pythonDriver string

//go:embed node.js
var nodeDriver string

// The languages. System is Python with the libraries that the system has
// installed for it, where another python3 may come first on the path.
var (
	Shell  = Language{"sh", "code.sh", "shell.sh"}
	Python = Language{"python3", "code.py", "python.py"}
	System = Language{"/usr/bin/python3", "code.py", "python.py"}
	Node   = Language{"node", "code.js", "node.js"}
)

// Lacking skips a test because something is not installed. On continuous integration
// it fails the test, because nothing may be skipped there.
func Lacking(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing, so code of the documentation was not run; scripts/require installs it", what)
	}
	t.Skipf("%s is missing, so code of the documentation was not run; scripts/require installs it", what)
}

// Needs skips a test if a program is not installed.
func Needs(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			Lacking(t, p)
		}
	}
}

func (l Language) Has(library string) bool {
	return exec.Command(l.program, "-c", "import "+library).Run() == nil
}

// Run runs each piece of code, one after the other, with an environment beside that of the test.
func (l Language) Run(t testing.TB, code []string, env ...string) []Ran {
	t.Helper()
	Needs(t, l.program)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("shell.sh", shellDriver)
	write("python.py", pythonDriver)
	write("node.js", nodeDriver)
	args := []string{l.driver}
	for i, text := range code {
		name := strconv.Itoa(i)
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(name, l.name), text)
		args = append(args, name)
	}
	c := exec.CommandContext(t.Context(), l.program, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v: %s", l.program, err, said.Bytes())
	}
	ran := make([]Ran, len(code))
	for i := range ran {
		ran[i].Dir = filepath.Join(dir, strconv.Itoa(i))
		for name, to := range map[string]*string{"stdout": &ran[i].Out, "failed": &ran[i].Failed} {
			b, err := os.ReadFile(filepath.Join(ran[i].Dir, name))
			if err != nil {
				t.Fatal(fmt.Errorf("%s left no word on piece %d: %w: %s", l.program, i, err, said.Bytes()))
			}
			*to = string(b)
		}
	}
	return ran
}
