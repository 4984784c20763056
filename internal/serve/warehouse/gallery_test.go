package warehouse

import (
	"regexp"
	"slices"
	"testing"
)

// TestGallery runs every query with the files of its plan alone, and finds rows.
func TestGallery(t *testing.T) {
	t.Parallel()
	slug := regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, q := range Gallery() {
		if seen[q.Slug] || seen[q.Title] || !slug.MatchString(q.Slug) || q.Title == "" || q.About == "" || !slices.Contains([]string{"table", "bar", "line", "map"}, q.View) {
			t.Errorf("%s is not fully defined", q.Slug)
		}
		seen[q.Slug], seen[q.Title] = true, true
		if got, ok := InGallery(q.Slug); !ok || got.SQL != q.SQL {
			t.Errorf("%s is not found", q.Slug)
		}
	}
	if _, ok := InGallery("no-such-query"); ok {
		t.Error("a query is found that is none")
	}
	open, pro := open(t, OpenFile), open(t, OpenFile, ProFile)
	for _, q := range Gallery() {
		conn := open
		if q.Pro {
			conn = pro
			if _, err := open.ExecContext(t.Context(), q.SQL); err == nil {
				t.Errorf("%s needs no Pro table", q.Slug)
			}
		}
		var rows int
		if err := conn.QueryRowContext(t.Context(), "SELECT count(*) FROM ("+q.SQL+")").Scan(&rows); err != nil || rows == 0 {
			t.Errorf("%s: %d rows, %v", q.Slug, rows, err)
		}
		t.Logf("%s: %d rows", q.Slug, rows)
	}
}
