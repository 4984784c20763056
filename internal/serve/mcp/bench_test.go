package mcp_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/mcp"
)

// BenchmarkCall compares a page of grants as a tool result with the same page as an
// API answer.
func BenchmarkCall(b *testing.B) {
	w := apitest.New(b)
	w.Spy.Hits = 1000
	s, err := mcp.New(mcp.Config{Reference: w.Reference(), API: mcp.InProcess(w)})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("api", func(b *testing.B) {
		for b.Loop() {
			if rec := w.Get(b, "GET", "/api/v1/grants/transactions?limit=25", "pro"); rec.Code != 200 {
				b.Fatal(rec.Body)
			}
		}
	})
	b.Run("tool", func(b *testing.B) {
		for b.Loop() {
			if r := s.Call(b.Context(), "list_grants", json.RawMessage(`{}`), http.Header{"X-Api-Key": {"gg_test_pro"}}); r.IsError {
				b.Fatal(r.Content)
			}
		}
	})
}
