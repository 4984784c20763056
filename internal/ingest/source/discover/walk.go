package discover

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/lists"
)

// Untaken is a file in the sources folder that a build does not use, and why.
type Untaken struct {
	Path   string `json:"path"` // relative to the sources folder; a folder ends in a slash
	Reason string `json:"reason"`
}

// sourceWalk walks a folder of sources. It follows links to folders after all real folders, so that a folder
// reached both ways has its real path. It reads no folder twice, and never enters a folder that contains the
// sources, so links cannot form an endless chain.
type sourceWalk struct {
	root  string
	take  func(rel, abs string) (reason string) // why a file is not used, or empty if it is
	leave func(rel, reason string)
	seen  []folder
	links []string // relative paths of links to folders, not yet followed
	above []fs.FileInfo
}

type folder struct {
	rel  string
	info fs.FileInfo
}

// fetchNotes is where the fetcher keeps its notes, which are read separately.
const fetchNotes = ".fetch"

func (w *sourceWalk) walk(ctx context.Context) error {
	real, err := filepath.EvalSymlinks(w.root)
	if err != nil {
		return fault.Disk(w.root, err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return fault.Disk(w.root, err)
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil {
			w.above = append(w.above, info)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if err := w.enter(ctx, ""); err != nil {
		return err
	}
	for len(w.links) > 0 {
		links := w.links
		w.links = nil
		slices.Sort(links)
		for _, rel := range links {
			if err := w.enter(ctx, rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter reads one folder and the real folders below it.
func (w *sourceWalk) enter(ctx context.Context, rel string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := filepath.Join(w.root, filepath.FromSlash(rel))
	info, err := os.Stat(dir)
	if err != nil {
		return fault.Disk(dir, err)
	}
	if i := slices.IndexFunc(w.seen, func(f folder) bool { return os.SameFile(f.info, info) }); i >= 0 {
		w.leave(rel+"/", "it is the same folder as "+cmp.Or(w.seen[i].rel, "the sources folder")+", which is read")
		return nil
	}
	if slices.ContainsFunc(w.above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
		w.leave(rel+"/", "it is a link to a folder that holds the sources folder itself")
		return nil
	}
	w.seen = append(w.seen, folder{rel, info})
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fault.Disk(dir, err)
	}
	for _, e := range entries {
		if err := w.entry(ctx, path.Join(rel, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (w *sourceWalk) entry(ctx context.Context, rel string, e fs.DirEntry) error {
	abs := filepath.Join(w.root, filepath.FromSlash(rel))
	kind := e.Type()
	if strings.HasPrefix(e.Name(), ".") {
		if e.Name() != fetchNotes {
			w.leave(rel, "its name begins with a dot")
		}
		return nil
	}
	dangling := false
	if kind&fs.ModeSymlink != 0 {
		info, err := os.Stat(abs)
		switch {
		case err != nil:
			// Keep a broken link in a source's folder as a file: the build then fails to open the link and reports it.
			dangling, kind = true, 0
		case info.IsDir():
			w.links = append(w.links, rel)
			return nil
		default:
			kind = info.Mode().Type()
		}
	}
	switch {
	case kind.IsDir():
		return w.enter(ctx, rel)
	case !kind.IsRegular():
		w.leave(rel, "it is not a file")
		return nil
	}
	switch reason := w.take(rel, abs); {
	case reason != "" && dangling:
		w.leave(rel, "it is a link to nothing that can be read")
	case reason != "":
		w.leave(rel, reason)
	}
	return nil
}

// WrongFormat says that a file does not have the format that its folder and name require.
func WrongFormat(path, what string, err error) error {
	if _, ok := fault.Of(err); ok {
		return err
	}
	// The operating system could not read the file, so we know nothing about its contents.
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		return fault.Disk(path, err)
	}
	return fault.New("wrong_format", "%s is not %s: %w", path, what, err).
		Try("fetch it again, or move it out of the sources folder")
}

// Stopped returns the context's error if there was a failure and the context
// has ended. Then the file being read is not at fault.
func Stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func Hash(ctx context.Context, path string) (sum string, n int64, err error) {
	sum, n, err = disk.Hash(ctx, path)
	return sum, n, Stopped(ctx, fault.Disk(path, err))
}

// Survey lists the files that a build would read. It is made without reading them.
type Survey struct {
	Taken    []Taken   `json:"taken"`
	Untaken  []Untaken `json:"not_taken"`
	Warnings []string  `json:"warnings"`
	Invented bool      `json:"invented"`
}

type Taken struct {
	Kind  string `json:"kind"` // as in the manifest's list of sources
	Path  string `json:"path"` // relative to the sources folder
	Bytes int64  `json:"bytes"`
	Date  string `json:"date,omitempty"` // in the name of the file or of its folder; a day, a month or a year
}

// Look surveys a folder of sources, with the rules of a build.
func Look(ctx context.Context, root string) (*Survey, error) {
	s, err := All(ctx, root)
	if err != nil {
		return nil, err
	}
	x := &Survey{Taken: []Taken{}, Untaken: append([]Untaken{}, s.Untaken...), Warnings: append([]string{}, s.Warnings...), Invented: s.Invented}
	add := func(kind string, files ...string) {
		for _, f := range files {
			x.Taken = append(x.Taken, Taken{Kind: kind, Path: f, Date: Dated(f)})
		}
	}
	for kind, files := range s.Files {
		if kind != Masked {
			add(kind, files...)
		}
	}
	for state, files := range s.States {
		add("stateaward_"+state, files...)
	}
	for _, m := range s.Masters {
		kind := lists.BMF
		if m.Older {
			kind = "bmf_older"
		}
		x.Taken = append(x.Taken, Taken{Kind: kind, Path: m.Path, Date: m.Posted})
	}
	for i := range x.Taken {
		t := &x.Taken[i]
		info, err := os.Stat(s.Abs(t.Path))
		if err != nil {
			return nil, fault.Disk(s.Abs(t.Path), err)
		}
		t.Bytes = info.Size()
	}
	slices.SortStableFunc(x.Taken, func(a, b Taken) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Path, b.Path))
	})
	return x, nil
}
