package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

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
