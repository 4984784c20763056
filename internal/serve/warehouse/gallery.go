package warehouse

import "slices"

// Query is a common question, with a query that answers it and the best view of the
// answer. Its slug is part of a public address and must not change.
type Query struct {
	Slug  string
	Title string
	About string // what it counts, and what to change in it
	SQL   string
	View  string // table, bar, line or map
	Pro   bool   // it reads a table of the Pro plan
}

// Gallery returns the queries to start from. The result is shared: callers must not
// change it.
func Gallery() []Query { return gallery }

// InGallery is the query of a slug.
func InGallery(slug string) (*Query, bool) {
	i := slices.IndexFunc(gallery, func(q Query) bool { return q.Slug == slug })
	if i < 0 {
		return nil, false
	}
	return &gallery[i], true
}
