package account

import (
	"context"
	"crypto/rand"
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
