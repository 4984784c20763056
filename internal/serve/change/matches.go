package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped"
)

// MatchesPath is the file of potential matches in an edition: whose names screening finds on the sanctions list.
const MatchesPath = snapshot.HistoryDir + "/matches.gg"

var matchesKind = &mapped.Kind{
	Magic: "GGmatch1", Name: "potential matches with the sanctions list",
	Missing: "list_matches_unreadable", Version: "list_matches_version", Damaged: "list_matches_damaged",
}

// Bounds of an edition for comparison, far above the usual. The matches of a larger edition are unknown.
const (
	mostMatches = 1 << 18
	mostListed  = 200_000
)

// terms are the conditions under which potential matches were found.
type terms struct {
	Comparison uint32 // version of the comparison
	Lists      uint32 // a bit for each table with names
	Sanctions  uint64 // fingerprint of the names on the sanctions list; zero if matches are unknown
}

type matchSet struct {
	terms
	list []entry
}

// Match is a potential match of names between an organization and a sanctioned entity.
type Match struct {
	Listed   string  // the name on the sanctions list
	Name     string  // the organization's most similar name
	Score    float64 // as in a screening
	Strength string  // as in a screening
}

// strengths are the states of a match, from 1. A change of strength is reported again.
var strengths = []string{screen.Possible, screen.Strong, screen.Exact}

// entityBits is the number of low bits of a key that hold the entity's number. The EIN is above them.
const entityBits = 34

// longestName bounds each name of a match, so that its text fits into longestText.
const longestName = 400

func matching(e ein.EIN, entity int64, m *Match) entry {
	line := func(name string) string {
		name = strings.ReplaceAll(name[:min(len(name), longestName)], "\n", " ")
		return strings.ToValidUTF8(name, "") // the cut may fall within a letter
	}
	score := strconv.FormatFloat(m.Score, 'f', 4, 64)
	return entry{
		key:   uint64(e)<<entityBits | uint64(entity)&(1<<entityBits-1),
		state: uint8(slices.Index(strengths, m.Strength) + 1),
		text:  strings.Join([]string{strconv.FormatInt(entity, 10), score, m.Strength, line(m.Listed), line(m.Name)}, "\n"),
	}
}

// readMatch parses the text of a potential match, which begins with the entity's number.
func readMatch(text string) (entity string, m *Match, ok bool) {
	part := strings.SplitN(text, "\n", 5)
	if len(part) != 5 {
		return "", nil, false
	}
	score, err := strconv.ParseFloat(part[1], 64)
	if err != nil || !(score > 0 && score <= 1) || !slices.Contains(strengths, part[2]) {
		return "", nil, false
	}
	return part[0], &Match{Listed: part[3], Name: part[4], Score: score, Strength: part[2]}, true
}

// BuildMatches adds the potential matches to an edition, for its log and the next. It runs before BuildLists.
func BuildMatches(ctx context.Context, w *snapshot.Writer) error {
	before, release, err := latest(w)
	if err != nil {
		return err
	}
	defer release()
	set, err := findMatches(ctx, w.Unpublished(), before, w.Workers)
	if err != nil {
		return err
	}
	return w.WriteFile(MatchesPath, set.write)
}

func latest(w *snapshot.Writer) (before *snapshot.Snapshot, release func(), err error) {
	kept, err := w.Kept()
	if n := len(kept); err == nil && n > 0 {
		if release, err := kept[n-1].Hold(); err == nil { // otherwise it is being removed
			return kept[n-1], release, nil
		}
	}
	return nil, func() {}, err
}

// findMatches finds the potential matches of an edition. If the sanctions list has the names of the previous edition, only
// changed organizations are compared. Otherwise one new name may lift or lower others across the threshold.
func findMatches(ctx context.Context, s, before *snapshot.Snapshot, workers int) (*matchSet, error) {
	set := &matchSet{terms: terms{Comparison: screen.Comparison}}
	for i, table := range screen.NameTables() {
		if s.RowsOf(table) > 0 {
			set.Lists |= 1 << i
		}
	}
	everybody, err := screen.NewEverybody(s)
	if err != nil || everybody == nil || everybody.Names > mostListed {
		return set, err
	}
	set.Sanctions = everybody.Fingerprint
	f := finder{ctx: ctx, everybody: everybody, workers: workers}
	if before != nil {
		last, err := openMatches(before)
		switch {
		case err != nil: // compare all again
		case last.Comparison != set.Comparison || last.Sanctions != set.Sanctions:
		case slices.Equal(filesOf(before, screen.NameTables()), filesOf(s, screen.NameTables())):
			set.list = last.list
			return set, nil
		default:
			// Its results are reused for organizations with unchanged names.
			f.next, f.stop = iter.Pull2(screen.Organizations(ctx, before))
			defer f.stop()
			f.old = last.list
			f.step()
		}
	}
	for org, err := range screen.Organizations(ctx, s) {
		if err != nil {
			return nil, err
		}
		if err := f.add(org); err != nil {
			return nil, err
		}
		if len(f.found) > mostMatches {
			break
		}
	}
	if err := f.flush(); err != nil {
		return nil, err
	}
	if len(f.found) > mostMatches {
		set.Sanctions = 0
		return set, nil
	}
	set.list = inOrder(f.found)
	return set, nil
}

type finder struct {
	ctx       context.Context
	everybody *screen.Everybody
	workers   int
	waiting   []screen.Named
	found     []entry

	// The previous edition, whose results are reused for unchanged names.
	next func() (screen.Named, error, bool) // nil if its results cannot be reused
	stop func()
	was  screen.Named // its next organization
	old  []entry      // its matches from that organization on
}

const (
	batchSize = 1 << 14
	shareSize = 1 << 8
)

// step moves on in the previous edition. After its end or an error, the rest is compared.
func (f *finder) step() {
	org, err, more := f.next()
	if f.was = org; err != nil || !more {
		f.next = nil
	}
}

func (f *finder) add(org screen.Named) error {
	for f.next != nil && f.was.EIN < org.EIN {
		f.step()
	}
	if f.next != nil && f.was.EIN == org.EIN && slices.Equal(f.was.Names, org.Names) {
		for len(f.old) > 0 && f.old[0].key>>entityBits < uint64(org.EIN) {
			f.old = f.old[1:]
		}
		for len(f.old) > 0 && f.old[0].key>>entityBits == uint64(org.EIN) {
			f.found, f.old = append(f.found, f.old[0]), f.old[1:]
		}
		return nil
	}
	if f.waiting = append(f.waiting, org); len(f.waiting) < batchSize {
		return nil
	}
	return f.flush()
}

func (f *finder) flush() error {
	shares := make([][]entry, (len(f.waiting)+shareSize-1)/shareSize)
	err := parallel.Each(f.ctx, f.workers, len(shares), func(_ context.Context, k int) error {
		for _, org := range f.waiting[k*shareSize : min(len(f.waiting), (k+1)*shareSize)] {
			for _, m := range f.everybody.Matches(org.Names) {
				shares[k] = append(shares[k], matching(org.EIN, m.EntNum, &Match{m.MatchedName, m.QueryName, m.Score, m.Strength}))
			}
		}
		return nil
	})
	f.waiting = f.waiting[:0]
	f.found = append(f.found, slices.Concat(shares...)...)
	return err
}

func (m *matchSet) write(out io.Writer) error {
	var keys []uint64
	var ends []uint32
	var texts []byte
	for i := range m.list {
		texts = append(texts, clipped(m.list[i].text)...)
		keys, ends = append(keys, m.list[i].key), append(ends, uint32(len(texts)))
	}
	f := mapped.NewWriter(out, matchesKind)
	mapped.Add(f, "terms", []terms{m.terms})
	mapped.Add(f, "keys", keys)
	mapped.Add(f, "ends", ends)
	mapped.Add(f, "texts", texts)
	return f.Close()
}

// openMatches reads the potential matches of an edition; with an error it has none to use.
func openMatches(s *snapshot.Snapshot) (*matchSet, error) {
	f, err := mapped.Open(filepath.Join(s.Dir, filepath.FromSlash(MatchesPath)), matchesKind)
	if err != nil {
		return nil, err
	}
	m := readMatches(f)
	return m, errors.Join(f.Err(), f.Close())
}

// readMatches copies and checks the content of a file.
func readMatches(f *mapped.File) *matchSet {
	head := mapped.Column[terms](f, "terms", 1)
	keys := mapped.Column[uint64](f, "keys", mapped.AnyLength)
	ends := mapped.Column[uint32](f, "ends", len(keys))
	texts := mapped.Column[byte](f, "texts", mapped.AnyLength)
	if f.Err() != nil {
		return nil
	}
	m := &matchSet{terms: head[0]}
	from := uint32(0)
	for i, key := range keys {
		if i > 0 && keys[i-1] >= key || ends[i] < from || int(ends[i]) > len(texts) {
			f.Fail("match %d is out of order", i)
			return nil
		}
		text := string(texts[from:ends[i]])
		_, match, ok := readMatch(text)
		if !ok {
			f.Fail("match %d makes no sense", i)
			return nil
		}
		m.list = append(m.list, entry{key, uint8(slices.Index(strengths, match.Strength) + 1), text})
		from = ends[i]
	}
	if int(from) != len(texts) || len(keys) > mostMatches {
		f.Fail("it has %d matches and texts of %d bytes where they have %d", len(keys), len(texts), from)
		return nil
	}
	return m
}

// compareMatches adds the steps of the potential matches, unless an edition has none or names of other lists.
func (r *record) compareMatches(ctx context.Context, l *source, before, after *snapshot.Snapshot) (compared bool, err error) {
	if !after.Has(MatchesPath) {
		return false, nil
	}
	now, err := openMatches(after)
	if err != nil {
		return false, fmt.Errorf("the potential matches of the new edition: %w", err)
	}
	if now.Sanctions == 0 {
		return false, nil
	}
	old, err := openMatches(before)
	if err == nil && old.Comparison != now.Comparison {
		// The log's matches were found in another way, so its steps do not lead here.
		for i := range r.editions {
			r.editions[i].Compared &^= 1 << l.code
		}
	}
	if err != nil || old.Comparison != now.Comparison {
		if old, err = foundAgain(ctx, before, r.workers); err != nil {
			return false, ctx.Err()
		}
	}
	if old.Sanctions == 0 || old.Lists != now.Lists {
		return false, nil
	}
	r.compare(l, old.list, now.list)
	return true, nil
}

// foundAgain finds the potential matches of an edition whose own are damaged or of an earlier program.
func foundAgain(ctx context.Context, s *snapshot.Snapshot, workers int) (*matchSet, error) {
	tables := append(screen.NameTables(), lists.Sanctions, lists.SanctionNames, lists.SanctionPlaces)
	if err := s.VerifyFiles(ctx, func(f snapshot.File) bool { return slices.Contains(tables, f.Table()) }); err != nil {
		return nil, err
	}
	return findMatches(ctx, s, nil, workers)
}
