package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"grantgraph/client"
	"grantgraph/internal/bench/golden"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/screen"
)

func TestMain(m *testing.M) {
	api.DisableConfigDir() // the independent reader leaves nothing in the home directory
	os.Exit(m.Run())
}

func pdfOf(t testing.TB, report []byte) []byte {
	t.Helper()
	pdf, err := PDF(report)
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// samples are the kinds of pages there are.
func samples(t testing.TB) map[string][]byte {
	return map[string][]byte{"clear": issue(t, clear()), "against": issue(t, against()), "unscreened": issue(t, unscreened()), "named": issue(t, named())}
}

// run is a piece of text on a page.
type run struct {
	x, y, size, width float64
	text              string
}

var showing = regexp.MustCompile(`(?s)BT /F(\w+) ([\d.]+) Tf ET|BT (-?[\d.]+) (-?[\d.]+) Td \(((?:[^\\()]|\\.)*)\) Tj ET`)

// textOn is what a PDF shows, taken from it by the independent reader.
func textOn(t testing.TB, pdf []byte) (runs []run) {
	t.Helper()
	var content []byte
	err := api.ExtractContent(bytes.NewReader(pdf), nil, func(r io.Reader, _ int) (err error) {
		content, err = io.ReadAll(r)
		return err
	}, model.NewDefaultConfiguration())
	if err != nil {
		t.Fatal(err)
	}
	measure := newPage(time.Time{})
	number := func(b []byte) float64 {
		f, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	bold, style, size := "", "", 0.0
	for _, m := range showing.FindAllSubmatch(content, -1) {
		if m[1] != nil {
			if bold == "" {
				bold = string(m[1]) // a page begins with the bold one
			}
			if style = ""; string(m[1]) == bold {
				style = "B"
			}
			size = number(m[2])
			continue
		}
		raw := regexp.MustCompile(`(?s)\\.`).ReplaceAllFunc(m[5], func(escaped []byte) []byte {
			if escaped[1] == 'r' {
				return []byte("\r")
			}
			return escaped[1:]
		})
		units := make([]uint16, len(raw)/2)
		if err := binary.Read(bytes.NewReader(raw), binary.BigEndian, units); err != nil {
			t.Fatal(err)
		}
		text := string(utf16.Decode(units))
		runs = append(runs, run{number(m[3]), 792 - number(m[4]), size, measure.width(font{style, size}, text), text})
	}
	if len(runs) < 20 {
		t.Fatalf("only %d pieces of text", len(runs))
	}
	return runs
}

func joined(runs []run) string {
	var out strings.Builder
	for _, r := range runs {
		fmt.Fprintln(&out, r.text)
	}
	return out.String()
}

// TestPageText holds what the pages say.
func TestPageText(t *testing.T) {
	t.Parallel()
	for name, report := range samples(t) {
		got := joined(textOn(t, pdfOf(t, report)))
		path := filepath.Join("testdata", name+".golden.txt")
		golden.Check(t, path, got)
	}
}

// TestPageBytes pins every byte of the pages. Verify makes a page again to see
// whether it was altered, so that a page that comes out otherwise, by a change
// here, or of the library that draws, makes those that
// people keep look altered: it takes another Format, with this one still made as
// it is.
func TestPageBytes(t *testing.T) {
	t.Parallel()
	for path, tagged := range map[string]bool{"pages-" + Format + ".sha256": false, "tagged-pages-" + Format + ".sha256": true} {
		var lines []string
		for name, report := range samples(t) {
			pdf, err := draw(report, tagged)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%x  %s.pdf\n", sha256.Sum256(pdf), name))
			if v := verify(t, pdf, keyOf("current").published()); v.Status() != Valid || word(v.PageMatches) != "true" {
				t.Errorf("%s, %s: %+v", path, name, v)
			}
		}
		slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
		golden.Check(t, filepath.Join("testdata", path), strings.Join(lines, ""))
	}
}

// TestPageIsTagged holds that a screen reader hears every word of a page, in an order and with
// the headings that a person sees.
func TestPageIsTagged(t *testing.T) {
	t.Parallel()
	for name, report := range samples(t) {
		pdf := pdfOf(t, report)
		ctx, err := api.ReadValidateAndOptimize(bytes.NewReader(pdf), model.NewDefaultConfiguration())
		if err != nil {
			t.Fatal(err)
		}
		root, err := ctx.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		if marked := root.DictEntry("MarkInfo").BooleanEntry("Marked"); marked == nil || !*marked {
			t.Errorf("%s: the catalog does not say that the page is tagged: %v", name, root)
		}
		tree, err := ctx.DereferenceDict(*root.IndirectRefEntry("StructTreeRoot"))
		if err != nil {
			t.Fatal(err)
		}
		roles, pieces := map[string]int{}, []int{}
		var walk func(d types.Dict)
		walk = func(d types.Dict) {
			roles[*d.NameEntry("S")]++
			if *d.NameEntry("S") == "Figure" && d.StringEntry("Alt") == nil {
				t.Errorf("%s: a picture without words", name)
			}
			for _, kid := range d.ArrayEntry("K") {
				if number, ok := kid.(types.Integer); ok {
					pieces = append(pieces, number.Value())
					continue
				}
				child, err := ctx.DereferenceDict(kid)
				if err != nil {
					t.Fatal(err)
				}
				walk(child)
			}
		}
		document, err := ctx.DereferenceDict(*tree.IndirectRefEntry("K"))
		if err != nil {
			t.Fatal(err)
		}
		walk(document)
		if roles["Document"] != 1 || roles["H1"] != 1 || roles["H2"] == 0 || roles["L"] == 0 || roles["LI"] < roles["L"] || roles["Figure"] != 1 {
			t.Errorf("%s: %v", name, roles)
		}
		for i, number := range pieces {
			if i != number {
				t.Fatalf("%s: piece %d is read as number %d", name, number, i)
			}
		}
		if shown := len(textOn(t, pdf)) + 1; len(pieces) != shown { // the picture is a piece too
			t.Errorf("%s: %d pieces are tagged of %d", name, len(pieces), shown)
		}
	}
}

// TestInventedReport holds that a report from invented data says so, in words that are signed, and
// on its page.
func TestInventedReport(t *testing.T) {
	t.Parallel()
	content, name := clear(), named()
	content.Compliance.Caveats, name.Compliance.Caveats = []string{screen.InventedData}, []string{screen.InventedData}
	for _, report := range [][]byte{issue(t, content), issue(t, name)} {
		pdf := pdfOf(t, report)
		page := joined(textOn(t, pdf))
		if !strings.Contains(string(report), screen.InventedData) || !strings.Contains(page, screen.InventedData) || strings.Count(page, "INVENTED DATA\n") != 3 {
			t.Errorf("the page says\n%s", page)
		}
		if v, err := Verify(t.Context(), pdf, []PublicKey{keyOf("current").published()}); err != nil || v.PageMatches != nil && !*v.PageMatches {
			t.Errorf("%+v %v", v, err)
		}
	}
}

// TestPageIsOfTheReportAlone holds that how the JSON is laid out does not matter,
// nor what else is drawn at the same time.
func TestPageIsOfTheReportAlone(t *testing.T) {
	t.Parallel()
	report := issue(t, against())
	want := pdfOf(t, report)
	var wg sync.WaitGroup
	for _, same := range []string{string(report), indent(t, string(report)), transform(t, string(report)), string(report)} {
		wg.Go(func() {
			if got, err := PDF([]byte(same)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("another page: %v", err)
			}
		})
	}
	wg.Wait()
}

// TestPDFReader has a page read by a library that shares no code with this one.
func TestPDFReader(t *testing.T) {
	t.Parallel()
	for name, report := range samples(t) {
		pdf := pdfOf(t, report)
		conf := model.NewDefaultConfiguration()
		conf.ValidationMode = model.ValidationStrict
		if err := api.Validate(bytes.NewReader(pdf), conf); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n, err := api.PageCount(bytes.NewReader(pdf), conf); err != nil || n != 1 {
			t.Errorf("%s has %d pages: %v", name, n, err)
		}
		files, err := api.ExtractAttachmentsRaw(bytes.NewReader(pdf), "", nil, conf)
		if err != nil || len(files) != 1 || files[0].FileName != "report.json" {
			t.Fatalf("%s: %v %v", name, files, err)
		}
		data, err := io.ReadAll(files[0].Reader)
		if err != nil || string(data) != transform(t, string(report)) {
			t.Errorf("%s has something else attached: %s %v", name, data, err)
		}
		if v := verify(t, data, keyOf("current").published()); v.Status() != Valid {
			t.Errorf("%s: %+v", name, v)
		}
		info, err := api.PDFInfo(bytes.NewReader(pdf), "", nil, false, conf)
		if err != nil || !strings.HasPrefix(info.Title, "Screening report: ") || !strings.HasPrefix(info.Subject, "Report ") {
			t.Errorf("%s: %+v %v", name, info, err)
		}
		if len(pdf) > 160_000 {
			t.Errorf("%s has %d bytes", name, len(pdf))
		}
	}
}

// TestNothingOverflows draws what nobody would name an organization: all of it
// stays on the page, no text covers another, and no page gives legal advice.
func TestNothingOverflows(t *testing.T) {
	t.Parallel()
	check := func(name string, pdf []byte) {
		runs := textOn(t, pdf)
		for i, r := range runs {
			if r.x < left-0.1 || r.x+r.width > right+0.6 || r.y < 8 || r.y > bottom+4 {
				t.Errorf("%s: %q stands at %.1f, %.1f and is %.1f wide", name, r.text, r.x, r.y, r.width)
			}
			for _, o := range runs[:i] {
				if r.x < o.x+o.width && o.x < r.x+r.width && r.y-0.7*r.size < o.y && o.y-0.7*o.size < r.y {
					t.Errorf("%s: %q covers %q", name, r.text, o.text)
				}
			}
		}
		if text := strings.ToLower(joined(runs)); strings.Contains(text, "may rely") || strings.Contains(text, "can rely") {
			t.Errorf("%s gives advice: %s", name, text)
		}
	}
	for name, report := range samples(t) {
		check(name, pdfOf(t, report))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		c := against()
		scramble(random, reflect.ValueOf(&c).Elem())
		check(fmt.Sprint("organization ", i), pdfOf(t, issue(t, c)))
		n := named()
		scramble(random, reflect.ValueOf(&n).Elem())
		check(fmt.Sprint("name ", i), pdfOf(t, issue(t, n)))
	}
}

// scramble changes a record wildly within its type.
func scramble(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			scramble(r, v.Field(i))
		}
	case reflect.Pointer:
		if r.IntN(4) == 0 {
			v.SetZero()
			return
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else { // others may point to the same
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
		}
		scramble(r, v.Elem())
	case reflect.Slice:
		if v.Len() > 0 {
			grown := reflect.MakeSlice(v.Type(), 0, 0)
			for range r.IntN(30) {
				grown = reflect.Append(grown, v.Index(r.IntN(v.Len())))
			}
			v.Set(grown)
		}
		for i := range v.Len() {
			scramble(r, v.Index(i))
		}
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1 << 53))
	case reflect.Float64:
		v.SetFloat(r.Float64())
	case reflect.String:
		words := []string{"a", "WWWWWWWWWWWWWWWW", "Φάρος", "灯台", "👍🏽", "\u202e", "\x00", "line\nbreak", "(paren\\)", "…", "\u0301", screen.Listed, screen.Clear}
		if r.IntN(3) == 0 {
			v.SetString([]string{screen.NotScreened, screen.Listed, screen.NotListed, screen.Revoked, screen.Clear, screen.PotentialMatch, screen.RuledOut, screen.Met, screen.NotMet}[r.IntN(9)])
			return
		}
		var s []string
		for range r.IntN(40) {
			s = append(s, words[r.IntN(len(words))])
		}
		v.SetString(strings.Join(s, []string{" ", ""}[r.IntN(2)]))
	}
}

// TestNotScreenedIsNeverClear holds that a list that was not used never reads
// like one that found nothing, whatever else its block says.
func TestNotScreenedIsNeverClear(t *testing.T) {
	t.Parallel()
	c := clear()
	k := &c.Compliance
	for _, p := range []*client.ScreenProvenance{&k.BMF.ScreenProvenance, &k.Pub78.ScreenProvenance, &k.Revocation.ScreenProvenance, &k.IRBScreen.ScreenProvenance, &k.OFACSanctionsScreen.ScreenProvenance,
		&k.StateRegistration.California.ScreenProvenance, &k.StateRegistration.California.FTB} {
		p.Screened = false
	}
	text := joined(textOn(t, pdfOf(t, issue(t, c))))
	if strings.Contains(text, nothingFound.String()) || strings.Count(text, notScreened.String()+"\n") != 7 {
		t.Error(text)
	}
	k.BMF.Screened, k.BMF.Status = true, "something_new"
	if text := joined(textOn(t, pdfOf(t, issue(t, c)))); strings.Contains(text, nothingFound.String()) || !strings.Contains(text, "something_new") {
		t.Error(text)
	}
}

func TestPDFRefuses(t *testing.T) {
	t.Parallel()
	report := string(issue(t, clear()))
	for name, document := range map[string]string{
		"no JSON": "{", "no report": "{}", "no date": strings.Replace(report, `"issued_at":"2026`, `"issued_at":"x`, 1),
		"content of another kind": strings.Replace(report, `"found":true`, `"found":"yes"`, 1), "no content": strings.Replace(report, `"content"`, `"contents"`, 1),
	} {
		if _, err := PDF([]byte(document)); err == nil {
			t.Errorf("%s is drawn", name)
		} else if f, ok := fault.Of(err); !ok || f.Slug != BadReport {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzPDF(f *testing.F) {
	for _, seed := range samples(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, report []byte) {
		pdf, err := PDF(report)
		if err != nil {
			if fa, ok := fault.Of(err); !ok || fa.Slug != BadReport {
				t.Error(err)
			}
			return
		}
		b, err := attached(pdf)
		if err != nil || string(b.raw) != transform(t, string(report)) {
			t.Errorf("attached is another report: %v", err)
		}
	})
}

// FuzzPageText draws names and notes that nobody expects.
func FuzzPageText(f *testing.F) {
	f.Add("Harborlight", "listed", "A note.")
	f.Add("灯台 \u202e \x00\n(\\)", "potential_match", strings.Repeat("W", 900))
	f.Fuzz(func(t *testing.T, name, status, note string) {
		c := clear()
		c.Organization.OrganizationName, c.Organization.City, c.EIN = &name, &note, name
		k := &c.Compliance
		k.BMF.Status, k.IRBScreen.Status, k.OFACSanctionsScreen.Status, k.StateRegistration.California.Status = status, status, status, status
		k.BMF.Revised, k.Pub78.ChurchMessage, k.Revocation.Note = &note, &note, &note
		k.Reliance.Flags = []client.RelianceFlag{{ID: name, Applies: new(true), Note: &note}, {ID: status}}
		k.Reliance.Elements = append(k.Reliance.Elements, client.RelianceElement{ID: name, Result: status, Value: &note})
		pdf := pdfOf(t, issue(t, c))
		for _, r := range textOn(t, pdf) {
			if r.x+r.width > right+0.6 || r.y > bottom+4 {
				t.Errorf("%q stands at %.1f, %.1f and is %.1f wide", r.text, r.x, r.y, r.width)
			}
		}
	})
}

func BenchmarkPDF(b *testing.B) {
	report := issue(b, against())
	for b.Loop() {
		if _, err := PDF(report); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifyJSON(b *testing.B) {
	report, keys := issue(b, against()), []PublicKey{keyOf("current").published()}
	for b.Loop() {
		if _, err := Verify(b.Context(), report, keys); err != nil {
			b.Fatal(err)
		}
	}
}
