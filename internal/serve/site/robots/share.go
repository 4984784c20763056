package robots

import (
	"net/http"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/explore"
	"grantgraph/internal/serve/site/frame"
)

// weightPicture is the memory of a picture while it is drawn, in bytes: its pixels and the encoder.
const weightPicture = 8 << 20

type picture struct {
	title, line string
	figures     []draw.Figure
}

// share draws a picture, unless the client has it from this dataset already.
func (s *room) share(w http.ResponseWriter, r *http.Request, weight int64, of func() (picture, error)) error {
	set := frame.DatasetOf(r)
	tag := `"` + set.Version() + `"`
	keep := func() {
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "public, max-age=86400")
	}
	if r.Header.Get("If-None-Match") == tag {
		keep()
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	end, err := s.drawing.Begin(s.Address(r))
	if err != nil {
		return frame.Busy
	}
	defer end()
	hold, err := s.Budget.Take(r.Context(), weightPicture+weight)
	if err != nil {
		return err
	}
	defer hold.Release()
	p, err := of()
	var drawn []byte
	if err == nil {
		if set.Snapshot.Manifest.Invented {
			p.line = strings.TrimPrefix(p.line+" · invented data", " · ")
		}
		drawn, err = draw.Share(p.title, p.line, p.figures)
	}
	if err != nil {
		return err
	}
	keep()
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(drawn)
	return nil
}

func dollars(label string, n int64) draw.Figure {
	return draw.Figure{Value: draw.Compact(n), Label: label}
}

// number is a figure that counts things, with a singular for one.
func number(n int64, one, many string) draw.Figure {
	return draw.Figure{Value: money.Grouped(n), Label: plural.Word(n, one, many)}
}

func (s *room) shareSite(w http.ResponseWriter, r *http.Request) error {
	c := &frame.DatasetOf(r).Snapshot.Manifest.Counts
	return s.share(w, r, 0, func() (picture, error) {
		return picture{"Who funds whom", "Grants from public US tax filings, each traceable to its line",
			[]draw.Figure{dollars("paid", c.TotalAmount), number(c.Grants, "grant", "grants"), number(c.Funders, "funder", "funders"),
				number(c.Recipients, "recipient", "recipients")}}, nil
	})
}

// named is the name of a picture without its extension, empty for other files.
func named(r *http.Request) string {
	name, ok := strings.CutSuffix(r.PathValue("file"), ".png")
	if !ok {
		return ""
	}
	return name
}

func (s *room) shareOrganization(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if !set.Browsable() {
		return frame.Damaged
	}
	e, err := ein.Parse(named(r))
	if err != nil || named(r) != e.String() {
		return frame.Missing
	}
	org, ok := set.Search.Lookup(e)
	if !ok {
		return frame.Missing
	}
	return s.share(w, r, 0, func() (picture, error) {
		gave, err := set.Graph.Sums(r.Context(), e, graph.Gave)
		if err != nil {
			return picture{}, err
		}
		received, err := set.Graph.Sums(r.Context(), e, graph.Received)
		if err != nil {
			return picture{}, err
		}
		line := org.Type
		if where := frame.Place(org.City, org.State, ""); where != "" {
			line += " · " + where
		}
		p := picture{title: orgname.Display(org.Name), line: line}
		if gave.Grants > 0 {
			p.figures = append(p.figures, dollars("gave", gave.Total), number(gave.Parties, "recipient", "recipients"))
		}
		if received.Grants > 0 {
			p.figures = append(p.figures, dollars("received", received.Total), number(received.Parties, "funder", "funders"))
		}
		return p, nil
	})
}

// shareView draws the picture of a view of the Explore page. An address that cannot be read has no picture.
func (s *room) shareView(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if !set.Browsable() {
		return frame.Damaged
	}
	title, f, err := explore.Selection(set, r.URL.RawQuery)
	if err != nil {
		return frame.Missing
	}
	return s.share(w, r, set.Graph.Weight(graph.AboutTotals, f, graph.Page{}), func() (picture, error) {
		t, _, err := set.Graph.Summary(r.Context(), f)
		return picture{title, "", []draw.Figure{dollars("in all", t.Amount), number(t.Grants, "grant", "grants"), number(t.Funders, "funder", "funders"),
			number(t.Recipients, "recipient", "recipients")}}, err
	})
}
