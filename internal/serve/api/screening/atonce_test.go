package screening_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/bench/apitest"
)

// stalled is a body of which nothing comes until it is let go of.
type stalled struct {
	asked sync.Once
	read  chan<- struct{} // told when somebody waits for it
	end   <-chan struct{}
}

func (s *stalled) Read([]byte) (int, error) {
	s.asked.Do(func() { s.read <- struct{}{} })
	<-s.end
	return 0, io.EOF
}

// TestSlowBodies sends documents to verify that never come. They take no place of a
// verification, so that others and even the same network are still answered.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	const path, most = "/api/v1/screening/verify", 80
	read, end := make(chan struct{}, most), make(chan struct{})
	var slow sync.WaitGroup
	for range most {
		slow.Go(func() {
			w.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "POST", path, &stalled{read: read, end: end}))
		})
		<-read
	}
	send := func(from string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(`{}`))
		r.RemoteAddr = from
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		return rec
	}
	for _, from := range []string{httptest.NewRequest("GET", "/", nil).RemoteAddr, "198.51.100.7:1000"} {
		if rec := send(from); rec.Code != 422 {
			t.Errorf("from %s: %d %s", from, rec.Code, rec.Body)
		}
	}
	close(end)
	slow.Wait()
}
