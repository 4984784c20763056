package screening_test

import (
	"testing"

	"grantgraph/internal/bench/apitest"
)

// FuzzBodies sends any body to every operation that takes one: whatever it is,
// it is answered or refused in words, within bounds.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"eins":["00-0000001",1000000,null],"reports":true}`, `["000000006"]`, `{"names":[{"name":"Exemplary Gap","city":"x"},"y"],"exclude_ent_num":[1]}`,
		`{"report":null}`, `%PDF-1.7`, `[{"name":{"a":[]}}]`, `{"eins":[1e400]}`, "{\"names\":[\"\xff\"]}",
	} {
		f.Add([]byte(seed))
	}
	w := apitest.New(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"bulk", "names", "verify", "bulk?compat=legacy_strings", "names?compat=legacy_strings"} {
			rec := w.Send(t, "POST", "/api/v1/screening/"+path, "pro", string(body))
			if rec.Code >= 500 || rec.Body.Len() > 16<<20 {
				t.Fatalf("%s: %d, %d bytes: %.300s", path, rec.Code, rec.Body.Len(), rec.Body)
			}
		}
	})
}
