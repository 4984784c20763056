// Package robots answers programs that show the site elsewhere: robots.txt, sitemaps, security.txt, the icon, and the preview
// pictures of pages. It never names a private person.
package robots

import (
	"bytes"
	_ "embed"
	"net/http"
	"time"

	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/site/frame"
)

// Config has the operator's settings.
type Config struct {
	Clock   func() time.Time
	Further []string // paths of further pages that are always there
}

type room struct {
	*frame.Frame
	Config
	drawing *budget.AtOnce // concurrent pictures
	mapping *budget.AtOnce // parts of the sitemap that are being made
	parts   parts
}

// Route adds the answers.
func Route(mux *http.ServeMux, f *frame.Frame, c Config) {
	s := &room{Frame: f, Config: c, drawing: budget.NewAtOnce(4, 2), mapping: budget.NewAtOnce(2, 1)}
	mux.HandleFunc("GET /robots.txt", s.serveRobots)
	mux.HandleFunc("GET /.well-known/security.txt", s.Handle(s.serveSecurity))
	mux.HandleFunc("GET /favicon.ico", serveIcon)
	mux.HandleFunc("GET /sitemap.xml", s.Handle(s.serveIndex))
	mux.HandleFunc("GET /sitemap/{part}", s.Handle(s.servePart))
	mux.HandleFunc("GET /share.png", s.Handle(s.shareSite))
	mux.HandleFunc("GET /share/org/{file}", s.Handle(s.shareOrganization))
	mux.HandleFunc("GET /share/explore.png", s.Handle(s.shareView))
}

// robots lets robots read the pages of organizations, places and causes. It excludes
// pages with filters, whose combinations have no end.
//
//go:embed robots.txt
var robots string

func (s *room) serveRobots(w http.ResponseWriter, _ *http.Request) {
	plain(w)
	_, _ = w.Write([]byte(robots + "Sitemap: " + s.BaseURL + "/sitemap.xml\n"))
}

// icon is the site's mark, as in static/mark.svg, for browsers that always ask for favicon.ico.
//
//go:embed favicon.ico
var icon []byte

func serveIcon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/x-icon")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	http.ServeContent(w, r, "favicon.ico", time.Time{}, bytes.NewReader(icon))
}

func plain(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
}

const securityHolds = 90 * 24 * time.Hour

// serveSecurity serves security.txt (RFC 9116), if the operator has set a contact.
func (s *room) serveSecurity(w http.ResponseWriter, r *http.Request) error {
	if s.Operator.Contact == "" {
		return frame.Missing
	}
	plain(w)
	if s.Operator.Name != "" {
		_, _ = w.Write([]byte("# " + s.Operator.Name + "\n"))
	}
	until := s.Clock().UTC().Truncate(24 * time.Hour).Add(securityHolds)
	_, _ = w.Write([]byte("Contact: " + s.Operator.Contact + "\n" +
		"Expires: " + until.Format(time.RFC3339) + "\n" +
		"Preferred-Languages: en\n" +
		"Policy: " + s.BaseURL + "/contact\n" +
		"Canonical: " + s.BaseURL + "/.well-known/security.txt\n"))
	return nil
}
