package synth

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/ingest/source/irb"
	"grantgraph/internal/ingest/source/ofac"
	"grantgraph/internal/ingest/source/pub78"
	"grantgraph/internal/ingest/source/revocation"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/irscode"
)

// lists is what the readers find in the lists of a world.
type lists struct {
	dir     string
	report  *Report
	master  map[ein.EIN]bmf.Record
	donees  map[ein.EIN]string // codes
	revoked map[ein.EIN][]revokedRow
}

type revokedRow struct{ revoked, posted, reinstated string }

func (l *lists) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

// want compares a count with the one that world.json promises.
func (l *lists) want(t *testing.T, name string, got int64) {
	t.Helper()
	if n, ok := l.report.Lists[name]; !ok || n != got {
		t.Errorf("%s: %d were read, the report says %d", name, got, n)
	}
}

// clean fails when a reader rejected anything.
func clean(t *testing.T, name string, tally rows.Tally, err error) {
	t.Helper()
	if err != nil || len(tally.Rejected) > 0 {
		t.Errorf("%s: %v, rejected %v", name, err, tally.Rejected)
	}
}

// open opens a file of rows and has it closed.
func (l *lists) open(t *testing.T, name string) interface{ Read([]byte) (int, error) } {
	t.Helper()
	f, err := rows.Open(l.path(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestListsAreReadAsMeant reads every list of a world with its reader: nothing
// is lost but what was meant to be, counts are those of the report, and the
// lists agree with one another.
func TestListsAreReadAsMeant(t *testing.T) {
	t.Parallel()
	l := &lists{dir: filepath.Join(t.TempDir(), "world")}
	l.report = write(t, Options{Out: l.dir, Grants: 20_000, zips: shippedZIPs()})
	l.readIRS(t)
	t.Run("standing", l.exemptions)
	t.Run("codes", l.codes)
	t.Run("sanctions", l.sanctions)
	t.Run("bulletins", l.bulletins)
	t.Run("california", l.california)
	t.Run("federal", l.federal)
	t.Run("states", l.states)
	t.Run("register", l.register)
	t.Run("overrides", l.overrides)
	t.Run("fetched", l.fetched)
}

func (l *lists) readIRS(t *testing.T) {
	l.master, l.donees, l.revoked = map[ein.EIN]bmf.Record{}, map[ein.EIN]string{}, map[ein.EIN][]revokedRow{}
	for i := range 4 {
		name := fmt.Sprintf("bmf/eo%d.csv", i+1)
		tally, err := bmf.Read(l.open(t, name), func(r *bmf.Record) error {
			c := *r
			for _, p := range []*string{&c.Name, &c.City, &c.State} {
				*p = strings.Clone(*p)
			}
			l.master[r.EIN] = c
			return nil
		})
		clean(t, name, tally, err)
	}
	tally, err := pub78.Read(l.open(t, "pub78/data-download-pub78.zip"), func(r *pub78.Record) error {
		if _, twice := l.donees[r.EIN]; twice {
			t.Errorf("%s is in Publication 78 twice", r.EIN)
		}
		l.donees[r.EIN] = strings.Clone(r.Codes)
		for _, c := range irscode.Pub78Codes(r.Codes) {
			if irscode.Pub78Label(c) == "" {
				t.Errorf("%s has the unknown code %q", r.EIN, c)
			}
		}
		return nil
	})
	clean(t, "pub78", tally, err)
	l.want(t, "pub78_rows", tally.Rows)
	tally, err = revocation.Read(l.open(t, "revocation/data-download-revocation.zip"), func(r *revocation.Record) error {
		l.revoked[r.EIN] = append(l.revoked[r.EIN], revokedRow{strings.Clone(r.Revoked), strings.Clone(r.Posted), strings.Clone(r.Reinstated)})
		return nil
	})
	clean(t, "revocation", tally, err)
	l.want(t, "revocation_rows", tally.Rows)
	l.want(t, "revocation_eins", int64(len(l.revoked)))
}

// exemptions: who is revoked is in no list of those that are exempt, and who is
// exempt again is.
func (l *lists) exemptions(t *testing.T) {
	var standing, back, ruled, twice int64
	for e, list := range l.revoked {
		last := list[len(list)-1]
		for _, r := range list {
			if r.revoked[8:] != "15" || r.posted <= r.revoked || r.reinstated != "" && r.reinstated < r.revoked {
				t.Errorf("%s: %+v", e, r)
			}
			if r.posted > today.Format("2006-01-02") || r.reinstated > today.Format("2006-01-02") {
				t.Errorf("%s: %+v is in the future", e, r)
			}
		}
		_, listed := l.master[e]
		_, donee := l.donees[e]
		switch {
		case last.reinstated != "":
			back++
			if !listed {
				t.Errorf("%s is reinstated and not in the master file", e)
			}
		case listed: // by a new ruling, later than the revocation
			ruled++
			if m := l.master[e]; m.Ruling <= strings.ReplaceAll(last.revoked[:7], "-", "") && m.Ruling <= last.revoked[:7] {
				t.Errorf("%s was revoked on %s and ruled %s", e, last.revoked, m.Ruling)
			}
		default:
			standing++
			if donee {
				t.Errorf("%s is revoked and in Publication 78", e)
			}
		}
		if len(list) == 2 {
			twice++
			if list[0].reinstated == "" || list[1].revoked <= list[0].reinstated {
				t.Errorf("%s: %+v", e, list)
			}
		}
	}
	l.want(t, "revoked_standing", standing)
	l.want(t, "revoked_reinstated", back)
	l.want(t, "revoked_new_ruling", ruled)
	l.want(t, "revoked_twice", twice)
	if share := float64(back+twice) / float64(len(l.revoked)); share < .07 || share > .25 || ruled == 0 || twice == 0 {
		t.Errorf("of %d revoked organizations %d came back, %d by a new ruling, %d twice revoked", len(l.revoked), back, ruled, twice)
	}
}

// codes: Publication 78 agrees with the master file, and the master file has
// every kind of organization.
func (l *lists) codes(t *testing.T) {
	parents, members := map[string]bool{}, 0
	found := map[string]int{}
	for e, m := range l.master {
		codes, listed := l.donees[e]
		found["foundation "+m.Foundation]++
		found["affiliation "+m.Affiliation]++
		found["status "+m.Status]++
		found["subsection "+m.Subsection]++
		if m.Affiliation == "6" || m.Affiliation == "8" {
			parents[m.Group] = true
			if m.Subsection == "03" && !strings.Contains(codes, "GROUP") {
				t.Errorf("%s heads group %s and Publication 78 says %q", e, m.Group, codes)
			}
		}
		switch {
		case m.Affiliation == "9" || m.Affiliation == "7":
			members++
			if listed {
				t.Errorf("%s is a subordinate and in Publication 78", e)
			}
		case m.Subsection == "03" && m.Foundation != "10" && !listed:
			t.Errorf("%s is a charity and not in Publication 78", e)
		}
		want := map[string]string{"04": "PF", "03": "POF", "02": "POF", "17": "SOUNK", "21": "SO", "22": "SO", "23": "SO", "24": "SONFI"}[m.Foundation]
		if listed && want != "" && !slices.Contains(irscode.Pub78Codes(codes), want) {
			t.Errorf("%s has foundation code %s and Publication 78 says %q", e, m.Foundation, codes)
		}
	}
	for e := range l.donees {
		if _, ok := l.master[e]; !ok {
			t.Errorf("%s is in Publication 78 and not in the master file", e)
		}
	}
	for _, m := range l.master {
		if (m.Affiliation == "9") && !parents[m.Group] {
			t.Errorf("group %s has members and no parent", m.Group)
		}
	}
	for _, kind := range []string{"foundation 02", "foundation 03", "foundation 04", "foundation 10", "foundation 17", "foundation 21", "foundation 22",
		"foundation 23", "foundation 24", "affiliation 6", "affiliation 8", "affiliation 9", "status 02", "status 12", "status 25", "subsection 92"} {
		if found[kind] == 0 {
			t.Errorf("the master file has no row with %s", kind)
		}
	}
	if members < 50 {
		t.Errorf("%d subordinates", members)
	}
}

func (l *lists) sanctions(t *testing.T) {
	list, err := ofac.Read(ofac.Files{Primary: l.open(t, "ofac/sdn.csv"), Aliases: l.open(t, "ofac/alt.csv"),
		Addresses: l.open(t, "ofac/add.csv"), Comments: l.open(t, "ofac/sdn_comments.csv")})
	if err != nil {
		t.Fatal(err)
	}
	for name, tally := range map[string]rows.Tally{"ofac_entries": list.Tally, "ofac_aliases": list.Aliases, "ofac_addresses": list.Addresses, "ofac_comments": list.Comments} {
		clean(t, name, tally, nil)
		l.want(t, name, tally.Rows)
	}
	if list.Tally.Rows < 12_000 {
		t.Errorf("%d entries are too few to be a list", list.Tally.Rows)
	}
	byNumber := map[int64]*ofac.Entry{}
	var entities, weak int64
	long := 0
	for i := range list.Entries {
		e := &list.Entries[i]
		byNumber[e.Num] = e
		if e.Entity() {
			entities++
		}
		if len(e.Remarks) > 1000 {
			long++
		}
		for _, a := range e.Aliases {
			if a.Type == ofac.Weak {
				weak++
			}
		}
	}
	l.want(t, "ofac_entities", entities)
	l.want(t, "ofac_weak_aliases", weak)
	l.want(t, "ofac_comments", int64(long))
	if len(l.report.Namesakes) < 18 {
		t.Errorf("%d namesakes", len(l.report.Namesakes))
	}
	for _, n := range l.report.Namesakes {
		e := byNumber[int64(n.Entry)]
		if id, err := ein.Parse(n.EIN); err != nil || l.master[id].Name == "" || e == nil || !e.Entity() {
			t.Errorf("%+v: entry %+v, %v", n, e, err)
		}
	}
}

func (l *lists) bulletins(t *testing.T) {
	files, err := filepath.Glob(l.path("irb/*_IRB.html"))
	if err != nil || len(files) != bulletins {
		t.Fatalf("%d bulletins, %v", len(files), err)
	}
	var deletions, listed int64
	names := map[string]ein.EIN{}
	for e, m := range l.master {
		names[m.Name+"/"+m.City+"/"+m.State] = e
	}
	last := ""
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := irb.ReadNamed(f, filepath.Base(name))
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(filepath.Base(name), b.Number) || b.Number <= last || b.Date > today.Format("2006-01-02") {
			t.Errorf("%s is %s of %s", name, b.Number, b.Date)
		}
		last = b.Number
		for _, d := range b.Deletions {
			deletions++
			if d.Name == "" || d.City == "" || d.State == "" || d.Announcement == "" {
				t.Errorf("%s: %+v", name, d)
			}
			plain := strings.ToUpper(strings.NewReplacer(",", "", ".", "", "'", "").Replace(d.Name))
			if _, ok := names[plain+"/"+strings.ToUpper(d.City)+"/"+d.State]; ok {
				listed++
			}
		}
	}
	l.want(t, "irb_deletions", deletions)
	if listed == 0 || listed > l.report.Lists["irb_deletions_still_listed"] {
		t.Errorf("%d of the deleted are in the master file, meant %d", listed, l.report.Lists["irb_deletions_still_listed"])
	}
}

// TestEveryBulletinIsRead: names and places of any world can stand in a list.
func TestEveryBulletinIsRead(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		w := newWorld(seed, 60_000, shippedZIPs())
		d := newListWriter(t.Context(), &gen{w: w}, nil, t.TempDir())
		if err := d.bulletins(); err != nil {
			t.Fatal(err)
		}
		var n int64
		for _, file := range d.files {
			f, err := os.Open(filepath.Join(d.dir, filepath.FromSlash(file.Path)))
			if err != nil {
				t.Fatal(err)
			}
			b, err := irb.ReadNamed(f, filepath.Base(file.Path))
			f.Close()
			if err != nil || int64(len(b.Deletions)) != file.Rows {
				t.Errorf("seed %d, %s: %d deletions, want %d; %v", seed, file.Path, len(b.Deletions), file.Rows, err)
			}
			n += file.Rows
		}
		if n != d.counts["irb_deletions"] {
			t.Errorf("seed %d: %d deletions, counted %d", seed, n, d.counts["irb_deletions"])
		}
	}
}

func (l *lists) overrides(t *testing.T) {
	var total int64
	for _, name := range []string{"overrides/human.csv", "overrides/model.csv"} {
		f, err := os.Open(l.path(name))
		if err != nil {
			t.Fatal(err)
		}
		list, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(list) < 3 || !slices.Equal(list[0], columns.of("overrides")) {
			t.Fatalf("%s: %v, %v", name, list, err)
		}
		for _, r := range list[1:] {
			total++
			if r[6] != "set" {
				continue
			}
			if e, err := ein.Parse(r[5]); err != nil || l.master[e].Name == "" {
				t.Errorf("%s: %v names an EIN in no list", name, r)
			}
		}
	}
	l.want(t, "overrides", total)
}

// fetched: the fetcher's own checks find in every list the rows and the date
// that its state says.
func (l *lists) fetched(t *testing.T) {
	described := 0
	for _, s := range source.All() {
		st, err := fetch.ReadState(l.dir, s.Name)
		if err != nil {
			t.Error(err)
		}
		newest := ""
		for _, f := range st.Files {
			described++
			newest = max(newest, f.Revised)
			if f != (fetch.File{}) && (f.URL == "" || f.ETag == "" || f.LastModified == "" || f.FetchedAt.After(st.CheckedAt) || f.Revised > "2026-10-14") {
				t.Errorf("%s: %+v", s.Name, f)
			}
			if s.Name == "irs990" {
				continue // of no list, and read by other tests
			}
			n, revised, err := s.Check(l.path(f.Path))
			if err != nil || revised != "" && revised != f.Revised {
				t.Errorf("%s: revised %s, the state says %s; %v", f.Path, revised, f.Revised, err)
			}
			if n != f.Rows && n > 0 {
				t.Errorf("%s: %d rows, the state says %d", f.Path, n, f.Rows)
			}
		}
		if newest != st.UpstreamRevised || len(st.Files) > 0 && st.CheckedAt.IsZero() {
			t.Errorf("%s: revised %s, the newest file %s", s.Name, st.UpstreamRevised, newest)
		}
	}
	inFolders := 0
	for _, f := range l.report.Files {
		if strings.Contains(f.Path, "/") && !strings.HasPrefix(f.Path, ".fetch/") && !strings.HasPrefix(f.Path, "overrides/") {
			inFolders++
		}
	}
	if described != inFolders {
		t.Errorf("%d files are described, %d are there", described, inFolders)
	}
}
