package fetch

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source"
)

// shrink is the share of the last good file, in tenths, that a new file must
// reach. It applies from a minimum number of rows on.
const (
	shrink     = 9
	shrinkFrom = 50
)

// accept checks a downloaded file and puts it in place, or refuses it.
func (j *job) accept(a *arrival, held File) error {
	newer := "" // that there is something new, once it is clear that it is data
	refuse := func(format string, args ...any) error {
		discard(a.file)
		return &refusal{url: a.meta.URL, reason: fmt.Sprintf(format, args...), bytes: a.bytes, rows: a.rows, revised: newer}
	}
	if a.bytes == 0 {
		return refuse("it has zero bytes")
	}
	page, err := isPage(a.file)
	if err != nil {
		return err
	}
	// Some servers answer with a web page and "200 OK" for a file they do not have.
	perhaps := held.Path == "" && (a.wanted.Probe || a.wanted.Optional)
	if page && !j.src.Markup {
		if perhaps {
			discard(a.file)
			return errAbsent
		}
		return refuse("it is a web page, not data: the server answered with a notice or an error")
	}
	if a.sha256 == held.SHA256 {
		discard(a.file)
		j.result.Unchanged++
		held.ETag, held.LastModified, held.FetchedAt = a.meta.ETag, a.meta.LastModified, j.Now().UTC()
		j.state.put(held)
		return nil
	}
	a.rows, a.stated, err = j.src.Check(a.file)
	newer = a.revised()
	if err != nil {
		return refuse("%v", err)
	}
	if held.Path == "" {
		held = j.predecessor(a.wanted)
	}
	floor := a.wanted.Floor
	if f, ok := j.Floor[j.src.Name]; ok && floor > 0 {
		floor = max(1, min(floor, f))
	}
	switch {
	case a.rows < floor:
		return refuse("it has %d rows; a complete file has at least %d", a.rows, floor)
	case j.src.Markup:
	case held.Rows >= shrinkFrom && a.rows*10 < held.Rows*shrink:
		return refuse("it has %d rows and the last good file %d; if that is right, delete %s and fetch again", a.rows, held.Rows, held.Path)
	case held.Rows == 0 && a.rows == 0 && a.bytes*10 < held.Bytes*shrink:
		return refuse("it has %d bytes and the last good file %d; if that is right, delete %s and fetch again", a.bytes, held.Bytes, held.Path)
	}
	if set := a.wanted.Set; set != "" {
		j.pending[set] = append(j.pending[set], *a)
		return nil
	}
	return j.place(a)
}

// predecessor is the newest file that this file replaces under another name.
func (j *job) predecessor(p source.RemoteFile) (last File) {
	for _, f := range j.replaced(p) {
		if f.FetchedAt.After(last.FetchedAt) {
			last = f
		}
	}
	return last
}

func (j *job) replaced(p source.RemoteFile) (list []File) {
	for _, f := range j.state.Files {
		if ok, _ := path.Match(p.Replaces, f.Path); ok && f.Path != p.Path {
			list = append(list, f)
		}
	}
	return list
}

// edition places the files of a set together, once all of them have been checked.
func (j *job) edition(set string) error {
	reason := ""
	if j.broken[set] {
		reason = "held back, because another file of the same edition could not be had"
	} else if days := j.days(set); len(days) > 1 {
		reason = fmt.Sprintf("held back, because the files are of different days, %s: the publisher was replacing them", strings.Join(days, " and "))
	}
	for i := range j.pending[set] {
		a := &j.pending[set][i]
		if reason == "" {
			if err := j.place(a); err != nil {
				return err
			}
			continue
		}
		discard(a.file)
		r := &refusal{a.meta.URL, reason, a.bytes, a.rows, a.revised()}
		j.refuse(r)
		j.result.Problems = append(j.result.Problems, a.wanted.Path+": "+r.Error())
	}
	return nil
}

// days are the revision dates stated inside the files of a set, both new and held.
func (j *job) days(set string) (days []string) {
	stated := map[string]string{}
	for i := range j.pending[set] {
		a := &j.pending[set][i]
		if a.stated == "" {
			return nil // files of this kind state no date
		}
		stated[a.wanted.Path] = a.stated
	}
	for _, path := range j.sets[set] {
		day, ok := stated[path]
		if !ok {
			f, _ := j.state.File(path)
			day = f.Revised
		}
		if day != "" && !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	return days
}

func (j *job) place(a *arrival) error {
	to := j.abs(a.wanted.Path)
	if err := disk.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fault.Disk(to, err)
	}
	if err := disk.Publish(a.file, to); err != nil {
		return fault.Disk(to, err)
	}
	discard(a.file) // what was noted beside it
	held, _ := j.state.File(a.wanted.Path)
	same := func(a, b string) bool { return a != "" && a == b }
	f := File{
		Path: a.wanted.Path, URL: a.meta.URL, Bytes: a.bytes, SHA256: a.sha256, ETag: a.meta.ETag, LastModified: a.meta.LastModified,
		FetchedAt: j.Now().UTC(), Rows: a.rows, Revised: a.revised(),
		Replaced: held.URL == a.meta.URL && held.SHA256 != a.sha256 && (same(held.LastModified, a.meta.LastModified) || same(held.ETag, a.meta.ETag)),
	}
	for _, old := range j.replaced(a.wanted) {
		if err := disk.Remove(j.abs(old.Path)); err != nil {
			return fault.Disk(old.Path, err)
		}
		j.state.drop(old.Path)
	}
	j.state.put(f)
	j.result.New++
	if f.Replaced {
		j.result.Replaced++
	}
	j.Progress(j.src.Name, a.wanted.Path, a.bytes, a.bytes)
	return WriteState(j.Dir, j.state)
}

// revised is the date of a file: from upstream's listing, from the file itself, or from the server.
func (a *arrival) revised() string {
	served := ""
	if t, err := http.ParseTime(a.meta.LastModified); err == nil {
		served = t.UTC().Format(time.DateOnly)
	}
	return cmp.Or(a.wanted.Revised, a.stated, served)
}

func isPage(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, fault.Disk(file, err)
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, fault.Disk(file, err)
	}
	return page.Match(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))), nil
}

var page = regexp.MustCompile(`(?i)^\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body|script|\?xml[^>]*>\s*<!doctype\s+html)`)

// digest is the hash that a server states for the whole file, as "sha-256=" or "md5=" plus base64. Blob
// stores state MD5; for a partial response they use another header.
func digest(h http.Header) string {
	for _, item := range strings.Split(h.Get("Repr-Digest"), ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(item), "sha-256=:"); ok {
			return "sha-256=" + strings.TrimSuffix(value, ":")
		}
	}
	if value := strings.TrimSpace(h.Get("Content-MD5")); value != "" {
		return "md5=" + value
	}
	return ""
}

// matches reports whether the SHA-256, in hex, and the MD5 of a file agree with what a server stated.
func matches(digest, sum string, old [md5.Size]byte) bool {
	algorithm, value, _ := strings.Cut(digest, "=")
	want, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return true // ignore a digest that we cannot read
	}
	if algorithm == "md5" {
		return bytes.Equal(want, old[:])
	}
	return hex.EncodeToString(want) == sum
}

// lock reserves a source for one fetcher. The kernel releases the lock if the process dies.
func lock(dir, name string) (release func(), err error) {
	path := filepath.Join(dir, folder, name+".lock")
	f, err := disk.LockPath(path)
	if errors.Is(err, disk.ErrLocked) {
		return nil, fault.New("fetch_running", "another fetch of %s into %s is running", name, dir).Try("wait for it to end")
	}
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	return func() { f.Close() }, nil
}
