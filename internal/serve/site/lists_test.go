package site

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
)

var listAt = regexp.MustCompile(`^/lists/lst_[0-9A-Za-z]{12}$`)

// makes sends the form of a new list and returns the address of the list.
func (p *person) makes(name, file string) string {
	p.t.Helper()
	got := p.send("/lists", map[string]string{"csrf": p.csrf("/lists"), "name": name}, "grantees.csv", []byte(file))
	if at := got.header.Get("Location"); got.status == 303 && listAt.MatchString(at) {
		return at
	}
	p.t.Fatalf("%d %s", got.status, main(got.body))
	return ""
}

// TestLists makes, changes and deletes a list, and keeps everybody else out of it.
func TestLists(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	ann, bob := p.payer(t, "ann@example.org", account.Plus), p.payer(t, "bob@example.org", account.Free)
	want(t, p.visitor(t).get("/lists"), 303, "/signin?next=%2Flists")
	at := ann.makes("Grantees <2026>", "EIN,Name\n00-0000001,Maple & Co\n00-0000003,\n")
	want(t, ann.get(at), 200, "Added 2 organizations.")
	want(t, ann.get(at), 200, "Maple & Co")
	want(t, ann.get("/lists"), 200, "Grantees <2026>")
	for _, path := range []string{at, at + "/names", at + "/delete", at + "/run_000000000000", at + "/run_000000000000/results.csv"} {
		want(t, bob.get(path), 404, "")
	}
	want(t, ann.get(at+"/run_000000000000"), 404, "")
	csrf := url.Values{"csrf": {bob.csrf("/lists")}, "name": {"Mine"}, "at": {"1"}, "pasted": {"00-0000009"}, "list": {at[len("/lists/"):]}, "ein": {"000000009"}}
	for _, path := range []string{at, at + "/add", at + "/remove", at + "/delete", at + "/names", at + "/run_000000000000/delete", "/lists/add"} {
		want(t, bob.post(path, csrf), 404, "")
	}
	want(t, bob.post(at+"/screen", csrf), 402, "paid plan")
	want(t, ann.post(at+"/delete", url.Values{"csrf": {"none"}}), 403, "out of date")

	want(t, ann.fill(at, at, map[string]string{"name": "Renamed", "keep": "1"}), 303, at)
	want(t, ann.get(at), 200, "screenings of this list for ten years")
	want(t, ann.fill(at, at, map[string]string{"name": " "}), 422, "needs a name")
	want(t, ann.fill(at, at+"/remove", map[string]string{"at": "1"}), 303, at)
	want(t, ann.get(at), 200, "Removed 1 organization.")

	// From the page of an organization, and from a ranking.
	want(t, ann.get("/lists/add?ein=000000001,000000004,nonsense,"), 200, "00-0000004")
	token := ann.csrf("/lists/add?ein=000000001")
	want(t, ann.post("/lists/add", url.Values{"csrf": {token}, "ein": {"000000001", "000000004"}, "list": {at[len("/lists/"):]}}), 303, at)
	want(t, ann.get(at), 200, "Added 2 organizations.")
	made := ann.post("/lists/add", url.Values{"csrf": {token}, "ein": {"000000001"}, "name": {"Another"}})
	if made.status != 303 || !listAt.MatchString(made.header.Get("Location")) {
		t.Errorf("%d %s", made.status, main(made.body))
	}
	want(t, ann.get(at+"/delete"), 200, "Delete this list?")
	want(t, ann.fill(at, at+"/delete", nil), 303, "/lists")
	want(t, ann.get(at), 404, "")
}

// TestListSheets sends the spreadsheets that go wrong. Each has a page that says what to do.
func TestListSheets(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	ann := p.payer(t, "ann@example.org", account.Plus)
	at := ann.makes("Grantees", "")
	var long strings.Builder
	long.WriteString("EIN\n")
	for i := range 10_000 {
		fmt.Fprintf(&long, "%s\n", ein.EIN(70_000_001+i).Hyphenated())
	}
	send := func(file string, fields map[string]string) page {
		all := map[string]string{"csrf": ann.csrf(at)}
		for k, v := range fields {
			all[k] = v
		}
		return ann.send(at+"/add", all, "grantees.csv", []byte(file))
	}
	size := func(members int) {
		t.Helper()
		l, err := p.store.Lists(t.Context(), p.accountID(t, "ann@example.org"))
		if err != nil || l[0].Members != members {
			t.Errorf("%+v, %v; want %d members", l, err, members)
		}
	}
	for _, c := range []struct{ name, file, says string }{
		{"no EINs and no names", "city,amount\nDayton,5\nAkron,7\n", "We found no column of EINs"},
		{"10,000 rows", long.String(), "The sheet has 10000 rows; a list holds at most 5000 organizations."},
		{"two columns of EINs", "Sponsor EIN,Grantee EIN\n07-0000001,08-0000001\n07-0000002,08-0000002\n", "Several columns may have the EINs."},
		{"a workbook", "PK\x03\x04 and so on", "save it as CSV"},
		{"binary", "EIN\n\x00\x01\x02", "cannot read the file as a table"},
	} {
		got := send(c.file, nil)
		if got.status != 422 || !strings.Contains(got.body, c.says) && !strings.Contains(got.body, "cannot read the file as a table") {
			t.Errorf("%s: %d %s", c.name, got.status, main(got.body))
		}
	}
	size(0)

	// Two columns: the page asks which, and carries the file.
	asks := send("Sponsor EIN,Grantee EIN\n07-0000001,08-0000001\n07-0000002,08-0000002\n", nil)
	want(t, asks, 422, "2: Grantee EIN")
	kept := hidden.FindAllStringSubmatch(asks.body, -1)
	values := url.Values{"column": {"2"}}
	for _, m := range kept {
		values.Set(m[1], strings.ReplaceAll(m[2], "&#43;", "+"))
	}
	want(t, ann.post(at+"/add", values), 303, at)
	want(t, ann.get(at), 200, "08-0000002")
	size(2)

	// Names without EINs are added only when the visitor says so, and stay names.
	asks = send("Organization,City\nMaple Hollow Food Pantry,Springfield\nNobody At All,Akron\n", nil)
	want(t, asks, 422, "None: add names only")
	size(2)
	for _, m := range hidden.FindAllStringSubmatch(asks.body, -1) {
		values.Set(m[1], strings.ReplaceAll(m[2], "&#43;", "+"))
	}
	values.Set("column", "none")
	want(t, ann.post(at+"/add", values), 303, at)
	size(4)
	list := ann.get(at)
	want(t, list, 200, "Find EINs for names")
	if strings.Contains(list.body, "00-0000001") {
		t.Error("a name was taken for an EIN")
	}

	// What has no readable EIN is shown and not added; the rest is.
	some := send("EIN;Name\n07-0000009;A\noops;B\n;C\n", nil)
	want(t, some, 200, "line 3: <code>oops</code>")
	want(t, some, 200, "Added 2 organizations.")
	size(6)
	pasted := ann.post(at+"/add", url.Values{"csrf": {ann.csrf(at)}, "pasted": {"07-0000010, 07-0000011;\n070000010\n"}})
	want(t, pasted, 303, at)
	want(t, ann.get(at), 200, "Added 2 organizations. The list had 1 organization of yours already.")
}

// accountID is the ID of an account.
func (p *place) accountID(t *testing.T, email string) string {
	t.Helper()
	a, err := p.store.AccountOf(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

// TestListNames offers who may be meant by a name, and takes nobody who was not chosen.
func TestListNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	ann := p.payer(t, "ann@example.org", account.Plus)
	set, release := p.Acquire()
	defer release()
	found := set.Search.Find("county library", "", 1)
	if len(found) == 0 {
		t.Fatal("nobody to look for")
	}
	at := ann.makes("Grantees", "EIN,Name\n,"+strings.ReplaceAll(found[0].Name, ",", " ")+"\n,Zzyzx Qwrtp Bvnm\n")
	asks := ann.get(at + "/names")
	want(t, asks, 200, found[0].EIN.Hyphenated())
	want(t, asks, 200, "probability")
	want(t, asks, 200, "We found no organization with this name.")
	if strings.Count(asks.body, " checked> Leave it as a name") != 2 {
		t.Errorf("somebody is chosen already: %s", main(asks.body))
	}
	want(t, ann.fill(at+"/names", at+"/names", map[string]string{"who-1": "", "who-2": "nonsense"}), 303, at)
	want(t, ann.get(at), 200, "Gave 0 organizations an EIN.")
	want(t, ann.fill(at+"/names", at+"/names", map[string]string{"who-1": found[0].EIN.String()}), 303, at)
	want(t, ann.get(at), 200, found[0].EIN.Hyphenated())
}

// TestListScreened screens a list of two parts and reads every file of the results.
func TestListScreened(t *testing.T) {
	t.Parallel()
	p := newPlace(t, withLists)
	ann := p.payer(t, "ann@example.org", account.Plus)
	var file strings.Builder
	file.WriteString("EIN,Name\n00-0000001,\n00-0000002,\n00-0000003,=1+1\n,Zarvonia Petroleum Trading Co\n,Quiet Village Choir\n")
	for i := range 96 {
		fmt.Fprintf(&file, "%s,\n", ein.EIN(70_000_001+i).Hyphenated())
	}
	at := ann.makes("Grantees", file.String())
	before := p.left(t, "ann@example.org")
	values := url.Values{"csrf": {ann.csrf(at)}}
	for _, says := range []string{"100 of 101", "Download all reports"} {
		got := ann.post(at+"/screen", values)
		run := got.header.Get("Location")
		shown := ann.get(run)
		if got.status != 303 || !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(shown.body, "<b>", ""), "</b>", ""), says) {
			t.Fatalf("%d %s: %s", got.status, run, main(shown.body))
		}
		values.Set("run", run[strings.LastIndexByte(run, '/')+1:])
	}
	if spent := before - p.left(t, "ann@example.org"); spent != 2 {
		t.Errorf("%d calls were charged", spent)
	}
	run := at + "/" + values.Get("run")
	want(t, ann.post(at+"/screen", values), 303, run)
	if spent := before - p.left(t, "ann@example.org"); spent != 2 {
		t.Errorf("%d calls were charged after the end", spent)
	}
	want(t, ann.get(run), 200, "96 with an EIN that is on no list")
	want(t, ann.get(run+"?part=1"), 200, "Page 2 of 2")
	want(t, ann.get(run+"?part=-7"), 200, "Zarvonia Petroleum Trading Co")
	want(t, ann.get(run+"/results.doc"), 404, "")
	want(t, ann.get(at), 200, "this list for one day")

	rows, err := csv.NewReader(strings.NewReader(ann.get(run + "/results.csv").body)).ReadAll()
	if err != nil || len(rows) != 102 || rows[1][0] != "00-0000001" || rows[3][1] != "'=1+1" || rows[4][3] != "Look closer" ||
		rows[5][3] != "Name only: no sanctions match" {
		t.Fatalf("%d rows, %v: %q", len(rows), err, rows[:6])
	}
	if book := ann.get(run + "/results.xlsx"); book.status != 200 || !strings.HasPrefix(book.body, "PK") {
		t.Errorf("%d", book.status)
	}
	sent := ann.get(run + "/reports.zip")
	z, err := zip.NewReader(bytes.NewReader([]byte(sent.body)), int64(len(sent.body)))
	if err != nil || len(z.File) != 2*101+1 || sent.header.Get("Content-Type") != "application/zip" {
		t.Fatalf("%v, %s", err, sent.header.Get("Content-Type"))
	}
	keys, err := p.Ring.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) []byte {
		t.Helper()
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if index := string(open("index.csv")); strings.Count(index, "\n") != 102 || !strings.Contains(index, ",3-000000003,") {
		t.Errorf("%.500s", index)
	}
	for _, name := range []string{"3-000000003", "4-name", "101-070000096"} {
		for _, kind := range []string{".json", ".pdf"} {
			v, err := report.Verify(t.Context(), open("reports/"+name+kind), keys)
			if err != nil || v.Status() != report.Valid {
				t.Errorf("%s%s: %+v, %v", name, kind, v, err)
			}
		}
	}
	want(t, ann.fill(run, run+"/delete", nil), 303, at)
	want(t, ann.get(run), 404, "")
}
