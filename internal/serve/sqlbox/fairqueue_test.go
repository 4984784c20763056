package sqlbox

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/serve/sqlbox/hostile"
)

// TestLine walks through a line by a clock that stands still but for us: who has
// had least is next, and a newcomer displaces who has had most.
func TestLine(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	l := newFairQueue(1, 2, time.Hour)
	l.clock = func() time.Time { return now }
	enter := func(owner string) (leave func(), err error) { return l.enter(t.Context(), owner) }
	hold, err := enter("greedy")
	if err != nil {
		t.Fatal(err)
	}
	type entered struct {
		owner string
		leave func()
		err   error
	}
	in := make(chan entered, 10)
	wait := func(owner string, waiting int) {
		t.Helper()
		go func() {
			leave, err := enter(owner)
			in <- entered{owner, leave, err}
		}()
		for {
			if _, n := l.state(); n == waiting {
				return
			}
			runtime.Gosched()
		}
	}
	next := func(owner, what string) entered {
		t.Helper()
		e := <-in
		if e.owner != owner || slug(e.err) != what {
			t.Fatalf("%s: %v, want %s and %q", e.owner, e.err, owner, what)
		}
		return e
	}
	wait("greedy", 1)
	wait("other", 2)
	// The queue is full. A second of the one who has the place is turned away;
	// one who has had nothing displaces the first that waits.
	if _, err := enter("greedy"); slug(err) != Busy {
		t.Errorf("a third of one owner: %v", err)
	}
	go func() {
		leave, err := enter("third")
		in <- entered{"third", leave, err}
	}()
	next("greedy", Busy)
	now = now.Add(30 * time.Second)
	hold()
	e := next("other", "")
	// By now greedy has used half a minute: others come first, though later.
	wait("greedy", 2)
	go func() {
		leave, err := enter("fourth")
		in <- entered{"fourth", leave, err}
	}()
	next("greedy", Busy)
	e.leave()
	e = next("third", "")
	e.leave()
	e = next("fourth", "")
	// What was used is forgotten in time.
	now = now.Add(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		leave, err := l.enter(ctx, "gone")
		in <- entered{"gone", leave, err}
	}()
	for _, n := l.state(); n != 1; _, n = l.state() {
		runtime.Gosched()
	}
	cancel()
	next("gone", context.Canceled.Error())
	wait("greedy", 1)
	wait("third", 2)
	e.leave()
	e = next("greedy", "")
	e.leave()
	next("third", "").leave()
	if taken, waiting := l.state(); taken != 0 || waiting != 0 {
		t.Errorf("%d places are taken and %d wait at the end", taken, waiting)
	}
}

// TestLastPlace checks that owners who have had much do not get the last of
// several places, for which nobody who has had little has to wait.
func TestLastPlace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	l := newFairQueue(3, 4, time.Hour)
	l.clock = func() time.Time { return now }
	enter := func(owner string) func() {
		t.Helper()
		leave, err := l.enter(t.Context(), owner)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first, second := enter("first"), enter("second")
	now = now.Add(10 * time.Second)
	first()
	second()
	first, second = enter("first"), enter("second")
	waited := make(chan func())
	go func() {
		leave, _ := l.enter(t.Context(), "first")
		waited <- leave
	}()
	for taken, n := l.state(); n != 1; taken, n = l.state() {
		if taken > 2 {
			t.Fatal("an owner who has had much got the last place")
		}
		runtime.Gosched()
	}
	// However often others use it, it is not for those who wait.
	for i := range 20 {
		leave := enter(fmt.Sprint("other ", i%2))
		if taken, waiting := l.state(); taken != 3 || waiting != 1 {
			t.Errorf("%d places are taken and %d wait", taken, waiting)
		}
		now = now.Add(10 * time.Millisecond)
		leave()
	}
	second()
	(<-waited)()
	first()
	if taken, waiting := l.state(); taken != 0 || waiting != 0 {
		t.Errorf("%d places are taken and %d wait at the end", taken, waiting)
	}
}

// TestLeastFirst has the one who holds the only place wait for it again before
// anybody else comes: those who have had less go before, though they came
// later, and the second of an owner comes after the first of all.
func TestLeastFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	l := newFairQueue(1, 10, time.Hour)
	l.clock = func() time.Time { return now }
	leave, err := l.enter(t.Context(), "greedy")
	if err != nil {
		t.Fatal(err)
	}
	type entered struct {
		who   string
		leave func()
	}
	in := make(chan entered)
	for i, owner := range []string{"greedy", "one", "one", "other"} {
		go func() {
			leave, err := l.enter(t.Context(), owner)
			if err != nil {
				t.Error(err)
			}
			in <- entered{fmt.Sprintf("%s %d", owner, i), leave}
		}()
		for _, n := l.state(); n != i+1; _, n = l.state() {
			runtime.Gosched()
		}
	}
	now = now.Add(30 * time.Second)
	for _, want := range []string{"one 1", "other 3", "one 2", "greedy 0"} {
		now = now.Add(time.Second)
		leave()
		next := <-in
		if leave = next.leave; next.who != want {
			t.Errorf("%s is next, want %s", next.who, want)
		}
	}
	leave()
}

// TestLineForgets checks that the line does not remember everybody for ever.
func TestLineForgets(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	l := newFairQueue(1, 1, time.Hour)
	l.clock = func() time.Time { return now }
	for i := range 5000 {
		leave, err := l.enter(t.Context(), fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
		leave()
	}
	if n := len(l.shares); n > 1100 {
		t.Errorf("%d owners are remembered", n)
	}
}

// TestAttackers has four accounts with ten keys each, all of which send what
// takes long to read, while others ask something simple: they always get it.
func TestAttackers(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Gates: 2, Queue: 6, Workers: 9, Reading: 300 * time.Millisecond, Wait: time.Hour})
	costly := append(costlyStatements(), hostile.NestedLambdas(30))
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var refused, away atomic.Int64
	for attacker := range 4 {
		for key := range 10 {
			wg.Go(func() {
				for i := key; ctx.Err() == nil; i++ {
					_, err := b.Query(ctx, Request{SQL: costly[i%len(costly)], Owner: fmt.Sprintf("attacker %d", attacker), Pro: true})
					switch slug(err) {
					case TooComplex, Rejected:
						refused.Add(1)
					case Concurrent, Busy:
						away.Add(1)
						runtime.Gosched()
					case context.Canceled.Error():
					default:
						t.Errorf("%.60s: %v", costly[i%len(costly)], err)
					}
				}
			})
		}
	}
	for customer := range 3 {
		wg.Go(func() {
			for i := 0; i < 20 || refused.Load() < 8; i++ {
				if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1", Owner: fmt.Sprintf("customer %d", customer)}); err != nil {
					t.Errorf("SELECT 1 of customer %d: %v", customer, err)
					break
				}
			}
			if customer == 0 {
				stop()
			}
		})
	}
	wg.Wait()
	stop()
	t.Logf("%d costly statements were refused and %d sent away", refused.Load(), away.Load())
}

// TestHeavyOwners has four owners fill all the places they can get with queries
// that do not end: there is still one for another.
func TestHeavyOwners(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Workers: 9, Threads: 1, Timeout: time.Hour, Wait: time.Hour})
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	b.box.runs.clock = func() time.Time { return now } // what is simple stays so on a machine that is busy
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, err := b.Query(ctx, Request{SQL: endless, Owner: fmt.Sprint(i / 2)})
			if err == nil {
				t.Error("a query without an end has one")
			}
		})
	}
	for running(b) < 8 {
		runtime.Gosched()
	}
	if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1", Owner: "0"}); slug(err) != Concurrent {
		t.Errorf("a third query of one of them: %v", err)
	}
	for range 5 {
		if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1", Owner: "other"}); err != nil {
			t.Error(err)
		}
	}
	stop()
	wg.Wait()
}

// gatePID is the process of the only idle gate.
func gatePID(t *testing.T, l *pool) int {
	t.Helper()
	for {
		l.mu.Lock()
		if len(l.idle) > 0 {
			defer l.mu.Unlock()
			return l.idle[0].cmd.Process.Pid
		}
		l.mu.Unlock()
		runtime.Gosched()
	}
}

// TestBudget gives the gate no time at all, and then a little: what uses it up
// is refused as such and costs the gate its life, what does not is not.
func TestBudget(t *testing.T) {
	t.Parallel()
	none := box(t, Options{Workers: 1, Gates: 1, Reading: time.Nanosecond})
	before := gatePID(t, none.box.gates)
	for range 2 {
		if err := none.Check(t.Context(), Request{SQL: "SELECT 1"}); slug(err) != TooComplex {
			t.Errorf("without any time: %v", err)
		}
		after := gatePID(t, none.box.gates)
		if after == before {
			t.Error("a gate that used up its budget is used again")
		}
		before = after
	}
	if err := none.Check(t.Context(), Request{SQL: "DROP TABLE grants"}); slug(err) != Rejected || gatePID(t, none.box.gates) != before {
		t.Errorf("what needs no gate: %v", err)
	}
	some := box(t, Options{Workers: 1, Gates: 1, Reading: 300 * time.Millisecond})
	for i, sql := range costlyStatements() {
		before := gatePID(t, some.box.gates)
		if err := some.Check(t.Context(), Request{SQL: sql}); slug(err) != TooComplex {
			t.Errorf("%.60s: %v", sql, err)
		}
		if gatePID(t, some.box.gates) == before {
			t.Errorf("the gate survived costly statement %d", i)
		}
		before = gatePID(t, some.box.gates)
		for _, sql := range []string{"SELECT 1", "SELECT nothing FROM grants", "SELECT 1::VARIANT"} {
			if err := some.Check(t.Context(), Request{SQL: sql}); slug(err) == TooComplex {
				t.Errorf("%s: %v", sql, err)
			}
		}
		if gatePID(t, some.box.gates) != before {
			t.Error("a plain refusal costs the gate its life")
		}
	}
}

// TestWatch counts processor time, not time: a process that waits uses none.
func TestWatch(t *testing.T) {
	t.Parallel()
	fired := make(chan struct{})
	done := watch(time.Millisecond, func() { close(fired) })
	for n := 0; ; n++ {
		select {
		case <-fired:
		default:
			continue
		}
		break
	}
	if !done() {
		t.Error("the budget is used up and nobody says so")
	}
	if watch(time.Hour, func() { t.Error("an hour is used up") })() {
		t.Error("an hour is used up")
	}
}

// TestGivenBack checks that a worker which holds on to much memory after a query
// is replaced, and another is not.
func TestGivenBack(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says what a process holds; run the test there")
	}
	const heavy = "SELECT count(*) AS n FROM (SELECT md5(n::VARCHAR) AS m FROM range(300000) t(n) GROUP BY ALL)"
	b := box(t, Options{Workers: 1, Gates: 1, Memory: 512 << 20, Spare: 1 << 40})
	before := gatePID(t, b.open)
	if _, err := b.Query(t.Context(), Request{SQL: heavy}); err != nil {
		t.Fatal(err)
	}
	if gatePID(t, b.open) != before {
		t.Error("a worker is replaced that holds no more than it may")
	}
	b.open.mu.Lock()
	grown := b.open.idle[0].grown()
	b.open.mu.Unlock()
	if grown <= 0 {
		t.Fatalf("a heavy query left %d bytes", grown)
	}
	b.open.spare = grown / 4
	if _, err := b.Query(t.Context(), Request{SQL: heavy}); err != nil {
		t.Fatal(err)
	}
	if gatePID(t, b.open) == before {
		t.Errorf("a worker that holds %d bytes more than when it was new is kept", grown)
	}
}

// TestNothingLeft reads statements that fail in many ways and then asks the same
// gate for anything of them.
func TestNothingLeft(t *testing.T) {
	t.Parallel()
	g, err := openGate(t.Context(), 256<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	const secret = "xyzzy_secret"
	for _, sql := range []string{
		"SELECT '" + secret + "'", "SELECT " + secret + " FROM grants", "SELECT " + secret + "(1)", "SELECT 1 AS " + secret + " FROM",
		"SELECT '" + secret + "'::INT", "WITH " + secret + " AS (SELECT 1) SELECT * FROM " + secret, "SELECT $" + secret,
	} {
		_ = g.check(t.Context(), sql, true, Params{Named: map[string]any{secret: nil}})
		if n := g.db.Stats().OpenConnections; n != 1 {
			t.Errorf("after %s %d connections are open", sql, n)
		}
	}
	// Should a statement ever leave something in its connection, it goes with it.
	conn, err := g.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), conn, "PREPARE "+secret+" AS SELECT 1", "CREATE TEMP TABLE "+secret+" (x INTEGER)"); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	// What no statement may ask, the gate may ask itself.
	for _, sql := range []string{
		"SELECT * FROM duckdb_prepared_statements()", "SELECT * FROM duckdb_temporary_files()", "SELECT * FROM duckdb_logs()", "SELECT * FROM duckdb_variables()",
		"SELECT table_name FROM duckdb_tables() WHERE temporary", "SELECT view_name FROM duckdb_views() WHERE NOT internal",
		"SELECT function_name FROM duckdb_functions() WHERE NOT internal AND function_name <> 'find_org'",
		"SELECT type_name FROM duckdb_types() WHERE NOT internal",
	} {
		for _, connect := range []func() (string, error){
			func() (string, error) { return all(t.Context(), g, sql, true) },
			func() (string, error) { return all(t.Context(), g, sql, false) },
		} {
			if got, err := connect(); err != nil || strings.Contains(got, secret) || strings.Count(got, "\n") > 0 {
				t.Errorf("%s: %v %s", sql, err, got)
			}
		}
	}
	for _, sql := range []string{"SELECT " + secret[:5] + " FROM grants", "EXECUTE " + secret, "SELECT 1 FROM " + secret[:8]} {
		if err := g.check(t.Context(), sql, true, Params{}); err == nil || strings.Contains(err.Error(), secret) && !strings.Contains(sql, secret) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// all is what a query of our own finds in a gate, a line for each row.
func all(ctx context.Context, g *gate, sql string, own bool) (string, error) {
	conn := g.conn
	if own {
		var err error
		if conn, err = g.connect(ctx); err != nil {
			return "", err
		}
		defer conn.Close()
	}
	rows, err := conn.QueryContext(ctx, sql)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		fmt.Fprintln(&b, values...)
	}
	return b.String(), rows.Err()
}

// TestBroken checks after which errors an engine is not used again.
func TestBroken(t *testing.T) {
	t.Parallel()
	db, conn, err := openEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer conn.Close()
	for said, broken := range map[string]bool{
		`{"exception_type":"INTERNAL","exception_message":"Attempted to access index 1 within vector of size 1"}`: true,
		`{"exception_type":"FATAL","exception_message":"the database has been invalidated"}`:                      true,
		`{"exception_type":"Serialization","exception_message":"odd"}`:                                            true,
		`something nobody has seen`: true,
		`{"exception_type":"Conversion","exception_message":"Could not convert string 'INTERNAL Error' to INT32"}`:                                          false,
		`{"exception_type":"Binder","exception_message":"no such thing"}`:                                                                                   false,
		`Parser Error: {"exception_type":"Parser","exception_message":"Max expression depth limit of 400 exceeded. Use \"SET max_expression_depth TO x\""}`: false,
		`{"exception_type":"Invalid Input","exception_message":"x"}`:                                                                                        false,
	} {
		a := replyFor(nil, failure(fmt.Errorf("%s", said), "SELECT 1", 0), conn)
		if a.Broken != broken || a.Fault == nil || strings.Contains(a.Fault.Message, "exception") || strings.Contains(a.Fault.Message, "SET") {
			t.Errorf("%s: broken is %v, %v", said, a.Broken, a.Fault)
		}
	}
}

// TestLongParams binds texts that would be six times as long if every character
// were escaped, and some that are too long as they are.
func TestLongParams(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Workers: 1, Gates: 1})
	before := gatePID(t, b.box.gates)
	for _, c := range []struct{ text, slug string }{
		{strings.Repeat("<", 1<<20), ""},
		{strings.Repeat("\u2028", 1<<18), ""},
		{strings.Repeat("\x01", 1<<20), Rejected},
		{strings.Repeat("x", 5<<20), Rejected},
	} {
		for _, p := range []Params{{List: []any{c.text}}, {Named: map[string]any{"p": c.text}}} {
			sql := "SELECT length($p) AS n"
			if p.List != nil {
				sql = "SELECT length(?) AS n"
			}
			r, err := b.Query(t.Context(), Request{SQL: sql, Params: p})
			if slug(err) != c.slug || err == nil && rows(r) != fmt.Sprintf(`[{"n":%d}]`, len([]rune(c.text))) {
				t.Errorf("%d bytes of %.6q: %v %v", len(c.text), c.text, r, err)
			}
		}
	}
	if gatePID(t, b.box.gates) != before {
		t.Error("a gate died of parameters")
	}
}

// TestHeld reads the largest answer that there is and counts what it allocates.
func TestHeld(t *testing.T) {
	a := workerReply{Result: &Result{Columns: []Column{{"a", "VARCHAR"}}, Elapsed: 1}}
	for range maxRows {
		a.Result.Rows = append(a.Result.Rows, json.RawMessage(`"`+strings.Repeat("x", maxBytes/maxRows-2)+`"`))
	}
	var frame strings.Builder
	if err := writeReply(&frame, a); err != nil {
		t.Fatal(err)
	}
	var got workerReply
	took := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			got = workerReply{}
			if err := readReply(strings.NewReader(frame.String()), &got); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if took > Held || Held > maxBytes+maxBytes/4 {
		t.Errorf("an answer takes %d bytes, of at most %d", took, Held)
	}
	if !slices.EqualFunc(got.Result.Rows, a.Result.Rows, func(x, y json.RawMessage) bool { return string(x) == string(y) }) {
		t.Error("the rows are others")
	}
	// Columns whose names alone are too long.
	a = workerReply{Result: &Result{Columns: []Column{{strings.Repeat("x", maxHead), "VARCHAR"}}, Rows: []json.RawMessage{[]byte("{}")}}}
	frame.Reset()
	if err := writeReply(&frame, a); err != nil {
		t.Fatal(err)
	}
	got = workerReply{}
	if err := readReply(strings.NewReader(frame.String()), &got); err != nil || got.Fault == nil || got.Fault.Slug != TooLarge {
		t.Errorf("%+v %v", got, err)
	}
	// A worker that says there is more than there can be.
	for _, sizes := range [][]int{{maxBytes, 1}, {-1}} {
		body, err := encode(workerReply{Result: &Result{}, Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		frame.Reset()
		if err := writeFrame(&frame, body); err != nil {
			t.Fatal(err)
		}
		if err := readReply(strings.NewReader(frame.String()), &workerReply{}); err == nil {
			t.Errorf("sizes %v are believed", sizes)
		}
	}
}

// state returns how many places are taken and how many statements wait.
func (l *fairQueue) state() (taken, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken, len(l.queue)
}

// costlyStatements returns short, allowed statements that take the engine very long to parse and bind.
func costlyStatements() []string {
	structs := "SELECT 1 AS x"
	for range 28 {
		structs = "SELECT {'a': x, 'b': x} AS x FROM (" + structs + ")"
	}
	lists := "SELECT [1] AS x"
	for range 28 {
		lists = "SELECT {'a': [x], 'b': [x]} AS x FROM (" + lists + ")"
	}
	var columns, many, more []string
	for i := range 200 {
		columns = append(columns, fmt.Sprintf("1 AS c%d", i))
	}
	for i := range 60 {
		many = append(many, fmt.Sprintf("a AS a%d", i))
		more = append(more, fmt.Sprintf("b AS b%d", i))
	}
	wide := "WITH a AS (SELECT " + strings.Join(columns, ", ") + "), b AS (SELECT * FROM " + strings.Join(many, ", ") +
		") SELECT * FROM " + strings.Join(more, ", ")
	return []string{structs, lists, wide}
}
