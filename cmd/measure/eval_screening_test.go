package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/synth"
)

// screeningFigures is the line for machines.
type screeningFigures map[string]struct {
	Recall           float64            `json:"recall"`
	RecallByVariant  map[string]float64 `json:"recall_by_variant"`
	FalsePerThousand float64            `json:"false_per_thousand"`
	F1               float64            `json:"f1"`
}

func lastLine(t *testing.T, out string, v any) {
	t.Helper()
	all := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(all[len(all)-1]), v); err != nil {
		t.Fatalf("the last line is no JSON: %v\n%s", err, out)
	}
}

// TestEvalScreeningCases measures given cases on a small list.
func TestEvalScreeningCases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var w io.Writer = f
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			defer z.Close()
			w = z
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const row = `,"SDGT",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,`
	const primary = `11,"ZOVRAM TRADING LTD.",-0- ` + row + `"a.k.a. 'ZTC'."
12,"QUIM, Vraz","individual"` + row + "-0- \n\x1a"
	list := filepath.Dir(write("list/SDN.CSV", primary))
	write("list/alt.csv.gz", "11,1,\"aka\",\"KHUZGOTH EXPORT\",-0- \n\x1a")
	head := "query_name,kind,sdn_ent_num,variant_type\n"
	good := write("cases.csv.gz", head+`ZOVRAM TRADING,positive,11,identity
"EXPORT, KHUZGOTH",positive,99; 11,reordered
"QUIM, Vraz",positive,12,identity
FIRST CHURCH OF AKRON,negative,,
ZOVRAM TRADING INC,negative,0,
`)
	code, out, errs := command(t, "eval", "--screening", "--cases", good, "--list", list)
	if code != 0 || !strings.Contains(out, "1 positives are of entries that are no entities") {
		t.Fatalf("exit %d: %s\n%s", code, out, errs)
	}
	var got screeningFigures
	lastLine(t, out, &got)
	for _, at := range []string{"0.75", "0.85"} {
		f := got[at]
		if len(got) != 2 || f.Recall < 0.66 || f.Recall > 0.67 || f.RecallByVariant["identity"] != 0.5 || f.RecallByVariant["reordered"] != 1 || f.FalsePerThousand != 500 {
			t.Errorf("at %s: %+v", at, f)
		}
	}
	if _, out, _ = command(t, "eval", "--screening", "--cases", good, "--list", list, "--json"); strings.Count(out, "\n") != 1 {
		t.Errorf("--json prints %s", out)
	}
	bare := filepath.Dir(write("bare/sdn.csv", primary))
	if code, out, errs = command(t, "eval", "--screening", "--cases", good, "--list", bare); code != 0 || !strings.Contains(out, "There is no alt.csv") {
		t.Errorf("exit %d: %s\n%s", code, out, errs)
	}
	empty := filepath.Dir(write("empty/sdn.csv", ""))
	for name, args := range map[string][]string{
		"nothing to look for": {"--list", list},
		"no such folder":      {"--cases", good, "--list", filepath.Join(dir, "none")},
		"no list in it":       {"--cases", good, "--list", dir},
		"an empty list":       {"--cases", good, "--list", empty},
		"no lists built":      {"--data", dir},
		"cases twice":         {"--cases", good, "--list", list, "--bmf", good},
		"speed of cases":      {"--cases", good, "--list", list, "--speed"},
		"no cores":            {"--list", list, "--bmf", good, "--cores", "0"},
		"not a master":        {"--list", list, "--bmf", good},
		"and resolution":      {"--list", list, "--world", dir},
		"no such cases":       {"--list", list, "--cases", filepath.Join(dir, "none.csv")},
		"an empty file":       {"--list", list, "--cases", write("empty.csv", "")},
		"no rows":             {"--list", list, "--cases", write("norows.csv", head)},
		"a column missing":    {"--list", list, "--cases", write("column.csv", "query_name,kind,sdn_ent_num\nA,positive,1\n")},
		"no such kind":        {"--list", list, "--cases", write("kind.csv", head+"A,maybe,1,x\n")},
		"no number":           {"--list", list, "--cases", write("number.csv", head+"A,positive,one,x\n")},
		"one is no number":    {"--list", list, "--cases", write("numbers.csv", head+"A,positive,11;,x\n")},
		"not CSV":             {"--list", list, "--cases", write("quote.csv", head+"\"A,positive,1,x\n")},
		"a short row":         {"--list", list, "--cases", write("short.csv", head+"A,positive\n")},
		"cut gzip":            {"--list", list, "--cases", write("cut.csv", "\x1f\x8b\x08\x00")},
		"no marks":            {"--list", list, "--cases", good, "--into", write("page.md", "# Page\n")},
	} {
		if code, _, errs := command(t, append([]string{"eval", "--screening"}, args...)...); code == 0 || !strings.Contains(errs, "Try:") {
			t.Errorf("%s: exit %d, %s", name, code, errs)
		}
	}
	if code, _, errs := command(t, "eval", "--cases", good); code == 0 || !strings.Contains(errs, "--screening") {
		t.Errorf("cases without --screening: exit %d, %s", code, errs)
	}
}

// TestEvalScreeningWorld measures the list of an invented world: of its folder,
// and of the data directory it was built into.
func TestEvalScreeningWorld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	world, data, page := filepath.Join(dir, "world"), filepath.Join(dir, "data"), filepath.Join(dir, "page.md")
	if _, err := synth.Write(t.Context(), synth.Options{Out: world, Grants: 300, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Run(t.Context(), ingest.Options{Sources: world, Data: data, Keep: 1}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, []byte("<!-- begin screening quality -->\nOLD\n<!-- end screening quality -->\n<!-- begin screening speed -->\n<!-- end screening speed -->\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	masters := []string{filepath.Join(world, "bmf", "eo1.csv"), filepath.Join(world, "bmf", "eo2.csv"), filepath.Join(world, "bmf", "eo3.csv"), filepath.Join(world, "bmf", "eo4.csv")}
	code, fromFolder, errs := command(t, append([]string{"eval", "--screening", "--list", filepath.Join(world, "ofac"), "--each", "50", "--seed", "3", "--json", "--bmf"}, masters...)...)
	if code != 0 {
		t.Fatal(errs)
	}
	code, fromData, errs := command(t, "eval", "--screening", "--data", data, "--each", "50", "--seed", "3", "--into", page)
	if code != 0 {
		t.Fatal(errs)
	}
	var a, b screeningFigures
	lastLine(t, fromFolder, &a)
	lastLine(t, fromData, &b)
	if a["0.75"].Recall != b["0.75"].Recall || a["0.75"].RecallByVariant["identity"] != 1 {
		t.Errorf("the folder gives %+v, the edition %+v", a, b)
	}
	code, out, errs := command(t, "eval", "--screening", "--data", data, "--speed", "--bulk", "500", "--into", page)
	if code != 0 || !strings.Contains(out, "plain scan of the list") || !strings.Contains(out, `"p50_ns":`) {
		t.Errorf("exit %d: %s\n%s", code, out, errs)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Contains(got, "OLD") || strings.Contains(got, "{") || !strings.Contains(got, "| `one_typo` | 50 |") || !strings.Contains(got, "| 500 names, 2 cores |") {
		t.Errorf("the page is\n%s", got)
	}
}

// FuzzParseCases reads anything as cases.
func FuzzParseCases(f *testing.F) {
	f.Add("query_name,kind,sdn_ent_num,variant_type\nA,positive,1,x\nB,negative,,\n")
	f.Add("\ufeffkind,variant_type,query_name,sdn_ent_num\n\"a\nb\"")
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := parseCases(strings.NewReader(text))
		if err == nil && len(cases) == 0 {
			t.Error("no cases and no error")
		}
	})
}
