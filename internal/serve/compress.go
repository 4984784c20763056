package serve

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// compress packs what the API and the pages answer, for clients that accept
// gzip. What has fewer bytes than a packet stays as it is. A page may hold a
// token and words of the visitor's choice, so a few bytes of no meaning are
// added, and its length does not tell how well the two went together.
func compress(next http.Handler) (http.Handler, error) {
	pack, err := gzhttp.NewWrapper(gzhttp.MinSize(1<<10), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypeFilter(compressible), gzhttp.EnableZstd(false), gzhttp.RandomJitter(32, 0, false))
	if err != nil {
		return nil, fmt.Errorf("setting up compression: %w", err)
	}
	return pack(next), nil
}

// compressible says of a media type whether packing is worth its time: fonts are
// packed already, as are most of those that the library leaves alone.
func compressible(mediaType string) bool {
	return !strings.HasPrefix(mediaType, "font/") && gzhttp.DefaultContentTypeFilter(mediaType)
}
