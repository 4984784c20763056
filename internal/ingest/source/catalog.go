// Package source is the catalog of all outside data that we read. For each source it says who publishes it, where, how often
// and under what terms, which files it has, and which files are acceptable. Four users read the catalog: fetch downloads the
// files, refresh keeps the compliance lists current, synth invents the same files, and `grantgraph fetch --list` prints it. The
// service uses snapshot/lists instead. The packages below this one each read one format.
package source

import (
	"cmp"
	"context"
	_ "embed"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/fac"
	"grantgraph/internal/ingest/source/pub78"
	"grantgraph/internal/ingest/source/revocation"
)

// Source is one publication that we read. All but its functions is in catalog.toml.
type Source struct {
	Name      string        `json:"name"`
	Title     string        `json:"title"`
	Publisher string        `json:"publisher"`
	Page      string        `json:"page"`  // page for people
	Takes     string        `json:"takes"` // what we use from it
	Licence   string        `json:"licence"`
	Folder    string        `json:"folder"`    // below the sources folder
	Publishes string        `json:"publishes"` // how often the publisher revises it
	Polled    string        `json:"polled"`    // how often we ask for it, in words
	Every     time.Duration `json:"-"`         // the same as a duration
	// Compliance is the source's name among the compliance sources in the dataset's metadata. It is empty for other sources.
	Compliance string `json:"compliance,omitempty"`
	Base       string `json:"address,omitempty"` // common start of its file addresses; a mirror replaces it
	// MinRows is the fewest rows that its main file can plausibly have. A
	// shorter file is refused, even if we hold no earlier file.
	MinRows  int64  `json:"min_rows,omitempty"`
	MaxBytes int64  `json:"max_bytes"` // largest file that we accept
	Markup   bool   `json:"-"`         // its files are web pages, which we refuse from other sources
	Verified string `json:"verified"`  // the real data that its reader was tested on, or that there was none

	plan  func(ctx context.Context, s *Source, w Web, ask Request) ([]RemoteFile, error)
	check func(path string) (Contents, error)
}

// All lists the catalog in the order of fetching: small lists first, large archives last.
func All() []Source { return slices.Clone(catalog) }

func Names() []string {
	names := make([]string, len(catalog))
	for i := range catalog {
		names[i] = catalog[i].Name
	}
	return names
}

// Find returns the source with a name. It also accepts the names that the metadata uses for compliance sources.
func Find(name string) (Source, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	i := slices.IndexFunc(catalog, func(s Source) bool { return name != "" && (s.Name == name || s.Compliance == name) })
	if i < 0 {
		return Source{}, false
	}
	return catalog[i], true
}

//go:embed catalog.toml
var catalogText string

var catalog = func() []Source {
	var read struct{ Source []Source }
	if _, err := toml.Decode(catalogText, &read); err != nil {
		panic("source: " + err.Error())
	}
	for i := range read.Source {
		s := &read.Source[i]
		s.plan, s.check = handlers[s.Name].plan, handlers[s.Name].check
	}
	return read.Source
}()

// handlers say for each source how its files are found and how one of them is checked.
var handlers = map[string]struct {
	plan  func(ctx context.Context, s *Source, w Web, ask Request) ([]RemoteFile, error)
	check func(path string) (Contents, error)
}{
	"ofac":        {planOFAC, checkOFAC},
	"pub78":       {planFile("data-download-pub78.zip"), checkRows(pub78.Read)},
	"revocation":  {planFile("data-download-revocation.zip"), checkRows(revocation.Read)},
	"bmf":         {planBMF, checkRows(bmf.Read)},
	"irb":         {planIRB, checkIRB},
	"careg":       {planCAReg, checkCAReg},
	"caftb":       {planCAFTB, checkCAFTB},
	"census":      {planFile("tab20_zcta520_county20_natl.txt"), checkCensus},
	"stateaward":  {planStates, checkStates},
	"ukcharity":   {planUK, checkUK},
	"fac":         {planFile("general.csv"), checkRows(fac.Read, fac.ReasonIdentifier, fac.ReasonEIN)}, // audits of earlier years have no federal identifier
	"usaspending": {planUSAspending, checkUSAspending},
	"irs990":      {plan990, check990},
}

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
