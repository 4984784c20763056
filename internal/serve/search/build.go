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
