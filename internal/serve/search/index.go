package search

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/meaning"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search/document"
	"grantgraph/internal/serve/search/vector"
	"grantgraph/internal/serve/search/words"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/table"
)

// Index finds organizations. It is safe for concurrent use. Results are copies, so they stay valid after Close.
type Index struct {
	mu     sync.RWMutex // held for reading by every question, for writing by Close
	closed bool
	file   *mapped.File
	columns

	byState func() map[[2]byte][]uint64

	known   func() (*identify.Engine, error)
	unknown atomic.Bool                     // the index of known names is damaged
	engine  atomic.Pointer[identify.Engine] // set by the first call of known
	words   *words.Index                    // nil if only names are searched
	vectors *vector.Index                   // nil if search by meaning is not available
	model   *meaning.Model                  // set if vectors is set
	bad     error                           // of words and vectors

	badKnown error // of the index of known names, when it was opened
}

// Open maps the indexes of a snapshot and reads all of them once to verify them. If
// known names, words or vectors are damaged, it searches without them; see Bad.
func Open(s *snapshot.Snapshot) (*Index, error) {
	read, err := openLater(s)
	if err != nil {
		return nil, err
	}
	x, err := read()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(x.openWords(s), x.openVectors(s)); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	if _, x.badKnown = x.known(); x.badKnown != nil {
		x.DropKnown()
	}
	return x, nil
}

// OpenNames is Open for callers that search only names.
func OpenNames(s *snapshot.Snapshot) (*Index, error) {
	read, err := OpenNamesLater(s)
	if err != nil {
		return nil, err
	}
	return read()
}

// OpenNamesLater maps the files now; the first call of read verifies them.
func OpenNamesLater(s *snapshot.Snapshot) (read func() (*Index, error), err error) {
	lenient, err := openLater(s)
	if err != nil {
		return nil, err
	}
	return sync.OnceValues(func() (*Index, error) {
		x, err := lenient()
		if err != nil {
			return nil, err
		}
		if _, err := x.known(); err != nil {
			return nil, errors.Join(err, x.Close())
		}
		return x, nil
	}), nil
}

// openLater maps the files of organizations and of known names. The first call of read
// verifies the former, and known of its result the latter.
func openLater(s *snapshot.Snapshot) (read func() (*Index, error), err error) {
	readFile, err := mapped.OpenLater(filepath.Join(s.Dir, filepath.FromSlash(fileName)), fileKind)
	if err != nil {
		return nil, err
	}
	known, err := identify.OpenLater(s)
	if err != nil {
		return nil, err
	}
	return func() (*Index, error) {
		f, err := readFile()
		if err != nil {
			return nil, err
		}
		x := &Index{file: f}
		if x.lay(mapped.Layout{From: f}); f.Err() != nil {
			return nil, errors.Join(f.Err(), f.Close())
		}
		x.byState = sync.OnceValue(x.stateSets)
		x.known = func() (*identify.Engine, error) {
			e, err := known()
			x.engine.Store(e)
			return e, err
		}
		return x, nil
	}, nil
}

// openWords opens the index of words, which every build of this version has.
func (x *Index) openWords(s *snapshot.Snapshot) error {
	w, err := words.Open(filepath.Join(s.Dir, filepath.FromSlash(wordsFile)))
	if err == nil && w.Organizations() != len(x.orgs) {
		_ = w.Close()
		err = fault.New(words.Damaged, "the word index has %d organizations, and there are %d", w.Organizations(),
			len(x.orgs)).Try("build the snapshot again; the sources are untouched")
	}
	if f, ok := fault.Of(err); ok && f.Slug == words.Damaged {
		x.bad = errors.Join(x.bad, err)
		return nil
	}
	if err == nil {
		x.words = w
	}
	return err
}

// openVectors opens the vectors, which are missing if the model could not run.
func (x *Index) openVectors(s *snapshot.Snapshot) error {
	path := filepath.Join(s.Dir, filepath.FromSlash(vectorsFile))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	v, err := vector.Open(path)
	if err == nil && v.Len() != len(x.orgs) {
		_ = v.Close()
		err = fault.New(Damaged, "the vectors are of %d organizations, and there are %d", v.Len(),
			len(x.orgs)).Try("build the snapshot again; the sources are untouched")
	}
	if err == nil {
		if x.model, err = meaning.Open(); err != nil {
			_ = v.Close()
		}
	}
	if err != nil {
		// A failure here costs only the modes by meaning.
		x.bad = errors.Join(x.bad, err)
		return nil
	}
	x.vectors = v
	return nil
}

// Bad says which parts other than the search for names are out of service, or nil.
func (x *Index) Bad() error { return errors.Join(x.bad, x.badKnown) }

// DropKnown searches without the index of known names from now on, because it is damaged.
func (x *Index) DropKnown() { x.unknown.Store(true) }

// Damaged reports whether words or vectors, and whether known names, are out of service.
func (x *Index) Damaged() (search, known bool) { return x.bad != nil, x.unknown.Load() }

// Modes lists the modes that this index serves.
func (x *Index) Modes() []Mode {
	if x.vectors == nil {
		return []Mode{Text}
	}
	return []Mode{Text, Semantic, Hybrid}
}

// Encoder names the encoder of questions on this machine and counts the organizations
// with vectors. Both are empty without vectors.
func (x *Index) Encoder() (name string, documents int) {
	if x.vectors == nil {
		return "", 0
	}
	return x.model.Encoder(), x.vectors.Len()
}

// Close waits for running questions. A closed index finds nothing.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	err := x.file.Close()
	if e := x.engine.Load(); e != nil {
		err = errors.Join(err, e.Close())
	}
	if x.words != nil {
		err = errors.Join(err, x.words.Close())
	}
	if x.vectors != nil {
		err = errors.Join(err, x.vectors.Close())
	}
	return err
}

func (x *Index) result(org uint32) Result {
	res := x.plain(org)
	res.DisplayName = orgname.Display(res.Name)
	return res
}

// plain is result without DisplayName, which takes as long as all the rest.
func (x *Index) plain(org uint32) Result {
	r := &x.orgs[org]
	res := Result{Org: org, Known: FromIRS, EIN: ein.EIN(r.EIN), State: trimmed(r.State[:]), NTEE: ntee.Code(trimmed(r.NTEE[:]))}
	if t := int(r.Type); t < len(types) {
		res.Kind, res.Type = types[t].Text("kind"), types[t].Text("words")
	}
	if r.Known == knownFromGrants {
		res.Known = FromGrants
	}
	res.Cause = res.NTEE.Label()
	if r.HasRevenue != 0 {
		v := r.Revenue
		res.Revenue = &v
	}
	name, city := x.texts(r)
	res.Name, res.City = string(name), string(city)
	return res
}

func (x *Index) texts(r *orgRecord) (name, city []byte) {
	at, n, c := int(r.Text), int(r.NameLength), int(r.CityLength)
	if at+n+c <= len(x.text) {
		name, city = x.text[at:at+n], x.text[at+n:at+n+c]
	}
	return name, city
}

func (x *Index) nameOf(org uint32) []byte {
	name, _ := x.texts(&x.orgs[org])
	return name
}

// trimmed is a field padded with zero bytes, as a string.
func trimmed(b []byte) string { return strings.TrimRight(string(b), "\x00") }

// Lookup finds an organization by its EIN.
func (x *Index) Lookup(e ein.EIN) (Result, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return Result{}, false
	}
	return x.lookup(e)
}

func (x *Index) lookup(e ein.EIN) (Result, bool) {
	org, ok := x.position(e)
	if !ok {
		return Result{}, false
	}
	r := x.result(org)
	r.Score, r.Match = 1, Exact
	return r, true
}

func (x *Index) position(e ein.EIN) (uint32, bool) {
	i := sort.Search(len(x.orgs), func(i int) bool { return x.orgs[i].EIN >= uint32(e) })
	return uint32(i), i < len(x.orgs) && x.orgs[i].EIN == uint32(e)
}

// fileKind is the file. Its version changes with the columns and the meaning of numbers.
var fileKind = &mapped.Kind{
	Magic: "GGnames6", Name: "index of organizations",
	Missing: "search_unreadable", Version: "search_version", Damaged: Damaged,
}

// Damaged is the slug of the error for a damaged index.
const Damaged = "search_damaged"

type columns struct {
	orgs []orgRecord // in EIN order
	text []byte      // names and cities
}

type orgRecord struct {
	EIN        uint32
	State      [2]byte // zeros when not known
	Type       uint8   // one of types
	HasRevenue uint8
	NTEE       [4]byte
	Prominence float32
	Revenue    int64
	Text       uint32 // where its name begins, and after it its city
	NameLength uint16
	CityLength uint8
	Known      uint8 // where it is known from
}

// Where an organization is known from: the IRS, or only the grants that others report.
const (
	knownFromIRS uint8 = iota
	knownFromGrants
)

func (c *columns) add(e *entry) {
	name, city := e.name[:min(len(e.name), math.MaxUint16)], e.city[:min(len(e.city), math.MaxUint8)]
	r := orgRecord{EIN: uint32(e.ein), Type: e.typ, Prominence: e.prominence,
		Text: uint32(len(c.text)), NameLength: uint16(len(name)), CityLength: uint8(len(city)), Known: e.known}
	copy(r.State[:], e.state)
	copy(r.NTEE[:], e.ntee)
	if e.revenue != nil {
		r.HasRevenue, r.Revenue = 1, *e.revenue
	}
	c.orgs = append(c.orgs, r)
	c.text = append(append(c.text, name...), city...)
}

func (c *columns) write(out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	if len(c.text) > math.MaxUint32 {
		w.Fail(fmt.Errorf("the names of all organizations take more than 4 GiB, which the numbers of the index cannot tell"))
	}
	c.lay(mapped.Layout{To: w})
	return w.Close()
}

// lay lists the sections. The places of texts are checked where they are used.
func (c *columns) lay(l mapped.Layout) {
	mapped.Field(l, "orgs", &c.orgs, mapped.AnyLength)
	mapped.Field(l, "orgs.text", &c.text, mapped.AnyLength)
}

// The types that are told without a code of the master file, by their rows in orgtypes.tsv.
const (
	typeNonprofit uint8 = iota
	typePF
	typePOF
	typeDAF
	typeCharity
)

//go:embed orgtypes.tsv
var typeFile string

var types, byFoundation, bySubsection = func() (types []table.Row, byFoundation, bySubsection map[string]uint8) {
	types = table.Read("orgtypes.tsv", typeFile, "kind", "words", "foundation", "subsection")
	byFoundation, bySubsection = map[string]uint8{}, map[string]uint8{}
	for i, t := range types {
		for _, code := range t.Fields("foundation") {
			byFoundation[code] = uint8(i)
		}
		for _, code := range t.Fields("subsection") {
			bySubsection[code] = uint8(i)
		}
	}
	return types, byFoundation, bySubsection
}()

// typeOf names the type of an organization. What the organization gives and files
// counts more than the code of the master file, which lags behind.
func typeOf(o *snapshot.Organization, kind *snapshot.FunderKind, returnType string) uint8 {
	if kind != nil && (kind.IsDAF || kind.Kind == grant.Passthrough) {
		return typeDAF
	}
	t, coded := byFoundation[o.Foundation]
	if returnType == "990PF" || kind != nil && kind.Kind == grant.PrivateFoundation {
		if t == typePOF {
			return t
		}
		return typePF
	}
	if coded {
		return t
	}
	if t, ok := bySubsection[o.Subsection]; ok {
		return t
	}
	if kind != nil {
		return typeCharity
	}
	return typeNonprofit
}

const (
	fileName    = "search/names.gg"
	wordsFile   = "search/words.gg"
	vectorsFile = "search/vectors.gg"
)

type entry struct {
	ein        ein.EIN
	name       string
	city       string
	state      string
	ntee       ntee.Code
	typ        uint8
	known      uint8
	revenue    *int64
	prominence float32 // 0 to 1
}

// Build returns the step that writes the indexes of names, words and meanings, in one walk through
// the documents, of which the slow encoder reads so many.
func Build(documents int) func(context.Context, *snapshot.Writer) error {
	return func(ctx context.Context, w *snapshot.Writer) error {
		b := newTextBuilder()
		if err := writeVectors(ctx, w, documents, b.add); err != nil {
			return err
		}
		return b.write(ctx, w)
	}
}

// BuildNames writes the indexes of names and words only, for search without meaning.
func BuildNames(ctx context.Context, w *snapshot.Writer) error {
	b := newTextBuilder()
	for src, err := range document.Sources(ctx, w.Unpublished()) {
		if err != nil {
			return err
		}
		d := document.New(src)
		b.add(src, &d)
	}
	return b.write(ctx, w)
}

type textBuilder struct {
	columns
	words *words.Builder
}

func newTextBuilder() *textBuilder { return &textBuilder{words: words.NewBuilder()} }

func (b *textBuilder) add(src *document.Source, d *document.Document) {
	e := newEntry(src)
	b.columns.add(&e)
	read := *d
	if short, ok := identify.Shorten(orgname.Parse(d.Name).K2); ok {
		read.Others = append(read.Others, short) // as people write the name: YMCA for Young Men's Christian Association
	}
	b.words.Add(&read)
}

func (b *textBuilder) write(ctx context.Context, w *snapshot.Writer) error {
	if err := w.WriteFile(wordsFile, b.words.Write); err != nil {
		return err
	}
	return w.WriteFile(fileName, b.columns.write)
}

func newEntry(s *document.Source) entry {
	o := s.Org
	n := entry{ein: s.EIN, name: o.Name, city: o.City, state: strings.ToUpper(o.State), revenue: o.Revenue}
	if len(n.state) != 2 {
		n.state = ""
	}
	n.ntee, _ = ntee.Parse(o.NTEE)
	returnType := ""
	if s.Filing != nil {
		returnType = s.Filing.ReturnType
		if s.Filing.TotalRevenue != nil {
			n.revenue = s.Filing.TotalRevenue
		}
	}
	n.typ = typeOf(o, s.Funder, returnType)
	if o.Sources != 0 && o.Sources&^(snapshot.SourceFunders|snapshot.SourceLine) == 0 && s.Filing == nil {
		n.known = knownFromGrants
	}
	var size int64
	if n.revenue != nil {
		size = *n.revenue
	}
	if s.Funder != nil {
		size = max(size, s.Funder.TotalOut)
	}
	n.prominence = prominence(size, o.Pop, o.Active)
	return n
}

// prominence is how likely a person is to mean this organization, by the magnitude of its yearly
// dollars and of the number of funders that filed its EIN.
func prominence(dollars int64, pop int32, active bool) float32 {
	p := 0.75*min(1, math.Log10(1+float64(max(0, dollars)))/11) + 0.25*min(1, math.Log2(1+float64(max(0, pop)))/11)
	if !active {
		p /= 2
	}
	return float32(p)
}
