package change

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// LogPath is the file in an edition that logs changes of the lists.
const LogPath = snapshot.HistoryDir + "/lists.gg"

var logKind = &mapped.Kind{
	Magic: "GGllog01", Name: "log of the lists",
	Missing: "list_changes_unreadable", Version: "list_changes_version", Damaged: "list_changes_damaged",
}

// Bounds of a log. The oldest editions are dropped first.
const (
	mostEditions = 400
	mostSteps    = 1 << 21
)

// edition is one edition in a log, oldest first. The first edition has no steps: the steps of the second begin from it.
type edition struct {
	Stamp    [stampSize]byte
	Compared uint32 // a bit for the code of each list that was compared with the previous edition
	Steps    uint32 // number of steps from the previous edition
}

func (e *edition) version() string { return string(e.Stamp[:]) }

// step is an entry of a list that appeared, disappeared or changed between editions.
type step struct {
	Key    uint64
	Text   uint32 // where its text begins
	Length uint16 // of the text
	List   uint8  // code
	States uint8  // before in the high four bits, after in the low four
}

func (s *step) before() uint8 { return s.States >> 4 }
func (s *step) after() uint8  { return s.States & 15 }

type record struct {
	editions []edition
	steps    []step
	texts    []byte

	workers int // goroutines that compare names; zero means one per core
}

// BuildLists adds to an edition the log of the previous one and the changes since, after BuildMatches.
func BuildLists(ctx context.Context, w *snapshot.Writer) error {
	before, release, err := latest(w)
	if err != nil {
		return err
	}
	defer release()
	r := record{workers: w.Workers}
	if before != nil {
		if err := r.follow(ctx, before, w.Unpublished(), w.Version()); err != nil {
			return err
		}
	}
	if len(r.editions) == 0 {
		r.editions = []edition{{Stamp: stamp(w.Version())}}
	}
	return w.WriteFile(LogPath, r.write)
}

func stamp(version string) (s [stampSize]byte) {
	copy(s[:], version)
	return s
}

func (r *record) follow(ctx context.Context, before, after *snapshot.Snapshot, version string) error {
	log, err := OpenLog(before)
	switch {
	case logKind.Unusable(err): // the log begins anew
	case err != nil:
		return err
	default:
		r.editions, r.steps, r.texts = slices.Clone(log.editions), slices.Clone(log.steps), slices.Clone(log.texts)
		if err := log.Close(); err != nil {
			return err
		}
	}
	if len(r.editions) == 0 {
		r.editions = []edition{{Stamp: stamp(before.Manifest.Version)}}
	}
	next := edition{Stamp: stamp(version)}
	known := len(r.steps)
	for i := range followed {
		l := &followed[i]
		compare := r.compareList
		if l.name == Matches {
			compare = r.compareMatches
		}
		compared, err := compare(ctx, l, before, after)
		if err != nil {
			return err
		}
		if compared {
			next.Compared |= 1 << l.code
		}
	}
	next.Steps = uint32(len(r.steps) - known)
	r.editions = append(r.editions, next)
	r.trim()
	return nil
}

func (r *record) compareList(ctx context.Context, l *source, before, after *snapshot.Snapshot) (compared bool, err error) {
	was, is := filesOf(before, l.tables), filesOf(after, l.tables)
	if len(was) != len(l.tables) || len(is) != len(l.tables) {
		return false, nil
	}
	if slices.Equal(was, is) {
		return true, nil // the new edition took over the same files
	}
	// Damage in the previous edition must not prevent the new one.
	if err := before.VerifyFiles(ctx, func(f snapshot.File) bool { return slices.Contains(was, f) }); err != nil {
		return false, ctx.Err()
	}
	old, err := l.read(ctx, before)
	if err != nil {
		return false, ctx.Err()
	}
	now, err := l.read(ctx, after)
	if err != nil {
		return false, err
	}
	r.compare(l, old, now)
	return true, nil
}

func filesOf(s *snapshot.Snapshot, tables []string) (list []snapshot.File) {
	for _, f := range s.Manifest.Files {
		if slices.Contains(tables, f.Table()) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b snapshot.File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// compare adds a step for each entry that differs between two lists sorted by key.
func (r *record) compare(l *source, old, now []entry) {
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && old[0].key < now[0].key:
			r.add(l, &old[0], old[0].state, 0)
			old = old[1:]
		case len(old) == 0 || now[0].key < old[0].key:
			r.add(l, &now[0], 0, now[0].state)
			now = now[1:]
		default:
			if old[0].state != now[0].state {
				r.add(l, &now[0], old[0].state, now[0].state)
			}
			old, now = old[1:], now[1:]
		}
	}
}

const longestText = 1 << 10

func clipped(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), longestText)], "") // the cut may fall within a letter
}

func (r *record) add(l *source, e *entry, before, after uint8) {
	text := clipped(e.text)
	r.steps = append(r.steps, step{Key: e.key, Text: uint32(len(r.texts)), Length: uint16(len(text)), List: l.code, States: before<<4 | after})
	r.texts = append(r.texts, text...)
}

func (r *record) trim() {
	drop, steps := 0, 0
	for len(r.editions)-drop > mostEditions || len(r.steps)-steps > mostSteps {
		drop++
		steps += int(r.editions[drop].Steps)
	}
	if drop == 0 {
		return
	}
	r.editions, r.steps = r.editions[drop:], r.steps[steps:]
	r.editions[0].Steps, r.editions[0].Compared = 0, 0
	gone := uint32(len(r.texts))
	if len(r.steps) > 0 {
		gone = r.steps[0].Text
	}
	r.texts = r.texts[gone:]
	for i := range r.steps {
		r.steps[i].Text -= gone
	}
}

func (r *record) write(out io.Writer) error {
	f := mapped.NewWriter(out, logKind)
	mapped.Add(f, "editions", r.editions)
	mapped.Add(f, "steps", r.steps)
	mapped.Add(f, "texts", r.texts)
	return f.Close()
}

// Log is the opened log of changes to the lists. It is safe for concurrent use.
type Log struct {
	mapped.Guard
	record

	kept   sync.Mutex              // guards recent and totals, keyed by the edition that changes are counted from
	recent map[string]*ListChanges // cached answers
	totals map[string][]ListTotal  // totals of all cached answers, at most one for each edition
}

// OpenLog opens the log of an edition, which is empty for an edition without one.
func OpenLog(s *snapshot.Snapshot) (*Log, error) {
	if !s.Has(LogPath) {
		return &Log{}, nil
	}
	return mapped.Load(s.Dir, LogPath, logKind, readLog)
}

// readLog finds the columns of a file and checks that they fit together.
func readLog(f *mapped.File) *Log {
	l := &Log{Guard: mapped.Guarded(f, errClosed), recent: map[string]*ListChanges{}, totals: map[string][]ListTotal{}}
	l.editions = mapped.Column[edition](f, "editions", mapped.AnyLength)
	l.steps = mapped.Column[step](f, "steps", mapped.AnyLength)
	l.texts = mapped.Column[byte](f, "texts", mapped.AnyLength)
	if f.Err() != nil {
		return l
	}
	steps := 0
	for i := range l.editions {
		e := &l.editions[i]
		steps += int(e.Steps)
		if !snapshot.IsVersion(e.version()) || i > 0 && l.editions[i-1].version() >= e.version() || i == 0 && e.Steps > 0 {
			f.Fail("the editions are out of order")
			return l
		}
	}
	if steps != len(l.steps) {
		f.Fail("it has %d steps where its editions have %d", len(l.steps), steps)
	}
	texts := uint64(0)
	for i := range l.steps {
		s := &l.steps[i]
		j := slices.IndexFunc(followed, func(l source) bool { return l.code == s.List })
		if texts += uint64(s.Length); j < 0 || int(max(s.before(), s.after())) > len(followed[j].states) || uint64(s.Text)+uint64(s.Length) != texts ||
			texts > uint64(len(l.texts)) {
			f.Fail("step %d makes no sense", i)
			return l
		}
		if followed[j].name == Matches {
			if _, _, ok := readMatch(l.text(s)); !ok {
				f.Fail("step %d is no potential match", i)
				return l
			}
		}
	}
	if texts != uint64(len(l.texts)) {
		f.Fail("it has texts of %d bytes where its steps have %d", len(l.texts), texts)
	}
	return l
}

// Versions lists the editions in the log, latest first.
func (l *Log) Versions() []string {
	list := []string{}
	if l.Begin() != nil {
		return list
	}
	defer l.End()
	for i := range slices.Backward(l.editions) {
		list = append(list, l.editions[i].version())
	}
	return list
}

// stepWeight is the memory of a step in an answer in bytes, without its text.
const stepWeight = 128

// Weight estimates the bytes needed to answer Since for an edition.
func (l *Log) Weight(version string) int64 {
	if l.Begin() != nil {
		return 0
	}
	defer l.End()
	at := l.find(version)
	if at < 0 || l.made(version) != nil {
		return 0
	}
	steps := l.after(at)
	if len(steps) == 0 {
		return 0
	}
	return int64(len(steps))*stepWeight + 2*(int64(len(l.texts))-int64(steps[0].Text))
}

func (l *Log) made(version string) *ListChanges {
	l.kept.Lock()
	defer l.kept.Unlock()
	return l.recent[version]
}

func (l *Log) find(version string) int {
	return slices.IndexFunc(l.editions, func(e edition) bool { return e.version() == version })
}

func (l *Log) after(at int) []step {
	from := 0
	for i := range at + 1 {
		from += int(l.editions[i].Steps)
	}
	return l.steps[from:]
}

// At is the latest edition when a build was stamped, empty if that is before the log.
func (l *Log) At(build string) string {
	for _, version := range l.Versions() {
		if version <= build {
			return version
		}
	}
	return ""
}

// ListChanges are the changes of the lists since an edition.
type ListChanges struct {
	Lists []ListTotal
	List  []ListChange // sorted by list, then by EIN or name
}

type ListTotal struct {
	Name     string
	Compared bool           // both editions, and all between them, have the list
	Counts   map[string]int // by change
}

// ListChange is one changed entry: with an EIN, or a name and a reference, which is the number of the entity or the bulletin.
type ListChange struct {
	List      string
	Change    string // its state now
	Was       string // its state before, empty if it was not on the list
	EIN       ein.EIN
	Name      string
	Reference string
	Match     *Match // only for list Matches
}

const (
	mostRecent = 4
	mostKept   = 1 << 16
)

// Since lists the changes since an edition. The answer is shared: callers must not change it.
func (l *Log) Since(version string) (c *ListChanges, known bool) {
	if l.Begin() != nil {
		return nil, false
	}
	defer l.End()
	at := l.find(version)
	if at < 0 {
		return nil, false
	}
	if c = l.made(version); c != nil {
		return c, true
	}
	c = l.since(at)
	l.kept.Lock()
	defer l.kept.Unlock()
	l.totals[version] = c.Lists
	if len(c.List) > mostKept {
		return c, true
	}
	if len(l.recent) >= mostRecent {
		clear(l.recent)
	}
	l.recent[version] = c
	return c, true
}

// Totals counts the changes since an edition. It is Since without the rows.
func (l *Log) Totals(version string) (totals []ListTotal, known bool) {
	l.kept.Lock()
	totals, known = l.totals[version]
	l.kept.Unlock()
	if known {
		return totals, true
	}
	c, known := l.Since(version)
	if !known {
		return nil, false
	}
	return c.Lists, true
}

// since combines the steps after an edition. The first step of an entry gives its old state and the last step its new state.
func (l *Log) since(at int) *ListChanges {
	compared := ^uint32(0)
	for i := range l.editions[at+1:] {
		compared &= l.editions[at+1+i].Compared
	}
	steps := slices.Clone(l.after(at))
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Key, b.Key)) })
	c := &ListChanges{List: []ListChange{}}
	for i := range followed {
		f := &followed[i]
		t := ListTotal{Name: f.name, Compared: compared&(1<<f.code) != 0, Counts: map[string]int{}}
		for _, word := range Words(f.name) {
			t.Counts[word] = 0
		}
		first := slices.IndexFunc(steps, func(s step) bool { return s.List == f.code })
		for j := max(first, 0); t.Compared && first >= 0 && j < len(steps) && steps[j].List == f.code; {
			k := j
			for k+1 < len(steps) && steps[k+1].List == f.code && steps[k+1].Key == steps[j].Key {
				k++
			}
			if x, changed := l.change(f, &steps[j], &steps[k]); changed {
				c.List = append(c.List, x)
				t.Counts[x.Change]++
			}
			j = k + 1
		}
		c.Lists = append(c.Lists, t)
	}
	return c
}

func (l *Log) change(f *source, first, last *step) (x ListChange, changed bool) {
	was, is := first.before(), last.after()
	if was == is {
		return x, false
	}
	x = ListChange{List: f.name, Change: f.gone()}
	if was > 0 {
		x.Was = f.states[was-1]
	}
	if is > 0 {
		x.Change = f.states[is-1]
	}
	switch {
	case f.name == Matches:
		x.EIN = ein.EIN(last.Key >> entityBits)
		x.Reference, x.Match, _ = readMatch(l.text(last))
	case ByName(f.name):
		x.Reference, x.Name, _ = strings.Cut(l.text(last), "\n")
	default:
		x.EIN = ein.EIN(last.Key)
	}
	return x, true
}

func (l *Log) text(s *step) string { return string(l.texts[s.Text : s.Text+uint32(s.Length)]) }

type InventedEdition struct {
	Version string
	Changes []ListChange // since the edition before
}

// NewLog makes a log of a few editions in memory. Every edition has all lists.
func NewLog(editions []InventedEdition) (*Log, error) {
	var r record
	for i, x := range editions {
		e := edition{Stamp: stamp(x.Version)}
		if i > 0 {
			e.Compared, e.Steps = ^uint32(0), uint32(len(x.Changes))
			for _, c := range x.Changes {
				l := &followed[slices.IndexFunc(followed, func(l source) bool { return l.name == c.List })]
				code := func(word string) uint8 { return uint8(slices.Index(l.states, word) + 1) }
				entry := entry{key: uint64(c.EIN)}
				switch {
				case l.name == Matches:
					entity, err := strconv.ParseInt(c.Reference, 10, 64)
					if err != nil {
						return nil, fmt.Errorf("an invented entity: %w", err)
					}
					entry = matching(c.EIN, entity, c.Match)
				case ByName(l.name):
					entry = textual(c.Reference, c.Name)
				}
				r.add(l, &entry, code(c.Was), code(c.Change))
			}
		}
		r.editions = append(r.editions, e)
	}
	return mapped.InMemory(logKind, r.write, readLog)
}
