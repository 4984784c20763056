package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source"
)

// partial describes a download that may be incomplete. It is stored next to the bytes, so a later run can resume.
type partial struct {
	URL          string `json:"url"`
	ETag         string `json:"etag"`
	LastModified string `json:"last_modified"`
	Total        int64  `json:"total"`  // -1 when the server did not say
	Digest       string `json:"digest"` // that the server gave, "" when it gave none
	Kept         int64  `json:"kept"`   // bytes that are safely on disk; after a power failure the rest may be garbage
}

// keepEvery is how many bytes are downloaded between two syncs to disk.
const keepEvery = 64 << 20

// validator ensures that the rest belongs to the same file: a strong entity
// tag, or else the date. A weak tag does not guarantee equal bytes.
func (m *partial) validator() string {
	if m.ETag != "" && !strings.HasPrefix(m.ETag, "W/") {
		return m.ETag
	}
	return m.LastModified
}

// arrival is a downloaded file, or the answer that nothing is new.
type arrival struct {
	wanted    source.RemoteFile
	meta      partial
	file      string // where the bytes are
	bytes     int64
	sha256    string
	rows      int64
	stated    string // revision that the file itself states
	resumed   bool
	unchanged bool
}

type cutShort struct{ got, total int64 }

func (c *cutShort) Error() string {
	if c.total < 0 {
		return fmt.Sprintf("cut short after %d bytes", c.got)
	}
	return fmt.Sprintf("cut short: %d of %d bytes", c.got, c.total)
}

type refusal struct {
	url, reason string
	bytes, rows int64
	revised     string // the date of the refused file, if it was newer
}

func (r *refusal) Error() string { return "refused: " + r.reason }

func (j *job) partialPath(path string) string {
	return filepath.Join(j.Dir, folder, "part", filepath.FromSlash(path))
}

// fetchFirst requests a file and puts it in place if it is new. It reports whether upstream has the file.
func (j *job) fetchFirst(ctx context.Context, p source.RemoteFile, held File) (there bool, err error) {
	urls := p.URLs
	if i := slices.Index(urls, held.URL); i > 0 { // the address that worked
		urls = slices.Concat(urls[i:i+1], urls[:i], urls[i+1:])
	}
	for _, url := range urls {
		there, err = j.fetchFrom(ctx, p, url, held)
		if !errors.Is(err, errAbsent) {
			return there, err
		}
	}
	switch {
	case held.Path != "":
		return false, errors.New("it is no longer there; the file that is held stays")
	case p.Probe:
		if p.Fixed {
			j.state.Absent = append(j.state.Absent, p.URLs[0])
		}
		return false, nil
	case p.Optional:
		j.result.Missing = append(j.result.Missing, p.Path)
		return false, nil
	}
	return false, fmt.Errorf("%s: %w", p.URLs[0], errAbsent)
}

func (j *job) fetchFrom(ctx context.Context, p source.RemoteFile, url string, held File) (there bool, err error) {
	if j.DryRun {
		return j.isNewer(ctx, p, url, held)
	}
	a, err := j.download(ctx, p, url, held)
	var short *cutShort
	switch {
	case errors.As(err, &short):
		return true, &refusal{url: url, reason: err.Error(), bytes: short.got}
	case err != nil:
		return true, err
	}
	if a.unchanged {
		j.result.Unchanged++
		return true, nil
	}
	return true, j.accept(a, held)
}

func (j *job) download(ctx context.Context, p source.RemoteFile, url string, held File) (*arrival, error) {
	var got *arrival
	longest := int64(-1)
	if _, size := readPartial(j.partialPath(p.Path), url); size > 0 {
		longest = size
	}
	err := j.retry(ctx, func() (progress bool, err error) {
		got, err = j.attempt(ctx, p, url, held)
		if st, statErr := os.Stat(j.partialPath(p.Path)); statErr == nil && st.Size() > longest {
			longest, progress = st.Size(), true
		}
		return progress, err
	})
	return got, err
}

// conditions are the headers that let a server answer that nothing is new. We trust a date alone for only a
// week, because publishers have replaced files without changing the date.
func (j *job) conditions(url string, held File) map[string]string {
	h := map[string]string{}
	if held.URL != url {
		return h
	}
	if held.ETag != "" {
		h["If-None-Match"] = held.ETag
	}
	if held.LastModified != "" && (held.ETag != "" || j.Now().Sub(held.FetchedAt) < trusted) {
		h["If-Modified-Since"] = held.LastModified
	}
	return h
}

const trusted = 7 * 24 * time.Hour

// attempt makes one request for a file, or for the rest of a partial download.
func (j *job) attempt(ctx context.Context, p source.RemoteFile, url string, held File) (*arrival, error) {
	file := j.partialPath(p.Path)
	meta, offset := readPartial(file, url)
	q := request{method: http.MethodGet, url: url}
	if offset > 0 {
		q.header = map[string]string{"Range": fmt.Sprintf("bytes=%d-", offset), "If-Range": meta.validator()}
	} else {
		q.header = j.conditions(url, held)
	}
	a := &arrival{wanted: p, file: file}
	err := j.exchange(ctx, q, func(resp *http.Response) error {
		switch resp.StatusCode {
		case http.StatusNotModified:
			if len(q.header) == 0 || offset > 0 {
				return errors.New("the server answered that nothing changed, which was not asked")
			}
			a.unchanged = true
			return nil
		case http.StatusRequestedRangeNotSatisfiable:
			return startOver(file, "the server has no rest of the file")
		case http.StatusPartialContent:
			if reason := mismatch(resp.Header, meta, offset); offset == 0 || reason != "" {
				return startOver(file, "the rest that the server sent does not fit: "+reason)
			}
			a.resumed = true
		default:
			offset = 0
			meta = partial{
				URL: url, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"),
				Total: resp.ContentLength, Digest: digest(resp.Header),
			}
			if err := writePartial(file, meta); err != nil {
				return err
			}
		}
		n, err := j.receive(resp.Body, p, file, meta, offset)
		a.meta, a.bytes = meta, n
		return err
	})
	if err != nil || a.unchanged {
		return a, err
	}
	return a, j.verifyDigest(a)
}

func (j *job) verifyDigest(a *arrival) error {
	f, err := os.Open(a.file)
	if err != nil {
		return fault.Disk(a.file, err)
	}
	defer f.Close()
	sum, old, err := disk.Digests(f)
	if err != nil {
		return fault.Disk(a.file, err)
	}
	if a.sha256 = sum; a.meta.Digest == "" || matches(a.meta.Digest, sum, old) {
		return nil
	}
	if a.resumed {
		return startOver(a.file, "the parts do not make up the file the server described")
	}
	discard(a.file)
	return &refusal{url: a.meta.URL, reason: "its hash is not the one the server stated", bytes: a.bytes}
}

// receive appends the body to the bytes before offset and returns how many bytes there are then.
func (j *job) receive(body io.Reader, p source.RemoteFile, file string, meta partial, offset int64) (size int64, err error) {
	if meta.Total > j.src.MaxBytes {
		discard(file)
		return 0, j.oversized(meta.URL, meta.Total)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return 0, fault.Disk(file, err)
	}
	defer f.Close()
	if err := f.Truncate(offset); err != nil {
		return 0, fault.Disk(file, err)
	}
	size = offset
	keep := func() error {
		if err := f.Sync(); err != nil {
			return fault.Disk(file, err)
		}
		meta.Kept = size
		return notePartial(file, meta)
	}
	buf := make([]byte, 256<<10)
	for {
		j.Progress(j.src.Name, p.Path, size, meta.Total)
		n, readErr := body.Read(buf)
		if size+int64(n) > j.src.MaxBytes {
			discard(file)
			return size, j.oversized(meta.URL, size+int64(n))
		}
		if _, err := f.WriteAt(buf[:n], size); err != nil {
			return size, fault.Disk(file, err)
		}
		size += int64(n)
		j.result.Transferred += int64(n)
		if readErr == io.EOF && (meta.Total < 0 || size == meta.Total) {
			return size, fault.Disk(file, f.Sync())
		}
		if readErr != nil {
			if err := keep(); err != nil {
				return size, err
			}
			return size, &transient{err: &cutShort{size, meta.Total}}
		}
		if size-meta.Kept >= keepEvery {
			if err := keep(); err != nil {
				return size, err
			}
		}
	}
}

func (j *job) oversized(url string, n int64) error {
	return &refusal{url: url, reason: fmt.Sprintf("over %d bytes, more than %s can have", j.src.MaxBytes, j.src.Name), bytes: n}
}

// startOver drops the partial download, so that the file is requested from the start.
func startOver(file, why string) error {
	discard(file)
	return &transient{err: errors.New(why)}
}

var contentRange = regexp.MustCompile(`^bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)$`)

// mismatch says why a partial response does not continue the held bytes, or "" if it does.
func mismatch(h http.Header, m partial, offset int64) string {
	r := contentRange.FindStringSubmatch(h.Get("Content-Range"))
	if r == nil {
		return "it does not say which part it is"
	}
	start, _ := strconv.ParseInt(r[1], 10, 64)
	total, err := strconv.ParseInt(r[3], 10, 64)
	switch {
	case start != offset:
		return fmt.Sprintf("it starts at %d, not at %d", start, offset)
	case err == nil && m.Total >= 0 && total != m.Total:
		return fmt.Sprintf("the file now has %d bytes, not %d", total, m.Total)
	case h.Get("ETag") != "" && m.ETag != "" && h.Get("ETag") != m.ETag:
		return "it is of another version"
	}
	return ""
}

// readPartial returns an unfinished download and its length, or 0 if it cannot be resumed.
func readPartial(file, url string) (m partial, size int64) {
	st, err := os.Stat(file)
	if err != nil || st.Size() == 0 {
		return partial{}, 0
	}
	text, err := os.ReadFile(file + ".json")
	if err != nil || json.Unmarshal(text, &m) != nil || m.URL != url || m.validator() == "" || m.Total >= 0 && st.Size() >= m.Total {
		return partial{}, 0
	}
	return m, min(st.Size(), m.Kept)
}

func writePartial(file string, m partial) error {
	if err := disk.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fault.Disk(file, err)
	}
	// The bytes that were there belong to another version.
	if err := disk.Remove(file); err != nil {
		return fault.Disk(file, err)
	}
	return notePartial(file, m)
}

func notePartial(file string, m partial) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return replace(file+".json", text)
}

func discard(file string) {
	os.Remove(file)
	os.Remove(file + ".json")
}

func (j *job) isNewer(ctx context.Context, p source.RemoteFile, url string, held File) (there bool, err error) {
	j.Progress(j.src.Name, p.Path, 0, -1)
	q := request{method: http.MethodGet, url: url, header: j.conditions(url, held)}
	err = j.retry(ctx, func() (bool, error) {
		return false, j.exchange(ctx, q, func(resp *http.Response) error {
			if resp.StatusCode == http.StatusNotModified {
				j.result.Unchanged++
				return nil
			}
			if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") && !j.src.Markup && (p.Probe || p.Optional) {
				return errAbsent
			}
			j.result.New++
			j.result.Wanted = append(j.result.Wanted, Want{Path: p.Path, URL: url, Bytes: resp.ContentLength})
			return nil
		})
	})
	return err == nil, err
}
