package sqlbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/warehouse"
)

// RunTests runs the tests of this package with a driver, which only the external
// test package can import. The test program is a worker when it is started as one,
// as the program itself is.
func RunTests(m *testing.M, driver Driver) int {
	testDriver = driver
	switch {
	case len(os.Args) == 2 && os.Args[1] == "sql-worker":
		return Work(os.Stdin, os.Stdout, driver)
	case len(os.Args) == 3 && os.Args[1] == "odd-worker":
		oddWorker(os.Args[2])
		return 0
	case len(os.Args) == 2 && os.Args[1] == "confined":
		probe()
		return 0
	}
	startTimeout = time.Hour
	return world.Main(m)
}

var testDriver Driver

// box is a warehouse of the world in a Box of its own.
func box(t testing.TB, opt Options) *Warehouse {
	t.Helper()
	if opt.Workers == 0 {
		opt.Workers = 2
	}
	// Whatever is not about time has all of it, however busy the machine.
	opt.Timeout, opt.Wait = cmp.Or(opt.Timeout, time.Hour), cmp.Or(opt.Wait, time.Hour)
	if opt.Log == nil {
		opt.Log = slog.New(slog.NewTextHandler(testWriter{t}, nil))
	}
	b, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	b.gateTime = time.Hour // what is read is bounded by work, however busy the machine
	w, err := b.Open(world.Small.Snapshot(t).Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// testWriter lets a test show the log of its box.
type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// slug is the slug of an error, or the error itself.
func slug(err error) string {
	if err == nil {
		return ""
	}
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return err.Error()
}

func rows(r *Result) string {
	b, err := json.Marshal(r.Rows)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	for _, c := range []struct{ sql, want string }{
		{"SELECT 1 AS a, 'x' AS b, NULL AS c", `[{"a":1,"b":"x","c":null}]`},
		{"select true AS t, 1.50::DECIMAL(9,2) AS d, 170141183460469231731687303715884105727 AS h, 9223372036854775807 AS big", `[{"t":true,"d":1.5,"h":170141183460469231731687303715884105727,"big":9223372036854775807}]`},
		{"SELECT DATE '2020-02-29' AS d, TIMESTAMP '2020-02-29 10:11:12.5' AS ts, TIME '01:02:03' AS t, INTERVAL 1 MONTH AS i", `[{"d":"2020-02-29","ts":"2020-02-29T10:11:12.5","t":"01:02:03","i":"P1M0DT0S"}]`},
		{"SELECT [1, NULL, 3] AS l, {'a': 1, 'b': [DATE '2020-01-01']} AS s, MAP {'k': 2} AS m, 'ab'::BLOB AS y", `[{"l":[1,null,3],"s":{"a":1,"b":["2020-01-01"]},"m":{"k":2},"y":"YWI="}]`},
		{"SELECT 'NaN'::DOUBLE AS n, 0.1::DOUBLE AS f, 1e20::DOUBLE AS g, 5::DOUBLE AS w, '-inf'::FLOAT AS i", `[{"n":"NaN","f":0.1,"g":1e+20,"w":5,"i":"-Infinity"}]`},
		{"SELECT 'f47ac10b-58cc-4372-a567-0e02b2c3d479'::UUID AS u, '<é\"\n>' AS t", `[{"u":"f47ac10b-58cc-4372-a567-0e02b2c3d479","t":"\u003cé\"\n\u003e"}]`},
		{"SELECT {'z': DATE '2020-01-02', 'a': TIMESTAMP '2020-01-02 03:04:05', 't': TIME '06:07:08', 'u': 'f47ac10b-58cc-4372-a567-0e02b2c3d479'::UUID} AS s", `[{"s":{"z":"2020-01-02","a":"2020-01-02T03:04:05","t":"06:07:08","u":"f47ac10b-58cc-4372-a567-0e02b2c3d479"}}]`},
		{"SELECT [{'a \"b\", DATE': TIMESTAMP '2020-01-02 03:04:05'}] AS l, MAP {DATE '2020-01-02': [TIME '03:04:05']} AS m, [[1.5::DECIMAL(9, 2)]] AS n, union_value(d := DATE '2020-01-02') AS u", `[{"l":[{"a \"b\", DATE":"2020-01-02T03:04:05"}],"m":{"2020-01-02":["03:04:05"]},"n":[[1.5]],"u":"2020-01-02"}]`},
		{"SELECT DATE 'infinity' AS a, TIMESTAMP '-infinity' AS b, TIMETZ '01:02:03+01:00' AS c, ['infinity'::TIMESTAMPTZ] AS d, json('{\"b\": [1], \"a\": null}') AS e", `[{"a":"infinity","b":"-infinity","c":"00:02:03Z","d":["infinity"],"e":{"b":[1],"a":null}}]`},
		{"SELECT to_json(9007199254740993) AS j, {'a': to_json(9007199254740993), 'd': 1.5::DECIMAL(9,2), 't': 'infinity'::TIMESTAMPTZ} AS s, [json('{\"z\":1,\"a\":123456789012345678901234567890}')] AS l, 2 AS l", `[{"j":9007199254740993,"s":{"a":9007199254740993,"d":1.5,"t":"infinity"},"l":[{"z":1,"a":123456789012345678901234567890}],"l_1":2}]`},
		{"SELECT json('{\"a\":1, \"a\":2}') AS twice, to_json('nan'::DOUBLE) AS n, NULL::JSON AS none, to_json('x') AS t, MAP {'k': json('1e400')} AS m", `[{"twice":{"a":1,"a":2},"n":"NaN","none":null,"t":"x","m":{"k":1e400}}]`},
		{"SELECT 1e400 AS a, -1e400 AS b, 'x\"value\":Infinity' AS c, 1e-400 AS d", `[{"a":"Infinity","b":"-Infinity","c":"x\"value\":Infinity","d":0}]`},
		{"SELECT 'infinity'::TIMESTAMP_S AS a, '-infinity'::TIMESTAMP_MS AS b, 'infinity'::TIMESTAMP_NS AS c, '-infinity'::TIMESTAMPTZ AS d, {'x': ['-infinity'::TIMESTAMP_S]} AS e, '-infinity'::TIMESTAMP_NS AS f", `[{"a":"infinity","b":"-infinity","c":"infinity","d":"-infinity","e":{"x":["-infinity"]},"f":"-infinity"}]`},
		{"SELECT TIMESTAMP '290000-01-01' AS a, DATE '290000-01-01' AS b, TIMESTAMP '0044-03-15 (BC) 00:00:00' AS c, DATE '0001-01-01 (BC)' AS d, '2020-01-01'::TIMESTAMP_S AS e", `[{"a":"290000-01-01T00:00:00","b":"290000-01-01","c":"-0043-03-15T00:00:00","d":"0000-01-01","e":"2020-01-01T00:00:00"}]`},
		{"SELECT to_microseconds(9223372036854775807) AS i, INTERVAL '-1 second' AS j, INTERVAL '1.5 seconds' AS k", `[{"i":"P0M0DT9223372036854.775807S","j":"P0M0DT-1S","k":"P0M0DT1.5S"}]`},
		{"SELECT from_json('{\"a\": [1], \"d\": 1.5}', '{\"a\": [\"BIGINT\"], \"d\": \"DECIMAL(9,2)\"}') AS x", `[{"x":{"a":[1],"d":1.5}}]`},
		{"WITH t AS (SELECT * FROM range(3) r(n)) SELECT n FROM t ORDER BY n DESC; -- done", `[{"n":2},{"n":1},{"n":0}]`},
		{"WITH RECURSIVE f AS (SELECT 1 AS n UNION ALL SELECT n * 2 FROM f WHERE n < 5) SELECT max(n) AS m FROM f", `[{"m":8}]`},
		{"SELECT E'a\\';b' AS s, $$x;'y$$ AS t /* ; */", `[{"s":"a';b","t":"x;'y"}]`},
		{"SELECT\u00a01\u00a0AS a", `[{"a":1}]`}, // pasted from a page
		{"SELECT count(*) > 1000 AS many FROM grants", `[{"many":true}]`},
		{"SELECT find_org('zzqqxx vvkk') AS none, find_org(NULL) AS nothing", `[{"none":null,"nothing":null}]`},
		{"DESCRIBE pub78", `[{"column_name":"ein","column_type":"VARCHAR","null":"NO","key":null,"default":null,"extra":null},{"column_name":"deductibility_codes","column_type":"VARCHAR","null":"NO","key":null,"default":null,"extra":null}]`},
		{"SELECT 1 AS a, 2 AS a", `[{"a":1,"a_1":2}]`},
		{"SELECT a.x FROM (SELECT 1 AS x) a POSITIONAL JOIN (SELECT 2 AS x) b", `[{"x":1}]`},
		{"SELECT x FROM (VALUES (3), (1), (2)) v(x) ORDER BY x", `[{"x":1},{"x":2},{"x":3}]`},
	} {
		r, err := b.Query(t.Context(), Request{SQL: c.sql})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := rows(r); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
		if r.Truncated {
			t.Errorf("%s is truncated", c.sql)
		}
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	for n, truncated := range map[int]bool{1999: false, 2000: false, 2001: true, 100000: true} {
		r, err := b.Query(t.Context(), Request{SQL: fmt.Sprintf("SELECT n FROM range(%d) t(n) ORDER BY n DESC", n)})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Rows) != min(n, 2000) || r.Truncated != truncated || string(r.Rows[0]) != fmt.Sprintf(`{"n":%d}`, n-1) {
			t.Errorf("%d rows of %d, truncated %v, first %s", len(r.Rows), n, r.Truncated, r.Rows[0])
		}
	}
	_, err := b.Query(t.Context(), Request{SQL: "SELECT repeat('x', 20000) AS s FROM range(2000)"})
	if slug(err) != TooLarge {
		t.Errorf("%v", err)
	}
}

// TestManyParams checks that too many values are refused before all are read.
func TestManyParams(t *testing.T) {
	for _, text := range []string{"[1" + strings.Repeat(",1", 500_000) + "]", `{"a":1` + strings.Repeat(`,"a":1`, 100_000) + "}", "[[1" + strings.Repeat(",1", 500_000) + "]]"} {
		var p Params
		if err := json.Unmarshal([]byte(text), &p); slug(err) != Rejected {
			t.Errorf("%.20s…: %v", text, err)
		}
		if n := testing.AllocsPerRun(1, func() { _ = json.Unmarshal([]byte(text), &p) }); n > 30*maxParams {
			t.Errorf("%.20s… takes %.0f allocations", text, n)
		}
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	for _, c := range []struct{ sql, params, want, slug string }{
		{"SELECT ?::INT + ?::INT AS s", `[1, 2]`, `[{"s":3}]`, ""},
		{"SELECT $1::VARCHAR AS a, $1::VARCHAR AS b", `["x'; DROP TABLE grants; --"]`, `[{"a":"x'; DROP TABLE grants; --","b":"x'; DROP TABLE grants; --"}]`, ""},
		{"SELECT $who::VARCHAR AS a, $n::DOUBLE AS n", `{"who": "y", "n": 1.5}`, `[{"a":"y","n":1.5}]`, ""},
		{"SELECT count(*) AS n FROM grants WHERE funder_ein = ? AND amount > ?", `["no", 9007199254740993]`, `[{"n":0}]`, ""},
		{"SELECT ? AS a, ? AS b, ? AS c", `[12345678901234567890, -12345678901234567890123, 1e3]`, `[{"a":12345678901234567890,"b":-12345678901234567890123,"c":1000}]`, ""},
		{"SELECT to_json(?::BIGINT) AS j", `[9007199254740993]`, `[{"j":9007199254740993}]`, ""},
		{"SELECT $1::DOUBLE AS a, $2::DOUBLE AS b", `[1e400, -1e400]`, `[{"a":"Infinity","b":"-Infinity"}]`, ""},
		{"SELECT ?::INT AS s", `[]`, "", Rejected},
		{"SELECT 1", `[1]`, "", Rejected},
		{"SELECT $a::INT", `{"b": 1}`, "", Rejected},
		{"SELECT $a::INT AS a", `{"a": 1, "b": 1}`, "", Rejected},
		{"SELECT ?::BOOLEAN AS a, ?::INT AS b", `[true, null]`, `[{"a":true,"b":null}]`, ""},
		{"SELECT * FROM find_org(?) LIMIT 0", `["x"]`, `[]`, ""},
		{"SELECT * FROM find_org(?)", `[null]`, `[]`, ""},
	} {
		var p Params
		if err := json.Unmarshal([]byte(c.params), &p); err != nil {
			t.Fatal(err)
		}
		r, err := b.Query(t.Context(), Request{SQL: c.sql, Params: p})
		if slug(err) != c.slug {
			t.Errorf("%s %s: %v", c.sql, c.params, err)
		} else if err == nil && rows(r) != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.sql, c.params, rows(r), c.want)
		}
	}
	for _, bad := range []string{`"x"`, `[[1]]`, `{"a": {}}`, `1`} {
		var p Params
		if err := json.Unmarshal([]byte(bad), &p); err == nil {
			t.Errorf("%s is taken as parameters", bad)
		}
	}
}

// TestExamples runs every example of the warehouse, on both plans.
func TestExamples(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	for _, v := range warehouse.Views() {
		for _, e := range v.Examples {
			if _, err := b.Query(t.Context(), Request{SQL: e.SQL, Pro: true}); err != nil {
				t.Errorf("%s, %q: %v", v.Name, e.Question, err)
			}
			want := ""
			if v.Pro {
				want = ProTable
			}
			if _, err := b.Query(t.Context(), Request{SQL: e.SQL}); slug(err) != want {
				t.Errorf("%s, %q on a lesser plan: %v", v.Name, e.Question, err)
			}
		}
	}
}

func TestFindOrg(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	r, err := b.Query(t.Context(), Request{SQL: "SELECT funder_ein, name FROM funder_kind ORDER BY total_out DESC LIMIT 1"})
	if err != nil {
		t.Fatal(err)
	}
	var top struct {
		EIN  string `json:"funder_ein"`
		Name string `json:"name"`
	}
	if err := json.Unmarshal(r.Rows[0], &top); err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(strings.ToLower(top.Name), "'", "''")
	r, err = b.Query(t.Context(), Request{SQL: "SELECT DISTINCT funder_ein AS ein FROM grants WHERE funder_ein = find_org('" + name + "')"})
	if err != nil || rows(r) != `[{"ein":"`+top.EIN+`"}]` {
		t.Errorf("%s: %v %v", name, r, err)
	}
	r, err = b.Query(t.Context(), Request{SQL: "SELECT ein, name, score FROM find_org('" + name + "')"})
	if err != nil || len(r.Rows) == 0 || !strings.Contains(string(r.Rows[0]), top.EIN) {
		t.Errorf("%s: %v %v", name, r, err)
	}
	// Much of what it knows of some organizations is nothing.
	var all strings.Builder
	for _, word := range []string{"foundation", "county library", "food bank", "church"} {
		r, err := b.Query(t.Context(), Request{SQL: "SELECT * FROM find_org('" + word + "')"})
		if err != nil {
			t.Fatalf("the candidates for %s: %v", word, err)
		}
		n, err := b.Query(t.Context(), Request{SQL: "SELECT count(*) AS n FROM find_org('" + word + "')"})
		if want := fmt.Sprintf(`[{"n":%d}]`, len(r.Rows)); err != nil || rows(n) != want {
			t.Errorf("%s: %v %v, want %s", word, n, err, want)
		}
		all.WriteString(rows(r))
	}
	for _, nobody := range []string{"NULL", "''", "nullif('a', 'a')", "NULL::VARCHAR"} {
		if r, err := b.Query(t.Context(), Request{SQL: "SELECT * FROM find_org(" + nobody + ")"}); err != nil || len(r.Rows) != 0 || len(r.Columns) != 9 {
			t.Errorf("the candidates for %s: %v %v", nobody, r, err)
		}
	}
	for _, want := range []string{`"ntee_cd":null`, `"revenue":null`} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no candidate has %s; the test shows nothing", want)
		}
	}
	r, err = b.Query(t.Context(), Request{SQL: "SELECT count(*) AS n FROM (SELECT find_org(name) AS e, funder_ein FROM funder_kind LIMIT 50) WHERE e = funder_ein"})
	if err != nil {
		t.Error(err)
	} else {
		t.Logf("found by their own names: %s of 50", r.Rows[0])
	}
}

// TestSwap asks two warehouses of one box, one of which goes away, as the
// questions to it have ended.
func TestSwap(t *testing.T) {
	t.Parallel()
	old := box(t, Options{Queue: 100})
	next, err := old.box.Open(world.Small.Snapshot(t).Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	for _, w := range []*Warehouse{old, next} {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 10 {
					if _, err := w.Query(t.Context(), Request{SQL: "SELECT count(*) FROM grants"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		old.Close()
	}
	if _, err := old.Query(t.Context(), Request{SQL: "SELECT 1"}); slug(err) != Unavailable {
		t.Errorf("a closed warehouse says %v", err)
	}
	if _, err := old.box.Open(t.TempDir()); slug(err) != "no_warehouse" {
		t.Error(err)
	}
}

// endless is a query that no machine comes to the end of: it counts to nine
// quintillion.
const endless = "SELECT count(*) FROM range(9000000000000000000)"

// running is how many places to run are taken.
func running(b *Warehouse) int {
	n, _ := b.box.runs.state()
	return n
}

// TestCrowd checks who waits, who is sent away and that all is given back.
func TestCrowd(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Workers: 1, Queue: 1, Wait: 50 * time.Millisecond, PerOwner: 1, Timeout: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan error, 1)
	go func() {
		_, err := b.Run(ctx, Request{SQL: endless, Owner: "k"})
		started <- err
	}()
	for running(b) == 0 {
		runtime.Gosched()
	}
	if _, err := b.Run(t.Context(), Request{SQL: "SELECT 1", Owner: "k"}); slug(err) != Concurrent {
		t.Errorf("a second query of a key: %v", err)
	}
	if _, err := b.Run(t.Context(), Request{SQL: "SELECT 1", Owner: "other"}); slug(err) != Busy {
		t.Errorf("while the only worker is at work: %v", err)
	}
	cancel()
	if err := <-started; err == nil {
		t.Error("an abandoned query has an answer")
	}
	if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1", Owner: "k"}); err != nil {
		t.Errorf("after an abandoned query: %v", err)
	}
	b.box.opt.Timeout = time.Second
	if _, err := b.Query(t.Context(), Request{SQL: endless, Owner: "k"}); slug(err) != TimedOut {
		t.Errorf("a slow query: %v", err)
	}
}

// TestDeath kills workers: idle ones, which nobody may notice, and one in the
// middle of a query.
func TestDeath(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Workers: 1, Log: slog.New(slog.DiscardHandler)})
	for range 3 {
		for _, l := range []*pool{b.box.gates, b.open} {
			l.mu.Lock()
			for _, p := range l.idle {
				if err := p.cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
				<-p.gone
			}
			l.mu.Unlock()
		}
		if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1"}); err != nil {
			t.Errorf("after the idle workers were killed: %v", err)
		}
	}
	l := b.open
	p, err := l.get()
	if err != nil {
		t.Fatal(err)
	}
	l.put(p)
	done := make(chan error, 1)
	go func() {
		_, err := b.Run(t.Context(), Request{SQL: endless})
		done <- err
	}()
	for running(b) == 0 {
		runtime.Gosched()
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := <-done; slug(err) != OutOfMemory {
		t.Errorf("a query whose worker was killed: %v", err)
	}
	if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1"}); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// TestOrder checks that the limit around a query leaves its order alone.
func TestOrder(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	r, err := b.Query(t.Context(), Request{SQL: "SELECT amount, row_number() OVER (ORDER BY amount DESC, funder_ein, recipient_raw) AS place FROM grants ORDER BY place"})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		var got struct{ Place int }
		if err := json.Unmarshal(row, &got); err != nil || got.Place != i+1 {
			t.Fatalf("row %d is %s: %v", i, row, err)
		}
	}
}

func TestWorkerNonsense(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "\xff\xff\xff\xff", "\x00\x00\x00\x01x", "\x00\x00\x00\x10{\"Role\":\"other\"}"} {
		var out strings.Builder
		if code := Work(strings.NewReader(in), &out, testDriver); code == 0 {
			t.Errorf("%q is taken as an order", in)
		}
	}
	if _, err := spawn([]string{os.Args[0], "sql-worker"}, hello{Role: roleRunner, Dir: t.TempDir(), Memory: 1 << 30, Threads: 1}, time.Hour); err == nil {
		t.Error("a worker without a warehouse starts")
	}
}

// TestWorn checks which workers are of no more use after a statement.
func TestWorn(t *testing.T) {
	t.Parallel()
	db, conn, err := openEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct {
		name   string
		err    error
		broken bool
	}{
		{"all well", nil, false},
		{"refused", reject("x"), false},
		{"stopped in time", timedOut(), false},
		{"out of memory", outOfMemory(), true}, // what it keeps is missing to the next
	} {
		if a := replyFor(nil, c.err, conn); a.Broken != c.broken {
			t.Errorf("%s: broken is %v", c.name, a.Broken)
		}
	}
	conn.Close()
	if a := replyFor(nil, reject("x"), conn); !a.Broken {
		t.Error("an engine that does not answer is kept")
	}
	if err := bind(t.Context(), conn, "SELECT 1"); !errors.Is(err, errBroken) {
		t.Errorf("an engine that fails to bind a statement in a way nobody knows is kept: %v", err)
	}
}

// oddWorker is a worker that is asked a statement and dies, is silent, or says
// that its engine broke and would take another all the same.
func oddWorker(how string) {
	var h hello
	if readFrame(os.Stdin, maxRequest, &h) != nil {
		return
	}
	body, err := encode(ready{})
	if err != nil || writeFrame(os.Stdout, body) != nil {
		return
	}
	var a workerRequest
	for readFrame(os.Stdin, maxRequest, &a) == nil && how != "dies" {
		broken := workerReply{Fault: engineFailed(), Broken: true}
		broken.Fault.Err = nil
		if how == "breaks" && writeReply(os.Stdout, broken) != nil {
			return
		}
	}
}

// TestOddGates reads statements with gates that break, die or are silent. None
// is asked again. The statement is to blame for the first alone, and also when
// its caller has left; for the others the caller is told to come again.
func TestOddGates(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, c := range []struct {
		how  string
		ctx  context.Context
		time time.Duration
		want string
	}{
		{"breaks", t.Context(), time.Hour, TooComplex},
		{"breaks", gone, time.Hour, TooComplex},
		{"dies", t.Context(), time.Hour, Busy},
		{"silent", t.Context(), time.Nanosecond, Busy},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			b, err := New(Options{Workers: 1, Gates: 1, Command: []string{self, "odd-worker", c.how}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(b.Close)
			b.gateTime = c.time
			if err := b.gates.startFirst(); err != nil {
				t.Fatal(err)
			}
			before := gatePID(t, b.gates)
			if err := b.Check(c.ctx, Request{SQL: "SELECT 1"}); slug(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if gatePID(t, b.gates) == before {
				t.Error("the worker is kept")
			}
		})
	}
}

// TestCrashed tells a fault from a lack of memory by a worker's last words.
func TestCrashed(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{
		"": false,
		"panic: runtime error: invalid memory address or nil pointer dereference\n":         true,
		"SIGSEGV: segmentation violation\nPC=0x1 m=0 sigcode=1\n":                           true,
		"fatal error: runtime: cannot allocate memory\n":                                    false,
		"terminate called after throwing an instance of 'std::bad_alloc'\nSIGABRT: abort\n": false,
		"SIGABRT: abort\nPC=0x1 m=0 sigcode=18446744073709551610\n":                         true,
	} {
		p := &process{errorOutput: &errorOutput{b: []byte(said)}}
		if p.crashed() != want {
			t.Errorf("%q: %v", said, !want)
		}
	}
}

// TestPlace checks that a statement which Check has let pass is not turned away
// by Run, and that a place nobody came for is free again.
func TestPlace(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Workers: 1, Queue: 1, Wait: 50 * time.Millisecond, PerOwner: 1})
	ask := func(key string) Request { return Request{SQL: "SELECT 1 AS a", Owner: key, Place: new(Place)} }
	mine := ask("k")
	if err := b.Check(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(t.Context(), ask("k")); slug(err) != Concurrent {
		t.Errorf("a second query of the key: %v", err)
	}
	if err := b.Check(t.Context(), ask("other")); slug(err) != Busy {
		t.Errorf("a query of another key: %v", err)
	}
	if r, err := b.Run(t.Context(), mine); err != nil || rows(r) != `[{"a":1}]` {
		t.Errorf("with a place: %v %v", r, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	if err := b.Check(ctx, ask("k")); err != nil {
		t.Errorf("after it ran: %v", err)
	}
	leave()
	for { // what follows the end of a context runs beside us
		if _, err := b.Run(t.Context(), Request{SQL: "SELECT 1", Owner: "k"}); err == nil {
			break
		}
		runtime.Gosched()
	}
}

// TestWorkerAside takes away what starts workers: a statement that has its place
// runs with the worker put aside for it, and the next is turned away at Check,
// where nothing is charged yet, and gives its place back.
func TestWorkerAside(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Workers: 2, Gates: 1, Wait: 50 * time.Millisecond})
	mine := Request{SQL: "SELECT 1 AS a", Owner: "k", Place: new(Place)}
	if err := b.Check(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	b.open.tasks.Wait()
	b.open.mu.Lock()
	idle := b.open.idle
	b.open.idle = nil
	b.open.spawn = func() (*process, error) { return nil, errors.New("no more processes") }
	b.open.mu.Unlock()
	for _, p := range idle {
		p.end()
	}
	for range 3 {
		if err := b.Check(t.Context(), Request{SQL: "SELECT 1", Owner: "other", Place: new(Place)}); slug(err) != Unavailable {
			t.Errorf("without workers: %v", err)
		}
	}
	if running(b) != 1 {
		t.Errorf("%d places are taken", running(b))
	}
	if r, err := b.Run(t.Context(), mine); err != nil || rows(r) != `[{"a":1}]` {
		t.Errorf("with a worker put aside: %v %v", r, err)
	}
}

// TestDefaults checks that no key can have all the workers.
func TestDefaults(t *testing.T) {
	t.Parallel()
	var opt Options
	if err := opt.defaults(); err != nil || opt.Workers <= 4*opt.PerOwner {
		t.Errorf("%d workers, of which a key may have %d: %v", opt.Workers, opt.PerOwner, err)
	}
}

// TestDamagedNames damages the index that find_org reads: queries are answered as
// before, and those that look for a name are told why they are not.
func TestDamagedNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(world.Small.Snapshot(t).Dir)); err != nil {
		t.Fatal(err)
	}
	names := filepath.Join(dir, "search", "names.gg")
	data, err := os.ReadFile(names)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(names, data, 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := New(Options{Workers: 2, Timeout: time.Hour, Wait: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.gateTime = time.Hour
	w, err := b.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, sql := range []string{"SELECT find_org('a') AS found", "SELECT * FROM find_org('a')"} {
		_, err := w.Query(t.Context(), Request{SQL: sql})
		if f, ok := fault.Of(err); !ok || !strings.Contains(f.Message, "find_org is out of service") || strings.Contains(f.Message, dir) {
			t.Errorf("%s: %v", sql, err)
		}
		if _, err := w.Query(t.Context(), Request{SQL: "SELECT count(*) AS n FROM grants"}); err != nil {
			t.Errorf("after %s: %v", sql, err)
		}
	}
}

// Query checks a statement and runs it, as callers do one after the other.
func (w *Warehouse) Query(ctx context.Context, r Request) (*Result, error) {
	if err := w.Check(ctx, r); err != nil {
		return nil, err
	}
	return w.Run(ctx, r)
}
