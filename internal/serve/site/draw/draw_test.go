package draw

import (
	"encoding/xml"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/golden"
	"grantgraph/internal/place"
)

// TestPictures compares every picture with its golden file, and checks that it is
// well-formed.
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
			if s.name == large {
				return
			}
			path := filepath.Join("testdata", s.name+".html")
			// One line for each element, so that differences are readable.
			got := strings.ReplaceAll(string(s.html), "><", ">\n<")
			golden.Check(t, path, got)
		})
	}
}

// wellFormed parses a picture as XML, the strictest of its readers.
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

// everything draws each picture with a text and a number wherever possible.
func everything(text string, n int64) []string {
	years := []Year{{int(n % 3000), n, n, true, text, ""}, {2020, -n, 7, false, text, text}, {int(n), 1, 1, true, "", text}}
	node := Node{text, text, Kind(n), n}
	return []string{
		string(Years(years)), string(TwoFlows(years, years[1:])), string(InAndOut(years[1:], years)), string(Spark(years)),
		string(Dollars.Bars([]Bar{{text, text, n, n, false}, {text, "/" + text, -n, 1, true}})),
		string(Dollars.Map([]Area{{text, n, n, text}, {"OH", n, 1, "?" + text}, {"NY", n, n, "/" + text}, {Abroad, n, 1, "https://" + text}})),
		string(Dollars.Line([]Series{{text, []Point{{2020, n}, {2021, -n}, {int(n), 1}}}, {text, nil}, {}, {}, {text, nil}})),
		string(Network(node, []Node{node, {text, "#" + text, Board, 1}}, []Link{{Center, 0, n, ""}, {1, 0, n, text}, {int(n), 1, n, text}})),
	}
}

var hostile = []string{"", "</title><script>alert(1)</script>", `" onload="x`, "javascript:alert(1)", "//evil.example", "\x00\x01\x7f\u0085\ufffe\uffff", "\xff\xfe\xed\xa0\x80", "&amp;&lt;]]>", strings.Repeat("long ", 5000), "\u202eabc", "a\\b", "日本語"}

// FuzzText checks that no text breaks out of its element, and no number out of the
// picture.
func FuzzText(f *testing.F) {
	for i, text := range hostile {
		f.Add(text, []int64{0, 1, -1, 1<<63 - 1, -1 << 63, 2020}[i%6])
	}
	f.Fuzz(func(t *testing.T, text string, n int64) {
		for _, html := range everything(text, n) {
			wellFormed(t, html)
			for _, bad := range []string{"NaN", "Inf", `="-0"`, `width="-`, `height="-`, "%!"} {
				if strings.Contains(html, bad) && !strings.Contains(text, bad) {
					t.Fatalf("has %s:\n%s", bad, html)
				}
			}
			if len(html) > 120_000 {
				t.Fatalf("%d bytes of %d", len(html), len(text))
			}
		}
	})
}

// TestFollowed checks that only addresses of the site or the web are links.
func TestFollowed(t *testing.T) {
	t.Parallel()
	for href, want := range map[string]bool{
		"/org/00-0000000/harlow?x=1&y=2#z": true, "?page=2": true, "#people": true, "https://example.org/": true, "/": true,
		"": false, "//example.org": false, `/\example.org`: false, "http://example.org": false, "javascript:alert(1)": false, "data:text/html,x": false, " /org": false, "/a\nb": false, "/\xff": false,
	} {
		if followed(href) != want {
			t.Errorf("followed(%q) is %v", href, !want)
		}
	}
}

// TestShading checks that five shades have about as many states each, and that
// equal amounts have equal shades.
func TestShading(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amounts []int64
		ranges  [][2]int64
	}{
		{nil, nil},
		{[]int64{5}, [][2]int64{{5, 5}}},
		{[]int64{5, 5, 5}, [][2]int64{{5, 5}}},
		{[]int64{9, 1}, [][2]int64{{1, 1}, {9, 9}}},
		{[]int64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, [][2]int64{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}},
		{[]int64{1, 1, 1, 1, 1, 1, 1, 2, 3, 4}, [][2]int64{{1, 1}, {2, 2}, {3, 3}, {4, 4}}},
	} {
		of, ranges := shading(slices.Clone(c.amounts))
		if !slices.Equal(ranges, c.ranges) {
			t.Errorf("%v has the ranges %v, want %v", c.amounts, ranges, c.ranges)
		}
		for a, q := range of {
			if a < ranges[q][0] || a > ranges[q][1] {
				t.Errorf("%v: %d has the shade %d", c.amounts, a, q)
			}
		}
	}
}

// TestStatesHaveTiles checks that every state has a tile of its own.
func TestStatesHaveTiles(t *testing.T) {
	t.Parallel()
	seen := map[[2]int]string{}
	for _, s := range states {
		if _, ok := place.RegionOf(s.code); !ok {
			t.Errorf("%s is no state", s.code)
		}
		if other := seen[[2]int{s.column, s.row}]; other != "" || s.column > 10 || s.row > 7 {
			t.Errorf("%s is at %d, %d, where %q is", s.code, s.column, s.row, other)
		}
		seen[[2]int{s.column, s.row}] = s.code
	}
	if len(states) != 52 {
		t.Errorf("%d tiles, want fifty states, the district and Puerto Rico", len(states))
	}
	all := make([]Area, 0, 70)
	for _, r := range place.Regions() {
		all = append(all, Area{Code: r.Code, Amount: 1, Count: 1})
	}
	if html := string(Dollars.Map(all)); strings.Count(html, "<title>") != len(all) {
		t.Errorf("a map of all has %d tiles, want %d", strings.Count(html, "<title>"), len(all))
	}
}

func TestCutAndWrap(t *testing.T) {
	t.Parallel()
	long := func(text string) float64 { return float64(len([]rune(text))) }
	for _, c := range []struct {
		text  string
		width float64
		lines int
		want  string
	}{
		{"Harlow Fund", 11, 1, "Harlow Fund"},
		{"Harlow Fund", 10, 1, "Harlow Fu…"},
		{"Harlow Family Fund", 15, 1, "Harlow Family…"},
		{"Harlow  Family \n Fund", 13, 2, "Harlow Family|Fund"},
		{"Harlow Family Fund of Mapleton", 13, 2, "Harlow Family|Fund of Mapl…"},
		{"Incomprehensibilities", 8, 3, "Incompr…"},
		{"日本語日本語", 4, 1, "日本語…"},
		{"", 4, 2, ""},
		{"abc", 0, 1, "…"},
	} {
		if got := strings.Join(wrapTo(c.text, c.width, c.lines, long), "|"); got != c.want {
			t.Errorf("%q in %d lines of %v is %q, want %q", c.text, c.lines, c.width, got, c.want)
		}
	}
}

// TestYearsAreSaid checks that hatched, cut and empty years are also stated in
// words.
func TestYearsAreSaid(t *testing.T) {
	t.Parallel()
	html := string(Years([]Year{{Year: 2021, Amount: 5_000, Grants: 1, Partial: true, Note: "its return is not published yet"}, {Year: 2019, Amount: 1_234_567, Grants: 2}, {Year: 1950, Amount: 1, Grants: 1}}))
	for _, want := range []string{
		"2019 $1.2M, 2020 no grant, 2021 $5k so far", "2019: $1,234,567 in 2 grants", "2020: no grants found", "2021: $5,000 in 1 grant, incomplete: its return is not published yet",
		"Hatched years are incomplete so far: 2021 (its return is not published yet).", "Years before 1992 are not shown.", `class="hatch"`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("does not say %q", want)
		}
	}
	linked := string(InAndOut([]Year{{Year: 2020, Amount: 5_000, Grants: 1, Href: "/explore?year=2020&location=OH"}}, nil))
	for _, want := range []string{`href="/explore?year=2020&amp;location=OH"`, `class="column got"><title>2020: $5,000 in 1 grant</title>`, `role="group"`, "</svg> Received<", "Given: no grants found"} {
		if !strings.Contains(linked, want) {
			t.Errorf("a year that is a link has no %q", want)
		}
	}
	if Years(nil) != "" || TwoFlows(nil, nil) != "" || Spark(nil) != "" || Dollars.Bars(nil) != "" || Dollars.Line(nil) != "" || Dollars.Line([]Series{{Name: "Revenue"}}) != "" {
		t.Error("something is drawn of nothing")
	}
}

func BenchmarkPictures(b *testing.B) {
	for b.Loop() {
		samples()
	}
}
