package frame

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"

	"grantgraph/internal/serve/site/draw"
)

//go:embed static
var static embed.FS

// Files serves the files below /static/.
func Files() http.Handler {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // it is embedded
	}
	return cached(http.StripPrefix("/static/", withPictures(http.FileServerFS(noListing{files}))))
}

// withPictures appends the rules of pictures to the stylesheet, so that pages load one file.
func withPictures(h http.Handler) http.Handler {
	const name = "style.css"
	rules, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	rules = append(append(rules, '\n'), draw.Stylesheet...)
	sum := sha256.Sum256(rules)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != name {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(rules))
	})
}

// cached lets browsers keep a file for an hour. They may keep a font forever, because its name changes with its content.
func cached(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Ext(r.URL.Path) == ".woff2" {
			// The machine's MIME table may lack this type.
			w.Header().Set("Content-Type", "font/woff2")
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			w.Header().Set("Cache-Control", "public, max-age=3600")
		}
		h.ServeHTTP(w, r)
	})
}

type noListing struct{ fs.FS }

func (f noListing) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if st, err := file.Stat(); err != nil || st.IsDir() {
		file.Close()
		return nil, fs.ErrNotExist
	}
	return file, nil
}
