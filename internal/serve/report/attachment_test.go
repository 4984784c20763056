package report

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"grantgraph/internal/fault"
)

func TestIssuedPDFIsValid(t *testing.T) {
	t.Parallel()
	for name, report := range samples(t) {
		v := verify(t, pdfOf(t, report), keyOf("current").published())
		if v.Status() != Valid || word(v.PageMatches) != "true" || v.Reason != nil || v.Subject == nil {
			t.Errorf("%s: %+v", name, v)
		}
		// Without the key the page is not judged either.
		if v := verify(t, pdfOf(t, report)); v.Status() != Unverifiable || v.PageMatches != nil || word(v.SignatureValid) != "null" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestEveryByteOfThePDFCounts bends every byte of the attached report and a
// sample of the others.
func TestEveryByteOfThePDFCounts(t *testing.T) {
	t.Parallel()
	report := issue(t, unscreened())
	pdf := pdfOf(t, report)
	attached := transform(t, string(report))
	from := bytes.Index(pdf, []byte(attached))
	if from < 0 {
		t.Fatal("the report is not in the PDF as it is")
	}
	bent := bytes.Clone(pdf)
	try := func(i int) {
		bent[i] ^= 1 << (i % 8)
		v, err := Verify(t.Context(), bent, []PublicKey{keyOf("current").published()})
		if err == nil && (v.Status() == Valid || word(v.SignatureValid) == "true") {
			t.Errorf("valid with byte %d bent: %q", i, bent[max(0, i-30):min(len(bent), i+30)])
		}
		bent[i] = pdf[i]
	}
	for i := range attached {
		try(from + i)
	}
	for i := 0; i < len(pdf); i += 701 {
		try(i)
	}
	for i := 1; i < 20; i++ {
		try(len(pdf) - i)
	}
}

// TestAnotherPage holds that an intact attachment does not vouch for a page that
// was painted over, or saved anew.
func TestAnotherPage(t *testing.T) {
	t.Parallel()
	pdf := pdfOf(t, issue(t, clear()))
	var saved bytes.Buffer
	if err := api.Optimize(bytes.NewReader(pdf), &saved, model.NewDefaultConfiguration()); err != nil {
		t.Fatal(err)
	}
	for name, document := range map[string][]byte{
		"repainted":      bytes.Replace(pdf, []byte("/MediaBox [0 0 612.00 792.00]"), []byte("/MediaBox [0 0 612.00 592.00]"), 1),
		"something more": append(bytes.Clone(pdf), "\n"...),
		"something less": pdf[:len(pdf)-1],
		"before it":      append([]byte("\n"), pdf...),
		"saved anew":     saved.Bytes(),
	} {
		if bytes.Equal(document, pdf) {
			t.Fatal(name, "is the same")
		}
		v := verify(t, document, keyOf("current").published())
		if v.Status() != Unverifiable || word(v.PageMatches) != "false" || word(v.SignatureValid) != "null" || word(v.IDMatches) != "true" ||
			!strings.Contains(*v.Reason, "the page is not the one that was issued; save the attached JSON") {
			t.Errorf("%s: %+v", name, v)
		}
		// The JSON that it says to save is the report.
		if v := verify(t, v.Report, keyOf("current").published()); v.Status() != Valid {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// file is an attached file as a PDF has it.
func file(dictionary string, data []byte) string {
	return fmt.Sprintf("9 0 obj\n<< /Type /EmbeddedFile %s >>\nstream\n%s\nendstream\nendobj\n", dictionary, data)
}

func deflate(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := io.Copy(z, bytes.NewReader(data)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestHostilePDF(t *testing.T) {
	t.Parallel()
	report := issue(t, clear())
	other := issue(t, against())
	pdf := pdfOf(t, report)
	bomb := deflate(t, make([]byte, 512<<20/8))
	conf := model.NewDefaultConfiguration()
	conf.OwnerPW, conf.UserPW = "o", "u"
	var locked bytes.Buffer
	if err := api.Encrypt(bytes.NewReader(pdf), &locked, conf); err != nil {
		t.Fatal(err)
	}
	const head = "%PDF-1.7\n"
	for name, c := range map[string]struct{ document, wrong string }{
		"encrypted":          {locked.String(), "encrypted"},
		"printed":            {head + "1 0 obj\n<< /Length 3 >>\nstream\nabc\nendstream\nendobj\n", "no report is attached"},
		"nothing":            {head, "no report is attached"},
		"50 MB":              {head + strings.Repeat("x", 50<<20), "larger than 2097152"},
		"bomb":               {head + file("/Filter /FlateDecode", bomb), "larger than a report"},
		"bombs in all":       {head + file("/Filter /FlateDecode", deflate(t, make([]byte, 900_000))) + file("/Filter /FlateDecode", deflate(t, make([]byte, 900_000))), "larger than a report"},
		"damaged":            {head + file("/Filter /FlateDecode", deflate(t, report)[:500]), "no report is attached"},
		"other filter":       {head + file("/Filter /LZWDecode", report), "no report is attached"},
		"two filters":        {head + file("/Filter [/ASCIIHexDecode /FlateDecode]", report), "no report is attached"},
		"other attachment":   {head + file("", []byte(`{"a":1}`)), "no report is attached"},
		"21st attachment":    {head + strings.Repeat(file("", []byte("x")), 20) + file("", report), "no report is attached"},
		"two reports":        {head + file("", report) + file("", other), "several reports"},
		"no end":             {head + "1 0 obj << /Type /EmbeddedFile >>\nstream\n", "no report is attached"},
		"many without end":   {head + strings.Repeat("stream\n", 200_000), "no report is attached"},
		"many with end":      {head + strings.Repeat("stream\nendstream ", 100_000), "no report is attached"},
		"wrong length":       {head + file("/Length 99999999", []byte("x")), "no report is attached"},
		"hidden in a string": {head + "(" + string(report) + ")", "no report is attached"},
	} {
		_, err := Verify(t.Context(), []byte(c.document), []PublicKey{keyOf("current").published()})
		if f, ok := fault.Of(err); !ok || f.Slug != BadReport || f.Hint == "" || !strings.Contains(f.Message, c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, document := range map[string]string{
		"plain":        head + file("", report),
		"packed":       head + file("/Filter /FlateDecode /Length 77 0 R", deflate(t, report)),
		"twice":        head + file("", report) + file("", report),
		"after others": head + strings.Repeat(file("", []byte("x")), 19) + file("", report),
	} {
		if v := verify(t, []byte(document), keyOf("current").published()); word(v.PageMatches) != "false" || v.Status() != Unverifiable {
			t.Errorf("%s: %+v", name, v)
		}
	}
	// An organization may be named like anything.
	c := clear()
	c.Organization.OrganizationName = new("%PDF-1.7 stream endstream endobj /EmbeddedFile")
	odd := issue(t, c)
	for _, document := range [][]byte{odd, pdfOf(t, odd)} {
		if v := verify(t, document, keyOf("current").published()); v.Status() != Valid {
			t.Errorf("%+v", v)
		}
	}
}

// TestRunLengths unpacks what was packed, with the reader that is not ours.
func TestRunLengths(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 600 {
		plain := make([]byte, size)
		for at := 0; at < size; { // runs and others, of all lengths
			b, n := byte(random.IntN(256)), 1
			if random.IntN(2) == 0 {
				n = 1 + random.IntN(300)
			}
			for ; n > 0 && at < size; n-- {
				plain[at] = b
				at++
			}
		}
		f, err := filter.NewFilter(filter.RunLength, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Decode(bytes.NewReader(runLengths(plain)))
		if err != nil {
			t.Fatal(size, err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%d bytes come back as %d: %v", size, len(got), err)
		}
	}
}
