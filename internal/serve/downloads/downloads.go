// Package downloads serves the tables of the dataset as files. `grantgraph export --downloads` writes a release of them for each
// snapshot into a store: the data directory, or the bucket of publish.
//
//	<store>/downloads/
//	  index.json             the releases, newest first
//	  <version>/             a release, as package warehouse writes it
//
// Descriptions are open. A file needs the plan that may read its table in SQL, and costs calls by the bytes that are sent, so that the
// allowance of a plan bounds its traffic too. Bytes come from the disk, or from a bucket by a signed address.
//
// Nothing read from the store is trusted: versions, paths and sizes must be such as a release has.
package downloads

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot/remote"
)

const (
	Root    = "/downloads/" // where the files are served
	PerCall = 100 << 20     // bytes of a file that one call buys

	atOnce    = 24               // files that are sent at a time
	each      = 3                // of them for one account
	patience  = time.Minute      // for a client to take a piece of a file
	leastRate = 64 << 10         // bytes of the whole file that it must take a second
	signedFor = time.Minute      // a client follows a signed address at once, and what has begun goes on
	recheck   = 30 * time.Second // how often the store is looked at
	looking   = 10 * time.Second // how long that may take
)

// Config says where the files are and who pays.
type Config struct {
	Store   remote.Store
	API     *api.Handler
	Charge  func(ctx context.Context, id string, calls int) (account.Balance, error)
	Address func(*http.Request) string
	Clock   func() time.Time
	Log     *slog.Logger
}

// Handler serves the files.
type Handler struct {
	Config
	places budget.Places

	mu       sync.Mutex
	checked  time.Time
	index    []byte
	releases []release // newest first
}

type release struct {
	warehouse.DataPackage
	files map[string]*warehouse.Resource // nil for those that describe others
}

// New makes the handler. It reads nothing yet.
func New(c Config) *Handler { return &Handler{Config: c, places: budget.NewPlaces(atOnce, each)} }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		h.API.Refuse(w, r, err)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	index, releases, err := h.current(r.Context())
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(r.URL.Path, Root)
	if name == IndexName {
		return send(w, r, name, index)
	}
	version, file, _ := strings.Cut(name, "/")
	for i := range releases {
		if x := &releases[i]; x.Version == version {
			f, known := x.files[file]
			if f != nil {
				return h.file(w, r, x, f)
			}
			if known {
				body, err := read(r.Context(), h.Store, prefix+name)
				if err != nil {
					return err
				}
				return send(w, r, name, body)
			}
		}
	}
	return fault.New(client.SlugNotFound, "There is no such file, or its release is no longer kept.").Try("see %s%s", Root, IndexName)
}

// send answers with a small file.
func send(w http.ResponseWriter, r *http.Request, name string, body []byte) error {
	kind := "application/json"
	if path.Ext(name) == "" {
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=60")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// file sends a file to a caller whose plan has its table. The headers are free.
func (h *Handler) file(w http.ResponseWriter, r *http.Request, x *release, f *warehouse.Resource) error {
	m := &meter{ResponseWriter: w, h: h, r: r, key: prefix + x.Version + "/" + f.Path}
	if r.Method == http.MethodGet {
		var err error
		if m.payer, err = h.API.Payer(r); err != nil {
			return err
		}
		if err := m.payer.Require(f.Plan.Terms().Scopes); err != nil {
			return err
		}
		end, err := h.places.Begin(budget.Sender{Address: h.Address(r), Account: cmp.Or(m.payer.Account, m.payer.ID)})
		if err != nil {
			return err
		}
		defer end()
	}
	if strings.Contains(r.Header.Get("Range"), ",") { // several ranges have the whole file, as the standard allows
		r.Header.Del("Range")
	}
	var content io.ReadSeeker
	on, err := remote.OpenFile(h.Store, m.key)
	switch {
	case err != nil:
		h.Log.Error("a download is damaged", "file", m.key, "error", err)
		return api.Damaged()
	case on != nil:
		defer on.Close()
		if info, err := on.Stat(); err != nil || info.Size() != f.Bytes {
			h.Log.Error("a download has another size than when it was published", "file", m.key, "error", err)
			return api.Damaged()
		}
		content = on
	default:
		m.signed = true
		content = io.NewSectionReader(strings.NewReader(""), 0, f.Bytes) // only its size counts
	}
	header := w.Header()
	header.Set("Content-Type", f.MediaType)
	if f.Compression != "" {
		header.Set("Content-Type", "application/gzip")
	}
	header.Set("Content-Disposition", `attachment; filename="`+path.Base(f.Path)+`"`)
	header.Set("Cache-Control", "private")
	header.Set("ETag", `"`+strings.TrimPrefix(f.Hash, "sha256:")+`"`)
	m.until = time.Now().Add(patience + time.Duration(f.Bytes/leastRate)*time.Second)
	http.ServeContent(m, r, "", time.Time{}, content)
	return nil
}

// meter charges for the bytes that are about to be sent, once it is known how many: not for a file that the client has.
type meter struct {
	http.ResponseWriter
	h      *Handler
	r      *http.Request
	key    string // of the object
	payer  account.KeyInfo
	signed bool // the bucket sends it
	ended  bool
	until  time.Time
}

var errEnded = errors.New("the answer has ended")

// Unwrap lets a response controller find the connection.
func (m *meter) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *meter) WriteHeader(status int) {
	if m.r.Method == http.MethodGet && (status == http.StatusOK || status == http.StatusPartialContent) {
		if err := m.pay(); err != nil {
			m.ended = true
			for _, name := range []string{"Content-Range", "Content-Disposition", "ETag"} {
				m.Header().Del(name)
			}
			m.h.API.Refuse(m.ResponseWriter, m.r, err)
			return
		}
		if m.signed {
			m.ended, status = true, http.StatusFound
		}
	}
	m.ResponseWriter.WriteHeader(status)
}

// pay charges the answer. One that the bucket gives becomes a redirection, to an address that is good for these bytes only.
func (m *meter) pay() error {
	size, err := strconv.ParseInt(m.Header().Get("Content-Length"), 10, 64)
	if err != nil {
		return err
	}
	var to string
	if m.signed {
		part := ""
		if m.Header().Get("Content-Range") != "" {
			part = m.r.Header.Get("Range")
		}
		if to, err = remote.SignedAddress(m.r.Context(), m.h.Store, m.key, part, signedFor); err != nil {
			return err
		}
	}
	balance, err := m.h.Charge(m.r.Context(), m.payer.ID, int(max(1, (size+PerCall-1)/PerCall)))
	api.SetBalance(m.Header(), balance)
	if err != nil || !m.signed {
		return err
	}
	m.Header().Set("Location", to)
	m.Header().Set("Cache-Control", "no-store")
	m.Header().Set("Content-Length", "0")
	m.Header().Del("Content-Range")
	return nil
}

func (m *meter) Write(b []byte) (int, error) {
	now := time.Now()
	if m.ended || now.After(m.until) {
		return 0, errEnded
	}
	_ = http.NewResponseController(m.ResponseWriter).SetWriteDeadline(now.Add(patience)) // a recorder has none
	return m.ResponseWriter.Write(b)
}

// Latest is the description of the newest release, or nil.
func (h *Handler) Latest(ctx context.Context) (*warehouse.DataPackage, error) {
	_, releases, err := h.current(ctx)
	if err != nil || len(releases) == 0 {
		return nil, err
	}
	return &releases[0].DataPackage, nil
}

// current is the index and the releases in it. If the store does not answer, those of the last time are.
func (h *Handler) current(ctx context.Context) ([]byte, []release, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.Clock(); h.checked.IsZero() || now.Sub(h.checked) >= recheck {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), looking)
		defer cancel()
		index, releases, err := h.look(ctx)
		if err != nil {
			h.Log.Error("the downloads cannot be read", "store", h.Store.String(), "error", err)
		} else {
			h.index, h.releases = index, releases
		}
		h.checked = now // after a failure too, so that requests do not wait for a broken store one after the other
	}
	if h.index == nil {
		return nil, nil, fault.New(client.SlugStoreUnavailable, "The downloads cannot be read at the moment.").Try("try again in a minute")
	}
	return h.index, h.releases, nil
}

func (h *Handler) look(ctx context.Context) ([]byte, []release, error) {
	index, body, _, err := readIndex(ctx, h.Store)
	if err != nil || bytes.Equal(body, h.index) {
		return body, h.releases, err
	}
	var list []release
	for _, entry := range index.Releases {
		text, err := read(ctx, h.Store, prefix+entry.Version+"/"+warehouse.PackageName)
		if errors.Is(err, fs.ErrNotExist) {
			continue // being removed
		}
		if err != nil {
			return nil, nil, err
		}
		x := release{files: map[string]*warehouse.Resource{warehouse.PackageName: nil, warehouse.SumsName: nil}}
		if err := json.Unmarshal(text, &x.DataPackage); err != nil || x.Version != entry.Version {
			return nil, nil, errors.Join(err, errors.New("release "+entry.Version+" is not described"))
		}
		for i := range x.Resources {
			f := &x.Resources[i]
			if !fs.ValidPath(f.Path) || !fs.ValidPath(f.Schema) || f.Bytes < 0 || f.Plan.Terms().Scopes&account.Paid == 0 {
				return nil, nil, errors.New("release " + entry.Version + " has a file that cannot be served")
			}
			x.files[f.Path], x.files[f.Schema] = f, nil
		}
		list = append(list, x)
	}
	return body, list, nil
}
