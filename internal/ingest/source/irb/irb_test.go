package irb

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"grantgraph/internal/ingest/source/rows/rowstest"
	"grantgraph/internal/place"
)

const intro = `The Internal Revenue Service has revoked its determination that the organizations listed below qualify as organizations described in sections 501(c)(3) and 170(c)(2) of the Internal Revenue Code of 1986.
Protection under section 7428(c) would begin on August 18, 2031 and would end on the date the court decides. This benefit is not extended to acts that were the basis for revocation.
`

const head = "Internal Revenue Bulletin: 2031-33\nAugust 18, 2031\nHIGHLIGHTS OF THIS ISSUE\n"

func readString(s string) (Bulletin, error) { return Read(strings.NewReader(s)) }

func TestReadPages(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Bulletin{
		"2031-07_IRB.html": {"2031-07", "2031-02-18", []Deletion{
			{"Lamplight Tutors, Inc.", "Exampleton", "OH", "2027-01-01", "2031-4"},
			{"Brook & Bramble Wildlife Haven", "Sampleville", "TX", "2028-07-15", "2031-4"},
			{"Sea’s Edge Players", "San Juan", "PR", "2026-12-31", "2031-4"},
			{"Far Shore Friends", "Toronto, Ontario, Canada", "", "2025-06-01", "2031-4"},
			{"The Undated Circle", "Washington", "DC", "", "2031-4"},
		}},
		"irb98-25.txt": {"1998-25", "1998-06-22", []Deletion{
			{"The Maple Hollow Foundation", "Exampleton", "UT", "", "1998-53"},
			{"Quarry Grants, Inc.", "Sampleville", "AZ", "", "1998-53"},
			{"Ann and Bob Example Charitable Supporting Organization", "Greenfield", "DE", "", "1998-53"},
			{"55 Sample Street Housing Development Fund Corporation", "Brooklyn", "NY", "", "1998-53"},
			{"Orchard Aid Society, Inc.", "New Sample", "NC", "", "1998-53"},
			{"Harbor Lights of Wellington", "Wellington, New Zealand", "", "", "1998-53"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			for form, r := range map[string]io.Reader{
				"plain": bytes.NewReader(data),
				"CRLF":  bytes.NewReader(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))),
				"gzip":  strings.NewReader(rowstest.Gzip(string(data))),
			} {
				got, err := Read(r)
				if err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s:\ngot  %+v\nwant %+v", form, got, want)
				}
			}
		})
	}
}

// The forms in which one organization can stand in a list.
func TestReadForms(t *testing.T) {
	t.Parallel()
	plain := Deletion{"Sample Aid, Inc.", "Lake Sample", "NY", "", "2031-16"}
	full := plain
	full.Effective = "2027-01-01"
	for _, c := range []struct {
		form, list string
		want       Deletion
	}{
		{"bars", "NAME OF ORGANIZATION | Effective Date of Revocation | LOCATION\nSample Aid, Inc. | 1/1/2027 | Lake Sample, NY", full},
		{"markdown", "| Name of Organization | Effective Date of Revocation | Location |\n|---|:---:|---|\n| Sample Aid, Inc. | 01/01/2027 | Lake Sample, New York |", full},
		{"tabs", "Sample Aid, Inc.\t1/1/27\tLake Sample, NY 11755-1234", full},
		{"columns lost", "NAME OF ORGANIZATION Effective Date of Revocation LOCATION\nSample Aid, Inc. 1/1/2027 Lake Sample, NY", full},
		{"long date", "Sample Aid, Inc. January 1, 2027 Lake Sample, N.Y.", full},
		{"a cell a line", "NAME OF ORGANIZATION\nEffective Date of\nRevocation\nLOCATION\nSample Aid, Inc.\n1/1/2027\nLake Sample, NY", full},
		{"date ends the line", "Sample Aid, Inc. 1/1/2027\nLake Sample, NY", full},
		{"name broken", "Sample\nAid, Inc. 1/1/2027 Lake Sample, NY", full},
		{"two cells", "Sample Aid, Inc. | Lake Sample, NY", plain},
		{"city and state apart", "Sample Aid, Inc. | 1/1/2027 | Lake Sample | NY", full},
		{"no comma", "Sample Aid, Inc. | 1/1/2027 | Lake Sample NY", full},
		{"place in the name", "Sample Aid, Inc., Lake Sample, NY | 1/1/2027", full},
		{"two lines", "Sample Aid, Inc.\nLake Sample, NY", plain},
		{"two lines, state in full", "Sample Aid, Inc.\nLake Sample, New York.", plain},
		{"two lines, ZIP", "Sample Aid, Inc.\nLake Sample, NY 11755", plain},
		{"one line", "Sample Aid, Inc., Lake Sample, NY", plain},
		{"bullet", "• Sample Aid, Inc., Lake Sample, NY", plain},
		{"paragraphs", "<p>Sample Aid, Inc.<br>Lake Sample, NY</p>", plain},
		{"items", "<ul><li>Sample Aid, Inc., Lake Sample, NY</li></ul>", plain},
		{"one column", "<table><tr><td>Sample Aid, Inc.<br/>Lake Sample, NY</td></tr></table>", plain},
		{"layout table", "<table><tr><td><h4>Table</h4><table><tr><td>Sample Aid, Inc.<td>1/1/2027<td>Lake Sample, NY</table></td></tr></table>", full},
		{"preformatted", "<pre>\nSample Aid, Inc.\nLake Sample, NY\n</pre>", plain},
		{"source broken", "<p>Sample\nAid, Inc.<br>Lake\nSample, NY</p><table><tr><td>\n</td></tr></table>", plain},
		{"unclosed", "<table><tr><td>Sample Aid, Inc.<td>1/1/2027<td>Lake Sample, NY", full},
	} {
		for _, after := range []string{"", "\nNotice 2031-9\nOther Matters\nAlbany, NY\n", "\nThe Service reminds all donors that lists are revised every month of the year.\nOther Matters\nAlbany, NY\n"} {
			text := head + "Announcement 2031-16\n" + intro + c.list + after
			if strings.HasPrefix(c.list, "<") {
				text = strings.ReplaceAll(head+"Announcement 2031-16\n"+intro, "\n", "<br>") + c.list + strings.ReplaceAll(after, "\n", "<br>")
			}
			if c.form == "unclosed" && after != "" {
				continue
			}
			b, err := readString(text)
			if err != nil || len(b.Deletions) != 1 || b.Deletions[0] != c.want {
				t.Errorf("%s, then %q: %+v, err %v", c.form, after, b.Deletions, err)
			}
		}
	}
}

// Several announcements, headings that repeat on every page, and a list above
// its paragraphs.
func TestReadLists(t *testing.T) {
	t.Parallel()
	b, err := readString(head + "Announcement 2031–16\n" + intro + "NAME OF ORGANIZATION | Effective Date of Revocation | LOCATION\nA One | 1/1/2027 | Lake Sample, NY\n" +
		"2031–33 I.R.B. 145\nNAME OF ORGANIZATION | Effective Date of Revocation | LOCATION\nB Two | 1/2/2027 | Lake Sample, NY\n" +
		"Announcement 203117\n" + strings.SplitAfter(intro, "\n")[0] + "C Three\nLake Sample, NY\nD Four\nLake Sample, NY\n" + strings.SplitAfter(intro, "\n")[1] +
		"Announcement 2031-18\nRevocation of Organizations\nNAME OF ORGANIZATION | Effective Date of Revocation | LOCATION\nE Five | 1/5/2027 | Paris, France\n")
	var got []string
	for _, d := range b.Deletions {
		got = append(got, d.Announcement+" "+d.Name)
	}
	if want := []string{"2031-16 A One", "2031-16 B Two", "2031-17 C Three", "2031-17 D Four", "2031-18 E Five"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, err %v", got, err)
	}
}

// The highlights may repeat the opening of an announcement without its list.
func TestReadHighlights(t *testing.T) {
	t.Parallel()
	b, err := readString(head + "Announcement 2031-16, page 9.\n" + strings.SplitAfter(intro, "\n")[0] + "Announcement 2031-16\n" + intro + "A One\nLake Sample, NY\n")
	if err != nil || len(b.Deletions) != 1 {
		t.Errorf("%+v, err %v", b, err)
	}
}

// Pages that name organizations without deleting them.
func TestReadNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"highlights":   "Announcement 2031-16, page 768. The IRS has revoked its determination that Sample Aid of Lake Sample, NY; and Other Aid, Inc., of Tucson, AZ, qualify as organizations described in sections 501(c)(3) and 170(c)(2) of the Code.",
		"title only":   "Announcement 2031-16, page 768.\nRevocation of IRC 501(c)(3) Organizations for failure to meet the code section requirements. Contributions are no longer deductible under IRC 170(b)(1)(A).",
		"litigation":   "Announcement 2031-16\nThe following is a cumulative listing of names of organizations that are presently challenging, under section 7428 of the Code, the revocation of their status in declaratory judgment suits.\nThe organization listed below is no longer described in section 170(c)(2).\nSample Aid\nLake Sample, NY\n",
		"foundations":  "Announcement 2031-16\nThe following organizations have failed to establish or have been unable to maintain their status as public charities.\nSample Aid\nLake Sample, NY\n",
		"nothing more": "",
		"other table":  "Notice 2031-16\nName | Location\nSample Aid | Lake Sample, NY\n",
	} {
		b, err := readString(head + text)
		if err != nil || b.Number != "2031-33" || b.Date != "2031-08-18" || len(b.Deletions) != 0 {
			t.Errorf("%s: %+v, err %v", name, b, err)
		}
	}
}

func TestReadIdentity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, file, number, date string }{
		{"Internal Revenue Bulletin: 2031-5\nFebruary 3, 2031", "", "2031-05", "2031-02-03"},
		{"INTERNAL REVENUE BULLETIN 2031–33 August 18, 2031 Highlights of This Issue", "", "2031-33", "2031-08-18"},
		{"Bulletin No. 2031 –33 August 18, 2031", "", "2031-33", "2031-08-18"},
		{"<title>Internal Revenue Bulletin: 2031-33 | Internal Revenue Service</title><ul><li>a<li>b<li>c<li>d<li>e<li>f<li>g</ul><h1>Internal Revenue Bulletin: 2031-33</h1><p>August 18, 2031</p>", "", "2031-33", "2031-08-18"},
		{"Internal Revenue Bulletin: 2030-53\nJanuary 2, 2031", "", "2030-53", "2031-01-02"},
		{intro + "A One, Lake Sample, NY", "2031-33_IRB", "2031-33", "2031-08-18"},
		{intro + "A One, Lake Sample, NY", "some/where/irb31-33.txt", "2031-33", "2031-08-18"},
		{intro + "A One, Lake Sample, NY", "irb_2031-33.html", "2031-33", "2031-08-18"},
		{"Bulletin No. 2031-33\nAugust 18, 2031", "2031-34_IRB", "2031-33", "2031-08-18"},
		{"Bulletin No. 1998-25\nJune 22, 1998", "irb98-25.txt", "1998-25", "1998-06-22"},
		{"Internal Revenue Bulletin: 2031-32\nInternal Revenue Bulletin: 2031-34\nInternal Revenue Bulletin: 2031-33\nPart I\nBulletin No. 2031-32\nAugust 11, 2031", "", "2031-32", "2031-08-11"},
	} {
		b, err := ReadNamed(strings.NewReader(c.text), c.file)
		if err != nil || b.Number != c.number || b.Date != c.date {
			t.Errorf("%q in %q: %+v, err %v", c.text, c.file, b, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("testdata", "2031-07_IRB.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, file, hint string }{
		{"empty", "", "", "empty"},
		{"blank", "\n \n", "", "empty"},
		{"error page", "<!DOCTYPE html><html><head><title>Page not found | Internal Revenue Service</title></head><body><h1>Page not found</h1></body></html>", "2031-33_IRB", "date of bulletin 2031-33"},
		{"other text", "See Internal Revenue Bulletin 2031-33 for more, it says.", "", "which bulletin"},
		{"index", "<html><a>Internal Revenue Bulletin: 2031-33</a><br>August 18, 2031<br><a>Internal Revenue Bulletin: 2031-32</a><br><a>Internal Revenue Bulletin: 2031-31</a></html>", "", "list of them"},
		{"cut short", string(page[:len(page)*2/3]), "", "incomplete"},
		{"announcement alone", intro + "Sample Aid\nLake Sample, NY", "announcement_2031-16.txt", "name the file after it"},
		{"no date", "Internal Revenue Bulletin: 2031-33\n", "", "date of bulletin 2031-33"},
		{"date of another year", "Internal Revenue Bulletin: 2031-33\nAugust 18, 2013", "", "date of bulletin 2031-33"},
		{"no such week", "Internal Revenue Bulletin: 2031-77\nAugust 18, 2031", "", "which bulletin"},
		{"list lost", head + "Announcement 2031-16\n" + intro + "You can search all bulletins issued since 1996.", "", "announcement 2031-16"},
		{"damaged gzip", "\x1f\x8bnot really", "", "damaged"},
		{"endless", head + strings.Repeat("x", maxPage), "", "longer than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, err := ReadNamed(strings.NewReader(c.text), c.file)
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.hint) || len(b.Deletions) > 0 {
				t.Errorf("%+v, err %v, want one about %q", b, err, c.hint)
			}
		})
	}
	dropped := errors.New("line dropped")
	if _, err := Read(io.MultiReader(strings.NewReader(head), iotest.ErrReader(dropped))); !errors.Is(err, dropped) {
		t.Errorf("err %v, want the stream's", err)
	}
	packed := rowstest.Gzip(string(page))
	for n := 3; n < len(packed); n += 11 {
		if _, err := Read(strings.NewReader(packed[:n])); err == nil {
			t.Errorf("gzip cut to %d of %d bytes was accepted", n, len(packed))
		}
	}
}

func TestLocation(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][2]string{
		"Lake Sample, NY": {"Lake Sample", "NY"}, "Lake Sample, New York": {"Lake Sample", "NY"}, "LAKE SAMPLE, NY 11755": {"LAKE SAMPLE", "NY"},
		"Washington, D.C.": {"Washington", "DC"}, "Washington DC": {"Washington", "DC"}, "Raleigh North Carolina": {"Raleigh", "NC"},
		"San Juan, Puerto Rico 00901-1234": {"San Juan", "PR"}, "Guam": {"", "GU"}, "Lake Gro": {"Lake Gro", ""}, "Paris, France": {"Paris, France", ""},
		"Brooklyn, N. Y.": {"Brooklyn", "NY"}, "": {"", ""}, "Come in": {"Come in", ""}, ", ,": {"", ""},
	} {
		if city, state := location(s); city != want[0] || state != want[1] {
			t.Errorf("%q is %q, %q", s, city, state)
		}
	}
}

// hostilePieces make pages that cost time where a reader is careless.
var hostilePieces = []string{"<p a=\"", "<p a='", "<table>", "<table><tr><td>", "<", "<!--", "<script>", "<td>x", "Announcement 2031-16\n", "&", "&amp", "name of organization ",
	"revoked its determination that the organizations listed below ", "1/1/2027 ", "A, ", "|", "Internal Revenue Bulletin: 2031-33\n", "<h1>", "basis for revocation. "}

func hostilePage(piece string, size int) string {
	return head + "<p>" + strings.Repeat(piece, size/len(piece))
}

// Pages made to cost time are read to their end, and name nobody. That their
// size alone counts, BenchmarkReadHostile shows.
func TestReadHostile(t *testing.T) {
	t.Parallel()
	for _, piece := range hostilePieces {
		if got, err := readString(hostilePage(piece, 1<<20)); err == nil && len(got.Deletions) > 0 {
			t.Errorf("%q names %d organizations", piece, len(got.Deletions))
		}
	}
}

// BenchmarkReadHostile takes as long for each byte of a large page as of a small
// one.
func BenchmarkReadHostile(b *testing.B) {
	for _, piece := range hostilePieces {
		for _, size := range []int{64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%q/%dKiB", piece, size>>10), func(b *testing.B) {
				text := hostilePage(piece, size)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					_, _ = readString(text)
				}
			})
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"2031-07_IRB.html", "irb98-25.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(head + "Announcement 2031-16\n" + intro + "Sample Aid, Inc. 1/1/2027 Lake Sample, NY\n"))
	f.Add([]byte(head + "<br>" + intro + "<table><tr><td>Sample Aid<td>Lake Sample, NY"))
	f.Add([]byte(head + "\n" + intro + "\n\xff, 1/1/2027 \xfe|\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Read(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, io.ErrUnexpectedEOF) && !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		if len(b.Number) != 7 || !iso(b.Date) {
			t.Errorf("bulletin %q of %q", b.Number, b.Date)
		}
		for _, d := range b.Deletions {
			if d.Name == "" || len(d.Name) > maxName || !utf8.ValidString(d.Name+d.City) || d.State != "" && len(d.State) != 2 || d.Effective != "" && !iso(d.Effective) {
				t.Errorf("unusable deletion %+v", d)
			}
		}
		again, err := Read(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil || !reflect.DeepEqual(b, again) {
			t.Errorf("the size of reads shows: %+v, %v", again, err)
		}
	})
}

func iso(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// layouts render organizations in the ways a list can be printed.
var layouts = map[string]func(b *strings.Builder, d Deletion){
	"HTML table": func(b *strings.Builder, d Deletion) {
		b.WriteString("<tr><td><p>" + html.EscapeString(d.Name) + "</p></td><td>" + slash(d.Effective) + "</td><td>" + html.EscapeString(d.City) + ", " + d.State + "</td></tr>\n")
	},
	"bars": func(b *strings.Builder, d Deletion) {
		b.WriteString(d.Name + " | " + slash(d.Effective) + " | " + d.City + ", " + d.State + "\n")
	},
	"dated line": func(b *strings.Builder, d Deletion) {
		b.WriteString(d.Name + " " + slash(d.Effective) + " " + d.City + ", " + d.State + "\n")
	},
	"two lines": func(b *strings.Builder, d Deletion) { b.WriteString(d.Name + "\n" + d.City + ", " + d.State + "\n") },
	"one line":  func(b *strings.Builder, d Deletion) { b.WriteString(d.Name + ", " + d.City + ", " + d.State + "\n") },
}

func slash(iso string) string {
	t, _ := time.Parse(time.DateOnly, iso)
	return t.Format("1/2/2006")
}

// reread prints a list in a layout and reads it back, with the dates that the
// layout does not print put in again.
func reread(layout string, list []Deletion) ([]Deletion, error) {
	var b strings.Builder
	b.WriteString(head + "Announcement 2031-16\n" + intro)
	if layout == "HTML table" {
		text := strings.ReplaceAll(b.String(), "\n", "<br>") + "<table><tr><th>NAME OF ORGANIZATION</th><th>Effective Date of Revocation</th><th>LOCATION</th></tr>"
		b.Reset()
		b.WriteString(text)
	}
	for _, d := range list {
		layouts[layout](&b, d)
	}
	got, err := readString(b.String())
	for i := range min(len(got.Deletions), len(list)) {
		if strings.HasSuffix(layout, " lines") || layout == "one line" {
			got.Deletions[i].Effective = list[i].Effective
		}
	}
	return got.Deletions, err
}

// Whatever is printed is read back, in every layout.
func TestReadBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 16))
	pick := func(from string) string { list := strings.Split(from, "|"); return list[r.IntN(len(list))] }
	regions := place.Regions()
	for range 100 {
		var list []Deletion
		for range 1 + r.IntN(40) {
			list = append(list, Deletion{
				Name: pick("The |||iHelp |de la Sample |First |St. |55 |O'Neil |21st Century ") + pick("Maple|Harbor|Lantern|Quarry|River & Reed|A.B.C.|Ohio") + " " +
					pick("Aid|Friends of the Lake|House|Players|Fund for Children|Society of Sample County") + pick("|, Inc.|, Inc| Foundation| Trust|, a California Corporation| (Chapter 7)"),
				City:         pick("Exampleton|New Sample|St. Mary's|Winston-Salem|Coeur d'Alene|Lake of the Woods|O'Fallon|Washington"),
				State:        regions[r.IntN(len(regions))].Code,
				Effective:    time.Date(2010+r.IntN(20), 1, 1+r.IntN(365), 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
				Announcement: "2031-16",
			})
		}
		for layout := range layouts {
			if got, err := reread(layout, list); err != nil || !reflect.DeepEqual(got, list) {
				t.Fatalf("%s: err %v\ngot  %q\nwant %q", layout, err, got, list)
			}
		}
	}
}

// The first bulletin of a year may come out in the last days of the year
// before.
func TestFirstOfTheYear(t *testing.T) {
	t.Parallel()
	page := func(date string) string {
		return "<html><h1>Internal Revenue Bulletin: 2026-01</h1><p>" + date + "</p><h2>HIGHLIGHTS OF THIS ISSUE</h2></html>"
	}
	if b, err := Read(strings.NewReader(page("December 29, 2025"))); err != nil || b.Date != "2025-12-29" {
		t.Errorf("%+v, err %v", b, err)
	}
	if b, err := Read(strings.NewReader(page("March 3, 2025"))); err == nil {
		t.Errorf("%+v", b)
	}
}
