package irs990

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/archive"
)

// benchReturns is a fourth of the real returns, or invented ones where there
// are none.
func benchReturns(b *testing.B) (bodies [][]byte, total int64) {
	b.Helper()
	if upstream.Find() != "" {
		// Every fourth, so that all years, forms and sizes are among them.
		for i, f := range realReturns() {
			if i%4 == 0 {
				bodies = append(bodies, f.body)
			}
		}
	}
	if len(bodies) == 0 {
		for i := range 40 {
			body, err := io.ReadAll(newFoundation(1000 + 50*i))
			if err != nil {
				b.Fatal(err)
			}
			bodies = append(bodies, body)
		}
	}
	for _, body := range bodies {
		total += int64(len(body))
	}
	return bodies, total
}

// counting is a sink that takes everything and keeps nothing.
func counting(grants *int) *Sink {
	return &Sink{
		Grant:   func(*Grant) error { *grants++; return nil },
		Person:  func(*Person) error { return nil },
		Holding: func(*Holding) error { return nil },
		Related: func(*Related) error { return nil },

		Application: func(*Application) error { return nil },
	}
}

// BenchmarkRead is the reader on one core, from memory.
func BenchmarkRead(b *testing.B) {
	bodies, total := benchReturns(b)
	rd, grants := NewReader(), 0
	var ret Return
	sink := counting(&grants)
	var src bytes.Reader
	b.SetBytes(total)
	allocs := testing.AllocsPerRun(1, func() {
		grants = 0
		for _, body := range bodies {
			src.Reset(body)
			if err := rd.Read(&src, &ret, sink); err != nil {
				b.Fatal(err)
			}
		}
	})
	perLine := allocs / float64(max(grants, 1))
	b.ResetTimer()
	for b.Loop() {
		for _, body := range bodies {
			src.Reset(body)
			if err := rd.Read(&src, &ret, sink); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(perLine, "allocs/grant")
	b.ReportMetric(allocs/float64(len(bodies)), "allocs/return")
}

// BenchmarkReadLong is one return of a large sponsor, where allocations per
// line would show.
func BenchmarkReadLong(b *testing.B) {
	body, err := io.ReadAll(newFoundation(20_000))
	if err != nil {
		b.Fatal(err)
	}
	rd, grants := NewReader(), 0
	var ret Return
	sink := counting(&grants)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := rd.Read(bytes.NewReader(body), &ret, sink); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(grants), "ns/grant")
}

// BenchmarkEncodingXML reads the same fields of the same returns with the
// standard library's tokens.
func BenchmarkEncodingXML(b *testing.B) {
	bodies, total := benchReturns(b)
	grants := 0
	b.SetBytes(total)
	for b.Loop() {
		for _, body := range bodies {
			if _, err := oracle(bytes.NewReader(body), counting(&grants)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkReaderVsEncodingXML measures both in turns, so that whatever else
// the machine does falls on both, and reports how many times faster we are.
func BenchmarkReaderVsEncodingXML(b *testing.B) {
	bodies, total := benchReturns(b)
	rd, grants := NewReader(), 0
	var ret Return
	sink := counting(&grants)
	var ours, theirs time.Duration
	b.SetBytes(2 * total)
	for b.Loop() {
		for _, body := range bodies {
			start := time.Now()
			if err := rd.Read(bytes.NewReader(body), &ret, sink); err != nil {
				b.Fatal(err)
			}
			middle := time.Now()
			if _, err := oracle(bytes.NewReader(body), sink); err != nil {
				b.Fatal(err)
			}
			ours += middle.Sub(start)
			theirs += time.Since(middle)
		}
	}
	rate := func(d time.Duration) float64 { return float64(total) * float64(b.N) / 1e6 / d.Seconds() }
	b.ReportMetric(rate(ours), "ours-MB/s")
	b.ReportMetric(rate(theirs), "encoding/xml-MB/s")
	b.ReportMetric(float64(theirs)/float64(ours), "x-faster")
}

// BenchmarkReadUnzip is the reader with the unpacking, from the zips.
func BenchmarkReadUnzip(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join(upstream.Dir(b), "990", "zips", "*.zip"))
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(paths)
	var members []*archive.Member
	total := int64(0)
	for _, path := range paths {
		a, err := archive.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer a.Close()
		for i := range a.Members {
			if i%4 == 0 {
				members = append(members, &a.Members[i])
				total += int64(a.Members[i].Size)
			}
		}
	}
	rd, grants := NewReader(), 0
	var ret Return
	sink := counting(&grants)
	b.SetBytes(total)
	for b.Loop() {
		for _, m := range members {
			r, err := m.Open()
			if err != nil {
				b.Fatal(err)
			}
			if err := rd.Read(r, &ret, sink); err != nil {
				b.Fatalf("%s: %v", m.Name, err)
			}
			r.Close()
		}
	}
}

// foundation writes an invented 990-PF with any number of grants, a piece at a
// time: the whole of it is never in memory.
type foundation struct {
	grants, at int
	piece      []byte
}

func newFoundation(grants int) *foundation { return &foundation{grants: grants} }

func (f *foundation) Read(p []byte) (int, error) {
	for len(f.piece) == 0 {
		switch {
		case f.at == 0:
			f.piece = []byte("\xef\xbb\xbf" + `<?xml version="1.0" encoding="utf-8"?>` + "\n" +
				`<Return xmlns="http://www.irs.gov/efile" returnVersion="2022v5.0"><ReturnHeader binaryAttachmentCnt="0">` +
				`<ReturnTs>2023-05-01T10:00:00-05:00</ReturnTs><TaxPeriodEndDt>2022-12-31</TaxPeriodEndDt><ReturnTypeCd>990PF</ReturnTypeCd>` +
				`<Filer><EIN>070000001</EIN><BusinessName><BusinessNameLine1Txt>Invented Foundation</BusinessNameLine1Txt></BusinessName></Filer>` +
				`</ReturnHeader><ReturnData documentCnt="1"><IRS990PF documentId="1"><SupplementaryInformationGrp>` + "\n")
		case f.at <= f.grants:
			f.piece = fmt.Appendf(f.piece[:0], `<GrantOrContributionPdDurYrGrp>
  <RecipientBusinessName>
    <BusinessNameLine1Txt>Friends of Township %d &amp; Neighbors</BusinessNameLine1Txt>
  </RecipientBusinessName>
  <RecipientUSAddress>
    <AddressLine1Txt>%d Nowhere Street</AddressLine1Txt>
    <CityNm>Springfield</CityNm>
    <StateAbbreviationCd>IL</StateAbbreviationCd>
    <ZIPCd>627010000</ZIPCd>
  </RecipientUSAddress>
  <RecipientRelationshipTxt>NONE</RecipientRelationshipTxt>
  <RecipientFoundationStatusTxt>PC</RecipientFoundationStatusTxt>
  <GrantOrContributionPurposeTxt>General operating support</GrantOrContributionPurposeTxt>
  <Amt>%d</Amt>
</GrantOrContributionPdDurYrGrp>
`, f.at%999, f.at, f.at%5000)
		case f.at == f.grants+1:
			f.piece = []byte("</SupplementaryInformationGrp></IRS990PF></ReturnData></Return>\n")
		default:
			return 0, io.EOF
		}
		f.at++
	}
	n := copy(p, f.piece)
	f.piece = f.piece[n:]
	return n, nil
}
