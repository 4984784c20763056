// Package source is the catalog of all outside data that we read. For each source it says who publishes it, where, how often
// and under what terms, which files it has, and which files are acceptable. Four users read the catalog: fetch downloads the
// files, refresh keeps the compliance lists current, synth invents the same files, and `grantgraph fetch --list` prints it. The
// service uses snapshot/lists instead. The packages below this one each read one format.
package source

import (
	"context"
	_ "embed"
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
