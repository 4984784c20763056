package robots

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/warehouse"
)

// partSize is how many addresses a part of the sitemap may have; the protocol allows no more. A part covers a range of
// organization numbers and lists those with grants. So parts are independent, and nothing has to be counted.
const partSize = 50_000

// standing are the pages that always exist and are the same for everybody.
var standing = []string{"/", "/explore", "/places", "/causes", "/data", "/downloads", "/sql", "/about", "/plans", "/contact", "/privacy", "/terms"}

// weightPart is the memory that holds a packed part while it is made, and mostParts that of all parts that are kept, in bytes.
const (
	weightPart = 4 << 20
	mostParts  = 32 << 20
)

// parts keeps the parts of one dataset, packed with gzip: to make a part takes a look at 50,000 organizations.
type parts struct {
	mu      sync.Mutex
	version string
	size    int
	kept    map[string][]byte
}

func (p *parts) get(version, name string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.version != version {
		return nil
	}
	return p.kept[name]
}

func (p *parts) put(version, name string, packed []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.version != version || p.size+len(packed) > mostParts {
		p.version, p.size, p.kept = version, 0, map[string][]byte{}
	}
	p.size += len(packed) - len(p.kept[name])
	p.kept[name] = packed
}

func (s *room) serveIndex(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	describe(w)
	m := s.begin(w, r, "sitemapindex")
	m.add("sitemap", "/sitemap/places.xml")
	if set.Directory != nil && set.Browsable() {
		for part := 0; part*partSize < set.Directory.Len(); part++ {
			m.add("sitemap", "/sitemap/organizations-"+strconv.Itoa(part+1)+".xml")
		}
	}
	m.end("sitemapindex")
	return nil
}

func (s *room) servePart(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if !set.Browsable() || set.Directory == nil {
		return frame.Damaged
	}
	name := r.PathValue("part")
	number, isPart := strings.CutPrefix(strings.TrimSuffix(name, ".xml"), "organizations-")
	part, err := strconv.Atoi(number)
	switch {
	case name == "places.xml":
	case !isPart || err != nil || part < 1 || part > set.Directory.Len()/partSize+1 || (part-1)*partSize >= set.Directory.Len() ||
		name != "organizations-"+strconv.Itoa(part)+".xml":
		return frame.Missing
	}
	tag := `"` + set.Version() + `"`
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	packed := s.parts.get(tag, name)
	if packed == nil {
		end, err := s.mapping.Begin(s.Address(r))
		if err != nil {
			return frame.Busy
		}
		defer end()
		hold, err := s.Budget.Take(r.Context(), weightPart)
		if err != nil {
			return err
		}
		defer hold.Release()
		if packed, err = s.makePart(r, name, part); err != nil {
			return err
		}
		s.parts.put(tag, name, packed)
	}
	describe(w)
	w.Header().Set("ETag", tag)
	w.Header().Add("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed)
		return nil
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		_, _ = io.Copy(w, plain) // a client that has left is no error
	}
	return err
}

func (s *room) makePart(r *http.Request, name string, part int) ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	m := s.begin(z, r, "urlset")
	if name == "places.xml" {
		for _, path := range slices.Concat(standing, s.Further) {
			m.add("url", path)
		}
		m.places(frame.DatasetOf(r).Graph)
	} else if err := m.organizations(r, part-1); err != nil {
		return nil, err
	}
	m.end("urlset")
	err := z.Close()
	return packed.Bytes(), err
}

type sitemap struct {
	*bufio.Writer
	base, changed string
}

func describe(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
}

func (s *room) begin(w io.Writer, r *http.Request, element string) *sitemap {
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

// places adds the example queries, states, counties with grants, and causes.
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
