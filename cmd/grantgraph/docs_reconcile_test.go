package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
)

// TestReconcilePage runs the code of docs/reconcile.md against a service.
func TestReconcilePage(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	var service http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { service.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s, err := serve.Open(serve.Options{Data: data, BaseURL: server.URL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	service = s.Handler()
	g := guide{"reconcile", map[string][]string{"python": {"Harlow Community Foundation | ", "done\n"}}}
	g.run(t, strings.ReplaceAll(textOf(t, "../../docs/reconcile.md"), guideBase, server.URL), "GRANTGRAPH_KEY=none")
}
