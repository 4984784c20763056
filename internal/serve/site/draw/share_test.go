package draw

import (
	"bytes"
	"image/png"
	"os"
	"strings"
	"testing"
)

var shared = []struct {
	name, title, line string
	figures           []Figure
}{
	{"usual", "Mapleton Community Foundation", "A community foundation in Mapleton, Ohio", []Figure{{"$12.4M", "given, 2014–2023"}, {"1,204", "grants"}, {"310", "recipients"}}},
	{"long", "The Friends of the Harlow County Public Library, Reading Rooms, Bookmobile and Archive of Regional Newspapers Charitable Trust of 1952", strings.Repeat("Who funded whom, from public tax filings. ", 6), []Figure{{"$1,234,567,890,123", "given in all the years since the filings begin"}, {"7", "grants"}, {"3", "recipients"}, {"$5k", "median grant"}, {"9", "not drawn"}}},
	{"strange", "Ünïçødé 日本 \x00\xff\u202e name", "", nil},
	{"endless", strings.Repeat("W", 5000), strings.Repeat("i", 5000), []Figure{{strings.Repeat("8", 900), strings.Repeat("m", 900)}}},
	{"empty", "", "", nil},
}

func TestShare(t *testing.T) {
	t.Parallel()
	for _, s := range shared {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			file, err := Share(s.title, s.line, s.figures)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := Share(s.title, s.line, s.figures)
			if !bytes.Equal(file, again) {
				t.Error("drawn twice, it differs")
			}
			img, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			if b := img.Bounds(); b.Dx() != 1200 || b.Dy() != 630 {
				t.Errorf("is %v", b)
			}
			// The margins are blank.
			paper := img.At(2, 2)
			for y := range 610 {
				for _, x := range []int{0, 20, 60, 1125, 1160, 1199} {
					if img.At(x, y) != paper {
						t.Fatalf("something is drawn at %d, %d", x, y)
					}
				}
			}
			if len(file) > 100_000 {
				t.Errorf("%d bytes", len(file))
			}
			if dir := os.Getenv("DRAW_SHARED"); dir != "" {
				if err := os.WriteFile(dir+"/"+s.name+".png", file, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkShare(b *testing.B) {
	for _, s := range shared {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Share(s.title, s.line, s.figures); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
