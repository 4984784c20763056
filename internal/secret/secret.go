// Package secret holds texts that must not be shown: passwords, tokens, keys,
// and addresses that carry them. Such a text is of a type of its own, so that
// whoever prints, logs or encodes it, or a struct it is part of, shows that it
// is there and nothing more, without having to remember a list of names. What
// it says is told by Reveal alone.
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

// Text is a secret of which nothing is shown. The text is behind a pointer,
// because package fmt looks into fields that are not exported without asking
// their methods; of a pointer it shows a number.
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

// Empty says whether there is none.
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

// URL is an address that may carry a secret. It is shown without the user, the
// password and the query, each of which is a place where secrets are put. It
// may have a name before it, as in NAME=URL.
type URL struct{ text Text }

// NewURL makes a secret of an address.
func NewURL(value string) URL { return URL{New(value)} }

// Reveal is the whole address.
func (u URL) Reveal() string { return u.text.Reveal() }

// Empty says whether there is none.
func (u URL) Empty() bool { return u.text.Empty() }

// String is the address without its secrets. What cannot be read as one may be
// a secret all over.
func (u URL) String() string {
	name, address := "", u.Reveal()
	if i := strings.IndexByte(address, '='); i >= 0 && i < strings.Index(address, "://") {
		name, address = address[:i+1], address[i+1:]
	}
	p, err := url.Parse(address)
	if err != nil || p.Scheme == "" || p.Host == "" {
		return u.text.String()
	}
	// A password that was not escaped may be read as anything.
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
	// A state that cannot be written to has nobody to tell.
	_, _ = io.WriteString(s, shown)
}
