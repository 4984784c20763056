package source

import (
	"context"
	"path"
	"strings"
	"time"
)

// RemoteFile is one file of a source.
type RemoteFile struct {
	Path string   // where it goes in the sources folder, with slashes
	URLs []string // spellings of its address, to be tried in order until one is there
	// Revised is the ISO date that upstream gives it elsewhere than in the
	// file, empty when it does not.
	Revised  string
	Floor    int64 // fewest rows that are believed
	Optional bool  // when it is not there, that is worth saying and no failure
	Probe    bool  // it may or may not exist; when it is not there, that says nothing
	Fixed    bool  // never revised once published, so asked for once
	// Set names the edition that the file belongs to: the files of a set are
	// taken all or none, and have to be of one day. Empty for a file by itself.
	Set string
	// Replaces is a pattern of path.Match for the older files that this one
	// takes the place of, where upstream gives every posting a name of its own.
	Replaces string
	// Then names the files that are known of only once this one is there, at
	// the path given, or at "" when it was not taken. Nil when there are none.
	Then func(path string) ([]RemoteFile, error)
}

// Web is what finding out the files of a source may ask of the network. Both
// return a small body whole, and an error that is an Absence when there is
// nothing at the address.
type Web interface {
	Page(ctx context.Context, url string) ([]byte, error)
	Post(ctx context.Context, url string, body []byte) ([]byte, error)
}

// Request says what is wanted of a source.
type Request struct {
	Base  string    // instead of the source's own
	Now   time.Time // decides which years there can be
	Since time.Time // leave out what was published before; zero is all that is useful
}

// under is the address of a name under the base.
func (a Request) under(name string) string { return strings.TrimRight(a.Base, "/") + "/" + name }

// Unlisted is the error of a source whose page was read and names no file that
// could be taken. It is a finding, not a failure.
type Unlisted string

func (u Unlisted) Error() string { return string(u) }

// Files finds out which files a source consists of now.
func (s *Source) Files(ctx context.Context, w Web, ask Request) ([]RemoteFile, error) {
	if ask.Base == "" {
		ask.Base = s.Base
	}
	return s.plan(ctx, s, w, ask)
}

// fileAt is a file whose address is the base and a name, and whose path has the
// name in lower case.
func (s *Source) fileAt(ask Request, name string, floor int64) RemoteFile {
	return RemoteFile{Path: path.Join(s.Folder, strings.ToLower(name)), URLs: []string{ask.under(name)}, Floor: floor}
}

// planFile plans a source that is one file.
func planFile(name string) func(context.Context, *Source, Web, Request) ([]RemoteFile, error) {
	return func(_ context.Context, s *Source, _ Web, ask Request) ([]RemoteFile, error) {
		return []RemoteFile{s.fileAt(ask, name, s.MinRows)}, nil
	}
}
