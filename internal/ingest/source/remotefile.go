package source

import (
	"cmp"
	"context"
	"path"
	"strings"
	"time"
)

type RemoteFile struct {
	Path string   // path below the sources folder, with slashes
	URLs []string // possible addresses, tried in order until one exists
	// Revised is the ISO date that upstream states outside of the file, or empty.
	Revised  string
	Floor    int64 // fewest rows that we accept
	Optional bool  // if the file is missing, we report it, but it is no failure
	Probe    bool  // the file may or may not exist; we do not report a missing one
	Fixed    bool  // never revised once published, so fetched once
	// Set names the edition of the file. The files of a set are accepted all together or not at all, and must
	// be of one day. It is empty for a single file.
	Set string
	// Replaces is a path.Match pattern for the older files that this file
	// replaces, if upstream gives every posting its own name.
	Replaces string
	// Then returns the files that become known only through this file. It receives the path of this file, or
	// "" if the file was not taken. It may be nil.
	Then func(path string) ([]RemoteFile, error)
}

// Web is the network access for finding the files of a source. Both functions return a small body, or an
// error that is an Absence if the address has nothing.
type Web interface {
	Page(ctx context.Context, url string) ([]byte, error)
	Post(ctx context.Context, url string, body []byte) ([]byte, error)
}

type Request struct {
	Base  string    // instead of the source's own
	Now   time.Time // decides which years there can be
	Since time.Time // leaves out older publications; zero takes everything useful
}

func (a Request) under(name string) string { return strings.TrimRight(a.Base, "/") + "/" + name }

// Unlisted is the error if we read a source's page and it links no usable file. This is a result, not a failure.
type Unlisted string

func (u Unlisted) Error() string { return string(u) }

func (s *Source) Files(ctx context.Context, w Web, ask Request) ([]RemoteFile, error) {
	ask.Base = cmp.Or(ask.Base, s.Base)
	return s.plan(ctx, s, w, ask)
}

// Floor is the fewest rows that a file of the source can plausibly have, by its name.
func (s *Source) Floor(file string) int64 {
	name, _, _ := strings.Cut(strings.ToLower(path.Base(file)), ".")
	if s.Name == "bmf" {
		// Region 4 is Puerto Rico and abroad: some 5,000 rows. The smallest states have as many.
		part := name[:min(len(name), len("eo_xx"))]
		switch {
		case strings.HasPrefix(name, "eo1"):
			return s.MinRows
		case strings.HasPrefix(name, "eo2"), strings.HasPrefix(name, "eo3"):
			return 2 * s.MinRows
		case strings.HasPrefix(name, "eo4"), part == "eo_pr", part == "eo_xx":
			return s.MinRows / 100
		}
		return s.MinRows / 50
	}
	switch name {
	case "alt", "add":
		return s.MinRows / 2
	case "sdn_comments":
		return 1
	}
	return s.MinRows
}

// fileAt is a file whose address is the base plus a name. Its path has the name in lower case.
func (s *Source) fileAt(ask Request, name string, floor int64) RemoteFile {
	return RemoteFile{Path: path.Join(s.Folder, strings.ToLower(name)), URLs: []string{ask.under(name)}, Floor: floor}
}

func planFile(name string) func(context.Context, *Source, Web, Request) ([]RemoteFile, error) {
	return func(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
		return []RemoteFile{s.fileAt(ask, name, s.MinRows)}, nil
	}
}
