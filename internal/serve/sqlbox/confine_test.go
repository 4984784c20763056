package sqlbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// probe confines the process and then tries what a worker must not do. It
// prints what it could do all the same.
func probe() {
	for _, n := range confine(1<<30, niceRunner) {
		fmt.Println("note:", n)
	}
	tries := []struct {
		what string
		do   func() error
	}{
		{"open a file", func() error { _, err := os.Open("/etc/passwd"); return err }},
		{"make a file", func() error { return os.WriteFile(os.TempDir()+"/sqlbox-probe", nil, 0o600) }},
		{"list a folder", func() error { _, err := os.ReadDir("/"); return err }},
		{"remove a file", func() error { return os.Remove("/nonexistent/x") }},
		{"connect", func() error { _, err := net.Dial("tcp", "127.0.0.1:9"); return err }},
		{"listen", func() error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err }},
		{"start a program", func() error { return exec.Command("/bin/true").Run() }},
		{"look at itself", func() error { _, err := os.ReadFile("/proc/self/environ"); return err }},
		{"signal its parent", func() error { return syscall.Kill(os.Getppid(), 0) }},
	}
	for _, t := range tries {
		err := t.do()
		if err == nil || !strings.Contains(err.Error(), "not permitted") {
			fmt.Printf("could %s: %v\n", t.what, err)
		}
	}
	// Threads and memory must still be had.
	done := make(chan int)
	for range 8 {
		go func() {
			runtime.LockOSThread()
			done <- len(make([]byte, 1<<20))
		}()
	}
	for range 8 {
		<-done
	}
	fmt.Println("done")
}

func TestConfine(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(os.Args[0], "confined").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if runtime.GOOS != "linux" || strings.Contains(string(out), "note:") {
		t.Skipf("this machine does not offer all of it: %s", out)
	}
	if string(out) != "done\n" {
		t.Errorf("a confined process is not: %s", out)
	}
}
