package site

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// says summarizes a list.
func (l *einList) says(err error) string {
	var b strings.Builder
	for i, e := range l.eins {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.Hyphenated())
	}
	if l.repeated > 0 {
		fmt.Fprintf(&b, " again %d", l.repeated)
	}
	if l.over > 0 {
		fmt.Fprintf(&b, " over %d", l.over)
	}
	for _, u := range l.unread {
		fmt.Fprintf(&b, " (%s: %s)", u.Where, u.Text)
	}
	if err != nil {
		b.WriteString(" " + slug(err))
	}
	return strings.TrimSpace(b.String())
}

func TestReadText(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 101 {
		fmt.Fprintf(&many, "%09d\n", 120000001+i)
	}
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", " \n\n", ""},
		{"lines", "12-3456780\n123456781\r\n12 3456782\n", "12-3456780 12-3456781 12-3456782"},
		{"commas", "123456780, 12.3456781;12-3456782\t123456783", "12-3456780 12-3456781 12-3456782 12-3456783"},
		{"spaces", "123456780 12-3456781", "12-3456780 12-3456781"},
		{"a header", "EIN\n123456780", "12-3456780"},
		{"names beside", "HARBOR LIGHT, 12-3456780\n\"12-3456781\",\"4H CLUB\"", "12-3456780 12-3456781 (line 2: 4H CLUB)"},
		{"unreadable", "12-3456780\nnobody\n1234567890\n12-34\n", "12-3456780 (line 2: nobody) (line 3: 1234567890) (line 4: 12-34)"},
		{"again", "123456780\n12-3456780\n", "12-3456780 again 1"},
		{"lost zeros", "1234567", "00-1234567"},
		{"a mark", "\ufeff12-3456780", "12-3456780"},
	} {
		var l einList
		l.readText(tc.text)
		if got := l.says(nil); got != tc.want {
			t.Errorf("%s: %s", tc.name, got)
		}
	}
	var l einList
	l.readText(many.String())
	if len(l.eins) != 100 || l.over != 1 {
		t.Errorf("%d EINs, %d over", len(l.eins), l.over)
	}
	l = einList{}
	l.readText(strings.Repeat("nobody\n", 1000))
	if len(l.unread) != mostUnread || l.more != 1000-mostUnread {
		t.Errorf("%d unread, %d more", len(l.unread), l.more)
	}
}

// inUTF16 is a text as a spreadsheet saves it as "Unicode text".
func inUTF16(s string, little bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return string(b)
}

func TestReadCSV(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, want string }{
		{"a header", "Name,EIN,Amount\nHarbor Light,12-3456780,5000\nCounty Library,123456781,700\n", "12-3456780 12-3456781"},
		{"a mark and quotes", "\ufeff\"Grantee, legal name\",\"Tax ID #\"\r\n\"Light, Inc.\",\"12-3456780\"\r\n", "12-3456780"},
		{"semicolons", "Name;Federal EIN;Betrag\nLicht, e.V.;12-3456780;1,50\n", "12-3456780"},
		{"tabs in UTF-16", inUTF16("Name\tEIN\nÉcole\t123456780\n", true), "12-3456780"},
		{"the other way around", inUTF16("EIN\n123456780\n", false), "12-3456780"},
		{"no header", "Harbor Light,12-3456780,94103-1234\nCounty Library,12-3456781,94103-1235\n", "12-3456780 12-3456781"},
		{"a header that says nothing", "who,number,zip\nHarbor,12-3456780,94103-1234\n", "12-3456780"},
		{"one column", "12-3456780\n12-3456781\n", "12-3456780 12-3456781"},
		{"dropped zero", "ein\n12345678\n", "01-2345678"},
		{"kept zero", "ein\n\"=\"\"012345678\"\"\"\n", "01-2345678"},
		{"a bad row", "name,ein\nA,12-3456780\nB,n/a\nC\n\n", "12-3456780 (line 3: n/a) (line 4: no EIN: C)"},
		{"a line end within a cell", "name,ein\n\"A\nB\",12-3456780\nC,nil\n", "12-3456780 (line 4: nil)"},
		{"an old spreadsheet", "name,ein\n\xc9cole,12-3456780\n", "12-3456780"},
		{"no column", "name,city\nA,B\n", "no_ein_column"},
		{"nothing", "", "no_ein_column"},
		{"not text", "PK\x03\x04\x00\x00", "bad_table"},
	} {
		var l einList
		err := l.readCSV([]byte(tc.file))
		if got := l.says(err); got != tc.want {
			t.Errorf("%s: %s", tc.name, got)
		}
	}
}

// FuzzEINs reads arbitrary text: the list stays within its bounds and has no
// duplicates.
func FuzzEINs(f *testing.F) {
	f.Add("Name,EIN\nA,12-3456780\n")
	f.Add("\ufeff\"a;b\";12-3456780\n12")
	f.Add(inUTF16("EIN\n1", true))
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(*einList) error{
			func(l *einList) error { l.readText(text); return nil },
			func(l *einList) error { return l.readCSV([]byte(text)) },
		} {
			var l einList
			if err := read(&l); err != nil && slug(err) == "" {
				t.Errorf("no words for %v", err)
			}
			if len(l.eins) > mostEINs || len(l.unread) > mostUnread || len(l.seen) != len(l.eins) {
				t.Errorf("%d EINs, %d unread", len(l.eins), len(l.unread))
			}
		}
	})
}
