package draw

import (
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestPictures holds every picture to the byte, and that each is well-formed.
func TestPictures(t *testing.T) {
	t.Parallel()
	again := samples()
	for i, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			wellFormed(t, string(s.html))
			if s.html != again[i].html {
				t.Error("drawn twice, it differs")
			}
			path := filepath.Join("testdata", s.name+".html")
			// A line for each element, so that a difference can be read.
			got := strings.ReplaceAll(string(s.html), "><", ">\n<")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || got != string(want) {
				t.Errorf("%s differs (%v); go test -update writes it again, then look at it in the gallery:\n%s", path, err, got)
			}
		})
	}
}

// wellFormed reads a picture as XML: what a strict reader takes, every other takes.
func wellFormed(t *testing.T, html string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader("<page>" + html + "</page>"))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, html)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range element.Attr {
			if a.Name.Local == "style" || a.Name.Local == "id" || strings.HasPrefix(a.Name.Local, "on") {
				t.Fatalf("%s has an attribute %s", element.Name.Local, a.Name.Local)
			}
			if a.Name.Local == "href" && !followed(a.Value) {
				t.Fatalf("leads to %q", a.Value)
			}
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "$0", 7: "$7", 999: "$999", 1000: "$1k", 1049: "$1k", 1050: "$1.1k", 99_949: "$99.9k", 99_950: "$100k", 999_499: "$999k", 999_500: "$1M",
		2_100_000: "$2.1M", 123_456_789: "$123M", 4_000_000_000: "$4B", 7_500_000_000_000: "$7.5T", 1<<63 - 1: "$9223Q", -1_500: "−$1.5k", -1 << 63: "−$9223Q",
	} {
		if got := Compact(n); got != want {
			t.Errorf("Compact(%d) = %s, want %s", n, got, want)
		}
	}
}
