package change_test

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/edition"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// must ends the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listIndexers are what the program adds to an edition of the lists, but for the
// index of screenings.
var listIndexers = []snapshot.Indexer{
	{Name: "matches", Path: change.MatchesPath, Write: change.BuildMatches},
	{Name: "change", Path: change.LogPath, Write: change.BuildLists},
}

// build builds the sources, as the program does but for the other indexes.
func build(t *testing.T, sources, data string, month time.Month) *snapshot.Snapshot {
	t.Helper()
	result, err := ingest.Run(context.Background(), ingest.Options{
		Sources: sources, Data: data,
		Indexers:     []snapshot.Indexer{{Name: "change", Write: change.Build}},
		ListIndexers: listIndexers,
		Now:          func() time.Time { return time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC) },
	})
	must(t, err)
	return result.Snapshot
}

// months hides the returns of some months among the sources, or shows them again.
func months(t *testing.T, sources string, hide bool, names ...string) {
	t.Helper()
	for _, name := range names {
		from, to := filepath.Join(sources, "990", name+".zip"), filepath.Join(filepath.Dir(sources), name+".zip")
		if !hide {
			from, to = to, from
		}
		must(t, os.Rename(from, to))
	}
}

// unzip reads the members of a zip.
func unzip(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	must(t, err)
	defer z.Close()
	members := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		body, err := io.ReadAll(r)
		must(t, err)
		members[f.Name] = string(body)
	}
	return members
}

func writeZip(t *testing.T, path string, members map[string]string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.Create(name)
		must(t, err)
		_, err = io.WriteString(w, members[name])
		must(t, err)
	}
	must(t, z.Close())
	must(t, os.WriteFile(path, b.Bytes(), 0o644))
}

var paid = regexp.MustCompile(`<GrantOrContributionPdDurYrGrp>.*?</GrantOrContributionPdDurYrGrp>`)

// amend adds an amended return of a foundation that lists at least five grants: the
// first is withdrawn, the second stands twice, the third is of another amount, and
// all others have moved up by a line.
func amend(t *testing.T, sources, month string) (filer string) {
	t.Helper()
	members := unzip(t, filepath.Join(sources, "990", month+".zip"))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		body := members[name]
		groups := paid.FindAllString(body, -1)
		if len(groups) < 5 || strings.Contains(body, "AmendedReturnInd") || !strings.Contains(body, "<IRS990PF documentId=\"IRS990PF\">") {
			continue
		}
		body = strings.Replace(body, groups[0], "", 1)
		body = strings.Replace(body, groups[2], regexp.MustCompile(`<Amt>\d+</Amt>`).ReplaceAllString(groups[2], "<Amt>1234567</Amt>"), 1)
		last := groups[len(groups)-1]
		body = strings.Replace(body, last, last+groups[1], 1)
		body = strings.Replace(body, "<IRS990PF documentId=\"IRS990PF\">", "<IRS990PF documentId=\"IRS990PF\"><AmendedReturnInd>X</AmendedReturnInd>", 1)
		writeZip(t, filepath.Join(sources, "990", "2026_TEOS_XML_12A.zip"), map[string]string{"202699999999999999_public.xml": body})
		return regexp.MustCompile(`<Filer><EIN>(\d+)</EIN>`).FindStringSubmatch(body)[1]
	}
	t.Fatal("no foundation lists five grants in " + month)
	return ""
}

// oracle is the difference of two builds by SQL over their tables, by filer, and
// which of them are funders. It shares no code with the package.
func oracle(t *testing.T, before, after *snapshot.Snapshot) map[string]change.Counts {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for name, s := range map[string]*snapshot.Snapshot{"old": before, "new": after} {
		_, err := db.Exec(fmt.Sprintf(`
			CREATE TABLE %[1]s_row AS SELECT funder_ein f, period_end p, part || '/' || line AS place, part, line, amount,
				{'a': amount, 'y': tax_year, 'i': recip_id, 'e': recipient_ein, 'n': recipient_raw, 'l': recipient_filed, 'c': recipient_city,
				's': recipient_state, 'z': recipient_zip, 'k': recipient_county, 'o': recipient_country, 'u': purpose, 'r': ein_source, 'x': ein_conflict,
				't': source_tier, 'm': support, 'p1': is_individual, 'p2': is_unidentified, 'p3': is_daf, 'p4': is_related_party, 'p5': amount_suspect}::VARCHAR AS said
			FROM read_parquet('%[2]s');
			CREATE TABLE %[1]s_return AS SELECT ein f, period_end p, form = '990T' AS t, filing FROM read_parquet('%[3]s') WHERE fate = 'chosen'`,
			name, s.Path(snapshot.Grants), s.Path(snapshot.Returns)))
		must(t, err)
	}
	rows, err := db.Query(`
		WITH old1 AS (SELECT * FROM old_row o WHERE NOT EXISTS (FROM new_row n WHERE n.f = o.f AND n.p = o.p AND n.place = o.place AND n.said = o.said)),
		new1 AS (SELECT * FROM new_row n WHERE NOT EXISTS (FROM old_row o WHERE n.f = o.f AND n.p = o.p AND n.place = o.place AND n.said = o.said)),
		old2 AS (SELECT *, row_number() OVER (PARTITION BY f, p, said ORDER BY line, part) AS nth FROM old1),
		new2 AS (SELECT *, row_number() OVER (PARTITION BY f, p, said ORDER BY line, part) AS nth FROM new1),
		old3 AS (FROM old2 o WHERE NOT EXISTS (FROM new2 n WHERE n.f = o.f AND n.p = o.p AND n.said = o.said AND n.nth = o.nth)),
		new3 AS (FROM new2 n WHERE NOT EXISTS (FROM old2 o WHERE n.f = o.f AND n.p = o.p AND n.said = o.said AND n.nth = o.nth)),
		changed AS (SELECT o.f, o.p, o.place FROM old3 o JOIN new3 n ON n.f = o.f AND n.p = o.p AND n.place = o.place),
		facts AS (
			SELECT f, 0 AS net, 0 AS rn, 0 AS ra, 0 AS rr, 0 AS added, 0 AS removed, 1 AS changed FROM changed
			UNION ALL SELECT f, 0, 0, 0, 0, 1, 0, 0 FROM new3 n WHERE NOT EXISTS (FROM changed c WHERE c.f = n.f AND c.p = n.p AND c.place = n.place)
			UNION ALL SELECT f, 0, 0, 0, 0, 0, 1, 0 FROM old3 o WHERE NOT EXISTS (FROM changed c WHERE c.f = o.f AND c.p = o.p AND c.place = o.place)
			UNION ALL SELECT f, amount, 0, 0, 0, 0, 0, 0 FROM new_row
			UNION ALL SELECT f, -amount, 0, 0, 0, 0, 0, 0 FROM old_row
			UNION ALL SELECT coalesce(n.f, o.f), 0, (o.f IS NULL)::INT, coalesce(o.filing <> n.filing, false)::INT, (n.f IS NULL)::INT, 0, 0, 0
				FROM new_return n FULL JOIN old_return o ON n.f = o.f AND n.p = o.p AND n.t = o.t)
		SELECT f, sum(net)::BIGINT, sum(rn)::INT, sum(ra)::INT, sum(rr)::INT, sum(added)::INT, sum(removed)::INT, sum(changed)::INT FROM facts GROUP BY f`)
	must(t, err)
	defer rows.Close()
	list := map[string]change.Counts{}
	for rows.Next() {
		var e string
		var c change.Counts
		must(t, rows.Scan(&e, &c.NetAmount, &c.ReturnsNew, &c.ReturnsAmended, &c.ReturnsRemoved, &c.RowsAdded, &c.RowsRemoved, &c.RowsChanged))
		if !c.None() {
			list[e] = c
		}
	}
	must(t, rows.Err())
	return list
}

// funders are those who have rows in one of the builds.
func funders(t *testing.T, builds ...*snapshot.Snapshot) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	for _, s := range builds {
		for row, err := range snapshot.Rows[snapshot.FunderKind](s, snapshot.FunderKinds) {
			must(t, err)
			list[row.FunderEIN] = true
		}
	}
	return list
}

// holdAgainst compares what a build says of its difference to another with what
// the tables of both say.
func holdAgainst(t *testing.T, before, after *snapshot.Snapshot) (total change.Counts) {
	t.Helper()
	want, giving := oracle(t, before, after), funders(t, before, after)
	x, err := change.Open(after)
	must(t, err)
	defer x.Close()
	page, known := x.Page(before.Manifest.Version, 0, 1<<20)
	if !known {
		t.Fatalf("nothing is known of changes since %s, but since %v", before.Manifest.Version, x.Versions())
	}
	var sum change.Counts
	n := 0
	for e, c := range want {
		if giving[e] {
			n++
			add(&sum, c)
		}
	}
	if page.Funders != n || page.Total != sum || len(page.List) != n {
		t.Errorf("%d funders, %+v; by SQL %d, %+v", page.Funders, page.Total, n, sum)
	}
	for _, f := range page.List {
		if e := ein.EIN(f.EIN).String(); f.Counts != want[e] {
			t.Errorf("%s: %+v; by SQL %+v", e, f.Counts, want[e])
		}
	}
	var paged []change.Filer
	for offset := 0; ; offset += 7 {
		p, _ := x.Page(before.Manifest.Version, offset, 7)
		if paged = append(paged, p.List...); len(p.List) == 0 {
			break
		}
	}
	if !slices.Equal(paged, page.List) {
		t.Error("in pages of seven the list is another one")
	}
	if x.Versions()[0] == before.Manifest.Version {
		for e, c := range want {
			number, err := ein.Parse(e)
			must(t, err)
			if since, got := x.Latest(number); since != before.Manifest.Version || got != c {
				t.Errorf("%s by itself: %+v since %s; by SQL %+v", e, got, since, c)
			}
		}
	}
	return page.Total
}

func add(to *change.Counts, c change.Counts) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(c)
	for i := range a.NumField() {
		if f := a.Field(i); f.CanInt() {
			f.SetInt(f.Int() + b.Field(i).Int())
		} else {
			f.SetUint(f.Uint() + b.Field(i).Uint())
		}
	}
}

// TestBuilds builds a world three times: without two months and the overrides;
// with them and an amended return; and without another month. What each says of
// those before is what SQL finds in the tables.
func TestBuilds(t *testing.T) {
	t.Parallel()
	sources, data := world.Small.CopySources(t), t.TempDir()
	overrides := filepath.Join(sources, "overrides")
	months(t, sources, true, "2024_TEOS_XML_02A", "2023_TEOS_XML_11A")
	must(t, os.Rename(overrides, sources+"-overrides"))
	first := build(t, sources, data, time.January)
	x, err := change.Open(first)
	must(t, err)
	if e, c := x.Latest(1); len(x.Versions()) != 0 || e != "" || !c.None() {
		t.Errorf("the first build knows of others: %v", x.Versions())
	}
	must(t, x.Close())

	months(t, sources, false, "2024_TEOS_XML_02A", "2023_TEOS_XML_11A")
	must(t, os.Rename(sources+"-overrides", overrides))
	filer := amend(t, sources, "2022_TEOS_XML_08A")
	second := build(t, sources, data, time.February)
	got := holdAgainst(t, first, second)
	if got.ReturnsNew == 0 || got.ReturnsAmended == 0 || got.ReturnsRemoved != 0 || got.RowsAdded == 0 || got.RowsChanged == 0 || got.NetAmount == 0 {
		t.Errorf("two months more: %+v", got)
	}
	number, err := ein.Parse(filer)
	must(t, err)
	x, err = change.Open(second)
	must(t, err)
	defer x.Close()
	if _, c := x.Latest(number); c.ReturnsAmended != 1 || c.RowsChanged+c.RowsAdded+c.RowsRemoved > 4 {
		t.Errorf("the amended return: %+v, although only two lines are others", c)
	}

	months(t, sources, true, "2023_TEOS_XML_12A")
	third := build(t, sources, data, time.March)
	if got := holdAgainst(t, second, third); got.ReturnsRemoved == 0 || got.RowsRemoved == 0 {
		t.Errorf("a month less: %+v", got)
	}
	holdAgainst(t, first, third)

	// The same sources where nothing was built before, and once more where
	// something was: the same content, another history.
	alone, again := build(t, sources, t.TempDir(), time.March), build(t, sources, data, time.April)
	if alone.Manifest.Content != third.Manifest.Content || again.Manifest.Content != third.Manifest.Content {
		t.Error("the content of a build depends on the builds before it")
	}
	if got := holdAgainst(t, third, again); !got.None() {
		t.Errorf("nothing has changed: %+v", got)
	}
	x, err = change.Open(again)
	must(t, err)
	defer x.Close()
	if got := x.Versions(); !slices.Equal(got, []string{third.Manifest.Version, second.Manifest.Version, first.Manifest.Version}) {
		t.Errorf("versions %v", got)
	}
	if _, known := x.Page("20200101T000000Z", 0, 10); known {
		t.Error("something is known of a build that never was")
	}
}

// edit replaces text in a file of the sources.
func edit(t *testing.T, path string, change func(string) string) {
	t.Helper()
	body, err := os.ReadFile(path)
	must(t, err)
	after := change(string(body))
	if after == string(body) {
		t.Fatalf("%s is not changed", path)
	}
	must(t, os.WriteFile(path, []byte(after), 0o644))
}

// editZip does the same with the one member of a zip.
func editZip(t *testing.T, path string, change func(string) string) {
	t.Helper()
	members := unzip(t, path)
	for name, body := range members {
		members[name] = change(body)
	}
	writeZip(t, path, members)
}

// lines edits the lines of a text.
func lines(change func([]string) []string) func(string) string {
	return func(text string) string { return strings.Join(change(strings.Split(text, "\n")), "\n") }
}

// listOracle is what changed on the lists by EIN between two editions, by SQL.
func listOracle(t *testing.T, before, after *lists.Edition) (found []string) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	for _, x := range []struct{ name, table, state string }{
		{lists.BMF, lists.Masters, "'listed'"}, {lists.Pub78, lists.Deductibles, "'listed'"}, {lists.CAFTB, lists.FTBRecords, "'revoked'"},
		{lists.Revocation, lists.Revocations, "CASE WHEN bool_or(reinstatement_date IS NULL AND revocation_date > coalesce((SELECT max(r.reinstatement_date) FROM %[1]s r WHERE r.ein = t.ein), '')) THEN 'revoked' ELSE 'reinstated' END"},
	} {
		state := func(s *lists.Edition) string {
			file := "read_parquet('" + s.Path(x.table) + "')"
			word := x.state
			if strings.Contains(word, "%[1]s") {
				word = fmt.Sprintf(word, file)
			}
			return "SELECT ein, " + word + " AS state FROM " + file + " t WHERE ein IS NOT NULL GROUP BY ein"
		}
		rows, err := db.Query("SELECT coalesce(o.ein, n.ein), coalesce(o.state, ''), coalesce(n.state, 'delisted') FROM (" + state(before) + ") o FULL JOIN (" + state(after) + ") n ON o.ein = n.ein WHERE o.state IS DISTINCT FROM n.state")
		must(t, err)
		for rows.Next() {
			var e, was, is string
			must(t, rows.Scan(&e, &was, &is))
			found = append(found, strings.Join([]string{x.name, e, was, is}, " "))
		}
		must(t, rows.Err())
		rows.Close()
	}
	slices.Sort(found)
	return found
}

// TestEditions follows the lists over four editions: what the log says between any
// two of them is what their tables say, steps that cancel each other included.
func TestEditions(t *testing.T) {
	t.Parallel()
	sources, data := world.Small.CopySources(t), t.TempDir()
	at := func(path string) string { return filepath.Join(sources, filepath.FromSlash(path)) }
	clock := world.Built
	next := func() *lists.Edition {
		t.Helper()
		clock = clock.Add(24 * time.Hour)
		result, err := edition.Make(context.Background(), edition.Options{Sources: sources, Data: data, Now: func() time.Time { return clock },
			Indexers: listIndexers})
		must(t, err)
		if !result.Changed {
			t.Fatal("there is no new edition")
		}
		return result.Edition
	}
	first := next()
	var gone, back string
	editZip(t, at("pub78/data-download-pub78.zip"), lines(func(l []string) []string {
		i := slices.IndexFunc(l, func(s string) bool { return strings.Contains(s, "|") })
		gone = l[i]
		return append(slices.Delete(l, i, i+1), "000000019|Invented Shadow Trading|Dover|DE|United States|PC", "")
	}))
	editZip(t, at("revocation/data-download-revocation.zip"), lines(func(l []string) []string {
		i := slices.IndexFunc(l, func(s string) bool {
			return strings.HasSuffix(strings.TrimSpace(s), "|") && strings.Contains(s, "|US|")
		})
		l[i] = strings.TrimSpace(l[i]) + "01-OCT-2026"
		return append(l, "000000027|INVENTED CLUB||1 MAIN ST|DOVER|DE|19901-0000|US|03|15-MAY-2026|10-AUG-2026|", "")
	}))
	edit(t, at("careg/charities-may-operate.csv"), func(s string) string {
		return strings.Replace(s, "Current                                 ,", "Delinquent                              ,", 1)
	})
	second := next()
	edit(t, at("bmf/eo2.csv"), lines(func(l []string) []string { return slices.Delete(l, 1, 3) }))
	edit(t, at("caftb/revoked-exempt-organizations.csv"), lines(func(l []string) []string {
		return append(l, "9999999,INVENTED SOCIETY,OAKLAND,000000035,23701d,06/12/2026", "")
	}))
	edit(t, at("ofac/sdn.csv"), func(s string) string {
		return strings.TrimRight(s, "\x1a\r\n") + "\n999999,\"INVENTED SHADOW TRADING\",-0- ,\"EXAMPLE\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n"
	})
	third := next()
	editZip(t, at("pub78/data-download-pub78.zip"), func(s string) string { back = gone; return s + back + "\n" })
	bulletins, err := filepath.Glob(at("irb/*.html"))
	must(t, err)
	for _, b := range bulletins[:10] {
		must(t, os.Remove(b))
	}
	fourth := next()

	log, err := change.OpenLog(fourth.Snapshot)
	must(t, err)
	defer log.Close()
	all := []*lists.Edition{first, second, third, fourth}
	if got := log.Versions(); len(got) != 4 || got[0] != fourth.Manifest.Version || got[3] != first.Manifest.Version {
		t.Fatalf("editions %v", got)
	}
	// The first was pruned when the fourth was made; the third still says what
	// was different from it.
	for i, before := range all[1:3] {
		found, known := log.Since(before.Manifest.Version)
		if !known {
			t.Fatalf("edition %s is not known", before.Manifest.Version)
		}
		var got []string
		for _, c := range found.List {
			if c.EIN != 0 && c.List != lists.CARegistry && c.List != change.Matches {
				got = append(got, strings.Join([]string{c.List, c.EIN.String(), c.Was, c.Change}, " "))
			}
		}
		slices.Sort(got)
		if want := listOracle(t, before, fourth); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("since edition %d: %v; by SQL %v", i+2, got, want)
		}
	}
	whole, _ := log.Since(first.Manifest.Version)
	said := map[string]string{}
	for _, c := range whole.List {
		said[c.List+" "+c.Change] += c.EIN.String() + c.Name + c.Reference + ";"
	}
	for what, want := range map[string]string{
		"pub78 listed": "000000019;", "revocation revoked": "000000027;", "ca_ftb revoked": "000000035;", "ofac listed": "INVENTED SHADOW TRADING999999;",
		"matches potential_match": "000000019999999;",
	} {
		if said[what] != want {
			t.Errorf("%s: %q, want %q", what, said[what], want)
		}
	}
	if said["revocation reinstated"] == "" || said["ca_registry may_not_operate"] == "" || said["bmf delisted"] == "" || said["irb delisted"] == "" || said["pub78 delisted"] != "" {
		t.Errorf("%v", said)
	}
	for _, l := range whole.Lists {
		sum := 0
		for _, n := range l.Counts {
			sum += n
		}
		n := 0
		for _, c := range whole.List {
			if c.List == l.Name {
				n++
			}
		}
		if !l.Compared || sum != n {
			t.Errorf("%s: %d changes, and counts %v", l.Name, n, l.Counts)
		}
	}
	if now, known := log.Since(fourth.Manifest.Version); !known || len(now.List) != 0 {
		t.Errorf("since the edition itself: %v", now)
	}
	if got := log.At(second.Manifest.Version[:9] + "235959Z"); got != second.Manifest.Version {
		t.Errorf("at the end of that day the edition was %q", got)
	}
	if got := log.At("20000101T000000Z"); got != "" {
		t.Errorf("long ago the edition was %q", got)
	}
}
