// Package fault is the one error type that is meant for people. A Fault says what went wrong in words safe to show anybody,
// names its kind by a stable slug for machines, and says what to do about it. Any other error is internal: it may be logged,
// but its text is not shown to a client.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Fault is an error for a person.
type Fault struct {
	Slug    string // stable identifier, such as sources_empty
	Message string // what was wrong and where
	Hint    string // what to do; may be empty
	Err     error  // the cause, for logs and errors.Is; may be nil
}

// New makes a Fault with a formatted message. A trailing %w is kept as the cause.
func New(slug, format string, args ...any) *Fault {
	err := fmt.Errorf(format, args...)
	return &Fault{Slug: slug, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Try adds the hint and returns the same Fault.
func (f *Fault) Try(format string, args ...any) *Fault {
	f.Hint = fmt.Sprintf(format, args...)
	return f
}

func (f *Fault) Error() string { return f.Message }
func (f *Fault) Unwrap() error { return f.Err }

// Of finds the Fault in an error chain.
func Of(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}

// Disk explains a failure to read or write path in a person's terms: no
// space, no permission, not there. Faults and nil pass through unchanged.
func Disk(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := Of(err); ok {
		return err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return New("no_space", "no space left while writing %s: %w", path, err).
			Try("free some space or choose another disk with --data; what was published before is untouched")
	case errors.Is(err, fs.ErrPermission):
		return New("no_permission", "cannot access %s: %w", path, err).
			Try("check who owns it and its permissions")
	case errors.Is(err, fs.ErrNotExist):
		return New("not_found", "%s does not exist", path).
			Try("check the path")
	case errors.Is(err, syscall.ENOTDIR):
		return New("not_folder", "%s is a file where a folder is needed", path).
			Try("choose another path")
	}
	return New("io_error", "%s: %w", path, err).
		Try("check the disk and the path, then run it again")
}

// Clip shortens a text from a stranger to so many bytes, so that a message can repeat
// it. It cuts between characters and ends with an ellipsis.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// Legible reports whether a text from a stranger may be kept and shown: it is
// valid UTF-8 without control characters and without invisible characters.
func Legible(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}
