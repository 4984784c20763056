// Package edition makes editions of the compliance lists: it reads the files that a fetcher or a person has
// put among the sources, and publishes their rows as tables that a service can take up while it runs.
package edition

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/fetch"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Options say from where to take the compliance lists and where to put the edition.
type Options struct {
	Sources string
	Data    string
	// Indexers derive what the serving side needs from the tables of a new edition.
	Indexers []snapshot.Indexer
	Workers  int                     // 0 means one per core
	Progress func(done, total int64) // of the lists; may be nil
	Now      func() time.Time        // nil means the clock
}

type Result struct {
	Edition *lists.Edition
	Read    []string // lists that were read anew
	Changed bool     // whether a new edition was published

	// Warnings are about this machine and not about the lists: damage that was
	// repaired, older editions that could not be removed.
	Warnings []string
}

// keptEditions is how many editions of the lists stay on disk: enough for a service that still reads the edition before.
const keptEditions = 3

// Make makes a new edition of the compliance lists from the files among the sources. A list whose files have
// not changed is taken over as it is. A list whose files cannot be read keeps its last good rows and dates,
// and its state says why. If no list changed, there is no new edition.
func Make(ctx context.Context, opt Options) (*Result, error) {
	sources, err := discover.Lists(ctx, opt.Sources)
	if err != nil {
		return nil, err
	}
	dir := lists.Dir(opt.Data)
	release, err := snapshot.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	result := &Result{}
	last, err := lists.Open(opt.Data)
	if f, ok := fault.Of(err); ok && slices.Contains(unusable, f.Slug) {
		// Everything is read again, as the first time.
		result.Warnings = append(result.Warnings, "the edition of the lists before this one cannot be used, so all of them are read again: "+err.Error())
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	now := time.Now
	if opt.Now != nil {
		now = opt.Now
	}
	w, err := snapshot.Create(dir, now())
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	w.Workers = opt.Workers
	var (
		states  []lists.Status
		damaged bool
		used    = []snapshot.Source{}
	)
	all, err := loadAll(ctx, opt, w, sources, last)
	if err != nil {
		return nil, err
	}
	for i, got := range all {
		l := &loaders[i]
		if got.damage != nil {
			damaged = true
			result.Warnings = append(result.Warnings, got.damage.Error())
		}
		states = append(states, got.state)
		if got.files != nil {
			result.Read = append(result.Read, l.name)
			used = append(used, got.files...)
			continue
		}
		if last != nil {
			for _, f := range last.Manifest.Sources {
				if f.Kind == l.source {
					used = append(used, f)
				}
			}
		}
	}
	if err := noteChecks(opt); err != nil {
		return nil, err
	}
	if last != nil && !damaged && sameLists(last.Lists, states) && indexed(last, opt.Indexers) {
		result.Edition = last
		return result, nil
	}
	body, err := json.Marshal(lists.Report{Lists: states})
	if err != nil {
		return nil, fmt.Errorf("encoding the state of the lists: %w", err)
	}
	for _, x := range opt.Indexers {
		if err := x.Write(ctx, w); err != nil {
			return nil, err
		}
	}
	if err := w.Verify(ctx); err != nil {
		return nil, err
	}
	s, err := w.Publish(snapshot.Manifest{Invented: sources.Invented, Sources: used, Report: body})
	if err != nil {
		return nil, err
	}
	result.Changed = true
	result.Edition = &lists.Edition{Snapshot: s, Lists: states}
	// The edition is published; an older one that stays takes only disk space.
	if err := snapshot.Prune(dir, keptEditions); err != nil {
		result.Warnings = append(result.Warnings, "the new edition of the lists is published, but older ones could not be removed: "+err.Error())
	}
	return result, nil
}

type loadedList struct {
	state  lists.Status
	files  []snapshot.Source // it was read from these; nil if its tables were taken over
	damage error             // why the tables of the last edition cannot be taken over
}

// listsAtOnce bounds the lists that are read side by side: each list is held in
// memory until it is written, and a service answers requests meanwhile.
const listsAtOnce = 2

func loadAll(ctx context.Context, opt Options, w *snapshot.Writer, sources *discover.Sources, last *lists.Edition) ([]loadedList, error) {
	var (
		all  = make([]loadedList, len(loaders))
		mu   sync.Mutex
		done int64
	)
	show := func(n int64) {
		if opt.Progress != nil {
			opt.Progress(n, int64(len(loaders)))
		}
	}
	show(0)
	// An error here is one of this machine, and rare: lists that are being read are read to their end, unless the caller stops.
	err := parallel.Each(ctx, min(cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)), listsAtOnce), len(loaders), func(_ context.Context, i int) (err error) {
		all[i], err = loaders[i].load(ctx, w, sources, last)
		mu.Lock()
		defer mu.Unlock()
		done++
		show(done)
		return err
	})
	return all, err
}

// indexed reports whether an edition has every index. An edition that an earlier version of the program made may lack one.
func indexed(e *lists.Edition, all []snapshot.Indexer) bool {
	return !slices.ContainsFunc(all, func(x snapshot.Indexer) bool { return x.Path != "" && !e.Has(x.Path) })
}

// unusable are the slugs of the errors of an edition that is damaged, gone, or
// of another program. All lists are read again then.
var unusable = []string{"bad_manifest", "bad_pointer", "no_such_snapshot", "snapshot_format"}

// fetchState is what the fetcher has noted of a source. Damaged notes count as
// none: the fetcher reports them itself, and the files are good without them.
func fetchState(dir, name string) (fetch.State, error) {
	state, err := fetch.ReadState(dir, name)
	if f, ok := fault.Of(err); ok && f.Slug == fetch.StateDamaged {
		return fetch.State{}, nil
	}
	return state, err
}

// noteChecks keeps what the fetcher saw upstream where the serving side finds
// it. There is nothing to keep of a list that a person has put there.
func noteChecks(opt Options) error {
	var checks []lists.Check
	for _, l := range loaders {
		state, err := fetchState(opt.Sources, l.source)
		if err != nil {
			return err
		}
		if state.CheckedAt.IsZero() {
			continue
		}
		c := lists.Check{Name: l.name, CheckedAt: state.CheckedAt.UTC().Truncate(time.Second), UpstreamRevised: state.UpstreamRevised}
		if n := len(state.Refused); n > 0 && !state.Refused[n-1].At.Before(state.CheckedAt) {
			c.Problem = state.Refused[n-1].Reason
		}
		checks = append(checks, c)
	}
	return lists.WriteChecks(opt.Data, checks)
}

func sameLists(a, b []lists.Status) bool {
	x, errx := json.Marshal(a)
	y, erry := json.Marshal(b)
	return errx == nil && erry == nil && string(x) == string(y)
}

type loader struct {
	name    string
	source  string // its name among the sources
	version int    // grows when the same files would be read differently
	tables  []string
	read    readList
}

type upstreamFile struct {
	rel, abs string
	sha256   string
	bytes    int64
	rows     int64 // filled in by the reader
	fetched  time.Time
	revised  string
	given    bool   // a person has put it there
	dated    string // the newest date in its rows, filled in by the reader
}

var loaders = []loader{
	{lists.BMF, "bmf", 3, []string{lists.Masters}, masters.load},
	{lists.CAFTB, "caftb", 2, []string{lists.FTBRecords}, ftbRecords.load},
	{lists.CARegistry, "careg", 2, []string{lists.Registrations}, readRegistrations},
	{lists.IRB, "irb", 3, []string{lists.Deletions, lists.Bulletins}, readBulletins},
	{lists.OFAC, "ofac", 2, []string{lists.Sanctions, lists.SanctionNames, lists.SanctionPlaces}, readSanctions},
	{lists.Pub78, "pub78", 2, []string{lists.Deductibles}, deductibles.load},
	{lists.Revocation, "revocation", 2, []string{lists.Revocations}, revocations.load},
}

// load brings one list into the edition: it reads the files of the list, or takes
// over the tables of the last edition unless they are damaged.
func (l *loader) load(ctx context.Context, w *snapshot.Writer, sources *discover.Sources, last *lists.Edition) (got loadedList, err error) {
	files, print, err := l.files(ctx, sources)
	if err != nil {
		return got, err
	}
	before := last.Status(l.name)
	if before.Loaded {
		err := last.VerifyFiles(ctx, func(f snapshot.File) bool { return slices.Contains(l.tables, f.Table()) })
		if f, ok := fault.Of(err); ok && f.Slug == snapshot.Damaged {
			got.damage = fmt.Errorf("the list %s was read again: %w", l.name, err)
			before = lists.Status{Name: l.name, Problem: err.Error()}
		} else if err != nil {
			return got, err
		}
	}
	if before.Loaded && before.Files == print {
		before.Problem = ""
		l.setDates(&before, files)
		return loadedList{state: before}, l.adopt(w, last)
	}
	problem := "there is no file of it among the sources"
	if len(files) > 0 {
		got.state = lists.Status{Name: l.name, Files: print, Tables: l.tables}
		write, err := l.read(ctx, files, &got.state)
		if err == nil && !sources.Invented {
			err = l.incomplete(files)
		}
		if err == nil && (l.name == lists.OFAC || !sources.Invented) { // invented worlds come in several sizes
			err = l.shrunken(&before, &got.state)
		}
		if err == nil {
			got.state.Loaded = true
			l.setDates(&got.state, files)
			if l.name == lists.BMF {
				got.state.Parts = partsOf(sources)
			}
			for _, f := range files {
				got.files = append(got.files, snapshot.Source{Kind: l.source, Path: f.rel, Bytes: f.bytes, SHA256: f.sha256, Rows: f.rows})
			}
			return got, write(w)
		}
		if ctx.Err() != nil {
			return got, ctx.Err()
		}
		// A bad file must not hold up the other lists.
		problem = err.Error()
	}
	before.Problem = problem
	if before.Loaded {
		return loadedList{state: before}, l.adopt(w, last)
	}
	got.state = lists.Status{Name: l.name, Problem: problem}
	if got.damage != nil {
		got.damage = fmt.Errorf("the list %s is lost: what was loaded is damaged (%w), and rereading it failed: %s", l.name, got.damage, problem)
	}
	return got, nil
}

// incomplete refuses files that have fewer rows than they can plausibly have. The fetcher checks
// files in the same way; this check is for files that a person has put there.
func (l *loader) incomplete(files []upstreamFile) error {
	from, _ := source.Find(l.source)
	for _, f := range files {
		if least := from.Floor(f.rel); f.given && f.rows < least {
			return fmt.Errorf("incomplete list: %s has %d rows, and a complete one at least %d", f.name(), f.rows, least)
		}
	}
	return nil
}

// regions are the four files in which the IRS posts the whole master file, with the states of each. The fourth
// also has organizations abroad, which a file of its own has too: eo_xx.
var regions = map[string]string{
	"eo1": "ct ma me nh nj ny ri vt",
	"eo2": "dc de ia il in ky md mi mn nc nd ne oh pa sc sd va wi wv",
	"eo3": "ak al ar az ca co fl ga hi id ks la mo ms mt nm nv ok or tn tx ut wa wy",
	"eo4": "pr xx vi gu mp as aa ae ap",
}

// partsOf names the states of a master file that is not whole. A posting by states is whole with those of the first
// three regions, Puerto Rico and abroad: it has no files of the smaller territories.
func partsOf(sources *discover.Sources) (parts []string) {
	for _, m := range sources.Masters {
		if m.Older {
			continue
		}
		for state := range strings.FieldsSeq(cmp.Or(regions[m.Part], strings.TrimPrefix(m.Part, "eo_"))) {
			parts = append(parts, "eo_"+state)
		}
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	for state := range strings.FieldsSeq(regions["eo1"] + " " + regions["eo2"] + " " + regions["eo3"] + " pr xx") {
		if !slices.Contains(parts, "eo_"+state) {
			return parts
		}
	}
	return nil
}

// shrunken refuses a list that has lost a tenth of its entries, because screening would clear those that were cut off. The
// fetcher checks files in the same way; this check is for files that a person has put there. A master file may be given with
// fewer states than before, and says which.
func (l *loader) shrunken(before, now *lists.Status) error {
	if l.name != lists.BMF && before.Loaded && now.Rows*10 < before.Rows*9 {
		return fmt.Errorf("incomplete list: it has %d entries where %d were there before, so it is cut short", now.Rows, before.Rows)
	}
	return nil
}

func (l *loader) adopt(w *snapshot.Writer, last *lists.Edition) error {
	for _, t := range l.tables {
		if err := w.Adopt(last.Snapshot, t); err != nil {
			return err
		}
	}
	return nil
}

// files lists the files of the list with what the fetcher noted about them, and a fingerprint of them all.
func (l *loader) files(ctx context.Context, sources *discover.Sources) (files []upstreamFile, print string, err error) {
	names := sources.Files[l.name]
	if l.name == lists.BMF {
		names = nil
		for _, m := range sources.Masters {
			if !m.Older {
				names = append(names, m.Path)
			}
		}
	}
	state, err := fetchState(sources.Root, l.source)
	if err != nil {
		return nil, "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, l.version)
	for _, rel := range names {
		f := upstreamFile{rel: rel, abs: sources.Abs(rel)}
		if f.sha256, f.bytes, err = discover.Hash(ctx, f.abs); err != nil {
			return nil, "", err
		}
		fmt.Fprintln(h, f.sha256, rel)
		if i := slices.IndexFunc(state.Files, func(s fetch.File) bool { return s.Path == rel && s.SHA256 == f.sha256 }); i >= 0 {
			f.fetched, f.revised = state.Files[i].FetchedAt, state.Files[i].Revised
		} else {
			// A person has put the file there. The time of a file says when it was copied, not how old it is.
			f.given, f.revised = true, cmp.Or(discover.Dated(rel), zipDate(f.abs))
		}
		files = append(files, f)
	}
	return files, hex.EncodeToString(h.Sum(nil)), nil
}

// zipDate is the date that the publisher gave the file in a zip, or "".
func zipDate(path string) string {
	z, err := zip.OpenReader(path)
	if err != nil {
		return "" // the reader of the list says what is wrong with it
	}
	defer z.Close()
	if len(z.File) != 1 || z.File[0].Modified.Year() < 2000 {
		return ""
	}
	return z.File[0].Modified.Format(time.DateOnly)
}

// lagMonths is how many months the newest row of a list may be older than the list.
const lagMonths = 3

// givenDate is the date of a file that a person has put there. A name can be wrong, so the rows
// decide when they are much older.
func (f *upstreamFile) givenDate() string {
	late := func(s string) string {
		t, err := time.Parse("2006-01", s[:min(len(s), len("2006-01"))])
		if err != nil {
			return ""
		}
		return t.AddDate(0, lagMonths, 0).Format("2006-01")
	}
	if f.dated != "" && (f.revised == "" || late(f.dated) < f.revised[:min(len(f.revised), len("2006-01"))]) {
		return f.dated
	}
	return f.revised
}

// setDates fills in when the files were fetched and how old they are, unless the reader found the date in the list itself.
func (l *loader) setDates(state *lists.Status, files []upstreamFile) {
	for i := range files {
		f := &files[i]
		if f.fetched.After(state.FetchedAt) {
			state.FetchedAt = f.fetched
		}
		if f.given {
			f.revised = f.givenDate()
		}
	}
	if l.name != lists.IRB && slices.ContainsFunc(files, func(f upstreamFile) bool { return f.given }) {
		state.FetchedAt = time.Time{}
	}
	if state.Revised != "" {
		return
	}
	for _, f := range files {
		if f.revised == "" && f.given {
			state.Revised, state.RevisedNewest = "", "" // of a part nobody knows how old it is
			return
		}
		noteDate(state, f.revised)
	}
}

func setCounts(state *lists.Status, t rows.Tally) {
	state.Rows = t.Rows
	for _, r := range t.Rejected {
		state.Rejected = append(state.Rejected, lists.Rejection(r))
	}
}
