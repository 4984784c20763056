package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestFault(t *testing.T) {
	t.Parallel()
	cause := errors.New("the cause")
	f := New("slug", "reading %s: %w", "a file", cause).Try("read %s", "another")
	if f.Error() != "reading a file: the cause" || f.Hint != "read another" || !errors.Is(f, cause) {
		t.Errorf("%+v", f)
	}
	if got, ok := Of(fmt.Errorf("wrapped: %w", f)); !ok || got != f {
		t.Errorf("found %v, %v", got, ok)
	}
	if _, ok := Of(cause); ok {
		t.Error("any error is a fault")
	}
}

func TestDisk(t *testing.T) {
	t.Parallel()
	if Disk("x", nil) != nil {
		t.Error("nothing became an error")
	}
	f := New("slug", "known")
	if Disk("x", f) != error(f) {
		t.Error("a fault was explained again")
	}
	for err, slug := range map[error]string{
		syscall.ENOSPC: "no_space", syscall.EDQUOT: "no_space", fs.ErrPermission: "no_permission", fs.ErrNotExist: "not_found",
		syscall.ENOTDIR: "not_folder", errors.New("odd"): "io_error",
	} {
		got, ok := Of(Disk("some/path", &fs.PathError{Op: "open", Path: "some/path", Err: err}))
		if !ok || got.Slug != slug || got.Hint == "" || !strings.Contains(got.Message, "some/path") {
			t.Errorf("%v: %+v", err, got)
		}
	}
}
