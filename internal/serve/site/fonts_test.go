package site

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var static = os.DirFS("frame")

// TestFonts checks facts that are written in several places: a font file is named
// by its content, every font address has a file, and the stylesheet gives each font
// the characters that scripts/fonts left in it. No page has a character that would
// need a font of the reader's machine.
func TestFonts(t *testing.T) {
	t.Parallel()
	files := map[string]bool{}
	entries, err := fs.ReadDir(static, "static/fonts")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		data, err := fs.ReadFile(static, "static/fonts/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if path.Ext(name) != ".woff2" {
			continue
		}
		sum := sha256.Sum256(data)
		if parts := strings.Split(name, "."); len(parts) != 3 || parts[1] != hex.EncodeToString(sum[:4]) {
			t.Errorf("%s is not named by its content, which begins %x", name, sum[:4])
		}
		if len(data) > 35<<10 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		files["/static/fonts/"+name] = true
	}

	style := read(t, static, "static/style.css")
	named := map[string]bool{}
	for _, text := range []string{style, read(t, static, "layout.html")} {
		for _, address := range regexp.MustCompile(`/static/fonts/[^")]+`).FindAllString(text, -1) {
			named[address] = true
			if !files[address] {
				t.Errorf("%s is no file", address)
			}
		}
	}
	for file := range files {
		if !named[file] {
			t.Errorf("nothing uses %s", file)
		}
	}

	script, err := os.ReadFile("../../../scripts/fonts")
	if err != nil {
		t.Fatal(err)
	}
	var left []string // in the fonts
	for _, m := range regexp.MustCompile(`(?m)^(?:latin|extended)=(.+)$`).FindAllStringSubmatch(string(script), -1) {
		left = append(left, m[1])
	}
	var given []string // in the stylesheet
	for _, m := range regexp.MustCompile(`unicode-range: ([^;]+);`).FindAllStringSubmatch(style, -1) {
		given = append(given, strings.ReplaceAll(m[1], ", ", ","))
	}
	if len(left) != 2 || !slices.Equal(given, slices.Repeat(left, 3)) {
		t.Fatalf("the style gives %q, the fonts have %q, each of three", given, left)
	}

	texts := map[string]string{}
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == "testdata" {
				return fs.SkipDir
			}
			return err
		}
		switch path.Ext(name) {
		case ".html", ".css", ".js", ".svg":
			texts[name] = read(t, os.DirFS("."), name)
		case ".go":
			if !strings.HasSuffix(name, "_test.go") {
				texts[name] = read(t, os.DirFS("."), name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		for _, r := range text {
			if r != '\n' && r != '\t' && !within(t, r, left) {
				t.Errorf("%s has %q, which the fonts do not have", name, r)
			}
		}
	}
	for r, want := range map[rune]bool{'é': true, 'ő': true, '→': false, '✓': false} {
		if within(t, r, left) != want {
			t.Errorf("%q: %t", r, !want)
		}
	}
}

func read(t *testing.T, of fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(of, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// within reports whether a character is in one of the lists of ranges, each written
// as U+20-7E,U+131.
func within(t *testing.T, r rune, lists []string) bool {
	t.Helper()
	number := func(s string) rune {
		n, err := strconv.ParseInt(s, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return rune(n)
	}
	for _, span := range strings.Split(strings.Join(lists, ","), ",") {
		first, last, more := strings.Cut(strings.TrimPrefix(span, "U+"), "-")
		if !more {
			last = first
		}
		if number(first) <= r && r <= number(last) {
			return true
		}
	}
	return false
}

// TestFontsServed checks that a font may be cached forever, and another file may
// not.
func TestFontsServed(t *testing.T) {
	t.Parallel()
	v := newPlace(t).visitor(t)
	entries, err := fs.ReadDir(static, "static/fonts")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got := v.get("/static/fonts/" + e.Name())
		want(t, got, 200, "")
		cache, kind := got.header.Get("Cache-Control"), got.header.Get("Content-Type")
		if font := path.Ext(e.Name()) == ".woff2"; strings.Contains(cache, "immutable") != font || (kind == "font/woff2") != font {
			t.Errorf("%s is %s, %s", e.Name(), kind, cache)
		}
	}
	if missing := v.get("/static/fonts/missing.woff2"); missing.status != 404 || strings.Contains(missing.header.Get("Cache-Control"), "immutable") {
		t.Errorf("a font that is missing is %d, %s", missing.status, missing.header)
	}
	if policy := v.get("/").header.Get("Content-Security-Policy"); !strings.Contains(policy, "font-src 'self'") {
		t.Error(policy)
	}
}
