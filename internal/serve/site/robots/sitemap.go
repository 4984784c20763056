package robots

import (
	"bufio"
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/warehouse"
)

// partSize is how many addresses a part of the sitemap may have; the protocol
// allows no more. A part covers a range of organization numbers and lists those
// with grants. So parts are independent, and nothing has to be counted.
const partSize = 50_000

// standing are the pages that always exist and are the same for everybody.
var standing = []string{"/", "/explore", "/places", "/causes", "/data", "/sql"}

// weightPart is the memory of a part while it is written, in bytes. A part is
// streamed, never held as a whole.
const weightPart = 256 << 10

func (s *room) serveIndex(w http.ResponseWriter, r *http.Request) {
	set := frame.DatasetOf(r)
	m := s.begin(w, r, "sitemapindex")
	m.add("sitemap", "/sitemap/places.xml")
	if set.Directory != nil && set.Browsable() {
		for part := 0; part*partSize < set.Directory.Len(); part++ {
			m.add("sitemap", "/sitemap/organizations-"+strconv.Itoa(part+1)+".xml")
		}
	}
	m.end("sitemapindex")
}

func (s *room) servePart(w http.ResponseWriter, r *http.Request) {
	set := frame.DatasetOf(r)
	if !set.Browsable() || set.Directory == nil {
		s.Damaged(w, r)
		return
	}
	name := r.PathValue("part")
	number, isPart := strings.CutPrefix(strings.TrimSuffix(name, ".xml"), "organizations-")
	part, err := strconv.Atoi(number)
	switch {
	case name == "places.xml":
	case !isPart || err != nil || part < 1 || part > set.Directory.Len()/partSize+1 || (part-1)*partSize >= set.Directory.Len() ||
		name != "organizations-"+strconv.Itoa(part)+".xml":
		s.Missing(w, r)
		return
	}
	hold, ok := s.Reserve(w, r, weightPart)
	if !ok {
		return
	}
	defer hold.Release()
	m := s.begin(w, r, "urlset")
	if name == "places.xml" {
		for _, path := range slices.Concat(standing, s.Further) {
			m.add("url", path)
		}
		m.places(set.Graph)
	} else if err := m.organizations(r, part-1); err != nil {
		s.Log.Error("writing a sitemap", "error", err)
		return // a document that is cut off is not valid XML, so its reader notices
	}
	m.end("urlset")
}

type sitemap struct {
	*bufio.Writer
	base, changed string
}

func (s *room) begin(w http.ResponseWriter, r *http.Request, element string) *sitemap {
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	m := &sitemap{bufio.NewWriterSize(w, 32<<10), s.BaseURL, frame.Date(frame.DatasetOf(r).Snapshot.Manifest.GeneratedAt)}
	_, _ = m.WriteString(xml.Header + "<" + element + ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	return m
}

// add adds an address. Paths are made by this program and need no escapes in XML.
func (m *sitemap) add(element, path string) {
	for _, part := range []string{"<", element, "><loc>", m.base, path, "</loc><lastmod>", m.changed, "</lastmod></", element, ">\n"} {
		_, _ = m.WriteString(part) // a client that has left is noticed at the next flush
	}
}

func (m *sitemap) end(element string) {
	_, _ = m.WriteString("</" + element + ">\n")
	_ = m.Flush()
}

// places adds the example queries, the states, the counties with grants, and the
// causes.
func (m *sitemap) places(g *graph.Graph) {
	for _, q := range warehouse.Gallery() {
		m.add("url", "/sql/"+q.Slug)
	}
	for _, region := range place.Regions() {
		if region.FIPS != "" {
			m.add("url", "/place/"+region.Code)
		}
	}
	for _, c := range place.Shipped().Counties() {
		if g.HasCounty(c.FIPS) {
			m.add("url", "/place/"+c.State+"/"+search.Slug(c.Name))
		}
	}
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if ntee.Label(letter) != "" {
			m.add("url", "/cause/"+string(rune(letter)))
		}
	}
}

// organizations adds the organizations of a range that gave or received. It leaves
// out organizations known from grants alone, because their name may be a person's.
func (m *sitemap) organizations(r *http.Request, part int) error {
	set, ctx := frame.DatasetOf(r), r.Context()
	for org := part * partSize; org < min((part+1)*partSize, set.Directory.Len()); org++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, ok := set.Directory.Row(uint32(org), nil)
		if !ok {
			continue
		}
		gave, err := set.Graph.Sums(ctx, row.EIN, graph.Gave)
		if err != nil {
			return err
		}
		if gave.Grants == 0 {
			received, err := set.Graph.Sums(ctx, row.EIN, graph.Received)
			if err != nil {
				return err
			}
			if received.Grants == 0 {
				continue
			}
		}
		if found, ok := set.Search.Lookup(row.EIN); ok && found.Known == search.FromIRS {
			m.add("url", "/org/"+row.EIN.String()+"/"+search.Slug(found.Name))
		}
	}
	return nil
}
