package site

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/plural"
	"grantgraph/internal/serve/site/visitor"
)

// Pages is how many pages a visitor may open: a burst for somebody who opens a list
// in tabs, then two a second. Members may open more.
var (
	Pages       = visitor.Rate{Burst: 60, Every: time.Second / 2}
	memberPages = visitor.Rate{Burst: 300, Every: time.Second / 10}
)

// longestAddress bounds an address, in bytes, as in the API.
const longestAddress = 8 << 10

// counted are the pages that use the engine, by the first part of their path. Below
// /api is the stream of the Ask page.
var counted = map[string]bool{
	"": true, "search": true, "explore": true, "download": true, "org": true, "grant": true, "place": true, "places": true, "cause": true, "causes": true,
	"ask": true, "api": true, "compare": true, "check": true, "sql": true, "share": true, "share.png": true, "sitemap.xml": true, "sitemap": true,
}

// bounded limits how many pages a visitor opens, and how long addresses are.
func (s *Site) bounded(h http.Handler) http.Handler {
	visitors, members := visitor.New(s.Rate, s.Clock), visitor.New(memberPages, s.Clock)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.RequestURI()) > longestAddress {
			s.frame.Message(w, r, http.StatusRequestURITooLong, "This address is too long",
				"An address of this site has at most 8,000 characters. Use fewer filters, or use the API.")
			return
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !counted[head] {
			h.ServeHTTP(w, r)
			return
		}
		from := s.Address(r)
		wait, ok := visitors.Take(from)
		if !ok && s.cookie(r, sessionCookie) != "" {
			// Anybody can send a cookie, so looking it up in the store is limited too.
			if wait, ok = members.Take(from); ok {
				who, err := s.memberOf(r)
				ok = err == nil && who.Known()
				wait = s.Rate.Every
			}
		}
		if ok {
			h.ServeHTTP(w, r)
			return
		}
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		s.frame.Message(w, r, http.StatusTooManyRequests, "That was a lot of pages",
			"More pages were opened from your network than we can draw for one visitor. Please wait "+strconv.Itoa(seconds)+
				plural.Word(seconds, " second", " seconds")+" and reload this one. Sign in to open more, or use the API, which is made for many questions.")
	})
}
