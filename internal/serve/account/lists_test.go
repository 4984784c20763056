package account

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/ein"
)

// owner signs somebody up who keeps lists.
func owner(t *testing.T, s *Store, email string) string {
	t.Helper()
	a, err := s.SignUp(t.Context(), email, password, "")
	if err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func newList(t *testing.T, s *Store, account, name string) List {
	t.Helper()
	l, err := s.CreateList(t.Context(), account, name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLists(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		ann, bob := owner(t, s, "ann@example.org"), owner(t, s, "bob@example.org")
		l := newList(t, s, ann, "  Grantees\t 2026 ")
		if l.Name != "Grantees 2026" || l.KeepHistory || l.Members != 0 || !l.Created.Equal(c.now()) {
			t.Errorf("%+v", l)
		}
		for name, slug := range map[string]string{"": "bad_list_name", " \n": "bad_list_name", strings.Repeat("x", 101): "bad_list_text", "a\x00b": "bad_list_text"} {
			if _, err := s.CreateList(ctx, ann, name); slugOf(err) != slug {
				t.Errorf("%q: %v", name, err)
			}
		}
		added, err := s.AddMembers(ctx, ann, l.ID, []Member{
			{EIN: 70000001, Name: "Exemplary  Fund", Note: "since 2019"}, {Name: "Unnumbered Trust"}, {EIN: 70000001}, {Name: "UNNUMBERED trust"}, {EIN: 80000002},
		})
		if err != nil || len(added) != 3 || added[2].Position != 3 {
			t.Fatal(added, err)
		}
		if added, err = s.AddMembers(ctx, ann, l.ID, []Member{{EIN: 80000002}, {EIN: 90000003}}); err != nil || len(added) != 1 {
			t.Error(added, err)
		}
		got, err := s.Members(ctx, ann, l.ID, 0, 3)
		want := []Member{{1, 70000001, "Exemplary Fund", "since 2019"}, {2, ein.None, "Unnumbered Trust", ""}, {3, 80000002, "", ""}}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, %v", got, err)
		}
		if got, err = s.Members(ctx, ann, l.ID, 3, 3); err != nil || len(got) != 1 || got[0].EIN != 90000003 {
			t.Errorf("%v, %v", got, err)
		}
		for _, bad := range []struct {
			m    Member
			slug string
		}{{Member{}, "bad_member"}, {Member{Name: strings.Repeat("x", 301)}, "bad_list_text"}, {Member{EIN: 1, Note: strings.Repeat("x", 501)}, "bad_list_text"}} {
			if n, err := s.AddMembers(ctx, ann, l.ID, []Member{{Name: "New"}, bad.m}); slugOf(err) != bad.slug || n != nil {
				t.Errorf("%+v: %v, %v", bad.m, n, err)
			}
		}

		// A member that was added by its name gets its EIN.
		if err := s.SetMember(ctx, ann, l.ID, Member{2, 80000002, "Unnumbered Trust", ""}); slugOf(err) != "member_there" {
			t.Error(err)
		}
		if err := s.SetMember(ctx, ann, l.ID, Member{99, 80000004, "", ""}); slugOf(err) != "unknown_member" {
			t.Error(err)
		}
		if err := s.SetMember(ctx, ann, l.ID, Member{2, 90000004, "Unnumbered Trust", "found"}); err != nil {
			t.Error(err)
		}

		// A list of somebody else does not exist.
		name := "Mine"
		for what, err := range map[string]error{
			"read":    errOf(s.ListByID(ctx, bob, l.ID)),
			"members": errOf(s.Members(ctx, bob, l.ID, 0, 10)),
			"add":     errOf(s.AddMembers(ctx, bob, l.ID, []Member{{EIN: 1}})),
			"set":     s.SetMember(ctx, bob, l.ID, Member{1, 1, "", ""}),
			"remove":  errOf(s.RemoveMembers(ctx, bob, l.ID, []int64{1})),
			"change":  errOf(s.ChangeList(ctx, bob, l.ID, ListChange{Name: &name})),
			"delete":  s.DeleteList(ctx, bob, l.ID),
			"runs":    errOf(s.ListRuns(ctx, bob, l.ID)),
			"run":     errOf(s.BeginListRun(ctx, bob, l.ID)),
			"missing": errOf(s.ListByID(ctx, ann, "lst_000000000000")),
			"strange": errOf(s.ListByID(ctx, ann, "'; --\x00")),
		} {
			if slugOf(err) != "unknown_list" {
				t.Errorf("%s: %v", what, err)
			}
		}
		if removed, err := s.RemoveMembers(ctx, ann, l.ID, []int64{1, 1, 77}); err != nil || removed != 1 {
			t.Error(removed, err)
		}
		keep := true
		c.add(time.Hour)
		if l, err = s.ChangeList(ctx, ann, l.ID, ListChange{Name: &name, KeepHistory: &keep}); err != nil || l.Name != name || !l.KeepHistory || l.Members != 3 {
			t.Errorf("%+v, %v", l, err)
		}
		if all, err := s.Lists(ctx, ann); err != nil || len(all) != 1 || all[0] != l {
			t.Errorf("%+v is not %+v, %v", all, l, err)
		}
		if err := s.DeleteList(ctx, ann, l.ID); err != nil {
			t.Error(err)
		}
		if rows := count(t, s, "list_members"); rows != 0 {
			t.Errorf("%d members are left of a deleted list", rows)
		}
	})
}

func errOf[T any](_ T, err error) error { return err }

func count(t *testing.T, s *Store, table string) (rows int) {
	t.Helper()
	if err := one(s.view(t.Context()), "SELECT COUNT(*) FROM "+table, nil, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestListBounds fills a list and an account, from several requests at once.
// TestFirstError: after a refusal a transaction finds and writes nothing, and its caller gets the refusal.
func TestFirstError(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		s, refusal := openAt(t, p, Options{}), refuse(nil, "no_reason")
		err := s.update(t.Context(), func(x *tx) {
			x.exec("INSERT INTO questions (kind, who, day, asked) VALUES ('visitor', $1, 0, 1)", []byte("x"))
			x.fail(refusal)
			if x.exec("not a statement") != 0 || x.get("SELECT 1", nil, new(int)) {
				t.Error("something was done after a refusal")
			}
			x.fail(refuse(nil, "bad_source"))
		})
		if err != error(refusal) || count(t, s, "questions") != 0 {
			t.Errorf("%v, %d rows", err, count(t, s, "questions"))
		}
		v := s.view(t.Context())
		v.fail(refusal)
		if lists, err := resultOf(v, collect(v, "not a statement", nil, scanNumber)); err != error(refusal) || lists != nil {
			t.Error(lists, err)
		}
	})
}

func TestListBounds(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		s := openAt(t, p, Options{})
		ctx := t.Context()
		ann := owner(t, s, "ann@example.org")
		l := newList(t, s, ann, "Long")
		parts := make([][]Member, 3)
		for i := range MostMembers + 1 {
			parts[i%3] = append(parts[i%3], Member{EIN: ein.EIN(70000001 + i)})
		}
		var all sync.WaitGroup
		errs := make([]error, len(parts))
		for i, part := range parts {
			all.Go(func() { _, errs[i] = s.AddMembers(ctx, ann, l.ID, part) })
		}
		all.Wait()
		refused := 0
		for _, err := range errs {
			if slugOf(err) == "too_many_members" {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		if l, err := s.ListByID(ctx, ann, l.ID); err != nil || refused != 1 || l.Members <= MostMembers/2 || l.Members > MostMembers {
			t.Errorf("%d refusals, %+v, %v", refused, l, err)
		}
		errs = make([]error, MostLists+5)
		for i := range errs {
			all.Go(func() { _, errs[i] = s.CreateList(ctx, ann, "Another") })
		}
		all.Wait()
		if have, err := s.Lists(ctx, ann); err != nil || len(have) != MostLists {
			t.Errorf("%d lists, %v", len(have), err)
		}
	})
}

func TestListRuns(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		ann := owner(t, s, "ann@example.org")
		l := newList(t, s, ann, "Grantees")
		if _, err := s.BeginListRun(ctx, ann, l.ID); slugOf(err) != "empty_list" {
			t.Error(err)
		}
		if _, err := s.AddMembers(ctx, ann, l.ID, []Member{{EIN: 70000001}, {EIN: 70000002}}); err != nil {
			t.Fatal(err)
		}
		run, err := s.BeginListRun(ctx, ann, l.ID)
		if err != nil || run.Members != 2 || !run.Expires.Equal(c.now().Add(RunKept)) {
			t.Fatalf("%+v, %v", run, err)
		}
		next := run
		next.Screened, next.Reached, next.Dataset, next.Summary = 1, 1, "v1", json.RawMessage(`{"rows":1}`)
		if _, err := s.ClaimListRun(ctx, ann, l.ID, run.ID); slugOf(err) != "run_busy" {
			t.Errorf("a part was claimed twice: %v", err)
		}
		if err := s.AdvanceListRun(ctx, ann, l.ID, next, []byte{0, 255, 1}); err != nil {
			t.Fatal(err)
		}
		if err := s.AdvanceListRun(ctx, ann, l.ID, next, []byte("again")); slugOf(err) != "run_advanced" {
			t.Error(err)
		}
		// Whoever claims a part and is killed keeps it for two minutes, and cannot store it after that.
		lost, err := s.ClaimListRun(ctx, ann, l.ID, run.ID)
		if err != nil || lost.Reached != 1 {
			t.Fatalf("%+v, %v", lost, err)
		}
		c.add(claimed + time.Second)
		turn, err := s.ClaimListRun(ctx, ann, l.ID, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AdvanceListRun(ctx, ann, l.ID, lost, []byte("late")); slugOf(err) != "run_advanced" {
			t.Error(err)
		}
		if err := s.ReleaseListRun(ctx, lost); err != nil {
			t.Error(err)
		}
		if _, err := s.ClaimListRun(ctx, ann, l.ID, run.ID); slugOf(err) != "run_busy" {
			t.Errorf("a turn that was lost gave back another: %v", err)
		}
		if err := s.ReleaseListRun(ctx, turn); err != nil {
			t.Error(err)
		}
		if turn, err = s.ClaimListRun(ctx, ann, l.ID, run.ID); err != nil {
			t.Fatal(err)
		}
		next.claim = turn.claim
		next.Screened, next.Reached, next.Ended = 2, 2, c.now()
		if err := s.AdvanceListRun(ctx, ann, l.ID, next, []byte("two")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.ClaimListRun(ctx, ann, l.ID, run.ID); err != nil || got.claim != 0 || got.Ended.IsZero() {
			t.Errorf("a run that has ended was claimed: %+v, %v", got, err)
		}
		if err := s.AdvanceListRun(ctx, ann, l.ID, next, nil); slugOf(err) != "run_advanced" {
			t.Errorf("a run that has ended went on: %v", err)
		}
		next.Parts, next.claim = 2, 0
		if got, err := s.ListRun(ctx, ann, l.ID, run.ID); err != nil || fmt.Sprint(got) != fmt.Sprint(next) {
			t.Errorf("%+v is not %+v, %v", got, next, err)
		}
		for part, want := range [][]byte{{0, 255, 1}, []byte("two")} {
			if got, err := s.ListReports(ctx, ann, l.ID, run.ID, part); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q, %v", got, err)
			}
		}
		if _, err := s.ListReports(ctx, ann, l.ID, run.ID, 2); slugOf(err) != "unknown_run" {
			t.Error(err)
		}

		// A history is kept for years, and one that is switched off for a day.
		keep := func(on bool) {
			t.Helper()
			if _, err := s.ChangeList(ctx, ann, l.ID, ListChange{KeepHistory: &on}); err != nil {
				t.Fatal(err)
			}
		}
		keep(true)
		c.add(400 * 24 * time.Hour)
		if err := s.sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if runs, err := s.ListRuns(ctx, ann, l.ID); err != nil || len(runs) != 1 || !runs[0].Expires.Equal(runs[0].Started.Add(HistoryKept)) {
			t.Errorf("%+v, %v", runs, err)
		}
		keep(false)
		c.add(RunKept + time.Second)
		if runs, err := s.ListRuns(ctx, ann, l.ID); err != nil || len(runs) != 0 {
			t.Errorf("%+v, %v", runs, err)
		}
		if err := s.sweep(ctx); err != nil || count(t, s, "list_reports") != 0 {
			t.Errorf("reports are left of a run that expired, %v", err)
		}
		if run, err = s.BeginListRun(ctx, ann, l.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteListRun(ctx, ann, l.ID, run.ID); err != nil {
			t.Error(err)
		}
		if err := s.DeleteListRun(ctx, ann, l.ID, run.ID); slugOf(err) != "unknown_run" {
			t.Error(err)
		}
	})
}

// TestListRunClaims lets two servers, with several workers each, screen the same list: every part is claimed, and so paid,
// once, whoever comes first.
func TestListRunClaims(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		servers := []*Store{openAt(t, p, Options{}), openAt(t, p, Options{})}
		ctx := t.Context()
		ann := owner(t, servers[0], "ann@example.org")
		l := newList(t, servers[0], ann, "Grantees")
		const parts, size = 12, 5
		var add []Member
		for i := range parts * size {
			add = append(add, Member{EIN: ein.EIN(70000001 + i)})
		}
		if _, err := servers[0].AddMembers(ctx, ann, l.ID, add); err != nil {
			t.Fatal(err)
		}
		run, err := servers[0].BeginListRun(ctx, ann, l.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := servers[0].ReleaseListRun(ctx, run); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		paid := map[int64]int{} // by the first member of a part
		work := func(s *Store) error {
			for {
				turn, err := s.ClaimListRun(ctx, ann, l.ID, run.ID)
				if slugOf(err) == "run_busy" {
					runtime.Gosched()
					continue
				}
				if err != nil || !turn.Ended.IsZero() {
					return err
				}
				next, err := s.Members(ctx, ann, l.ID, turn.Reached, size)
				if err != nil {
					return err
				}
				mu.Lock()
				paid[next[0].Position]++
				mu.Unlock()
				turn.Reached, turn.Screened = next[size-1].Position, turn.Screened+size
				if turn.Screened == len(add) {
					turn.Ended = time.Now()
				}
				if err := s.AdvanceListRun(ctx, ann, l.ID, turn, []byte("reports")); err != nil {
					return err
				}
			}
		}
		for i := range 4 {
			all.Go(func() {
				if err := work(servers[i%2]); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		got, err := servers[0].ListRun(ctx, ann, l.ID, run.ID)
		if err != nil || got.Screened != len(add) || got.Parts != parts || len(paid) != parts {
			t.Errorf("%+v, %v; %v were paid", got, err, paid)
		}
		for first, times := range paid {
			if times != 1 {
				t.Errorf("the part that begins at %d was paid %d times", first, times)
			}
		}
	})
}
