package account

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
)

// List is a list of organizations, such as grantees, that an account keeps.
type List struct {
	ID          string
	Name        string
	Members     int
	KeepHistory bool // its screenings stay for HistoryKept, and otherwise for RunKept
	Created     time.Time
	Changed     time.Time // its name, its settings or its members
}

// Member is an organization of a list. It has an EIN, a name, or both.
type Member struct {
	Position int64 // names the member in its list; never used again
	EIN      ein.EIN
	Name     string // as the owner of the list wrote it
	Note     string
}

// Bounds of lists.
const (
	MostLists   = 50   // of an account
	MostMembers = 5000 // of a list

	maxListName = 100 // bytes
	maxMember   = 300 // bytes of the name of a member
	maxNote     = 500 // bytes
)

const listPrefix = "lst_" // of the ID of a list

const listColumns = "SELECT l.seq, l.id, l.name, l.keep_history = 1, l.created, l.changed, l.next," +
	" (SELECT COUNT(*) FROM list_members m WHERE m.list = l.seq) FROM lists l JOIN accounts a ON a.seq = l.account WHERE a.id = $1"

// listRow is a list as it is stored.
type listRow struct {
	List
	seq  int64
	next int64 // position of the next member
}

func scanList(scan scanner) (l listRow, err error) {
	var created, changed int64
	err = scan(&l.seq, &l.ID, &l.Name, &l.KeepHistory, &created, &changed, &l.next, &l.Members)
	l.Created, l.Changed = timeOf(created), timeOf(changed)
	return l, err
}

// listOf finds a list of an account. A list of another account is as unknown as one that does not exist.
func listOf(from reader, account, id string) (l listRow) {
	if isID(accPrefix, account) && isID(listPrefix, id) {
		for _, l = range collect(from, listColumns+" AND l.id = $2", []any{account, id}, scanList) {
			return l
		}
	}
	from.fail(refuse(nil, "unknown_list"))
	return l
}

// lockList is listOf for a transaction that is about to change the list.
func (t *tx) lockList(account, id string) listRow {
	if isID(listPrefix, id) {
		var seq int64
		t.get("SELECT seq FROM lists WHERE id = $1"+t.lock, []any{id}, &seq)
	}
	return listOf(t, account, id)
}

// listText checks a text of a list. It comes back on one line, without spaces around it.
func listText(what, s string, most int) (string, error) {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		return "", refuse(nil, "long_list_text", what, len(s), most)
	}
	if !fault.Legible(s) {
		return "", refuse(nil, "unreadable_list_text", what)
	}
	return s, nil
}

func parseListName(s string) (string, error) {
	s, err := listText("name of the list", s, maxListName)
	if err == nil && s == "" {
		err = refuse(nil, "no_list_name")
	}
	return s, err
}

// Lists returns all lists of an account, oldest first.
func (s *Store) Lists(ctx context.Context, account string) ([]List, error) {
	v := s.view(ctx)
	return resultOf(v, collect(v, listColumns+" ORDER BY l.seq", []any{account}, scanPublicList))
}

func scanPublicList(scan scanner) (List, error) {
	l, err := scanList(scan)
	return l.List, err
}

// ListByID returns a list of an account. The refusal unknown_list also stands for a list of
// another account, here and in all other methods.
func (s *Store) ListByID(ctx context.Context, account, id string) (List, error) {
	v := s.view(ctx)
	return resultOf(v, listOf(v, account, id).List)
}

// CreateList makes an empty list.
func (s *Store) CreateList(ctx context.Context, account, name string) (List, error) {
	name, err := parseListName(name)
	if err != nil {
		return List{}, err
	}
	id, err := newID(listPrefix, rand.Reader)
	if err != nil {
		return List{}, err
	}
	return updated(ctx, s, func(t *tx) List {
		p := personOf(t, account, t.lock) // the account is locked while its lists are counted
		var have int
		t.get("SELECT COUNT(*) FROM lists WHERE account = $1", []any{p.seq}, &have)
		if have >= MostLists {
			t.fail(refuse(nil, "too_many_lists", have))
		}
		t.exec("INSERT INTO lists (id, account, name, created, changed) VALUES ($1, $2, $3, $4, $4)", id, p.seq, name, t.now.UnixNano())
		return List{ID: id, Name: name, Created: t.now.UTC(), Changed: t.now.UTC()}
	})
}

// ListChange is a change of the settings of a list; nil leaves a setting as it is.
type ListChange struct {
	Name        *string
	KeepHistory *bool
}

// ChangeList changes the settings of a list. When its history is no longer kept, its
// screenings expire as those of any other list.
func (s *Store) ChangeList(ctx context.Context, account, id string, c ListChange) (List, error) {
	if c.Name != nil {
		name, err := parseListName(*c.Name)
		if err != nil {
			return List{}, err
		}
		c.Name = &name
	}
	return updated(ctx, s, func(t *tx) List {
		l := t.lockList(account, id)
		if c.Name != nil {
			l.Name = *c.Name
		}
		if c.KeepHistory != nil && *c.KeepHistory != l.KeepHistory {
			l.KeepHistory = *c.KeepHistory
			t.keepRuns(l)
		}
		kept := 0
		if l.KeepHistory {
			kept = 1
		}
		t.exec("UPDATE lists SET name = $2, keep_history = $3, changed = $4 WHERE seq = $1", l.seq, l.Name, kept, t.now.UnixNano())
		l.Changed = t.now.UTC()
		return l.List
	})
}

// DeleteList removes a list with its members and its history.
func (s *Store) DeleteList(ctx context.Context, account, id string) error {
	return s.update(ctx, func(t *tx) {
		t.exec("DELETE FROM lists WHERE seq = $1", t.lockList(account, id).seq)
	})
}

func members(from reader, where string, args ...any) []Member {
	return collect(from, "SELECT position, ein, name, note FROM list_members WHERE list = $1 "+where, args, func(scan scanner) (m Member, err error) {
		var number string
		err = scan(&m.Position, &number, &m.Name, &m.Note)
		m.EIN = ein.Stored(number)
		return m, err
	})
}

// Members returns the members of a list after a position (0 for the first), in the order in
// which they were added, and at most so many.
func (s *Store) Members(ctx context.Context, account, id string, after int64, most int) ([]Member, error) {
	v := s.view(ctx)
	return resultOf(v, members(v, "AND position > $2 ORDER BY position LIMIT $3", listOf(v, account, id).seq, after, most))
}

// parseMember checks a member that is to be added.
func parseMember(m Member) (_ Member, err error) {
	if m.Name, err = listText("name of an organization", m.Name, maxMember); err != nil {
		return m, err
	}
	if m.Note, err = listText("note", m.Note, maxNote); err != nil {
		return m, err
	}
	if m.EIN == ein.None && m.Name == "" {
		return m, refuse(nil, "empty_member")
	}
	return m, nil
}

// key is what two members of a list never share.
func (m Member) key() string {
	if m.EIN != ein.None {
		return m.EIN.String()
	}
	return "name " + strings.ToLower(m.Name)
}

func storedEIN(e ein.EIN) string {
	if e == ein.None {
		return ""
	}
	return e.String()
}

// AddMembers adds organizations at the end of a list, all or none of them. It skips those that the list has already, by their
// EIN or, without an EIN, by their name, and returns those that it added.
func (s *Store) AddMembers(ctx context.Context, account, id string, add []Member) (_ []Member, err error) {
	parsed := make([]Member, len(add))
	for i, m := range add {
		if parsed[i], err = parseMember(m); err != nil {
			return nil, err
		}
	}
	return updated(ctx, s, func(t *tx) (added []Member) {
		l := t.lockList(account, id)
		there := members(t, "ORDER BY position", l.seq)
		has := make(map[string]bool, len(there)+len(parsed))
		for _, m := range there {
			has[m.key()] = true
		}
		for _, m := range parsed {
			if has[m.key()] {
				continue
			}
			has[m.key()] = true
			m.Position = l.next
			t.later("INSERT INTO list_members (list, position, ein, name, note) VALUES ($1, $2, $3, $4, $5)",
				l.seq, m.Position, storedEIN(m.EIN), m.Name, m.Note)
			added = append(added, m)
			l.next++
		}
		if len(has) > MostMembers {
			t.fail(refuse(nil, "too_many_members", MostMembers, l.Members, len(added)))
		}
		t.exec("UPDATE lists SET next = $2, changed = $3 WHERE seq = $1", l.seq, l.next, t.now.UnixNano())
		return added
	})
}

// SetMember gives a member another EIN, name and note.
func (s *Store) SetMember(ctx context.Context, account, id string, m Member) error {
	m, err := parseMember(m)
	if err != nil {
		return err
	}
	return s.update(ctx, func(t *tx) {
		l := t.lockList(account, id)
		var other int64
		taken := t.get("SELECT position FROM list_members WHERE list = $1 AND ein = $2 AND ein <> '' AND position <> $3",
			[]any{l.seq, storedEIN(m.EIN), m.Position}, &other)
		if taken {
			t.fail(refuse(nil, "member_there", m.EIN.Hyphenated()))
		}
		if t.exec("UPDATE list_members SET ein = $3, name = $4, note = $5 WHERE list = $1 AND position = $2",
			l.seq, m.Position, storedEIN(m.EIN), m.Name, m.Note) == 0 {
			t.fail(refuse(nil, "unknown_member"))
		}
		t.exec("UPDATE lists SET changed = $2 WHERE seq = $1", l.seq, t.now.UnixNano())
	})
}

// RemoveMembers removes the members at these positions and returns how many there were.
func (s *Store) RemoveMembers(ctx context.Context, account, id string, positions []int64) (removed int, err error) {
	return updated(ctx, s, func(t *tx) int {
		l := t.lockList(account, id)
		var n int64
		for _, at := range positions {
			n += t.exec("DELETE FROM list_members WHERE list = $1 AND position = $2", l.seq, at)
		}
		t.exec("UPDATE lists SET changed = $2 WHERE seq = $1", l.seq, t.now.UnixNano())
		return int(n)
	})
}

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
