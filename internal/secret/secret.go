// Package secret holds texts that must not be shown: passwords, tokens, keys, and addresses that contain them. Such a text has
// a type of its own. Code that prints, logs or encodes it, or a struct with it, shows only that there is a secret. Reveal alone
// returns the text.
package secret

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
)

// set stands for a secret that is there.
const set = "(set)"

// hidden stands for the part of an address that is not shown.
const hidden = "…"

// Text is a secret of which nothing is shown. The text is behind a pointer, because package fmt prints unexported fields
// without calling their methods, and prints a pointer as a number.
type Text struct{ value *string }

// New makes a secret of a text.
func New(value string) Text { return Text{&value} }

// Reveal is what the secret says.
func (t Text) Reveal() string {
	if t.value == nil {
		return ""
	}
	return *t.value
}

// Empty reports whether there is no secret.
func (t Text) Empty() bool { return t.Reveal() == "" }

// String says whether there is a secret.
func (t Text) String() string {
	if t.Empty() {
		return ""
	}
	return set
}

// Format shows the same for every verb, also for those that look into structs.
func (t Text) Format(s fmt.State, verb rune) { write(s, verb, t.String()) }

// LogValue shows the same in a log.
func (t Text) LogValue() slog.Value { return slog.StringValue(t.String()) }

// MarshalText shows the same in JSON, TOML and the like.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a secret from a flag, the environment or a file.
func (t *Text) UnmarshalText(b []byte) error {
	*t = New(string(b))
	return nil
}

// URL is an address that may contain a secret. It is shown without the user, the password and the query, because each of them
// may be secret. A name may stand before it, as in NAME=URL.
type URL struct{ text Text }

// NewURL makes a secret of an address.
func NewURL(value string) URL { return URL{New(value)} }

// Reveal is the whole address.
func (u URL) Reveal() string { return u.text.Reveal() }

// Empty reports whether there is no address.
func (u URL) Empty() bool { return u.text.Empty() }

// String is the address without its secrets. A text that is no address may be a secret as a whole.
func (u URL) String() string {
	name, address := "", u.Reveal()
	if i := strings.IndexByte(address, '='); i >= 0 && i < strings.Index(address, "://") {
		name, address = address[:i+1], address[i+1:]
	}
	p, err := url.Parse(address)
	if err != nil || p.Scheme == "" || p.Host == "" {
		return u.text.String()
	}
	// A password that was not escaped may look like any part of the address.
	if at := strings.Count(address, "@"); at > 1 || at == 1 && p.User == nil {
		return u.text.String()
	}
	shown := url.URL{Scheme: p.Scheme, Host: p.Host, Path: p.Path}
	out := shown.String()
	if p.User != nil {
		out = strings.Replace(out, "://", "://"+hidden+"@", 1)
	}
	if p.RawQuery != "" || p.Fragment != "" {
		out += "?" + hidden
	}
	return name + out
}

// Format shows the same for every verb.
func (u URL) Format(s fmt.State, verb rune) { write(s, verb, u.String()) }

// LogValue shows the same in a log.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.String()) }

// MarshalText shows the same in JSON, TOML and the like.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads an address from a flag, the environment or a file.
func (u *URL) UnmarshalText(b []byte) error { return u.text.UnmarshalText(b) }

func write(s fmt.State, verb rune, shown string) {
	if verb == 'q' {
		shown = fmt.Sprintf("%q", shown)
	}
	// There is nobody to report a failed write to.
	_, _ = io.WriteString(s, shown)
}
