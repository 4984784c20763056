package search

import (
	"context"
	"math"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search/document"
	"grantgraph/internal/serve/search/words"
	"grantgraph/internal/snapshot"
)

// The files inside a snapshot.
const (
	fileName    = "search/names.gg"
	wordsFile   = "search/words.gg"
	vectorsFile = "search/vectors.gg"
)

// entry is one organization to be indexed.
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

// Build returns the step that writes the indexes of names, words and meanings. The
// slow encoder reads the documents of that many organizations. All three indexes come
// from one walk through the documents.
func Build(documents int) func(context.Context, *snapshot.Writer) error {
	return func(ctx context.Context, w *snapshot.Writer) error {
		b := newTextBuilder()
		if err := writeVectors(ctx, w, documents, b.add); err != nil {
			return err
		}
		return b.write(ctx, w)
	}
}

// BuildNames writes the indexes of names and words only, for callers that do not
// search by meaning.
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

// textBuilder makes the indexes of names and words. An organization's number is its
// row in table organizations.
type textBuilder struct {
	columns
	words *words.Builder
}

func newTextBuilder() *textBuilder { return &textBuilder{words: words.NewBuilder()} }

// add adds the next organization.
func (b *textBuilder) add(src *document.Source, d *document.Document) {
	e := newEntry(src)
	b.columns.add(&e)
	read := *d
	read.Others = withInitials(d.Others, d.Name)
	b.words.Add(&read)
}

func (b *textBuilder) write(ctx context.Context, w *snapshot.Writer) error {
	if err := w.WriteFile(wordsFile, b.words.Write); err != nil {
		return err
	}
	return w.WriteFile(fileName, b.columns.write)
}

// withInitials adds the initials that people write for a name: YMCA for Young Men's
// Christian Association.
func withInitials(others []string, name string) []string {
	if short, ok := identify.Shorten(orgname.Parse(name).K2); ok {
		return append(others, short)
	}
	return others
}

// newEntry makes the entry of one organization.
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

// prominence is how likely a person is to mean this organization. It comes from the
// organization's yearly dollars and from the number of funders that filed its EIN,
// each by order of magnitude.
func prominence(dollars int64, pop int32, active bool) float32 {
	p := 0.75*min(1, math.Log10(1+float64(max(0, dollars)))/11) + 0.25*min(1, math.Log2(1+float64(max(0, pop)))/11)
	if !active {
		p /= 2
	}
	return float32(p)
}
