package api_test

import (
	"fmt"
	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// TestBrokenBody sends bodies that end too early: one that the server has waited
// for long enough, and one that was cut off.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		slug   string
	}{
		{fmt.Errorf("read tcp: %w", os.ErrDeadlineExceeded), 408, "request_timeout"},
		{io.ErrUnexpectedEOF, 400, "malformed_query"},
	} {
		r := httptest.NewRequest("POST", "/api/v1/agent-key", io.MultiReader(strings.NewReader(apitest.Plea[:5]), iotest.ErrReader(c.err)))
		rec := httptest.NewRecorder()
		apitest.New(t).ServeHTTP(rec, r)
		if got := apitest.Unmarshal[client.Failure](t, rec); rec.Code != c.status || got.Error != c.slug || got.Hint == "" {
			t.Errorf("%v: %d %s", c.err, rec.Code, rec.Body)
		}
		apitest.Declared(t, "POST", "/api/v1/agent-key", rec.Code)
	}
}
