package discover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lay makes a folder with two archives of returns and a part of the master file,
// as far as their names say.
func lay(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "sources")
	for _, rel := range []string{"990/2022_TEOS_XML_01A.zip", "990/2022_TEOS_XML_02A.zip", "bmf/eo1.csv"} {
		put(t, root, rel, "x")
	}
	return root
}

func put(t *testing.T, root, path, content string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Sources are invented as soon as a world lies among them, however deep, and
// not because a file of another kind has the same name.
func TestInventedSources(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, text string
		want             bool
	}{
		{"no world", "990/note.txt", "", false},
		{"a world", "world.json", `{"format":"grantgraph-world/2"}`, true},
		{"a world of another version", "world.json", `{"format":"grantgraph-world/1"}`, true},
		{"a world beside true files", "old/demo/world.json", `{"format":"grantgraph-world/2"}`, true},
		{"another world.json", "world.json", `{"type":"FeatureCollection"}`, false},
		{"not JSON", "world.json", "hello", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := lay(t)
			put(t, root, c.path, c.text)
			s, err := All(t.Context(), root)
			if err != nil || s.Invented != c.want {
				t.Errorf("%v, %v", s, err)
			}
		})
	}
}

// TestEveryFileIsAccountedFor: what is not taken is named with the reason, and
// nothing else is.
func TestEveryFileIsAccountedFor(t *testing.T) {
	t.Parallel()
	root := lay(t)
	want := map[string]string{ // the beginning of the reason, empty for what is taken
		"notes.txt":                               "it is in no folder",
		"990/README.md":                           "returns are",
		"990/.hidden.zip":                         "its name begins with a dot",
		"990/index_2022.csv":                      "",
		"bmf/eo_region1.csv":                      "parts of the master file",
		"bmf/history/eo1_2019.csv":                "",
		"ofac/set_2019/sdn.csv":                   "of an older set: that in ofac/2024 is taken",
		"ofac/set_2019/alt.csv":                   "of an older set",
		"ofac/2024/sdn.csv":                       "",
		"ofac/2024/alt.csv":                       "",
		"ofac/recent/alt.csv":                     "its folder lacks sdn.csv or alt.csv",
		"ofac/sdn.xml":                            "files of this list",
		"pub78/2023/data-download-pub78.txt":      "an older copy: pub78/2024-02/data-download-pub78.zip",
		"pub78/2024-02/data-download-pub78.zip":   "",
		"revocation/data-download-revocation.zip": "",
		"revocation/data-download-revocation.txt": "an older copy",
		"caftb/revoked_2023.csv":                  "an older copy: caftb/revoked_2024.csv",
		"caftb/revoked_2024.csv":                  "",
		"census/zcta_2010.txt":                    "an older copy: census/zcta_2020.txt",
		"census/zcta_2020.txt":                    "",
		"stateaward/ohio/payments.csv":            "payments of a state lie",
		"stateaward/oh/payments.csv":              "",
		"overrides/robot.csv":                     "overrides are called",
		"uk/2024/publicextract.charity.zip":       "",
		"uk/lookups/areas.csv":                    "tables of the register",
		"usaspending/api.json":                    "archives of awards",
		"fac/readme.pdf":                          "audits are",
		".fetch/bmf.json":                         "",
		"truth.ndjson":                            "it describes an invented world",
	}
	for path := range want {
		put(t, root, path, "x")
	}
	s, err := All(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]string{}
	for _, u := range s.Untaken {
		left[u.Path] = u.Reason
		if want[u.Path] == "" {
			t.Errorf("%s is left alone: %s", u.Path, u.Reason)
		}
	}
	for path, reason := range want {
		if reason != "" && !strings.HasPrefix(left[path], reason) {
			t.Errorf("%s: %q, want %q", path, left[path], reason)
		}
	}
	if !slices.IsSortedFunc(s.Untaken, func(a, b Untaken) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("not sorted")
	}
	if len(s.Masters) != 2 || s.Masters[0].Older || !s.Masters[1].Older || s.Masters[1].Posted != "2019" {
		t.Errorf("masters %+v", s.Masters)
	}
}

// TestLinkedFolders: links to folders are followed, each folder is read once,
// and no link leads in a circle.
func TestLinkedFolders(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, "archives/2022_TEOS_XML_07A.zip", "x")
	put(t, outside, "archives/more/2022_TEOS_XML_08A.zip", "x")
	root := lay(t)
	for link, to := range map[string]string{
		"990/linked":                outside + "/archives",
		"990/again":                 outside + "/archives",
		"990/itself":                root + "/990",
		"990/up":                    filepath.Dir(root),
		"990/2022_TEOS_XML_09A.zip": outside + "/archives/2022_TEOS_XML_07A.zip",
		"990/gone":                  outside + "/nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside+"/archives", filepath.Join(outside, "archives", "circle")); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "sources")
	if err := os.Symlink(root, whole); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{root, whole} {
		s, err := All(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"990/2022_TEOS_XML_01A.zip", "990/2022_TEOS_XML_02A.zip", "990/2022_TEOS_XML_09A.zip",
			"990/again/2022_TEOS_XML_07A.zip", "990/again/more/2022_TEOS_XML_08A.zip"}
		if !slices.Equal(s.Files[Returns], want) {
			t.Errorf("%v", s.Files[Returns])
		}
		var left []string
		for _, u := range s.Untaken {
			left = append(left, u.Path+": "+u.Reason)
		}
		for i, want := range []string{
			"990/again/circle/: it is the same folder as 990/again",
			"990/gone: it is a link to nothing",
			"990/itself/: it is the same folder as 990",
			"990/linked/: it is the same folder as 990/again",
			"990/up/: it is a link to a folder that holds the sources",
		} {
			if i >= len(left) || !strings.HasPrefix(left[i], want) {
				t.Errorf("%q, want %q", left, want)
			}
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"2019": "2019", "set_2019": "2019", "2026-04": "2026-04", "2024-09-10": "2024-09-10", "20240910": "2024-09-10", "bmf_2026_04": "2026-04",
		"sdn_2024-05-04_EMPTY.csv": "2024-05-04", "990": "", "history": "", "12019": "", "20245": "", "2024-13": "2024", "FY2020_012": "2020", "": "",
	} {
		if got := dateIn(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := folderDate("bmf/2024/parts/eo1.csv"); got != "2024" {
		t.Errorf("nearest folder: %q", got)
	}
	for posted, want := range map[string]int32{"2019": 20190000, "2019-04": 20190400, "2019-04-09": 20190409, "": 0} {
		if got := (Master{Posted: posted}).AsOf(); got != want {
			t.Errorf("%q: %d, want %d", posted, got, want)
		}
	}
}

// TestDifferentDates: files that belong together and are of different dates are
// named.
func TestDifferentDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why   string
		files []string
		want  string // in the one warning; empty for none
	}{
		{"one posting", []string{"bmf/2026-04/eo_wy.csv", "bmf/2026-04-09/eo_ct.csv"}, ""},
		{"two postings", []string{"a/bmf/2026-04/eo_wy.csv", "a/bmf/2026-02/eo_ct.csv"}, "master file are of different dates: a/bmf/2026-02/eo_ct.csv of 2026-02, a/bmf/2026-04/eo_wy.csv of 2026-04"},
		{"another edition", []string{"bmf/2026-04/eo_wy.csv", "bmf/2019/eo_ct.csv"}, ""},
		{"an edition below another", []string{"bmf/eo_wy.csv", "bmf/history/2026-02/eo_ct.csv", "bmf/history/2026-01/eo_ny.csv"}, ""},
		{"an older posting beside", []string{"bmf/2026-04/eo_wy.csv", "bmf/2019/eo_wy.csv"}, ""},
		{"the register", []string{"uk/2024-09-10/publicextract.charity.zip", "uk/2023-01-01/publicextract.charity_trustee.zip"}, "England and Wales are of different dates"},
		{"the registry", []string{"careg/2024-01/charities-may-operate.csv", "careg/2024-02/charities-not-operating.csv"}, "registry are of different dates"},
		{"one list in two files", []string{"caftb/north.csv", "caftb/south.csv"}, "together"},
	} {
		root := lay(t)
		for _, f := range c.files {
			put(t, root, f, "x")
		}
		s, err := All(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Warnings, "; "); len(s.Warnings) > 1 || !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", c.why, got)
		}
	}
}
