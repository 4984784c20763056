// Package mappedtest tests how every kind of mapped file handles damage.
package mappedtest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/mapped"
)

// Damage damages an intact file in every way: it changes each byte, truncates the file at each position,
// lengthens it, changes the version, and removes, shortens or lengthens each section. open must refuse each
// file with the slug of its kind. Use a small file: it is opened several times for each byte.
func Damage(t *testing.T, k *mapped.Kind, sound []byte, open func(data []byte) error) {
	t.Helper()
	refused := func(data []byte, slug, format string, args ...any) {
		t.Helper()
		err := open(data)
		if f, ok := fault.Of(err); !ok || f.Slug != slug || f.Hint == "" {
			t.Fatalf(format+": the error is %v, not %s with a hint", append(args, err, slug)...)
		}
	}
	if err := open(sound); err != nil {
		t.Fatal(err)
	}
	data := bytes.Clone(sound)
	for i := range data {
		slug := k.Damaged
		if i < len(k.Magic) {
			slug = k.Version
		}
		bit := byte(1) << (i % 8)
		data[i] ^= bit
		refused(data, slug, "byte %d of %d is changed", i, len(data))
		data[i] ^= bit
		refused(data[:i], k.Damaged, "it is cut after %d of %d bytes", i, len(data))
	}
	refused(append(data, 0), k.Damaged, "it has a byte more")
	refused(append(data, sound...), k.Damaged, "it stands there twice")
	refused(make([]byte, 4096), k.Version, "it is zeros")

	f, err := mapped.Read("sound", sound, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range f.Names() {
		without := Rewrite(t, k, sound, func(section string, body []byte) ([]byte, bool) { return body, section != name })
		refused(without, k.Damaged, "section %q is left out", name)
		longer := Rewrite(t, k, sound, func(section string, body []byte) ([]byte, bool) {
			if section == name {
				body = append(body, 0)
			}
			return body, true
		})
		if err := open(longer); err != nil { // a section of bytes may have any length
			refused(longer, k.Damaged, "section %q has a byte more", name)
		}
	}
}

// Rewrite writes a file again, with correct checksums, after change has edited the sections. change may leave a section out.
func Rewrite(t testing.TB, k *mapped.Kind, sound []byte, change func(name string, body []byte) (out []byte, keep bool)) []byte {
	t.Helper()
	f, err := mapped.Read("sound", sound, k)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := mapped.NewWriter(&out, k)
	for _, name := range f.Names() {
		if body, keep := change(name, bytes.Clone(mapped.Column[byte](f, name, mapped.AnyLength))); keep {
			mapped.Add(w, name, body)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Files damages a file on disk: it is missing, empty, or truncated. The file at path is restored afterwards.
func Files(t *testing.T, k *mapped.Kind, path string, open func() error) {
	t.Helper()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(slug, what string) {
		t.Helper()
		err := open()
		if f, ok := fault.Of(err); !ok || f.Slug != slug || f.Hint == "" || !bytes.Contains([]byte(f.Message), []byte(filepath.Base(path))) {
			t.Errorf("a file that is %s: the error is %v, not %s with the path and a hint", what, err, slug)
		}
	}
	put := func(b []byte) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, b, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put(nil)
	refused(k.Damaged, "empty")
	for _, n := range []int{1, 63, 64, 65, 1000, len(sound) / 2, len(sound) - 1} {
		put(sound[:min(n, len(sound)-1)])
		refused(k.Damaged, "cut short")
	}
	put(append([]byte("GGother1"), sound[8:]...))
	refused(k.Version, "of another kind")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refused(k.Missing, "missing")
	put(sound)
	if err := open(); err != nil {
		t.Error(err)
	}
}
