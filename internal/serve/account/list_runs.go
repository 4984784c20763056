package account

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"
)

// ListRun is a screening of a list. It advances part by part, so that it can stop and go on at any time and on any machine.
type ListRun struct {
	ID       string
	Started  time.Time
	Ended    time.Time // zero while members are left to screen
	Expires  time.Time // when the run is removed
	Members  int       // of the list when the run started
	Screened int
	Reached  int64           // position of the last member that was screened
	Dataset  string          // version of the dataset of the last part
	Summary  json.RawMessage // what the caller says about the run
	Parts    int             // how many parts of reports are stored

	claim int64 // end of the turn of whoever screens the next part
}

// How long the store keeps the runs of a list, and how many.
const (
	RunKept     = 24 * time.Hour                // of a list whose history is not kept
	HistoryKept = (10*365 + 3) * 24 * time.Hour // ten years, as long as records of sanctions screenings have to be kept (31 CFR 501.601)
	MostRuns    = 200
)

// claimed is the turn of whoever screens a part: longer than any request, so it ends by itself only if a server was killed.
const claimed = 2 * time.Minute

const (
	runPrefix  = "run_" // of the ID of a run
	maxSummary = 16 << 10
)

const runColumns = "SELECT r.seq, r.id, r.started, r.ended, r.expires, r.members, r.screened, r.reached, r.dataset, r.summary," +
	" (SELECT COUNT(*) FROM list_reports p WHERE p.run = r.seq) FROM list_runs r WHERE r.list = $1 AND r.expires > $2"

type runRow struct {
	ListRun
	seq int64
}

func scanRun(scan scanner) (r runRow, err error) {
	var started, ended, expires int64
	var summary string
	err = scan(&r.seq, &r.ID, &started, &ended, &expires, &r.Members, &r.Screened, &r.Reached, &r.Dataset, &summary, &r.Parts)
	r.Started, r.Ended, r.Expires, r.Summary = timeOf(started), timeOf(ended), timeOf(expires), json.RawMessage(summary)
	return r, err
}

// runOf finds a run of a list of an account.
func (s *Store) runOf(from reader, account, list, id string) (r runRow) {
	l := listOf(from, account, list)
	if isID(runPrefix, id) {
		for _, r := range collect(from, runColumns+" AND r.id = $3", []any{l.seq, s.clock().UnixNano(), id}, scanRun) {
			return r
		}
	}
	from.fail(refuse(nil, "unknown_run"))
	return r
}

func (l List) runExpires(from time.Time) time.Time {
	if l.KeepHistory {
		return from.Add(HistoryKept)
	}
	return from.Add(RunKept)
}

// keepRuns moves the end of all runs of a list to what its settings say now. A run that is
// no longer kept stays for another RunKept.
func (t *tx) keepRuns(l listRow) {
	if l.KeepHistory {
		t.exec("UPDATE list_runs SET expires = started + $2 WHERE list = $1 AND expires > $3", l.seq, int64(HistoryKept), t.now.UnixNano())
		return
	}
	t.exec("UPDATE list_runs SET expires = $2 WHERE list = $1 AND expires > $2", l.seq, t.now.Add(RunKept).UnixNano())
}

// ListRuns returns the runs of a list, newest first.
func (s *Store) ListRuns(ctx context.Context, account, list string) ([]ListRun, error) {
	v := s.view(ctx)
	l := listOf(v, account, list)
	return resultOf(v, collect(v, runColumns+" ORDER BY r.seq DESC", []any{l.seq, s.clock().UnixNano()}, func(scan scanner) (ListRun, error) {
		r, err := scanRun(scan)
		return r.ListRun, err
	}))
}

// ListRun returns a run of a list.
func (s *Store) ListRun(ctx context.Context, account, list, id string) (ListRun, error) {
	v := s.view(ctx)
	return resultOf(v, s.runOf(v, account, list, id).ListRun)
}

// BeginListRun begins a screening of a list, which must have members. It is the caller's turn to screen the first part.
func (s *Store) BeginListRun(ctx context.Context, account, list string) (ListRun, error) {
	id, err := newID(runPrefix, rand.Reader)
	if err != nil {
		return ListRun{}, err
	}
	return updated(ctx, s, func(t *tx) ListRun {
		l := t.lockList(account, list)
		if l.Members == 0 {
			t.fail(refuse(nil, "empty_list"))
		}
		var have int
		t.get("SELECT COUNT(*) FROM list_runs WHERE list = $1 AND expires > $2", []any{l.seq, t.now.UnixNano()}, &have)
		if have >= MostRuns {
			t.fail(refuse(nil, "too_many_runs", have))
		}
		r := ListRun{ID: id, Started: t.now.UTC(), Expires: l.runExpires(t.now).UTC(), Members: l.Members, Summary: json.RawMessage("{}"),
			claim: t.now.Add(claimed).UnixNano()}
		t.exec("INSERT INTO list_runs (id, list, started, ended, expires, members, screened, reached, dataset, summary, claimed)"+
			" VALUES ($1, $2, $3, 0, $4, $5, 0, 0, '', '{}', $6)", id, l.seq, t.now.UnixNano(), r.Expires.UnixNano(), l.Members, r.claim)
		return r
	})
}

// ClaimListRun makes it the caller's turn to screen the next part of a run, so that nobody else screens the same members and
// pays for them. The turn ends with the part, with ReleaseListRun, or by itself. A run that has ended is not claimed.
func (s *Store) ClaimListRun(ctx context.Context, account, list, id string) (ListRun, error) {
	return updated(ctx, s, func(t *tx) ListRun {
		r := s.runOf(t, account, list, id)
		if !r.Ended.IsZero() {
			return r.ListRun
		}
		r.claim = t.now.Add(claimed).UnixNano()
		if t.exec("UPDATE list_runs SET claimed = $2 WHERE seq = $1 AND claimed <= $3 AND reached = $4 AND ended = 0",
			r.seq, r.claim, t.now.UnixNano(), r.Reached) == 0 {
			t.fail(refuse(&WaitError{time.Second}, "run_busy"))
		}
		return r.ListRun
	})
}

// ReleaseListRun gives a turn back whose part was not screened.
func (s *Store) ReleaseListRun(ctx context.Context, r ListRun) error {
	return s.update(ctx, func(t *tx) { t.exec("UPDATE list_runs SET claimed = 0 WHERE id = $1 AND claimed = $2", r.ID, r.claim) })
}

// AdvanceListRun stores a part of a run and everything that r says about the run, and ends the turn. It refuses the part if
// the turn has passed to somebody else.
func (s *Store) AdvanceListRun(ctx context.Context, account, list string, r ListRun, reports []byte) error {
	if len(r.Summary) > maxSummary {
		return refuse(nil, "long_list_text", "summary of a run", len(r.Summary), maxSummary)
	}
	return s.update(ctx, func(t *tx) {
		have := s.runOf(t, account, list, r.ID)
		ended := int64(0)
		if !r.Ended.IsZero() {
			ended = r.Ended.UnixNano()
		}
		if t.exec("UPDATE list_runs SET claimed = 0, ended = $3, screened = $4, reached = $5, dataset = $6, summary = $7"+
			" WHERE seq = $1 AND claimed = $2 AND ended = 0", have.seq, r.claim, ended, r.Screened, r.Reached, r.Dataset, string(r.Summary)) == 0 {
			t.fail(refuse(nil, "run_advanced"))
		}
		if reports != nil {
			t.exec("INSERT INTO list_reports (run, part, reports) VALUES ($1, $2, $3)", have.seq, have.Parts, reports)
		}
	})
}

// ListReports returns one part of the reports of a run, as AdvanceListRun was given it.
func (s *Store) ListReports(ctx context.Context, account, list, run string, part int) (reports []byte, err error) {
	v := s.view(ctx)
	r := s.runOf(v, account, list, run)
	if !v.get("SELECT reports FROM list_reports WHERE run = $1 AND part = $2", []any{r.seq, part}, &reports) {
		v.fail(refuse(nil, "unknown_run"))
	}
	return resultOf(v, reports)
}

// DeleteListRun removes a run with its reports.
func (s *Store) DeleteListRun(ctx context.Context, account, list, id string) error {
	return s.update(ctx, func(t *tx) {
		t.exec("DELETE FROM list_runs WHERE seq = $1", s.runOf(t, account, list, id).seq)
	})
}
