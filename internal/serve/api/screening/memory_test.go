package screening_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot/lists"
)

// allocated is how many bytes a request takes in all, garbage included.
func allocated(t *testing.T, w *apitest.World, path, body string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.Send(t, "POST", "/api/v1/"+path, "plus", body)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMemory sends what looks most expensive for its bytes. It does not run
// beside other tests, which would be counted too.
func TestMemory(t *testing.T) {
	w := apitest.New(t)
	packed := func(doc string) string {
		var z bytes.Buffer
		to := zlib.NewWriter(&z)
		if _, err := to.Write([]byte(doc)); err != nil {
			t.Fatal(err)
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("1 0 obj\n<< /Type /EmbeddedFile /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n", z.Len(), z.String())
	}
	flat := "[" + strings.Repeat("1,", 1<<19-10) + "1]"
	odd := `"` + strings.TrimSpace(strings.Repeat("ab ", 99)) + `"`
	for name, c := range map[string]struct {
		path, body string
		most       uint64
	}{
		"flat lists":        {"screening/verify", flat, 16 << 20},
		"deep lists":        {"screening/verify", strings.Repeat("[", 1<<20), 16 << 20},
		"small objects":     {"screening/verify", "[" + strings.Repeat(`{"a":1},`, 1<<17-10) + "1]", 16 << 20},
		"a packed file":     {"screening/verify", "%PDF-1.7\n" + packed(flat), 20 << 20},
		"many packed files": {"screening/verify", "%PDF-1.7\n" + strings.Repeat(packed(flat), 300), 24 << 20},
		"spaces":            {"screening/verify", strings.Repeat(" ", 2<<20), 20 << 20},
		"items":             {"screening/bulk", "[" + strings.Repeat("1,", 30_000) + "1]", 4 << 20},
		"deep items":        {"screening/bulk", strings.Repeat("[", 60_000), 4 << 20},
		"names":             {"screening/names", `[` + odd + strings.Repeat(`,`+odd, 99) + `]`, 64 << 20},
		"fields of a name":  {"screening/names", `[{"name":"x"` + strings.Repeat(`,"a":1`, 40_000) + `}]`, 24 << 20},
	} {
		if n := allocated(t, w, c.path, c.body); n > c.most {
			t.Errorf("%s: %d bytes, at most %d", name, n, c.most)
		}
	}
}

// alike is a screener whose every entity resembles every organization.
func alike() *screen.Screener {
	const name = "EXEMPLARY GAP TRADING NAVIGATION SHIPPING AND PETROLEUM LOGISTICS COMPANY"
	r := &screen.Rows{}
	for n := range int64(50) {
		e := screen.Sanctioned{Sanction: lists.Sanction{Num: n, Name: name, Programs: []string{"EXAMPLE"}}, Names: []lists.SanctionName{{Num: n, Kind: "primary", Name: name}}}
		for range 9 {
			e.Places = append(e.Places, lists.SanctionPlace{Num: n, Street: strings.Repeat("s", 80), City: strings.Repeat("c", 60), Country: "Nowhere"})
		}
		r.Entities = append(r.Entities, e)
	}
	r.Masters = []lists.Master{{EIN: "000000001", Name: name, Subsection: "03", Foundation: "15"}}
	return screen.New(example.Lists(), r)
}

// TestBudget screens a hundred organizations at a time in little memory: what
// finds no room is refused and costs nothing, and nothing is held in the end.
func TestBudget(t *testing.T) {
	t.Parallel()
	const size = 80 << 20
	b := budget.New(size, budget.Options{Timer: func(time.Duration) (<-chan time.Time, func() bool) {
		over := make(chan time.Time)
		close(over)
		return over, func() bool { return false }
	}})
	w := apitest.New(t)
	w.Data.Screen = alike()
	w.Reopen(t, serve.API{Ring: example.Ring(), Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: w.Acquire, Budget: b, Clock: example.Now}})
	body := `{"reports":true,"eins":["000000001"` + strings.Repeat(`,"000000001"`, 99) + `]}`
	post := func() *httptest.ResponseRecorder { return w.Send(t, "POST", "/api/v1/screening/bulk", "plus", body) }
	rec := post()
	if rec.Code != 200 || w.Ledger.Calls("plus") != 1 {
		t.Fatalf("%d %.300s", rec.Code, rec.Body)
	}
	// What a hundred records take was held for them: each is a few times the
	// bytes of its part of the answer.
	if rec.Body.Len() < 5<<20 || int64(rec.Body.Len()) > 100*(256<<10) {
		t.Errorf("an answer of %d bytes", rec.Body.Len())
	}
	hold, err := b.Take(t.Context(), size/2)
	if err != nil {
		t.Fatal(err)
	}
	if rec := post(); rec.Code != 503 || w.Ledger.Calls("plus") != 1 || rec.Header().Get("Retry-After") == "" {
		t.Errorf("%d, %d calls: %.300s", rec.Code, w.Ledger.Calls("plus"), rec.Body)
	}
	hold.Release()
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}
