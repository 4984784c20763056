package fetch

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source"
)

// shrink is the share of the last good file, in tenths, that a new file must
// reach. It applies from a minimum number of rows on.
const (
	shrink     = 9
	shrinkFrom = 50
)

// accept checks a downloaded file and puts it in place, or refuses it.
func (j *job) accept(a *arrival, held File) error {
	newer := "" // that there is something new, once it is clear that it is data
	refuse := func(format string, args ...any) error {
		discard(a.file)
		return &refusal{url: a.meta.URL, reason: fmt.Sprintf(format, args...), bytes: a.bytes, rows: a.rows, revised: newer}
	}
	if a.bytes == 0 {
		return refuse("it has zero bytes")
	}
	page, err := isPage(a.file)
	if err != nil {
		return err
	}
	// Some servers answer with a web page and "200 OK" for a file they do not have.
	perhaps := held.Path == "" && (a.wanted.Probe || a.wanted.Optional)
	if page && !j.src.Markup {
		if perhaps {
			discard(a.file)
			return errAbsent
		}
		return refuse("it is a web page, not data: the server answered with a notice or an error")
	}
	if a.sha256 == held.SHA256 {
		discard(a.file)
		j.result.Unchanged++
		held.ETag, held.LastModified, held.FetchedAt = a.meta.ETag, a.meta.LastModified, j.Now().UTC()
		j.state.put(held)
		return nil
	}
	a.rows, a.stated, err = j.src.Check(a.file)
	newer = a.revised()
	if err != nil {
		return refuse("%v", err)
	}
	if held.Path == "" {
		held = j.predecessor(a.wanted)
	}
	floor := a.wanted.Floor
	if f, ok := j.Floor[j.src.Name]; ok && floor > 0 {
		floor = max(1, min(floor, f))
	}
	switch {
	case a.rows < floor:
		return refuse("it has %d rows; a complete file has at least %d", a.rows, floor)
	case j.src.Markup:
	case held.Rows >= shrinkFrom && a.rows*10 < held.Rows*shrink:
		return refuse("it has %d rows and the last good file %d; if that is right, delete %s and fetch again", a.rows, held.Rows, held.Path)
	case held.Rows == 0 && a.rows == 0 && a.bytes*10 < held.Bytes*shrink:
		return refuse("it has %d bytes and the last good file %d; if that is right, delete %s and fetch again", a.bytes, held.Bytes, held.Path)
	}
	if set := a.wanted.Set; set != "" {
		j.pending[set] = append(j.pending[set], *a)
		return nil
	}
	return j.place(a)
}

// predecessor is the newest file that this file replaces under another name.
func (j *job) predecessor(p source.RemoteFile) (last File) {
	for _, f := range j.replaced(p) {
		if f.FetchedAt.After(last.FetchedAt) {
			last = f
		}
	}
	return last
}

func (j *job) replaced(p source.RemoteFile) (list []File) {
	for _, f := range j.state.Files {
		if ok, _ := path.Match(p.Replaces, f.Path); ok && f.Path != p.Path {
			list = append(list, f)
		}
	}
	return list
}

// edition places the files of a set together, once all of them have been checked.
func (j *job) edition(set string) error {
	reason := ""
	if j.broken[set] {
		reason = "held back, because another file of the same edition could not be had"
	} else if days := j.days(set); len(days) > 1 {
		reason = fmt.Sprintf("held back, because the files are of different days, %s: the publisher was replacing them", strings.Join(days, " and "))
	}
	for i := range j.pending[set] {
		a := &j.pending[set][i]
		if reason == "" {
			if err := j.place(a); err != nil {
				return err
			}
			continue
		}
		discard(a.file)
		r := &refusal{a.meta.URL, reason, a.bytes, a.rows, a.revised()}
		j.refuse(r)
		j.result.Problems = append(j.result.Problems, a.wanted.Path+": "+r.Error())
	}
	return nil
}

// days are the revision dates stated inside the files of a set, both new and held.
func (j *job) days(set string) (days []string) {
	stated := map[string]string{}
	for i := range j.pending[set] {
		a := &j.pending[set][i]
		if a.stated == "" {
			return nil // files of this kind state no date
		}
		stated[a.wanted.Path] = a.stated
	}
	for _, path := range j.sets[set] {
		day, ok := stated[path]
		if !ok {
			f, _ := j.state.File(path)
			day = f.Revised
		}
		if day != "" && !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	return days
}

func (j *job) place(a *arrival) error {
	to := j.abs(a.wanted.Path)
	if err := disk.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fault.Disk(to, err)
	}
	if err := disk.Publish(a.file, to); err != nil {
		return fault.Disk(to, err)
	}
	discard(a.file) // what was noted beside it
	held, _ := j.state.File(a.wanted.Path)
	same := func(a, b string) bool { return a != "" && a == b }
	f := File{
		Path: a.wanted.Path, URL: a.meta.URL, Bytes: a.bytes, SHA256: a.sha256, ETag: a.meta.ETag, LastModified: a.meta.LastModified,
		FetchedAt: j.Now().UTC(), Rows: a.rows, Revised: a.revised(),
		Replaced: held.URL == a.meta.URL && held.SHA256 != a.sha256 && (same(held.LastModified, a.meta.LastModified) || same(held.ETag, a.meta.ETag)),
	}
	for _, old := range j.replaced(a.wanted) {
		if err := disk.Remove(j.abs(old.Path)); err != nil {
			return fault.Disk(old.Path, err)
		}
		j.state.drop(old.Path)
	}
	j.state.put(f)
	j.result.New++
	if f.Replaced {
		j.result.Replaced++
	}
	j.Progress(j.src.Name, a.wanted.Path, a.bytes, a.bytes)
	return WriteState(j.Dir, j.state)
}

// revised is the date of a file: from upstream's listing, from the file itself, or from the server.
func (a *arrival) revised() string {
	served := ""
	if t, err := http.ParseTime(a.meta.LastModified); err == nil {
		served = t.UTC().Format(time.DateOnly)
	}
	return cmp.Or(a.wanted.Revised, a.stated, served)
}

func isPage(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, fault.Disk(file, err)
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, fault.Disk(file, err)
	}
	return page.Match(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))), nil
}

var page = regexp.MustCompile(`(?i)^\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body|script|\?xml[^>]*>\s*<!doctype\s+html)`)

// digest is the hash that a server states for the whole file, as "sha-256=" or "md5=" plus base64. Blob
// stores state MD5; for a partial response they use another header.
func digest(h http.Header) string {
	for _, item := range strings.Split(h.Get("Repr-Digest"), ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(item), "sha-256=:"); ok {
			return "sha-256=" + strings.TrimSuffix(value, ":")
		}
	}
	if value := strings.TrimSpace(h.Get("Content-MD5")); value != "" {
		return "md5=" + value
	}
	return ""
}

// matches reports whether the SHA-256, in hex, and the MD5 of a file agree with what a server stated.
func matches(digest, sum string, old [md5.Size]byte) bool {
	algorithm, value, _ := strings.Cut(digest, "=")
	want, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return true // ignore a digest that we cannot read
	}
	if algorithm == "md5" {
		return bytes.Equal(want, old[:])
	}
	return hex.EncodeToString(want) == sum
}

// lock reserves a source for one fetcher. The kernel releases the lock if the process dies.
func lock(dir, name string) (release func(), err error) {
	path := filepath.Join(dir, folder, name+".lock")
	f, err := disk.LockPath(path)
	if errors.Is(err, disk.ErrLocked) {
		return nil, fault.New("fetch_running", "another fetch of %s into %s is running", name, dir).Try("wait for it to end")
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	return func() { f.Close() }, nil
}

// State records a source's files: which files we hold, where they came from, when the publisher was last
// asked, and what was refused. It is stored next to the files, so every reader can tell how old they are.
type State struct {
	Source          string    `json:"source"`
	CheckedAt       time.Time `json:"checked_at"`       // when the publisher last answered for all files
	UpstreamRevised string    `json:"upstream_revised"` // ISO date of the newest file upstream, taken or refused; "" when nothing says
	Files           []File    `json:"files"`            // in order of path
	Refused         []Refusal `json:"refused"`          // newest last, the last few only
	Absent          []string  `json:"absent,omitempty"` // addresses that will never exist: gaps in a numbered series
	Note            string    `json:"note,omitempty"`   // why nothing is loaded, if so
}

type File struct {
	Path         string    `json:"path"` // relative to the sources folder, with slashes
	URL          string    `json:"url"`
	Bytes        int64     `json:"bytes"`
	SHA256       string    `json:"sha256"`
	ETag         string    `json:"etag"`
	LastModified string    `json:"last_modified"` // as the server wrote it
	FetchedAt    time.Time `json:"fetched_at"`
	Rows         int64     `json:"rows"`               // 0 when its rows are not counted
	Revised      string    `json:"revised"`            // ISO date: what the file says of itself, else the server's date
	Replaced     bool      `json:"replaced,omitempty"` // its content changed while its date stayed the same
}

// Refusal is a file that was offered and not accepted. The earlier file stayed in place.
type Refusal struct {
	At     time.Time `json:"at"`
	URL    string    `json:"url"`
	Reason string    `json:"reason"`
	Bytes  int64     `json:"bytes"`
	Rows   int64     `json:"rows"`
}

// Bounds of the state file: refusals that are kept, and its size when read.
const (
	maxRefusals  = 20
	maxStateFile = 16 << 20
)

// folder holds the fetcher's own files, inside the sources folder. Its name
// starts with a dot, so readers of the sources skip it.
const folder = ".fetch"

var sourceName = regexp.MustCompile(`^[a-z0-9_]+$`)

func statePath(dir, source string) string { return filepath.Join(dir, folder, source+".json") }

// ReadState reads the state of a source; one that was never fetched has the zero State.
func ReadState(dir, source string) (State, error) {
	var s State
	if !sourceName.MatchString(source) {
		return s, fmt.Errorf("%q is not the name of a source", source)
	}
	path := statePath(dir, source)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fault.Disk(path, err)
	}
	if st.Size() > maxStateFile {
		return s, damaged(path, fmt.Errorf("it has %d bytes", st.Size()))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return s, fault.Disk(path, err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return State{}, damaged(path, err)
	}
	if s.Source != source {
		return State{}, damaged(path, fmt.Errorf("it is of source %q", s.Source))
	}
	return s, nil
}

// StateDamaged is the slug of the error for a state that cannot be read.
const StateDamaged = "fetch_state"

func damaged(path string, err error) error {
	return fault.New(StateDamaged, "%s is damaged: %w", path, err).
		Try("delete it and fetch again; the files stay until newer ones have come")
}

// WriteState writes the state of a source atomically: a reader sees the old or the new state.
func WriteState(dir string, s State) error {
	if !sourceName.MatchString(s.Source) {
		return fmt.Errorf("%q is not the name of a source", s.Source)
	}
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if n := len(s.Refused); n > maxRefusals {
		s.Refused = s.Refused[n-maxRefusals:]
	}
	s.Files, s.Refused = append([]File{}, s.Files...), append([]Refusal{}, s.Refused...) // never null
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := statePath(dir, s.Source)
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Disk(path, err)
	}
	return replace(path, append(text, '\n'))
}

// replace writes text to path atomically. The source is locked, so there is no other writer.
func replace(path string, text []byte) error {
	return fault.Disk(path, disk.WriteFile(path, 0o644, func(w io.Writer) error { _, err := w.Write(text); return err }))
}

func (s *State) File(path string) (File, bool) {
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Path == path })
	if i < 0 {
		return File{}, false
	}
	return s.Files[i], true
}

// put adds a file to the state and replaces the entry with the same path.
func (s *State) put(f File) {
	s.drop(f.Path)
	s.Files = append(s.Files, f)
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	s.UpstreamRevised = s.revised()
}

func (s *State) revised() (day string) {
	for _, f := range s.Files {
		day = max(day, f.Revised)
	}
	return day
}

func (s *State) drop(path string) {
	s.Files = slices.DeleteFunc(s.Files, func(f File) bool { return f.Path == path })
}
