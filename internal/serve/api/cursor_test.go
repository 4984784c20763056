package api

import "testing"

func FuzzCursor(f *testing.F) {
	f.Add("zzz", int64(0))
	f.Add(encodeCursor("v", "o", []byte("q"), 25), int64(25))
	f.Fuzz(func(t *testing.T, text string, offset int64) {
		if n, readable, err := decodeCursor(text, "v", "o", []byte("q")); readable && err == nil && (n < 0 || n > maxOffset || encodeCursor("v", "o", []byte("q"), n) != text && len(text) < 20) {
			t.Fatalf("%q is read as %d", text, n)
		}
		if offset < 0 || offset > maxOffset {
			return
		}
		if n, readable, err := decodeCursor(encodeCursor("v", "o", []byte("q"), offset), "v", "o", []byte("q")); n != offset || !readable || err != nil {
			t.Fatalf("%d comes back as %d, %v, %v", offset, n, readable, err)
		}
	})
}
