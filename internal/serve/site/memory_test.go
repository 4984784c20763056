package site

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/site/result"
	"grantgraph/internal/serve/sqlbox"
)

// TestBusy asks for pages while no memory is left.
func TestBusy(t *testing.T) {
	t.Parallel()
	b := budget.New(64<<20, budget.Options{Timer: func(time.Duration) (<-chan time.Time, func() bool) {
		over := make(chan time.Time)
		close(over)
		return over, func() bool { return false }
	}})
	p := newPlace(t, func(c *Config) { c.Budget = b })
	get := func(path string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		p.ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
		return rec
	}
	hold, err := b.Take(t.Context(), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	hold.Resize(64 << 20)
	for _, path := range []string{"/"} {
		if rec := get(path); rec.Code != 503 || rec.Header().Get("Retry-After") == "" || !strings.Contains(rec.Body.String(), "try again") {
			t.Errorf("%s: %d %v %.300s", path, rec.Code, rec.Header(), rec.Body)
		}
	}
	// A form is refused when its first bytes arrive. On a page for members, strangers
	// are refused before the form is read.
	for path, want := range map[string]int{"/verify": 503, "/sql": 503, "/lists": 303, "/check/pdf": 303} {
		var form io.Reader = strings.NewReader("q=1")
		if want == 303 {
			form = iotest.ErrReader(errors.New("it was read"))
		}
		r, rec := httptest.NewRequest("POST", path, form), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		p.ServeHTTP(rec, r)
		if rec.Code != want || (rec.Header().Get("Retry-After") != "") != (want == 503) {
			t.Errorf("%s: %d %.300s", path, rec.Code, rec.Body)
		}
	}
	if rec := get("/data"); rec.Code != 200 { // does not use the graph
		t.Errorf("/data: %d", rec.Code)
	}
	hold.Release()
	for _, path := range []string{"/"} {
		if rec := get(path); rec.Code != 200 {
			t.Errorf("%s: %d %.300s", path, rec.Code, rec.Body)
		}
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}

// stuck is a form that is long and stays unfinished until it may end.
type stuck struct {
	left       int
	asked, end chan struct{}
}

func (s *stuck) Read(b []byte) (int, error) {
	if s.left == 0 {
		s.asked <- struct{}{}
		<-s.end
		return 0, io.EOF
	}
	n := min(len(b), s.left)
	s.left -= n
	return copy(b, strings.Repeat("x", n)), nil
}

// TestGreedyMember sends long forms with the session of a free account, which anybody
// can have, from three networks. Who pays is served.
func TestGreedyMember(t *testing.T) {
	t.Parallel()
	const size = 256 << 20
	b := budget.New(size, budget.Options{Timer: immediately})
	p := newPlace(t, withLists, func(c *Config) { c.Budget = b })
	plus, free := p.payer(t, "plus@example.org", account.Plus), p.member(t, "free@example.org")
	csrf := plus.csrf("/lists")
	asked, end, done, open := make(chan struct{}), make(chan struct{}), make(chan struct{}), 0
	for i := range 96 {
		r := httptest.NewRequest("POST", "/check/pdf", &stuck{int(reportForm.most) - 1, asked, end})
		r.ContentLength = reportForm.most
		r.RemoteAddr = fmt.Sprintf("10.0.%d.1:1000", i%3)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		for name, value := range free.cookies {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		go func() { p.ServeHTTP(httptest.NewRecorder(), r); done <- struct{}{} }()
		select {
		case <-asked:
			open++
		case <-done: // refused
		}
	}
	defer func() {
		close(end)
		for range open {
			<-done
		}
		if b.Held() != 0 {
			t.Errorf("%d bytes are held in the end", b.Held())
		}
	}()
	if held := b.Held(); held == 0 || held > size/8 {
		t.Errorf("a free account holds %d bytes", held)
	}
	want(t, plus.post("/check/000000003", url.Values{"csrf": {csrf}}), 200, "Download PDF")
}

// TestWeightOfScreening checks that the screening pages allocate no more than they
// reserve. It runs alone, so that only its own allocations count.
func TestWeightOfScreening(t *testing.T) {
	p := newPlace(t, withLists)
	plus := p.payer(t, "plus@example.org", account.Plus)
	csrf := plus.csrf("/lists")
	allocated := func(name string, held int64, f func()) {
		f() // fill the caches first
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		got := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: %d KB of %d KB", name, got>>10, held>>10)
		if got > held {
			t.Errorf("%s allocates %d bytes and holds %d", name, got, held)
		}
	}
	var result page
	allocated("a record", weightCheck, func() {
		result = plus.post("/check/000000003", url.Values{"csrf": {csrf}})
		want(t, result, 200, "Download PDF")
	})
	list := plus.makes("Grantees", "EIN\n")
	var eins strings.Builder
	eins.WriteString("EIN,name\n")
	for i := range 99 {
		fmt.Fprintf(&eins, "%09d,x\n", 120000001+i)
	}
	long := append([]byte(eins.String()), bytes.Repeat([]byte(",\n"), (mostSheet-eins.Len())/2)...)
	// What the test itself sends counts too.
	allocated("a spreadsheet", 3*listForm.most+8*mostSheet, func() {
		want(t, plus.send(list+"/add", map[string]string{"csrf": csrf}, "x.csv", long), 422, "holds at most 5000")
	})
	back := url.Values{"csrf": {csrf}, "report": {posted(t, result)}}
	var pdf page
	allocated("a PDF", weightPDF+3*reportForm.most, func() {
		pdf = plus.post("/check/pdf", back)
		want(t, pdf, 200, "%PDF")
	})
	anybody := p.visitor(t)
	csrf = anybody.csrf("/verify")
	for name, document := range map[string][]byte{
		"the report": data(t, result, "application/json"), "its PDF": []byte(html.UnescapeString(pdf.body)),
		"nothing but brackets": bytes.Repeat([]byte("["), 1<<20), "nothing but numbers": []byte("[" + strings.Repeat("1,", 1<<19-2) + "1]"),
		"a long garbage": append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("1 0 obj << >> stream\n"), mostReport/22)...),
	} {
		allocated("verifying "+name, weightVerify+weightDocument*int64(len(document))+3*verifyForm.most+4*int64(len(document)), func() {
			anybody.send("/verify", map[string]string{"csrf": csrf}, "x", document)
		})
	}
}

// TestWeightOfSQL checks that the largest results allocate no more than the SQL
// page reserves. It runs alone, too.
func TestWeightOfSQL(t *testing.T) {
	p := newPlace(t, withSQL(t))
	plus := p.payer(t, "plus@example.org", account.Plus)
	csrf := plus.csrf("/sql")
	columns := make([]string, 60)
	for i := range columns {
		columns[i] = fmt.Sprintf("repeat('<', 30) AS c%d", i)
	}
	for name, sql := range map[string]string{
		"long texts":      "SELECT repeat('x', 7800) AS name, i AS n, 2000 + i % 20 AS tax_year FROM range(2000) r(i)",
		"many columns":    "SELECT " + strings.Join(columns, ", ") + " FROM range(1400)",
		"many small ones": "SELECT i AS a, i AS b, i AS c, i AS d, i AS e, i AS f, i AS g, i AS h, i AS j, i AS k FROM range(2000) r(i)",
	} {
		fields := url.Values{"csrf": {csrf}, "q": {sql}}
		want(t, plus.post("/sql", fields), 200, "rows")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		got := plus.post("/sql", fields)
		runtime.ReadMemStats(&after)
		took, held := int64(after.TotalAlloc-before.TotalAlloc), int64(sqlbox.Held+result.Weight)
		took -= 3 * int64(len(got.body)) // what the test itself keeps of the page
		t.Logf("%s: %d KB of %d KB, a page of %d KB", name, took>>10, held>>10, len(got.body)>>10)
		if took > held {
			t.Errorf("%s allocates %d bytes and holds %d", name, took, held)
		}
	}
}
