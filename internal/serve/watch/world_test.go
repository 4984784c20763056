package watch_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/watch"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sources are the files of a world that a test changes.
type sources struct {
	t   *testing.T
	dir string
}

func (s sources) at(path string) string { return filepath.Join(s.dir, filepath.FromSlash(path)) }

func (s sources) edit(path string, change func(string) string) {
	s.t.Helper()
	body, err := os.ReadFile(s.at(path))
	must(s.t, err)
	after := change(string(body))
	if after == string(body) {
		s.t.Fatalf("%s is not changed", path)
	}
	must(s.t, os.WriteFile(s.at(path), []byte(after), 0o644))
}

// member is the one file in a zip.
func (s sources) member(path string) (name, text string) {
	s.t.Helper()
	z, err := zip.OpenReader(s.at(path))
	must(s.t, err)
	defer z.Close()
	r, err := z.File[0].Open()
	must(s.t, err)
	body, err := io.ReadAll(r)
	must(s.t, err)
	return z.File[0].Name, string(body)
}

func (s sources) editZip(path string, change func(string) string) {
	s.t.Helper()
	name, text := s.member(path)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	must(s.t, err)
	_, err = io.WriteString(w, change(text))
	must(s.t, err)
	must(s.t, z.Close())
	must(s.t, os.WriteFile(s.at(path), b.Bytes(), 0o644))
}

// build builds the sources, as the program does.
func (s sources) build(data string, month time.Month) {
	s.t.Helper()
	_, err := ingest.Run(s.t.Context(), ingest.Options{Sources: s.dir, Data: data, Indexers: world.Indexers(), ListIndexers: indexes.Lists(),
		Now: func() time.Time { return time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC) }})
	must(s.t, err)
}

// TestWorld watches everybody in an invented world over three builds, and finds every kind of change.
func TestWorld(t *testing.T) {
	t.Parallel()
	s, data := sources{t, world.Small.CopySources(t)}, t.TempDir()
	const pub78, revocation = "pub78/data-download-pub78.zip", "revocation/data-download-revocation.zip"
	months := []string{"990/2024_TEOS_XML_02A.zip", "990/2023_TEOS_XML_11A.zip"}
	for _, m := range months {
		must(t, os.Rename(s.at(m), s.at(m)+".away"))
	}
	s.build(data, time.January)
	h, err := dataset.Open(data, dataset.Options{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer h.Close()

	// The account watches the first organizations of the master file, and one that is revoked.
	body, err := os.ReadFile(s.at("bmf/eo1.csv"))
	must(t, err)
	master, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	must(t, err)
	_, text := s.member(revocation)
	wasRevoked := regexp.MustCompile(`(?m)^\d{9}\|.*\|US\|03\|[^|]+\|[^|]+\|\s*$`).FindString(text)
	_, text = s.member(pub78)
	listed := regexp.MustCompile(`(?m)^\d{9}\|.*$`).FindString(text)
	add := []account.Member{}
	members := map[string]bool{}
	enter := func(number string) {
		e, err := ein.Parse(number)
		must(t, err)
		if add = append(add, account.Member{EIN: e}); len(add) < account.MostMembers {
			members[number] = true
		}
	}
	for _, row := range master[1:min(len(master), 2000)] {
		enter(row[0])
	}
	enter(wasRevoked[:9])
	enter(listed[:9])
	store, err := account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), account.Options{})
	must(t, err)
	defer store.Close()
	ann, err := store.SignUp(t.Context(), "ann@example.org", "correct horse battery", "")
	must(t, err)
	list, err := store.CreateList(t.Context(), ann.ID, "Everybody")
	must(t, err)
	_, err = store.AddMembers(t.Context(), ann.ID, list.ID, add)
	must(t, err)
	_, _, err = store.ChangeWatch(t.Context(), ann.ID, list.ID, account.WatchChange{On: new(true)})
	must(t, err)
	w, err := watch.New(watch.Config{Store: store, Acquire: h.Acquire, Mail: mail.NewConsole(io.Discard), Secret: make([]byte, 32), Clock: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	last := int64(0)
	// next takes up what was built, and returns the alerts that are new, by organization and kind.
	next := func() map[string]account.Alert {
		t.Helper()
		_, err := h.Refresh()
		must(t, err)
		_, err = h.RefreshLists()
		must(t, err)
		must(t, w.Step(t.Context()))
		found := map[string]account.Alert{}
		all, _, err := store.Alerts(t.Context(), ann.ID, list.ID, 0, 0, account.MostAlerts)
		must(t, err)
		for _, a := range all {
			if a.Seq > last {
				found[a.EIN.String()+" "+a.Kind] = a
			}
		}
		if len(all) > 0 {
			last = all[0].Seq
		}
		return found
	}
	if got := next(); len(got) != 0 {
		t.Errorf("before anything has changed: %v", got)
	}

	renamed, revoked, alike := master[1], master[3], master[4]
	for _, m := range months {
		must(t, os.Rename(s.at(m)+".away", s.at(m)))
	}
	s.edit("bmf/eo1.csv", func(text string) string {
		text = strings.Replace(text, renamed[0]+","+renamed[1], renamed[0]+",INVENTED ANEW", 1)
		for _, m := range master[5:60] { // some file returns, which give their address
			text = strings.Replace(text, strings.Join(m[:4], ","), strings.Join(m[:3], ",")+",77 NEW STREET", 1)
		}
		return text
	})
	s.editZip(pub78, func(text string) string { return strings.Replace(text, listed+"\n", "", 1) })
	s.editZip(revocation, func(text string) string {
		text = strings.Replace(text, wasRevoked, strings.TrimSpace(wasRevoked)+"01-OCT-2026", 1)
		return strings.TrimRight(text, "\n") + "\n" + revoked[0] + "|" + revoked[1] + "||1 MAIN ST|DOVER|DE|19901-0000|US|03|15-MAY-2026|10-AUG-2026|\n"
	})
	s.edit("ofac/sdn.csv", func(text string) string {
		return strings.TrimRight(text, "\x1a\r\n") + "\n999999,\"" + alike[1] + "\",-0- ,\"EXAMPLE\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n"
	})
	s.build(data, time.February)
	got := next()
	for key, about := range map[string]string{
		renamed[0] + " name_changed": renamed[1] + " to INVENTED ANEW", revoked[0] + " revoked": "",
		wasRevoked[:9] + " reinstated": "", listed[:9] + " off_pub78": "", alike[0] + " sanctions_match": alike[1],
	} {
		a, found := got[key]
		said := a.Was + " to " + a.Is
		if !found || !strings.Contains(said, about) || watch.Title(&a) == "" {
			t.Errorf("%s (%s): %v %+v", key, about, found, a)
		}
	}
	moved := 0
	for _, m := range master[5:60] {
		if a := got[m[0]+" address_changed"]; strings.HasPrefix(a.Is, "77 NEW STREET, ") && strings.HasPrefix(a.Was, m[3]+", ") {
			moved++
		}
	}
	if moved < 10 {
		t.Errorf("%d have moved", moved)
	}
	// New returns and grants, as the index of changes has them.
	d, release := h.Acquire()
	page, known := d.Changes.Page(d.Changes.Versions()[0], 0, 10_000)
	if !known || len(page.List) == 0 {
		t.Fatal("nobody has filed")
	}
	givers := 0
	for _, f := range page.List {
		number := ein.EIN(f.EIN).String()
		if !members[number] {
			continue
		}
		for kind, n := range map[string]uint32{"new_returns": f.ReturnsNew, "amended_returns": f.ReturnsAmended, "new_grants": f.RowsAdded} {
			if a := got[number+" "+kind]; a.Count != int64(n) {
				t.Errorf("%s %s: %d, not %d", number, kind, a.Count, n)
			}
			givers += int(n)
		}
	}
	release()
	if givers == 0 {
		t.Error("none of the members has filed")
	}
	if again := next(); len(again) != 0 {
		t.Errorf("once more: %v", again)
	}

	// And back again.
	s.editZip(pub78, func(text string) string { return text + listed + "\n" })
	s.edit("ofac/sdn.csv", func(text string) string {
		return strings.Replace(text, "\n999999,\""+alike[1], "\n999999,\"INVENTED SHADOW TRADING", 1)
	})
	s.build(data, time.March)
	got = next()
	want := []string{listed[:9] + " on_pub78", alike[0] + " sanctions_match_ended"}
	for _, key := range want {
		if _, found := got[key]; !found {
			t.Errorf("no %s", key)
		}
	}
	for key, a := range got {
		if !slices.Contains(want, key) {
			t.Errorf("%+v", a)
		}
	}
}
