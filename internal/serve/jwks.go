package serve

import (
	"net/http"

	"grantgraph/internal/serve/report/keyring"
)

// jwksPath is the path of the public keys that verify screening reports.
const jwksPath = "/.well-known/jwks.json"

// jwks publishes the keys. Clients may keep the document for five minutes, so a
// client that asks before each report learns of a compromised key within that time.
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "The signing keys are read with GET.", http.StatusMethodNotAllowed)
		return
	}
	keys, err := s.keys.Keys(r.Context())
	if err != nil && r.Context().Err() != nil {
		return // no request waits for it
	}
	if err != nil {
		s.log.Error("the signing keys cannot be read", "error", err)
		unavailable(w, r, "store_unavailable", "The signing keys cannot be read at the moment.", "send the request again in a few seconds")
		return
	}
	h.Set("Content-Type", keyring.MediaType)
	h.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(keyring.JWKS(keys)) // a reader that has gone needs no answer
}
