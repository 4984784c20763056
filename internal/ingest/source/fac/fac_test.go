package fac

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/source/rows/rowstest"
)

const general = "report_id,auditee_uei,audit_year,auditee_name,auditee_city,auditee_state,auditee_ein,auditee_zip\n"

func readAll(r io.Reader) (list []Pair, tally rows.Tally, err error) {
	tally, err = Read(r, func(p *Pair) error { list = append(list, *p); return nil })
	return list, tally, err
}

func TestRead(t *testing.T) {
	t.Parallel()
	want := Pair{UEI: "EXAMPLE00001", EIN: 70000001, Name: "LANTERN HOUSE, INC", State: "OH", Year: 2023}
	list, tally, err := readAll(strings.NewReader(general + "2023-06-GSAFAC-0000000001,example00001,2023,\"LANTERN HOUSE, INC\",EXAMPLE,OH,070000001,44101\n"))
	if err != nil || tally.Lost() != 0 || len(list) != 1 || list[0] != want {
		t.Errorf("got %+v, %+v, %v\nwant %+v", list, tally, err, want)
	}
	// The Census Bureau's own file, with quotes that are text.
	want = Pair{DUNS: "070000009", EIN: 70000001, Name: `LANTERN "HOUSE"`, State: "OH", Year: 2014}
	list, tally, err = readAll(strings.NewReader("AUDITYEAR|DBKEY|EIN|MULTIPLEEINS|DUNS|AUDITEENAME|STATE\n2014|1|70000001|N|70000009|LANTERN \"HOUSE\"|OH\n"))
	if err != nil || tally.Lost() != 0 || len(list) != 1 || list[0] != want {
		t.Errorf("got %+v, %+v, %v\nwant %+v", list, tally, err, want)
	}
}

func TestRejections(t *testing.T) {
	t.Parallel()
	_, tally, err := readAll(strings.NewReader(general + "r,EXAMPLE00001,2023,A,,OH,070000001,\nr,GSA_MIGRATION,2023,A,,OH,070000001,\nr,EXAMPLE00001,2023,A,,OH,000000000,\n" +
		"r,EXAMPLE00001,soon,A,,OH,070000001,\nr,EXAMPLE00001\n"))
	want := []rows.Rejection{{Reason: ReasonIdentifier, Count: 1}, {Reason: ReasonYear, Count: 1}, {Reason: ReasonEIN, Count: 1}, {Reason: rows.ReasonColumns, Count: 1}}
	if err != nil || tally.Rows != 1 || !slices.Equal(tally.Rejected, want) {
		t.Errorf("%+v, %v; want %+v", tally, err, want)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		is   error
		says string
	}{
		"other file":     {"EIN,NAME\n", ErrFormat, "lacks auditee_ein"},
		"further UEIs":   {"report_id,auditee_uei,audit_year,additional_uei\n", ErrTable, "another table"},
		"Census cfda":    {"AUDITYEAR|DBKEY|CFDA\n", ErrTable, "another table"},
		"endless header": {strings.Repeat("x", maxRow+10), ErrFormat, "no header"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := readAll(strings.NewReader(c.text))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"EXAMPLE00001": "EXAMPLE00001", "example00001": "EXAMPLE00001", "": "", "GSA_MIGRATION": "", "EXAMPLE0000": "", "EXAMPLE-0001": "", "000000000000": "", "123456789012": "123456789012"} {
		if got := UEI(in); got != want {
			t.Errorf("UEI(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"070000009": "070000009", "70000009": "070000009", "07-000-0009": "070000009", "0700000090000": "070000009", "": "", "0": "", "000000000": "", "999999999": "", "12345": "", "07000000900": "", "07000000X": ""} {
		if got := DUNS(in); got != want {
			t.Errorf("DUNS(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCrosswalk(t *testing.T) {
	t.Parallel()
	const a, b = ein.EIN(70000001), ein.EIN(70000002)
	audits := []Pair{
		{UEI: "EXAMPLE00001", EIN: a, Year: 2021}, {UEI: "EXAMPLE00001", EIN: b, Year: 2023}, // a change
		{UEI: "EXAMPLE00002", EIN: a, Year: 2023}, {UEI: "EXAMPLE00002", EIN: b, Year: 2023}, // a disagreement
		{UEI: "EXAMPLE00003", EIN: a, Year: 2022}, {UEI: "EXAMPLE00003", EIN: b, Year: 2022}, {UEI: "EXAMPLE00003", EIN: a, Year: 2023}, // settled later
		{DUNS: "070000001", EIN: a, Year: 2015}, {UEI: "EXAMPLE00004", DUNS: "070000002", EIN: b, Year: 2022},
		{DUNS: "070000003", EIN: b, Year: 2015}, {UEI: "EXAMPLE00005"},
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		r.Shuffle(len(audits), func(i, j int) { audits[i], audits[j] = audits[j], audits[i] })
		c := NewCrosswalk()
		for i := range audits {
			c.Add(&audits[i])
		}
		for _, want := range []struct {
			uei, duns string
			ein       ein.EIN
		}{
			{"EXAMPLE00001", "", b}, {"example00001", "070000001", b}, {"EXAMPLE00002", "", ein.None}, {"EXAMPLE00002", "070000003", ein.None},
			{"EXAMPLE00003", "", a}, {"", "70000001", a}, {"EXAMPLE00099", "070000003", b}, {"EXAMPLE00004", "", b}, {"", "070000002", b}, {"EXAMPLE00005", "", ein.None}, {"", "", ein.None},
		} {
			got, _, ok := c.Find(want.uei, want.duns)
			if got != want.ein || ok != (want.ein != ein.None) {
				t.Errorf("Find(%q, %q) = %v, %v; want %v", want.uei, want.duns, got, ok, want.ein)
			}
		}
		if n := c.Size(); n != (Size{UEI: 3, DUNS: 3, Ambiguous: 1}) {
			t.Errorf("size %+v", n)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	rowstest.Reader{
		Read:   rowstest.Of(Read),
		Format: ErrFormat,
		Head:   general,
		Row: func(i int) string {
			return fmt.Sprintf("r%d,EXAMPLE%05d,2023,ORGANIZATION %d,EXAMPLE,OH,0711%05d,44101\n", i, i, i*i, i+1)
		},
	}.Hold(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(general + "r,EXAMPLE00001,2023,A,,OH,070000001,\n"))
	f.Add([]byte("AUDITYEAR|DBKEY|EIN|DUNS|AUDITEENAME|STATE\n2014|1|70000001|70000009|A|OH\n"))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, tally, err := readAll(bytes.NewReader(data))
		if tally.Rows != int64(len(list)) {
			t.Errorf("%d rows counted, %d handed on", tally.Rows, len(list))
		}
		c := NewCrosswalk()
		for i := range list {
			p := &list[i]
			if p.EIN == ein.None || p.UEI == "" && p.DUNS == "" || p.UEI != UEI(p.UEI) || p.DUNS != DUNS(p.DUNS) {
				t.Errorf("pair %+v", p)
			}
			c.Add(p)
		}
		again, _, err2 := readAll(iotest.OneByteReader(bytes.NewReader(data)))
		if fmt.Sprint(err) != fmt.Sprint(err2) || !slices.Equal(list, again) {
			t.Errorf("the size of reads shows: %v, %v; %v, %v", list, err, again, err2)
		}
	})
}
