// Package compress packs what the API and the pages answer, for clients that accept gzip. It is the one place that says how.
package compress

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// pack makes a handler whose answers are compressed as they are written, except small ones. A few random bytes hide how well a
// secret and a visitor's words compress together.
var pack = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1<<10), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypeFilter(compressible), gzhttp.EnableZstd(false), gzhttp.RandomJitter(32, 0, false))
	if err != nil {
		panic(fmt.Sprintf("compress: %v", err)) // the options are constants
	}
	return wrap
}()

// compressible reports whether compressing a media type is worth the time. Events must be sent at once.
func compressible(mediaType string) bool {
	packed := mediaType == "image/png" || mediaType == "application/vnd.apache.parquet" || strings.HasPrefix(mediaType, "font/")
	return mediaType != "text/event-stream" && !packed && gzhttp.DefaultContentTypeFilter(mediaType)
}

// Handler packs the answers of a handler. Large answers are packed with Body: a slow reader would keep a compressor waiting.
func Handler(next http.Handler) http.Handler { return pack(next) }

// Body compresses a whole answer. It reports false when the client does not accept gzip or it is not worth it.
func Body(r *http.Request, mediaType string, body []byte, into *bytes.Buffer) bool {
	if !strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Accept-Encoding"), ",")), "gzip") {
		return false // a look before the work
	}
	out := &memory{header: http.Header{"Content-Type": {mediaType}}, packed: into}
	pack(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(body) // memory takes all
	}))(out, &http.Request{Method: http.MethodGet, Header: r.Header}) // a HEAD is answered as if it were one
	return out.header.Get("Content-Encoding") != ""
}

// memory collects a compressed answer. It drops a plain one, which the caller has already and which may be large.
type memory struct {
	header http.Header
	packed *bytes.Buffer
}

func (m *memory) Header() http.Header { return m.header }
func (m *memory) WriteHeader(int)     {}

func (m *memory) Write(b []byte) (int, error) {
	if m.header.Get("Content-Encoding") == "" {
		return len(b), nil
	}
	return m.packed.Write(b)
}
