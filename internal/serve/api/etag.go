package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// unchanged sets the ETag of an answer and reports whether the client has that answer.
func (r *reply) unchanged(req *http.Request, c *Call, values url.Values, path map[string]string) bool {
	if !c.op.cacheable() {
		return false
	}
	tag := etag(c, values, path)
	r.header.Set("ETag", tag)
	return matches(req.Header, tag)
}

// etag names the answer to a question from one build, with its warnings. It is weak because compression changes the bytes.
func etag(c *Call, values url.Values, path map[string]string) string {
	asked := cmp.Or(c.Question, values.Encode())
	m := c.Data.Snapshot()
	parts := []string{answerFormat, m.Version, m.Content, c.Base, c.op.ID, c.format, strings.Join(c.Fields, ","), asked, string(c.Caller.Tier) + c.Allowed}
	if c.shown != nil {
		parts = append(parts, c.shown.Case)
	}
	for _, w := range c.warn.list {
		parts = append(parts, w.Parameter, w.Severity, w.Reason)
	}
	for _, p := range c.op.Params {
		if p.In == "path" {
			parts = append(parts, path[p.Name])
		}
	}
	if c.op.Lists {
		parts = append(parts, c.Data.Lists())
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

// answerFormat changes when the same request to the same dataset gets another answer because the code has changed.
const answerFormat = "6"

// matches reports whether a client has the answer with that tag. A star does not match: there may be no answer.
func matches(h http.Header, tag string) bool {
	weak := func(t string) string { return strings.TrimPrefix(t, "W/") }
	return slices.ContainsFunc(items(h, "If-None-Match"), func(t string) bool { return weak(t) == weak(tag) })
}

func items(h http.Header, name string) []string {
	list := strings.Split(strings.Join(h.Values(name), ","), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// cache says how long an answer may be kept. Answers to a key are private; a repeated request with If-None-Match costs nothing.
func (r *reply) cache(op *Operation) {
	if !op.cacheable() {
		r.header.Set("Cache-Control", "no-store")
		return
	}
	if op.Access == Open {
		r.header.Set("Cache-Control", "public, max-age=300")
		return
	}
	r.header.Set("Cache-Control", "private, max-age=300")
	r.header.Add("Vary", "X-API-Key, Authorization")
}

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
