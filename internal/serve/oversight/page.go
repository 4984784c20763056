package oversight

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"time"

	"grantgraph/internal/money"
)

//go:embed page.html
var pageFile string

var page = template.Must(template.New("status").Funcs(template.FuncMap{
	"moment": func(t *time.Time) string {
		if t == nil || t.IsZero() {
			return "never, or not known"
		}
		return t.UTC().Format("January 2, 2006, 3:04:05 PM UTC")
	},
	"count": money.Grouped, "size": func(n int64) string { return money.Grouped(n>>20) + " MiB" },
}).Parse(pageFile))

// Page shows the status as it is now.
func Page(status func(context.Context) Status) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		if err := page.Execute(&b, status(r.Context())); err != nil {
			http.Error(w, "The status cannot be shown.", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(b.Bytes()) // a reader that has gone needs no answer
	})
}
