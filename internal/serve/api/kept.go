package api

import (
	"bytes"
	"net/http"
)

// Kept is an answer to a request of this process, in memory: at most so many bytes of it.
type Kept struct {
	Status int
	Body   bytes.Buffer
	most   int
	header http.Header
}

// Keep lets a handler answer a request.
func Keep(h http.Handler, r *http.Request, most int) *Kept {
	k := &Kept{Status: http.StatusOK, most: most, header: http.Header{}}
	h.ServeHTTP(k, r)
	return k
}

func (k *Kept) Header() http.Header    { return k.header }
func (k *Kept) WriteHeader(status int) { k.Status = status }

func (k *Kept) Write(b []byte) (int, error) {
	k.Body.Write(b[:min(len(b), k.most-k.Body.Len())])
	return len(b), nil
}
