// Package fetch downloads upstream files into the sources folder and keeps them current. It is polite to servers (conditional
// requests, pauses, Retry-After) and resumes broken downloads. Before a new file replaces an old one, the reader that will use
// it checks it. If anything goes wrong, the last good file stays, and the state of the source says what was refused and why.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/parallel"
)

type Options struct {
	Dir     string            // the sources folder
	Sources []string          // names of the catalog; none means all
	Client  *http.Client      // nil is one of the fetcher's own
	Base    map[string]string // mirror by source, instead of the publisher's address
	Since   time.Time         // leave out what was published before; zero is all
	DryRun  bool              // only report what is new
	// Floor overrides the minimum rows per source. A mirror of an invented world has lists that are shorter than the real ones.
	Floor map[string]int64
	// Progress is called without a file when work on a source begins, and then with how much of a file has
	// arrived. total is -1 if the server does not say. done equals total once the file is in place.
	Progress func(source, file string, done, total int64)

	// The clock, for tests. Sleep waits between requests and returns early when the context ends; After
	// bounds how long a server may be silent; Jitter, in [0,1), spreads retries.
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	After  func(d time.Duration) <-chan time.Time
	Jitter func() float64
}

// Summary is the outcome of a run, with one result per source.
type Summary struct {
	Results []Result `json:"sources"`
}

type Result struct {
	Source      string   `json:"source"`
	Files       int      `json:"files"` // held now
	New         int      `json:"new"`
	Unchanged   int      `json:"unchanged"`
	Refused     int      `json:"refused"`
	Replaced    int      `json:"replaced"`    // new files whose date did not change
	Rows        int64    `json:"rows"`        // of the files held
	Bytes       int64    `json:"bytes"`       // of the files held
	Transferred int64    `json:"transferred"` // in this run
	Revised     string   `json:"revised"`     // newest of the files held
	Missing     []string `json:"missing"`     // named upstream but missing
	Problems    []string `json:"problems"`    // refusals and failures, with reasons
	Note        string   `json:"note,omitempty"`
	Wanted      []Want   `json:"wanted,omitempty"` // in a dry run: what a real run would download
}

// Want is a file that upstream has and we do not, or that is newer upstream.
type Want struct {
	Path  string `json:"path"`
	URL   string `json:"url"`
	Bytes int64  `json:"bytes"` // -1 when the server does not say
}

// Failed reports whether something went wrong and we hold no file to continue with.
func (r *Result) Failed() bool { return len(r.Problems) > 0 && r.Files == 0 }

func (s *Summary) Failed() (names []string) {
	for i := range s.Results {
		if s.Results[i].Failed() {
			names = append(names, s.Results[i].Source)
		}
	}
	return names
}

type run struct {
	Options
	client *http.Client
	asked  bool // a request has been made, so the next one pauses first
}

// Run fetches what is new. A source that fails does not stop the others; its Result says what went wrong. The
// error is about the run itself: an unknown source, a folder that cannot be written, or a canceled context.
// The summary covers what was done until then.
func Run(ctx context.Context, o Options) (*Summary, error) {
	list, err := choose(&o)
	if err != nil {
		return nil, err
	}
	r := newRun(o)
	if !o.DryRun {
		if err := disk.MkdirAll(filepath.Join(o.Dir, folder), 0o755); err != nil {
			return nil, fault.Disk(o.Dir, err)
		}
	}
	sum := &Summary{Results: []Result{}}
	for i := range list {
		result, err := r.source(ctx, &list[i])
		sum.Results = append(sum.Results, result)
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// choose finds the requested sources, and translates the names in the options to those of the catalog.
func choose(o *Options) (list []source.Source, err error) {
	if o.Base, err = byName(o.Base); err != nil {
		return nil, err
	}
	if o.Floor, err = byName(o.Floor); err != nil {
		return nil, err
	}
	for _, name := range o.Sources {
		s, err := findSource(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(have source.Source) bool { return have.Name == s.Name }) {
			list = append(list, s)
		}
	}
	if len(o.Sources) == 0 {
		list = source.All()
	}
	return list, nil
}

func byName[V any](options map[string]V) (map[string]V, error) {
	named := map[string]V{}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		s, err := findSource(name)
		if err != nil {
			return nil, err
		}
		named[s.Name] = options[name]
	}
	return named, nil
}

func findSource(name string) (source.Source, error) {
	s, ok := source.Find(name)
	if !ok {
		return s, fault.New("unknown_source", "there is no source %q", name).Try("one of %s", strings.Join(source.Names(), ", "))
	}
	return s, nil
}

func newRun(o Options) *run {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Sleep == nil {
		o.Sleep = parallel.Pause
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Progress == nil {
		o.Progress = func(string, string, int64, int64) {}
	}
	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	}
	client.CheckRedirect = checkRedirect
	return &run{Options: o, client: &client}
}

type job struct {
	*run
	src     *source.Source
	at      time.Time // when the work began
	silent  bool      // some file got no answer
	state   State
	result  Result
	seen    map[string]bool      // paths that were dealt with
	pending map[string][]arrival // checked files of editions that are not complete yet, by set
	sets    map[string][]string  // paths of each set
	broken  map[string]bool      // sets for which a file could not be fetched
}

// source fetches one source. Its error ends the run; what is wrong with the source alone goes into the result.
func (r *run) source(ctx context.Context, s *source.Source) (result Result, err error) {
	j := &job{run: r, src: s, at: r.Now().UTC(), seen: map[string]bool{}, pending: map[string][]arrival{}, sets: map[string][]string{}, broken: map[string]bool{}}
	r.Progress(s.Name, "", 0, -1)
	j.result = Result{Source: s.Name, Missing: []string{}, Problems: []string{}}
	if !r.DryRun {
		release, err := lock(r.Dir, s.Name)
		if err != nil {
			err = j.cannotBegin(err)
			return j.result, err
		}
		defer release()
	}
	if j.state, err = ReadState(r.Dir, s.Name); err != nil {
		err = j.cannotBegin(err)
		return j.result, err
	}
	j.state.Source = s.Name
	err = j.work(ctx)
	j.sum()
	return j.result, err
}

// cannotBegin records that the source cannot be processed: another fetcher
// holds it, or its state is unreadable and must not be overwritten.
func (j *job) cannotBegin(err error) error {
	if fatal(err) {
		return err
	}
	text := err.Error()
	if f, ok := fault.Of(err); ok && f.Hint != "" {
		text += "; " + f.Hint
	}
	j.result.Problems = append(j.result.Problems, text)
	return nil
}

// fatal reports whether an error comes from the disk, so that continuing is pointless.
func fatal(err error) bool {
	f, ok := fault.Of(err)
	return ok && slices.Contains([]string{"no_space", "no_permission", "io_error", "not_folder"}, f.Slug)
}

func (j *job) work(ctx context.Context) error {
	parts, err := j.src.Files(ctx, web{j.run}, source.Request{Base: j.Base[j.src.Name], Now: j.Now().UTC(), Since: j.Since})
	var unlisted source.Unlisted
	switch {
	case errors.As(err, &unlisted):
		j.state.Note = string(unlisted)
	case err != nil:
		if err := j.problem(ctx, source.RemoteFile{}, err); err != nil {
			return err
		}
	default:
		j.state.Note = ""
		// Files that become known on the way are processed at once, so an archive follows the index that names it.
		for queue := parts; len(queue) > 0; {
			p := queue[0]
			queue = queue[1:]
			then, err := j.fetchFile(ctx, p)
			if err != nil {
				return err
			}
			queue = append(then, queue...)
		}
		for _, set := range slices.Sorted(maps.Keys(j.pending)) {
			if err := j.edition(set); err != nil {
				return err
			}
		}
	}
	if j.DryRun {
		return nil
	}
	if !j.silent {
		j.state.CheckedAt = j.at
		if j.result.Refused == 0 {
			j.state.UpstreamRevised = j.state.revised()
		}
	}
	return WriteState(j.Dir, j.state)
}

// fetchFile processes one file and returns the files that follow from it.
func (j *job) fetchFile(ctx context.Context, p source.RemoteFile) (then []source.RemoteFile, err error) {
	if j.seen[p.Path] {
		return nil, nil
	}
	j.seen[p.Path] = true
	j.sets[p.Set] = append(j.sets[p.Set], p.Path)
	if !filepath.IsLocal(filepath.FromSlash(p.Path)) || len(p.URLs) == 0 {
		return nil, fmt.Errorf("the catalog places a file of %s at %q", j.src.Name, p.Path)
	}
	held, have := j.held(p.Path)
	switch {
	case have && p.Fixed:
		j.result.Unchanged++
	case p.Fixed && slices.Contains(j.state.Absent, p.URLs[0]):
		return nil, nil
	default:
		there, err := j.fetchFirst(ctx, p, held)
		if err != nil {
			return nil, j.problem(ctx, p, err)
		}
		have = have || there
	}
	if !have || p.Then == nil {
		return nil, nil
	}
	path := j.abs(p.Path)
	if _, err := os.Stat(path); err != nil {
		return p.Then("") // a dry run, which took nothing
	}
	if then, err = p.Then(path); err != nil {
		return nil, j.problem(ctx, p, err)
	}
	return then, nil
}

// problem records in the result what went wrong with a file, or with the whole source. It returns the errors
// that end the run: a canceled context, or a disk that cannot be written.
func (j *job) problem(ctx context.Context, p source.RemoteFile, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fatal(err) {
		return err
	}
	j.broken[p.Set] = true
	text := err.Error()
	if refused, ok := errors.AsType[*refusal](err); ok {
		j.refuse(refused)
	} else {
		j.silent = true
	}
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	j.result.Problems = append(j.result.Problems, text)
	if j.DryRun {
		return nil
	}
	return WriteState(j.Dir, j.state)
}

func (j *job) refuse(r *refusal) {
	j.result.Refused++
	j.state.Refused = append(j.state.Refused, Refusal{At: j.at, URL: r.url, Reason: r.reason, Bytes: r.bytes, Rows: r.rows})
	j.state.UpstreamRevised = max(j.state.UpstreamRevised, r.revised)
}

func (j *job) sum() {
	for _, f := range j.state.Files {
		if _, ok := j.held(f.Path); ok {
			j.result.Files++
			j.result.Rows += f.Rows
			j.result.Bytes += f.Bytes
			j.result.Revised = max(j.result.Revised, f.Revised)
		}
	}
	j.result.Note = j.state.Note
}

func (j *job) abs(path string) string { return filepath.Join(j.Dir, filepath.FromSlash(path)) }

// held is the state's entry for a path, if the file on disk is unchanged.
func (j *job) held(path string) (File, bool) {
	f, ok := j.state.File(path)
	if !ok {
		return File{}, false
	}
	st, err := os.Stat(j.abs(path))
	if err != nil || st.Size() != f.Bytes {
		return File{}, false
	}
	return f, true
}
