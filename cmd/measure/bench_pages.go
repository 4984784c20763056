package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/place"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

// What the benchmark of pages asks, and its gates.
const (
	pageSamples = 200 // views of each kind
	pageMost    = 50 * time.Millisecond
	viewMost    = 60_000 // bytes of a first view, compressed, without the fonts
)

// benchPages times pages of the site, drawn and compressed by the whole service without the network, and adds
// up the bytes that a browser loads for the first page of each kind.
func (c *benchCmd) benchPages(a *terminal.App) error {
	s := c.corpus(a)
	srv := must(serve.Open(serve.Options{Data: c.dataDir(), Addr: "127.0.0.1:0", BaseURL: "https://grants.example.org", Log: slog.New(slog.DiscardHandler)}))
	defer srv.Close()
	b := &pageBench{app: a, handler: srv.Handler(), random: rand.New(rand.NewPCG(c.Seed, 4)), sizes: map[string]int{}}
	b.sample(s)
	fmt.Fprintf(a.Out, "%s; milliseconds\n\n", describe(s))
	return b.run()
}

type pageBench struct {
	app     *terminal.App
	handler http.Handler
	random  *rand.Rand
	grants  []graph.Grant // drawn from all, for values that exist
	sizes   map[string]int
	visits  int
}

func (b *pageBench) sample(s *snapshot.Snapshot) {
	g := must(graph.Open(s))
	defer g.Close()
	for len(b.grants) < 2000 {
		rows, _ := must2(g.Transactions(b.app.Ctx, &graph.Filter{}, graph.Sort{}, graph.Page{Offset: b.random.IntN(int(g.Rows())), Limit: 5}))
		b.grants = append(b.grants, rows...)
	}
}

func (b *pageBench) grant() *graph.Grant { return &b.grants[b.random.IntN(len(b.grants))] }

func (b *pageBench) organization() string {
	for {
		g := b.grant()
		if b.random.IntN(2) == 0 {
			return "/org/" + g.Funder.EIN.String() + "/" + search.Slug(g.Funder.Name)
		}
		if g.Recipient.EIN != 0 {
			return "/org/" + g.Recipient.EIN.String() + "/" + search.Slug(g.Recipient.Name)
		}
	}
}

// explore is a view of the explore page with one to four filters and a minimum amount
// that no other view has, so that no part of it is cached.
func (b *pageBench) explore(tab string) string {
	v := url.Values{"min_amt": {strconv.Itoa(b.visits + 1)}}
	if tab != "" {
		v.Set("tab", tab)
	}
	for range 1 + b.random.IntN(4) {
		switch g := b.grant(); b.random.IntN(9) {
		case 0:
			v.Set("subject", string(rune('A'+b.random.IntN(26))))
		case 1:
			if g.State != "" && v.Get("geo_id_type") == "" && v.Get("near") == "" {
				v.Set("location", g.State)
			}
		case 2:
			if fips, _ := place.Shipped().CountyOf(g.ZIP, g.City, g.State); fips != "" && v.Get("location") == "" {
				v.Set("location", fips)
				v.Set("geo_id_type", graph.County.String())
			}
		case 3:
			v.Set("year", fmt.Sprintf("%d-%d", g.FiscalYear-b.random.IntN(3), g.FiscalYear))
		case 4:
			v.Set("support", grant.Supports()[b.random.IntN(grant.Strategies)].IDs()[0])
		case 5:
			v.Set("funder_type", grant.FunderKinds()[b.random.IntN(3)])
		case 6:
			v.Set("exclude", []string{grant.DAF, grant.Individuals, grant.RelatedParty}[b.random.IntN(3)])
		case 7:
			if words := strings.Fields(g.Purpose); len(words) > 0 {
				v.Set("query", strings.Trim(words[b.random.IntN(len(words))], `.,;:"()&-`))
			}
		case 8:
			v.Set("max_amt", strconv.FormatInt(g.Amount+int64(b.visits)+2, 10))
		}
	}
	if v.Get("query") == "" {
		v.Del("query")
	}
	return "/explore?" + v.Encode()
}

func (b *pageBench) kinds() []pageKind {
	below := func(tab string) func() string { return func() string { return b.organization() + tab } }
	return []pageKind{
		{"explore, grants", func() string { return b.explore("") }, true},
		{"explore, funders", func() string { return b.explore("funders") }, true},
		{"explore, recipients", func() string { return b.explore("recipients") }, true},
		{"explore, summary", func() string { return b.explore("summary") }, true},
		{"front page", func() string { return "/" }, false},
		{"search", func() string { return "/search?q=" + url.QueryEscape(b.grant().Recipient.Name) }, false},
		{"organization", b.organization, false},
		{"its grants", below("/grants"), false},
		{"its funders", below("/funders"), false},
		{"its recipients", below("/recipients"), false},
		{"its network", below("/network"), false},
		{"its finances", below("/finances"), false},
		{"compare", func() string {
			return "/compare?ein=" + b.grant().Funder.EIN.String() + "," + b.grant().Funder.EIN.String()
		}, false},
		{"grant", func() string { return "/grant/" + b.grant().Key }, false},
		{"state", func() string { return "/place/" + place.Regions()[b.random.IntN(len(place.Regions()))].Code }, false},
		{"county", func() string {
			list := place.Shipped().Counties()
			c := list[b.random.IntN(len(list))]
			return "/place/" + c.State + "/" + search.Slug(c.Name)
		}, false},
		{"cause", func() string { return "/cause/" + string(rune('A'+b.random.IntN(26))) }, false},
	}
}

type pageKind struct {
	name    string
	address func() string
	judged  bool
}

// view is one visit of a page. Every visitor has another address, because the site limits the requests of an address.
func (b *pageBench) view(path string) (took time.Duration, body []byte, packed int) {
	for range 3 { // an address that has moved
		b.visits++
		r := httptest.NewRequestWithContext(b.app.Ctx, http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		r.RemoteAddr = fmt.Sprintf("198.%d.%d.%d:4711", 18+b.visits>>16&1, b.visits>>8&255, b.visits&255)
		w := httptest.NewRecorder()
		began := time.Now()
		b.handler.ServeHTTP(w, r)
		took = time.Since(began)
		switch {
		case w.Code == http.StatusOK:
			packed = w.Body.Len()
			return took, unpacked(w.Header(), w.Body), packed
		case w.Code/100 == 3:
			path = w.Header().Get("Location")
		default:
			check(fault.New("page_failed", "%s answers %d", path, w.Code))
		}
	}
	check(fault.New("page_failed", "%s has moved too often", path))
	return 0, nil, 0
}

func unpacked(h http.Header, body io.Reader) []byte {
	if h.Get("Content-Encoding") == "gzip" {
		body = must(gzip.NewReader(body))
	}
	return must(io.ReadAll(body))
}

var (
	pageFile = regexp.MustCompile(`(?:<link rel="(?:stylesheet|icon)"|<script|<img)[^>]* (?:href|src)="(/[^"]+)"`)
	pageFont = regexp.MustCompile(`<link rel="preload" href="(/[^"]+)" as="font"`)
)

// weigh adds up the bytes that a browser loads on its first visit: the page with its files, and the fonts that the page names.
func (b *pageBench) weigh(page []byte, packed int) (files, fonts int) {
	files = packed
	for _, kind := range []struct {
		find *regexp.Regexp
		to   *int
	}{{pageFile, &files}, {pageFont, &fonts}} {
		var seen []string
		for _, m := range kind.find.FindAllSubmatch(page, -1) {
			path := string(m[1])
			if slices.Contains(seen, path) {
				continue
			}
			seen = append(seen, path)
			if _, ok := b.sizes[path]; !ok {
				_, _, b.sizes[path] = b.view(path)
			}
			*kind.to += b.sizes[path]
		}
	}
	return files, fonts
}

func (b *pageBench) run() error {
	t := terminal.NewTable("page", ">p50", ">p95", ">most", ">page bytes", ">first view", ">with fonts")
	var failed []string
	for _, kind := range b.kinds() {
		var took samples
		packed, first, fonts := 0, 0, 0
		for i := range pageSamples + 5 {
			d, body, n := b.view(kind.address())
			if i < 5 { // the first are not counted
				continue
			}
			took, packed = append(took, d), max(packed, n)
			files, more := b.weigh(body, n)
			if files > first {
				first, fonts = files, files+more
			}
		}
		p95 := took.at(95)
		t.Add(kind.name, inMillis(took.at(50)), inMillis(p95), inMillis(took.at(100)), int64(packed), int64(first), int64(fonts))
		if kind.judged && p95 >= pageMost {
			failed = append(failed, fmt.Sprintf("%s takes %s ms at the 95th percentile", kind.name, inMillis(p95)))
		}
		if first > viewMost {
			failed = append(failed, fmt.Sprintf("the first view of %s is %s bytes", kind.name, terminal.Count(int64(first))))
		}
	}
	t.Print(b.app.Out)
	fmt.Fprintf(b.app.Out, "\nA first view is the page with its styles, scripts and pictures, compressed; sizes are those of the largest of %d.\n", pageSamples)
	check(tooSlow(failed))
	fmt.Fprintf(b.app.Out, "Explore is below %v at the 95th percentile, and no first view is over %s bytes.\n", pageMost, terminal.Count(int64(viewMost)))
	return nil
}
