// Package compress packs what the API and the pages answer, for clients that
// accept gzip. It is the one place that says how.
package compress

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// pack makes a handler whose answers are packed as they are written. What has
// fewer bytes than a packet stays as it is, and so does what says already how it
// is encoded. A few bytes of no meaning are added, so that the length of a page
// alone does not tell how well a secret and the words of a visitor went together.
var pack = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1<<10), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypeFilter(compressible), gzhttp.EnableZstd(false), gzhttp.RandomJitter(32, 0, false))
	if err != nil {
		panic(fmt.Sprintf("compress: %v", err)) // the options are constants
	}
	return wrap
}()

// compressible says of a media type whether packing is worth its time: fonts and
// pictures of pixels are packed already, as are most of those that the library
// leaves alone. An event is sent when it is there, not when a packet is full.
func compressible(mediaType string) bool {
	return mediaType != "text/event-stream" && !strings.HasPrefix(mediaType, "font/") && mediaType != "image/png" && gzhttp.DefaultContentTypeFilter(mediaType)
}

// Handler packs the answers of a handler. A client that does not read keeps a
// compressor waiting, about a megabyte, so large answers are packed with Body
// instead.
func Handler(next http.Handler) http.Handler { return pack(next) }

// Body packs a whole answer before any of it is written, and reports whether it
// did: whether the client accepts it and it is worth it.
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

// memory is an answer that stays here, once it is packed. A plain one is dropped:
// whoever asked has it already, and it may be large.
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
