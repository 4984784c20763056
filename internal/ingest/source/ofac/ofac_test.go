package ofac

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

// A small list in the published layout, of parties that do not exist.
const (
	primary = `36,"NORTHWIND CARRIERS",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ` + "\r\n" +
		`7,"DOE, John","individual","SDGT] [NPWMD] [IFSR","Chief, of staff",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"DOB 1960; a.k.a. 'JOHNNY'; nationality Nowhere."` + "\r\n" +
		`40,"SEA LARK","vessel","IRAN",-0- ,"5XYZ9","Crude Oil Tanker","300,000","150,000","Panama","LARK CO",-0- ` + "\r\n" +
		"\x1a"
	aliases   = `36,12,"aka","NORTH-WIND",-0- ` + "\r\n" + `36,13,"fka","NORTHWIND LINES","until 1990"` + "\r\n" + `99,14,"aka","NOBODY",-0- ` + "\r\n\x1a"
	addresses = `36,25,-0- ,"Havana","Cuba",-0- ` + "\r\n" + `7,26,-0- ,-0- ,-0- ,-0- ` + "\r\n" +
		`40,27,"1, Quay St","Port 5000","Nowhere",-0- ` + "\r\n\x1a"
)

func read(primary, aliases, addresses, comments string) (*List, error) {
	f := Files{Primary: strings.NewReader(primary)}
	for text, r := range map[string]*io.Reader{aliases: &f.Aliases, addresses: &f.Addresses, comments: &f.Comments} {
		if text != "" {
			*r = strings.NewReader(text)
		}
	}
	return Read(f)
}

func TestRead(t *testing.T) {
	t.Parallel()
	list, err := read(primary, aliases, addresses, "")
	if err != nil {
		t.Fatal(err)
	}
	want := List{
		Entries: []Entry{
			{Num: 7, Name: "DOE, John", Type: "individual", Programs: []string{"SDGT", "NPWMD", "IFSR"}, Title: "Chief, of staff",
				Remarks: "DOB 1960; a.k.a. 'JOHNNY'; nationality Nowhere.", Aliases: []Alias{{Type: Weak, Name: "JOHNNY"}}},
			{Num: 36, Name: "NORTHWIND CARRIERS", Programs: []string{"CUBA"},
				Aliases:   []Alias{{Num: 12, Type: "aka", Name: "NORTH-WIND"}, {Num: 13, Type: "fka", Name: "NORTHWIND LINES", Remarks: "until 1990"}},
				Addresses: []Address{{Num: 25, City: "Havana", Country: "Cuba"}}},
			{Num: 40, Name: "SEA LARK", Type: "vessel", Programs: []string{"IRAN"}, CallSign: "5XYZ9", VesselType: "Crude Oil Tanker",
				Tonnage: "300,000", GRT: "150,000", Flag: "Panama", Owner: "LARK CO",
				Addresses: []Address{{Num: 27, Street: "1, Quay St", City: "Port 5000", Country: "Nowhere"}}},
		},
		Tally:     rows.Tally{Rows: 3},
		Aliases:   rows.Tally{Rows: 2, Rejected: []rows.Rejection{{Reason: ReasonOrphan, Count: 1}}},
		Addresses: rows.Tally{Rows: 3},
	}
	if !reflect.DeepEqual(*list, want) {
		t.Errorf("got  %+v\nwant %+v", *list, want)
	}
	if list.Entries[0].Entity() || !list.Entries[1].Entity() {
		t.Error("an entry without a type is an entity, and no other is")
	}
}

func TestReadForms(t *testing.T) {
	t.Parallel()
	want, err := read(primary, "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"bare line feeds":        strings.ReplaceAll(primary, "\r\n", "\n"),
		"no end mark":            strings.TrimSuffix(primary, "\x1a"),
		"end mark and line end":  primary + "\r\n",
		"end mark on last row":   strings.TrimSuffix(primary, "\r\n\x1a") + "\x1a",
		"no last line end":       strings.TrimSuffix(primary, "\r\n\x1a"),
		"null without its space": strings.ReplaceAll(primary, "-0- ", "-0-"),
		"last null cut":          strings.TrimSuffix(primary, "- \r\n\x1a"),
		"blank lines":            "\r\n" + strings.ReplaceAll(primary, "\r\n", "\r\n\r\n"),
		"byte order mark":        "\ufeff" + primary,
		"gzip":                   rowstest.Gzip(primary),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Read(Files{Primary: iotest.HalfReader(strings.NewReader(text))})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, err %v\nwant %+v", got, err, want)
			}
		})
	}
}

func TestReadBadRows(t *testing.T) {
	t.Parallel()
	null := strings.Repeat(",-0- ", 10) + "\r\n"
	text := strings.TrimSuffix(primary, "\x1a") + `x,"LETTERS"` + null + `0,"ZERO"` + null + `50,-0- ` + null + `36,"AGAIN"` + null +
		"51,SHORT\r\n" + `52,"` + strings.Repeat("X", 70<<10) + `"` + null + `53,"OPEN` + null + `54,LAST` + null
	list, err := read(text, "36,1,aka,-0- ,-0- \nx,1,aka,y,-0- \n", "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []rows.Rejection{{Reason: ReasonName, Count: 1}, {Reason: ReasonRepeated, Count: 1}, {Reason: ReasonNumber, Count: 2},
		{Reason: rows.ReasonOverlong, Count: 1}, {Reason: rows.ReasonQuote, Count: 1}, {Reason: rows.ReasonColumns, Count: 1}}
	if list.Tally.Rows != 4 || !slices.Equal(list.Tally.Rejected, want) {
		t.Errorf("primary %+v", list.Tally)
	}
	if list.Entries[len(list.Entries)-1].Name != "LAST" {
		t.Error("the row after the damage is lost")
	}
	if want := []rows.Rejection{{Reason: ReasonName, Count: 1}, {Reason: ReasonNumber, Count: 1}}; list.Aliases.Rows != 0 || !slices.Equal(list.Aliases.Rejected, want) {
		t.Errorf("aliases %+v", list.Aliases)
	}
}

// Remarks that were cut are continued, in mid-word or beside a space; others
// are left alone.
func TestComments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, head, tail, end string }{
		{"mid-word", strings.Repeat("x", cutAt-12) + "; Linked To:", " HARBOR GROUP.", "; Linked To: HARBOR GROUP."},
		{"space before the cut", strings.Repeat("x", cutAt-11) + "; operated ", "by HARBOR.", "; operated by HARBOR."},
		{"period at the cut", strings.Repeat("x", cutAt-5) + " U.S.", " Persons.", " U.S. Persons."},
		{"cut early", "DOB 19", "60; POB Nowhere.", "DOB 1960; POB Nowhere."},
		{"in an alias", strings.Repeat("x", cutAt-13) + "; a.k.a. 'LAN", "TERN'.", "; a.k.a. 'LANTERN'."},
	} {
		row := `8,"HARBOR"` + strings.Repeat(",-0- ", 9) + `,"` + c.head + "\"\r\n"
		list, err := read(row, "", "", `8,"`+c.tail+"\"\r\n\x1a")
		if err != nil || !strings.HasSuffix(list.Entries[0].Remarks, c.end) || list.Comments.Rows != 1 {
			t.Errorf("%s: %+v, err %v", c.name, list, err)
		}
		weak := list.Entries[0].Aliases
		if strings.Contains(c.end, "a.k.a.") != (len(weak) == 1 && weak[0].Name == "LANTERN") {
			t.Errorf("%s: aliases %+v", c.name, weak)
		}
	}
	list, err := read(primary, "", "", "7,\"ere.\"\r\n99,\"x\"\r\n\x1a")
	want := []rows.Rejection{{Reason: ReasonOrphan, Count: 1}, {Reason: ReasonUnrelated, Count: 1}}
	if err != nil || list.Entries[0].Remarks != "DOB 1960; a.k.a. 'JOHNNY'; nationality Nowhere." || !slices.Equal(list.Comments.Rejected, want) {
		t.Errorf("comments of another list: %+v, err %v", list, err)
	}
}

func TestWeak(t *testing.T) {
	t.Parallel()
	for remarks, want := range map[string][]string{
		"a.k.a. 'LH'.": {"LH"},
		"DOB 1950; a.k.a. 'ONE'; f.k.a. 'TWO'; n.k.a. 'THREE'; Linked To: X.": {"ONE", "TWO", "THREE"},
		"a.k.a. 'PEOPLE'S ARMY'; a.k.a. 'ARMY OF THE PEOPLE'.":                {"PEOPLE'S ARMY", "ARMY OF THE PEOPLE"},
		"a.k.a. 'ABU HAZA''; a.k.a. ''UMAR'.":                                 {"ABU HAZA'", "'UMAR"},
		"a.k.a. ''FOOPIE''.":                                                  {"FOOPIE"},
		"a.k.a. 'SUE RC 'KMP''.":                                              {"SUE RC 'KMP'"},
		"a.k.a. 'TEMP.HERMIT'; a.k.a. 'X; Y'.":                                {"TEMP.HERMIT", "X; Y"},
		"a.k.a. 'NO PERIOD'":                                                  {"NO PERIOD"},
		"A.K.A. 'CAPITALS'.":                                                  {"CAPITALS"},
		"a.k.a. 'CUT SHO":                                                     nil,
		"a.k.a. 'WHOLE'; a.k.a. '":                                            {"WHOLE"},
		"a.k.a. ''.":                                                          nil,
		"Effective Date (EO 14024 Directive)' associated; Website x.":         nil,
		"Osaka 'x'; formerly a.k.a. 'NOT AN ITEM'.":                           nil,
		"": nil,
	} {
		var got []string
		for _, a := range appendWeak(nil, remarks) {
			got = append(got, a.Name)
			if a.Type != Weak || a.Num != 0 {
				t.Errorf("%q: %+v", remarks, a)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", remarks, got, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		f    Files
		hint string
	}{
		"nothing":          {Files{}, "primary file is missing"},
		"empty":            {Files{Primary: strings.NewReader("")}, "empty"},
		"blank":            {Files{Primary: strings.NewReader("\r\n\r\n")}, "empty"},
		"end mark alone":   {Files{Primary: strings.NewReader("\x1a")}, "no usable row"},
		"web page":         {Files{Primary: strings.NewReader("<html><body>Moved</body></html>")}, "web page"},
		"another file":     {Files{Primary: strings.NewReader(aliases)}, "5 columns where 12"},
		"files swapped":    {Files{Primary: strings.NewReader(primary), Addresses: strings.NewReader(aliases)}, "address file: its first row has 5 columns"},
		"a header":         {Files{Primary: strings.NewReader("a,b,c,d,e,f,g,h,i,j,k,l\n")}, "no usable row"},
		"endless line":     {Files{Primary: strings.NewReader(strings.Repeat("x", 1<<20))}, "no usable row"},
		"damaged gzip":     {Files{Primary: strings.NewReader("\x1f\x8bnot really")}, "damaged"},
		"two files joined": {Files{Primary: strings.NewReader(primary + "\r\n" + primary)}, "after its end mark"},
		"empty aliases":    {Files{Primary: strings.NewReader(primary), Aliases: strings.NewReader("")}, "alias file: it is empty"},
		"page of comments": {Files{Primary: strings.NewReader(primary), Comments: strings.NewReader("<html>")}, "comment file: it is a web page"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := Read(c.f)
			if list != nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.hint) {
				t.Errorf("err %v, want one about %q", err, c.hint)
			}
		})
	}
}

// The budget refuses a file that has one byte too many, and only such a file.
func TestBudget(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]error{9: nil, 10: nil, 11: errTooLarge} {
		_, err := io.ReadAll(metered{strings.NewReader(strings.Repeat("x", size)), &budget{bytes: 10}})
		if err != want {
			t.Errorf("%d bytes of 10: %v", size, err)
		}
	}
	for left, refused := range map[budget]bool{{rows: 4, bytes: 1 << 20}: false, {rows: 3, bytes: 1 << 20}: true, {rows: 4, bytes: 300}: true} {
		p := listFile{"primary", strings.NewReader(primary), primaryColumns, new(rows.Tally), func([]string) string { return "" }}
		if err := p.read(&left); refused != errors.Is(err, errTooLarge) || refused != errors.Is(err, ErrFormat) {
			t.Errorf("%+v: %v", left, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	cut := errors.New("line dropped")
	_, err := Read(Files{Primary: io.MultiReader(strings.NewReader(primary), iotest.ErrReader(cut))})
	if !errors.Is(err, cut) {
		t.Errorf("err %v, want the stream's", err)
	}
	packed := rowstest.Gzip(strings.Repeat(strings.TrimSuffix(primary, "\x1a"), 1000))
	if _, err := Read(Files{Primary: strings.NewReader(packed[:len(packed)-20])}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a gzip cut short gives %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(primary), []byte(aliases), []byte(addresses), []byte("7,\"more\"\r\n\x1a"))
	f.Add([]byte(strings.ReplaceAll(primary, "\r\n", "\n")), []byte("36,1,\"fka\",\"A\",-0- "), []byte{}, []byte("36,\"a.k.a. 'Q';\""))
	f.Add([]byte("<html>"), []byte("\x1a"), []byte("\x1a\n\x1a"), []byte("\x1f\x8b\x08\x00"))
	f.Fuzz(func(t *testing.T, primary, aliases, addresses, comments []byte) {
		files := func(wrap func(io.Reader) io.Reader) Files {
			return Files{wrap(bytes.NewReader(primary)), wrap(bytes.NewReader(aliases)), wrap(bytes.NewReader(addresses)), wrap(bytes.NewReader(comments))}
		}
		list, err := Read(files(func(r io.Reader) io.Reader { return r }))
		again, err2 := Read(files(iotest.OneByteReader))
		if (err == nil) != (err2 == nil) || !reflect.DeepEqual(list, again) {
			t.Fatalf("the size of reads shows: %+v, %v; %+v, %v", list, err, again, err2)
		}
		if err != nil {
			return
		}
		if int64(len(list.Entries)) != list.Tally.Rows || len(list.Entries) == 0 {
			t.Errorf("%d entries, %d rows", len(list.Entries), list.Tally.Rows)
		}
		strong, places := int64(0), int64(0)
		for i, e := range list.Entries {
			if e.Name == "" || e.Num <= 0 || i > 0 && e.Num <= list.Entries[i-1].Num {
				t.Errorf("entry %d: %+v", i, e)
			}
			for _, a := range e.Aliases {
				if a.Name == "" {
					t.Errorf("entry %d has a nameless alias", e.Num)
				}
				// A row of the alias file may call itself weak.
				if a.Type != Weak {
					strong++
				}
			}
			places += int64(len(e.Addresses))
		}
		if strong > list.Aliases.Rows || places > list.Addresses.Rows {
			t.Errorf("%d aliases of %+v, %d addresses of %+v", strong, list.Aliases, places, list.Addresses)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var p, a strings.Builder
	const entries = 15000
	for i := range entries {
		fmt.Fprintf(&p, `%d,"LANTERN TRADING COMPANY %d",-0- ,"SDGT] [IFSR",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"Registration Number %d (Nowhere); a.k.a. 'LT%d'; Linked To: LANTERN."`+"\r\n", i+1, i, i, i)
		fmt.Fprintf(&a, `%d,%d,"aka","LANTERN TRADING CO %d",-0- `+"\r\n", i+1, i, i)
	}
	b.SetBytes(int64(p.Len() + a.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(p.String(), a.String(), "", ""); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*2*entries/b.Elapsed().Seconds(), "rows/s")
}
